"""Replay through the engine: the signals are computed from prompts and memories, then scored as in a logged replay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from workbench.errors import BadInput
from workbench.replay.query import limit_bindings, prepare
from workbench.replay.run import Settings, slice_size
from workbench.retrieve.clock import Clock
from workbench.retrieve.corpus import Corpus, load_corpus
from workbench.retrieve.embeddings import vectors
from workbench.retrieve.engine import CHUNK, Depth, Prompt, retrieve, row_limit
from workbench.retrieve.nearest import Floats
from workbench.retrieve.rebuild import rebuilt_counts
from workbench.retrieve.rebuild import sentence as rebuilt_sentence
from workbench.store import Database, compose, sql_text
from workbench.textsearch import Tokenizer

CANDIDATES = "engine_candidates"
CUES = "engine_cues"
COUNTS = "engine_counts"

Progress = Callable[[int, int | None, str], None]

AS_OF = Clock("as-of")

_CLOCKED = compose((("queries", "SELECT query_id, now FROM wb.logged_queries"), "corpus/clocked"))
_MERGED = ("boot_uris", "merge", "retrieve/engine_candidates")


@dataclass(frozen=True)
class EngineReplay:
    """What an engine replay rests on.

    `settings` replay its candidates. `prompts` were retrieved, of which `without_vector` have no vector of `model`, so
    that their dense and glossary signals are missing; `unusable` counts views and keywords without a comparable one,
    `rebuilt` those that are rebuilt from the memories.
    """

    settings: Settings
    prompts: int
    without_vector: int
    model: str | None
    tokenizer: str
    clock: Clock
    unusable: dict[str, int]
    rebuilt: dict[str, int]

    def notes(self) -> list[str]:
        """What a reader has to know: which memories were replayed, and what could not be compared."""
        said = [f"Signals of the engine, {self.clock.label}; tokenizer {self.tokenizer}."]
        if approximation := rebuilt_sentence(self.rebuilt):
            said.append(approximation)
        if self.without_vector:
            said.append(
                f"{self.without_vector:,} of {self.prompts:,} prompts have no vector of {self.model or 'any model'}: "
                "their dense and glossary signals are missing; run `workbench embed`."
            )
        if self.model and any(self.unusable.values()):
            said.append(
                f"{self.unusable['views']:,} views and {self.unusable['terms']:,} keywords have no vector of "
                f"{self.model} that can be compared."
            )
        return said

    def as_json(self) -> dict[str, Any]:
        """The entry `engine` of a replay."""
        return {
            "prompts": self.prompts,
            "prompts_without_vector": self.without_vector,
            "model": self.model,
            "tokenizer": self.tokenizer,
            "clock": self.clock.mode,
            "as_of": self.clock.label,
            "views_without_vector": self.unusable["views"],
            "keywords_without_vector": self.unusable["terms"],
            "rebuilt": self.rebuilt,
        }


def depth_of(settings: Settings, domain: str | None = None) -> Depth:
    """How much the signals return under `settings`: the row limit of the display, and view weights that differ from
    those in force."""
    bound = settings.bindings()
    places = int(settings.params["recall.display.max_display_items"])
    return Depth(row_limit(slice_size(settings.limit, places)), domain, bound["gist_weight"], bound["question_weight"])


def engine_replay(
    db: Database,
    settings: Settings,
    selected: str,
    tokenizer: Tokenizer,
    model: str | None,
    clock: Clock = AS_OF,
    progress: Progress = lambda done, total, what: None,
) -> EngineReplay:
    """Retrieve the queries of the table `selected` from the memories in `db` as `clock` sees them; write CANDIDATES.

    A prompt is cut where the server cut it; under another `recall.safety.max_query_chars` than the one in force, there.
    """
    clock = clock.resolved(db)
    prompts = prompts_of(db, settings, selected, clock)
    corpus = load_corpus(db, tokenizer, model, clock)
    found = vectors_of(db, model, [prompt.searched for prompt in prompts])
    retrieve_candidates(corpus, prompts, found, depth_of(settings), progress=progress)
    missing = len(prompts) if found is None else int((~np.isfinite(found).all(axis=1)).sum())
    return EngineReplay(
        replace(settings, candidates=CANDIDATES), len(prompts), missing, model, tokenizer.name, clock, corpus.unusable,
        rebuilt_counts(db),
    )  # fmt: skip


def prompts_of(db: Database, settings: Settings, selected: str, clock: Clock) -> list[Prompt]:
    """The queries of the table `selected` as they are searched, oldest first; `clock` has its time."""
    wanted = int(settings.params["recall.safety.max_query_chars"])
    in_force = int(settings.in_force["recall.safety.max_query_chars"])
    bound = clock.bindings() | limit_bindings(settings.in_force)
    select = _QUERIES.format(selected=selected, clocked=_CLOCKED, limits=sql_text("logged/query_limits"))
    return [
        Prompt(query_id, prepare(text, wanted if wanted != in_force else limit).searched, now, corpus_at)
        for query_id, text, limit, now, corpus_at in db.rows(select, bound)
    ]


_QUERIES = """
SELECT l.query_id, r.query_text, q.query_limit, c.now, CASE WHEN isfinite(c.corpus_at) THEN c.corpus_at END
FROM {selected} AS s
JOIN wb.logged_queries AS l ON l.query_id = s.query_id
JOIN recall_queries AS r ON r.query_id = s.query_id
JOIN ({clocked}) AS c ON c.query_id = s.query_id
JOIN ({limits}) AS q ON q.query_id = s.query_id
ORDER BY l.now, l.query_id
"""

_COUNTED = """
SELECT
    query_id,
    sum(rows) FILTER (signal = 'dense') AS dense_rows,
    sum(rows) FILTER (signal = 'glossary_semantic') AS glossary_rows,
    max(rows) AS most_rows
