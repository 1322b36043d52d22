"""What recall would make of the part of a long prompt that no signal saw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from workbench.replay.engine import CANDIDATES, depth_of, retrieve_candidates
from workbench.replay.query import Query, limit_bindings, prepare
from workbench.replay.run import Settings, candidates_of, full_chain
from workbench.retrieve.corpus import Corpus
from workbench.retrieve.engine import Prompt
from workbench.review.vectors import Embed, filled_vectors
from workbench.store import Database, compose, sql_text
from workbench.text import trimmed

# More of a prompt is not looked at: a log of megabytes would hold every word there is.
_MOST_CHARS = 20_000
_SHOWN_TAIL = 200

_LIMITS = """
SELECT DISTINCT m.query_id, m.query_text, q.query_limit
FROM misses AS m JOIN ({limits}) AS q ON q.query_id = m.query_id
WHERE m.logged AND NOT m.late AND length(m.query_text) > q.query_limit
ORDER BY ALL
"""


def write_cut_hits(corpus: Corpus, settings: Settings, prompts: Mapping[str, Prompt], embed: Embed | None) -> None:
    """Write the temporary table cut_hits (cut_hits.sql) of the table misses: the engine over the whole of each prompt
    that was cut, and over its end alone. `prompts` are those of the misses as they were searched."""
    db = corpus.db
    queries = _truncated(db, settings)
    db.execute(
        "CREATE OR REPLACE TEMP TABLE cut_prompts (query_id VARCHAR, asked_outside BOOLEAN, unsearched VARCHAR);"
        "CREATE OR REPLACE TEMP TABLE cut_candidates (query_id VARCHAR, node VARCHAR, exact DOUBLE, shown BOOLEAN)"
    )
    if queries:
        rows = [
            {"query_id": query_id, "asked_outside": query.asked_outside, "unsearched": query.unsearched[-_SHOWN_TAIL:]}
            for query_id, query in queries.items()
        ]
        db.append("cut_prompts", rows)
        for texts in _variants(queries):
            _retrieve(corpus, settings, [replace(prompts[name], searched=text) for name, text in texts.items()], embed)
    db.execute(f"CREATE OR REPLACE TEMP TABLE cut_hits AS {sql_text('review/cut_hits')}")


def _truncated(db: Database, settings: Settings) -> dict[str, Query]:
    select = _LIMITS.format(limits=sql_text("logged/query_limits"))
    found = db.rows(select, limit_bindings(settings.in_force))
    queries = {query_id: prepare(text, limit) for query_id, text, limit in found}
    return {query_id: query for query_id, query in queries.items() if query.truncated}


def _variants(queries: Mapping[str, Query]) -> Sequence[dict[str, str]]:
    """Each prompt as a whole, and what stands at its end, as long as the part that was searched."""
    return (
        {query_id: query.text[:_MOST_CHARS] for query_id, query in queries.items()},
        {query_id: trimmed(query.unsearched[-query.limit :]) for query_id, query in queries.items()},
    )


def _retrieve(corpus: Corpus, settings: Settings, prompts: Sequence[Prompt], embed: Embed | None) -> None:
    found = filled_vectors(corpus.db, corpus.model, [prompt.searched for prompt in prompts], embed)
    retrieve_candidates(corpus, prompts, found, depth_of(settings))
    select = "SELECT query_id, coalesce(node_uuid, uri), exact, shown FROM {last}"
    chain = compose(full_chain(candidates_of(None, CANDIDATES)), select)
    corpus.db.execute(f"INSERT INTO cut_candidates {chain}", settings.bindings())
