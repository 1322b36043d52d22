"""A configuration tried on some sessions: what is said about it is true, however often one looks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from small_log import Candidate, Row, add_query, derive

from workbench.metrics.arms import FIGURES, arm_difference, half_width
from workbench.store import Database, writing

Run = Callable[..., tuple[int, str, str]]
Floats = npt.NDArray[np.float64]


def sessions(
    rng: np.random.Generator, count: int, rates: tuple[float, float], share: float
) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    """Used and shown memories of sessions of unequal length, and their side."""
    side = rng.random(count) < share
    shown = rng.integers(1, 10, count).astype(np.float64)
    habit = rng.beta(4, 4, count) * 2
    used = rng.binomial(shown.astype(int), np.clip(np.where(side, rates[1], rates[0]) * habit, 0, 1)).astype(np.float64)
    return used, shown, side


def known(used: Floats, shown: Floats, side: npt.NDArray[np.bool_], share: float) -> bool:
    return arm_difference("use_rate", used, shown, side, share).known


@pytest.mark.parametrize("share", [0.5, 0.2])
def test_looking_again_and_again_invents_no_difference(share: float) -> None:
    rng = np.random.default_rng(5)
    runs, invented = 200, 0
    for _ in range(runs):
        used, shown, side = sessions(rng, 800, (0.3, 0.3), share)
        looks = range(100, 801, 25)
        invented += any(known(used[:n], shown[:n], side[:n], share) for n in looks)
    assert invented / runs <= 0.07


def test_no_figure_of_a_trial_without_a_difference_is_claimed() -> None:
    """However often one looks, and whichever of the figures one looks at."""
    rng = np.random.default_rng(11)
    runs, invented, each = 300, 0, 0
    for _ in range(runs):
        used, shown, side = sessions(rng, 600, (0.3, 0.3), 0.2)
        sums = {"used": used, "shown": shown, "unused": shown - used, "prompts": np.ceil(shown / 2)}
        claimed = {
            name: any(
                arm_difference(name, sums[over][:n], sums[under][:n], side[:n], 0.2).known for n in range(120, 601, 40)
            )
            for name, (over, under, _) in FIGURES.items()
        }
        invented += any(claimed.values())
        each += claimed["use_rate"]
    assert invented / runs <= 0.05
    assert each <= invented


def test_a_real_difference_is_found_and_well_measured() -> None:
    rng = np.random.default_rng(6)
    found, covered = 0, 0
    for _ in range(100):
        used, shown, side = sessions(rng, 600, (0.3, 0.5), 0.3)
        difference = arm_difference("use_rate", used, shown, side, 0.3)
        found += difference.known and difference.difference > 0
        covered += difference.low <= 0.2 <= difference.high
    assert found >= 95
    assert covered >= 93


def test_how_many_sessions_would_tell() -> None:
    rng = np.random.default_rng(7)
    used, shown, side = sessions(rng, 60, (0.3, 0.36), 0.5)
    difference = arm_difference("use_rate", used, shown, side, 0.5)
    needed = difference.sessions_needed
    assert needed is not None
    assert needed > 60
    spread = (difference.high - difference.difference) / half_width(1.0, 60)
    assert half_width(spread, needed) < abs(difference.difference) <= half_width(spread, needed - 1)


def test_the_interval_is_wider_than_a_single_look_and_shrinks() -> None:
    assert half_width(1.0, 200) > 1.96 / 200**0.5
    assert half_width(1.0, 20_000) < half_width(1.0, 200) / 7


def shared_log(path: Path, better: float) -> Path:
    """60 sessions, half of them with the candidate, whose memories are used in a share of `better`."""
    with writing(path, "test") as db:
        for number in range(60):
            candidate = number % 2 == 0
            used = number % 10 < 10 * better if candidate else False
            query = f"q{number}"
            row = [Candidate("core://x", [Row("exact", 1.0)], score=0.7, shown=True, used=used)]
            add_query(db, query, row, session=f"s{number}")
            _arm(db, query, f"s{number}", "candidate" if candidate else "current")
        derive(db)
    return path


def _arm(db: Database, query: str, session: str, arm: str) -> None:
    db.append("wb.recall_arms", [
        {"query_id": query, "session_id": session, "arm": arm, "seed": "1", "share": 0.5, "config": "{}"}
    ])  # fmt: skip


def test_the_command_says_when_it_has_seen_enough(tmp_path: Path, run: Run) -> None:
    code, out, err = run("compare", "--arms", "--db", shared_log(tmp_path / "good.duckdb", 1.0), "--json")
    (trial,) = json.loads(out)["trials"]
    assert code == 0, err
    assert trial["sessions"] == {"candidate": 30, "current": 30}
    assert trial["enough"] is True
    assert "used per prompt better (0 → 1)" in trial["said"]
    code, out, err = run("compare", "--arms", "--db", shared_log(tmp_path / "alike.duckdb", 0.0))
    assert code == 4
    assert "Not enough yet" in err


def test_sides_that_no_draw_gives_are_told(tmp_path: Path, run: Run) -> None:
    store = shared_log(tmp_path / "s.duckdb", 1.0)
    with writing(store, "test") as db:
        db.execute("UPDATE wb.recall_arms SET share = 0.9")
    code, _, err = run("compare", "--arms", "--db", store)
    assert code == 4
    assert "something else decided" in err


def test_a_configuration_that_answered_all_is_no_trial(tmp_path: Path, run: Run) -> None:
    store = shared_log(tmp_path / "s.duckdb", 1.0)
    with writing(store, "test") as db:
        db.execute("UPDATE wb.recall_arms SET share = 1")
    assert run("compare", "--arms", "--db", store)[0] == 4


def test_without_a_trial_there_is_nothing_to_compare(tmp_path: Path, run: Run) -> None:
    with writing(tmp_path / "s.duckdb", "test"):
        pass
    code, out, err = run("compare", "--arms", "--db", tmp_path / "s.duckdb")
    assert (code, out) == (4, "")
    assert "serve --share" in err
