"""Reciprocal rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from workbench.metrics.measure import Measure


@dataclass(frozen=True)
class RR(Measure):
    """1 over the place of the first used memory, 0 where none is shown; its mean over prompts with a used memory is
    the MRR (`RR` of ir_measures)."""

    stage: ClassVar[str] = "metrics/rr"
    label: ClassVar[str] = "MRR"
