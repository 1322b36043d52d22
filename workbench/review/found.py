"""What a look for missed memories gives: each memory with its misses, and all of them together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from workbench.replay.reach import OwnReach
from workbench.review.evidence import GRADES
from workbench.review.reasons import STAGE_WORDS
from workbench.review.stages import STAGES, Staging
from workbench.text import counted

Row = Mapping[str, Any]


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
        reach = self.reach and self.reach.as_json()
        return {**self.outline(), "advice": list(self.advice), "reach": reach, "prompts": list(self.misses)}

    def outline(self) -> dict[str, Any]:
        """The same without advice, reach and the prompts one by one."""
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
        return self._document([memory.as_json() for memory in self.memories])

    def outline(self) -> dict[str, Any]:
        """The same, with the outlines of the memories."""
        return self._document([memory.outline() for memory in self.memories])

    def _document(self, memories: Sequence[dict[str, Any]]) -> dict[str, Any]:
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
                "row_limit": self.staging.depth.row_limit,
                "depth": self.staging.depth.searched,
            },
            "memories": list(memories),
            "settings_advice": [],
            "fixes_not_tried": None,
            "estimate": None,
            **self.lists,
        }  # fmt: skip


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
