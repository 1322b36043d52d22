"""A store with a finished study, made once for all test modules, and what tests of pages share."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from streamlit.testing.v1 import AppTest
from ui_app import app_at, word
from worlds import world_store

from workbench.replay.logged import settings_in_force
from workbench.store import reading
from workbench.tune import TuneRequest, studies_folder, tune

TRIALS = 40


@cache
def finished_study() -> Path:
    """A store whose study `study` has TRIALS trials and a verdict; read it only."""
    store = Path(mkdtemp(prefix="study-")) / "store.duckdb"
    shutil.copy(world_store(900, 0.4, 3), store)
    with reading(store) as db:
        tune(db, settings_in_force(db).params, studies_folder(store), TuneRequest(trials=TRIALS))
    return store


def page(name: str, **address: str) -> AppTest:
    """A page of the app in its frame, drawn once."""
    return ran(app_at(name, **address))


def ran(app: AppTest) -> AppTest:
    """The page drawn again; a fault on it fails the test, a sentence that says what is wrong does not."""
    app.run()
    assert not app.exception
    assert word("frame.fault") not in [one.value for one in app.error]
    return app


def press(app: AppTest, label: str) -> AppTest:
    """Press the button of that label."""
    labelled(app.button, label).click()
    return ran(app)


def labelled(widgets: Any, label: str) -> Any:
    """The widget of that label."""
    return next(one for one in widgets if one.label == label)


def said(app: AppTest) -> str:
    """All sentences of a page, without the marks that escape them."""
    every = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error, *app.success]
    return "\n".join(one.value for one in every).replace("\\", "")


def wait(until: Callable[[], bool], seconds: float = 90) -> None:
    """Until something holds that another process brings about."""
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.05)
