"""The page Export: the same bytes as the command, a difference first, a typed confirmation, the way back."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from settings_server import TOKEN, Server, settings_server
from streamlit.testing.v1 import AppTest
from studies import finished_study, labelled, press, said
from ui_app import opened, sound, widget, word

from workbench.apply import TOKEN_VARIABLE
from workbench.params.drafts import drafts_folder, save_draft
from workbench.params.toml import read_toml
from workbench.replay.logged import settings_in_force
from workbench.store import reading
from workbench.tune import load_result, studies_folder

Run = Callable[..., tuple[int, str, str]]
EXACT, DENSE = "recall.weights.w_exact", "recall.weights.w_dense"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with a finished study and a draft."""
    target = tmp_path / "store.duckdb"
    shutil.copy(finished_study(), target)
    shutil.copytree(studies_folder(finished_study()), studies_folder(target))
    with reading(target) as db:
        in_force = settings_in_force(db).params
    save_draft(target, "mine", in_force.replace({EXACT: 0.35, DENSE: 0.25}))
    monkeypatch.setenv("WORKBENCH_DB", str(target))
    return target


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    with settings_server() as state:
        yield state


@pytest.mark.parametrize("options", [[], ["--changed-only"], ["--inverse"], ["--inverse", "--changed-only"]])
def test_the_file_is_that_of_the_command(store: Path, tmp_path: Path, run: Run, options: list[str]) -> None:
    address = {option.removeprefix("--").replace("-", "_"): "True" for option in options}
    for source, named in (
        ("study study", ["--study", "study"]),
        ("draft mine", ["--config", str(drafts_folder(store) / "mine.toml")]),
    ):
        out = tmp_path / "out.toml"
        assert run("export", "--db", store, *named, *options, "--out", out)[0] == 0
        app = opened("export", source=source, **address)
        assert app.code[0].value + "\n" == out.read_text(encoding="utf-8")


@pytest.mark.usefixtures("store")
def test_what_changes_and_what_is_hardly_meant_is_said() -> None:
    app = opened("export", source="at-hand", multi_view_step="0.1", w_exact="0.31")
    rows = app.dataframe[0].value.set_index("key")
    assert dict(rows["after"]) == {EXACT: "0.31", "recall.bonus.multi_view_step": "0.100"}
    assert "the cap alone counts" in app.warning[0].value
    assert [one.value for one in opened("export", source="present").info] == [word("export.nothing")]


def test_a_study_without_a_feasible_trial_exports_nothing(store: Path) -> None:
    result = studies_folder(store) / "study.json"
    result.write_text(result.read_text(encoding="utf-8").replace('"feasible": true', '"feasible": false'))
    assert load_result(studies_folder(store), "study")["feasible"] is False
    app = AppTest.from_file(opened()._script_path, default_timeout=60)
    app.query_params["source"] = "study study"
    app.switch_page("screens/export.py").run()
    assert "found no configuration within its limits" in app.error[0].value


@pytest.mark.usefixtures("store")
def test_a_file_is_edited_after_its_difference_and_a_typed_name(tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text("# mine\n[recall.weights]\nw_exact = 0.3 # literal\n", encoding="utf-8")
    app = opened("export", source="draft mine", into=str(file))
    difference = app.code[1].value
    assert "-w_exact = 0.3 # literal" in difference
    assert "+w_exact = 0.35 # literal" in difference
    write = labelled(app.button, word("export.write"))
    assert write.disabled
    sound(app.text_input(key="confirm export.write").set_value("other.toml").run())
    assert labelled(app.button, word("export.write")).disabled
    sound(app.text_input(key="confirm export.write").set_value("server.toml").run())
    press(app, word("export.write"))
    assert "2 values changed" in said(app)
    assert read_toml(file)[EXACT] == 0.35
    assert file.read_text(encoding="utf-8").startswith("# mine\n")
    assert (tmp_path / "server.toml.bak").exists()
    assert word("export.same_file").format(file="server.toml") in said(app)
    widget(app, "text_input", word("export.file")).set_value(str(tmp_path / "none.toml")).run()
    assert "Cannot read the configuration" in app.error[0].value.replace("\\", "")


@pytest.mark.usefixtures("store")
def test_a_server_gets_the_values_and_its_own_back(server: Server) -> None:
    app = opened("export", source="draft mine", server=server.address)
    press(app, word("export.look"))
    assert server.writes == []
    assert labelled(app.button, word("export.put")).disabled
    sound(app.text_input(key="confirm export.put").set_value(server.address).run())
    press(app, word("export.put"))
    assert (server.values[EXACT], server.values[DENSE]) == (0.35, 0.25)
    assert "2 values are in force" in said(app)
    press(app, word("export.look_back"))
    assert len(server.writes) == 1
    sound(app.text_input(key="confirm export.back").set_value(server.address).run())
    press(app, word("export.back"))
    assert (server.values[EXACT], server.values[DENSE]) == (0.3, 0.3)
    assert app.dataframe[1].value["state"].tolist() == [word("export.state_undone")]


@pytest.mark.usefixtures("store")
def test_a_server_that_changed_meanwhile_is_left_alone(server: Server) -> None:
    app = opened("export", source="draft mine", server=server.address)
    press(app, word("export.look"))
    server.values[EXACT] = 0.5
    sound(app.text_input(key="confirm export.put").set_value(server.address).run())
    press(app, word("export.put"))
    assert "other values by now" in said(app)
    assert server.writes == []


@pytest.mark.usefixtures("store")
def test_a_server_that_refuses_is_said_in_one_sentence(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "wrong")
    app = opened("export", source="draft mine", server=server.address)
    press(app, word("export.look"))
    assert "refuses the token" in app.error[0].value
    press(app, word("export.look_back"))
    assert "there is nothing to take back" in app.error[0].value
