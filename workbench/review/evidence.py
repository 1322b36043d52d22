"""Which memories were missed for which prompts, and what says so."""

from __future__ import annotations

import pyarrow as pa

from workbench.judge import Evidence, judge_log, write_misses
from workbench.judge.labels import HAND_LABELS
from workbench.replay.selection import SELECTED, Selection
from workbench.review.alike import alike_texts, write_used_alike
from workbench.store import Database, compose
from workbench.textsearch import Tokenizer

MISSES = "misses"
PROMPTS = "judged_prompts"
GRADES = ("hand", "opened_after_search", "opened_unlinked", "used_alike")

_WHOLE = ("used_log", "all_prompts", "beyond_used")
_NO_ESTIMATES = "SELECT NULL::VARCHAR AS query_id, NULL::VARCHAR AS node, NULL::DOUBLE AS estimate LIMIT 0"


def write_missed(
    db: Database,
    selection: Selection,
    tokenizer: Tokenizer,
    evidence: Evidence,
    estimates: str | None = None,
    alike: pa.Table | None = None,
) -> None:
    """Write the temporary tables MISSES (misses.sql) and PROMPTS for the queries that `selection` lets through.

    `evidence` gives the time limits by which a recall is late. `estimates` names a table (query_id, node, estimate) of
    a model that says how likely a memory would have helped; what it says stands beside the other evidence and makes no
    miss of its own. `alike` are the near-identical texts of the whole log (texts_of_log), where they are at hand.
    """
    selection.materialise(db)
    judge_log(db, None, evidence, *_WHOLE)
    judge_log(db, SELECTED, evidence)
    write_misses(db)
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


def texts_of_log(db: Database, tokenizer: Tokenizer, evidence: Evidence) -> pa.Table:
    """The near-identical texts (alike_texts) of all logged queries: the same for every selection."""
    judge_log(db, None, evidence, *_WHOLE)
    return alike_texts(db, "all_prompts", tokenizer)
