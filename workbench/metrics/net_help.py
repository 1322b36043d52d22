"""Net help."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

from workbench.errors import BadInput
from workbench.metrics.measure import Measure

DEFAULT_NOISE_COST = 0.1


@dataclass(frozen=True)
class NetHelp(Measure):
    """(helpful shown - noise_cost * unhelpful shown) / prompts.

    A noise_cost of 0.1 says: ten memories shown in vain weigh as much as one that helped.
    """

    stage: ClassVar[str] = "metrics/net_help"
    label: ClassVar[str] = "net_help"
    unit: ClassVar[str] = "helpful memories"
    signed: ClassVar[bool] = True
    noise_cost: float = DEFAULT_NOISE_COST

    def __post_init__(self) -> None:
        if not isfinite(self.noise_cost) or self.noise_cost < 0:
            raise BadInput(f"noise_cost must be a number of at least 0, not {self.noise_cost!r}.")

    @property
    def name(self) -> str:
        """The label alone: one cost at a time."""
        return self.label
