"""Scripted sessions of four hosts at a running service: report and missed count what happened, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agent_sessions import Agent, Block
from served import memory_store, running
from worlds import copy_of

from workbench.folding import waiting
from workbench.hooks.hosts import HOSTS
from workbench.store import reading

pytestmark = pytest.mark.conformance
PROMPT, SILENT = "how are webhook retries deduplicated?", "mask emails in staging"
SHOWN = (
    "project://checkout_api/webhooks",
    "knowledge://distributed_systems/idempotency",
    "project://search_service",
)
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def store(conformance: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store after four agents have worked and their service has ended."""
    place = tmp_path_factory.mktemp("sessions")
    folder = place / "checkout_api"
    folder.mkdir()
    path = copy_of(memory_store(conformance), place)
    with running(path) as (address, process):
        agents = {host: Agent(host, f"{host}-session", address, path, folder) for host in HOSTS}
        for host, agent in agents.items():
            started = agent.starts()
            assert [block.session_id for block in started] == ["boot"], host
            assert started[0].uris[0] == "project://checkout_api"
            block = agent.asks(PROMPT)
            assert block is not None
            assert (block.session_id, block.uris) == (agent.session, SHOWN)
            SESSIONS[host](agent, block)
        process.terminate()
        assert process.wait(60) == 0
    assert waiting(path) == 0
    return path


def over_mcp(agent: Agent, block: Block) -> None:
    """Search, open what recall showed with its identifiers, then a result of the search, and a start-up memory."""
    known = {"session_id": agent.session}
    boot, found, linked, searched, *others = agent.over_mcp([
        ("lore_boot", {}),
        ("lore_search", {"query": "redis", "limit": 3, **known}),
        ("lore_get_node", {"uri": SHOWN[0], **block.identifiers}),
        ("lore_get_node", {"uri": "ops://redis", **known}),
        ("lore_get_node", {"uri": "core://agent", **known}),
        ("lore_get_node", {"uri": "ops://nowhere", **known}),
    ])  # fmt: skip
    assert boot.startswith("<boot>")
    assert json.loads(found)["results"][0]["uri"] == "ops://redis"
    assert linked.startswith(f"URI: {SHOWN[0]}\n")
    assert searched.startswith("URI: ops://redis\n")
    assert others[0].startswith("URI: core://agent\n")
    assert "no memory at ops://nowhere" in others[1]


def over_stdio(agent: Agent, block: Block) -> None:
    """A server of its own beside the service, which knows the session: a linked open and one without identifiers."""
    linked, unlinked = agent.over_stdio([
        ("lore_get_node", {"uri": SHOWN[1], **block.identifiers}), ("lore_get_node", {"uri": "ops://deploy"}),
    ])  # fmt: skip
    assert linked.startswith(f"URI: {SHOWN[1]}\n")
    assert unlinked.startswith("URI: ops://deploy\n")


def over_http(agent: Agent, block: Block) -> None:
    """A silent prompt, whose open is a miss, and an open of the prompt before, which still counts for that."""
    assert agent.asks(SILENT) is None
    assert agent.over_http("GET", "node", uri="ops://redis")["used"] == "no query_id"
    assert agent.over_http("POST", "node", uri=SHOWN[2], query_id=block.query_id)["used"] == "counted"
    assert agent.over_http("POST", "node", uri=SHOWN[2], query_id=block.query_id)["used"] != "counted"


def at_the_end(agent: Agent, block: Block) -> None:
    """What was shown is opened without identifiers, which is no use and no miss; the session's end reports all."""
    assert agent.over_http("GET", "node", uri=SHOWN[0])["used"] == "no query_id"
    assert agent.over_http("POST", "recall/usage", query_id=block.query_id)["recorded"] is True


SESSIONS = {"claudecode": over_mcp, "codex": over_stdio, "zcode": over_http, "hermes": at_the_end}


def said(run: Run, *words: Any) -> Any:
    code, out, _ = run(*words, "--json")
    assert code == 0
    return json.loads(out)


def test_the_report_counts_what_happened(store: Path, run: Run) -> None:
    report = said(run, "report", "--by", "client", "--db", store)
    counted = ("prompts", "silent_prompts", "shown", "used", "shown_unused", "unknown")
    # What was only reported in bulk says nothing of a single memory.
    assert {name: report[name] for name in counted} == {
        "prompts": 5, "silent_prompts": 1, "shown": 12, "used": 3, "shown_unused": 6, "unknown": 3,
    }  # fmt: skip
    assert report["marks"] == {"linked": 3, "blanket": 3}
    assert {part["part"]: tuple(part[name] for name in counted) for part in report["parts"]} == {
        "claudecode": (1, 0, 3, 1, 2, 0),
        "codex": (1, 0, 3, 1, 2, 0),
        "zcode": (2, 1, 3, 1, 2, 0),
        "hermes": (1, 0, 3, 0, 0, 3),
    }
    clients = {one["client"]: one for one in report["joins"]["clients"]}
    assert {host: (one["prompts_seen"], one["opens"], one["linked"]) for host, one in clients.items()} == {
        "claudecode": (1, 4, 1), "codex": (1, 2, 1), "zcode": (2, 3, 2), "hermes": (1, 1, 0),
    }  # fmt: skip


def test_what_sessions_started_with_is_kept_out(store: Path, run: Run) -> None:
    report = said(run, "report", "--db", store)
    steps = {step["step"]: step["count"] for step in report["denominators"]}
    assert steps["of these startup"] == 2 * len(HOSTS)
    assert (steps["of these prompt"], steps["logged queries"]) == (5, 13)
    with reading(store) as db:
        assert db.rows("SELECT count(*) FROM wb.agent_prompts WHERE query_text IN ($a, $b)", {
            "a": PROMPT, "b": SILENT,
        }) == [(5,)]  # fmt: skip
        assert db.rows("SELECT count(*) FROM wb.agent_prompts") == [(5,)]
        assert db.rows("SELECT client_type, session_id, query_text FROM wb.agent_searches") == [
            ("claudecode", "claudecode-session", "redis")
        ]
        used = "SELECT client_type, node_uri FROM recall_query_candidates WHERE used_in_answer ORDER BY ALL"
        assert db.rows(used) == sorted([
            ("claudecode", SHOWN[0]), ("codex", SHOWN[1]), ("zcode", SHOWN[2]), *(("hermes", uri) for uri in SHOWN),
        ])  # fmt: skip


def test_missed_names_what_was_opened_beside_recall(store: Path, run: Run) -> None:
    missed = said(run, "missed", "--db", store)
    assert {memory["uri"]: memory["clients"] for memory in missed["memories"]} == {
        "ops://redis": {"claudecode": 1, "zcode": 1}, "ops://deploy": {"codex": 1},
    }  # fmt: skip
    assert (missed["misses"], missed["memories_missed"]) == (3, 2)
    evidence = {
        prompt["client"]: (prompt["prompt"], {name for name, at in prompt["evidence"].items() if at})
        for memory in missed["memories"]
        for prompt in memory["prompts"]
    }
    assert evidence == {
        "claudecode": (PROMPT, {"opened_after_search"}),
        "codex": (PROMPT, {"opened_unlinked"}),
        "zcode": (SILENT, {"opened_unlinked"}),
    }
    assert missed["seen"]["searches"] == 1
    assert missed["seen"]["opens"] == 10
