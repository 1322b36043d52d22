"""What a store is good for, and how to get what it lacks."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from workbench.store import Database


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
    found = {
        "logged_replay": _when(
            held["events"],
            "{events:,} recall events hold the signals of {queries:,} queries",
            "no recall events; export the backup with recall events, or import a dump or tables that hold them",
            held,
        ),
        "engine_replay": _engine(held),
        "helpfulness": _when(
            held["shown"],
            "{shown:,} memories were shown, {used:,} of them opened",
            "no shown memories; import recall events or the recall tables of the database",
            held,
        ),
        "memories": _when(
            held["memories"], "{memories:,} memory rows", "no memories; import a backup, a dump or the tables", held
        ),
        "glossary": _when(held["keywords"], "{keywords:,} keywords", "no glossary keywords in the source", held),
        "views": _when(
            held["views"],
            _VIEWS[(held["rebuilt_views"] > 0) + (held["rebuilt_views"] == held["views"])],
            "no views; a backup does not hold them, a pg_dump, tables or the live database do; `workbench embed` "
            "rebuilds them approximately from the memories",
            held,
        ),
        "glossary_vectors": _when(
            held["term_vectors"],
            "{term_vectors:,} keyword vectors",
            "no keyword vectors; a backup does not hold them, a pg_dump, tables or the live database do",
            held,
        ),
        "memory_history": _when(
            held["memory_events"], "{memory_events:,} memory events", "no memory events in the source", held
        ),
        "misses": _when(
            held["agent_prompts"] + held["agent_searches"] + held["agent_opens"],
            "{agent_opens:,} opens and {agent_searches:,} searches of agents, from {agent_prompts:,} prompts",
            "nothing is known of what agents opened, so that only answers by hand and use in near-identical prompts "
            "show a miss; import the transcripts of Claude Code or Codex",
            held,
        ),
    }
    return {name: asdict(capability) for name, capability in found.items()}


# None of them rebuilt, some, all.
_VIEWS = (
    "{views:,} views, {view_vectors:,} with a vector",
    "{views:,} views, {view_vectors:,} with a vector, {rebuilt_views:,} rebuilt from memories that were written here",
    "{views:,} views rebuilt from the memories",
)


def _engine(held: dict[str, int]) -> Capability:
    """The engine needs memories; how many signals it has depends on views and vectors."""
    if not held["memories"]:
        return Capability(False, "no memories; import a backup, a dump or the tables")
    signals = ["exact", *(["lexical"] if held["views"] else [])]
    if held["own_vectors"]:
        return Capability(
            True, f"signals {', '.join(signals)}, and those of vectors: {held['own_vectors']:,} texts embedded"
        )
    return Capability(True, f"signals {', '.join(signals)} only; run `workbench embed` to give prompts their vectors")


def _when(count: int, possible: str, otherwise: str, held: dict[str, int]) -> Capability:
    return Capability(count > 0, possible.format(**held) if count else otherwise)
