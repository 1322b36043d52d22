"""Normalised discounted cumulative gain at k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from workbench.metrics.measure import Measure, checked_cutoff


@dataclass(frozen=True)
class nDCG(Measure):  # noqa: N801 -- the name by which the measure is known
    """Gain 1 for a used memory, discounted by log2(1 + place), over the best possible list of all used memories of the
    prompt; mean over prompts with a used memory (`nDCG@k` of ir_measures)."""

    stage: ClassVar[str] = "metrics/ndcg"
    label: ClassVar[str] = "nDCG"
    k: int = 3

    def __post_init__(self) -> None:
        checked_cutoff(self.k)
