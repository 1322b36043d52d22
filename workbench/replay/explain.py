"""One prompt, stage by stage: what was searched, what each signal returned, and why each memory was shown or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.errors import BadInput
from workbench.params import KEYS, Key, Value, snap
from workbench.replay.query import DEFAULT_QUERY_CHARS, Query, prepare
from workbench.replay.run import Settings, candidates_of, full_chain
from workbench.store import Database, compose, sql_text

_TERMS = ("exact", "glossary_semantic", "dense", "lexical", "view", "priority", "multi_view", "recency")
_PROBES = 4


@dataclass(frozen=True)
class Explanation:
    """`query` is the prompt as searched; `rows` are the signal rows; `candidates` the scored memories, best first."""

    query_id: str
    query: Query
    facts: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]
    candidates: Sequence[Mapping[str, Any]]
    flips: Sequence[Mapping[str, Any]]
    min_display_score: float

    def as_json(self) -> dict[str, Any]:
        """The document of `workbench explain --json`."""
        return {
            "query_id": self.query_id,
            "query": {
                "text": self.query.text,
                "searched": self.query.searched,
                "query_chars": self.query.chars,
                "original_query_chars": self.query.original_chars,
                "query_truncated": self.query.truncated,
                **self.facts,
            },
            "min_display_score": self.min_display_score,
            "signal_rows": list(self.rows),
            "candidates": list(self.candidates),
            "single_changes": list(self.flips),
        }


def explain(db: Database, settings: Settings, query_id: str, uri: str | None = None) -> Explanation:
    """All stages of the logged query `query_id` under `settings`; with `uri`, also which single setting flips it.

    Raises BadInput when the store knows no such query, or the query no such memory.
    """
    facts = _facts(db, query_id)
    db.execute("CREATE OR REPLACE TEMP TABLE explained AS SELECT $query_id AS query_id", {"query_id": query_id})
    candidates = _candidates(db, settings)
    if uri is not None:
        candidates = [candidate for candidate in candidates if candidate["uri"] == uri]
        if not candidates:
            raise BadInput(f"Query {query_id} has no candidate {uri}: no signal returned it for this prompt.")
    text = facts.pop("query_text")
    limit = facts["query_char_limit"] or settings.params["recall.safety.max_query_chars"] or DEFAULT_QUERY_CHARS
    return Explanation(
        query_id,
        prepare(text, int(limit)),
        facts,
        _signal_rows(db, uri),
        candidates,
        single_changes(db, settings, uri, bool(candidates[0]["shown"])) if uri is not None else (),
        float(settings.params["recall.display.min_display_score"]),
    )


def single_changes(db: Database, settings: Settings, uri: str, shown: bool) -> list[dict[str, Any]]:
    """For each replayable key the value nearest to the present one, within its range, that alone flips `uri`.

    A flip between two of the _PROBES on a side of the present value that is undone at both of them is not seen.
    """

    def flips(key: Key, value: Value) -> bool:
        changed = Settings(settings.params.replace({key.name: value}), settings.in_force)
        return _is_shown(db, changed, uri) != shown

    found = []
    for key in KEYS.values():
        present = settings.params[key.name]
        sides = [key.low, key.high] if key.kind is not bool else [not present]
        values = [v for side in sides if (v := _nearest_flip(key, present, side, flips)) is not None]
        if key.replayable and values:
            to = min(values, key=lambda value: abs(value - present))
            found.append({"key": key.name, "from": present, "to": to, "shown": not shown})
    return found


def _nearest_flip(key: Key, present: Value, side: float, flips: Callable[[Key, Value], bool]) -> Value | None:
    """The value between `present` and `side` nearest to `present` that flips, to the key's step, or None."""
    if not key.replayable:
        return None
    kept = float(present)
    for share in range(1, _PROBES + 1):
        probe = float(snap(key, present + (side - present) * share / _PROBES))
        if probe != kept and flips(key, snap(key, probe)):
            break
        kept = probe
    else:
        return None
    while abs(probe - kept) > key.step * 1.5:
        middle = float(snap(key, (probe + kept) / 2))
        probe, kept = (middle, kept) if flips(key, snap(key, middle)) else (probe, middle)
    return snap(key, probe)


def _is_shown(db: Database, settings: Settings, uri: str) -> bool:
    chain = full_chain(candidates_of("explained", settings.candidates))
    shown: bool = db.row(
        compose(chain, "SELECT bool_or(shown) FROM {last} WHERE uri = $uri"), settings.bindings() | {"uri": uri}
    )[0]
    return shown


def _facts(db: Database, query_id: str) -> dict[str, Any]:
    table = db.arrow(
        """
        SELECT r.query_text, l.now::VARCHAR AS now, l.session_id, l.client_type, l.traffic, l.query_tokens,
            l.tokens_logged, l.query_char_limit, l.strategy, l.embedding_model, l.duration_ms
        FROM recall_queries AS r JOIN wb.logged_queries AS l ON l.query_id = r.query_id
        WHERE r.query_id = $query_id
        """,
        {"query_id": query_id},
    )
    if table.num_rows == 0:
        raise BadInput(
            f"The store holds no query {query_id!r}; `workbench replay --dump FILE` lists all that it holds."
        )
    facts: dict[str, Any] = table.to_pylist()[0]
    return facts


def _signal_rows(db: Database, uri: str | None) -> list[dict[str, Any]]:
    db.execute(
        f"CREATE OR REPLACE TEMP TABLE touched AS SELECT query_id FROM explained;"
        f"CREATE OR REPLACE TEMP TABLE logged_events AS {sql_text('logged/logged_events')}"
    )
    rows: list[dict[str, Any]] = db.arrow(sql_text("explain_rows")).to_pylist()
    return [row for row in rows if uri is None or row["uri"] == uri]


_CANDIDATE = """
SELECT
    uri, node_uuid, ranked_position, score, shown, displayed_position, suppressed_by,
    round(score - $min_display_score, 6) AS above_threshold,
    exact, glossary_semantic, dense, lexical, lexical_damp, priority, priority_source, age_days, age_source,
    c_exact, c_glossary_semantic, c_dense, c_lexical, c_view, c_priority, c_multi_view, c_recency,
    logged_score, logged_shown, logged_position, used
FROM {last}
ORDER BY ranked_position
"""


def _candidates(db: Database, settings: Settings) -> list[dict[str, Any]]:
    rows = db.arrow(
        compose(full_chain(candidates_of("explained", settings.candidates)), _CANDIDATE), settings.bindings()
    ).to_pylist()
    return [_with_terms(row) for row in rows]


def _with_terms(row: dict[str, Any]) -> dict[str, Any]:
    """Fold the c_* columns into one mapping, so that the parts of a score stand together."""
    row["terms"] = {term: row.pop(f"c_{term}") for term in _TERMS}
    return row
