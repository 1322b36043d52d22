"""Memories worth a look though nobody missed them: noise, what recall never finds, and duplicates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.metrics.shrinkage import Prior
from workbench.review.alike import pairs_alike
from workbench.store import Database, compose, sql_text
from workbench.textsearch import Tokenizer

# Fewer shows say nothing of a memory.
LEAST_SHOWN = 10
# An average memory would have been shown this often: none at all then has a chance of 5 %.
EXPECTED_SHOWS = 3.0
GRACE_DAYS = 7.0
# Two texts of fewer words are alike by chance.
_LEAST_WORDS = 8

NOISE_ADVICE = (
    "Look at what it matches: a keyword or disclosure that is too wide draws it into prompts of other topics. Nothing "
    "is suppressed by itself: what an agent reads in the block and does not open leaves no mark."
)


@dataclass(frozen=True)
class Unseen:
    """Active memories of which a list speaks, and how many are left out because they are too new to tell."""

    rows: Sequence[dict[str, Any]]
    in_grace: int

    def as_json(self, limit: int | None) -> dict[str, Any]:
        """`memories`, at most `limit`; how many there are, and how many are left out."""
        return {"count": len(self.rows), "in_grace": self.in_grace, "memories": list(self.rows[:limit])}


def lists(db: Database, tokenizer: Tokenizer, limit: int | None = 20) -> dict[str, Any]:
    """The entries `noise`, `never_retrieved`, `never_shown` and `duplicates` of a review, each with at most `limit`
    memories. The tables judged_log and judged_prompts (judge_log) hold what they speak of."""
    stages = ("logged/memory_now", "review/addresses")
    db.execute(f"CREATE OR REPLACE TEMP TABLE addresses AS {compose(stages)}")
    unseen = db.arrow(compose(("boot_uris", "review/unseen"))).to_pylist()
    together = db.arrow(sql_text("review/shown_together")).to_pylist()
    return {
        "noise": noise(db, limit),
        "never_retrieved": _silent(unseen, retrieved=False).as_json(limit),
        "never_shown": _silent(unseen, retrieved=True).as_json(limit),
        "duplicates": {
            "same_text": _same_text(db, tokenizer, together)[:limit],
            "same_memory": _same_memory(together)[:limit],
        },
    }


def noise(db: Database, limit: int | None = 20) -> dict[str, Any]:
    """Memories that were shown at least LEAST_SHOWN times and are used less than what is shown on the whole
    (`use_rate_of_all`, used over shown), most often shown for nothing first. `use_rate_shrunk` is drawn towards what
    all memories have in common, with its 95 % interval; `clear` where the whole interval lies below the rate of all."""
    shows = db.rows(compose((("addresses", "SELECT * FROM addresses"), "review/shows")))
    prior = Prior.of([(used, shown) for _, _, shown, used in shows])
    pooled = sum(used for *_, used in shows) / sum(shown for *_, shown, _ in shows) if shows else None
    rows = []
    for node, uris, shown, used in shows:
        if prior is None or pooled is None or shown < LEAST_SHOWN or prior.rate(used, shown) >= pooled:
            continue
        found = prior.shrink(used, shown)
        rows.append({
            "uri": uris[0], "uris": uris, "node_uuid": node, "shown": shown, "used": used,
            "use_rate_shrunk": found.rate, "use_rate_interval": found.interval.as_json(),
            "clear": found.interval.high < pooled,
        })  # fmt: skip
    rows.sort(key=lambda row: (not row["clear"], row["used"] - row["shown"], row["uri"]))
    return {
        "use_rate_of_all": pooled,
        "least_shown": LEAST_SHOWN,
        "count": len(rows),
        "advice": NOISE_ADVICE,
        "memories": rows[:limit],
    }


def _silent(memories: Sequence[dict[str, Any]], *, retrieved: bool) -> Unseen:
    """Memories that were never shown, of those candidates at least once or never."""
    prompts = sum(one["prompts"] for one in memories)
    shows = sum(one["shown"] for one in memories) / prompts if prompts else 0
    rows, in_grace = [], 0
    for one in memories:
        if one["shown"] or bool(one["retrieved"]) != retrieved:
            continue
        expected = one["prompts"] * shows
        if expected < EXPECTED_SHOWS or (one["days"] is not None and one["days"] < GRACE_DAYS):
            in_grace += 1
            continue
        rows.append({
            "uri": one["uris"][0], "uris": one["uris"], "node_uuid": one["node"],
            "created_at": one["created_at"] and one["created_at"].isoformat(), "prompts_since": one["prompts"],
            "expected_shows": expected, "retrieved": one["retrieved"], "best_score": one["best"],
        })  # fmt: skip
    return Unseen(sorted(rows, key=lambda row: (-row["expected_shows"], row["uri"])), in_grace)


def _same_text(db: Database, tokenizer: Tokenizer, together: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Pairs of memories nine in ten of whose words are the same."""
    rows = db.rows("SELECT node, uris[1], content FROM addresses WHERE content IS NOT NULL ORDER BY node")
    words = {node: frozenset(tokenizer.document(content)) for node, _, content in rows}
    sets = {node: tokens for node, tokens in words.items() if len(tokens) >= _LEAST_WORDS}
    uris = {node: uri for node, uri, _ in rows}
    shown = Counter[tuple[str, ...]]()
    for one in together:
        shown[tuple(sorted((one["node"], one["other"])))] += one["prompts"]
    found = [
        {
            "uri": uris[node], "other_uri": uris[other],
            "share": len(sets[node] & sets[other]) / len(sets[node] | sets[other]),
            "shown_together": shown[node, other],
        }
        for node, other in pairs_alike(sets.items(), sets)
        if node < other
    ]  # fmt: skip
    return sorted(found, key=lambda one: (-one["shown_together"], -one["share"], one["uri"]))


def _same_memory(together: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Two addresses of one memory that took two places of one display."""
    return [
        {"uri": one["uri"], "other_uri": one["other_uri"], "node_uuid": one["node"], "prompts": one["prompts"]}
        for one in together
        if one["node"] == one["other"]
    ]
