"""The app as `workbench ui` runs it, and a page of Chromium on it."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Literal
from urllib.error import URLError
from urllib.request import urlopen

from served import free_port

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

PATIENCE_MS = 60_000
SETTLES_MS = 600
# What Streamlit warns of a widget that a page drew; not all else in its log is the doing of pages.
_LOGGED = re.compile(r"^.*The widget with key.*", re.MULTILINE)
_AT_REST = (
    "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
    " && !document.querySelector('[data-testid=stSpinner], [data-testid=stSkeleton]')"
)


@contextmanager
def served(store: Path, *options: str) -> Iterator[str]:
    """The address of the app over `store`, which must end with its command and warn of no widget in its log; `options`
    are more of `workbench ui`."""
    port = free_port()
    program = str(Path(sys.executable).with_name("workbench"))
    command = [program, "ui", "--db", str(store), "--port", str(port), "--headless", *options]
    with TemporaryFile() as log, subprocess.Popen(command, env={**os.environ}, stdout=log, stderr=log) as app:
        try:
            _wait_for(f"http://localhost:{port}/_stcore/health")
            yield f"http://localhost:{port}"
        finally:
            app.terminate()
            app.wait(timeout=30)
        log.seek(0)
        complaints = _LOGGED.findall(log.read().decode())
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0, "the app outlives the command"
    assert complaints == [], complaints


@contextmanager
def browsed(chromium: str, theme: Literal["light", "dark"] = "light") -> Iterator[Page]:
    """A page of 1280 by 900; asking anything beyond this machine fails the test."""
    from playwright.sync_api import sync_playwright

    outside: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=theme, locale="en-GB")
        context.set_default_timeout(PATIENCE_MS)
        context.on("request", lambda request: outside.append(request.url) if _is_outside(request.url) else None)
        yield context.new_page()
        browser.close()
    assert outside == []


def heading(page: Page, name: str) -> Locator:
    """The title of a page."""
    return page.get_by_role("heading", name=name, exact=True)


def drawn(page: Page) -> None:
    """Until the script of the page has come to its end and everything is in its place."""
    page.wait_for_function(_AT_REST)
    page.wait_for_timeout(SETTLES_MS)
    page.wait_for_function(_AT_REST)


def _wait_for(address: str, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            with urlopen(address, timeout=2) as answer:  # noqa: S310
                if answer.status == 200:
                    return
        except (URLError, OSError):
            if time.monotonic() > end:
                raise
        time.sleep(0.2)


def _is_outside(address: str) -> bool:
    return not address.startswith(("http://localhost", "ws://localhost", "data:", "blob:"))
