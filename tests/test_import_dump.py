"""Import of plain pg_dump files: COPY blocks, INSERT statements, escapes, and files that are cut off."""

from __future__ import annotations

import gzip
import lzma
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import BadInput
from workbench.importers import dump, load
from workbench.importers.dump_rows import insert_rows, open_quote, read_fast
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
--
-- PostgreSQL database dump complete
--
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

HEAD = "-- PostgreSQL database dump\nSET client_encoding = '{}';\n"
CREATED = (
    "CREATE UNLOGGED TABLE IF NOT EXISTS public.memories (\n    id bigint,\n    node_uuid text,\n    content text\n);\n"
)
ROWS = "COPY public.memories (id, node_uuid, content) FROM stdin;\n"
INSERT = "INSERT INTO public.memories (id, node_uuid, content) "

MEMORIES = [("007", "tab\there\nline\\back 中文 AB", False), ("8", None, True)]


def memories(db: Database) -> list[tuple[object, ...]]:
    return db.rows("SELECT id, content, deprecated FROM memories ORDER BY id")


def texts_of(folder: Path, content: str | bytes) -> list[tuple[str, str]]:
    """What the memories of a dump say."""
    (folder / "dump.sql").write_bytes(content if isinstance(content, bytes) else content.encode())
    with in_memory() as db:
        report = load(db, str(folder / "dump.sql"))
        assert list(report.rejected) == []
        return db.rows("SELECT id, content FROM memories ORDER BY id")


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
    ("statement", "rows"),
    [
        (r"VALUES (1, 'n', 'C:\');", [r"C:\ "[:-1]]),
        (r"VALUES (1, 'n', 'a\nb''c'), (2, 'n', E'a\'''\x41\\\n');", [r"a\nb'c", "a''A\\\n"]),
        (r"VALUES (1, 'n', E'\344\270\255');", ["中"]),
        ("VALUES (1, 'n', 'x'::character varying(20)) ON CONFLICT (id) DO NOTHING;", ["x"]),
        ("OVERRIDING SYSTEM VALUE VALUES\n\t(1, 'n', 'it''s;\n);\n'),\n\t(2, 'n', 'b');", ["it's;\n);\n", "b"]),
        ("VALUES (1, 'n', '" + "line\n" * 50_000 + "');", ["line\n" * 50_000]),
    ],
)  # fmt: skip
def test_a_literal_means_what_postgresql_means(tmp_path: Path, statement: str, rows: list[str]) -> None:
    found = texts_of(tmp_path, f"{HEAD.format('UTF8')}{INSERT}{statement}\n")
    assert [text for _, text in found] == rows


def test_columns_are_those_of_the_definition_where_a_statement_names_none(tmp_path: Path) -> None:
    head = HEAD.format("UTF8") + CREATED
    assert texts_of(tmp_path, head + "INSERT INTO public.memories VALUES (1, 'n', 'x');\n") == [("1", "x")]
    assert texts_of(tmp_path, head + "COPY public.memories FROM stdin;\n1\tn\tx\n\\.\n") == [("1", "x")]


@pytest.mark.parametrize(
    ("name", "python", "text"),
    [
        ("WIN1251", "cp1251", "привет"),
        ("SJIS", "shift_jis", "表示ソ"),
        ("BIG5", "big5", "功\\n"),
        ("KOI8R", "koi8-r", "я"),
    ],
)
def test_other_encodings_are_decoded_before_escapes(tmp_path: Path, name: str, python: str, text: str) -> None:
    rows = f"{HEAD.format(name)}{ROWS}1\tn\t{text}\n\\.\n".encode(python)
    assert texts_of(tmp_path, rows) == [("1", text.replace("\\n", "\n"))]


def test_dumps_in_one_file_may_differ_in_their_encoding(tmp_path: Path) -> None:
    parts = [
        ("LATIN1", "latin-1", "é"),
        ("LATIN1", "latin-1", "ö"),
        ("UTF8", "utf-8", "中"),
        ("SJIS", "shift_jis", "表"),
    ]
    file = b"".join(
        f"{HEAD.format(name)}{ROWS}{number}\tn\t{text}\n\\.\n".encode(python)
        for number, (name, python, text) in enumerate(parts)
    )
    assert [text for _, text in texts_of(tmp_path, file)] == [text for _, _, text in parts]


def test_statements_inside_a_function_are_no_data(tmp_path: Path) -> None:
    function = f"CREATE FUNCTION f() RETURNS void LANGUAGE sql\n    AS $_$\n{INSERT}VALUES (9, 'n', 'no');\n$_$;\n"
    assert texts_of(tmp_path, f"{HEAD.format('UTF8')}{function}{ROWS}1\tn\tx\n\\.\n") == [("1", "x")]


def test_a_dump_without_its_last_line_is_doubted(tmp_path: Path) -> None:
    (tmp_path / "dump.sql").write_text(COPY.replace("dump complete", ""), encoding="utf-8")
    (tmp_path / "whole.sql").write_text(COPY, encoding="utf-8")
    with in_memory() as db:
        assert any("cut off" in warning for warning in load(db, str(tmp_path / "dump.sql")).warnings)
        assert not any("cut off" in warning for warning in load(db, str(tmp_path / "whole.sql")).warnings)


