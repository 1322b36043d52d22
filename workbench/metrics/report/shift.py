"""A change of the use rate between two periods: how much of it is who asked, and how much is within the clients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.judge import LOG, PROMPTS
from workbench.metrics.bootstrap import Interval, Smooth, bootstrap
from workbench.store import Database, Stage, compose, sql_text


@dataclass(frozen=True)
class Period:
    """The prompts of one period, their first and last time, and the used of the judged memories."""

    prompts: int
    first: str | None
    last: str | None
    used: int
    judged: int

    @property
    def use_rate(self) -> float | None:
        """Used over judged; None without any."""
        return self.used / self.judged if self.judged else None

    def as_json(self) -> dict[str, Any]:
        """Field to value, and the use rate."""
        return {**asdict(self), "use_rate": self.use_rate}


@dataclass(frozen=True)
class ClientShift:
    """What one client adds to the change: `mix` by its share of the judged memories, `within` by its own use rate."""

    client: str
    used: tuple[int, int]
    judged: tuple[int, int]
    mix: float
    within: float


@dataclass(frozen=True)
class Moved:
    """The change or a part of it; None where a period has no judged memory. The interval of the change is from
    resampled sessions; its parts have none, because on sparse logs it would hold the truth more often than it says."""

    value: float | None = None
    interval: Interval | None = None

    def as_json(self) -> dict[str, Any]:
        """Value and interval."""
        return {"value": self.value, "interval": self.interval and self.interval.as_json()}


@dataclass(frozen=True)
class Shift:
    """The change of the pooled use rate from the earlier to the later period: `mix` + `within`, exactly (Kitagawa 1955,
    symmetric: shares move at the mean of both rates, rates at the mean of both shares). A client that one period lacks
    is all mix."""

    earlier: Period
    later: Period
    change: Moved = field(default_factory=Moved)
    mix: Moved = field(default_factory=Moved)
    within: Moved = field(default_factory=Moved)
    clients: Sequence[ClientShift] = ()

    def as_json(self) -> dict[str, Any]:
        """Both periods, the change with its interval, its two parts, and the clients."""
        return {
            "earlier": self.earlier.as_json(),
            "later": self.later.as_json(),
            "change": self.change.as_json(),
            "mix": self.mix.as_json(),
            "within": self.within.as_json(),
            "clients": [asdict(client) for client in self.clients],
        }


def halves() -> tuple[Stage, ...]:
    """The stages periods and period_log for the older and the newer half of the judged prompts."""
    return (
        ("prompts", f"SELECT * FROM {PROMPTS}"),
        ("periods", sql_text("report/halves")),
        ("period_log", f"SELECT * FROM {LOG}"),
    )


def against(prompts: str, log: str) -> tuple[Stage, ...]:
    """The same stages for the judged prompts as the later period and other judged tables as the earlier one."""
    return (
        ("periods", f"SELECT *, 1 AS period FROM {prompts} UNION ALL SELECT *, 2 FROM {PROMPTS}"),
        ("period_log", f"SELECT * FROM {log} UNION ALL SELECT * FROM {LOG}"),
    )


def mix_shift(db: Database, periods: Sequence[Stage]) -> Shift:
    """The change between the two periods that the stages `periods` and `period_log` tell apart."""
    rows = db.rows(compose(periods, sql_text("report/period_clusters")))
    sessions = {session: number for number, session in enumerate(dict.fromkeys(row[0] for row in rows))}
    clients = {client: number for number, client in enumerate(sorted({row[1] for row in rows}))}
    sums = np.zeros((len(sessions), len(clients), 2, 2))
    for session, client, period, used, judged in rows:
        sums[sessions[session], clients[client], period - 1] = used, judged
    totals = sums.sum(axis=0)
    spans = db.row(compose(periods, sql_text("report/period_spans")))
    earlier, later = (
        Period(*spans[3 * at : 3 * at + 3], *totals[:, at].sum(axis=0).astype(int).tolist()) for at in (0, 1)
    )
    if not earlier.judged or not later.judged:
        return Shift(earlier, later)
    by_session = sums.reshape(len(sessions), -1)
    interval = bootstrap(by_session, np.ones(len(by_session)), Smooth(_change, -1, 1), symmetric=True)
    mix, within = (float(part.sum()) for part in mix_and_within(totals.reshape(1, -1)))
    change = Moved(mix + within, interval)
    return Shift(earlier, later, change, Moved(mix), Moved(within), _clients(list(clients), totals))


def _change(totals: NDArray[Any]) -> NDArray[Any]:
    parts: NDArray[Any] = np.sum(mix_and_within(totals), axis=(0, 2))
    return parts


def _clients(names: Sequence[str], totals: NDArray[Any]) -> list[ClientShift]:
    mix, within = (part[0].tolist() for part in mix_and_within(totals.reshape(1, -1)))
    counts = totals.astype(int).tolist()
    return [
        ClientShift(name, (one[0][0], one[1][0]), (one[0][1], one[1][1]), mix[at], within[at])
        for at, (name, one) in enumerate(zip(names, counts, strict=True))
    ]


def mix_and_within(totals: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """What each client adds by its share and by its own rate, for each row of totals: used and judged of the earlier
    and of the later period, client by client."""
    shares, rates = _shares_and_rates(totals)
    mix: NDArray[Any] = (shares[1] - shares[0]) * (rates[0] + rates[1]) / 2
    within: NDArray[Any] = (rates[1] - rates[0]) * (shares[0] + shares[1]) / 2
    return mix, within


def _shares_and_rates(totals: NDArray[Any]) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
    """Of both periods; a client without a judged memory in one has the rate of the other there."""
    counts = totals.reshape(len(totals), -1, 2, 2)
    used, judged = (np.moveaxis(counts[..., column], 2, 0) for column in (0, 1))
    shares = [one / one.sum(axis=1, keepdims=True) for one in judged]
    held = [one.real > 0 for one in judged]
    own = [top / np.where(has, below, 1) for top, below, has in zip(used, judged, held, strict=True)]
    return shares, [np.where(held[0], own[0], own[1]), np.where(held[1], own[1], own[0])]
