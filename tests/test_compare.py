"""Configurations compared on the same prompts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tune_logs import planted, tuned_log
from worlds import world_store

from workbench.compare import MOST_FLIPS, compare
from workbench.judge import ledger
from workbench.metrics.significance import holm
from workbench.params import Params
from workbench.replay.logged import settings_in_force
from workbench.replay.run import Settings
from workbench.replay.selection import SELECTED, Selection
from workbench.store import Database, reading


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    """A simulated world."""
    with reading(world_store(900, 0.4, 3)) as database:
        Selection().materialise(database)
        yield database


@pytest.fixture(scope="module")
def pairs() -> Iterator[list[dict[str, Any]]]:
    """Four changes of a small log with a planted fault, each against the configuration in force."""
    current = Params()
    changed: dict[str, dict[str, Any]] = {
        "less exact": {"recall.weights.w_exact": 0.24},
        "higher": {"recall.display.min_display_score": 0.655},
        "one": {"recall.display.max_display_items": 1},
        "deaf": {"recall.weights.w_dense": 0.0},
    }
    with tuned_log(planted, prompts=120) as log:
        Selection().materialise(log)
        named = {"current": current, **{name: current.replace(change) for name, change in changed.items()}}
        yield compare(log, named, current, SELECTED)["pairs"]


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
    assert {flip["cause"] for flip in pair["flips"]} == {"places or other memories"}
    shown = pair["differences"]["shown_per_prompt"]
    assert shown["effect"] < 0
    assert shown["interval"][0] <= shown["effect"] <= shown["interval"][1]


def test_every_configuration_is_held_against_the_first(pairs: list[dict[str, Any]]) -> None:
    assert [pair["config"] for pair in pairs] == ["less exact", "higher", "one", "deaf"]
    for pair in pairs:
        difference = pair["ledger_difference"]
        assert difference["used_kept"] == -difference["used_lost"] == pair["used_won"] - pair["used_lost"]
        assert difference["unused_kept"] == -difference["removed"]
        assert difference["shown"] == sum(
            difference[part] for part in ("used_kept", "unused_kept", "newly_shown", "unjudged_kept")
        )


def test_the_tests_of_a_compared_set_are_adjusted_together(pairs: list[dict[str, Any]]) -> None:
    tested = [pair for pair in pairs if pair["sign_test"] is not None]
    assert len(tested) >= 2
    assert [pair["sign_test_holm"] for pair in tested] == holm([pair["sign_test"] for pair in tested])
    assert {pair["config"] for pair in pairs if pair["sign_test_holm"] is None} == {"less exact", "one"}


def test_a_flip_tells_the_cause_and_the_terms_that_moved(pairs: list[dict[str, Any]]) -> None:
    less, higher, one, _ = (pair["flips"] for pair in pairs)
    assert less
    for flip in less:
        assert flip["cause"] == "exact -0.0600"
        assert flip["terms"] == {"exact": pytest.approx(-0.06)}
        assert flip["second_score"] - flip["first_score"] == pytest.approx(-0.06, abs=2e-6)
        assert (flip["label"], flip["second_place"]) == ("shown_unused", None)
    assert {flip["cause"] for flip in higher} == {"threshold 0.6 to 0.655"}
    assert {flip["cause"] for flip in one} == {"places or other memories"}
    assert all(flip["first_place"] > 1 and flip["terms"] == {} for flip in one)


def test_no_more_flips_than_a_page_are_listed_and_all_are_counted(pairs: list[dict[str, Any]]) -> None:
    for pair in pairs:
        assert len(pair["flips"]) == min(MOST_FLIPS, pair["flips_total"])
    assert max(pair["flips_total"] for pair in pairs) > MOST_FLIPS


def test_both_readings_of_the_unknown_are_given(pairs: list[dict[str, Any]]) -> None:
    for pair in pairs:
        assert set(pair["differences"]) == set(pair["differences_judged_only"])
    less = pairs[0]
    shown = less["ledger_difference"]
    assert shown["newly_shown"] == 0
    gain = 0.1 * shown["removed"] / 120
    for reading_ in ("differences", "differences_judged_only"):
        net_help = next(one for name, one in less[reading_].items() if name.startswith("net_help"))
        assert net_help["effect"] == pytest.approx(gain)
        assert net_help["interval"][0] <= gain <= net_help["interval"][1]


def test_the_keys_of_a_flip_add_up_to_its_move_whatever_their_order(db: Database) -> None:
    in_force = settings_in_force(db).params
    changes: dict[str, Any] = {
        "recall.weights.w_exact": 0.2, "recall.weights.w_dense": 0.36, "recall.display.min_display_score": 0.63,
    }  # fmt: skip
    both = [
        compare(db, {"a": in_force, "b": in_force.replace(dict(order))}, in_force, SELECTED)["pairs"][0]["flips"]
        for order in (changes.items(), reversed(changes.items()))
    ]
    assert both[0] == both[1]
    assert len(both[0]) > 10
    for flip in both[0]:
        assert set(flip["keys"]) <= set(changes)
        appears = flip["second_place"] is not None
        assert (sum(flip["keys"].values()) > 0) == appears


def test_one_changed_key_is_the_whole_cause(pairs: list[dict[str, Any]]) -> None:
    keys = {name for flip in pairs[0]["flips"] for name in flip["keys"]}
    assert keys == {"recall.weights.w_exact"}
    assert {name for flip in pairs[1]["flips"] for name in flip["keys"]} == {"recall.display.min_display_score"}
    assert {name for flip in pairs[2]["flips"] for name in flip["keys"]} == {"recall.display.max_display_items"}


def test_a_key_without_effect_has_no_share(db: Database) -> None:
    in_force = settings_in_force(db).params
    other = in_force.replace({"recall.weights.w_exact": 0.1, "recall.bonus.multi_view_cap": 0.2})
    (pair,) = compare(db, {"a": in_force, "b": other}, in_force, SELECTED)["pairs"]
    assert pair["flips"]
    assert all(set(flip["keys"]) == {"recall.weights.w_exact"} for flip in pair["flips"])
