"""Advice for missed memories, with the changes that can be tried tried out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workbench.replay.query import prepare
from workbench.replay.reach import OwnReach, own_reach
from workbench.replay.run import Settings
from workbench.retrieve.models import imported_model
from workbench.review.advice import MENDABLE, Advice, Case, advice, beyond_memory
from workbench.review.edits import Fix
from workbench.review.fixes import Effect, Simulator
from workbench.review.terms import suggested
from workbench.store import Database, compose

Row = Mapping[str, Any]
Try = Callable[[Fix, str], Effect]
_KINDS = {
    "glossary": "With the term {value!r}",
    "priority": "With priority {value}",
    "disclosure": "With the disclosure {value!r}",
}


@dataclass(frozen=True)
class Counsel:
    """Advice for one memory, and what it can score at best (None: the store holds nothing of it)."""

    advice: Sequence[dict[str, Any]]
    reach: OwnReach | None


def counsel(db: Database, settings: Settings, model: str | None, rows: Sequence[Row], tried: Try | None) -> Counsel:
    """Advice for the memory whose misses are `rows` of staged.sql, in the documented order; `tried` gives the effect of
    a fix, None leaves fixes untried."""
    stages = Counter(row["stage"] for row in rows)
    beyond = [_said(one, "", None) for one in beyond_memory(stages)]
    case = _case(db, settings, model, rows)
    if case is None:
        return Counsel(beyond, None)
    exempt = int(settings.params["recall.recency.priority_exempt"])
    own = advice(case, exempt) if case.misses else []
    return Counsel([*(_said(one, rows[0]["node"], tried) for one in own), *beyond], case.reach)


def simulator(make: Callable[[], Simulator]) -> Try:
    """What tries fixes; the simulator is made at the first one."""
    made: list[Simulator] = []

    def tried(fix: Fix, node: str) -> Effect:
        if not made:
            made.append(make())
        return made[0].effect(fix, node)

    return tried


def not_tried(db: Database, model: str | None) -> str | None:
    """Why no fix can be tried with vectors of `model`, where that is so: the server compares meanings in a model in
    which no prompt has a vector here. Scores of two models do not lie in the same range."""
    server = imported_model(db)
    if server is None or model == server:
        return None
    here = "no prompt has a vector here" if model is None else f"the vectors here are of {model}"
    return (
        f"Fixes are not tried: the server compares meanings in {server}, and {here}. Scores under another model say "
        f"nothing of those in the log: run `workbench embed --model {server}`, with --base-url or --from where it does "
        "not run here."
    )


def _said(one: Advice, node: str, tried: Try | None) -> dict[str, Any]:
    fixes = []
    for fix in one.fixes:
        effect = tried(fix, node).as_json() if tried else None
        words = f"{_KINDS[fix.kind].format(value=fix.value)} {effect['words']}" if effect else None
        fixes.append({"uri": fix.uri, "value": fix.value, "effect": effect, "words": words})
    return {"kind": one.kind, "reason": one.reason, "do": one.do, "fixes": fixes}


def _case(db: Database, settings: Settings, model: str | None, rows: Sequence[Row]) -> Case | None:
    node = rows[0]["node"]
    held = db.arrow(compose(("logged/memory_now", "review/needs")), {"nodes": [node]}).to_pylist()
    if not held:
        return None
    near = Counter(row["candidate"] for row in rows if row["candidate"]).most_common()
    places = {uri: -count for uri, count in near}
    best = min(held, key=lambda one: places.get(one["uri"], 0))
    misses = [row for row in rows if row["stage"] in MENDABLE]
    limit = int(settings.in_force["recall.safety.max_query_chars"])
    searched = [prepare(row["query_text"], limit).searched for row in misses if row["query_text"]]
    (prompts,) = db.row("SELECT count(*) FROM judged_prompts")
    own_text = f"{best['content']}\n{best['disclosure']}"
    terms = suggested(db, node, searched, best["keywords"], own_text, prompts)
    tokens = db.row(
        "SELECT coalesce(min(query_tokens), 1) FROM wb.logged_queries WHERE list_contains($ids::VARCHAR[], query_id)",
        {"ids": [row["query_id"] for row in misses or rows]},
    )[0]
    own = {name: best[name] for name in ("uri", "content", "disclosure", "priority", "keywords", "views")}
    reach = own_reach(db, settings, best["uri"], tokens, imported_model(db) or model)
    if reach is not None:
        reach = replace(reach, logged=_best_logged(db, node, tokens))
    return Case(**own, misses=misses, searched=searched, terms=terms, reach=reach)


def _best_logged(db: Database, node: str, tokens: int) -> float | None:
    """The highest score that the log has of a memory for prompts of at least `tokens` tokens: what it can reach at
    `tokens` is no lower, as words weigh less in longer prompts."""
    best: float | None = db.row(
        "SELECT max(logged_score) FROM wb.logged_candidates"
        " WHERE coalesce(node_uuid, uri) = $node AND query_tokens >= $tokens",
        {"node": node, "tokens": tokens},
    )[0]
    return best
