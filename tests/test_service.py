"""The HTTP API: the server's answers, one sentence for every refusal, and nothing without the token."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from golden_search import check, golden
from served import GOLDEN_NOW, WORKBENCH, environment, memory_store
from starlette.testclient import TestClient
from worlds import copy_of

from workbench.agents import Lore
from workbench.errors import BadConfig, BadInput
from workbench.folding import fold
from workbench.service.guard import MOST_BYTES
from workbench.service.http import application
from workbench.service.mcp import mcp_server
from workbench.service.run import Serving
from workbench.store import Inbox, reading

pytestmark = pytest.mark.conformance
TOKEN = "a-token-of-this-test"  # noqa: S105
PROMPT = "how are webhook retries deduplicated?"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def path(conformance: Path, tmp_path: Path) -> Path:
    return copy_of(memory_store(conformance), tmp_path)


@pytest.fixture
def client(path: Path) -> Iterator[TestClient]:
    """A client of a service on this machine, without a token."""
    yield from served(path)


def served(path: Path, token: str | None = None, **options: Any) -> Iterator[TestClient]:
    with Lore(path, clock=lambda: GOLDEN_NOW) as lore:
        app = application(lore, mcp_server(lore), token)
        with TestClient(app, base_url="http://localhost", raise_server_exceptions=False, **options) as client:
            yield client


def recalled(client: TestClient, query: str = PROMPT, **body: Any) -> dict[str, Any]:
    response = client.post("/api/browse/recall", json={"query": query, "session_id": "s1", **body})
    assert response.status_code == 200
    found: dict[str, Any] = response.json()
    return found


def test_a_recall_has_the_shape_of_the_server(client: TestClient, conformance: Path) -> None:
    extras = json.loads((conformance / "extras.json").read_text(encoding="utf-8"))["api_route_browse_recall"]
    long, short, _ = extras
    found = recalled(client, "x" * 267)
    assert [item["uri"] for item in found["items"]] == [item["uri"] for item in long["items"]]
    assert found["items"][0].keys() >= long["items"][0].keys()
    assert found["items"][0]["cues"] == ["Only the first 200 of 267 characters of the prompt were searched."]
    assert found["retrieval_meta"].keys() == long["meta"].keys()
    found = recalled(client)
    assert found["block"].startswith(f'<recall session_id="s1" query_id="{found["query_id"]}">\n0.85 | ')
    assert found["items"][0].keys() >= short["items"][0].keys()


def test_every_golden_search_is_equal(client: TestClient, conformance: Path) -> None:
    records = golden(conformance, "simple")
    for record in records:
        response = client.post("/api/browse/search", json={"query": record["query"], **record["options"]})
        assert response.status_code == 200, record["query"]
        check(record, response.json())
    by_query_string = client.get("/api/browse/search", params={"query": "webhook"}).json()
    assert by_query_string == client.post("/api/browse/search", json={"query": "webhook"}).json()
    assert len(records) == 76


def test_a_memory_is_opened_and_counted(client: TestClient, path: Path) -> None:
    found = recalled(client)
    given = {"session_id": "s1", "query_id": found["query_id"]}
    first = client.get("/api/browse/node", params={"uri": found["items"][0]["uri"], **given}).json()
    assert first["used"] == "counted"
    assert "Idempotency-Key" in first["content"]
    by_path = client.post("/api/browse/node", json={"domain": "ops", "path": "redis"}).json()
    assert (by_path["uri"], by_path["used"]) == ("ops://redis", "no query_id")
    assert client.get("/api/browse/node", params={"uri": "ops://nowhere"}).status_code == 404
    assert client.get("/api/browse/node").status_code == 400
    said = client.post("/api/browse/recall/usage", json={"query_id": found["query_id"], "uris": []})
    assert said.json()["recorded"] is True
    fold(path)
    with reading(path) as db:
        assert db.rows("SELECT used_count, shown_count FROM recall_queries") == [(3, 3)]
        assert db.rows("SELECT found, count(*) FROM wb.agent_opens GROUP BY 1 ORDER BY 1") == [(False, 1), (True, 2)]


def test_looking_at_a_recall_records_nothing(client: TestClient, path: Path) -> None:
    body = {"query": PROMPT, "max_display_items": 1, "log_events": True}
    found = client.post("/api/browse/recall/debug", json=body).json()
    assert len(found["items"]) == 1
    assert len(found["candidates"]) > 50
    assert Inbox(path).read() == []


def test_a_lifecycle_event_is_answered(client: TestClient) -> None:
    event = {
        "runtime": {"runtime_family": "codex"}, "event": {"name": "prompt.submit"},
        "normalized": {"session_id": "s1", "prompt": PROMPT},
    }  # fmt: skip
    said = client.post("/api/lifecycle/event", json=event).json()
    assert said["mode"] == "stdout_json"
    assert said["recall_blocks"][0] == said["value"]["hookSpecificOutput"]["additionalContext"]
    assert client.post("/api/lifecycle/event", json={}).json()["meta"] == {"reason": "unsupported_event"}


def test_settings_are_read_and_changed(client: TestClient) -> None:
    key = "recall.display.max_display_items"
    before = client.get("/api/settings").json()
    assert before.keys() == {"schema", "sections", "values", "defaults", "sources"}
    assert (before["values"][key], before["sources"][key]) == (3, "default")
    refused = client.put("/api/settings", json={"patch": {key: 99}})
    assert (refused.status_code, refused.json()) == (400, {"error": f"{key} must lie in 1 to 20, not 99."})
    assert client.put("/api/settings", json={"patch": {key: 1, "recall.nonsense": 1}}).status_code == 400
    changed = client.put("/api/settings", json={"patch": {key: 1}}).json()
    assert (changed["values"][key], changed["sources"][key]) == (1, "database")
    assert len(recalled(client)["items"]) == 1


def test_apply_works_on_our_own_settings_api(client: TestClient) -> None:
    """The settings API reads back what our own client writes."""
    from workbench.apply.settings_api import SettingsApi

    api = SettingsApi("http://localhost")
    api._client = client
    api.write({"recall.display.min_display_score": 0.7})
    assert api.read()["recall.display.min_display_score"] == 0.7


def test_the_page_of_the_api_names_all_of_it_and_loads_nothing(client: TestClient) -> None:
    page = client.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    for path in client.get("/openapi.json").json()["paths"]:
        assert f"{path}</h2>" in page.text
    assert "session_id" in page.text
    assert "src=" not in page.text
    assert "http" not in page.text


def test_nothing_is_readable_without_the_token(path: Path) -> None:
    for client in served(path, TOKEN):
        paths = [
            *client.get("/openapi.json", headers=bearer(TOKEN)).json()["paths"],
            "/openapi.json",
            "/docs",
            "/mcp",
            "/x",
        ]
        for one in {*paths} - {"/health"}:
            for method in ("GET", "POST", "PUT"):
                for headers in ({}, bearer("another-token-than-this"), {"Authorization": f"Basic {TOKEN}"}, bearer("")):
                    response = client.request(method, one, headers=headers)
                    assert response.status_code == 401, (method, one)
                    assert response.json().keys() == {"error"}
        assert client.get("/health").json() == {"status": "ok"}
        assert client.get("/api/settings", headers=bearer(TOKEN)).status_code == 200
        assert client.get("/api/settings", headers={**bearer(TOKEN), "Host": "lore.example"}).status_code == 200


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_without_a_token_only_this_machine_is_answered(client: TestClient) -> None:
    for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Host": "[::"}):
        assert client.get("/api/settings", headers=headers).status_code == 403, headers
    for headers in ({"Host": "127.0.0.1:18901"}, {"Origin": "http://localhost:3000"}, {"Host": "[::1]:18901"}):
        assert client.get("/api/settings", headers=headers).status_code == 200, headers


def test_beyond_this_machine_a_token_is_needed() -> None:
    for host in ("0.0.0.0", "::", "192.168.1.5", "lore.example"):  # noqa: S104
        with pytest.raises(BadInput, match="token"):
            Serving(host=host)
        assert Serving(host=host, token=TOKEN).token == TOKEN
    for host in ("localhost", "127.0.0.1", "::1"):
        assert Serving(host=host).token is None
    for weak in ("", "short", "with a space in it", "ключ-из-букв-кириллицы"):
        with pytest.raises(BadConfig, match="token"):
            Serving(token=weak)


def test_a_body_has_a_limit(client: TestClient, path: Path) -> None:
    headers = {"content-type": "application/json"}
    too_long = b'{"query": "' + b"x" * MOST_BYTES + b'"}'
    assert client.post("/api/browse/recall", content=too_long, headers=headers).status_code == 413
    parts = (b"x" * 100_000 for _ in range(1000))
    assert client.post("/api/browse/recall", content=parts, headers=headers).status_code == 413
    assert Inbox(path).read() == []


def test_a_search_for_a_whole_text_is_refused(client: TestClient, path: Path) -> None:
    """The model would take so long over it that others wait."""
    refused = client.post("/api/browse/search", json={"query": "x" * 1001})
    assert (refused.status_code, Inbox(path).read()) == (400, [])
    assert client.post("/api/browse/search", json={"query": "x" * 1000, "mode": "keyword"}).status_code == 200


def test_a_refusal_repeats_nothing_of_the_request(client: TestClient) -> None:
    secret = "very-secret-text"  # noqa: S105
    for body in ({"query": [secret]}, {"query": "x", "limit": secret}, [secret], {"query": secret, "min_score": 1e9}):
        response = client.post("/api/browse/recall", json=body)
        assert response.status_code == 422
        assert secret not in response.text


def test_a_recall_that_takes_too_long_says_so(client: TestClient, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.agents.lore._elapsed_ms", lambda began: 30_001)
    found = recalled(client)
    assert (found["skipped"], found["block"], found["query_id"]) == (True, "", None)
    assert [item["uri"] for item in found["items"]] == ["notice://recall/timeout"]
    assert {entry.kind for entry in Inbox(path).read()} == {"prompt"}


def test_commands_record_what_the_service_would(path: Path, run: Run) -> None:
    code, out, _ = run("recall", PROMPT, "--record", "--session-id", "s1", "--client", "codex", "--db", path, "--json")
    found = json.loads(out)
    assert code == 0
    uri = found["items"][0]["uri"]
    code, out, err = run("open", uri, "--session-id", "s1", "--query-id", found["query_id"], "--db", path, "--json")
    assert (code, json.loads(out)["used"]) == (0, "counted")
    assert "counted" in err
    assert run("open", "ops://nowhere", "--db", path)[0] == 2
    code, out, _ = run("recall", "--session-start", "--client", "codex", "--directory", "deploy", "--db", path)
    assert code == 0
    assert out.startswith("<boot>")
    assert "ops://deploy | deploy" in out
    code, out, _ = run("fold", "--db", path, "--json")
    assert json.loads(out) == {"folded": 5}
    with reading(path) as db:
        assert db.rows("SELECT client_type, used_count FROM recall_queries WHERE session_id = 's1'") == [("codex", 1)]


def test_a_port_that_is_taken_is_told_in_one_sentence(path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = subprocess.run(
            [*WORKBENCH, "serve", "--host", "127.0.0.1", "--port", str(port), "--db", str(path)],
            env={**os.environ, **environment()}, capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
    said = f"Cannot listen on 127.0.0.1, port {port}; is another service there? Choose a --port.\n"
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", said)
