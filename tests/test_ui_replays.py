"""What the pages show of a configuration is cut from a replay of the whole log: as if the filter had been replayed."""

from __future__ import annotations

import pytest
from worlds import world_store

from workbench.params import Params
from workbench.replay.run import Settings, replay_shown
from workbench.replay.selection import SELECTED, Selection
from workbench.store import reading
from workbench.ui.replays import replay_held


@pytest.mark.parametrize("selection", [Selection(), Selection(clients=("codex",)), Selection(clients=("nobody",))])
@pytest.mark.parametrize("changed", [{}, {"recall.display.min_display_score": 0.45, "views.weight.gist": 1.2}])
def test_a_held_replay_shows_what_a_replay_of_the_filter_shows(
    monkeypatch: pytest.MonkeyPatch, selection: Selection, changed: dict[str, float]
) -> None:
    store = world_store(300, 0.5, 3)
    monkeypatch.setenv("WORKBENCH_DB", str(store))
    in_force = Params.default()
    settings = Settings(in_force.replace(changed), in_force)
    with reading(store) as db:
        prompts = selection.materialise(db)
        replay_shown(db, settings, SELECTED, "anew")
        replay_held(db, settings, SELECTED, "held")
        replay_held(db, settings, None, "whole")
        ((anew,), (held,), (whole,)) = (db.row(f"SELECT count(*) FROM {one}") for one in ("anew", "held", "whole"))
        assert not db.rows("FROM anew EXCEPT ALL FROM held")
    assert anew == held
    assert bool(prompts) == bool(held)
    assert whole > held
