"""One logged prompt under two configurations, beside what production made of it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from workbench.judge import MISS_EVIDENCE, write_misses
from workbench.judge.labels import HAND_LABELS, expect_answers
from workbench.replay.run import Settings, candidates_of, full_chain
from workbench.retrieve.tables import write
from workbench.store import Database, compose, sql_text

_PROMPT = "one_prompt"


def beside(
    db: Database, current: Settings, candidate: Settings, query_id: str, opened: pa.Table | None = None
) -> list[dict[str, Any]]:
    """A row a memory that the log, `current` or `candidate` ranks for the logged query `query_id` (see
    sql/compare/beside.sql), best first under `current`; empty where the log holds no candidate of it.

    `opened` are the rows of miss_evidence.sql; without it they are made, of all that agents did.
    """
    bound = {"query_id": query_id}
    db.execute(f"CREATE OR REPLACE TEMP TABLE {_PROMPT} AS SELECT $query_id AS query_id", bound)
    for name, settings in (("first", current), ("second", candidate)):
        ranked = compose(full_chain(candidates_of(_PROMPT, settings.candidates)))
        db.execute(f"CREATE OR REPLACE TEMP TABLE beside_{name} AS {ranked}", settings.bindings())
    expect_answers(db)
    if opened is None:
        write_misses(db)
    else:
        write(db, MISS_EVIDENCE, {name: opened[name] for name in opened.column_names})
    stages = (
        ("first", "SELECT * FROM beside_first"),
        ("second", "SELECT * FROM beside_second"),
        ("opened", f"SELECT * FROM {MISS_EVIDENCE} WHERE query_id = $query_id"),
        *HAND_LABELS,
    )
    rows: list[dict[str, Any]] = db.arrow(compose(stages, sql_text("compare/beside")), bound).to_pylist()
    return rows
