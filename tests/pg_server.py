"""A real PostgreSQL with pgvector, started from a package for the tests that need one."""

from __future__ import annotations

import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

SCHEMA = """
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE nodes (uuid text, created_at timestamptz);
CREATE TABLE memories (id bigint, node_uuid text, content text, deprecated boolean, migrated_to text,
    created_at timestamptz);
CREATE TABLE edges (id bigint, parent_uuid text, child_uuid text, priority integer, disclosure text,
    created_at timestamptz);
CREATE TABLE paths (domain text, path text, edge_id integer, created_at timestamptz);
CREATE TABLE app_settings (key text, value jsonb, updated_at timestamptz);
CREATE TABLE memory_views (id bigint, domain text, path text, uri text, view_type text, text_content text, weight real,
    fts tsvector, embedding_model text, embedding_dim integer, embedding_vector halfvec(3), metadata jsonb);
CREATE TABLE recall_queries (query_id text, query_text text, session_id text, client_type text, merged_count integer,
    shown_count integer, used_count integer, created_at timestamptz);
CREATE TABLE recall_events (id bigint, query_text text, node_uri text, retrieval_path text, view_type text,
    pre_rank_score real, final_rank_score real, selected boolean, used_in_answer boolean, metadata jsonb,
    created_at timestamptz);
INSERT INTO nodes VALUES ('n1', '2026-01-01T00:00:00+08:00');
INSERT INTO memories VALUES (9007199254740993, 'n1', E'two\\nlines', false, NULL, '2026-01-01');
INSERT INTO edges VALUES (7, NULL, 'n1', 2, 'when paying', '2026-01-01');
INSERT INTO paths VALUES ('project', 'pay', 7, '2026-01-01');
INSERT INTO app_settings VALUES ('recall.display.max_display_items', '{"value": 4}', now()),
    ('embedding.api_key', '{"value": "sk-geheim"}', now());
INSERT INTO memory_views VALUES (1, 'project', 'pay', 'project://pay', 'gist', 'text', 0.96,
    to_tsvector('simple', 'a b'), 'm', 3, '[0.5,1,-2]', '{"a": 1}');
INSERT INTO recall_queries VALUES ('q1', 'old', 's', 'pi', 1, 1, 0, '2026-01-01'),
    ('q2', 'new', 's', 'pi', 1, 1, 0, '2026-02-01');
INSERT INTO recall_events VALUES (1, 'old', 'project://pay', 'dense', 'gist', 0.5, 0.7, true, false,
    '{"query_id": "q1", "raw_score": 0.5}', '2026-01-01'),
    (2, 'newer', 'project://pay', 'dense', 'gist', 0.5, 0.7, true, false, '{"query_id": "q3"}', '2026-02-01');
"""


@contextmanager
def server() -> Iterator[str]:
    """The address of a running server, by its socket; it is gone when the block is left. It listens on TCP too."""
    pgserver = pytest.importorskip("pgserver", reason="the PostgreSQL package does not exist for this platform")
    with tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as folder:
        started = pgserver.get_server(folder, cleanup_mode="stop")
        try:
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
            heard = f"-h 127.0.0.1 -p {port} -k {folder}"
            log = str(Path(folder) / "restart.log")
            pgserver.pg_ctl(
                ["-w", "-o", heard, "-l", log, "restart"], pgdata=started.pgdata, user=started.system_user, timeout=30
            )
            yield f"postgresql://postgres:@/postgres?host={folder}&port={port}"
        finally:
            started.cleanup()


def run_sql(address: str, sql: str, database: str = "postgres") -> None:
    """Run a script with psql, which stops at the first error."""
    import pgserver

    psql = Path(pgserver.__file__).parent / "pginstall" / "bin" / "psql"
    subprocess.run(
        [psql, "-q", "-v", "ON_ERROR_STOP=1", in_database(address, database)],
        input=sql, text=True, check=True, capture_output=True,
    )  # fmt: skip


def ask_for_a_password(address: str, role: str) -> None:
    """Let `role` in over TCP with its password alone."""
    rules = Path(parse_qs(urlsplit(address).query)["host"][0]) / "pg_hba.conf"
    rules.write_text(
        f"host all {role} 127.0.0.1/32 scram-sha-256\n{rules.read_text(encoding='utf-8')}", encoding="utf-8"
    )
    run_sql(address, "SELECT pg_reload_conf();")


def in_database(address: str, database: str) -> str:
    """The address of another database of the same server."""
    return address.replace("/postgres?", f"/{database}?")


def over_tcp(address: str, login: str, database: str, options: str = "") -> str:
    """The address of a database of the same server for another login, by way of TCP."""
    port = parse_qs(urlsplit(address).query)["port"][0]
    return f"postgresql://{login}@127.0.0.1:{port}/{database}" + options
