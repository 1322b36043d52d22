"""Share of the used memories that a configuration loses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from workbench.metrics.measure import Measure


@dataclass(frozen=True)
class UsedLost(Measure):
    """Used memories of the log that are no longer shown, over all used ones, pooled over all prompts.

    These are few, and often none are lost: its interval is that of a share, because resampling says nothing then.
    """

    stage: ClassVar[str] = "metrics/used_lost"
    label: ClassVar[str] = "used_lost_share"
