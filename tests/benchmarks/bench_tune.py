"""Ratios of a trial: `python tests/benchmarks/bench_tune.py [PROMPTS] [CANDIDATES]`.

One trial by SQL and by the kernel, whole and pruned to a search box, against one streaming read of the columns that it
needs: medians of interleaved runs. A box is every weight and the threshold within a share of their range about the
defaults; pruning pays back after so many trials. The goals of the project: the kernel at most 3 reads on large logs.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from workbench.params import KEYS, Key, Params
from workbench.replay.run import Settings, candidates_of, shown_chain
from workbench.store import Database, compose, in_memory
from workbench.tune.kernel import Kernel
from workbench.tune.prune import Box, pruned
from workbench.tune.space import Space

RUNS = 7
BOXES = {"wide box": 0.3, "middle box": 0.1, "narrow box": 0.03}
TURNED = [key for key in KEYS.values() if key.name.startswith(("recall.weights.", "recall.display.min"))]

# Scores of candidates fall off from the best of a prompt, as those of a log do.
FILL = """
CREATE TEMP TABLE numbered AS
SELECT
    q::INTEGER AS query_id,
    (row_number() OVER (ORDER BY q, c % 7, c) - 1)::INTEGER AS number,
    CASE WHEN h % 11 = 0 THEN [1e0, 0.98e0, 0.9e0, 0.84e0, 0.78e0, 0.72e0][1 + h % 6] END AS exact,
    CASE WHEN h % 3 < 2 THEN 0.4 + 0.6 * pow((h % 4001) / 4001, 4) END AS glossary_semantic,
    CASE WHEN h % 7 < 6 THEN 0.4 + 0.6 * pow((h % 3989) / 3989, 4) END AS dense_gist,
    CASE WHEN h % 5 < 3 THEN 0.4 + 0.6 * pow((h % 3967) / 3967, 4) END AS dense_question,
    CASE WHEN h % 13 < 3 THEN (h % 8) / 1e1 END AS lexical_gist,
    CASE WHEN h % 17 < 3 THEN (h % 7) / 1e1 END AS lexical_question,
    1.0 AS gist_weight,
    0.96::FLOAT::DOUBLE AS question_weight,
    (c % 7)::INTEGER AS priority,
    (h % 7001) / 1e1 AS age_days,
    (1 + q % 12)::INTEGER AS query_tokens,
    c::INTEGER AS uri_order,
    c % 50 = 0 AS is_boot
FROM range($prompts) AS p(q), range($candidates) AS k(n),
    LATERAL (SELECT (q * 7 + n * 12) % 1200 AS c), LATERAL (SELECT (hash(q, n) % 1000000)::BIGINT AS h)
ORDER BY q, priority, uri_order
"""
STREAM = """
SELECT sum(query_id), sum(number), sum(exact), sum(glossary_semantic), sum(dense_gist), sum(dense_question),
    sum(lexical_gist), sum(lexical_question), sum(gist_weight), sum(question_weight), sum(priority), sum(age_days),
    sum(query_tokens), sum(uri_order), count(*) FILTER (is_boot)
FROM numbered
"""


@dataclass(frozen=True)
class Within(Space):
    """Every key within `share` of its range about the present value."""

    share: float = 1.0

    def bounds(self, key: Key) -> tuple[float, float]:
        present, reach = float(self.current[key.name]), self.share * (key.high - key.low)
        return max(key.low, present - reach), min(key.high, present + reach)


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def trial(space: Space, rng: np.random.Generator) -> Settings:
    values = {key.name: rng.uniform(*space.bounds(key)) for key in space.keys}
    return Settings(space.current.replace(values), space.current)


def main(prompts: int, candidates: int) -> None:
    with in_memory() as db:
        db.execute(FILL, {"prompts": prompts, "candidates": candidates})
        kernel = Kernel.of(db.arrow(compose(("tune/kernel_rows",))))
        print(f"{prompts:,} prompts x {candidates} candidates; medians of {RUNS} interleaved runs")
        for name, share in BOXES.items():
            space = Within(Params(), TURNED, [], share)
            start = time.process_time()
            small = pruned(kernel, Box.of(space))
            cost = time.process_time() - start
            took = measure(db, {"whole": kernel, "pruned": small}, space)
            print(said_of(name, took, cost, len(small.query) / len(kernel.query)))


def measure(db: Database, kernels: Mapping[str, Kernel], space: Space) -> dict[str, float]:
    """Median times of interleaved runs, after one warm-up of each; every trial is another one of the box."""
    shown = compose(shown_chain(candidates_of(None, "numbered"))[:-1], "SELECT count(*) FROM {last} WHERE shown")
    rng = np.random.default_rng(1)
    took: dict[str, list[float]] = {name: [] for name in ("read", "sql", *kernels)}
    for _ in range(RUNS + 1):
        settings = trial(space, rng)
        took["read"].append(timed(partial(db.rows, STREAM)))
        took["sql"].append(timed(partial(db.rows, shown, settings.bindings())))
        for name, kernel in kernels.items():
            took[name].append(timed(partial(kernel.shown, settings)))
    return {name: statistics.median(times[1:]) for name, times in took.items()}


def said_of(name: str, took: Mapping[str, float], cost: float, kept: float) -> str:
    read, saved = took["read"], took["whole"] - took["pruned"]
    pays = f"pays back after {cost / saved:.0f} trials" if saved > 0 else "never pays back"
    return (
        f"{name:10}: read {read * 1e3:7.1f} ms; in reads: SQL {took['sql'] / read:5.1f}, kernel "
        f"{took['whole'] / read:5.2f}, pruned {took['pruned'] / read:5.2f} ({kept:.0%} of the candidates kept, {pays})"
    )


if __name__ == "__main__":
    main(*[int(given) for given in sys.argv[1:3]] or (2_000, 60))
