"""Whatever stands in a transcript: no crash, no complaint about an unfinished end, nothing lost silently."""

from __future__ import annotations

import io
import json
import random
import tracemalloc
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transcript_lines import Claude, Codex, block, everything, taken, written

from workbench.importers.jsonlines import UNFINISHED, Mended
from workbench.importers.transcripts import claude_code, codex
from workbench.importers.transcripts.files import unusable
from workbench.importers.transcripts.find import is_transcript
from workbench.importers.transcripts.track import Noticed, Track
from workbench.store import in_memory

AGENTS = ("claudecode", "codex")


class Kept(list[tuple[str, dict[str, Any]]]):
    """Rows in memory."""

    def add(self, table: str, row: dict[str, Any]) -> None:
        self.append((table, row))


def read(agent: str, data: bytes, kept: Kept | None = None) -> tuple[Kept, list[tuple[int, str]], Noticed]:
    """The rows of a transcript, the lines that cannot be used, what was noticed."""
    rows, noticed = Kept() if kept is None else kept, Noticed()
    track = Track(agent, rows, noticed, ZoneInfo("UTC"))  # type: ignore[arg-type]
    reader = codex.Reader(track, "name") if agent == "codex" else claude_code.Reader(track, "name")
    problems = [one for one in unusable(io.BytesIO(data), reader, Mended(), noticed) if one[1] != UNFINISHED]
    track.close()
    return rows, problems, noticed


def session(agent: str) -> Claude | Codex:
    made = Codex() if agent == "codex" else Claude()
    made.user("how are refunds 退款 deduplicated?")
    made.told(block("project://refunds", "core://a", session="s", query="q_1"))
    made.opened("t1", "project://refunds", session_id="s", query_id="q_1")
    made.call("t2", "lore_search", query="retries")
    made.answer("t2", json.dumps({"results": [{"uri": "core://retries"}]}))
    made.opened("t3", "core://retries")
    made.user("and then?")
    return made


def data_of(agent: str) -> bytes:
    return "".join(line + "\n" for line in session(agent).lines).encode()


def keys(rows: Kept) -> list[str]:
    return [next(iter(value for name, value in row.items() if name.endswith("_id") and name != "session_id"))
            for _, row in rows]  # fmt: skip


@pytest.mark.parametrize("agent", AGENTS)
def test_cut_at_every_byte(agent: str) -> None:
    data = data_of(agent)
    whole, _, _ = read(agent, data)
    assert len(set(keys(whole))) == 2 + 1 + 1 + 2
    before = 0
    for end in range(len(data) + 1):
        rows, problems, noticed = read(agent, data[:end])
        assert not problems
        assert not noticed.unknown
        assert set(keys(rows)) <= set(keys(whole))
        assert len(rows) >= before, "a longer file never gives less"
        before = len(rows)
    assert before == len(whole)


