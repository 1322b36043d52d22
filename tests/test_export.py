"""Configuration leaving as TOML, and configurations compared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from worlds import world_store

from workbench.compare import compare
from workbench.export import Proposal, export_into, export_to, toml_text
from workbench.judge import ledger
from workbench.params import Params
from workbench.params.toml import read_toml
from workbench.replay.logged import settings_in_force
from workbench.replay.run import Settings
from workbench.replay.selection import SELECTED, Selection
from workbench.store import Database, reading

CURRENT = Params()
CHANGED = CURRENT.replace({"recall.weights.w_exact": 0.35, "recall.display.max_display_items": 2})
PROPOSAL = Proposal(CHANGED, CURRENT, ["Study x: safe to try.", "two\nlines"])


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    with reading(world_store(900, 0.4, 3)) as database:
        Selection().materialise(database)
        yield database


def test_case_36_what_is_exported_reads_back_equal(tmp_path: Path) -> None:
    for changed_only in (True, False):
        export_to(PROPOSAL, tmp_path / "out.toml", changed_only)
        assert read_toml(tmp_path / "out.toml") == CHANGED


def test_only_changed_keys_are_written_when_asked() -> None:
    text = toml_text(PROPOSAL, changed_only=True)
    values = [line for line in text.splitlines() if "=" in line and not line.startswith("#")]
    assert values == ["w_exact = 0.35", "max_display_items = 2"]
    assert text.startswith("# Study x: safe to try.\n# two\n# lines\n")


def test_the_inverse_undoes_the_change(tmp_path: Path) -> None:
    export_to(PROPOSAL.inverse, tmp_path / "undo.toml", changed_only=True)
    assert read_toml(tmp_path / "undo.toml") == CURRENT
    assert PROPOSAL.inverse.changed == PROPOSAL.changed


def test_case_37_a_file_of_the_team_keeps_everything_else(tmp_path: Path) -> None:
    file = tmp_path / "team.toml"
    before = (
        '# why: see the minutes\r\n[recall.weights]\r\nw_exact = 0.3 # chosen in May\r\n\r\n[team]\r\nname = "a"\r\n'
    )
    file.write_bytes(before.encode())
    assert export_into(PROPOSAL, file) == ["recall.weights.w_exact", "recall.display.max_display_items"]
    after = file.read_bytes().decode()
    assert "w_exact = 0.35 # chosen in May\r\n" in after
    assert "# why: see the minutes\r\n" in after
    assert '[team]\r\nname = "a"\r\n' in after
    assert (tmp_path / "team.toml.bak").read_bytes().decode() == before


def test_a_configuration_compared_with_itself_differs_in_nothing(db: Database) -> None:
    in_force = settings_in_force(db).params
    said = compare(db, {"a": in_force, "b": in_force}, in_force, SELECTED)
    (pair,) = said["pairs"]
    assert (pair["flips_total"], pair["flips"], pair["sign_test"]) == (0, [], None)
    assert all(one["effect"] in (0, None) for one in pair["differences"].values())


def test_compared_ledgers_are_those_of_a_replay_and_flips_have_causes(db: Database) -> None:
    in_force = settings_in_force(db).params
    other = in_force.replace({"recall.weights.w_exact": 0.05, "recall.display.min_display_score": 0.64})
    said = compare(db, {"current": in_force, "less exact": other}, in_force, SELECTED)
    assert said["ledgers"]["less exact"] == ledger(db, Settings(other, in_force)).as_json()
    (pair,) = said["pairs"]
    lost = said["ledgers"]["less exact"]["used_lost"] - said["ledgers"]["current"]["used_lost"]
    assert (pair["used_lost"] - pair["used_won"], pair["config"]) == (lost, "less exact")
    assert lost > 0
    gone = [flip for flip in pair["flips"] if flip["second_place"] is None]
    assert gone
    assert all(flip["label"] == "used" for flip in pair["flips"][: pair["used_lost"] + pair["used_won"]])
    assert any(flip["cause"].startswith("exact -") for flip in gone)
    assert pair["sign_test_holm"] == pair["sign_test"]


def test_a_change_of_the_display_alone_is_named_as_such(db: Database) -> None:
    in_force = settings_in_force(db).params
    one = in_force.replace({"recall.display.max_display_items": 1})
    (pair,) = compare(db, {"three": in_force, "one": one}, in_force, SELECTED)["pairs"]
    assert {flip["cause"] for flip in pair["flips"]} == {"display: threshold, places or other memories"}
    shown = pair["differences"]["shown_per_prompt"]
    assert shown["effect"] < 0
    assert shown["interval"][0] <= shown["effect"] <= shown["interval"][1]
