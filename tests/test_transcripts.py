"""Transcripts of agents: what is kept of them, what is not, each thing once."""

from __future__ import annotations

import gzip
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from transcript_lines import Claude, Codex, added, at, block, everything, held, taken, written

from workbench.errors import BadInput
from workbench.importers.transcripts.blocks import recall_blocks
from workbench.store import Database

TWO = ("project://refunds", "core://keys")


def claude_session() -> Claude:
    session = Claude()
    session.user("how are refunds deduplicated")
    session.told(block(*TWO, session="sess_1", query="q_1"))
    session.opened("t1", "project://refunds", session_id="sess_1", query_id="q_1")
    session.searched("t2", "webhook retries", "project://webhooks", "core://retries")
    session.opened("t3", "project://webhooks")
    return session


def test_claude_code_prompts_recalls_searches_and_opens(db: Database, tmp_path: Path) -> None:
    report = taken(db, written(tmp_path, claude_session().lines))
    assert report["kind"] == "transcripts"
    assert added(report) == {"prompts": 1, "recalls": 1, "searches": 1, "opens": 2}
    assert held(db, "agent_prompts", "session_id", "client_type", "query_text") == [
        ("agent-1", "claudecode", "how are refunds deduplicated")
    ]
    ((prompt_id, _),) = held(db, "agent_prompts", "prompt_id", "source")
    assert held(db, "agent_recalls", "query_id", "given_session_id", "uris", "prompt_id") == [
        ("q_1", "sess_1", [*TWO], prompt_id)
    ]
    assert held(db, "agent_searches", "query_text", "uris") == [
        ("webhook retries", ["project://webhooks", "core://retries"])
    ]
    assert held(db, "agent_opens", "uri", "given_session_id", "given_query_id", "found") == [
        ("project://refunds", "sess_1", "q_1", True),
        ("project://webhooks", None, None, True),
    ]


def test_codex_prompts_recalls_searches_and_opens(db: Database, tmp_path: Path) -> None:
    session = Codex("cx")
    session.user("<environment_context>the shell</environment_context>", event=False)
    session.user("continue")
    session.told(block(*TWO, session="cx", query="q_1"))
    session.call("c1", "lore_search", query="retries")
    results = json.dumps({"results": [{"uri": "core://retries"}]})
    session.answer("c1", f"Wall time: 0.1 seconds\nOutput:\n{json.dumps([{'type': 'text', 'text': results}])}")
    session.opened("c2", "core://retries")
    session.user("continue")
    session.call("c3", "lore_get_node", uri="core://gone")
    session.answer("c3", json.dumps({"content": [{"type": "text", "text": "Path not found"}], "isError": True}))
    report = taken(db, written(tmp_path, session.lines, "2026/12/01/rollout-2026-12-01.jsonl"))
    assert added(report) == {"prompts": 2, "recalls": 1, "searches": 1, "opens": 2}
    assert held(db, "agent_prompts", "prompted_at::VARCHAR", "session_id", "query_text") == [
        ("2026-12-01 10:00:02+00", "cx", "continue"), ("2026-12-01 10:00:09+00", "cx", "continue"),
    ]  # fmt: skip
    assert held(db, "agent_searches", "query_text", "uris") == [("retries", ["core://retries"])]
    assert held(db, "agent_opens", "uri", "found") == [("core://gone", False), ("core://retries", True)]


@pytest.mark.parametrize(("answer", "found"), [
    ({"result": {"Ok": {"content": []}}}, True), ({"result": {"Ok": {"isError": True}}}, False),
    ({"result": {"is_error": True}}, False), ({"result": {"Err": "no"}}, False), ({"error": "no"}, False),
])  # fmt: skip
def test_calls_inside_a_program_of_codex_count_by_their_events(
    db: Database, tmp_path: Path, answer: dict[str, object], found: bool
) -> None:
    session = Codex()
    invocation = {"server": "lore", "tool": "lore_get_node", "arguments": {"uri": "core://a"}}
    for kind in ("mcp_tool_call_begin", "mcp_tool_call_end"):
        session.line("event_msg", type=kind, call_id="c1", invocation=invocation, **answer)
    taken(db, written(tmp_path, session.lines))
    assert held(db, "agent_opens", "uri", "found") == [("core://a", found)]


