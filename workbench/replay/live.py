"""Recall as the server runs it, for one prompt, now: what is shown, and the block that an agent reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from workbench.replay.block import recall_block
from workbench.replay.engine import CANDIDATES, CUES, depth_of, retrieve_candidates
from workbench.replay.query import Query, prepare
from workbench.replay.run import Settings, candidates_of, full_chain
from workbench.retrieve.corpus import Corpus
from workbench.retrieve.engine import Prompt
from workbench.retrieve.nearest import Floats
from workbench.store import Database, compose

_SHOWN = f"""
SELECT d.uri, d.score, d.displayed_position, d.suppressed_by, c.cues, c.matched_on
FROM {{last}} AS d
JOIN {CUES} AS c ON c.query_id = d.query_id AND c.uri = d.uri
WHERE d.shown OR d.suppressed_by IN ('boot', 'score')
ORDER BY d.ranked_position
"""
_SIGNALS = ("exact", "glossary_semantic", "dense", "lexical")


@dataclass(frozen=True)
class Recall:
    """What one recall shows: `items` are mappings (uri, score, score_display, cues, matched_on), best first;
    `suppressed` counts memories that were looked at and not shown, by cause; `rows` those that each signal returned."""

    query: Query
    items: Sequence[Mapping[str, Any]]
    suppressed: Mapping[str, int]
    rows: Mapping[str, int]
    tokens: int
    model: str | None
    recency: bool
    block: str

    @property
    def notices(self) -> list[str]:
        """What the reader is told beside the block."""
        if not self.query.truncated:
            return []
        return [
            f"Only the first {self.query.chars} of {self.query.original_chars} characters of the prompt were searched."
        ]

    def as_json(self) -> dict[str, Any]:
        """The document of `workbench recall --json`."""
        return {
            "items": [dict(item) for item in self.items],
            "suppressed": dict(self.suppressed),
            "block": self.block,
            "notices": self.notices,
            "retrieval_meta": {
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
            },
        }


def recall(
    corpus: Corpus,
    settings: Settings,
    prompt: str,
    now: datetime,
    vector: Floats | None = None,
    *,
    query_id: str | None = None,
    session_id: str | None = None,
    phase: str | None = None,
    domain: str | None = None,
) -> Recall:
    """Recall the memories of `corpus` for `prompt`; `vector` is that of its searched part, shape (1, dimensions).

    The identifiers and the phase stand in the block where they are given. After it the temporary tables of a retrieval
    hold all that was found.
    """
    query = prepare(prompt, int(settings.params["recall.safety.max_query_chars"]))
    one = Prompt(query_id or "live", query.searched, now)
    retrieve_candidates(corpus, [one], vector, depth_of(settings, domain), cues=True)
    rows = _displayed(corpus.db, settings)
    shown = [row for row in rows if row["displayed_position"] is not None]
    items = [
        {
            "uri": row["uri"],
            "score": row["score"],
            "score_display": float(f"{row['score']:.2f}"),
            "cues": row["cues"],
            "matched_on": row["matched_on"],
        }
        for row in shown
    ]
    return Recall(
        query=query,
        items=items,
        suppressed={cause: sum(row["suppressed_by"] == cause for row in rows) for cause in ("boot", "score")},
        rows=dict(corpus.db.rows("SELECT signal, count(*) FROM signal_rows GROUP BY signal")),
        tokens=max(1, len(corpus.tokenizer.query(one.words))),
        model=corpus.model,
        recency=bool(settings.params["recall.recency.enabled"]),
        block=recall_block(
            [(row["score"], row["uri"], row["cues"]) for row in shown],
            session_id=session_id, query_id=query_id, phase=phase,
        ),
    )  # fmt: skip


def _displayed(db: Database, settings: Settings) -> list[dict[str, Any]]:
    chain = full_chain(candidates_of(None, CANDIDATES))
    rows: list[dict[str, Any]] = db.arrow(compose(chain, _SHOWN), settings.bindings()).to_pylist()
    return rows
