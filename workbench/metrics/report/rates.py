"""Use rates with their counts and intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workbench.metrics.bootstrap import Interval
from workbench.metrics.wilson import wilson


@dataclass(frozen=True)
class Part:
    """Some of the log: `prompts` prompts, of which `silent_prompts` show nothing, and the (query, memory) pairs shown.

    `shown` = `used` + `shown_unused` + `unknown`, the last with the evidence set aside. `design_effect` says as
    how many times fewer independent ones the judged pairs count, because those of a session are alike.
    """

    part: str
    prompts: int
    silent_prompts: int
    shown: int
    used: int
    shown_unused: int
    unknown: int
    design_effect: float = 1.0

    @property
    def judged(self) -> int:
        """Denominator of the use rate."""
        return self.used + self.shown_unused

    @property
    def use_rate(self) -> float | None:
        """Used over judged, 0..1; None without any."""
        return self.used / self.judged if self.judged else None

    @property
    def use_rate_interval(self) -> Interval | None:
        """Wilson interval of the use rate, 95 %, over as many pairs as count independently."""
        return wilson(self.used / self.design_effect, self.judged / self.design_effect)

    @property
    def shown_per_prompt(self) -> float | None:
        """Over all prompts, also silent ones; None without any."""
        return self.shown / self.prompts if self.prompts else None

    @property
    def silent_share(self) -> float | None:
        """Silent prompts over all; None without any."""
        return self.silent_prompts / self.prompts if self.prompts else None

    def as_json(self) -> dict[str, Any]:
        """Counts, then rates with the interval."""
        interval = self.use_rate_interval
        return {
            "part": self.part,
            "prompts": self.prompts,
            "silent_prompts": self.silent_prompts,
            "shown": self.shown,
            "used": self.used,
            "shown_unused": self.shown_unused,
            "unknown": self.unknown,
            "judged": self.judged,
            "shown_per_prompt": self.shown_per_prompt,
            "silent_share": self.silent_share,
            "use_rate": self.use_rate,
            "use_rate_interval": interval and interval.as_json(),
            "design_effect": self.design_effect,
        }
