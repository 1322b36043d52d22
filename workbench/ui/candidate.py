"""The configuration that pages hold against the one in force."""

from __future__ import annotations

from typing import Any

from workbench.labelling import Decision, pending_decision
from workbench.params import Params
from workbench.replay.logged import settings_in_force
from workbench.store import Database
from workbench.ui.cached import cached, store_path
from workbench.ui.texts.said import said_plainly


@cached
def in_force(db: Database) -> dict[str, Any]:
    """The values in force."""
    return dict(settings_in_force(db).params.as_flat())


def pending() -> Decision:
    """The decision that is open: the newest study that proposes a change, else a lower threshold."""
    return pending_decision(Params(in_force()), store_path())


def candidate() -> tuple[str, dict[str, Any]]:
    """What the configuration is called, as plain text, and its values."""
    decision = pending()
    return said_plainly(decision.name), dict(decision.proposed.params.as_flat())
