"""The parts of tuning: space, replay of a part, goal, luck, choice, verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tune_logs import A_SESSION, CLIENTS, planted, tuned_log
from worlds import world_store

from workbench.errors import BadInput
from workbench.judge import Evidence, Ledger
from workbench.metrics.binomial import loss_bound, loss_ceiling
from workbench.metrics.bootstrap import Interval
from workbench.params import KEYS, THRESHOLD, Params
from workbench.replay.logged import settings_in_force
from workbench.replay.selection import Selection
from workbench.store import reading
from workbench.tune import TuneRequest, Verdict
from workbench.tune.choice import pareto, plateau, simplified
from workbench.tune.evaluate import STRATUM, Kept, Part, make_part
from workbench.tune.finding import Finding
from workbench.tune.goal import Goal
from workbench.tune.luck import Luck, luck, shuffled
from workbench.tune.search import Trials, Tried, best
from workbench.tune.space import make_space
from workbench.tune.verdict import judge

EXACT = "recall.weights.w_exact"
ITEMS = "recall.display.max_display_items"


@pytest.fixture(scope="module")
def part() -> Iterator[Part]:
    """All prompts of a simulated world."""
    with reading(world_store(900, 0.4, 3)) as db:
        Selection().materialise(db)
        yield make_part(db, settings_in_force(db).params, "selected", Evidence.standard(db), "all_candidates")


@pytest.fixture(scope="module")
def small() -> Iterator[Part]:
    """All prompts of a small log with a planted fault."""
    with tuned_log(planted, prompts=120) as db:
        Selection().materialise(db)
        yield make_part(db, Params(), "selected", Evidence.standard(db), "all_candidates")


def a_goal(part: Part, loss: float = 0.05) -> Goal:
    return Goal(part, part.kept(part.in_force), 0.1, 0.1, loss)


def without(part: Part, kept: Kept, gone: Any) -> Kept:
    return Kept.of(kept.judged & ~np.asarray(gone), kept.newly_shown, kept.set_aside)


def test_case_35_keys_without_effect_are_found(part: Part) -> None:
    current = part.in_force
    assert list(make_space(current, (), (), part.fingerprint).dead) == ["recall.bonus.multi_view_cap"]
    off = current.replace({"recall.recency.enabled": False})
    assert set(make_space(off, (), (), part.fingerprint).dead) == {
        "recall.bonus.multi_view_cap",
        "recall.recency.half_life_days",
        "recall.recency.max_bonus",
        "recall.recency.priority_exempt",
    }


def test_case_35_what_no_candidate_has_is_dead(small: Part) -> None:
    dead = make_space(small.in_force, (), (), small.fingerprint).dead
    assert {"recall.weights.w_glossary_semantic", "recall.weights.w_lexical", "views.prior.question"} <= set(dead)


def test_no_trial_leaves_the_ranges_or_proposes_a_zero_that_acts_as_something_else(part: Part) -> None:
    space = make_space(part.in_force, (), (), part.fingerprint)
    rng = np.random.default_rng(1)
    tried = [part.in_force.replace(values) for values in space.starts()]
    tried += [part.in_force.replace(space.near(tried[n % len(tried)], rng)) for n in range(300)]
    tried += [one for params in tried[:20] for one in space.neighbours(params)]
    for params in tried:
        for name, value in params.changed_from(part.in_force).items():
            assert KEYS[name].low <= value <= KEYS[name].high
            assert name not in space.dead
        assert params["recall.recency.max_bonus"] > 0
        assert params["views.weight.gist"] > 0
        assert params["views.weight.question"] > 0


def test_the_first_starts_are_the_present_configuration_and_one_key_moved(part: Part) -> None:
    space = make_space(part.in_force, (), (), part.fingerprint)
    first, *others = [part.in_force.replace(start) for start in space.starts()]
    assert first == part.in_force
    assert {len(one.changed_from(part.in_force)) for one in others} == {1}


def test_a_space_without_keys_is_refused(part: Part) -> None:
    only = make_space(part.in_force, (EXACT,), (), part.fingerprint)
    assert [key.name for key in only.keys] == [EXACT]
    with pytest.raises(BadInput, match="No key is left"):
        make_space(part.in_force, (EXACT,), (EXACT,), part.fingerprint)


@pytest.mark.parametrize("changed", [{EXACT: 0.05}, {THRESHOLD: 0.4}, {ITEMS: 12}, {}])
def test_what_a_part_keeps_is_what_the_ledger_counts(part: Part, changed: dict[str, Any]) -> None:
    params = part.in_force.replace(changed)
    kept, ledger = part.kept(params), part.ledger(params)
    assert int((part.used & kept.judged).sum()) == ledger.used_kept
    assert int((~part.used & kept.judged).sum()) == ledger.unused_kept
    counted = (kept.newly_shown, kept.set_aside, kept.shown)
    assert counted == (ledger.newly_shown, ledger.unjudged_kept, ledger.shown)


def test_several_at_a_time_keep_what_each_keeps_alone(small: Part) -> None:
    wanted = {number: small.in_force.replace({THRESHOLD: 0.6 + number / 40}) for number in range(12)}
    space = make_space(small.in_force, (), (), small.fingerprint)
    alone, together = (Trials(space, a_goal(small), jobs).several(wanted) for jobs in (1, 4))
    assert [(one.kept.packed.tobytes(), one.gain) for one in alone] == [
        (one.kept.packed.tobytes(), one.gain) for one in together
    ]
    assert len({one.kept.packed.tobytes() for one in alone}) > 1


def test_unknown_memories_count_neither_way_and_are_bounded(part: Part) -> None:
    goal = a_goal(part)
    more = Kept.of(goal.present.judged, goal.present.newly_shown + 30, goal.present.set_aside)
    assert goal.gain(more) == goal.gain(goal.present) == 0
    assert goal.bounds(more) == pytest.approx((-3 / part.prompts, 30 / part.prompts))
    assert goal.violations(more)["newly_shown"] == pytest.approx(more.newly_shown - 0.1 * more.shown)


def test_gain_and_limits_by_hand(part: Part) -> None:
    goal = a_goal(part)
    assert goal.violations(goal.present)["used_lost"] <= 0
    nothing = Kept.of(np.zeros_like(part.used), 0, 0)
    used = int(part.used.sum())
    assert goal.gain(nothing) == pytest.approx((0.1 * (len(part.used) - used) - used) / part.prompts)
    assert goal.violations(nothing)["used_lost"] == pytest.approx(used * 0.95)


def test_strata_are_whole_consecutive_sessions_of_one_client(small: Part) -> None:
    sessions = (small.pairs >> 31) - 1
    sessions //= A_SESSION
    for stratum in np.unique(small.strata):
        inside = small.strata == stratum
        assert len(set(small.client_of[inside].tolist())) == 1
        assert not set(sessions[inside]) & set(sessions[~inside])
        own = np.unique(sessions[inside])
        assert (np.diff(own) == len(CLIENTS)).all()
    assert np.median(np.bincount(small.strata)[1:]) <= 2 * STRATUM


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=40), st.integers(0, 2**32))
def test_a_shuffle_keeps_how_many_each_stratum_has(rows: list[tuple[int, bool]], seed: int) -> None:
    strata = np.array([stratum for stratum, _ in rows], dtype=np.int64)
    used = np.array([one for _, one in rows], dtype=bool)
    for places in shuffled(used, strata, 5, np.random.default_rng(seed)):
        assert len(set(places)) == len(places)
        assert sorted(strata[places]) == sorted(strata[used])


def test_every_place_of_a_stratum_is_drawn_alike() -> None:
    used = np.array([True, False, False, False, True, True])
    strata = np.array([1, 1, 1, 1, 2, 2])
    drawn = np.bincount(np.concatenate(shuffled(used, strata, 4000, np.random.default_rng(1))), minlength=6)
    assert drawn[4:].tolist() == [4000, 4000]
    assert drawn[:4] == pytest.approx(1000, abs=110)


def _luck(goal: Goal, kept: Kept, more: int = 0) -> Luck:
    """Of a study that tried one thing."""
    trials = Trials(make_space(goal.part.in_force, (), (), goal.part.fingerprint), goal)
    tried = Tried(0, goal.part.in_force, kept, goal.gain(kept), goal.violations(kept))
    return luck(trials, [tried], seed=4, more=more)


def test_luck_of_one_configuration_that_removes_half_by_chance(part: Part) -> None:
    goal = a_goal(part, loss=1.0)
    half = without(part, goal.present, np.arange(len(part.used)) % 2 == 1)
    found = _luck(goal, half)
    removed = int((~half.judged).sum())
    expected = (0.1 * removed - 1.1 * int(part.used.sum()) * removed / len(part.used)) / part.prompts
    assert found.median == pytest.approx(max(expected, 0), abs=0.01)
    assert found.bar >= found.median
    assert _luck(goal, goal.present) == Luck(200, 0.0, 0.0, 1)


def test_luck_leaves_out_what_shows_too_much(part: Part) -> None:
    goal = a_goal(part, loss=1.0)
    better = without(part, goal.present, ~part.used)
    too_new = Kept.of(better.judged, 2 * int(better.judged.sum()), 0)
    assert _luck(goal, better).bar > 0
    assert _luck(goal, too_new).bar == 0


def test_luck_goes_on_searching_for_the_shuffles_that_lead_and_is_the_same_every_time(part: Part) -> None:
    goal = a_goal(part)
    first, again = (_luck(goal, goal.present, more=60) for _ in range(2))
    assert first == again
    assert first.bar > 0
    assert first.bar >= first.median
    assert 10 < first.configurations <= 61


def _trials(part: Part) -> Trials:
    goal = a_goal(part)
    return Trials(make_space(part.in_force, (), (), part.fingerprint), goal)


def test_among_equals_the_nearest_configuration_is_the_best(small: Part) -> None:
    trials = _trials(small)
    far, near = ({EXACT: 0.24, ITEMS: 5}, {EXACT: 0.24})
    tried = trials.several({n: small.in_force.replace(one) for n, one in enumerate(({}, far, near))})
    assert tried[1].gain == pytest.approx(tried[2].gain)
    assert best(tried, trials.space) is tried[2]
    assert best([replace(one, violations={"shown": 1.0}) for one in tried], trials.space) is None


def test_case_34_the_best_is_feasible_though_another_gains_more(small: Part) -> None:
    trials = _trials(small)
    nothing, some = small.in_force.replace({THRESHOLD: 1.0}), small.in_force.replace({EXACT: 0.24})
    greedy = Goal(small, trials.goal.present, 100.0, 0.1, 0.05)
    tried = Trials(trials.space, greedy).several({0: nothing, 1: some})
    assert tried[0].gain > tried[1].gain
    assert not tried[0].feasible
    found = best(tried, trials.space)
    assert found is not None
    assert found.number == 1


def test_changes_that_do_nothing_are_taken_back(small: Part) -> None:
    trials = _trials(small)
    cluttered = small.in_force.replace({EXACT: 0.24, "recall.bonus.priority_base": 0.055, ITEMS: 4})
    simple = simplified(trials.one(7, cluttered), trials)
    assert (simple.number, dict(simple.params.changed_from(small.in_force))) == (7, {EXACT: 0.24})


def test_a_plateau_is_a_share_and_needs_a_gain(small: Part) -> None:
    trials = _trials(small)
    share = plateau(trials.one(1, small.in_force.replace({EXACT: 0.24})), trials)
    assert share is not None
    assert 0 < share <= 1
    assert plateau(trials.one(0, small.in_force), trials) is None


def test_the_pareto_front_holds_no_configuration_that_another_beats(small: Part) -> None:
    trials = _trials(small)
    tried = trials.several({n: small.in_force.replace({EXACT: 0.30 - n / 100}) for n in range(8)})
    front = pareto(tried, trials.space, trials.goal)
    assert tried[0] in front
    removed = {int((~small.used & ~one.kept.judged).sum()) for one in front}
    assert len(removed) == len(front) > 1


def test_a_configuration_is_replayed_once(small: Part) -> None:
    trials = _trials(small)
    one = small.in_force.replace({EXACT: 0.25})
    first: list[Tried] = trials.several({3: one, 4: one})
    assert first[0].kept is first[1].kept is trials.one(5, one).kept
    assert trials.one(0, small.in_force).kept is trials.goal.present


LEDGER = Ledger(500, 500, 40, 0, 460, 0, 0, 100)
FINDING = Finding(
    train_gain=0.02, luck=Luck(500, 0.0, 0.005), train_used=100, lost_weighs=1.1, present=LEDGER,
    proposed=replace(LEDGER, shown=400, unused_kept=360, removed=100), gain=0.02, interval=Interval(0.01, 0.03),
    worst=0.02, worst_interval=Interval(0.01, 0.03), best=0.02, client_losses={"codex": (0, 20)},
)  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "verdict", "said"),
    [
        ({}, Verdict.SAFE, "0 of 40 used memories lost, 100 unused ones removed"),
        ({"train_gain": 0.0}, Verdict.KEEP, "No configuration within the limits did better"),
        ({"luck": Luck(500, 0.0, 0.02)}, Verdict.KEEP, "No improvement beyond noise"),
        ({"gain": -0.001}, Verdict.KEEP, "does not hold on prompts that it has not seen"),
        ({"interval": Interval(-0.001, 0.03)}, Verdict.TRIAL, "interval of the gain on held-out prompts reaches zero"),
        ({"interval": None}, Verdict.TRIAL, "too few or too alike"),
        ({"worst_interval": Interval(-0.1, 0.1)}, Verdict.TRIAL, "If all newly shown memories were unhelpful"),
        ({"worst": 0.001}, Verdict.TRIAL, "a loss of up to 7 % cannot be ruled out"),
        ({"gain": 0.004}, Verdict.KEEP, "a loss of 6 % would look the same in one of ten such logs"),
        ({"client_losses": {"codex": (5, 20)}}, Verdict.KEEP, "Client codex would lose 5 of its 20"),
        ({"client_losses": {"codex": (2, 9)}}, Verdict.TRIAL, "Client codex would lose 2 of its 9"),
        ({"client_losses": {"codex": (2, 4)}}, Verdict.SAFE, "Held-out prompts"),
        ({"proposed": replace(LEDGER, used_kept=35, used_lost=5)}, Verdict.KEEP, "5 of 40 held-out used memories"),
        ({"proposed": replace(LEDGER, newly_shown=60)}, Verdict.TRIAL, "60 of 500 memories shown to held-out prompts"),
        ({"present": replace(LEDGER, used_kept=9)}, Verdict.THIN, "the held-out part 9; 10 on each side"),
        ({"train_used": 9}, Verdict.THIN, "The training part has 9 used memories"),
        ({"train_used": 9, "train_gain": 0.0}, Verdict.THIN, "10 on each side are the least"),
        (
            {"present": replace(LEDGER, used_kept=9), "proposed": replace(LEDGER, used_kept=7, used_lost=2)},
            Verdict.THIN,
            "10 on each side are the least",
        ),
    ],
)
def test_the_verdict_follows_its_rules(changed: dict[str, Any], verdict: Verdict, said: str) -> None:
    word, reasons = judge(replace(FINDING, **changed), TuneRequest())
    assert word is verdict
    assert said in reasons[0]


def test_newly_shown_memories_are_told_with_both_bounds() -> None:
    found = replace(FINDING, proposed=replace(FINDING.proposed, newly_shown=7), worst=0.018, best=0.034)
    _, reasons = judge(found, TuneRequest())
    assert "From +0.0180 (95 % interval +0.0100 to +0.0300) if no newly shown memory (7, of which" in reasons[0]
    assert "is helpful, to +0.0340 if all are" in reasons[0]


def test_the_loss_that_cannot_be_ruled_out() -> None:
    assert loss_ceiling(0, 59) == pytest.approx(loss_bound(59), abs=1e-9)
    assert loss_ceiling(0, 59) == pytest.approx(0.0495, abs=1e-4)
    assert loss_ceiling(2, 20) == pytest.approx(0.2826, abs=1e-4)  # exact one-sided bound, tables
    assert loss_ceiling(3, 3) == loss_ceiling(0, 0) == 1.0
    assert 0.05 < loss_ceiling(1000, 20_000) < 0.054
