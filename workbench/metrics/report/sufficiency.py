"""What the used memories of a log suffice for, in plain words: which questions it answers, and when the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import ceil
from typing import Any

from workbench.metrics.binomial import loss_bound
from workbench.metrics.power import HELD_OUT, Detectable
from workbench.text import percent

FEW = 10
COMPARISON = "Is another configuration better?"
TOLERATED = 0.10


@dataclass(frozen=True)
class Held:
    """What a log has to answer with: used memories in all and of each client, over how many days, what the newest
    sessions could show of a loss, the interval of the use rate and of the AUC (low, high), and how many traces of what
    was missed there are (opens and searches of agents, answers by hand)."""

    used: int
    prompts: int
    used_of_clients: Sequence[int]
    days: float
    held_out: Detectable
    use_rate: tuple[float, float] | None
    auc: tuple[float, float] | None
    traces: int

    def more_days(self, wanted: float) -> int | None:
        """Days until there are so many used memories at the rate of the log; 0 where there are, None where there is no
        rate."""
        if self.used >= wanted:
            return 0
        return ceil((wanted - self.used) * self.days / self.used) if self.used and self.days else None


@dataclass(frozen=True)
class Answer:
    """Whether the log answers a question, why, and after how many more days like its own it will: 0 where it does, None
    where time alone does not help."""

    question: str
    answered: bool
    why: str
    more_days: int | None = None

    def as_json(self) -> dict[str, Any]:
        """Field to value."""
        return asdict(self)


def sufficiency(used: int, prompts: int) -> str:
    """One or two sentences: how many used memories there are, and what can be seen with them."""
    bound = loss_bound(used)
    if not prompts:
        return "No prompt passes the filter, so there is nothing to measure."
    if bound is None:
        return (
            f"None of {_count(prompts, 'prompt')} has a used memory: the log shows how much is displayed, but not "
            "what helped."
        )
    counted = f"{_count(used, 'memory was', 'memories were')} used in {_count(prompts, 'prompt')}"
    if used < FEW:
        return f"{counted}: too few to compare configurations."
    return (
        f"{counted}. A configuration that keeps all of them may still be losing up to {100 * bound:.2g} % of the "
        "helpful ones (with 95 % confidence); smaller losses cannot be seen."
    )


def answers(held: Held) -> list[Answer]:
    """The questions that operators ask of a log, each with whether this one answers it."""
    return [_rate(held), _clients(held), _score(held), _comparison(held), _tolerated(held), _missed(held)]


def _rate(held: Held) -> Answer:
    why = f"{_count(held.used, 'used memory', 'used memories')}; {FEW} are the least"
    if held.use_rate is not None:
        why = f"{percent(held.use_rate[0], 1)} to {percent(held.use_rate[1], 1)} (95 %, Wilson)"
    return _answer(held, "How often is what we show used?", held.used >= FEW, why, FEW)


def _clients(held: Held) -> Answer:
    enough = sum(used >= FEW for used in held.used_of_clients)
    second = sorted(held.used_of_clients, reverse=True)[1:2]
    wanted = FEW * held.used / second[0] if second and second[0] else None
    clients = _count(len(held.used_of_clients), "client")
    why = f"{enough} of {clients} with at least {FEW} used memories; two are the least"
    return _answer(held, "Do clients differ?", enough > 1, why, wanted)


def _score(held: Held) -> Answer:
    question = "Does the score tell used memories from unused ones?"
    if held.auc is None:
        return _answer(held, question, False, "used and unused memories with scores are too few", FEW)
    low, high = held.auc
    said = "it does" if low > 0.5 else "no: used ones score lower" if high < 0.5 else "no sign that it does"
    return _answer(held, question, held.used >= FEW, f"{said} (AUC {low:.2f} to {high:.2f})", FEW)


def _comparison(held: Held) -> Answer:
    seen = held.held_out
    enough = seen.used >= FEW and held.used - seen.used >= FEW
    why = seen.sentence().rstrip(".") if enough else f"{seen.used} used memories would be held out; {FEW} are the least"
    wanted = max(FEW / HELD_OUT, held.used + 1)
    return _answer(held, COMPARISON, enough, why, wanted)


def _tolerated(held: Held) -> Answer:
    least = next(used for used in range(1, 1_000) if (loss_bound(used) or 1) <= TOLERATED)
    enough = held.held_out.used >= least
    why = f"{held.held_out.used} used memories would be held out; if none of {least} is lost, it is ruled out"
    wanted = max(least / HELD_OUT, held.used + 1)
    return _answer(held, f"Can a loss of {100 * TOLERATED:.0f} % of what helps be ruled out?", enough, why, wanted)


def _missed(held: Held) -> Answer:
    question = "What was needed and not shown?"
    if not held.prompts:
        return Answer(question, answered=False, why="no logged prompt passes the filter")
    if held.traces:
        why = f"{_count(held.traces, 'trace')} of agents and answers by hand; see `workbench missed`"
        return Answer(question, answered=True, why=why, more_days=0)
    why = "no transcript, search or answer by hand in the store"
    if held.used:
        return Answer(question, answered=False, why=f"{why}: only use in near-identical prompts speaks for it, see "
                      "`workbench missed`")  # fmt: skip
    return Answer(question, answered=False, why=f"{why}: a log of what was shown cannot tell what was missing")


def _answer(held: Held, question: str, answered: bool, why: str, wanted: float | None) -> Answer:
    if answered:
        return Answer(question, answered=True, why=why, more_days=0)
    return Answer(question, answered=False, why=why, more_days=None if wanted is None else held.more_days(wanted))


def _count(number: int, one: str, several: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else several or one + 's'}"
