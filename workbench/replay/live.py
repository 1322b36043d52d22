"""Recall as the server runs it, for prompts, now: what is shown, and the block that an agent reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from workbench.replay.block import recall_block
from workbench.replay.engine import CANDIDATES, CUES, depth_of, retrieve_candidates
from workbench.replay.query import Query, prepare
from workbench.replay.run import Settings, candidates_of, full_chain
from workbench.retrieve.corpus import Corpus
from workbench.retrieve.engine import CHUNK, Prompt
from workbench.retrieve.nearest import Floats
from workbench.store import Database, compose, sql_text

_SIGNAL_ROWS = """
SELECT query_id, uri, signal, view_type, raw_score, weight, cue_terms, flags FROM signal_rows ORDER BY query_id, arrival
"""
_SIGNALS = ("exact", "glossary_semantic", "dense", "lexical")


@dataclass(frozen=True)
class Asked:
    """One prompt and the instant of asking; what is given of the rest stands in the block."""

    prompt: str
    now: datetime
    query_id: str | None = None
    session_id: str | None = None
    phase: str | None = None

    def name(self, number: int) -> str:
        """What tells the prompt apart from the others of a retrieval."""
        return self.query_id or f"live {number}"


@dataclass(frozen=True)
class Recall:
    """What one recall shows: `items` are mappings (uri, score, score_display, cues, matched_on), best first;
    `suppressed` counts memories that were looked at and not shown, by cause; `rows` those that each signal returned.

    `candidates` are all that were ranked, best first, with their positions and the terms of their score, and
    `signal_rows` what each signal returned for them: what a log keeps.
    """

    query: Query
    items: Sequence[Mapping[str, Any]]
    suppressed: Mapping[str, int]
    rows: Mapping[str, int]
    tokens: int
    model: str | None
    recency: bool
    block: str
    candidates: Sequence[Mapping[str, Any]]
    signal_rows: Sequence[Mapping[str, Any]]

    @property
    def notices(self) -> list[str]:
        """What the reader is told beside the block."""
        if not self.query.truncated:
            return []
        return [
            f"Only the first {self.query.chars} of {self.query.original_chars} characters of the prompt were searched."
        ]

    @property
    def meta(self) -> dict[str, Any]:
        """What the server logs about the retrieval."""
        return {
            **{f"{signal}_candidates": self.rows.get(signal, 0) for signal in _SIGNALS},
            "model": self.model,
            "strategy": "raw_plus_lex_damp",
            "query_tokens": self.tokens,
            "query_chars": self.query.chars,
            "original_query_chars": self.query.original_chars,
            "query_truncated": self.query.truncated,
            "query_char_limit": self.query.limit,
            "recency_enabled": self.recency,
            "view_types": ["gist", "question"],
        }

    def unrecorded(self) -> Recall:
        """The same, its block without identifiers: nothing may be reported of a recall that no log holds."""
        shown = [(item["score"], item["uri"], item["cues"]) for item in self.items]
        return replace(self, block=recall_block(shown))

    def as_json(self) -> dict[str, Any]:
        """The document of `workbench recall --json`."""
        return {
            "items": [dict(item) for item in self.items],
            "suppressed": dict(self.suppressed),
            "block": self.block,
            "notices": self.notices,
            "retrieval_meta": self.meta,
        }


def recall(
    corpus: Corpus,
    settings: Settings,
    asked: Asked,
    vector: Floats | None = None,
    *,
    domain: str | None = None,
) -> Recall:
    """Recall the memories of `corpus` for one prompt; `vector` is that of its searched part, shape (1, dimensions)."""
    return recalls(corpus, settings, [asked], vector, domain=domain)[0]


def recalls(
    corpus: Corpus,
    settings: Settings,
    asked: Sequence[Asked],
    vectors: Floats | None = None,
    *,
    domain: str | None = None,
) -> list[Recall]:
    """Recall for several prompts at once, at most CHUNK; `vectors` has a row for each, NaN where it has none.

    After it the temporary tables of a retrieval hold all that was found.
    """
    if len(asked) > CHUNK:
        raise ValueError(f"{len(asked)} prompts at once are more than {CHUNK}")
    queries = [prepare(one.prompt, int(settings.params["recall.safety.max_query_chars"])) for one in asked]
    prompts = [
        Prompt(one.name(number), query.searched, one.now)
        for number, (one, query) in enumerate(zip(asked, queries, strict=True))
    ]
    retrieve_candidates(corpus, prompts, vectors, depth_of(settings, domain), cues=True)
    candidates = _by_query(_displayed(corpus.db, settings))
    signal_rows = _by_query(corpus.db.arrow(_SIGNAL_ROWS).to_pylist())
    return [
        _recall(corpus, settings, one, query, candidates.get(prompt.query_id, []), signal_rows.get(prompt.query_id, []))
        for one, query, prompt in zip(asked, queries, prompts, strict=True)
    ]


def _recall(
    corpus: Corpus,
    settings: Settings,
    asked: Asked,
    query: Query,
    candidates: list[dict[str, Any]],
    signal_rows: list[dict[str, Any]],
) -> Recall:
    shown = [row for row in candidates if row["shown"]]
    words = Prompt("", query.searched, None).words
    return Recall(
        query=query,
        items=[_item(row) for row in shown],
        suppressed={cause: sum(row["suppressed_by"] == cause for row in candidates) for cause in ("boot", "score")},
        rows={signal: sum(row["signal"] == signal for row in signal_rows) for signal in _SIGNALS},
        tokens=max(1, len(corpus.tokenizer.query(words))),
        model=corpus.model,
        recency=bool(settings.params["recall.recency.enabled"]),
        block=recall_block(
            [(row["score"], row["uri"], row["cues"]) for row in shown],
            session_id=asked.session_id, query_id=asked.query_id, phase=asked.phase,
        ),
        candidates=candidates,
        signal_rows=signal_rows,
    )  # fmt: skip


def _item(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "uri": row["uri"],
        "score": row["score"],
        "score_display": float(f"{row['score']:.2f}"),
        "cues": row["cues"],
        "matched_on": row["matched_on"],
    }


def _by_query(rows: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["query_id"], []).append(row)
    return found


def _displayed(db: Database, settings: Settings) -> list[dict[str, Any]]:
    chain = (*full_chain(candidates_of(None, CANDIDATES)), ("cues", f"SELECT * FROM {CUES}"))
    sql = compose(chain, sql_text("retrieve/live_candidates"))
    rows: list[dict[str, Any]] = db.arrow(sql, settings.bindings()).to_pylist()
    return rows
