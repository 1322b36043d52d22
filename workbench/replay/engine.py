"""Replay through the engine: the signals are computed from prompts and memories, then scored as in a logged replay."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workbench.replay.run import Settings, slice_size
from workbench.retrieve.corpus import Corpus
from workbench.retrieve.engine import CHUNK, Depth, Prompt, retrieve, row_limit
from workbench.retrieve.nearest import Floats
from workbench.store import Database, compose, sql_text

CANDIDATES = "engine_candidates"
CUES = "engine_cues"

Progress = Callable[[int, int | None, str], None]

_MERGED = ("boot_uris", "merge", "retrieve/engine_candidates")


def depth_of(settings: Settings, domain: str | None = None) -> Depth:
    """How much the signals return under `settings`: the row limit of the display, and view weights that differ from
    those in force."""
    bound = settings.bindings()
    places = int(settings.params["recall.display.max_display_items"])
    return Depth(row_limit(slice_size(settings.limit, places)), domain, bound["gist_weight"], bound["question_weight"])


def retrieve_candidates(
    corpus: Corpus,
    prompts: Sequence[Prompt],
    vectors: Floats | None,
    depth: Depth,
    *,
    cues: bool = False,
    progress: Progress = lambda done, total, what: None,
) -> None:
    """Write the temporary table CANDIDATES in the shape of wb.logged_candidates, with what the log says of the same
    memories beside the engine's signals; with `cues` also CUES (query_id, uri, cues, matched_on).

    `vectors` has one row a prompt; see workbench.retrieve.engine.retrieve.
    """
    db = corpus.db
    done = 0
    db.execute(f"CREATE OR REPLACE TEMP TABLE {CANDIDATES} AS SELECT * FROM wb.logged_candidates LIMIT 0")
    db.execute(
        f"CREATE OR REPLACE TEMP TABLE {CUES} (query_id VARCHAR, uri VARCHAR, cues VARCHAR[], matched_on VARCHAR[])"
    )

    def take(chunk: Database) -> None:
        nonlocal done
        chunk.execute(f"INSERT INTO {CANDIDATES} BY NAME {compose(_MERGED)}")
        if cues:
            chunk.execute(f"INSERT INTO {CUES} BY NAME {sql_text('retrieve/cues')}")
        done = min(done + CHUNK, len(prompts))
        progress(done, len(prompts), "retrieving")

    retrieve(corpus, prompts, vectors, depth, take)
