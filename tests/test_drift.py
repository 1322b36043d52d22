"""What changed since a recall: one flag a kind of change, unknown where history does not tell."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from histories import BEGIN, HOUR, MEMORY_SIDE, RECALL, Server, recalled

from workbench.params import Params
from workbench.replay.logged import materialise
from workbench.retrieve.drift import FLAGS, drift_counts, write_drift
from workbench.store import TABLES, Database


def view(uri: str, at: datetime, model: str = "m1") -> dict[str, Any]:
    return {"id": "1", "domain": "core", "path": "a", "uri": uri, "view_type": "gist", "text_content": "x",
            "embedding_model": model, "updated_at": at}  # fmt: skip


def flags(db: Database) -> dict[str, bool | None]:
    write_drift(db, None)
    (row,) = db.arrow("SELECT * FROM drift").to_pylist()
    return {flag: row[flag] for flag in FLAGS}


CALM: dict[str, bool | None] = dict.fromkeys(FLAGS, False) | dict.fromkeys(
    ("view_rebuilt_since", "stamps_reset", "model_changed")
)


@pytest.mark.parametrize(
    ("change", "raised"),
    [
        (lambda server: server.edit("core://a"), {}),
        (lambda server: server.edit("core://a", "another text"), {"edited_since": True}),
        (lambda server: server.edit("core://a", priority=0), {"priority_changed_since": True}),
        (lambda server: server.edit("core://a", add=["webhook"]), {"keyword_added_since": True}),
        (lambda server: server.edit("core://a", remove=["redis"]), {"keyword_removed_since": True}),
        (lambda server: server.move("core://a", "core://c"), {"moved_since": True, "priority_changed_since": None}),
        (lambda server: server.alias("core://a", "core://c"), {}),
        (
            lambda server: server.delete("core://a"),
            {
                "deleted_since": True,
                "edited_since": None,
                "priority_changed_since": None,
                "keyword_removed_since": True,
            },
        ),
    ],
)
def test_each_change_raises_its_flag(
    db: Database, change: Callable[[Server], None], raised: dict[str, bool | None]
) -> None:
    server = Server()
    server.create("core://a", "one", keywords=["redis"])
    change(server)
    recalled(db, server)
    assert flags(db) == CALM | raised


def test_an_edit_that_was_taken_back_is_no_drift(db: Database) -> None:
    server = Server()
    server.create("core://a", "one", keywords=["redis"])
    server.edit("core://a", "two", remove=["redis"])
    server.edit("core://a", "one", add=["redis"])
    recalled(db, server)
    assert flags(db) == CALM


def test_a_memory_dated_after_the_recall_that_showed_it_is_named(db: Database) -> None:
    server = Server()
    server.create("core://a", "one", keywords=["redis"])
    recalled(db, server, at=BEGIN - HOUR)
    assert flags(db) == CALM | dict.fromkeys(
        ("edited_since", "priority_changed_since", "keyword_added_since", "keyword_removed_since")
    ) | {"created_after": True}  # fmt: skip


def test_views_that_are_newer_or_of_another_model(db: Database) -> None:
    server = Server()
    server.create("core://a", "one")
    server.tables["memory_views"] = [view("core://a", RECALL + timedelta(seconds=1), "m2")]
    recalled(db, server)
    assert flags(db) == CALM | {"view_rebuilt_since": True, "stamps_reset": False, "model_changed": True}
    server.tables["memory_views"] = [view("core://a", RECALL, "m1")]
    server.fill(db)
    assert flags(db) == CALM | {"view_rebuilt_since": False, "stamps_reset": False, "model_changed": False}


def test_stamps_that_a_rebuild_reset_are_told_from_an_edit(db: Database) -> None:
    server = Server()
    for number in range(12):
        server.create(f"core://a{number}", "one")
        server.now -= HOUR * 0.99
    late = RECALL + 9 * HOUR
    server.tables["memory_views"] = [
        view(f"core://a{number}", late + timedelta(seconds=number)) | {"id": str(number), "memory_id": str(number + 1)}
        for number in range(11)
    ] + [view("core://a11", late + HOUR) | {"id": "11", "memory_id": "12"}]
    recalled(db, server, "core://a3")
    assert flags(db) == CALM | {"view_rebuilt_since": True, "stamps_reset": True, "model_changed": False}
    db.execute("UPDATE wb.logged_candidates SET uri = 'core://a11'")
    assert flags(db)["view_rebuilt_since"]
    assert flags(db)["stamps_reset"] is False


def test_case_04_of_an_address_that_nothing_tells_of_only_its_absence_is_known(db: Database) -> None:
    recalled(db, Server())
    assert flags(db) == dict.fromkeys(FLAGS) | {"deleted_since": True}


def test_case_17_a_recall_without_a_date_is_unknown_in_everything(db: Database) -> None:
    server = Server()
    server.create("core://a", "one")
    recalled(db, server, at=None)
    assert flags(db) == dict.fromkeys(FLAGS)


def test_a_text_that_was_gone_before_the_recall_did_not_go_since(db: Database) -> None:
    server = Server(logs=False)
    server.create("core://a", "one")
    server.tables["memories"][0]["deprecated"] = True
    server.tables["memory_views"] = [view("core://a", BEGIN + HOUR / 4) | {"memory_id": "1"}]
    recalled(db, server)
    assert flags(db)["deleted_since"] is False


def test_counts_say_what_holds_what_was_shown_and_what_is_unknown(db: Database) -> None:
    server = Server()
    server.create("core://a", "one")
    server.edit("core://a", "two")
    recalled(db, server)
    found = drift_counts(db, None)
    assert (found.rows, found.shown, found.assumed) == (1, 1, 0)
    assert found.as_json()["flags"]["edited_since"] == {"rows": 1, "shown": 1, "unknown": 0}
    assert found.flags["view_rebuilt_since"].unknown == 1
    assert found.sentences() == ["1 of 1 shown memories: the text was edited since."]
    db.execute("DELETE FROM memory_events")
    unsure = drift_counts(db, None)
    assert unsure.assumed == 1
    assert unsure.sentences()[-1].startswith("1 of 1 shown memories: what stood at the time is assumed in part")
    db.execute("CREATE TEMP TABLE none AS SELECT query_id FROM wb.logged_queries LIMIT 0")
    assert drift_counts(db, "none").rows == 0


def test_the_real_log_drifts_as_its_tables_tell(db: Database, conformance: Path) -> None:
    for name in (*MEMORY_SIDE, "recall_queries", "recall_query_candidates", "recall_events"):
        file = conformance / "tables" / f"{name}.parquet"
        held = {column for (column,) in db.rows(f"SELECT column_name FROM (DESCRIBE FROM '{file}')")}
        wanted = ", ".join(column.name for column in TABLES[name].columns if column.name in held)
        db.execute(f"INSERT INTO {name} BY NAME SELECT {wanted} FROM '{file}'")
    materialise(db, Params.default())
    found = drift_counts(db, None)
    assert found.rows == db.row("SELECT count(*) FROM wb.logged_candidates")[0]
    young = db.row(
        "SELECT count(*) FROM wb.logged_candidates AS c JOIN wb.logged_queries AS q USING (query_id)"
        " JOIN paths AS p ON p.domain || '://' || p.path = c.uri WHERE p.created_at > q.now"
    )[0]
    assert found.flags["created_after"].rows == young > 0
    rebuilt = db.row(
        "SELECT count(*) FROM wb.logged_candidates AS c JOIN wb.logged_queries AS q USING (query_id)"
        " WHERE q.now < (SELECT max(t) FROM ("
        "SELECT updated_at AS t FROM memory_views AS v WHERE v.uri = c.uri AND status = 'active'"
        " UNION ALL SELECT updated_at FROM glossary_term_embeddings AS g WHERE g.uri = c.uri AND status = 'active'))"
    )[0]
    assert found.flags["view_rebuilt_since"].rows == rebuilt > 0
    stale = db.rows("SELECT DISTINCT uri FROM drift WHERE model_changed")
    assert stale == [("ops://network/vpn",)], "its views are of another model"
    assert found.flags["deleted_since"].rows == 0
