"""How well what agents did joins with the log: each kind of open by its name, and no figure without transcripts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from log_builder import Candidate, Prompt, log_of
from test_misses import RANKED, URIS, asked
from transcript_lines import Claude, Codex, block, taken, written

from workbench.judge import Joins, joins, write_misses
from workbench.judge.joins import UNCOUNTED
from workbench.metrics.report import report
from workbench.store import reading


@contextmanager
def joined(folder: Path, prompts: list[Prompt], *sessions: Claude | Codex) -> Iterator[Joins]:
    with log_of(prompts, URIS) as db:
        for number, session in enumerate(sessions):
            taken(db, written(folder, session.lines, f"{number}.jsonl"))
        yield joins(db, None)


def client(found: Joins, name: str) -> dict[str, Any]:
    (one,) = (one.as_json() for one in found.clients if one.client == name)
    return one


def claude_log() -> list[Prompt]:
    return [asked("q1", 3, client="claudecode"), asked("q2", 17, client="claudecode")]


def every_kind() -> Claude:
    agent = Claude()
    agent.opened("t0", "core://shown", query_id="q1")  # before its prompt
    agent.user("one")
    agent.told(block("core://shown", session="agent-1", query="q1"))
    agent.opened("t1", "core://shown/", query_id="q1")
    agent.opened("t2", "core://hidden", query_id="q1")
    agent.opened("t3", "core://hidden")
    agent.opened("t4", "core://hidden", query_id="q-gone")
    agent.call("t5", "lore_get_node", uri="core://SHOWN", query_id="q1")
    agent.answer("t5", "Lore get node failed: Path not found", is_error=True)
    agent.call("t6", "lore_get_node", uri="core://nowhere", query_id="q1")
    agent.answer("t6", "Lore get node failed: Path not found", is_error=True)
    agent.opened("t7", "project://alias", query_id="q1")
    agent.user("two")
    agent.told(block("core://shown", session="agent-1", query="q2"))
    agent.opened("t8", "core://hidden", query_id="q1")  # after the session's next prompt
    return agent


def test_each_kind_of_open_is_counted_by_its_name(tmp_path: Path) -> None:
    log = [
        asked("q1", 3, client="claudecode"),
        asked("q2", 17, client="claudecode"),
        asked("q3", 50, "s2", client="codex"),
    ]
    with joined(tmp_path, log, every_kind()) as found:
        said = client(found, "claudecode")
        assert said == {
            "client": "claudecode", "prompts": 2, "prompts_seen": 2, "marks": 0, "marks_on_not_shown": 0,
            "never_links": False, "opens": 9, "linked": 2, "unlinked": 1, "orphaned": 1, "before_prompt": 1,
            "after_next_prompt": 1, "near_matches": {"other_case": 1, "alias": 1, "trailing_slash": 1},
            "counted_without_mark": 1,
            "uncounted": {
                "opened before for the same prompt": 1, "no query_id": 1, "a query_id that no prompt has": 1,
                "no memory at this address": 1, "the address in another case": 1,
                "another address of a memory that was shown": 1, "not shown for this prompt": 2,
            },
        }  # fmt: skip
        assert found.uncounted == said["uncounted"]
        assert {*said["uncounted"]} == {reason.value for reason in UNCOUNTED}


def test_without_transcripts_there_is_no_data_and_never_a_zero(tmp_path: Path) -> None:
    log = [asked("q1", 1, client="claudecode"), Prompt("q2", client="hermes", session="s2")]
    with joined(tmp_path, log) as found:
        said = client(found, "claudecode")
        assert [said[name] for name in ("opens", "linked", "unlinked", "orphaned", "near_matches", "uncounted")] == [
            None
        ] * 6
        assert said["never_links"] is True
        assert client(found, "hermes")["never_links"] is None, "nothing was shown that it could have opened"
        assert found.uncounted is None
        assert found.as_json()["share_of_clients_that_never_link"] == 0.5
    with joined(tmp_path, []) as found:
        assert found.as_json()["share_of_clients_that_never_link"] is None


def test_marks_of_the_log_link_a_client_and_those_on_unshown_memories_are_said(tmp_path: Path) -> None:
    marked = (Candidate("core://shown", 0.8, used=True), Candidate("core://hidden", 0.4, shown=False, used=True))
    log = [Prompt("q1", marked, client="pi", session="s1"), Prompt("q2", RANKED, client="mcp", session="s2")]
    with joined(tmp_path, log) as found:
        assert (client(found, "pi")["marks"], client(found, "pi")["marks_on_not_shown"]) == (1, 1)
        assert [client(found, name)["never_links"] for name in ("pi", "mcp")] == [False, True]


def test_a_memory_marked_at_two_addresses_is_one_marked_memory(tmp_path: Path) -> None:
    both = (Candidate("core://shown", 0.8, used=True), Candidate("project://alias", 0.7, used=True))
    with joined(tmp_path, [Prompt("q1", both, client="pi", session="s1")]) as found:
        assert client(found, "pi")["marks"] == 1


def test_the_report_holds_the_joins_of_the_selected_prompts(tmp_path: Path) -> None:
    other = Codex("cx")
    other.user("hello")
    other.told(block("core://shown", session="cx", query="q9"))
    other.opened("c1", "core://hidden")
    log = [
        asked("q1", 3, client="claudecode"),
        asked("q2", 17, client="claudecode"),
        asked("q9", 2, "cx", client="codex"),
    ]
    with log_of(log, URIS) as db:
        taken(db, written(tmp_path, every_kind().lines))
        taken(db, written(tmp_path, other.lines))
        db.execute("CREATE TEMP TABLE selected AS SELECT * FROM wb.logged_queries WHERE client_type = 'codex'")
        said = report(db).as_json()["joins"]
    opens = {one["client"]: (one["prompts"], one["opens"]) for one in said["clients"]}
    assert opens == {"codex": (1, 1), "claudecode": (0, 0)}


def test_the_command_says_no_data_where_nothing_was_seen(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    store = tmp_path / "w.duckdb"
    run("simulate", tmp_path / "world", "--prompts", "60", "--memories", "20")
    run("import", tmp_path / "world", "--db", store)
    code, out, _ = run("report", "--db", store)
    assert code == 0
    assert "no data" in out[out.index("orphaned") :]
    _, out, _ = run("report", "--db", store, "--json")
    assert json.loads(out)["joins"]["uncounted"] is None


def test_a_logged_session_and_its_transcript_from_files_to_the_report(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    store = tmp_path / "w.duckdb"
    run("simulate", tmp_path / "world", "--prompts", "60", "--memories", "20")
    run("import", tmp_path / "world", "--db", store)
    with reading(store) as db:
        query_id, session, shown, other = db.row(
            "SELECT c.query_id, q.session_id, min(c.uri) FILTER (logged_shown), min(c.uri) FILTER (NOT logged_shown)"
            " FROM wb.logged_candidates AS c JOIN wb.logged_queries AS q ON q.query_id = c.query_id"
            " WHERE traffic = 'prompt' AND NOT is_boot GROUP BY ALL"
            " HAVING bool_or(logged_shown) AND bool_or(NOT logged_shown) ORDER BY c.query_id LIMIT 1"
        )
    agent = Claude()
    agent.user("a prompt that is kept by nobody")
    agent.told(block(shown, session=session, query=query_id))
    agent.opened("t1", shown, session_id=session, query_id=query_id)
    agent.searched("t2", "words of the search", other)
    agent.opened("t3", other)
    for options in ([], ["--redact"]):
        path = tmp_path / f"with{len(options)}.duckdb"
        path.write_bytes(store.read_bytes())
        assert run("import", written(tmp_path, agent.lines), "--db", path, *options)[0] == 0
        said = json.loads(run("report", "--db", path, "--json")[1])["joins"]
        (one,) = (client for client in said["clients"] if client["client"] == "claudecode")
        assert (one["opens"], one["linked"], one["unlinked"]) == (2, 1, 1)
        with reading(path) as db:
            write_misses(db)
            found = db.rows("SELECT query_id, uri, grade, was_shown FROM miss_evidence")
        assert found == [(query_id, other, "opened_after_search", False)]


def test_what_the_service_and_the_transcript_both_tell_of_is_one_open(tmp_path: Path) -> None:
    told_twice = (
        "INSERT INTO wb.agent_opens SELECT * REPLACE (open_id || ' of the service' AS open_id, 'service' AS source,"
        " opened_at + INTERVAL 1 SECOND AS opened_at) FROM wb.agent_opens"
    )
    with log_of(claude_log(), URIS) as db:
        taken(db, written(tmp_path, every_kind().lines))
        alone = joins(db, None).as_json()
        db.execute(told_twice)
        assert joins(db, None).as_json() == alone
        # What one of them alone tells of is kept.
        db.execute("UPDATE wb.agent_opens SET opened_at = opened_at + INTERVAL 1 HOUR WHERE source = 'service'")
        opens = sum(client["opens"] or 0 for client in joins(db, None).as_json()["clients"])
        assert opens > sum(client["opens"] or 0 for client in alone["clients"])
