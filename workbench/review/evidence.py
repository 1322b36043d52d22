"""Which memories were missed for which prompts, and what says so."""

from __future__ import annotations

import pyarrow as pa

from workbench.judge import Evidence, judge_log, write_misses
from workbench.judge.labels import HAND_LABELS, narrow_log
from workbench.replay.selection import SELECTED, Selection
from workbench.review.alike import write_used_alike
from workbench.store import Database, compose
from workbench.textsearch import Tokenizer

MISSES = "misses"
PROMPTS = "judged_prompts"
GRADES = ("hand", "opened_after_search", "opened_unlinked", "used_alike")

ALL_PROMPTS = "all_prompts"
_WHOLE = ("used_log", ALL_PROMPTS, "beyond_used")
_NO_ESTIMATES = "SELECT NULL::VARCHAR AS query_id, NULL::VARCHAR AS node, NULL::DOUBLE AS estimate LIMIT 0"


def write_evidence(db: Database, evidence: Evidence) -> None:
    """Judge the whole log, into the tables used_log and ALL_PROMPTS among others, and write what agents opened
    (write_misses): what write_missed reads for every selection. `evidence` gives the time limits by which a recall is
    late."""
    judge_log(db, None, evidence, *_WHOLE)
    write_misses(db)


def write_missed(
    db: Database,
    selection: Selection,
    tokenizer: Tokenizer,
    estimates: str | None = None,
    alike: pa.Table | None = None,
) -> None:
    """Write the temporary tables MISSES (misses.sql) and PROMPTS for the queries that `selection` lets through, from
    what write_evidence left.

    `estimates` names a table (query_id, node, estimate) of a model that says how likely a memory would have helped;
    what it says stands beside the other evidence and makes no miss of its own. `alike` are the near-identical texts of
    ALL_PROMPTS (alike_texts), where they are at hand.
    """
    selection.materialise(db)
    narrow_log(db, SELECTED, _WHOLE)
    write_used_alike(db, PROMPTS, tokenizer, alike)
    stages = (
        ("prompts", f"SELECT * FROM {PROMPTS}"),
        ("log", "SELECT * FROM judged_log"),
        *HAND_LABELS,
        ("estimates", f"SELECT query_id, node, estimate FROM {estimates}" if estimates else _NO_ESTIMATES),
    )
    logged = compose((*stages, "review/misses"))
    db.execute(f"CREATE OR REPLACE TEMP TABLE {MISSES} AS {logged}")
    skipped = compose(("boot_uris", "review/skipped"))
    db.execute(f"INSERT INTO {MISSES} BY NAME {skipped}", selection.bindings())
