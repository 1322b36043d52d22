"""One search: recall's signals and the content of the memories, joined and ranked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pyarrow as pa

from workbench.errors import BadInput
from workbench.replay.engine import retrieve_candidates
from workbench.replay.run import Settings
from workbench.retrieve.corpus import Corpus
from workbench.retrieve.engine import Depth, Prompt
from workbench.retrieve.nearest import Floats
from workbench.search.documents import Documents
from workbench.search.snippet import snippet
from workbench.store import Database, compose, sql_text
from workbench.text import trimmed

MODES = {
    "hybrid": ("exact", "glossary_semantic", "dense", "lexical"),
    "keyword": ("exact", "lexical"),
    "semantic": ("glossary_semantic", "dense"),
}
CONTENT_WEIGHT = 0.15
DEFAULT_LIMIT = 10
MOST_RESULTS = 100
DEFAULT_CONTENTS = 5
_ROWS_PER_RESULT = 4
_MOST_ROWS = 300
_ID = "search"
_CUE = "content"


@dataclass(frozen=True)
class Found:
    """`results` are mappings, best first; `candidates` counts what each signal returned; the limits are those that were
    applied."""

    query: str
    mode: str
    domain: str | None
    limit: int
    content_limit: int
    candidates: dict[str, int]
    results: Sequence[dict[str, Any]]

    def as_json(self) -> dict[str, Any]:
        """The document of `workbench search --json`."""
        return {
            "results": list(self.results),
            "meta": {
                "query": self.query,
                "mode": self.mode,
                "domain": self.domain,
                "limit": self.limit,
                "content_limit": self.content_limit,
                "strategy": "raw_plus_lex_damp",
                "candidates": dict(self.candidates),
            },
        }


def search(
    corpus: Corpus,
    documents: Documents,
    settings: Settings,
    query: str,
    now: datetime,
    *,
    mode: str = "hybrid",
    vector: Floats | None = None,
    domain: str | None = None,
    limit: int | None = None,
    content_limit: int | None = None,
) -> Found:
    """Search `corpus` for `query`; `vector`, shape (1, dimensions), is the query's in the corpus's model.

    The score is that of recall plus 0.15 times the content score. `limit` (1..100, 0 and None: 10) bounds the results,
    `content_limit` (0 and None: 5, less: 0) those with their whole content. As on the server, the disclosure stands
    with results that their content brought. An empty query finds nothing. Raises BadInput for an unknown mode.
    """
    if mode not in MODES:
        raise BadInput(f"Unknown mode {mode!r}; choose from {', '.join(MODES)}.")
    text = trimmed(query)
    if not text:
        return Found("", mode, domain, 0, 0, _counts({}, 0), ())
    most = max(1, min(MOST_RESULTS, limit or DEFAULT_LIMIT))
    contents = max(0, content_limit or DEFAULT_CONTENTS)
    depth = Depth(min(_MOST_ROWS, max(DEFAULT_LIMIT, most) * _ROWS_PER_RESULT), domain)
    matches = documents.matches(text, domain, depth.row_limit) if mode != "semantic" else []
    prompt = Prompt(_ID, text, now)
    retrieve_candidates(corpus, [prompt], vector, depth, cues=True, signals=MODES[mode])
    rows = _ranked(corpus.db, settings, matches, prompt, max(1, len(corpus.tokenizer.query(text))), most)
    lexemes = corpus.tokenizer.query(text)
    counts = dict(corpus.db.rows("SELECT signal, count(*) FROM signal_rows GROUP BY signal"))
    results = [_result(row, place < contents, lexemes) for place, row in enumerate(rows)]
    return Found(text, mode, domain, most, contents, _counts(counts, len(matches)), results)


def _counts(signals: dict[str, int], content: int) -> dict[str, int]:
    names = {"exact": "exact", "glossary_semantic": "glossary_semantic", "dense": "dense", "view_lexical": "lexical"}
    return {**{name: signals.get(signal, 0) for name, signal in names.items()}, "content_lexical": content}


def _ranked(
    db: Database, settings: Settings, matches: Sequence[tuple[str, float]], prompt: Prompt, tokens: int, most: int
) -> list[dict[str, Any]]:
    found = {
        "uri": pa.array([uri for uri, _ in matches], pa.string()),
        "content_score": [score for _, score in matches],
    }
    db.register("found_rows", pa.table({**found, "content_score": pa.array(found["content_score"], pa.float64())}))
    chain = (
        ("found", "SELECT * FROM found_rows"),
        ("search_candidates", sql_text("search/candidates")),
        ("candidates", "SELECT * FROM search_candidates"),
        "score",
        "search/results",
    )
    bound = settings.bindings() | {
        "query_id": prompt.query_id,
        "now": prompt.now,
        "query_tokens": tokens,
        "content_weight": CONTENT_WEIGHT,
        "limit": most,
    }
    try:
        rows: list[dict[str, Any]] = db.arrow(compose(chain), bound).to_pylist()
    finally:
        db.unregister("found_rows")
    return rows


def _result(row: dict[str, Any], with_content: bool, lexemes: Sequence[str]) -> dict[str, Any]:
    by_content = row["content_score"] is not None
    return {
        "uri": row["uri"],
        "domain": row["domain"],
        "path": row["path"],
        "priority": row["priority"],
        "disclosure": (row["disclosure"] or None) if by_content else None,
        "score": row["total"],
        "score_display": float(f"{row['total']:.2f}"),
        "content": (row["content"] or None) if with_content else None,
        "snippet": snippet(row["content"] or "", lexemes) if by_content else None,
        "matched_on": row["matched_on"],
        "cues": [*row["cues"], *([_CUE] if by_content else [])],
    }
