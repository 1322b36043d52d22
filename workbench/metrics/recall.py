"""Recall at k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from workbench.metrics.measure import Measure, checked_cutoff


@dataclass(frozen=True)
class R(Measure):
    """Used memories among the first k shown, over all used of the prompt; mean over prompts with a used memory
    (`R@k` of ir_measures)."""

    stage: ClassVar[str] = "metrics/recall"
    label: ClassVar[str] = "R"
    k: int = 3

    def __post_init__(self) -> None:
        checked_cutoff(self.k)
