"""The password before the app: who is let in, who is not, and what the command refuses."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Callable, MutableMapping
from pathlib import Path
from typing import Any

import httpx2
import pytest
from app_in_browser import PATIENCE_MS, served
from worlds import world_store

from workbench.ui import door
from workbench.ui.door import Door

PASSWORD = "correct horse: 电池"  # noqa: S105
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "_WAIT_SECONDS", 0.0)


def basic(password: str) -> str:
    return "Basic " + b64encode(f"anybody:{password}".encode()).decode()


class Client:
    """Asks a door with an application behind it that says `inside`."""

    def __init__(self) -> None:
        self.door = Door(self._inside, PASSWORD)

    async def _inside(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"inside"})

    def ask(self, kind: str = "http", path: str = "/", **headers: str) -> list[dict[str, Any]]:
        """What the door answers."""
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": f"{kind}.connect"}

        async def send(message: Any) -> None:
            sent.append(dict(message))

        coded = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
        asyncio.run(self.door({"type": kind, "path": path, "headers": coded}, receive, send))
        return sent


@pytest.mark.parametrize(
    "header", ["", "Basic", "Basic %%%", "Bearer x", basic("wrong"), basic(""), "Basic " + "A" * 9]
)
def test_nobody_passes_without_the_password(header: str) -> None:
    client = Client()
    start, body = client.ask(**({"authorization": header} if header else {}))
    assert start["status"] == 401
    assert body["body"] != b"inside"
    assert dict(start["headers"])[b"www-authenticate"].startswith(b"Basic")
    assert client.ask("websocket", cookie="workbench_door=x")[0] == {"type": "websocket.close", "code": 1008}
    assert client.ask(cookie="workbench_door=; a b=;;")[0]["status"] == 401


def test_the_password_opens_once_and_its_cookie_from_then_on() -> None:
    client = Client()
    start, body = client.ask(authorization=basic(PASSWORD))
    assert (start["status"], body["body"]) == (200, b"inside")
    cookie = dict(start["headers"])[b"set-cookie"].decode()
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    known = cookie.partition(";")[0]
    assert client.ask(cookie=f"other=1; {known}")[0]["status"] == 200
    assert client.ask("websocket", cookie=known) == [{"type": "websocket.accept"}]
    assert Client().ask(cookie=known)[0]["status"] == 401
    assert client.ask(path="/_stcore/health")[0]["status"] == 200


def test_beyond_this_machine_only_with_a_password(tmp_path: Path, run: Run) -> None:
    store = world_store(900, 0.4, 3)
    code, out, err = run("ui", "--db", store, "--host", "0.0.0.0", "--headless")  # noqa: S104
    assert (code, out) == (2, "")
    assert "--password-file" in err
    short = tmp_path / "short"
    short.write_text("1234567\n", encoding="utf-8")
    for file in (short, tmp_path / "none", tmp_path):
        code, _, err = run("ui", "--db", store, "--password-file", file, "--headless")
        assert code == 2
        assert "1234567" not in err


def test_the_app_runs_behind_the_door(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text(PASSWORD + "\n", encoding="utf-8")
    with served(world_store(900, 0.4, 3), "--password-file", str(file)) as address, httpx2.Client() as client:
        assert client.get(address).status_code == 401
        assert client.get(f"{address}/_stcore/host-config").status_code == 401
        answer = client.get(address, headers={"Authorization": basic(PASSWORD)})
        assert answer.status_code == 200
        assert client.get(address).status_code == 200


@pytest.mark.browser
def test_a_browser_is_asked_once(chromium: str, tmp_path: Path) -> None:
    from playwright.sync_api import expect, sync_playwright

    file = tmp_path / "password"
    file.write_text(PASSWORD, encoding="utf-8")
    with (
        served(world_store(900, 0.4, 3), "--password-file", str(file)) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        known = {"username": "anybody", "password": PASSWORD}
        page = browser.new_context(http_credentials=known).new_page()  # type: ignore[arg-type]
        page.goto(address)
        expect(page.get_by_role("heading", name="Overview")).to_be_visible(timeout=PATIENCE_MS)
        expect(page.get_by_text("Parity holds")).to_be_visible(timeout=PATIENCE_MS)
        browser.close()