@pytest.mark.parametrize("agent", AGENTS)
def test_cut_at_both_ends_and_with_bytes_changed(agent: str) -> None:
    data, chance = data_of(agent), random.Random(4)
    found = 0
    for _ in range(1500):
        broken = bytearray(data[chance.randrange(len(data)) // 3 : len(data) - chance.randrange(len(data)) // 3])
        for _ in range(chance.randrange(4)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        rows, problems, _ = read(agent, bytes(broken))
        is_transcript(bytes(broken))
        found += len(rows)
        assert len(problems) <= broken.count(b"\n")
    assert found > 1500


@pytest.mark.parametrize("agent", AGENTS)
def test_shuffled_repeats_change_nothing(agent: str, tmp_path: Path) -> None:
    lines = session(agent).lines
    with in_memory() as db:
        taken(db, written(tmp_path, lines))
        once = everything(db)
    for seed in range(3):
        again = [*lines, *lines]
        random.Random(seed).shuffle(again)
        repeats = [*lines, *again] if agent == "claudecode" else lines
        with in_memory() as db:
            taken(db, written(tmp_path, repeats))
            taken(db, written(tmp_path, lines[: seed * 3 + 1]))
            assert everything(db) == once


NAMES = [
    "type",
    "text",
    "content",
    "id",
    "name",
    "input",
    "uri",
    "tool_use_id",
    "message",
    "role",
    "stdout",
    "arguments",
    "call_id",
    "output",
    "invocation",
    "tool",
    "result",
    "hookEvent",
    "is_error",
    "success",
    "isError",
    "Ok",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.sampled_from([
        block("core://x", query="q"), "lore_get_node", "tool_use", "tool_result", "text", "2026-12-01T10:00:00Z",
    ]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(NAMES),
        inner, max_size=5),
    max_leaves=12,
)  # fmt: skip
CLAUDE_LINE = st.fixed_dictionaries(
    {"type": st.sampled_from(["user", "assistant", "attachment", "system", "x"]) | JSON},
    optional=dict.fromkeys(("uuid", "sessionId", "timestamp", "message", "attachment", "content", "isMeta"), JSON),
)
CODEX_LINE = st.fixed_dictionaries({
    "type": st.sampled_from(["session_meta", "response_item", "event_msg"]) | JSON,
    "payload": st.fixed_dictionaries(
        {"type": st.sampled_from(["message", "function_call", "function_call_output", "mcp_tool_call_end"]) | JSON},
        optional=dict.fromkeys(("role", "content", "name", "arguments", "call_id", "output", "invocation", "id"), JSON),
    ) | JSON,
})  # fmt: skip


@given(st.lists(CLAUDE_LINE, max_size=4))
def test_any_line_of_claude_code(lines: list[dict[str, Any]]) -> None:
    _, problems, _ = read("claudecode", "".join(json.dumps(line) + "\n" for line in lines).encode())
    assert len(problems) <= len(lines)


@given(st.lists(CODEX_LINE, max_size=4))
def test_any_line_of_codex(lines: list[dict[str, Any]]) -> None:
    _, problems, _ = read("codex", "".join(json.dumps(line) + "\n" for line in lines).encode())
    assert len(problems) <= len(lines)


@pytest.mark.parametrize("agent", AGENTS)
def test_deep_nesting_costs_one_line(agent: str) -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    kind = b"response_item" if agent == "codex" else b"user"
    line = b'{"type": "' + kind + b'", "payload": {"type": "message", "role": "user", "content": ' + deep + b"}, "
    line += b'"message": {"content": ' + deep + b"}}\n"
    rows, problems, _ = read(agent, line + data_of(agent))
    assert problems == [(1, "nested too deeply")]
    assert keys(rows) == keys(read(agent, data_of(agent))[0])


def test_deep_nesting_inside_the_text_of_a_search_is_no_result() -> None:
    made = Claude()
    made.call("t1", "lore_search", query="x")
    made.answer("t1", "[" * 100_000)
    made.call("t2", "lore_search", query="x")
    made.answer("t2", json.dumps({"results": json.loads("[" * 60 + '{"uri": "core://a"}' + "]" * 60)}))
    rows, problems, _ = read("claudecode", "".join(line + "\n" for line in made.lines).encode())
    assert [row["uris"] for _, row in rows] == [[], []]
    assert not problems


@pytest.mark.parametrize("text", [
    "<recall " * 100_000, "<recall>" * 50_000 + "</recall>", "<bash-stdout>" * 100_000, "0.8 | " * 100_000,
    "<system-reminder>" * 50_000 + "<recall>x</recall>", "a://" * 100_000, "password=" * 50_000, "://:" * 50_000,
])  # fmt: skip
def test_text_made_to_be_slow_is_not(text: str) -> None:
    made = Claude()
    made.user(text)
    rows, problems, _ = read("claudecode", (made.lines[0] + "\n").encode())
    assert len(rows) <= 1
    assert not problems


def test_memory_stays_small_however_long_the_file(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    made = Claude()
    made.user("PLACE")
    made.opened("t-PLACE-0123456789", "core://a")
    made.answer("other", "x" * 20_000)
    with path.open("w", encoding="utf-8") as file:
        for number in range(300):
            file.writelines(line.replace("PLACE", str(number)) + "\n" for line in made.lines)
    assert path.stat().st_size > 6_000_000

    class Dropped(Kept):
        def add(self, table: str, row: dict[str, Any]) -> None:
            self[:] = [(table, row)]

    track = Track("claudecode", Dropped(), Noticed(), ZoneInfo("UTC"))  # type: ignore[arg-type]
    with path.open("rb") as source:
        tracemalloc.start()
        try:
            assert list(unusable(source, claude_code.Reader(track, "n"), Mended(), track.noticed)) == []
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < 1_000_000
