"""How often nominal 95 % intervals hold the truth: `python tests/coverage_of_intervals.py [RUNS] [USED …]`.

Logs are drawn whose true figures are known: about 2,018 prompts in sessions of five clients, 2,514 memories shown, of
which 73 are used (also 300 and 30). Sessions differ in how much is used, lost and removed, and in their scores, so that
pairs of a session are alike. Every interval comes from the code that the commands run. The goal is 93 to 97 %.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from workbench.metrics.bootstrap import Interval
from workbench.metrics.figures import prepare_lists
from workbench.metrics.intervals import differences, intervals
from workbench.metrics.net_help import DEFAULT_NOISE_COST, NetHelp
from workbench.metrics.report.helpfulness import read_parts, use_rate_interval
from workbench.metrics.report.position import position_effect
from workbench.metrics.report.separation import separation
from workbench.metrics.report.shift import halves, mix_shift
from workbench.metrics.shrinkage import Prior
from workbench.metrics.use_rate import UseRate
from workbench.metrics.used_lost import UsedLost
from workbench.store import Database, in_memory

Doubles = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

PROMPTS, SHOWN_EACH, PROMPTS_A_SESSION = 2018, (0.40, 0.15, 0.245, 0.205), 6
CLIENTS = (0.34, 0.26, 0.18, 0.14, 0.08)
ALIKE = 0.05
LOST, REMOVED = 0.10, 0.30
SHIFT, SESSION_SD, PAIR_SD = -0.02, 0.025, 0.045


@dataclass(frozen=True)
class Truth:
    """The true figures of one drawn world, apart from chance."""

    rates: Doubles

    @property
    def use_rate(self) -> float:
        """Over all clients."""
        return float(np.dot(CLIENTS, self.rates))

    @property
    def auc(self) -> float:
        """Scores are normal, those of used memories shifted."""
        return NormalDist().cdf(SHIFT / sqrt(2 * (SESSION_SD**2 + PAIR_SD**2)))

    @property
    def separation(self) -> float:
        """The lower quartile of the used less the upper of the others."""
        return SHIFT - 2 * NormalDist().inv_cdf(0.75) * sqrt(SESSION_SD**2 + PAIR_SD**2)

    @property
    def net_help(self) -> float:
        """Of the other configuration, less that of the present one."""
        shown = float(np.dot(range(len(SHOWN_EACH)), SHOWN_EACH))
        return shown * (DEFAULT_NOISE_COST * REMOVED * (1 - self.use_rate) - LOST * self.use_rate)


@dataclass(frozen=True)
class World:
    """One drawn log: a row a shown pair."""

    truth: Truth
    prompt_session: Whole
    session_client: Whole
    prompt: Whole
    used: npt.NDArray[np.bool_]
    kept: npt.NDArray[np.bool_]
    score: Doubles


def draw(rng: np.random.Generator, used: int) -> World:
    """A world with about so many used memories, and its own use rates of clients."""
    mean = used / (PROMPTS * float(np.dot(range(len(SHOWN_EACH)), SHOWN_EACH)))
    rates = rng.beta(3 * mean / (mean + 0.05) + 1, 1, len(CLIENTS)) * rng.gamma(1.5, 1, len(CLIENTS))
    rates = np.clip(rates * mean / float(np.dot(CLIENTS, rates)), 0.15 * mean, min(0.5, 5 * mean))
    sizes = rng.geometric(1 / PROMPTS_A_SESSION, size=PROMPTS)
    sessions = int(np.searchsorted(np.cumsum(sizes), PROMPTS)) + 1
    prompt_session = np.repeat(np.arange(sessions), sizes[:sessions])
    client = rng.choice(len(CLIENTS), sessions, p=CLIENTS)
    shown = rng.choice(len(SHOWN_EACH), len(prompt_session), p=SHOWN_EACH)
    prompt = np.repeat(np.arange(len(prompt_session)), shown)
    session = prompt_session[prompt]
    is_used = rng.random(len(prompt)) < _alike(rng, rates[client])[session]
    stays = np.where(
        is_used,
        rng.random(len(prompt)) >= _alike(rng, np.full(sessions, LOST))[session],
        rng.random(len(prompt)) >= _alike(rng, np.full(sessions, REMOVED))[session],
    )
    score = 0.72 + rng.normal(0, SESSION_SD, sessions)[session] + rng.normal(0, PAIR_SD, len(prompt)) + SHIFT * is_used
    return World(Truth(rates), prompt_session, client, prompt, is_used, stays, score)


def _alike(rng: np.random.Generator, means: Doubles) -> Doubles:
    """A share for each session around its mean, so that two pairs of a session correlate by ALIKE."""
    strength = 1 / ALIKE - 1
    return rng.beta(means * strength, (1 - means) * strength)


def write(db: Database, world: World) -> None:
    """The world as the judged log, and as the lists of the present configuration and of another."""
    session = world.prompt_session[world.prompt]
    frame = {
        "query_id": world.prompt, "node": np.arange(len(world.prompt)), "used": world.used, "kept": world.kept,
        "score": world.score, "plain": world.score - SHIFT * world.used, "session": session,
        "client": world.session_client[session],
    }  # fmt: skip
    heads = {
        "query_id": np.arange(len(world.prompt_session)), "session": world.prompt_session,
        "client": world.session_client[world.prompt_session],
    }  # fmt: skip
    for name, columns in (("drawn", frame), ("heads", heads)):
        db.register(name, pa.table(columns))
    db.execute(
        "CREATE OR REPLACE TEMP TABLE judged_prompts AS SELECT query_id::VARCHAR AS query_id,"
        " 'c' || client AS client, 's' || session AS session_key,"
        " TIMESTAMPTZ '2026-03-01' + to_minutes(query_id) AS now FROM heads"
    )
    db.execute(
        "CREATE OR REPLACE TEMP TABLE judged_log AS SELECT query_id::VARCHAR AS query_id, node::VARCHAR AS node,"
        " node::VARCHAR AS uri, if(used, 'used', 'shown_unused') AS label, score, 's' || session AS session_key,"
        " 'c' || client AS client, row_number() OVER (PARTITION BY query_id ORDER BY score DESC)::INTEGER"
        " AS logged_place, kept, plain FROM drawn"
    )
    db.execute(  # the same uses, and scores that have nothing to do with them
        "CREATE OR REPLACE TEMP TABLE plain_log AS SELECT * REPLACE (plain AS score,"
        " row_number() OVER (PARTITION BY query_id ORDER BY plain DESC)::INTEGER AS logged_place) FROM judged_log"
    )
    for into, shown in (("lists_a", "true"), ("lists_b", "kept")):
        db.execute(
            "CREATE OR REPLACE TEMP TABLE outcomes AS SELECT query_id, node, uri, label, CASE"
            " WHEN label = 'used' THEN if(shown, 'used_kept', 'used_lost') ELSE if(shown, 'unused_kept', 'removed') END"
            " AS outcome, if(shown, logged_place, NULL) AS place, logged_place"
            f" FROM (SELECT *, {shown} AS shown FROM judged_log)"
        )
        prepare_lists(db, into=into)
    for name in ("drawn", "heads"):
        db.unregister(name)


def found_intervals(db: Database, world: World, seed: int) -> Iterator[tuple[str, float, Interval | None]]:
    """(figure, truth, interval) of one world."""
    truth = world.truth
    yield "use rate, sessions", truth.use_rate, use_rate_interval(db)
    yield "use rate of a replay", truth.use_rate, intervals(db, [UseRate()], "lists_a")["use_rate"]["judged_only"]
    yield "AUC", truth.auc, separation(db).auc_interval
    helped = differences(db, [NetHelp()], "lists_a", "lists_b", seed=seed)["net_help"]["judged_only"]
    yield "net help, difference", truth.net_help, helped.interval
    lost = intervals(db, [UsedLost()], "lists_b")["used_lost_share"]["judged_only"]
    yield "used lost", LOST, lost
    parts = read_parts(db, "client")
    groups = [(part.used, part.judged) for part in parts]
    prior = Prior.of(groups, parts[0].design_effect)
    for part, group in zip(parts, groups, strict=True):
        rate = float(truth.rates[int(part.part[1:])])
        yield "rate of a client", rate, part.use_rate_interval
        yield "rate of a client, shrunk", rate, prior.shrink(*group).interval if prior else None


def further_intervals(db: Database, world: World) -> Iterator[tuple[str, float, Interval | None]]:
    """The same for figures that take longer: scores and halves have nothing to do with the uses."""
    yield "separation", world.truth.separation, separation(db).gap_interval
    yield "first place, at equal score", 0.0, position_effect(db, "plain_log").interval
    yield "change, between halves", 0.0, mix_shift(db, halves()).change.interval


def _half(interval: Interval | None) -> Interval | None:
    """The same interval, half as wide."""
    if interval is None:
        return None
    quarter = (interval.high - interval.low) / 4
    return Interval(interval.low + quarter, interval.high - quarter)


def coverage(used: int, runs: int, seed: int = 1, *, small: bool = False) -> Mapping[str, tuple[int, int, int]]:
    """Figure to (intervals that hold the truth, intervals, logs that give none). `small` leaves further_intervals out
    and adds each figure with intervals half as wide, which must not hold it as often."""
    rng = np.random.default_rng(seed)
    held: Counter[str] = Counter()
    given: Counter[str] = Counter()
    missing: Counter[str] = Counter()
    with in_memory() as db:
        for run in range(runs):
            world = draw(rng, used)
            write(db, world)
            found = list(found_intervals(db, world, run))
            if small:
                found += [(f"{name}, half as wide", truth, _half(one)) for name, truth, one in found]
            else:
                found += further_intervals(db, world)
            for name, truth, interval in found:
                given[name] += interval is not None
                missing[name] += interval is None
                held[name] += interval is not None and interval.low <= truth <= interval.high
    return {name: (held[name], given[name], missing[name]) for name in {**given, **missing}}


def main(runs: int, sizes: list[int]) -> None:
    """Print the coverage of each interval for each number of used memories."""
    for used in sizes:
        print(f"about {used} used of 2,514 shown, {runs:,} logs")
        for name, (held, given, missing) in coverage(used, runs).items():
            share = held / given if given else float("nan")
            error = 100 * sqrt(share * (1 - share) / max(1, given))
            note = f", {missing} logs give none" if missing else ""
            print(f"  {name:28} {100 * share:5.1f} % (simulation error {error:.1f}){note}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, [int(used) for used in sys.argv[2:]] or [73, 300, 30])
