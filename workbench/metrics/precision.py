"""Precision at k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from workbench.metrics.measure import Measure, checked_cutoff


@dataclass(frozen=True)
class P(Measure):
    """Used memories among the first k shown, over k; mean over all prompts (`P@k` of ir_measures)."""

    stage: ClassVar[str] = "metrics/precision"
    label: ClassVar[str] = "P"
    k: int = 3

    def __post_init__(self) -> None:
        checked_cutoff(self.k)
