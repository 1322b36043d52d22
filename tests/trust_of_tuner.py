"""How far the tuner can be trusted: `python tests/trust_of_tuner.py [--worlds N] [--kinds KIND,...] [--used N,...]`.

Logs are drawn whose truth is planted: for every candidate of every prompt, shown or not, the chance that it helps. The
whole of `tune` runs on each log as an operator would run it; what it recommends is then held against the truth on all
prompts. The goals: no signal, "safe to try" in at most 5 %; harm, that is a recommendation whose true net help is below
that of the settings in force, in at most 5 %; planted errors found in at least 80 % with 300 used memories; 80 % of the
gain that the same search reaches when it sees the truth.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
import optuna

from workbench.judge import Evidence
from workbench.metrics.wilson import wilson
from workbench.params import Params
from workbench.replay.logged import settings_in_force
from workbench.replay.run import Settings, replay_shown
from workbench.replay.selection import Selection
from workbench.simulate import PLANTED_NEEDS, TRUTH, World, planted_log
from workbench.simulate.plants import CLIENT_MIX, SKEWED, WORLDS, WRONG_THRESHOLD
from workbench.store import Database
from workbench.tune import TuneRequest, Verdict, tune
from workbench.tune.evaluate import STRATUM, Part, make_part
from workbench.tune.goal import Goal
from workbench.tune.learned import learn
from workbench.tune.request import TPE
from workbench.tune.samplers import Proposer
from workbench.tune.search import Trials, best, run_trials
from workbench.tune.space import make_space

ERRORS = (SKEWED, WRONG_THRESHOLD, CLIENT_MIX)
USED = (300, 75)
RECOMMENDS = (Verdict.SAFE.value, Verdict.TRIAL.value)
NOISE_COST = 0.1


@dataclass(frozen=True)
class Case:
    """One world to draw, and how long to search in it."""

    kind: str
    used: int
    seed: int
    prompts: int = 2000
    trials: int = 200


@dataclass(frozen=True)
class Outcome:
    """What `tune` said of a world. Gains are true changes of net help, in helpful memories over all prompts: of what is
    recommended, of the best that was found whatever was said of it, and of a search that sees the truth (None: not
    run)."""

    case: Case
    verdict: str
    why: str
    gain: float
    found: float
    reachable: float | None

    @property
    def words(self) -> str:
        """One line."""
        case, most = self.case, "" if self.reachable is None else f", reachable {self.reachable:+.2f}"
        return (
            f"{case.kind:16} {case.used:3} used, seed {case.seed:4}: {self.verdict:19} true gain {self.gain:+8.2f}, "
            f"best found {self.found:+8.2f}{most}"
        )

    @property
    def recommends(self) -> bool:
        return self.verdict in RECOMMENDS

    @property
    def harms(self) -> bool:
        return self.recommends and self.gain < 0


def outcome(case: Case, reachable: bool = False) -> Outcome:
    """Draw the world, tune, and hold the result against the truth."""
    world = World(prompts=case.prompts, needs=PLANTED_NEEDS)
    with planted_log(world, case.kind, case.used, case.seed) as (db, _), TemporaryDirectory() as folder:
        in_force = settings_in_force(db).params
        request = TuneRequest(trials=case.trials, seed=case.seed)
        result = tune(db, in_force, Path(folder), request)
        present = true_net_help(db, in_force, in_force)
        changed = result.get("best_found", {"changed": {}})["changed"]
        gains = [
            true_net_help(db, params, in_force) - present
            for params in (Params(result["config"]), in_force.replace(changed))
        ]
        most = seen_through(db, in_force, case) if reachable else None
        return Outcome(case, result["verdict"], result["reasons"][0], gains[0], gains[1], most)


def true_net_help(db: Database, params: Params, in_force: Params) -> float:
    """Expected net help of all typed prompts together."""
    replay_shown(db, Settings(params, in_force), None, "shown_then")
    value = db.row(
        f"SELECT sum(chance - $cost * (1 - chance)) FROM shown_then JOIN {TRUTH} USING (query_id, uri)",
        {"cost": NOISE_COST},
    )[0]
    return float(value or 0.0)


def seen_through(db: Database, in_force: Params, case: Case) -> float:
    """The true gain of the best configuration that the same search finds when every candidate is judged, truly, and
    nothing limits it."""
    Selection().for_replay().materialise(db)
    part = make_part(db, in_force, "selected", Evidence.standard(db), "all_candidates")
    whole = judged_truly(db, part)
    goal = Goal(whole, whole.kept(in_force), NOISE_COST, max_newly_shown=1.0, tolerated_loss=10.0)
    space = make_space(in_force, (), (), part.fingerprint)
    trials, learned = Unlimited(space, goal), learn(goal, space)
    study = optuna.create_study(direction="maximize")
    starts = [learned.params] if learned else []
    tried = run_trials(study, trials, case.trials, Proposer(TPE, case.seed), lambda done, total, what: None, starts)
    top = best(tried, trials.space)
    assert top is not None
    return true_net_help(db, top.params, in_force) - true_net_help(db, in_force, in_force)


class Unlimited(Trials):
    """Trials that no limit binds."""

    def _tried(self, number: int, params: Params):  # type: ignore[no-untyped-def]
        return replace(super()._tried(number, params), violations={})


def judged_truly(db: Database, part: Part) -> Part:
    """The part with every pair judged, as its helpfulness was drawn."""
    helpful = db.arrow(
        "SELECT c.number, bool_or(t.helpful) AS helpful FROM all_candidates AS c JOIN"
        " (SELECT query_id, row_number() OVER (ORDER BY now, query_id) AS place FROM judged_prompts) AS q"
        f" ON q.place = c.query_id JOIN {TRUTH} AS t ON t.query_id = q.query_id AND t.uri = c.uri"
        " GROUP BY ALL ORDER BY 1"
    )
    assert helpful["number"].to_pylist() == list(range(len(helpful)))
    used = helpful["helpful"].to_numpy(zero_copy_only=False).astype(bool)
    assert used[: len(part.used)][part.used].all()
    pairs = np.arange(len(used))
    return replace(
        part, used=used, pairs=pairs, clients=[""], client_of=0 * pairs, strata=pairs // STRATUM, set_aside=0
    )


def cases(asked: Namespace) -> list[tuple[Case, bool]]:
    """What is drawn, and whether the truth is searched too: each number of used memories by turns for worlds without an
    error, each of them for worlds with one."""
    sized = {"prompts": asked.prompts, "trials": asked.trials}
    found: list[tuple[Case, bool]] = []
    for kind in asked.kinds:
        for seed in range(asked.first, asked.first + asked.worlds):
            wanted = asked.used if kind in ERRORS else [asked.used[seed % len(asked.used)]]
            found += [(Case(kind, used, seed, **sized), kind in ERRORS and used == USED[0]) for used in wanted]
    return found


def outcomes(wanted: Sequence[tuple[Case, bool]], jobs: int = 2) -> Iterator[Outcome]:
    """All outcomes, as they come."""
    with ProcessPoolExecutor(jobs) as pool:
        running = [pool.submit(outcome, case, reachable) for case, reachable in wanted]
        for done in as_completed(running):
            yield done.result()


def said_of(found: Sequence[Outcome]) -> list[str]:
    """The figures of the goals, a line each."""
    lines = [_share("harm, all", [one.harms for one in found])]
    lines += [
        _share(f"harm, {used} used", [one.harms for one in found if one.case.used == used])
        for used in sorted({one.case.used for one in found}, reverse=True)
    ]
    for kind, used in sorted({(one.case.kind, one.case.used) for one in found}):
        these = [one for one in found if (one.case.kind, one.case.used) == (kind, used)]
        name = f"{kind}, {used} used"
        lines.append(_share(f"{name}: safe to try", [one.verdict == Verdict.SAFE for one in these]))
        lines.append(_share(f"{name}: recommended", [one.recommends for one in these]))
        lines.append(_share(f"{name}: with a gain", [one.recommends and one.gain > 0 for one in these]))
        lines.append(_share(f"{name}: harm", [one.harms for one in these]))
    for kind in ERRORS:
        shares = [one.gain / one.reachable for one in found if one.case.kind == kind and one.reachable]
        best_found = [one.found / one.reachable for one in found if one.case.kind == kind and one.reachable]
        if shares:
            lines.append(
                f"{kind}: of the gain that a search on the truth reaches, recommended {median(shares):6.1%}, "
                f"best found {median(best_found):6.1%} (medians of {len(shares)})"
            )
    return lines


def _share(name: str, hits: Sequence[bool]) -> str:
    interval = wilson(sum(hits), len(hits))
    assert interval is not None
    share = f"{sum(hits):4} of {len(hits):4}, {sum(hits) / len(hits):6.1%}"
    return f"{name:44} {share} (95 % interval {interval.low:.1%} to {interval.high:.1%})"


def asked_for(arguments: Sequence[str]) -> Namespace:
    """What the command line asks for."""
    parser = ArgumentParser(description=str(__doc__).partition(":")[0])
    parser.add_argument("--worlds", type=int, default=40, help="worlds of each kind and number of used memories")
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=WORLDS, help=", ".join(WORLDS))
    parser.add_argument("--used", type=lambda text: [int(one) for one in text.split(",")], default=USED)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--prompts", type=int, default=2000)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> None:
    asked = asked_for(arguments)
    wanted = cases(asked)
    found: list[Outcome] = []
    for one in outcomes(wanted, asked.jobs):
        found.append(one)
        sys.stderr.write(f"{len(found):4}/{len(wanted)} {one.words}\n")
    sys.stdout.write("\n".join([*said_of(found), ""]))


if __name__ == "__main__":
    main(sys.argv[1:])
