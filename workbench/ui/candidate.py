"""The configuration that a page holds against the one in force."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.labelling import Decision, pending_decision
from workbench.ui.cached import store_path
from workbench.ui.common import kept_choice
from workbench.ui.configurations import AT_HAND, STUDY, called, configurations, in_force, resolved_or_present
from workbench.ui.texts import t
from workbench.ui.texts.said import said_plainly

_PENDING = "pending"


def pending() -> Decision:
    """The decision that is open: the newest study that proposes a change, else a lower threshold."""
    return pending_decision(in_force(), store_path())


def decision_name(decision: Decision) -> str:
    """What an open decision is about, as plain text."""
    return called(decision.name) if decision.name.startswith(f"{STUDY} ") else said_plainly(decision.name)


def candidate() -> tuple[str, Mapping[str, Any]]:
    """The candidate that is chosen, at first the draft where somebody works on one, else what the open decision is
    about: what it is called, as plain text, and its values."""
    decision, others = pending(), configurations()[1:]
    names = {_PENDING: decision_name(decision), **{one: called(one) for one in others}}
    worked_on = resolved_or_present(AT_HAND) != in_force()
    order = sorted(names, key=lambda one: one != AT_HAND) if worked_on else list(names)
    chosen = kept_choice("candidate", t("prompt.candidate"), order, names.__getitem__)
    params = decision.proposed.params if chosen == _PENDING else resolved_or_present(chosen)
    return names[chosen], params.as_flat()
