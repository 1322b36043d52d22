"""What loss of used memories a number of them can show: the minimum detectable effect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import count
from typing import Any

from workbench.metrics.binomial import share_where
from workbench.metrics.significance import sign_test
from workbench.text import percent

POWER = 0.8
SIGNIFICANT = 0.05
HELD_OUT = 0.3


@dataclass(frozen=True)
class Detectable:
    """The smallest true losses, as shares of the used memories, that a log with `used` of them in `sessions` shows with
    80 % power.

    `once`: at least one used memory is lost. `significant`: as many are lost (`least_lost`) as make the exact sign test
    of kept against lost significant at 5 %. Both hold when memories are lost independently; `*_alike` when those of a
    session are lost together, so that `independent` of them count (Kish 1965). None: no loss could be seen.
    """

    used: int
    sessions: int
    independent: int
    least_lost: int
    once: float | None
    significant: float | None
    once_alike: float | None
    significant_alike: float | None

    @classmethod
    def of(cls, by_session: Sequence[int]) -> Detectable:
        """From the used memories of each session."""
        used = sum(by_session)
        independent = int(used**2 / sum(one**2 for one in by_session)) if used else 0
        least = least_significant()
        return cls(
            used, sum(one > 0 for one in by_session), independent, least,
            detectable(used), detectable(used, least), detectable(independent), detectable(independent, least),
        )  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """Field to value."""
        return {"power": POWER, **asdict(self)}

    def sentence(self) -> str:
        """What can be seen, in words."""
        if self.once is None or self.once_alike is None:
            return "No used memory is held out, so no loss could be seen."
        alike = (
            "" if self.independent == self.used else f" ({_share(self.once_alike)} if those of a session go together)"
        )
        seen = (
            f"With {self.used} used memories held out, a configuration that loses {_share(self.once)} of what helps"
            f"{alike} shows at least one lost in 80 of 100 such logs"
        )
        if self.significant is None:
            return f"{seen}; no loss, however large, can be told from chance."
        return f"{seen}; to tell a loss from chance it must be {_share(self.significant)}."


def least_significant(level: float = SIGNIFICANT) -> int:
    """How many must be lost, with none won, to make the exact sign test significant."""
    return next(lost for lost in count(1) if (sign_test(0, lost) or 0) < level)


def detectable(used: int, lost: int = 1, power: float = POWER) -> float | None:
    """The share of helpful memories whose loss makes at least `lost` of `used` go with this `power`; None where there
    are not as many."""
    return share_where(lost - 1, used, 1 - power) if used >= lost else None


def used_needed(share: float, power: float = POWER) -> int:
    """How many used memories show a loss of this share at least once with this `power`."""
    return next(used for used in count(1) if 1 - (1 - share) ** used >= power)


def _share(share: float) -> str:
    return percent(share, 0 if share >= 0.095 else 1)
