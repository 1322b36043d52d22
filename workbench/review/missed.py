"""Memories that were often missed: how often, for whom, at which stage they were lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from workbench.errors import BadInput
from workbench.judge import Evidence
from workbench.judge.labels import HAND_LABELS, expect_answers
from workbench.metrics.shrinkage import Prior
from workbench.replay.engine import Progress
from workbench.replay.reach import OwnReach
from workbench.replay.run import Settings
from workbench.replay.selection import Selection
from workbench.retrieve.models import imported_model
from workbench.review.advice import settings_advice
from workbench.review.counsel import counsel, not_tried, simulator
from workbench.review.estimated import write_estimates
from workbench.review.evidence import GRADES, write_missed
from workbench.review.fixes import Simulator
from workbench.review.lists import lists
from workbench.review.reasons import STAGE_WORDS, Bounds, other_letters, sentence, signal_reasons
from workbench.review.stages import STAGED, STAGES, Staging, write_stages
from workbench.review.vectors import Embed
from workbench.store import Database, compose, sql_text
from workbench.text import counted
from workbench.textsearch import Tokenizer

Row = Mapping[str, Any]
_PROMPT_CHARS = 300


@dataclass(frozen=True)
class Memory:
    """One memory that was missed: `uris` are its addresses, `misses` the prompts as dictionaries, oldest first.

    `missed` prompts needed it and did not get it, `helped` got and used it; `rate` is missed of both, 0..1, drawn
    towards that of all memories, with its 95 % interval.
    """

    node: str
    uris: Sequence[str]
    missed: int
    helped: int
    rate: float | None
    interval: Sequence[float] | None
    misses: Sequence[dict[str, Any]]
    advice: Sequence[dict[str, Any]] = ()
    reach: OwnReach | None = None

    def as_json(self) -> dict[str, Any]:
        """The entry of `memories`."""
        return {
            "uri": self.uris[0],
            "uris": list(self.uris),
            "node_uuid": self.node,
            "missed": self.missed,
            "helped": self.helped,
            "miss_rate_shrunk": self.rate,
            "miss_rate_interval": self.interval and list(self.interval),
            "stages": _counted(miss["stage"] for miss in self.misses),
            "evidence": {grade: sum(miss["evidence"][grade] is not None for miss in self.misses) for grade in GRADES},
            "clients": _counted(miss["client"] or "none" for miss in self.misses),
            "weeks": [{"week": week, "missed": count} for week, count in _weeks(self.misses)],
            "advice": list(self.advice),
            "reach": self.reach and self.reach.as_json(),
            "prompts": list(self.misses),
        }


@dataclass(frozen=True)
class Missed:
    """Memories that were missed, most often missed first; `total` of them exist, `memories` holds the first.

    `seen` says how much there is that a miss could be seen by, `stages` counts the misses by stage, `boot` those of
    start-up memories where they are left out. The engine compares meanings in `model`, the imported server in `server`.
    """

    seen: Mapping[str, int]
    total: int
    misses: int
    boot: int
    stages: Mapping[str, int]
    memories: Sequence[Memory]
    staging: Staging | None = None
    model: str | None = None
    server: str | None = None
    lists: Mapping[str, Any] = field(default_factory=dict)

    @property
    def said(self) -> str:
        """What was found, and in what; nothing is invented where nothing speaks for a miss."""
        seen = self.seen
        looked = (
            f"{counted(seen['prompts'], 'prompt')}, {counted(seen['used'], 'used memory', 'used memories')}, "
            f"{counted(seen['answers'], 'answer')} by hand, {counted(seen['opens'], 'open')} and "
            f"{counted(seen['searches'], 'search', 'searches')} of agents"
        )
        if self.misses:
            memories = counted(self.total, "memory", "memories")
            return f"{counted(self.misses, 'miss', 'misses')} of {memories}, seen in {looked}."
        if not seen["prompts"]:
            return f"No data: no logged prompt passes the filter, so nothing can be said of what was missed ({looked})."
        if not any(seen[name] for name in ("used", "answers", "opens")):
            return (
                f"No data: in {looked} nothing could show a miss. Import agents' transcripts, or answer with "
                "`workbench label`."
            )
        return f"None found: {looked} show no memory that was needed and not shown."

    def as_json(self) -> dict[str, Any]:
        """The document of `workbench missed --json`."""
        return {
            "said": self.said,
            "seen": dict(self.seen),
            "misses": self.misses,
            "memories_missed": self.total,
            "boot_left_out": self.boot,
            "stages": [
                {"stage": stage, "misses": self.stages[stage], "words": STAGE_WORDS[stage]}
                for stage in STAGES
                if self.stages.get(stage)
            ],
            "engine": self.staging and {
                "model": self.model,
                "server_model": self.server,
                "prompts": self.staging.prompts,
                "prompts_without_vector": self.staging.without_vector,
                "row_limit": self.staging.row_limit,
                "depth": self.staging.depth,
            },
            "memories": [memory.as_json() for memory in self.memories],
            "settings_advice": [],
            "fixes_not_tried": None,
            "estimate": None,
            **self.lists,
        }  # fmt: skip


@dataclass(frozen=True)
class Review:
    """How misses are looked for: `settings` are those in force, `model` and `embed` as for the engine; `boot` counts
    start-up memories too, `estimates` is the table of a model (write_missed), with `estimated` one is fitted. Fixes are
    tried for the first `fixes` memories."""

    settings: Settings
    tokenizer: Tokenizer
    model: str | None = None
    embed: Embed | None = None
    boot: bool = False
    estimates: str | None = None
    estimated: bool = False
    fixes: int = 1
    progress: Progress = lambda done, total, what: None

    def simulator(self, db: Database) -> Callable[[], Simulator]:
        """Makes what tries fixes on the selected prompts of `db`."""
        return lambda: Simulator(db, self.settings, self.tokenizer, self.model, self.embed)


def missed(
    db: Database, selection: Selection, review: Review, limit: int | None = 20, uri: str | None = None
) -> Missed:
    """The memories that the prompts of `selection` missed, the `limit` most often missed ones; with `uri` the one that
    stands, or stood, there.

    Leaves the temporary tables misses and staged_misses. Each miss has exactly one stage. Raises BadInput for a `uri`
    of which nothing in the store speaks.
    """
    expect_answers(db)
    if uri is not None and not db.rows(sql_text("review/known"), {"uri": uri}):
        raise BadInput(f"The store knows no memory at {uri}; `workbench search` finds addresses.")
    evidence = Evidence().under(review.settings.in_force)
    write_missed(db, selection, review.tokenizer, evidence, review.estimates)
    estimated = write_estimates(db, review.settings.in_force, evidence) if review.estimated else None
    seen = dict(db.arrow(compose((*HAND_LABELS, "review/seen"))).to_pylist()[0])
    more = {} if uri is not None else lists(db, review.tokenizer, limit)
    more["estimate"] = estimated and estimated.as_json()
    if not db.row("SELECT count(*) FROM misses")[0]:
        return Missed(seen, 0, 0, 0, {}, [], lists=more)
    staging = write_stages(db, review.settings, review.tokenizer, review.model, review.embed)
    counts = dict(db.rows(f"SELECT stage, count(*) FROM {STAGED} GROUP BY 1"))
    left_out = 0 if review.boot else counts.pop("boot", 0)
    needed = db.rows(sql_text("review/opportunities"), {"boot": review.boot})
    found = [one for one in needed if one[1]]
    chosen = found[:limit] if uri is None else _of(db, found, uri)
    memories = _memories(db, chosen, needed, review, Bounds.of(review.settings.params, staging.row_limit))
    # Where the display of then had fewer places than that of now, those of now are no gap.
    shared = db.arrow(
        "SELECT node, CASE WHEN stage = 'crowded_out' AND fewer_places THEN 'fewer_places' ELSE stage END AS stage,"
        f" below_by FROM {STAGED} WHERE stage <> 'boot'"
    ).to_pylist()
    more |= {"settings_advice": settings_advice(shared), "fixes_not_tried": not_tried(db, review.model)}
    models = (review.model, imported_model(db))
    return Missed(seen, len(found), sum(counts.values()), left_out, counts, memories, staging, *models, more)


def _of(db: Database, found: Sequence[tuple[str, int, int]], uri: str) -> list[tuple[str, int, int]]:
    nodes = {node for (node,) in db.rows(
        f"SELECT node FROM {STAGED} WHERE uri = $uri OR list_contains(uris, $uri) OR candidate = $uri", {"uri": uri}
    )}  # fmt: skip
    return [one for one in found if one[0] in nodes]


def _memories(
    db: Database,
    chosen: Sequence[tuple[str, int, int]],
    needed: Sequence[tuple[str, int, int]],
    review: Review,
    bounds: Bounds,
) -> list[Memory]:
    prior = Prior.of([(count, count + helped) for _, count, helped in needed])
    rows = db.arrow(
        f"SELECT * FROM {STAGED} WHERE list_contains($nodes::VARCHAR[], node) AND (stage <> 'boot' OR $boot)"
        " ORDER BY now, query_id",
        {"nodes": [node for node, _, _ in chosen], "boot": review.boot},
    ).to_pylist()
    memories = []
    tried = None if not_tried(db, review.model) else simulator(review.simulator(db))
    for number, (node, count, helped) in enumerate(chosen):
        own = [row for row in rows if row["node"] == node]
        rate, interval = _shrunk(prior, count, helped)
        misses = [_miss(row, review, bounds) for row in own]
        review.progress(number, len(chosen), "trying fixes")
        found = counsel(db, review.settings, review.model, own, tried if number < review.fixes else None)
        memories.append(Memory(node, own[-1]["uris"], count, helped, rate, interval, misses, found.advice, found.reach))
    return memories


def _shrunk(prior: Prior | None, missed: int, helped: int) -> tuple[float | None, list[float] | None]:
    if prior is None:
        return None, None
    found = prior.shrink(missed, missed + helped)
    return found.rate, found.interval.as_json()


def _miss(row: Row, review: Review, bounds: Bounds) -> dict[str, Any]:
    """One missed prompt as it stands in the document."""
    text = row["query_text"]
    return {
        "query_id": row["query_id"] if row["logged"] else None,
        "prompt_id": None if row["logged"] else row["query_id"],
        "at": _iso(row["now"]),
        "client": row["client"],
        "prompt": None if text is None else text[:_PROMPT_CHARS],
        "evidence": {**{grade: _plain(row[grade]) for grade in GRADES}, "model_estimate": row["estimate"]},
        "stage": row["stage"],
        "source": row["source"],
        "why": sentence(row, bounds),
        "uri": row["candidate"] or row["uri"],
        "rank": row["rank"],
        "score": row["score"],
        "below_by": row["below_by"],
        "crowded_out_by": [one["uri"] for one in row["crowd"] or ()] if row["stage"] == "crowded_out" else [],
        "not_searched": row["unsearched"] if row["stage"] == "prompt_cut" else None,
        "signals": signal_reasons(row, review.model),
        "other_letters": other_letters(row),
    }


def _counted(names: Any) -> dict[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda one: (-one[1], one[0])))


def _weeks(misses: Sequence[Row]) -> list[tuple[str, int]]:
    """Misses by week, named by its Monday (UTC), without gaps from the first to the last."""
    days = [datetime.fromisoformat(miss["at"]).date() for miss in misses if miss["at"]]
    counts = Counter(day - timedelta(days=day.weekday()) for day in days)
    if not counts:
        return []
    first, last = min(counts), max(counts)
    weeks = (first + timedelta(weeks=number) for number in range((last - first).days // 7 + 1))
    return [(week.isoformat(), counts[week]) for week in weeks]


def _plain(value: Any) -> Any:
    return _iso(value) if isinstance(value, datetime) else value


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