def test_a_block_counts_only_where_the_agent_was_told_it(db: Database, tmp_path: Path) -> None:
    session = Claude()
    evil = block("core://evil", query="q_evil")
    session.user("look at this")
    session.line("assistant", message={"role": "assistant", "content": [{"type": "text", "text": f"lore_ {evil}"}]})
    session.call("t1", "lore_get_node", uri="core://a")
    session.answer("t1", evil)
    session.line("attachment", attachment={"type": "file", "content": {"file": {"content": evil}}})
    session.line("attachment", attachment={"type": "invoked_skills", "skills": [{"content": evil}]})
    session.line("attachment", attachment={"type": "hook_success", "hookEvent": "PostToolUse", "content": evil})
    session.line("system", subtype="local_command", content=evil)
    session.user(f"<bash-stdout>{evil}</bash-stdout>")
    session.user(f"<system-reminder>Result of calling the Read tool: {evil}</system-reminder>", isMeta=True)
    session.user(f"This session continues; it said {evil}", isCompactSummary=True)
    session.user('the word <recall query_id="…"> alone')
    session.line("system", content=f"hook says: {block('core://told', query='q_good')}")
    session.user(f"{block('core://in_text')}\nwhat next?")
    taken(db, written(tmp_path, session.lines))
    assert held(db, "agent_recalls", "uris", "query_id") == [(["core://in_text"], None), (["core://told"], "q_good")]
    assert [text for (text, _) in held(db, "agent_prompts", "query_text", "prompt_id")] == [
        "look at this", 'the word <recall query_id="…"> alone', "what next?",
    ]  # fmt: skip


@pytest.mark.parametrize("attachment", [
    {"type": "hook_success", "content": "", "stdout": block("core://a", query="q_1")},
    {"type": "hook_success", "stdout": json.dumps({"out": {"additionalContext": block("core://a", query="q_1")}})},
    {"hookSpecificOutput": {"additionalContext": block("core://a", query="q_1")}},
    {"type": "text", "text": block("core://a", query="q_1")},
    {"type": "hook_additional_context", "content": [{"type": "text", "text": block("core://a", query="q_1")}]},
    [{"type": "text", "text": block("core://a", query="q_1")}],
    block("core://a", query="q_1"),
])  # fmt: skip
def test_what_a_hook_says_has_many_shapes(db: Database, tmp_path: Path, attachment: object) -> None:
    session = Claude()
    session.line("attachment", attachment=attachment)
    taken(db, written(tmp_path, session.lines))
    assert held(db, "agent_recalls", "query_id", "uris") == [("q_1", ["core://a"])]


@pytest.mark.parametrize("text", [
    "[Request interrupted by user]", "<local-command-stdout>x</local-command-stdout>", "   ",
    "<command-name>/clear</command-name><command-args></command-args>",
])  # fmt: skip
def test_what_nobody_typed_is_no_prompt(db: Database, tmp_path: Path, text: str) -> None:
    session = Claude()
    session.user(text)
    session.user("you are a helper, look around", isSidechain=True)
    session.user("<command-name>/review</command-name><command-args>the fix</command-args>")
    taken(db, written(tmp_path, session.lines))
    assert held(db, "agent_prompts", "query_text", "session_id") == [("/review the fix", "agent-1")]


def test_side_chains_and_repeats_count_once(db: Database, tmp_path: Path) -> None:
    session = claude_session()
    long_ids = [line.replace('"t1"', '"toolu_01NzjV452AGVQR51"').replace('"agent-1-', '"f189ececdb2a653e-') for line in
                session.lines]  # fmt: skip
    resumed = [line.replace('"sessionId": "agent-1"', '"sessionId": "agent-2"') for line in long_ids]
    written(tmp_path, long_ids + long_ids[::-1])
    written(
        tmp_path, [line.replace('"uuid"', '"isSidechain": true, "uuid"') for line in long_ids], "project/side.jsonl"
    )
    written(tmp_path, resumed, "project/z.jsonl")
    report = taken(db, tmp_path)
    assert held(db, "agent_opens", "uri", "session_id")[0] == ("project://refunds", "agent-1")
    assert added(report)["opens"] == 2 + 1, "a short call id is one of its session, a long one everywhere"
    assert added(report)["prompts"] == 1
    assert added(taken(db, tmp_path)) == {}


