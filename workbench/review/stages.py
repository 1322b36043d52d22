"""Which stage of recall lost each missed memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from workbench.replay.engine import AS_OF, CANDIDATES, depth_of, prompts_of, retrieve_candidates
from workbench.replay.reach import widened
from workbench.replay.run import Settings, candidates_of, full_chain
from workbench.retrieve.corpus import Corpus, load_corpus
from workbench.retrieve.engine import Prompt, retrieve
from workbench.retrieve.nearest import Floats, Vectors, usable
from workbench.retrieve.tables import write
from workbench.review.cut import write_cut_hits
from workbench.review.evidence import MISSES
from workbench.review.vectors import Embed, filled_vectors
from workbench.store import Database, compose, sql_text
from workbench.textsearch import Tokenizer

STAGED = "staged_misses"
_WHOLE = "staged_whole"
STAGES = (
    "not_stored", "created_later", "recall_skipped", "late", "prompt_cut", "boot", "not_a_candidate", "row_limit",
    "slice", "threshold", "crowded_out",
)  # fmt: skip

# Rows that one deep retrieval may hold; a larger store is searched less deep.
_MOST_ROWS = 4_000_000
_NOT_PLACED = f"""
SELECT DISTINCT m.query_id
FROM {MISSES} AS m ANTI JOIN placed AS p ON p.query_id = m.query_id AND p.node = m.node
WHERE m.logged AND NOT m.late
"""
_SEARCHED = f"""
SELECT count(DISTINCT query_id), count(DISTINCT query_id) FILTER (NOT has_vector) FROM {STAGED} WHERE searched
"""
# A score is that of one candidate: only those of missed memories are asked for.
_OF_MISSED = f"""
SELECT s.* FROM {{source}} AS s
SEMI JOIN {MISSES} AS m ON m.query_id = s.query_id AND m.node = coalesce(s.node_uuid, s.uri)
WHERE s.query_id IN (SELECT query_id FROM miss_queries)
"""
_TOPS = "SELECT query_id, uri, $source, $name, score FROM {last}"
_TOP_COLUMNS = "query_id VARCHAR, uri VARCHAR, source VARCHAR, name VARCHAR, score DOUBLE"
_COLUMNS = "query_id VARCHAR, node VARCHAR, signal VARCHAR, rank BIGINT, raw_score DOUBLE"


@dataclass(frozen=True)
class Depth:
    """How deep the signals were searched at most, and the usual `row_limit`."""

    searched: int
    row_limit: int


@dataclass(frozen=True)
class Staging:
    """What the stages rest on: the depth of the search, and of how many `prompts` that had to be searched anew
    `without_vector` have no vector."""

    depth: Depth
    prompts: int
    without_vector: int

    @classmethod
    def of(cls, db: Database, depth: Depth) -> Staging:
        """Of the misses in STAGED, whose search was `depth` deep."""
        return cls(depth, *db.row(_SEARCHED))


def write_stages(
    db: Database, settings: Settings, tokenizer: Tokenizer, model: str | None, embed: Embed | None = None
) -> Depth:
    """Write the temporary table STAGED (staged.sql) of the table MISSES.

    Candidates that the log holds are placed by the log; all others by the engine, with the memories as they stood at
    the time of the prompt. `settings` are those that production ran with.
    """
    corpus = load_corpus(db, tokenizer, model, AS_OF)
    db.execute(f"CREATE OR REPLACE TEMP TABLE miss_queries AS SELECT DISTINCT query_id FROM {MISSES} WHERE logged")
    prompts = {prompt.query_id: prompt for prompt in prompts_of(db, settings, "miss_queries", AS_OF)}
    db.execute(f"CREATE OR REPLACE TEMP TABLE tops ({_TOP_COLUMNS})")
    _place(db, replace(settings, candidates="wb.logged_candidates"), "logged", "CREATE OR REPLACE TEMP TABLE placed AS")
    depth = _search(corpus, settings, prompts, embed)
    write_cut_hits(corpus, settings, prompts, embed)
    _write_holdings(corpus)
    stages = (
        "logged/memory_now", "boot_uris", ("addresses", sql_text("review/addresses")), "review/staged",
    )  # fmt: skip
    db.execute(f"CREATE OR REPLACE TEMP TABLE {STAGED} AS {compose(stages)}", settings.bindings())
    return depth


def keep_stages(db: Database) -> None:
    """Set what stands in STAGED aside for pick_stages."""
    db.execute(f"CREATE OR REPLACE TEMP TABLE {_WHOLE} AS FROM {STAGED}")


def pick_stages(db: Database) -> None:
    """Write STAGED of the table MISSES from what was set aside, which holds them all."""
    db.execute(f"CREATE OR REPLACE TEMP TABLE {STAGED} AS FROM {_WHOLE} SEMI JOIN {MISSES} USING (query_id, node)")


def _place(db: Database, settings: Settings, source: str, into: str) -> None:
    candidates = candidates_of("miss_queries", settings.candidates)
    db.execute(
        f"{into} {compose((*full_chain(candidates), 'review/placed'))}", settings.bindings() | {"source": source}
    )
    of_missed = ("candidates", _OF_MISSED.format(source=settings.candidates))
    for name, wide in zip(("by_weights", "by_settings"), widened(settings), strict=True):
        bound = wide.bindings() | {"source": source, "name": name}
        db.execute(f"INSERT INTO tops {compose((of_missed, 'score'), _TOPS)}", bound)


def _search(corpus: Corpus, settings: Settings, prompts: Mapping[str, Prompt], embed: Embed | None) -> Depth:
    """Place with the engine what the log did not place; look deeper for what that leaves."""
    db, depth = corpus.db, depth_of(settings)
    db.execute(f"CREATE OR REPLACE TEMP TABLE deep_rows ({_COLUMNS})")
    searched = [prompts[query_id] for (query_id,) in db.rows(f"{_NOT_PLACED} ORDER BY ALL")]
    found = filled_vectors(db, corpus.model, [prompt.searched for prompt in searched], embed)
    with_vector = [] if found is None else [searched[place].query_id for place in np.nonzero(usable(found))[0]]
    write(db, "with_vector", {"query_id": pa.array(with_vector, pa.string())})
    retrieve_candidates(corpus, searched, found, depth)
    _place(db, replace(settings, candidates=CANDIDATES), "engine", "CREATE OR REPLACE TEMP TABLE placed_anew AS")
    db.execute("INSERT INTO placed FROM placed_anew AS a ANTI JOIN placed AS p USING (query_id, node)")
    left = {query_id for (query_id,) in db.rows(_NOT_PLACED)}
    kept = [place for place, prompt in enumerate(searched) if prompt.query_id in left]
    rows = max(len(corpus.views.since), len(corpus.terms.since), len(corpus.addresses.since), depth.row_limit)
    deepest = min(rows, max(300, _MOST_ROWS // max(1, len(kept))))
    _look_deeper(corpus, [searched[place] for place in kept], None if found is None else found[kept], deepest, settings)
    return Depth(deepest, depth.row_limit)


def _look_deeper(
    corpus: Corpus, prompts: Sequence[Prompt], vectors: Floats | None, deepest: int, settings: Settings
) -> None:
    def take(db: Database) -> None:
        db.execute(f"INSERT INTO deep_rows {sql_text('review/deep_rows')}")

    retrieve(corpus, prompts, vectors, replace(depth_of(settings), row_limit=deepest), take)


def _write_holdings(corpus: Corpus) -> None:
    db = corpus.db
    for name, vectors in (("views", corpus.view_vectors), ("terms", corpus.term_vectors)):
        _write_places(db, f"comparable_{name}", vectors)
    db.execute(f"CREATE OR REPLACE TEMP TABLE holdings AS {sql_text('review/holdings')}")


def _write_places(db: Database, table: str, vectors: Vectors) -> None:
    write(db, table, {"place": pa.array(vectors.numbers, pa.int32())})
