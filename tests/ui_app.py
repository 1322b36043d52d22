"""The app under test: a page of it in its frame, and what to ask of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from workbench.ui import app as entry
from workbench.ui.texts import texts

_APP = Path(entry.__file__)
SECONDS = 60


def opened(screen: str = "overview", **address: str | list[str]) -> AppTest:
    """The page `screen` as somebody sees it who opens that address."""
    return sound(app_at(screen, **address).run())


def app_at(screen: str, **address: str | list[str]) -> AppTest:
    """The app at that address, not run yet."""
    app = AppTest.from_file(str(_APP), default_timeout=SECONDS)
    for name, value in address.items():
        app.query_params[name] = value
    return app if screen == "overview" else app.switch_page(f"screens/{screen}.py")


def visit(app: AppTest, screen: str) -> AppTest:
    """Go to another page of the same session."""
    return sound(app.switch_page(f"screens/{screen}.py").run())


def sound(app: AppTest) -> AppTest:
    """The app, which has no fault and says no error."""
    assert not app.exception, [one.value for one in app.exception]
    assert not app.error, [one.value for one in app.error]
    return app


def word(key: str, language: str = "en") -> str:
    """A text of the app."""
    return str(texts(language)[key])


def widget(app: AppTest, kind: str, label: str) -> Any:
    """The widget of a kind with this label."""
    (found,) = [one for one in getattr(app, kind) if one.label == label]
    return found
