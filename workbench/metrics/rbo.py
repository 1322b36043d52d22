"""Overlap with the logged list, as rankings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from workbench.errors import BadInput
from workbench.metrics.measure import Measure


@dataclass(frozen=True)
class RBO(Measure):
    """Rank-biased overlap of the shown and the logged list, extrapolated (Webber, Moffat and Zobel 2010, equation 32);
    mean over prompts for which one of the two holds any. `p` is the weight of a place against the one before it."""

    stage: ClassVar[str] = "metrics/rbo"
    label: ClassVar[str] = "rbo"
    p: float = 0.9

    def __post_init__(self) -> None:
        if not 0 < self.p < 1:
            raise BadInput(f"p must lie between 0 and 1, not {self.p!r}.")

    @property
    def name(self) -> str:
        """The label alone."""
        return self.label
