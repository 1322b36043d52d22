"""Bootstrap against a loop that gathers: `python tests/benchmarks/bench_bootstrap.py [PROMPTS] [RESAMPLES]`.

A resample of the loop draws prompts with replacement and gathers their outcomes. The product groups equal prompts, or
equal sessions, in SQL and draws how often each kind comes; both steps are timed. Prints medians and ratios; the goals
of the project are at least 100 times faster over prompts, and under 10 times of that over sessions. The loop is timed
over LOOP resamples and taken times their share.
"""

from __future__ import annotations

import statistics
import sys

import numpy as np
import pyarrow as pa
from measure import timed

from workbench.metrics.bootstrap import RESAMPLES, Array, bootstrap, ratio
from workbench.metrics.intervals import arrays
from workbench.store import Database, compose, in_memory, sql_text

RUNS, LOOP, SESSION = 5, 20, 40


def world(prompts: int) -> pa.Table:
    """Net help of each prompt under two readings, with its weight, and its session."""
    rng = np.random.default_rng(1)
    shown = rng.binomial(3, 0.42, prompts)
    used = rng.binomial(shown, 0.03)
    one = np.ones(prompts)
    return pa.table({
        "prompt": np.arange(prompts), "session": rng.integers(0, max(1, prompts // SESSION), prompts),
        "judged": used - 0.1 * (shown - used), "judged_n": one, "unhelpful": used - 0.1 * shown, "n": one,
    })  # fmt: skip


def gathered(outcomes: Array, resamples: int) -> Array:
    """The plain way: prompts drawn one by one, their outcomes gathered and averaged."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(resamples):
        drawn = outcomes[rng.integers(0, len(outcomes), len(outcomes))].sum(axis=0)
        found.append([drawn[0] / drawn[1], drawn[2] / drawn[3]])
    return np.asarray(np.quantile(found, [0.025, 0.975], axis=0), dtype=np.float64)


def resampled(db: Database, unit: str, resamples: int) -> list[object]:
    """The intervals of both readings, as the product finds them."""
    sql = compose((("measured", f"SELECT *, {unit} AS session_key FROM outcomes"),), sql_text("metrics/clusters"))
    sums, sessions = arrays(db, sql, {})
    return [bootstrap(sums[:, at : at + 2], sessions, ratio(0, 1), resamples=resamples) for at in (0, 2)]


def main(prompts: int, resamples: int) -> None:
    outcomes = world(prompts)
    columns = np.column_stack([outcomes[name].to_numpy() for name in ("judged", "judged_n", "unhelpful", "n")])
    runs: list[tuple[float, float, float]] = []
    with in_memory() as db:
        db.register("outcomes", outcomes)
        for _ in range(RUNS + 1):
            times = (
                timed(lambda: gathered(columns, LOOP)) / LOOP * resamples,
                timed(lambda: resampled(db, "prompt", resamples)),
                timed(lambda: resampled(db, "session", resamples)),
            )
            runs.append(times)
    loop, fast, cluster = (statistics.median(times) for times in zip(*runs[1:], strict=True))
    print(f"{prompts:,} prompts, sessions of {SESSION}, {resamples:,} resamples; medians of {RUNS} interleaved runs")
    print(f"gather loop {loop * 1e3:,.0f} ms")
    print(f"over prompts {fast * 1e3:,.1f} ms: {loop / fast:,.0f} times faster (goal 100)")
    print(f"over sessions {cluster * 1e3:,.1f} ms: {cluster / fast:.1f} times the time over prompts (goal under 10)")


if __name__ == "__main__":
    given = [int(number) for number in sys.argv[1:]]
    main(*(given + [200_000, RESAMPLES][len(given) :]))
