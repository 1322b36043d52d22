"""Two configurations that answered sessions at random: what the difference is, and whether that is known yet.

Sessions are assigned with a known probability, so that the difference of a figure is that of the configurations and of
nothing else. Its interval holds at all times together: it may be looked at as often as one likes, and a look that finds
it away from zero may end the trial. It is an asymptotic confidence sequence (Waudby-Smith, Arbour, Sinha, Kennedy and
Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences", Annals of Statistics 2024).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import erfc, log, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from workbench.judge import LOG, PROMPTS, Evidence, judge_log
from workbench.judge.labels import stage
from workbench.store import Database, compose

ALPHA = 0.05
LEAST_SESSIONS = 20
_TIGHTEST_AT = 200  # sessions; where the interval is narrowest for its coverage
_MOST_SESSIONS = 10_000_000
_UNLIKELY = 0.001

Floats = npt.NDArray[np.float64]
FIGURES = {
    "used_per_prompt": ("used", "prompts", +1),
    "unused_per_prompt": ("unused", "prompts", -1),
    "use_rate": ("used", "shown", +1),
}
# A trial has seen enough as soon as one of its figures is known: each gets its part of the error (Bonferroni).
_ALPHA_EACH = ALPHA / len(FIGURES)


@dataclass(frozen=True)
class ArmDifference:
    """Candidate minus current of one figure, with the interval that holds at all times.

    `better` is better or worse where that is known: where the interval leaves zero out. `sessions_needed` is how many
    sessions it would take for the present difference to be known, None where it is, or where none would do.
    """

    figure: str
    current: float
    candidate: float
    difference: float
    low: float
    high: float
    better: str | None
    sessions_needed: int | None

    @property
    def known(self) -> bool:
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Trial:
    """One sharing of sessions. `uneven` is the probability that a fair draw is as uneven as this one."""

    seed: str
    share: float
    sessions: dict[str, int]
    prompts: dict[str, int]
    uneven: float
    differences: Sequence[ArmDifference]

    @property
    def enough(self) -> bool:
        """Whether something is known."""
        return self.uneven >= _UNLIKELY and any(found.known for found in self.differences)

    def said(self) -> str:
        """The verdict in one sentence."""
        if self.uneven < _UNLIKELY:
            candidate, current = (f"{self.sessions[name]:,}" for name in ("candidate", "current"))
            return (
                f"The sides have {candidate} and {current} sessions, which a share of {self.share:g} hardly gives: "
                "something else decided who got which, and nothing follows."
            )
        if not self.differences:
            return f"Too few sessions to say anything: each side needs {LEAST_SESSIONS}."
        known = [found for found in self.differences if found.known]
        if not known:
            needed = [found.sessions_needed for found in self.differences if found.sessions_needed]
            more = f" At this spread about {min(needed):,} sessions would tell." if needed else ""
            return f"Not enough yet: every difference may be none.{more}"
        parts = [
            f"{one.figure.replace('_', ' ')} {one.better} ({one.current:.3g} → {one.candidate:.3g})" for one in known
        ]
        return f"Enough has been seen of the candidate: {', '.join(parts)}."

    def as_json(self) -> dict[str, Any]:
        """One entry of `trials`."""
        return {
            **{name: getattr(self, name) for name in ("seed", "share", "sessions", "prompts", "uneven", "enough")},
            "said": self.said(),
            "differences": [{**asdict(found), "known": found.known} for found in self.differences],
        }


def trials(db: Database, selected: str, evidence: Evidence | None = None) -> list[Trial]:
    """What is known of each sharing of sessions among the queries of the table `selected`."""
    judge_log(db, selected, evidence)
    rows = db.arrow(
        compose((*stage("log", LOG), *stage("prompts", PROMPTS), "judge/label_counts", "metrics/arm_sessions"))
    ).to_pylist()
    drawn = sorted({(row["seed"], row["share"]) for row in rows})
    return [_trial(*one, [row for row in rows if (row["seed"], row["share"]) == one]) for one in drawn]


def _trial(seed: str, share: float, rows: Sequence[dict[str, Any]]) -> Trial:
    side = np.array([row["candidate"] for row in rows])
    sums = {name: np.array([row[name] for row in rows]) for name in ("prompts", "used", "unused")}
    sums["shown"] = sums["used"] + sums["unused"]
    counted = {"candidate": int(side.sum()), "current": int((~side).sum())}
    both = min(counted.values()) >= LEAST_SESSIONS
    found = [
        _signed(arm_difference(name, sums[over], sums[under], side, share), sign)
        for name, (over, under, sign) in FIGURES.items()
        if both and sums[under][side].sum() and sums[under][~side].sum()
    ]
    prompts = {"candidate": int(sums["prompts"][side].sum()), "current": int(sums["prompts"][~side].sum())}
    return Trial(seed, share, counted, prompts, _uneven(counted["candidate"], len(rows), share), found)


def arm_difference(
    figure: str, over: Floats, under: Floats, side: npt.NDArray[np.bool_], share: float
) -> ArmDifference:
    """The difference of a ratio of sums over sessions between the candidate's (`side` true, of probability `share`) and
    the others.

    Each session speaks with its distance from the ratio of its side, weighted by the inverse of the probability of
    getting there; the mean of these is the difference, and their spread that of the difference.
    """
    ratios = {one: over[side == one].sum() / under[side == one].sum() for one in (True, False)}
    of_side = np.where(side, ratios[True], ratios[False])
    mean = np.where(side, under[side].mean(), under[~side].mean())
    residual = (over - of_side * under) / mean
    spread = float(np.std(np.where(side, residual / share, -residual / (1 - share)), ddof=1))
    difference = float(ratios[True] - ratios[False])
    half = half_width(spread, len(side))
    return ArmDifference(
        figure, float(ratios[False]), float(ratios[True]), difference, difference - half, difference + half, None,
        None if abs(difference) > half else sessions_needed(spread, abs(difference), len(side)),
    )  # fmt: skip


def spread_of(over: Floats, under: Floats, share: float) -> float:
    """The standard deviation that `half_width` takes, expected where sessions with these sums are shared out at random
    and both sides are alike."""
    residual = (over - over.sum() / under.sum() * under) / under.mean()
    return float(np.std(residual) * sqrt(1 / share + 1 / (1 - share)))


def half_width(spread: float, sessions: int, alpha: float = _ALPHA_EACH) -> float:
    """Half of the interval of a mean over `sessions` values of standard deviation `spread` that holds at all times with
    probability 1 - `alpha`, in the limit of many sessions. By default all FIGURES hold together with 1 - ALPHA.
    """
    rho = (-2 * log(alpha) + log(-2 * log(alpha)) + 1) / _TIGHTEST_AT
    scaled = sessions * rho + 1
    return spread * sqrt(2 * scaled / (sessions**2 * rho) * log(sqrt(scaled) / alpha))


def sessions_needed(spread: float, difference: float, sessions: int = LEAST_SESSIONS) -> int | None:
    """How many sessions, at least so many, make the interval narrower than the difference; None where none would do."""
    low, high = sessions, sessions
    while half_width(spread, high) >= difference:
        low, high = high, 2 * high
        if high > _MOST_SESSIONS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if half_width(spread, middle) >= difference else (low, middle)
    return high


def _signed(found: ArmDifference, sign: int) -> ArmDifference:
    """With the way that the reader sees it."""
    if not found.known:
        return found
    better = "better" if found.difference * sign > 0 else "worse"
    return ArmDifference(**{**asdict(found), "better": better})


def _uneven(candidates: int, sessions: int, share: float) -> float:
    """The probability that as many or more sessions are on the wrong side by chance (normal approximation)."""
    spread = sqrt(sessions * share * (1 - share))
    return erfc(abs(candidates - sessions * share) / (spread * sqrt(2))) if spread else 1.0
