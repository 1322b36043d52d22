"""What a store is good for, and how to get what it lacks."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from workbench.store import Database
from workbench.text import counted


@dataclass(frozen=True)
class Capability:
    """Whether something can be done with the store; `why` says what it rests on or how to get it."""

    possible: bool
    why: str


_COUNTS = """
SELECT
    (SELECT count(*) FROM recall_events) AS events,
    (SELECT count(*) FROM (
        SELECT query_id FROM recall_events WHERE query_id <> ''
        UNION
        SELECT metadata ->> '$.query_id' FROM recall_events WHERE query_id IS NULL OR query_id = ''
    ) WHERE query_id IS NOT NULL) AS queries,
    (SELECT count(*) FROM recall_query_candidates WHERE selected) AS shown,
    (SELECT count(*) FROM recall_query_candidates WHERE used_in_answer) AS used,
    (SELECT count(*) FROM memories) AS memories,
    (SELECT count(*) FROM memory_views) AS views,
    (SELECT count(*) FROM memory_views WHERE source = 'rebuilt') AS rebuilt_views,
    (SELECT count(*) FROM memory_views WHERE embedding_vector IS NOT NULL) AS view_vectors,
    (SELECT count(*) FROM glossary_keywords) AS keywords,
    (SELECT count(*) FROM glossary_term_embeddings WHERE embedding_vector IS NOT NULL) AS term_vectors,
    (SELECT count(*) FROM memory_events) AS memory_events,
    (SELECT count(*) FROM wb.embeddings) AS own_vectors,
    (SELECT count(*) FROM wb.agent_prompts) AS agent_prompts,
    (SELECT count(*) FROM wb.agent_searches) AS agent_searches,
    (SELECT count(*) FROM wb.agent_opens) AS agent_opens
"""


def capabilities(db: Database) -> dict[str, Any]:
    """Capability name to {possible, why}."""
    held = db.arrow(_COUNTS).to_pylist()[0]
    return {name: asdict(capability) for name, capability in {**_of_the_log(held), **_of_memories(held)}.items()}


def _of_the_log(held: dict[str, int]) -> dict[str, Capability]:
    return {
        "logged_replay": _when(
            held["events"],
            f"{counted(held['events'], 'recall event holds', 'recall events hold')} the signals of "
            f"{counted(held['queries'], 'query', 'queries')}",
            "no recall events; export the backup with recall events, or import a dump or tables that hold them",
        ),
        "engine_replay": _engine(held),
        "helpfulness": _when(
            held["shown"],
            f"{counted(held['shown'], 'memory was', 'memories were')} shown in all traffic, "
            f"{held['used']:,} of them marked as used",
            "no shown memories; import recall events or the recall tables of the database",
        ),
        "misses": _when(
            held["agent_prompts"] + held["agent_searches"] + held["agent_opens"],
            f"{counted(held['agent_opens'], 'open')} and {counted(held['agent_searches'], 'search', 'searches')} "
            f"of agents, from {counted(held['agent_prompts'], 'prompt')}",
            "nothing is known of what agents opened, so that only answers by hand and use in near-identical prompts "
            "show a miss; import the transcripts of Claude Code or Codex",
        ),
    }


def _of_memories(held: dict[str, int]) -> dict[str, Capability]:
    return {
        "memories": _when(
            held["memories"],
            counted(held["memories"], "memory row"),
            "no memories; import a backup, a dump or the tables",
        ),
        "glossary": _when(held["keywords"], counted(held["keywords"], "keyword"), "no glossary keywords in the source"),
        "views": _when(
            held["views"],
            _views(held),
            "no views; a backup does not hold them, a pg_dump, tables or the live database do; `workbench embed` "
            "rebuilds them approximately from the memories",
        ),
        "glossary_vectors": _when(
            held["term_vectors"],
            counted(held["term_vectors"], "keyword vector"),
            "no keyword vectors; a backup does not hold them, a pg_dump, tables or the live database do",
        ),
        "memory_history": _when(
            held["memory_events"], counted(held["memory_events"], "memory event"), "no memory events in the source"
        ),
    }


def _views(held: dict[str, int]) -> str:
    views, rebuilt = counted(held["views"], "view"), held["rebuilt_views"]
    if rebuilt == held["views"]:
        return f"{views} rebuilt from the memories"
    said = f"{views}, {held['view_vectors']:,} with a vector"
    return f"{said}, {rebuilt:,} rebuilt from memories that were written here" if rebuilt else said


def _engine(held: dict[str, int]) -> Capability:
    """The engine needs memories; how many signals it has depends on views and vectors."""
    if not held["memories"]:
        return Capability(False, "no memories; import a backup, a dump or the tables")
    signals = ["exact", *(["lexical"] if held["views"] else [])]
    if held["own_vectors"]:
        return Capability(
            True, f"signals {', '.join(signals)}, and those of vectors: {counted(held['own_vectors'], 'text')} embedded"
        )
    return Capability(True, f"signals {', '.join(signals)} only; run `workbench embed` to give prompts their vectors")


def _when(count: int, possible: str, otherwise: str) -> Capability:
    return Capability(count > 0, possible if count else otherwise)
