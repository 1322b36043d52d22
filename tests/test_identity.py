"""One memory across its addresses: labels, ledgers and lists count (query, node), whatever the address was called."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from histories import event
from log_builder import DEFAULT, START, Candidate, Prompt, hours, log_of

from workbench.judge import judge_log, label_candidates, ledger, outcomes, quick_ledger
from workbench.metrics.report import memory_table, page, report
from workbench.params import Params
from workbench.replay.logged import materialise
from workbench.replay.run import replay_shown
from workbench.store import Database

LATER = START + hours(20)


def _case_13(used: Candidate) -> list[Prompt]:
    """Six recalls of a memory at core://a; in the last it was opened by its other address."""
    old = [Prompt(f"q{number}", [Candidate("core://a", 0.8)], at=START + hours(number)) for number in range(5)]
    return [*old, Prompt("q5", [Candidate("core://a", 0.8), used], at=START + hours(9))]


def _moved(details: Any = None) -> list[dict[str, Any]]:
    return [event(1, "move", "core://a", "n", LATER, details=details)]


@pytest.mark.parametrize("shown", [True, False])
@pytest.mark.parametrize("details", [None, {"new_uri": "core://c"}])
def test_case_13_shown_as_one_used_as_another_moved_to_a_third(shown: bool, details: Any) -> None:
    prompts = _case_13(Candidate("project://b", 0.7, shown=shown, used=True))
    with log_of(prompts, {"core://c": "n", "project://b": "n"}, memory_events=_moved(details)) as db:
        (memory,) = memory_table(db, None)
        assert (memory["node"], memory["shown"], memory["used"]) == ("n", 6, 1)
        assert memory["uris"] == ["core://a", "core://c", "project://b"]
        assert (memory["deleted"], memory["twice"]) == (False, int(shown))
        judged = judge_log(db, None)
        assert (judged.shown, judged.used, judged.shown_unused) == (6, 1, 5)
        assert db.rows("SELECT DISTINCT uri FROM wb.logged_candidates ORDER BY 1") == [("core://a",), ("project://b",)]
        by_address = {part.part: part.shown for part in report(db, None, by="domain").parts}
        assert by_address == {"core": 6}, "an address keeps its own figures: the pair counts where it was shown first"


def test_case_13_a_used_memory_is_kept_when_its_twin_is_shown() -> None:
    prompts = _case_13(Candidate("project://b", 0.7, used=True))
    with log_of(prompts, {"core://c": "n", "project://b": "n"}, memory_events=_moved()) as db:
        found = ledger(db, DEFAULT, None)
        assert (found.used_kept, found.used_lost, found.unused_kept, found.newly_shown) == (1, 0, 5, 0)
        assert quick_ledger(db, DEFAULT, label_candidates(db, None)) == found
        replay_shown(db, DEFAULT, None)
        outcomes(db)
        assert db.row("SELECT count(*), count(DISTINCT (query_id, node)) FROM outcomes") == (6, 6)


def test_a_deleted_memory_is_not_the_one_that_took_its_address() -> None:
    prompts = [
        Prompt("before", [Candidate("core://a", 0.8)], at=START),
        Prompt("after", [Candidate("core://a", 0.8)], at=START + hours(10)),
    ]
    events = [
        event(1, "create", "core://a", "old", START - hours(9)),
        event(2, "delete", "core://a", "old", START + hours(5), details={"deprecated_node_uuids": ["old"]}),
        event(3, "create", "core://a", "new", START + hours(6)),
    ]
    with log_of(prompts, {"core://a": "new"}, memory_events=events) as db:
        nodes = dict(db.rows("SELECT query_id, node_uuid FROM wb.logged_candidates"))
        assert nodes == {"before": "old", "after": "new"}
        listed = {memory["node"]: memory["deleted"] for memory in memory_table(db, None)}
        assert listed == {"old": True, "new": False}
        assert {row["query_id"]: row["deleted"] for row in page(db, None).rows} == {"before": 1, "after": 0}
        steps = {step.step: step.count for step in report(db, None).denominators}
        assert (steps["shown memories"], steps["of these deleted since"]) == (2, 1)


def test_an_address_that_only_the_index_still_names_has_its_node() -> None:
    view = {"id": "1", "domain": "core", "path": "a", "uri": "core://a", "node_uuid": "n", "view_type": "gist",
            "text_content": "x", "updated_at": START - timedelta(days=1)}  # fmt: skip
    with log_of([Prompt("q", [Candidate("core://a", 0.8)])], memory_views=[view]) as db:
        assert _node(db) == "n"
    with log_of([Prompt("q", [Candidate("core://a", 0.8)])]) as db:
        assert _node(db) is None, "nothing tells which memory it was; the address stands for it"
        assert judge_log(db, None).shown == 1


def test_a_query_without_a_date_is_of_the_latest_node() -> None:
    with log_of([Prompt("q", [Candidate("core://a", 0.8)])], {"core://c": "n"}, memory_events=_moved()) as db:
        db.execute("UPDATE recall_queries SET created_at = NULL")
        materialise(db, Params.default())
        assert _node(db) == "n"


def _node(db: Database) -> Any:
    return db.row("SELECT node_uuid FROM wb.logged_candidates")[0]