def test_a_side_chain_inside_lines_of_progress(db: Database, tmp_path: Path) -> None:
    side = Claude("side")
    side.opened("toolu_0123456789abc", "core://a")
    session = Claude()
    for line in side.lines:
        session.line("progress", data={"type": "agent_progress", "message": json.loads(line)})
    written(tmp_path, side.lines, "project/agent-side.jsonl")
    written(tmp_path, session.lines)
    assert added(taken(db, tmp_path)) == {"opens": 1}
    assert held(db, "agent_opens", "session_id", "found") == [("agent-1", True)]


def test_a_second_import_adds_nothing_and_an_appended_file_only_the_new(db: Database, tmp_path: Path) -> None:
    session = claude_session()
    session.call("t4", "lore_get_node", uri="core://late")
    path = written(tmp_path, session.lines)
    assert added(taken(db, path)) == {"prompts": 1, "recalls": 1, "searches": 1, "opens": 3}
    before = everything(db)
    again = taken(db, path)
    assert added(again) == {}
    assert everything(db) == before
    session.answer("t4", "URI: core://late")
    session.user("and then?")
    report = taken(db, written(tmp_path, session.lines))
    assert added(report) == {"prompts": 1}
    assert report["tables"]["agent_opens"]["updated"] == 1
    assert ("core://late", True) in held(db, "agent_opens", "uri", "found")


def test_an_unfinished_last_line_waits_for_the_next_time(db: Database, tmp_path: Path) -> None:
    lines = claude_session().lines
    path = written(tmp_path, lines)
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    report = taken(db, path)
    assert not report["rejected"]
    assert report["warnings"] == ["1 file ends in an unfinished line, which will be read next time: agent-1.jsonl."]
    path.write_bytes(whole)
    taken(db, path)
    assert ("project://webhooks", True) in held(db, "agent_opens", "uri", "found")


def test_bad_lines_and_unknown_types_are_said(db: Database, tmp_path: Path) -> None:
    session = claude_session()
    lines = [*session.lines[:3], "{broken", "[1]", "", json.dumps({"type": "novelty", "uuid": "n"}), *session.lines[3:],
             json.dumps({"type": "novelty"}), '{"type": "x\\u0000\\ud800"}']  # fmt: skip
    report = taken(db, written(tmp_path, lines))
    assert [one["where"] for one in report["rejected"]] == ["agent-1.jsonl:4", "agent-1.jsonl:5"]
    assert added(report) == {"prompts": 1, "recalls": 1, "searches": 1, "opens": 2}
    said = [warning for warning in report["warnings"] if "types" in warning]
    assert len(said) == 1
    assert said[0].startswith("3 lines")
    assert "novelty (2)" in said[0]


def test_times_without_zone_and_without_sense(db: Database, tmp_path: Path) -> None:
    session = Claude()
    session.user("one", timestamp="2026-12-01T10:00:00")
    session.user("two", timestamp="yesterday")
    session.user("three", timestamp=1_796_119_200_000)
    report = taken(db, written(tmp_path, session.lines), zone="Asia/Shanghai")
    assert held(db, "agent_prompts", "query_text", "prompted_at") == [
        ("one", datetime(2026, 12, 1, 2, tzinfo=UTC)), ("three", datetime(2026, 12, 1, 10, tzinfo=UTC)), ("two", None),
    ]  # fmt: skip
    assert sum("time" in warning for warning in report["warnings"]) == 2


def test_since_skips_what_is_older(db: Database, tmp_path: Path) -> None:
    path = written(tmp_path, claude_session().lines)
    report = taken(db, path, since=datetime.fromisoformat(at(4)))
    assert added(report) == {"searches": 1, "opens": 1}
    assert report["tables"]["agent_prompts"]["skipped"] == 1


def test_nul_and_halves_of_characters_are_mended(db: Database, tmp_path: Path) -> None:
    lines = Claude()
    lines.user("PLACE")
    text = lines.lines[0].replace("PLACE", r"a\u0000b\ud800c")
    taken(db, written(tmp_path, [text]))
    assert held(db, "agent_prompts", "query_text", "source") == [("a␀b�c", "claudecode")]


