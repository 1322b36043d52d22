"""Histories made by hand: which address, text and keyword stood when, and how sure that is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from histories import BEGIN, HOUR, Server, as_of, event, fill

from workbench.retrieve.versions import History, build_versions, history
from workbench.store import Database, compose

ALWAYS = float("-inf")


def spans(db: Database, table: str, *columns: str, where: str = "true") -> list[tuple[Any, ...]]:
    """Columns of the versions, their times in hours since BEGIN (None: still, ALWAYS: no beginning), certainty."""
    since = f"'{BEGIN.isoformat()}'::TIMESTAMPTZ"
    return db.rows(
        f"SELECT {', '.join(columns)},"
        f" CASE WHEN isinf(valid_from) THEN '-inf'::DOUBLE ELSE date_diff('minute', {since}, valid_from) / 60 END,"
        f" date_diff('minute', {since}, valid_to) / 60, certainty"
        f" FROM {table} WHERE {where} ORDER BY ALL"
    )


def test_a_memory_edited_twice_has_three_texts(db: Database) -> None:
    server = Server()
    node = server.create("core://a", "one")
    server.edit("core://a", "two")
    server.edit("core://a", "three", priority=0)
    server.fill(db)
    assert spans(db, "content_versions", "memory_id", "content") == [
        ("1", "one", 0, 1, "known"), ("2", "two", 1, 2, "known"), ("3", "three", 2, None, "known"),
    ]  # fmt: skip
    assert spans(db, "address_versions", "uri", "priority", "disclosure") == [
        ("core://a", 0, "when 0", 2, None, "known"), ("core://a", 2, "when 2", 0, 2, "known"),
    ]  # fmt: skip
    assert as_of(db, BEGIN + HOUR * 1.5).contents == {node: "two"}


def test_a_moved_memory_keeps_its_node(db: Database) -> None:
    server = Server()
    server.create("core://a", "one")
    server.move("core://a", "core://b/c")
    server.fill(db)
    assert spans(db, "address_versions", "uri", "domain", "path", "node_uuid") == [
        ("core://a", "core", "a", "n1", 0, 1, "known"), ("core://b/c", "core", "b/c", "n1", 1, None, "known"),
    ]  # fmt: skip
    assert spans(db, "identity", "uri", "node_uuid") == [
        ("core://a", "n1", ALWAYS, None, "known"), ("core://b/c", "n1", ALWAYS, None, "known"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("details", "before", "after"),
    [
        ({"old_uri": "core://a", "new_uri": "core://b"}, None, None),
        ({"from_uri": "core://a", "to_uri": "core://b"}, None, None),
        ({"new_uri": "core://b"}, None, None),
        ({}, {"uri": "core://a"}, {"uri": "core://b"}),
        ({"old_path": "a", "new_path": "b"}, None, None),
        ({}, None, None),
    ],
)
def test_a_move_is_understood_however_it_names_its_ends(db: Database, details: Any, before: Any, after: Any) -> None:
    server = Server()
    server.create("core://a", "one")
    server.move("core://a", "core://b")
    server.tables["memory_events"][-1] = event(2, "move", "core://a", "n1", BEGIN + HOUR, before, after, details)
    server.fill(db)
    assert as_of(db, BEGIN + HOUR / 2).addresses.keys() == {"core://a"}
    assert as_of(db, BEGIN + HOUR).addresses.keys() == {"core://b"}


def test_what_stands_below_a_moved_memory_moves_along(db: Database) -> None:
    server = Server()
    server.create("core://a", "one")
    server.create("core://a/x", "two")
    server.create("core://ax", "another")
    server.move("core://a", "core://b")
    server.now -= HOUR
    server.move("core://a/x", "core://b/x")
    server.tables["memory_events"].pop()
    server.fill(db)
    assert spans(db, "address_versions", "uri") == [
        ("core://a", 0, 3, "known"), ("core://a/x", 1, 3, "known"), ("core://ax", 2, None, "known"),
        ("core://b", 3, None, "known"), ("core://b/x", 3, None, "known"),
    ]  # fmt: skip


def test_a_move_that_names_where_it_led_starts_there(db: Database) -> None:
    server = Server()
    server.create("core://a", "one")
    server.move("core://a", "core://b")
    server.tables["memory_events"][-1] = event(
        2, "move", "core://b", "n1", BEGIN + HOUR, details={"old_uri": "core://a"}
    )
    server.fill(db)
    assert [row[:3] for row in spans(db, "address_versions", "uri")] == [("core://a", 0, 1), ("core://b", 1, None)]


def test_an_alias_is_a_row_of_its_own(db: Database) -> None:
    server = Server()
    server.create("core://a", "one", priority=3)
    server.alias("core://a", "project://same")
    server.alias("core://a", "project://own", priority=0)
    server.edit("core://a", priority=1)
    server.delete("project://own")
    server.fill(db)
    assert spans(db, "address_versions", "uri", "priority") == [
        ("core://a", 1, 3, None, "known"), ("core://a", 3, 0, 3, "known"), ("project://own", 0, 2, 4, "assumed"),
        ("project://same", 1, 3, None, "known"), ("project://same", 3, 1, 3, "known"),
    ]  # fmt: skip
    assert spans(db, "content_versions", "content") == [("one", 0, None, "known")], "the node outlives an alias"


def test_a_deleted_memory_ends_and_a_restored_one_comes_back(db: Database) -> None:
    server = Server()
    node = server.create("core://a", "one", keywords=["redis"])
    server.delete("core://a")
    server.restore("core://a", node)
    server.fill(db)
    assert spans(db, "address_versions", "uri") == [("core://a", 0, 1, "known"), ("core://a", 2, None, "known")]
    assert spans(db, "content_versions", "content") == [("one", 0, 1, "known"), ("one", 2, None, "known")]
    assert spans(db, "keyword_versions", "keyword") == [("redis", 0, 1, "known")]


def test_of_a_hard_deleted_memory_the_events_still_tell(db: Database) -> None:
    server = Server()
    server.create("core://a", "one", keywords=["redis"])
    server.edit("core://a", "two")
    server.delete("core://a", hard=True)
    server.fill(db)
    assert spans(db, "content_versions", "memory_id", "content") == [
        (None, "one", 0, 1, "known"), (None, "two", 1, 2, "known"),
    ]  # fmt: skip
    assert spans(db, "keyword_versions", "keyword") == [("redis", 0, 2, "known")]
    assert spans(db, "identity", "uri", "node_uuid") == [("core://a", "n1", ALWAYS, None, "known")]


def test_an_address_that_led_to_two_nodes_led_to_one_at_a_time(db: Database) -> None:
    server = Server()
    server.create("core://a", "one")
    server.delete("core://a", hard=True)
    server.create("core://a", "another")
    server.fill(db)
    assert spans(db, "address_versions", "node_uuid") == [("n1", 0, 1, "known"), ("n2", 2, None, "known")]
    assert spans(db, "identity", "node_uuid") == [("n1", ALWAYS, 2, "known"), ("n2", 2, None, "known")]


def test_a_deleted_parent_takes_its_children_along(db: Database) -> None:
    server = Server()
    parent, child = server.create("core://a", "one"), server.create("core://a/b", "two")
    server.delete("core://a/b")
    server.delete("core://a")
    server.tables["memory_events"][2:] = [
        event(3, "delete", "core://a", parent, BEGIN + 2 * HOUR,
              details={"affected_paths": ["core://a", "core://a/b"], "deprecated_node_uuids": [parent, child]}),
    ]  # fmt: skip
    server.fill(db)
    assert spans(db, "address_versions", "uri") == [("core://a", 0, 2, "known"), ("core://a/b", 1, 2, "known")]
    assert spans(db, "content_versions", "content") == [("one", 0, 2, "known"), ("two", 1, 2, "known")]


def test_keywords_come_and_go(db: Database) -> None:
    server = Server()
    server.create("core://a", "one", keywords=["redis", "重试"])
    server.edit("core://a", add=["webhook"], remove=["redis"])
    server.edit("core://a", add=["redis"])
    server.fill(db)
    assert spans(db, "keyword_versions", "keyword") == [
        ("redis", 0, 1, "known"),
        ("redis", 2, None, "known"),
        ("webhook", 1, None, "known"),
        ("重试", 0, None, "known"),
    ]


def test_a_store_without_memory_events_says_that_it_assumes(db: Database) -> None:
    server = Server(logs=False)
    server.create("core://a", "one", keywords=["redis"])
    server.edit("core://a", "two", priority=1)
    server.move("core://a", "core://b")
    server.fill(db)
    assert spans(db, "address_versions", "uri", "priority") == [("core://b", 1, 2, None, "assumed")]
    assert [row[:3] for row in spans(db, "content_versions", "content")] == [("one", 0, 1), ("two", 1, None)]
    assert {row[-1] for row in spans(db, "content_versions", "content")} == {"known"}, "deprecated rows are history"
    found = history(db)
    assert found.certainty["address_versions"] == {"known": 0, "assumed": 1}
    assert found.as_json()["certainty"]["content_versions"] == {"known": 2, "assumed": 0}


def test_priorities_of_before_the_first_event_are_assumed(db: Database) -> None:
    server = Server(logs=False)
    server.create("core://a", "one", priority=3)
    server.logs = True
    server.create("core://b", "two")
    server.edit("core://a", priority=1)
    server.fill(db)
    assert spans(db, "address_versions", "uri", "priority", where="uri = 'core://a'") == [
        ("core://a", 1, 2, None, "known"), ("core://a", 3, 0, 1, "assumed"), ("core://a", 3, 1, 2, "known"),
    ]  # fmt: skip


def test_an_address_that_went_without_an_event_lasts_as_long_as_it_was_seen(db: Database) -> None:
    server = Server()
    server.create("core://a", "one")
    server.delete("core://a")
    server.tables["memory_events"].pop()
    db.append(
        "recall_query_candidates",
        [
            {"query_id": f"q{hour}", "node_uri": uri, "selected": True, "used_in_answer": False,
             "created_at": BEGIN + hour * HOUR}
            for uri in ("core://a", "gone://x")
            for hour in (2, 7)
        ],
    )  # fmt: skip
    server.fill(db)
    assert [row[-1] for row in spans(db, "address_versions", "uri")] == ["assumed"]
    assert as_of(db, BEGIN + 7 * HOUR).addresses.keys() == {"core://a"}
    assert as_of(db, BEGIN + 7.1 * HOUR).addresses == {}
    assert history(db).gaps == {
        "addresses that went without an event": 1, "logged addresses that nothing tells of": 1,
    }  # fmt: skip


def test_a_deletion_that_the_tables_contradict_leaves_a_doubt(db: Database) -> None:
    server = Server()
    server.create("core://a", "one")
    server.fill(db)
    server.tables["memory_events"].append(
        event(2, "delete", "core://a", "n1", BEGIN + HOUR, details={"deprecated_node_uuids": ["n1"]})
    )
    server.fill(db)
    assert spans(db, "address_versions", "uri") == [("core://a", 0, 1, "known"), ("core://a", 1, None, "assumed")]
    assert spans(db, "content_versions", "content") == [("one", 0, 1, "known"), ("one", 1, None, "assumed")]


def test_a_text_deprecated_without_a_trace_ends_at_its_last_sign_of_life(db: Database) -> None:
    server = Server(logs=False)
    server.create("core://a", "one")
    server.tables["memories"][0]["deprecated"] = True
    server.tables["memory_views"] = [
        {"id": "1", "domain": "core", "path": "a", "uri": "core://a", "node_uuid": "n1", "memory_id": "1",
         "view_type": "gist", "text_content": "one", "updated_at": BEGIN + 5 * HOUR}
    ]  # fmt: skip
    server.fill(db)
    assert spans(db, "content_versions", "content") == [("one", 0, 5, "assumed")]
    assert as_of(db, "infinity").contents == {}


def test_case_11_two_live_versions_the_numeric_id_wins(db: Database) -> None:
    server = Server(logs=False)
    server.create("core://a", "old")
    old = server.tables["memories"][0] | {"id": "9", "content": "nine"}
    server.tables["memories"] = [old | {"id": "10", "content": "ten"}, old]
    server.fill(db)
    assert spans(db, "content_versions", "memory_id", "content") == [("10", "ten", 0, None, "known")]
    server.tables["memories"][1]["created_at"] = BEGIN - HOUR
    server.fill(db)
    assert spans(db, "content_versions", "memory_id") == [("10", 0, None, "known"), ("9", -1, 0, "known")]


def test_case_13_a_memory_is_followed_across_its_addresses(db: Database) -> None:
    server = Server()
    server.create("core://a", "one")
    server.alias("core://a", "project://b")
    server.move("core://a", "core://c")
    server.fill(db)
    assert {row[:2] for row in spans(db, "identity", "uri", "node_uuid")} == {
        ("core://a", "n1"), ("project://b", "n1"), ("core://c", "n1"),
    }  # fmt: skip
    assert as_of(db, BEGIN + HOUR).addresses.keys() == {"core://a", "project://b"}
    assert as_of(db, "infinity").addresses.keys() == {"core://c", "project://b"}


def test_case_14_dates_of_the_future_stand_today_and_never_before(db: Database) -> None:
    server = Server(logs=False)
    server.create("core://a", "far")
    server.create("core://b", "near")
    far = datetime(9999, 12, 31, tzinfo=UTC)
    for table in ("memories", "paths", "edges", "nodes"):
        server.tables[table][0]["created_at"] = far
    server.tables["memories"][1]["created_at"] = BEGIN + timedelta(minutes=5)
    db.append("recall_queries", [{"query_id": "q", "query_text": "q", "created_at": BEGIN}])
    server.fill(db)
    assert as_of(db, BEGIN + HOUR * 100).addresses.keys() == {"core://b"}
    assert as_of(db, "infinity").addresses.keys() == {"core://a", "core://b"}
    assert as_of(db, BEGIN).contents == {}
    assert history(db).gaps["memories dated in the future"] == 2


def test_case_17_dates_that_cannot_be_read_are_counted_and_assumed(db: Database) -> None:
    server = Server(logs=False)
    server.create("core://a", "one", keywords=["redis"])
    for table in ("memories", "paths", "edges", "nodes", "glossary_keywords"):
        server.tables[table][0]["created_at"] = None
    server.tables["memory_events"] = [event(1, "update", "core://a", "n1", None)]
    server.fill(db)
    for table in ("address_versions", "content_versions", "keyword_versions"):
        assert spans(db, table, "node_uuid") == [("n1", ALWAYS, None, "assumed")]
    assert history(db).gaps == {
        "memory events without a usable date": 1, "memories without a date": 1, "addresses without a date": 1,
    }  # fmt: skip


def _rebuilt(server: Server, count: int, kind: str, at: datetime) -> None:
    for number in range(count):
        stamp = at + timedelta(seconds=number * 2)
        if kind == "keyword":
            server.tables["glossary_keywords"][number]["created_at"] = stamp
        else:
            server.tables["memory_views"].append(
                {"id": str(number), "domain": "core", "path": f"a{number}", "uri": f"core://a{number}",
                 "node_uuid": f"n{number + 1}", "memory_id": str(number + 1), "view_type": "gist",
                 "text_content": "x", "updated_at": stamp}
            )  # fmt: skip


def test_time_stamps_that_a_rebuild_reset_are_told_apart(db: Database) -> None:
    server = Server(logs=False)
    for number in range(20):
        server.create(f"core://a{number}", f"text {number}", keywords=["k"])
    _rebuilt(server, 20, "view", BEGIN + 900 * HOUR)
    _rebuilt(server, 15, "keyword", BEGIN + 900 * HOUR)
    server.fill(db)
    assert db.rows("SELECT kind, rows, share FROM rebuilds ORDER BY kind") == [("keyword", 15, 0.75), ("view", 20, 1.0)]
    assert len(as_of(db, BEGIN + 20 * HOUR).keywords) == 20, "a reset date does not make a keyword young"
    certain = db.rows("SELECT certainty, count(*) FROM keyword_versions GROUP BY 1 ORDER BY 1")
    assert certain == [("assumed", 15), ("known", 5)]


def test_addresses_that_a_migration_dated_anew_are_as_old_as_their_nodes(db: Database) -> None:
    server = Server(logs=False)
    for number in range(20):
        server.create(f"core://a{number}", "one")
    server.alias("core://a0", "core://b")
    fresh = dict(server.tables, paths=[row | {"created_at": server.now + 50 * HOUR} for row in server.tables["paths"]])
    fill(db, fresh)
    assert as_of(db, BEGIN + 4.5 * HOUR).addresses.keys() == {"core://b", *(f"core://a{number}" for number in range(5))}
    assert {row[-1] for row in spans(db, "address_versions", "uri")} == {"assumed"}
    assert history(db).gaps["address dates that a rebuild reset"] == 21


def test_an_undated_row_is_the_newest_here_and_in_the_tables_of_now(db: Database) -> None:
    server = Server(logs=False)
    server.create("core://a", "dated")
    server.tables["memories"].append(server.tables["memories"][0] | {"id": "0", "content": "not", "created_at": None})
    server.tables["memories"] += [row | {"id": f"{row['id']}b"} for row in server.tables["memories"]]
    server.fill(db)
    (now,) = db.row(compose(("logged/memory_now",), "SELECT content FROM {last}"))
    assert as_of(db, "infinity").contents == {"n1": now}
    assert spans(db, "content_versions", "memory_id") == [("0b", 0, None, "assumed")]


def test_many_new_memories_are_no_rebuild(db: Database) -> None:
    server = Server(logs=False)
    for number in range(20):
        server.create(f"core://a{number}", f"text {number}")
        server.now -= HOUR * 0.999
    for number, row in enumerate(list(server.tables["memories"])):
        server.tables["memory_views"].append(
            {"id": str(number), "domain": "core", "path": "a", "uri": f"core://a{number}", "memory_id": row["id"],
             "view_type": "gist", "text_content": "x", "updated_at": row["created_at"] + timedelta(seconds=2)}
        )  # fmt: skip
    server.fill(db)
    assert db.rows("SELECT * FROM rebuilds") == []


def test_an_empty_store_has_no_history(db: Database) -> None:
    build_versions(db)
    assert db.rows("SELECT * FROM address_versions UNION ALL BY NAME SELECT * FROM content_versions") == []
    tables = ("address_versions", "content_versions", "keyword_versions", "identity")
    assert history(db) == History({name: {"known": 0, "assumed": 0} for name in tables}, {})


def test_snapshots_that_are_not_what_they_should_be_break_nothing(db: Database) -> None:
    fill(db, {"memory_events": [
        event(1, "create", "core://a", "n1", BEGIN, after=[1, 2]),
        event(2, "update", "core://a", None, BEGIN, before="x"),
        event(3, "update", "core://a", "n1", BEGIN, after={"priority": "high", "glossary_keywords": "redis"}),
        event(4, "dream", "core://a", "n1", BEGIN, details={"affected_paths": {"a": 1}}),
    ]})  # fmt: skip
    assert as_of(db, "infinity").addresses == {}
