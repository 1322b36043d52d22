"""Which answer by hand is worth most for a pending decision, and when enough is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.errors import BadInput
from workbench.judge import Evidence, judged_replays
from workbench.judge.labels import HAND_LABELS, LOG, stage
from workbench.labelling.decision import Decision
from workbench.replay.run import Replay, replay_shown
from workbench.replay.selection import SELECTED, Selection
from workbench.store import Database, compose, sql_text
from workbench.text import counted

_STRENGTH = 2.0  # what the use rate of the log weighs beside answers, in answers
_DRAWS = 4000
LEAST = 10  # fewer answers settle nothing, whatever they say
_TAILS = (0.5, 99.5)  # wider than 95 %, because the question is put anew after every answer
_Z = 2.576


@dataclass(frozen=True)
class Pair:
    """A prompt and a memory to be judged; nothing says how it scores or whether it was shown."""

    query_id: str
    prompt: str
    uri: str
    content: str | None
    disclosure: str | None

    def as_json(self) -> dict[str, Any]:
        """All that the one who answers may see."""
        return {
            "query_id": self.query_id, "prompt": self.prompt, "uri": self.uri, "content": self.content,
            "disclosure": self.disclosure,
        }  # fmt: skip


@dataclass(frozen=True)
class Progress:
    """Where a decision stands. `answered` and `open` count the pairs that it turns on; `low` and `high` bound, with
    99 %, the net help that the proposal adds over all prompts; `more` is how many answers are still worth giving."""

    answered: int
    open: int
    low: float
    high: float
    more: int

    @property
    def enough(self) -> bool:
        """Whether no further answer is needed."""
        return self.more == 0

    def sentence(self) -> str:
        """The same in words."""
        if not self.answered + self.open:
            return "Both configurations show the same memories on this log: there is nothing to answer."
        span = f"net help changes by {self.low:+.1f} to {self.high:+.1f} memories over the log (99 %)"
        answered = counted(self.answered, "pair is", "pairs are")
        if self.enough and (self.low > 0 or self.high < 0):
            better = "helps more" if self.low > 0 else "helps less"
            return f"Enough is known: the proposal {better}; {span}. {answered} answered."
        if not self.open:
            return f"Every pair is answered; {span}."
        counts = f"{answered} answered, {self.open} {'is' if self.open == 1 else 'are'} open"
        return f"{counts}; {span}. About {self.more} more {'is' if self.more == 1 else 'are'} worth giving."

    def as_json(self) -> dict[str, Any]:
        """Counts, interval and the sentence."""
        return {
            "answered": self.answered, "open": self.open, "net_help_interval": [self.low, self.high],
            "more": self.more, "enough": self.enough, "said": self.sentence(),
        }  # fmt: skip


def next_pairs(
    db: Database,
    selection: Selection,
    decision: Decision,
    seed: int = 1,
    most: int = 1,
    replay: Replay = replay_shown,
) -> tuple[list[Pair], Progress]:
    """The `most` pairs to ask about next, and where the decision stands.

    The decision turns on the pairs that exactly one of the two configurations shows. Those that only the proposal shows
    and those that it takes away are two groups; an answer is worth most in the group whose open pairs add most to the
    variance of the difference. Within a group the pair is drawn at random, by `seed`, so that the answers stand for the
    group. A pair that was answered is not asked again while the memory stays as it is. `replay` writes what a
    configuration shows. Raises BadInput when the log holds nothing to replay.
    """
    if not selection.for_replay().materialise(db):
        raise BadInput("No prompt with logged signals passes the filter; import recall events or widen the filter.")
    groups = _groups(db, decision, replay)
    progress = _progress(groups, decision.noise_cost, seed)
    wanted = max(groups, key=lambda group: (group.worth, group.name), default=None)
    if wanted is None or not wanted.open:
        return [], progress
    sql = compose((*_FLIPS, "labelling/pairs"), sql_text("labelling/asked"))
    rows = db.rows(sql, {"side": wanted.name, "seed": seed, "most": most})
    return [Pair(*row) for row in rows], progress


@dataclass(frozen=True)
class _Group:
    """The pairs of one side, `new` or `gone`: helpful and unhelpful ones as answered or used, and open ones. What is
    believed of the open ones rests on answers alone, `yes` and `no` of `answered`, because opened pairs were not drawn
    at random. `rate` is the use rate of the log, `stake` what a helpful pair adds compared with an unhelpful one."""

    rate: float
    stake: float
    name: str
    helpful: int
    unhelpful: int
    open: int
    answered: int
    yes: int
    no: int

    @property
    def beliefs(self) -> tuple[float, float]:
        """The two parameters of the beta distribution of the helpful share among the open pairs."""
        return self.yes + _STRENGTH * self.rate, self.no + _STRENGTH * (1 - self.rate)

    @property
    def worth(self) -> float:
        """Variance that the open pairs add, by the beta-binomial distribution; 0 without open pairs."""
        return _variance(*self.beliefs, self.open) * self.stake**2


def _variance(a: float, b: float, n: int) -> float:
    return n * a * b * (a + b + n) / ((a + b) ** 2 * (a + b + 1))


_FLIPS = (
    ("first", "SELECT * FROM outcomes_current"),
    ("second", "SELECT * FROM outcomes_proposed"),
    "compare/flips",
    *HAND_LABELS,
    *stage("log", LOG),
)


def _groups(db: Database, decision: Decision, replay: Replay) -> list[_Group]:
    named = {"outcomes_current": decision.current, "outcomes_proposed": decision.proposed}
    judged = judged_replays(db, named, SELECTED, Evidence(hand=True), replay)
    # One more of either kind keeps the use rate off the ends, where no answer could move it.
    rate = (judged.used + 1) / (judged.used + judged.shown_unused + 2)
    rows = db.rows(compose((*_FLIPS, "labelling/pairs"), sql_text("labelling/groups")))
    return [_Group(rate, 1 + decision.noise_cost, *row) for row in rows]


def _progress(groups: list[_Group], noise_cost: float, seed: int) -> Progress:
    answered, still = sum(group.answered for group in groups), sum(group.open for group in groups)
    low, high = _interval(groups, noise_cost, seed)
    needed = 0 if low > 0 or high < 0 else _worth_giving(groups, noise_cost, still)
    return Progress(answered, still, low, high, min(still, max(needed, LEAST - answered)))


def _interval(groups: list[_Group], noise_cost: float, seed: int) -> tuple[float, float]:
    """Both ends, as percentiles, of the difference, the open pairs drawn from what is believed of their group."""
    rng = np.random.default_rng(seed)
    total = np.zeros(_DRAWS)
    for group in groups:
        share = rng.beta(*group.beliefs, size=_DRAWS)
        helpful = group.helpful + rng.binomial(group.open, share)
        shown = group.helpful + group.unhelpful + group.open
        total += _sign(group) * (helpful - noise_cost * (shown - helpful))
    low, high = np.percentile(total, _TAILS)
    return float(low), float(high)


def _sign(group: _Group) -> int:
    return 1 if group.name == "new" else -1


def _worth_giving(groups: list[_Group], noise_cost: float, still: int) -> int:
    """The fewest answers after which the interval would leave 0 if the shares stay as believed; else all.

    By the normal approximation, the answers shared out by size of the group.
    """
    expected = sum(_sign(group) * _expected(group, noise_cost) for group in groups)
    number = 1
    while number < still:
        spread = sum(_left(group, number * group.open / still) * group.stake**2 for group in groups)
        if abs(expected) > _Z * spread**0.5:
            return number
        number = max(number + 1, round(number * 1.25))
    return still


def _expected(group: _Group, noise_cost: float) -> float:
    a, b = group.beliefs
    helpful = group.helpful + group.open * a / (a + b)
    return helpful - noise_cost * (group.helpful + group.unhelpful + group.open - helpful)


def _left(group: _Group, answers: float) -> float:
    """Variance that is left after so many more answers in a group."""
    a, b = group.beliefs
    grown = 1 + answers / (a + b)
    return _variance(a * grown, b * grown, max(0, round(group.open - answers)))