def test_compressed_files_and_one_that_is_cut(db: Database, tmp_path: Path) -> None:
    data = "".join(line + "\n" for line in claude_session().lines).encode()
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(data))
    assert added(taken(db, path)) == {"prompts": 1, "recalls": 1, "searches": 1, "opens": 2}
    path.write_bytes(gzip.compress(data)[:-30])
    with pytest.raises(BadInput, match="cannot be unpacked"):
        taken(db, path)
    written(tmp_path, Codex().lines)
    report = taken(db, tmp_path)
    assert [one["where"] for one in report["rejected"]] == ["a.jsonl.gz"]


def test_a_line_longer_than_any_is_named_and_left_out(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.importers.transcripts.files.LONGEST_LINE", 4096)
    session = claude_session()
    lines = [session.lines[0], json.dumps({"type": "user", "text": "x" * 9000}), *session.lines[1:]]
    report = taken(db, written(tmp_path, lines))
    assert [one["where"] for one in report["rejected"]] == ["agent-1.jsonl:2"]
    assert "longer than" in report["rejected"][0]["reason"]
    assert added(report)["opens"] == 2


def test_a_folder_is_told_apart_by_what_it_holds(db: Database, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no table of Lore and no transcript"):
        taken(db, tmp_path)
    written(tmp_path, claude_session().lines)
    written(tmp_path, ['{"display": "x", "sessionId": "s"}'], "history.jsonl")
    written(tmp_path, Codex().lines, "rollout-1.jsonl")
    report = taken(db, tmp_path)
    assert report["kind"] == "transcripts"
    assert any("history.jsonl" in warning for warning in report["warnings"])
    (tmp_path / "paths.jsonl").write_text('{"domain": "core", "path": "a", "edge_id": "1"}\n', encoding="utf-8")
    assert taken(db, tmp_path)["kind"] == "tables"


def test_redaction_is_for_transcripts_only(db: Database, tmp_path: Path) -> None:
    (tmp_path / "paths.jsonl").write_text('{"domain": "core", "path": "a", "edge_id": "1"}\n', encoding="utf-8")
    with pytest.raises(BadInput, match="--redact"):
        taken(db, tmp_path, redact=True)


@pytest.mark.parametrize(("answer", "uris"), [
    ('{"results": [{"uri": "core://a", "content": "uri core://no"}, {"uri": "notice://x"}, {"uri": "core://b"}]}',
     ["core://a", "core://b"]),
    ("1. core://a\n   more about core://no\n0.82 | core://b | cue\nURI: core://c\nhttps://example.org",
     ["core://a", "core://b", "core://c"]),
    ('{"results": [{"uri": "core://a", "content": "cut', ["core://a"]),
    ("nothing found", []),
    ('[{"type": "text", "text": "{\\"results\\": [{\\"uri\\": \\"core://a\\"}]}"}]', ["core://a"]),
])  # fmt: skip
def test_the_shape_of_a_search_answer_matters_little(
    db: Database, tmp_path: Path, answer: str, uris: list[str]
) -> None:
    session = Claude()
    session.call("t1", "lore_search", query="x")
    session.answer("t1", answer)
    taken(db, written(tmp_path, session.lines))
    assert held(db, "agent_searches", "uris", "query_text") == [(uris, "x")]


@pytest.mark.conformance
def test_every_block_of_the_real_server_is_read(conformance: Path) -> None:
    blocks: list[tuple[str, list[str] | None]] = []
    with gzip.open(conformance / "golden_recall.jsonl.gz", "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    blocks += [(one["block"], [item["uri"] for item in one["items"]]) for one in records if one.get("block")]
    with gzip.open(conformance / "golden_lifecycle.jsonl.gz", "rt", encoding="utf-8") as file:
        blocks += [(text, None) for line in file for text in json.loads(line)["output"]["recall_blocks"]]
    named = 0
    for text, uris in blocks:
        (found,) = recall_blocks(f"<recall> is what <recall-notice>x</recall-notice> {text} after")
        assert uris is None or [*found.uris] == uris
        assert [one for one in (found.session_id, found.query_id) if one] == re.findall(r'_id="([^"]*)"', text)
        named += found.query_id is not None
    assert len(blocks) > 700
    assert named > 20


def test_a_file_with_the_line_ends_of_another_system_is_read_whole(db: Database, tmp_path: Path) -> None:
    session = Claude()
    session.user("first")
    session.opened("t1", "core://a")
    for number, end in enumerate(("\r", "\r\n", "\n")):
        folder = tmp_path / str(number)
        folder.mkdir()
        text = end.join([*session.lines, ""]).replace("agent-1", f"agent-{number}").replace('"t1"', f'"t-{number}"')
        (folder / "s.jsonl").write_bytes(text.encode())
        report = taken(db, folder)
        assert [report["tables"][name]["added"] for name in ("agent_prompts", "agent_opens")] == [1, 1], end
        assert (report["warnings"], report["rejected"]) == ([], [])


def test_a_line_that_cannot_be_used_counts_once_and_with_its_own_reason(db: Database, tmp_path: Path) -> None:
    session = Claude()
    session.user("first")
    latin = session.lines[0].replace("first", "é").replace(at(0), "soon").encode("latin-1")
    long_number = session.lines[0].replace(f'"{at(0)}"', "1" * 5000).encode()
    (tmp_path / "s.jsonl").write_bytes(b"\n".join([session.lines[0].encode(), latin, long_number, b""]))
    report = taken(db, tmp_path / "s.jsonl")
    assert [one["where"] for one in report["rejected"]] == ["s.jsonl:2", "s.jsonl:3"]
    assert "UTF-8" in report["rejected"][0]["reason"] or "utf-8" in report["rejected"][0]["reason"]
    assert report["rejected"][1]["reason"] == "holds a number that is out of range"
    assert report["warnings"] == []


def test_a_prompt_of_codex_that_stands_twice_is_read_once(db: Database, tmp_path: Path) -> None:
    session = Codex()
    session.user("first")
    path = written(tmp_path, [*session.lines, *session.lines[1:]], "rollout-1.jsonl")
    counts = taken(db, path)["tables"]["agent_prompts"]
    with_ids = db.row("SELECT count(*) FROM wb.agent_prompts")[0]
    assert (counts["read"], counts["added"], counts["skipped"]) == (with_ids, with_ids, 0)


def test_a_forked_session_of_codex_counts_only_its_own(db: Database, tmp_path: Path) -> None:
    """Also a fork of a fork, and words that both say after it."""
    first, second, third = Codex("first"), Codex("second", 600), Codex("third", 1200)
    first.user("how are refunds retried?")
    first.told(block(*TWO, session="first"))
    first.opened("c1", "core://refunds")
    first.says("They are.")
    first.told(block("core://late", session="first"))
    second.forks(first)
    second.user("continue")
    second.opened("c1", "core://retries")
    second.says("Done.")
    third.forks(second)
    third.user("and now?")
    first.user("continue")
    for number, session in enumerate((third, second, first)):
        written(tmp_path, session.lines, f"rollout-{number}.jsonl")
    report = taken(db, tmp_path)
    assert added(report) == {"prompts": 4, "recalls": 2, "opens": 2}
    assert held(db, "agent_prompts", "session_id", "query_text") == [
        ("first", "continue"), ("first", "how are refunds retried?"), ("second", "continue"), ("third", "and now?"),
    ]  # fmt: skip
    assert db.rows("SELECT session_id FROM wb.agent_recalls") == [("first",)] * 2
    assert held(db, "agent_opens", "session_id", "uri") == [("first", "core://refunds"), ("second", "core://retries")]


def test_a_fork_that_is_asked_at_once_keeps_its_prompt(db: Database, tmp_path: Path) -> None:
    first, second = Codex("first"), Codex("second", 600)
    first.user("how are refunds retried?")
    first.says("Not at all.")
    second.forks(first)
    second.now -= 60
    second.user("why not?")
    second.now += 10
    second.says("Because.")
    second.user("thanks")
    for number, session in enumerate((first, second)):
        written(tmp_path, session.lines, f"rollout-{number}.jsonl")
    taken(db, tmp_path)
    assert held(db, "agent_prompts", "session_id", "query_text") == [
        ("first", "how are refunds retried?"), ("second", "thanks"), ("second", "why not?"),
    ]  # fmt: skip
