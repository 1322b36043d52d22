"""Use rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from workbench.metrics.measure import Measure


@dataclass(frozen=True)
class UseRate(Measure):
    """Used over shown, pooled over all prompts; judged-only leaves the unknown out of shown."""

    stage: ClassVar[str] = "metrics/use_rate"
    label: ClassVar[str] = "use_rate"
