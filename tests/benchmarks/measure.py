"""What the benchmarks share: seconds of a piece of work, and the streaming read that others are held against."""

from __future__ import annotations

import time
from collections.abc import Callable

STREAM = """
SELECT sum(exact), sum(glossary_semantic), sum(dense_gist), sum(dense_question), sum(lexical_gist),
    sum(lexical_question), sum(gist_weight), sum(question_weight), sum(priority), sum(age_days), sum(query_tokens),
    sum(uri_order), count(*) FILTER (is_boot), min(query_id)
FROM wb.logged_candidates
"""


def timed(work: Callable[[], object]) -> float:
    """Seconds that `work` takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
