"""Noise per prompt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from workbench.metrics.measure import Measure


@dataclass(frozen=True)
class Noise(Measure):
    """Unhelpful memories shown for a prompt; mean over all prompts."""

    stage: ClassVar[str] = "metrics/noise"
    label: ClassVar[str] = "noise_per_prompt"
    unit: ClassVar[str] = "memories"
