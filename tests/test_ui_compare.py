"""The page Compare: ledgers, figures, flips both ways with causes, clients, all as the command has them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from studies import said
from test_ui_said import left_in_english
from ui_app import opened, sound, widget, word
from worlds import with_random_uses, world_store

from workbench.params import Params
from workbench.params.drafts import drafts_folder, save_draft
from workbench.ui import findings

CHANGES = {"recall.weights.w_exact": 0.05, "recall.display.min_display_score": 0.63}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    target = tmp_path / "store.duckdb"
    shutil.copy(world_store(900, 0.4, 3), target)
    save_draft(target, "mine", Params(CHANGES))
    monkeypatch.setenv("WORKBENCH_DB", str(target))
    return target


def test_everything_is_what_the_command_says(store: Path, run: Callable[..., tuple[int, str, str]]) -> None:
    file = drafts_folder(store) / "mine.toml"
    code, out, _ = run("compare", "current", file, "--db", store, "--client", "codex", "--json")
    assert code == 0
    found = json.loads(out)
    (pair,) = found["pairs"]
    app = opened("compare", configs=["present", "draft mine"], client="codex")
    ledgers, figures, flips, clients = (one.value for one in app.dataframe)
    by_count = ledgers.set_index("count")
    for part in findings.LEDGER:
        if word(f"ledger.{part}") in by_count.index:
            row = by_count.loc[word(f"ledger.{part}")]
            assert [row["present"], row["draft mine"]] == [one[part] for one in found["ledgers"].values()]
    assert len(figures) == len(pair["differences"])
    assert figures["effect"].dropna().tolist() == [
        f"{one['effect']:+.4f}" for one in pair["differences"].values() if one["effect"] is not None
    ]
    assert flips["uri"].tolist() == [one["uri"] for one in pair["flips"]]
    assert flips["cause"].tolist() == [one["cause"].replace("_", " ") for one in pair["flips"]]
    assert all(flips["query_text"])
    assert f"won {pair['used_won']}, lost {pair['used_lost']}" in said(app)
    assert set(clients["client"]) == {"codex"}
    assert clients["used_kept"].tolist() == [one["codex"]["used_kept"] for one in found["clients"].values()]


@pytest.mark.usefixtures("store")
def test_regret_is_listed_in_either_direction() -> None:
    app = opened("compare", configs=["present", "draft mine"], regret="lost")
    lost = app.dataframe[2].value
    assert set(lost["label"]) <= {word("labels.used"), word("labels.helpful")}
    assert set(lost["shown_by"]) == {word("compare.first")}
    back = opened("compare", configs=["draft mine", "present"], regret="won")
    assert back.dataframe[2].value["uri"].tolist() == lost["uri"].tolist()
    assert set(back.dataframe[2].value["shown_by"]) == {word("compare.second")}


@pytest.mark.usefixtures("store")
def test_several_configurations_are_held_against_the_first() -> None:
    app = opened("compare", configs=["present", "draft mine", "at-hand"], min_display_score="0.7", lang="zh")
    against = widget(app, "selectbox", word("compare.against", "zh"))
    assert len(against.options) == 2
    sound(against.set_value("at-hand").run())
    assert "0.60 → 0.70" in said(app)
    assert app.query_params["against"] == "at-hand"


def test_what_a_model_says_of_newly_shown_memories_is_what_the_command_says(
    store: Path, run: Callable[..., tuple[int, str, str]]
) -> None:
    save_draft(store, "wide", Params({"recall.display.min_display_score": 0.5}))
    file = drafts_folder(store) / "wide.toml"
    _, out, _ = run("compare", "current", file, "--db", store, "--json")
    estimate = json.loads(out)["estimate"]
    one = estimate["configs"][str(file)]
    app = opened("compare", configs=["present", "draft wide"])
    before = len(app.dataframe)
    sound(widget(app, "toggle", word("compare.estimate")).set_value(True).run())
    assert app.query_params["model"] == "True"
    table = app.dataframe[before].value
    assert table["config"].tolist() == ["draft “wide”"]
    assert table["newly_shown"].tolist() == [one["newly_shown"]]
    assert table["helpful"].tolist() == [f"{one['helpful']:.1f}"]
    low, high = one["interval"]
    assert table["interval"].tolist() == [f"{low:.0f} … {high:.0f}"]
    assert estimate["model"]["said"] in said(app)
    assert f"- **draft “wide”**: {one['said']}" in said(app)
    chinese = opened("compare", configs=["present", "draft wide"], model="True", lang="zh")
    assert left_in_english(chinese) == []


@pytest.mark.usefixtures("store")
def test_without_newly_shown_memories_no_model_is_offered() -> None:
    app = opened("compare", configs=["present", "draft mine"], model="True")
    assert word("tune.estimate") not in [one.value for one in app.subheader]
    assert not app.toggle


def test_a_model_that_may_not_be_used_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "store.duckdb"
    with_random_uses(world_store(900, 0.4, 3), target, 4, 1)
    save_draft(target, "wide", Params({"recall.display.min_display_score": 0.5}))
    monkeypatch.setenv("WORKBENCH_DB", str(target))
    app = opened("compare", configs=["present", "draft wide"], model="True")
    assert "No model: 4 used memories" in said(app)
    assert len(app.dataframe) == len(opened("compare", configs=["present", "draft wide"]).dataframe)
    chinese = opened("compare", configs=["present", "draft wide"], model="True", lang="zh")
    assert left_in_english(chinese) == []


@pytest.mark.usefixtures("store")
def test_fewer_than_two_say_what_to_do() -> None:
    app = opened("compare", configs=["present"])
    assert [one.value for one in app.info] == [word("compare.too_few")]