def test_rows_that_cannot_be_read_are_listed_with_their_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump, "_BLOCK", 40)
    monkeypatch.setattr(dump, "_PIECE", 16)
    rows = "".join(f"{number}\tn\ttext {number}\n" for number in range(100)).encode()
    rows = rows.replace(b"text 30\n", b"text \xff\n").replace(b"50\tn\ttext 50\n", b"50\n").replace(b"70\tn", b"\\N\tn")
    inserts = f"{INSERT}VALUES (100, 'n');\n{INSERT}VALUES (101, 'n', f(x));\n{INSERT}VALUES (NULL, 'n', 'x');\n"
    (tmp_path / "dump.sql").write_bytes((HEAD.format("UTF8") + ROWS).encode() + rows + b"\\.\n" + inserts.encode())
    with in_memory() as db:
        report = load(db, str(tmp_path / "dump.sql"))
        said = {one.where.rpartition(":")[2].rstrip(")"): one.reason for one in report.rejected}
        assert said == {
            "34": "not valid UTF-8",
            "54": "has 1 cells instead of 3",
            "74": "id is missing",
            "105": "has 2 values instead of 3",
            "106": "its value 3 is not written as pg_dump does",
            "107": "id is missing",
        }
        counts = report.tables["memories"]
        assert (counts.read, counts.added, counts.rejected) == (103, 97, 6)


@pytest.mark.parametrize("packed", [plain, lambda text: gzip.compress(text.encode())], ids=["plain", "gzip"])
def test_progress_is_told_in_bytes_of_the_file(tmp_path: Path, packed: Callable[[str], bytes]) -> None:
    size = (tmp_path / "dump.sql").write_bytes(packed(COPY))
    told: list[tuple[int, int | None]] = []
    with in_memory() as db:
        load(db, str(tmp_path / "dump.sql"), progress=lambda done, total, what: told.append((done, total)))
    assert (size, size) in told


CELLS = st.none() | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
TABLE = st.lists(st.tuples(CELLS, CELLS), min_size=1)
AS_COPY = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r", "\b": r"\b", "\f": r"\f", "\v": r"\v"})


@given(TABLE)
def test_every_text_comes_back_from_copy(rows: list[tuple[str | None, str | None]]) -> None:
    lines = ["\t".join(r"\N" if cell is None else cell.translate(AS_COPY) for cell in row) for row in rows]
    block = "".join(f"{line}\n" for line in lines).encode()
    batch = read_fast(block, ("a", "b"))
    if batch is None:
        assert block.startswith(b"\xef\xbb\xbf")
    else:
        assert [tuple(row.values()) for row in batch.to_pylist()] == rows


@given(TABLE, st.booleans())
def test_every_text_comes_back_from_inserts(rows: list[tuple[str | None, str | None]], escaped: bool) -> None:
    def literal(cell: str | None) -> str:
        if cell is None:
            return "NULL"
        quoted = cell.replace("'", "''")
        return "E'" + quoted.replace("\\", "\\\\") + "'" if escaped else f"'{quoted}'"

    values = ",\n\t".join(f"({', '.join(map(literal, row))})" for row in rows)
    assert [tuple(row) for row in insert_rows(f"{values};\n")] == rows
    quote = b""
    for line in values.encode().splitlines(keepends=True):
        quote = open_quote(line, quote)
    assert quote == b""


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (COPY[: COPY.index("8\tn1")].encode(), "ends inside the table memories"),
        (gzip.compress(COPY.encode())[:-40], "cannot be unpacked"),
        (gzip.compress((ROWS + "1\tn\tx\n" * 20_000).encode(), 0)[:-8], "inside the table memories"),
        (lzma.compress((ROWS + "1\tn\tx\n" * 10_000).encode())[:-60], "cannot be unpacked"),
        (f"{HEAD.format('UTF8')}{INSERT}VALUES (1, 'n', 'abc;\n".encode(), "ends inside a row of memories"),
        (b"PGDMP\x01\x0e\x00binary", "pg_dump --format=plain"),
        (b"toc.dat\0" + bytes(600), "pg_dump --format=plain"),
        (COPY.encode("utf-16"), "--file=FILE"),
        (f"{HEAD.format('GBK')}{ROWS}1\tn\t\xff\n".encode("latin-1"), "line 4: not valid GBK"),
        (f"{HEAD.format('UTF8')}INSERT INTO public.memories VALUES (1);\n".encode(), "--column-inserts"),
        ((COPY + COPY.replace("public", "other")).encode(), "nodes in public and in other"),
        (COPY.replace("UTF8", "KLINGON").encode(), "--encoding=UTF8"),
        (b"-- PostgreSQL database dump\nCREATE TABLE public.x (\n    a integer\n);\n", "no table of Lore"),
    ],
    ids=["cut off", "gzip cut off", "gzip cut off in a table", "xz cut off", "INSERT cut off", "binary", "tar",
         "UTF-16", "other text", "no columns", "two schemas", "encoding", "another database"],
)  # fmt: skip
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
