"""What would settle a question that the log leaves open: answers by hand, a canary, more days of log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from math import ceil
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.judge.labels import HAND_LABELS, expect_answers
from workbench.metrics.arms import LEAST_SESSIONS, half_width, sessions_needed, spread_of
from workbench.params import THRESHOLD, Params
from workbench.replay.run import Settings, replay_shown
from workbench.store import Database, compose
from workbench.text import percent

SHARE = 0.5
FIRST_LOOK = 28
LEAST_ANSWERS = 10
_TOO_LONG = 365
_NAMED = 10
_Z = 1.96


@dataclass(frozen=True, eq=False)
class Traffic:
    """The sessions of a log, a row each: prompts, used, shown_unused; and how many `days` they span."""

    sessions: pa.Table
    days: float

    @classmethod
    def of(cls, parts: Sequence[pa.Table], first_day: str | None, last_day: str | None) -> Traffic:
        """The sessions of several parts between two days (ISO, both included)."""
        days = (date.fromisoformat(last_day) - date.fromisoformat(first_day)).days + 1 if first_day and last_day else 1
        columns = ("prompts", "used", "shown_unused")
        return cls(pa.concat_tables([part.select(columns) for part in parts]), float(days))

    def sums(self, name: str) -> Any:
        """A column, as numbers."""
        return self.sessions[name].to_numpy().astype(np.float64)

    @property
    def prompts_per_day(self) -> float:
        return float(self.sums("prompts").sum()) / self.days

    @property
    def used(self) -> int:
        return int(self.sums("used").sum())

    @property
    def use_rate(self) -> float:
        """Used of shown, 0..1, kept off both ends."""
        return (self.used + 1) / (self.used + float(self.sums("shown_unused").sum()) + 2)


def canary(traffic: Traffic, tolerated_loss: float) -> dict[str, Any]:
    """A trial of the new configuration on half of the sessions, long enough to see the smallest difference that
    matters: a loss of `tolerated_loss` of the used memories a prompt.

    Its interval holds at all times (metrics/arms.py), as `compare --arms` computes it, at the spread over sessions that
    the log has. `days` is None where no length would do. `after_28_days` is the difference that can be seen by then.
    """
    used, prompts = traffic.sums("used"), traffic.sums("prompts")
    spread, per_day = spread_of(used, prompts, SHARE), len(prompts) / traffic.days
    matters = tolerated_loss * used.sum() / prompts.sum()
    sessions = sessions_needed(spread, float(matters)) if matters > 0 else None
    first = max(LEAST_SESSIONS, ceil(per_day * FIRST_LOOK))
    found = {
        "share": SHARE,
        "used_per_prompt": float(used.sum() / prompts.sum()),
        "smallest_difference_that_matters": float(matters),
        "sessions": sessions,
        "prompts": sessions and ceil(sessions * prompts.mean()),
        "days": sessions and ceil(sessions / per_day),
        "prompts_per_day": traffic.prompts_per_day,
        "after_28_days": {"prompts": ceil(first * prompts.mean()), "difference": half_width(spread, first)},
    }
    return found | {"said": _canary_said(found)}


def _canary_said(found: dict[str, Any]) -> str:
    matters, seen = found["smallest_difference_that_matters"], found["after_28_days"]
    command = "`workbench serve --config FILE --share 0.5`, then `workbench compare --arms`"
    later = f"after {FIRST_LOOK} days ({seen['prompts']:,} prompts) it shows a difference of {seen['difference']:.4f}"
    if found["days"] is None:
        return f"A canary could not show a loss of {matters:.4f} used memories a prompt in any length of time; {later}."
    length = f"{found['days']:,} days with {found['prompts']:,} prompts"
    if found["days"] > _TOO_LONG:
        return (
            f"A canary would need {length} to show a loss of {matters:.4f} used memories a prompt, too long; {later}."
        )
    return (
        f"A canary on half of the sessions for {length} shows a loss of {matters:.4f} used memories a prompt, the "
        f"smallest that matters, with a 95 % interval that may be looked at every day: {command}."
    )


def answers(newly: int, helpful: float, noise_cost: float, against: str) -> dict[str, Any]:
    """How many of the newly shown pairs to answer by hand, until it is known with 95 % whether enough of them help to
    pay for the rest: as many as a share like the expected one (`helpful` of them) makes necessary. `against` names the
    configuration to `label next`."""
    even = noise_cost / (1 + noise_cost)
    share = helpful / newly if newly else 0.0
    distance = max(abs(share - even), 1e-6)
    wanted = max(LEAST_ANSWERS, ceil(_Z**2 * max(share * (1 - share), 0.01) / distance**2))
    count = min(newly, wanted)
    return {
        "count": count,
        "of": newly,
        "break_even_share": even,
        "expected_share": share,
        "said": (
            f"Answer about {count} of the {newly} newly shown pairs (`workbench label next --against {against}`): "
            f"worth it if more than {percent(even, 1)} help."
            if newly
            else "Nothing is newly shown: there is nothing to answer."
        ),
    }


def near_threshold(db: Database, proposed: Params, in_force: Params, selected: str) -> list[dict[str, Any]]:
    """The newly shown pairs of the queries in the table `selected` that a slightly higher threshold would not show,
    without an answer by hand: at most ten, nearest first."""
    expect_answers(db)
    replay_shown(db, Settings(proposed, in_force), selected, into="probed")
    chain = (("now_shown", "SELECT * FROM probed"), *HAND_LABELS, "tune/near_threshold")
    rows: list[dict[str, Any]] = db.arrow(
        compose(chain), {"threshold": proposed[THRESHOLD], "most": _NAMED}
    ).to_pylist()
    return rows


def more_days(traffic: Traffic, factor: float) -> int | None:
    """Days of log that are missing where `factor` times as much is needed; None where it would be years."""
    days = max(1, ceil(traffic.days * (factor - 1)))
    return days if days <= 5 * _TOO_LONG else None
