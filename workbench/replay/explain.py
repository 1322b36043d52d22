"""One prompt, stage by stage: what was searched, what each signal returned, and why each memory was shown or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workbench.errors import BadInput
from workbench.params import Params
from workbench.replay.asked import Asked, logged_prompt, searched_anew
from workbench.replay.changes import EXPLAINED, memory_changes, setting_changes
from workbench.replay.engine import EngineReplay
from workbench.replay.notes import notes
from workbench.replay.reach import TOP_TIER, OwnReach, Reachability, own_reach, reachability
from workbench.replay.run import Settings, candidates_of, full_chain, slice_size
from workbench.store import Database, compose, sql_text

LOGGED_ROWS = "logged_signal_rows"
ENGINE_ROWS = "signal_rows"

_TERMS = ("exact", "glossary_semantic", "dense", "lexical", "view", "priority", "multi_view", "recency")


@dataclass(frozen=True)
class Explanation:
    """`asked` is the prompt as searched; `rows` are the signal rows; `candidates` the scored memories, best first.

    Of the one memory that was asked for: `memory` is what it can score at best (None where the store holds nothing of
    it), `flips` the single settings and `memory_flips` the single changes of the memory that would show or hide it.
    `engine` says what computed signals rest on; None: production logged them.
    """

    asked: Asked
    params: Params
    rows: Sequence[Mapping[str, Any]]
    candidates: Sequence[Mapping[str, Any]]
    reach: Reachability
    uri: str | None = None
    memory: OwnReach | None = None
    flips: Sequence[Mapping[str, Any]] = ()
    memory_flips: Sequence[Mapping[str, Any]] = ()
    engine: Mapping[str, Any] | None = None

    @property
    def query_id(self) -> str:
        return self.asked.query_id

    def as_json(self) -> dict[str, Any]:
        """The document of `workbench explain --json`."""
        said = {
            "query_id": self.query_id,
            "query": self.asked.as_json(),
            "min_display_score": float(self.params["recall.display.min_display_score"]),
            "signal_rows": list(self.rows),
            "candidates": list(self.candidates),
            "single_changes": list(self.flips),
            "memory_changes": list(self.memory_flips),
            "memory": None if self.memory is None else self.memory.as_json(),
            "reachability": self.reach.as_json(),
        }
        engine = {} if self.engine is None else {"engine": dict(self.engine)}
        return {**said, **engine, "notes": notes(said, self.params)}


def explain(
    db: Database,
    settings: Settings,
    query_id: str,
    uri: str | None = None,
    engine: Callable[[str], EngineReplay | None] = lambda selected: None,
) -> Explanation:
    """All stages of the logged query `query_id` under `settings`.

    The signals are those that production logged, or, where `engine` retrieves the query of the table that it is given,
    the engine's. With `uri`, of that memory alone, and what would flip it. Raises BadInput when the store knows no such
    query, or neither the query nor the store such a memory.
    """
    asked = logged_prompt(db, settings.in_force, query_id)
    _mark(db, query_id)
    replayed = engine(EXPLAINED)
    if replayed is not None:
        asked = searched_anew(asked, settings, replayed)
        return replace(explain_prompt(db, replayed.settings, asked, ENGINE_ROWS, uri), engine=replayed.as_json())
    db.execute(
        f"CREATE OR REPLACE TEMP TABLE touched AS SELECT query_id FROM {EXPLAINED};"
        f"CREATE OR REPLACE TEMP TABLE logged_events AS {sql_text('logged/logged_events')}"
    )
    stages = ("logged/memory_now", ("signal_rows", sql_text("logged/signal_rows")), "explain/logged_rows")
    db.execute(f"CREATE OR REPLACE TEMP TABLE {LOGGED_ROWS} AS {compose(stages)}")
    return explain_prompt(db, settings, asked, LOGGED_ROWS, uri)


def explain_prompt(db: Database, settings: Settings, asked: Asked, rows: str, uri: str | None = None) -> Explanation:
    """All stages of `asked` under `settings`, whoever computed them; the prompt need not be logged.

    The table `rows` holds the signal rows as explain_rows.sql takes them (after a retrieval ENGINE_ROWS does),
    `settings.candidates` names their candidates. With `uri` as in explain().
    """
    _mark(db, asked.query_id)
    db.execute(
        f"CREATE OR REPLACE TEMP TABLE explained_candidates AS SELECT * FROM {settings.candidates}"
        f" WHERE query_id IN (SELECT query_id FROM {EXPLAINED})"
    )
    settings = replace(settings, candidates="explained_candidates")
    candidates = _candidates(db, settings)
    memory = None if uri is None else own_reach(db, settings, uri, asked.query_tokens, asked.model)
    if uri is not None:
        candidates = [candidate for candidate in candidates if candidate["uri"] == uri]
        if memory is not None and candidates:
            memory = replace(memory, logged=candidates[0]["score"])
        if not candidates and memory is None:
            raise BadInput(f"Query {asked.query_id} has no candidate {uri}: no signal returned it for this prompt.")
    return Explanation(
        asked,
        settings.params,
        _signal_rows(db, rows, uri),
        candidates,
        reachability(db, settings, asked.query_tokens, TOP_TIER),
        uri,
        memory,
        setting_changes(db, settings, uri, bool(candidates[0]["shown"])) if uri is not None and candidates else (),
        memory_changes(db, settings, asked, uri) if uri is not None else (),
    )


def _mark(db: Database, query_id: str) -> None:
    db.execute(f"CREATE OR REPLACE TEMP TABLE {EXPLAINED} AS SELECT $query_id AS query_id", {"query_id": query_id})


def _signal_rows(db: Database, rows: str, uri: str | None) -> list[dict[str, Any]]:
    stages = (
        "logged/memory_now",
        "exact_tiers",
        ("explained_rows", f"SELECT * FROM {rows} WHERE query_id IN (SELECT query_id FROM {EXPLAINED})"),
        "explain/explain_rows",
    )
    found: list[dict[str, Any]] = db.arrow(compose(stages, "SELECT * FROM {last} ORDER BY arrival")).to_pylist()
    return [row for row in found if uri is None or row["uri"] == uri]


def _candidates(db: Database, settings: Settings) -> list[dict[str, Any]]:
    chain = full_chain(candidates_of(EXPLAINED, settings.candidates))
    stages = ("boot_uris", "logged/memory_now", *chain, "explain/explain_candidates")
    select = compose(stages, "SELECT * FROM {last} ORDER BY ranked_position")
    found = db.arrow(select, settings.bindings()).to_pylist()
    return [_with_terms(row) | {"why": _why(row, settings)} for row in found]


def _with_terms(row: dict[str, Any]) -> dict[str, Any]:
    """Fold the c_* columns into one mapping, so that the parts of a score stand together."""
    row["terms"] = {term: row.pop(f"c_{term}") for term in _TERMS}
    return row


def _why(row: Mapping[str, Any], settings: Settings) -> str:
    """Why a candidate is shown or not, in one sentence."""
    params = settings.params
    threshold = float(params["recall.display.min_display_score"])
    places = max(1, int(params["recall.display.max_display_items"]))
    away = f"{abs(row['above_threshold']):.6f}"
    low = f" Its score is {away} below the threshold {threshold:g} as well." if row["above_threshold"] < 0 else ""
    return {
        None: f"Shown at place {row['displayed_position']}: its score is {away} above the threshold {threshold:g}.",
        "boot": "A start-up memory: the agent has it from the start of the session, recall never shows it; it uses up "
        "a place among the candidates that are looked at.",
        "score": f"Its score is {away} below the threshold {threshold:g}.",
        "limit": f"The display was full with {places} better memories before it was looked at.{low}",
        "slice": f"Only the first {slice_size(settings.limit, places)} candidates are looked at; this is number "
        f"{row['ranked_position']}.{low}",
    }[row["suppressed_by"]]
