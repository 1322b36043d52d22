"""What a study costs beside its trials: `python tests/benchmarks/bench_study.py [PROMPTS] [TRIALS] [SAMPLER ...]`.

A planted log of at most 20,000 prompts is searched by each sampler; the time of all is set against that of the replays
alone. The goal of the project is 1.2 for 5,000 trials on 50,000 prompts of 80 candidates, whose replays take longer.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from workbench.judge import Evidence, judge_log
from workbench.params import Params
from workbench.replay.logged import settings_in_force
from workbench.replay.selection import Selection
from workbench.simulate import PLANTED_NEEDS, World, planted_log
from workbench.simulate.plants import SKEWED
from workbench.tune.evaluate import Kept, make_part
from workbench.tune.goal import Goal
from workbench.tune.request import SAMPLERS
from workbench.tune.samplers import Proposer
from workbench.tune.search import Trials, run_trials
from workbench.tune.space import make_space
from workbench.tune.study import Place, opened_study

SEED = 1


class Timed(Trials):
    """Trials that sum up how long their replays take."""

    spent = 0.0

    def _replayed(self, params: Params) -> Kept:
        start = time.perf_counter()
        kept = super()._replayed(params)
        self.spent += time.perf_counter() - start
        return kept


def study(trials: Timed, count: int, sampler: str) -> float:
    """The seconds of a whole search."""
    proposer = Proposer(sampler, SEED)
    with TemporaryDirectory() as folder:
        start = time.perf_counter()
        with opened_study(Place(Path(folder), "study", None), {}, False, proposer.directions) as opened:
            run_trials(opened, trials, count, proposer, lambda done, total, what: None)
        return time.perf_counter() - start


def main(prompts: int, count: int, samplers: list[str]) -> None:
    with planted_log(World(prompts=prompts, needs=PLANTED_NEEDS), SKEWED, prompts // 7, SEED) as (db, _):
        in_force = settings_in_force(db).params
        Selection().for_replay().materialise(db)
        evidence = Evidence.standard(db)
        judge_log(db, "selected", evidence)
        part = make_part(db, in_force, "selected", evidence, "all_candidates")
        goal = Goal(part, part.kept(in_force), 0.1, 0.08, 0.05, 2.0)
        space = make_space(in_force, (), (), part.fingerprint)
        print(f"{prompts:,} prompts, {len(part.kernel.query):,} candidates, {count:,} trials")
        for sampler in samplers:
            trials = Timed(space, goal)
            whole = study(trials, count, sampler)
            print(
                f"{sampler:7}: {whole / trials.spent:.2f} times its replays; a replay "
                f"{trials.spent / count * 1e3:.1f} ms, all else {(whole - trials.spent) / count * 1e3:.1f} ms a trial"
            )


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else 5_000, int(given[1]) if given[1:] else 500, given[2:] or list(SAMPLERS))
