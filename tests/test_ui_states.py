"""Every page over a store without anything, with hardly anything, and with a log that no replay reproduces."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from memory_store import Memories
from missed_log import at_score, logged
from small_log import derive
from ui_app import opened, word
from worlds import world_store

from workbench.store import writing
from workbench.ui.screens import SCREENS

NAMES = [screen.name for screens in SCREENS.values() for screen in screens]
NEED_A_LOG = [*(screen.name for screen in SCREENS["look"]), "whatif", "compare"]


def empty(target: Path) -> None:
    with writing(target, "test"):
        pass


def thin(target: Path) -> None:
    """Two prompts: one shows a memory that nobody used, one shows nothing."""
    with writing(target, "test") as db:
        Memories(db).add("core://a")
        logged(db, "q1", [at_score("core://a", 0.8, shown=True)])
        logged(db, "q2", text="and now?")
        derive(db)


def unlike(target: Path) -> None:
    """A log that was written by other weights than those in force."""
    shutil.copy(world_store(900, 0.4, 3), target)
    with writing(target, "test") as db:
        db.execute(
            "UPDATE wb.logged_candidates SET logged_dense = logged_dense * 0.9, logged_score = logged_score - 0.05"
        )


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One store of each kind, by its name."""
    folder = tmp_path_factory.mktemp("states")
    made = {one.__name__: (folder / f"{one.__name__}.duckdb", one) for one in (empty, thin, unlike)}
    for target, make in made.values():
        make(target)
    return {kind: target for kind, (target, _) in made.items()}


@pytest.mark.parametrize("kind", ["empty", "thin", "unlike"])
@pytest.mark.parametrize("screen", NAMES)
def test_a_page_stands_whatever_the_store_holds(
    screen: str, kind: str, stores: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_DB", str(stores[kind]))
    app = opened(screen)
    assert app.title[0].value == word(f"{screen}.title")
    if kind == "empty" and screen in NEED_A_LOG:
        assert [one.value for one in app.info] == [word("frame.empty_log")]


def test_a_log_that_no_replay_reproduces_is_said(stores: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_DB", str(stores["unlike"]))
    (light,) = [one.value.replace("\\", "") for one in opened().warning]
    assert "configuration change (signal weights)" in light
    rows = opened("prompt").dataframe[0].value
    assert (rows["logged_score"] < rows["replayed_score"] - 0.04).all()
