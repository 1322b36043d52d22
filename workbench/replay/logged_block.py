"""The block that an agent was given for a logged prompt, as far as the log tells."""

from __future__ import annotations

from workbench.replay.block import recall_block
from workbench.store import Database, compose, sql_text


def logged_block(db: Database, query_id: str) -> str:
    """The block of the logged query `query_id`, "" where nothing was shown. The log tells no phase, and where it tells
    no session the block goes without."""
    bound = {"query_id": query_id}
    stages = (("signal_rows", sql_text("logged/cue_rows")), ("cues", sql_text("retrieve/cues")))
    items = db.rows(compose(stages, sql_text("logged/block_items")), bound)
    sessions = db.rows("SELECT session_id FROM recall_queries WHERE query_id = $query_id", bound)
    return recall_block(
        [(score or 0.0, uri, cues) for score, uri, cues in items],
        session_id=sessions[0][0] if sessions else None,
        query_id=query_id,
    )