FROM (SELECT query_id, signal, count(*) AS rows FROM signal_rows GROUP BY ALL)
GROUP BY query_id
"""


def vectors_of(db: Database, model: str | None, texts: Sequence[str]) -> Floats | None:
    """One row a text: its vector of `model`, NaN where the store has none; None where it has none at all."""
    if model is None:
        return None
    found = vectors(db, model, texts)
    if not len(found.positions):
        return None
    matrix = np.full((len(texts), found.matrix.shape[1]), np.nan, np.float32)
    matrix[found.positions] = found.matrix
    return matrix


def engine_model(db: Database, wanted: str | None = None) -> str | None:
    """The model that prompts and memories are compared in: `wanted`; else, of the models that texts were embedded with
    here, the imported server's, or the one with most texts; None where nothing was embedded.

    Raises BadInput when the store holds no text embedded with `wanted`.
    """
    held = [name for (name,) in db.rows("SELECT model FROM wb.embeddings GROUP BY model ORDER BY count(*) DESC, model")]
    if wanted is not None:
        if wanted not in held:
            known = f"it holds {', '.join(held)}" if held else "it holds no embedded text"
            raise BadInput(f"No prompt has a vector of {wanted}: {known}; run `workbench embed --model {wanted}`.")
        return wanted
    servers = db.rows(_SERVERS_MODEL)
    return next((name for (name,) in servers if name in held), held[0] if held else None)


_SERVERS_MODEL = """
SELECT embedding_model FROM memory_views WHERE embedding_vector IS NOT NULL
GROUP BY embedding_model ORDER BY count(*) DESC, embedding_model
"""


def retrieve_candidates(
    corpus: Corpus,
    prompts: Sequence[Prompt],
    vectors: Floats | None,
    depth: Depth,
    *,
    cues: bool = False,
    signals: Sequence[str] | None = None,
    progress: Progress = lambda done, total, what: None,
) -> None:
    """Write the temporary table CANDIDATES in the shape of wb.logged_candidates, with what the log says of the same
    memories beside the engine's signals, and COUNTS (query_id, dense_rows, glossary_rows, most_rows: of one signal);
    with `cues` also CUES (query_id, uri, cues, matched_on).

    `vectors` has one row a prompt; see workbench.retrieve.engine.retrieve. `signals` keeps only those (None: all four).
    """
    db = corpus.db
    done = 0
    db.execute(f"CREATE OR REPLACE TEMP TABLE {CANDIDATES} AS SELECT * FROM wb.logged_candidates LIMIT 0")
    db.execute(
        f"CREATE OR REPLACE TEMP TABLE {CUES} (query_id VARCHAR, uri VARCHAR, cues VARCHAR[], matched_on VARCHAR[])"
    )
    counts = "query_id VARCHAR, dense_rows BIGINT, glossary_rows BIGINT, most_rows BIGINT"
    db.execute(f"CREATE OR REPLACE TEMP TABLE {COUNTS} ({counts})")

    def take(chunk: Database) -> None:
        nonlocal done
        if signals is not None:
            chunk.execute("DELETE FROM signal_rows WHERE NOT list_contains($kept, signal)", {"kept": [*signals]})
        chunk.execute(f"INSERT INTO {CANDIDATES} BY NAME {compose(_MERGED)}")
        chunk.execute(f"INSERT INTO {COUNTS} {_COUNTED}")
        if cues:
            chunk.execute(f"INSERT INTO {CUES} BY NAME {sql_text('retrieve/cues')}")
        done = min(done + CHUNK, len(prompts))
        progress(done, len(prompts), "retrieving")

    retrieve(corpus, prompts, vectors, depth, take)
