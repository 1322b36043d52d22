"""What the used memories of a log suffice for, in plain words."""

from __future__ import annotations

from workbench.metrics.binomial import loss_bound

FEW = 10


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


def _count(number: int, one: str, several: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else several or one + 's'}"
