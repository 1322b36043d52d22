"""Logged replay against one streaming read of its columns: `python tests/benchmarks/bench_replay.py [PROMPTS]`.

Prints the medians of interleaved runs and their ratio; the goal of the project is at most 22.
"""

from __future__ import annotations

import statistics
import sys

from measure import STREAM, timed

from workbench.params import Params
from workbench.replay.run import Settings, replay_shown
from workbench.store import Database, in_memory

CANDIDATES = 33
RUNS = 7

FILL = """
INSERT INTO wb.logged_candidates BY NAME
SELECT
    'q' || q AS query_id,
    'project://memory/' || c AS uri,
    'n' || c AS node_uuid,
    CASE WHEN h % 11 = 0 THEN [1e0, 0.98e0, 0.9e0, 0.84e0, 0.78e0, 0.72e0][1 + h % 6] END AS exact,
    CASE WHEN h % 3 < 2 THEN 0.5 + (h % 4001) / 1e4 END AS glossary_semantic,
    CASE WHEN h % 7 < 6 THEN 0.5 + (h % 3989) / 1e4 END AS dense_gist,
    CASE WHEN h % 5 < 3 THEN 0.5 + (h % 3967) / 1e4 END AS dense_question,
    CASE WHEN h % 13 < 3 THEN (h % 8) / 1e1 END AS lexical_gist,
    CASE WHEN h % 17 < 3 THEN (h % 7) / 1e1 END AS lexical_question,
    1.0 AS gist_weight,
    0.96::FLOAT::DOUBLE AS question_weight,
    (c % 7)::INTEGER AS priority,
    'store' AS priority_source,
    (h % 7001) / 1e1 AS age_days,
    'timestamps' AS age_source,
    (1 + q % 12)::INTEGER AS query_tokens,
    c::INTEGER AS uri_order,
    c % 50 = 0 AS is_boot,
    false AS logged_shown,
    false AS used
FROM range($prompts) AS p(q), range($candidates) AS k(n),
    LATERAL (SELECT (q * 7 + n * 12) % 400 AS c), LATERAL (SELECT (hash(q, n) % 1000000)::BIGINT AS h)
ORDER BY q, priority, uri_order
"""


def main(prompts: int) -> None:
    with in_memory() as db:
        db.execute(FILL, {"prompts": prompts, "candidates": CANDIDATES})
        settings = Settings(
            Params.default().replace({"recall.weights.w_dense": 0.4, "views.weight.question": 1.1}), Params.default()
        )
        reads, replays = measure(db, settings)
        shown = db.row("SELECT count(*) FROM shown")[0]
    read, replay = statistics.median(reads), statistics.median(replays)
    print(f"{prompts:,} prompts x {CANDIDATES} candidates, {shown:,} shown; medians of {RUNS} interleaved runs")
    print(
        f"streaming read {read * 1e3:.1f} ms, logged replay {replay * 1e3:.1f} ms, ratio {replay / read:.1f} (goal 22)"
    )


def measure(db: Database, settings: Settings) -> tuple[list[float], list[float]]:
    """Interleaved times of the streaming read and of the replay, after one warm-up of each."""
    reads, replays = [], []
    for run in range(RUNS + 1):
        read = timed(lambda: db.rows(STREAM))
        replay = timed(lambda: replay_shown(db, settings, None))
        if run:
            reads.append(read)
            replays.append(replay)
    return reads, replays


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
