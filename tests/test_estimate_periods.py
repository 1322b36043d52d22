"""Settings of former times, recovered from logged terms, and what may be compared across them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from worlds import world_store

from workbench.cli.periods import importance_text, periods_text
from workbench.errors import AnswerIsNo
from workbench.estimate.overlap import by_importance, overlap_of
from workbench.estimate.periods import Run, cuts, find_periods, runs_of
from workbench.params import THRESHOLD, Params
from workbench.replay.run import Settings, candidates_of, full_chain
from workbench.replay.selection import Selection
from workbench.simulate import PLANTED_NEEDS, World, planted_log
from workbench.store import Database, compose

BEFORE = {"recall.weights.w_exact": 0.22, "recall.weights.w_dense": 0.37, THRESHOLD: 0.55}


def logged_under(db: Database, changed: Params, in_force: Params, until: str) -> None:
    """Write the log up to a time anew, as it would be under other settings."""
    db.execute(f"CREATE OR REPLACE TEMP TABLE earlier AS SELECT query_id FROM wb.logged_queries WHERE now < '{until}'")
    chain = full_chain(candidates_of("earlier"))
    db.execute(f"CREATE OR REPLACE TEMP TABLE relogged AS {compose(chain)}", Settings(changed, in_force).bindings())
    terms = ("exact", "glossary_semantic", "dense", "lexical", "view", "priority", "multi_view", "recency")
    moved = ", ".join(f"logged_{term} = round(r.c_{term}, 6)" for term in terms)
    db.execute(
        f"UPDATE wb.logged_candidates AS c SET {moved}, logged_score = r.score, logged_shown = r.shown,"
        " logged_displayed_position = r.displayed_position, used = c.used AND r.shown"
        " FROM relogged AS r WHERE r.query_id = c.query_id AND r.uri = c.uri"
    )


@pytest.fixture(scope="module")
def changed() -> Iterator[tuple[Database, Params, Params]]:
    """A world whose settings changed half-way: the store, the settings in force, and the earlier ones."""
    with planted_log(World(prompts=500, needs=PLANTED_NEEDS), "default-best", 100, 1) as (db, found):
        Selection().materialise(db)
        earlier = found.in_force.replace(BEFORE)
        (middle,) = db.row("SELECT quantile_disc(now, 0.5) FROM wb.logged_queries")
        logged_under(db, earlier, found.in_force, middle.isoformat())
        yield db, found.in_force, earlier


def test_a_change_of_the_settings_is_found_with_its_values(changed: tuple[Database, Params, Params]) -> None:
    db, in_force, earlier = changed
    found = find_periods(db, in_force, "selected")
    first, second = found.periods
    assert first.fits(earlier)
    assert not first.fits(in_force)
    assert second.params == in_force
    assert not second.fits(earlier)
    assert not second.fits(in_force.replace({"recall.display.max_display_items": 2}))
    assert found.alternating == []
    moved = found.changes(1)
    assert set(moved) == set(BEFORE)
    for (low, high), value in zip(
        moved["recall.weights.w_exact"], (0.22, in_force["recall.weights.w_exact"]), strict=True
    ):
        assert low < value < high < low + 0.001
    assert first.params["recall.weights.w_dense"] == 0.37
    assert 0.5 < first.params[THRESHOLD] < 0.6
    (middle,) = db.row("SELECT quantile_disc(now, 0.5) FROM wb.logged_queries")
    assert first.until is not None
    assert second.since is not None
    assert first.until < middle <= second.since
    (total,) = db.row("SELECT count(*) FROM selected WHERE query_id IN (SELECT query_id FROM wb.logged_candidates)")
    assert first.queries + second.queries == total


def test_without_a_change_there_is_one_configuration_and_weighting_is_refused() -> None:
    with planted_log(World(prompts=200, needs=PLANTED_NEEDS), "skewed-weights", 60, 1) as (db, planted):
        Selection().materialise(db)
        found = find_periods(db, planted.in_force, "selected")
        assert len(found.periods) == 1
        assert found.periods[0].params == planted.in_force
        other = planted.in_force.replace({"recall.weights.w_exact": 0.9})
        with pytest.raises(AnswerIsNo, match=r"refused.*without any chance.*One configuration.*new was not among them"):
            by_importance(db, {"current": planted.in_force, "new": other}, planted.in_force, "selected")


def test_two_configurations_that_were_in_force_are_compared_with_their_overlap(
    changed: tuple[Database, Params, Params],
) -> None:
    db, in_force, earlier = changed
    said = by_importance(db, {"earlier": earlier, "current": in_force}, in_force, "selected")
    (pair,) = said["pairs"]
    assert (pair["config"], pair["against"]) == ("current", "earlier")
    assert all(min(counts) >= 20 for counts in pair["prompts"].values())
    for figure in pair["differences"].values():
        assert figure["difference"] == pytest.approx(figure["after"] - figure["before"])
        assert figure["interval"][0] < figure["difference"] < figure["interval"][1]
    assert "Overlap:" in pair["said"]
    other = in_force.replace({"recall.weights.w_exact": 0.77})
    with pytest.raises(AnswerIsNo, match="other was not among them"):
        by_importance(db, {"current": in_force, "other": other}, in_force, "selected")


def test_runs_drop_strays_and_cuts_are_shared() -> None:
    steady = [(n, 0.29, 0.31) for n in range(10)] + [(10, 0.5, 0.51)] + [(n, 0.3, 0.32) for n in range(11, 20)]
    later = [(n, 0.41, 0.43) for n in range(20, 30)]
    runs = runs_of([*steady, *later])
    assert runs == [Run(0, 19, 0.3, 0.31, 19), Run(20, 29, 0.41, 0.43, 10)]
    assert runs_of([(0, 1.0, 0.5)]) == []
    seldom = [Run(0, 15, 0.1, 0.1, 5), Run(24, 29, 0.2, 0.2, 5)]
    assert cuts({"often": runs, "seldom": seldom}) == [20]
    assert cuts({"often": runs, "other": [Run(0, 4, 0.1, 0.1, 5), Run(9, 29, 0.2, 0.2, 5)]}) == [9, 20]


def test_the_commands_show_periods_and_refuse_weighting(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    store = world_store(900, 0.4, 3)
    code, out, _ = run("periods", "--db", store)
    assert code == 0
    assert "One configuration was in force over the whole log" in out
    assert "recall.weights.w_exact" in out
    other = tmp_path / "other.toml"
    other.write_text("[recall.weights]\nw_exact = 0.9\n", encoding="utf-8")
    asked = ("compare", "current", other, "--db", store, "--estimator")
    code, out, message = run(*asked, "importance")
    assert (code, out) == (3, "")
    assert "Importance weighting is refused" in message
    assert "other.toml was not among them" in message
    code, _, message = run(*asked, "guess")
    assert code == 2
    assert "replay, importance" in message


def test_periods_of_a_changed_log_read_well(changed: tuple[Database, Params, Params]) -> None:
    db, in_force, earlier = changed
    found = find_periods(db, in_force, "selected")
    before, after = found.periods
    overlap = overlap_of(db, before, after, in_force, "selected")
    assert overlap is not None
    text = periods_text(found.as_json() | {"overlaps": [overlap.as_json()]})
    assert "w_exact 0.22 → 0.3" in text
    assert "Period 1 against 2" in text
    said = by_importance(db, {"earlier": earlier, "current": in_force}, in_force, "selected")
    assert "current against earlier" in importance_text(said)
