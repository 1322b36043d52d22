"""Import of plain pg_dump files: COPY blocks, INSERT statements, escapes, and files that are cut off."""

from __future__ import annotations

import gzip
import lzma
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.errors import BadInput
from workbench.importers import load
from workbench.store import Database, in_memory

COPY = r"""--
-- PostgreSQL database dump
--
\restrict abc
SET client_encoding = 'UTF8';
CREATE TABLE public.nodes (
    uuid text NOT NULL,
    created_at timestamp with time zone
);
COPY public.nodes (uuid, created_at) FROM stdin;
n1	2026-01-01 00:00:00+08
\.
COPY "odd schema"."memories" (id, node_uuid, "content", deprecated) FROM stdin;
007	n1	tab\there\nline\\back 中文 \101\x42	f
8	n1	\N	t
\.
COPY public.edges (id, child_uuid, priority) FROM stdin;
7	n1	2
\.
COPY public.paths (domain, path, edge_id, unknown_column) FROM stdin;
core	a	7	ignored
\.
COPY public.other (x) FROM stdin;
1
\.
"""

INSERTS = """-- PostgreSQL database dump
CREATE TABLE public.nodes (
    uuid text NOT NULL,
    created_at timestamp with time zone,
    CONSTRAINT c CHECK (true)
);
INSERT INTO public.nodes VALUES ('n1', '2026-01-01 00:00:00+08');
INSERT INTO public.memories (id, node_uuid, content, deprecated) VALUES ('007', 'n1', E'tab\\there
line\\\\back 中文 AB', false);
INSERT INTO public.memories (id, node_uuid, content, deprecated) VALUES (8, 'n1', NULL, true);
INSERT INTO public.edges (id, child_uuid, priority) VALUES (7, 'n1', 2);
INSERT INTO public.paths (domain, path, edge_id) VALUES ('core', 'a', 7);
INSERT INTO public.memory_events (id, event_type, node_uri, details, created_at) VALUES
	(1, 'it''s; (odd)', 'core://a', '{"a": "x, y)"}'::jsonb, '2026-01-01');
"""

MEMORIES = [("007", "tab\there\nline\\back 中文 AB", False), ("8", None, True)]


def memories(db: Database) -> list[tuple[object, ...]]:
    return db.rows("SELECT id, content, deprecated FROM memories ORDER BY id")


def plain(text: str) -> bytes:
    return text.encode()


@pytest.mark.parametrize(
    "packed", [plain, lambda text: gzip.compress(text.encode()), lambda text: lzma.compress(text.encode())]
)
def test_copy_blocks_are_read(tmp_path: Path, packed: Callable[[str], bytes]) -> None:
    (tmp_path / "dump.sql").write_bytes(packed(COPY))
    with in_memory() as db:
        report = load(db, str(tmp_path / "dump.sql"))
        assert report.kind == "pg_dump"
        assert memories(db) == MEMORIES
        assert db.row("SELECT created_at::VARCHAR FROM nodes") == ("2025-12-31 16:00:00+00",)
        assert any("other" in warning for warning in report.warnings)
        again = load(db, str(tmp_path / "dump.sql"))
        assert not any(counts.changed for counts in again.tables.values())


def test_windows_line_ends_change_nothing(tmp_path: Path) -> None:
    (tmp_path / "dump.sql").write_bytes(COPY.replace("\n", "\r\n").encode())
    with in_memory() as db:
        load(db, str(tmp_path / "dump.sql"))
        assert memories(db) == MEMORIES


def test_insert_statements_are_read(tmp_path: Path) -> None:
    (tmp_path / "dump.sql").write_text(INSERTS, encoding="utf-8")
    with in_memory() as db:
        load(db, str(tmp_path / "dump.sql"))
        assert memories(db) == MEMORIES
        assert db.row("SELECT event_type, details FROM memory_events") == ("it's; (odd)", '{"a":"x, y)"}')
        assert db.row("SELECT count(*) FROM nodes") == (1,)


def test_a_row_with_a_missing_cell_is_listed(tmp_path: Path) -> None:
    text = COPY.replace("8\tn1\t\\N\tt\n", "8\tn1\n9\tn1\tok\tf\n")
    (tmp_path / "dump.sql").write_text(text, encoding="utf-8")
    with in_memory() as db:
        report = load(db, str(tmp_path / "dump.sql"))
        (bad,) = report.rejected
        line = next(number for number, row in enumerate(text.splitlines(), 1) if row == "8\tn1")
        assert f"dump.sql:{line}" in bad.where
        assert report.tables["memories"].read == 3
        assert [row[0] for row in memories(db)] == ["007", "9"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (COPY[: COPY.index("8\tn1")].encode(), "ends inside the table memories"),
        (gzip.compress(COPY.encode())[:-40], "cannot be unpacked"),
        (b"PGDMP\x01\x0e\x00binary", "pg_dump --format=plain"),
        (COPY.replace("UTF8", "KLINGON").encode(), "--encoding=UTF8"),
        (b"-- PostgreSQL database dump\nCREATE TABLE public.x (\n    a integer\n);\n", "no table of Lore"),
    ],
    ids=["cut off", "gzip cut off", "binary", "encoding", "another database"],
)
def test_a_dump_that_cannot_be_used_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "dump.sql").write_bytes(content)
    with in_memory() as db, pytest.raises(BadInput) as told:
        load(db, str(tmp_path / "dump.sql"))
    assert said in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.postgres
@pytest.mark.filterwarnings("ignore::platformdirs.unix.RuntimeDirWarning")
def test_what_pg_dump_itself_writes_is_read_the_same_in_every_form(tmp_path: Path) -> None:
    import pgserver
    from pg_server import SCHEMA, in_database, run_sql, server

    program = Path(pgserver.__file__).parent / "pginstall" / "bin" / "pg_dump"
    found = []
    with server() as address:
        run_sql(address, "CREATE DATABASE lore;")
        run_sql(address, SCHEMA, "lore")
        for form in ((), ("--inserts",), ("--column-inserts",), ("--rows-per-insert=10",)):
            file = tmp_path / f"{''.join(form) or 'copy'}.sql"
            subprocess.run([program, *form, "-f", file, in_database(address, "lore")], check=True, capture_output=True)
            with in_memory() as db:
                assert list(load(db, str(file)).rejected) == []
                found.append(
                    (memories(db), db.rows("SELECT * FROM memory_views"), db.rows("SELECT * FROM recall_events"))
                )
    assert found[0] == found[1] == found[2] == found[3]
    assert found[0][0] == [("9007199254740993", "two\nlines", False)]
