"""Memories shown per prompt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from workbench.metrics.measure import Measure


@dataclass(frozen=True)
class Shown(Measure):
    """Memories shown for a prompt; mean over all prompts."""

    stage: ClassVar[str] = "metrics/shown"
    label: ClassVar[str] = "shown_per_prompt"
    unit: ClassVar[str] = "memories"
