"""The configurations that a visitor can name: in force, of the server, of studies, drafts kept, and the one at hand."""

from __future__ import annotations

from typing import Any

from workbench.errors import WorkbenchError
from workbench.params import Params
from workbench.params.drafts import draft_names, read_draft
from workbench.replay.logged import settings_in_force
from workbench.store import Database
from workbench.text import shown
from workbench.tune import best_changes, load_result, studies_folder
from workbench.ui import draft
from workbench.ui.cached import cached, store_path
from workbench.ui.studies import judged
from workbench.ui.texts import plain

PRESENT, DEFAULTS, AT_HAND = draft.PRESENT, "defaults", "at-hand"
STUDY, BEST, KEPT = "study", "best", "draft"


@cached
def _in_force(db: Database) -> dict[str, Any]:
    return dict(settings_in_force(db).params.as_flat())


def in_force() -> Params:
    """The configuration that the imported server ran with."""
    return Params(_in_force())


def configurations(*, at_hand: bool = True) -> list[str]:
    """What can be named, the present one first: PRESENT, DEFAULTS, AT_HAND (the draft that is worked on), `study NAME`
    (what it proposes), `best NAME` (what it found best and does not recommend), `draft NAME`."""
    studies = [f"{kind} {name}" for name, kinds in _studies() for kind in kinds]
    drafts = [f"{KEPT} {name}" for name in draft_names(store_path())]
    return [PRESENT, *([AT_HAND] if at_hand else []), *studies, *drafts, DEFAULTS]


def proposals_first() -> list[str]:
    """The same for whoever looks for a change: studies, newest first, then the draft at hand, the present one late."""
    order = (STUDY, AT_HAND, KEPT, BEST, PRESENT, DEFAULTS)
    return sorted(configurations(), key=lambda named: order.index(named.partition(" ")[0]))


def _studies() -> list[tuple[str, list[str]]]:
    return [
        (one.name, [STUDY, BEST] if one.found_more else [STUDY])
        for one in judged(studies_folder(store_path()))
        if one.verdict is not None
    ]


def resolved(named: str) -> Params:
    """The values of what configurations() names; BadInput or BadConfig where it is gone."""
    kind, _, name = named.partition(" ")
    if kind in (STUDY, BEST):
        result = load_result(studies_folder(store_path()), name)
        changed = best_changes(result) if kind == BEST else {}
        return Params(result["config"]).replace(changed)
    if kind == KEPT:
        return read_draft(store_path(), name)
    if kind == AT_HAND:
        return draft.params(in_force())
    return Params.default() if kind == DEFAULTS else in_force()


def resolved_or_present(named: str) -> Params:
    """The same; where it is gone, the present one."""
    try:
        return resolved(named)
    except WorkbenchError:
        return in_force()


def called(named: str) -> str:
    """How a configuration is called on a page, as plain text."""
    kind, _, name = named.partition(" ")
    if kind == STUDY:
        return plain("configurations.study", name=shown(name))
    if kind == BEST:
        return plain("configurations.best", name=shown(name))
    if kind == KEPT:
        return plain("configurations.draft", name=shown(name))
    if kind == AT_HAND:
        return plain("configurations.at_hand")
    return plain("configurations.defaults" if kind == DEFAULTS else "configurations.present")
