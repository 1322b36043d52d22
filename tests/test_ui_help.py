"""The guided tour: every page with its text and its pictures, on the page Help and in the docs."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from tour import NAMES, SIZE, pictures
from ui_app import opened, word

from workbench import ui
from workbench.store import writing
from workbench.ui.screens import SCREENS
from workbench.ui.texts import LANGUAGES

ROOT = Path(str(ui.__file__)).parent.parent
PICTURES = ROOT / "ui" / "static" / "tour"
WAY = ("store", "look", "change")
TOURED = [screen.name for group in WAY for screen in SCREENS[group] if screen.name != "help"]
MOST_BYTES = 60_000


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("screen", TOURED)
def test_every_page_has_small_pictures(screen: str, language: str) -> None:
    for name in pictures(screen, language):
        assert (PICTURES / name).stat().st_size < MOST_BYTES
        with Image.open(PICTURES / name) as picture:
            assert picture.size == SIZE


def test_the_way_leads_over_every_page_and_there_are_no_other_pictures() -> None:
    assert {*TOURED, "help"} == set(NAMES)
    named = {name for screen in TOURED for one in LANGUAGES for name in pictures(screen, one)}
    assert {file.name for file in PICTURES.iterdir()} == named


def test_the_docs_lead_through_every_page() -> None:
    tour = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
    for screen in TOURED:
        assert f"## {word(f'{screen}.title')}\n" in tour
        for name in pictures(screen, "en"):
            assert f"(../ui/static/tour/{name})" in tour
        assert word(f"help.{screen}") in " ".join(tour.split())
    assert "(workbench/docs/tour.md)" in (ROOT.parent / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_help_needs_no_data(language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with writing(tmp_path / "empty.duckdb", "test"):
        pass
    monkeypatch.setenv("WORKBENCH_DB", str(tmp_path / "empty.duckdb"))
    app = opened("help", lang=language)
    assert [one.value for one in app.subheader] == [word(f"{screen}.title", language) for screen in TOURED]
    assert len(app.get("image")) == sum(len(pictures(screen, language)) for screen in TOURED)
