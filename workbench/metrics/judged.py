"""Share of what is shown whose worth is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from workbench.metrics.measure import Measure, checked_cutoff


@dataclass(frozen=True)
class Judged(Measure):
    """Labelled memories among the first k shown, over the number shown of these; mean over prompts that show anything
    (`Judged@k` of ir_measures)."""

    stage: ClassVar[str] = "metrics/judged"
    label: ClassVar[str] = "Judged"
    k: int = 3

    def __post_init__(self) -> None:
        checked_cutoff(self.k)
