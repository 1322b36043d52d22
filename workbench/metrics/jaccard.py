"""Overlap with the logged list, as sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from workbench.metrics.measure import Measure


@dataclass(frozen=True)
class Jaccard(Measure):
    """Memories in both the shown and the logged list over memories in either; mean over prompts for which one of the
    two holds any."""

    stage: ClassVar[str] = "metrics/jaccard"
    label: ClassVar[str] = "jaccard"
