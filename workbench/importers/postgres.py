"""The live PostgreSQL database of a Lore server, read in one snapshot."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pyarrow as pa

from workbench.errors import BadInput
from workbench.importers.address import mask_address
from workbench.importers.options import ImportOptions
from workbench.importers.staging import Staging
from workbench.params.settings import looks_secret
from workbench.store import TABLES, Kind

_CONNECT_SECONDS = 10
_SINCE = frozenset({"recall_queries", "recall_query_candidates", "recall_events", "memory_events"})
_CASTS = {Kind.JSON: "text", Kind.ID: "text", Kind.TEXT: "text", Kind.VECTOR: "real[]"}
_CATALOG = """
SELECT n.nspname, c.relname, a.attname
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p', 'v', 'm') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
ORDER BY n.nspname = 'public' DESC, n.nspname, a.attnum
"""
_NEEDED = ("nodes", "memories", "edges", "paths")


def stage(address: str, staging: Staging, options: ImportOptions) -> None:
    """Stage every table of Lore that the database at `address` holds, in one read-only snapshot.

    Raises BadInput, without the password, when it cannot be reached or holds no Lore tables.
    """
    from adbc_driver_postgresql import dbapi

    try:
        with dbapi.connect(with_timeout(address)) as connection, connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            schema, tables = _lore_tables(cursor, address)
            for number, (table, columns) in enumerate(tables.items()):
                staging.progress(number, len(tables), f"reading {table}")
                _stage_table(cursor, schema, table, columns, staging, options)
    except dbapi.Error as error:
        raise BadInput(f"Cannot read {mask_address(address)}: {_reason(error, address)}.") from None


def with_timeout(address: str) -> str:
    """The address with a limit on the time that connecting may take, unless it has one."""
    if "connect_timeout" in dict(parse_qsl(urlsplit(address).query)):
        return address
    return f"{address}{'&' if urlsplit(address).query else '?'}connect_timeout={_CONNECT_SECONDS}"


def _lore_tables(cursor: Any, address: str) -> tuple[str, dict[str, list[str]]]:
    """The schema that holds Lore's tables, and the columns that each known table has there."""
    cursor.execute(_CATALOG)
    found: dict[str, dict[str, list[str]]] = {}
    for schema, table, column in cursor.fetchall():
        if table in TABLES and column in TABLES[table].column_names:
            found.setdefault(schema, {}).setdefault(table, []).append(column)
    schemas = [schema for schema, tables in found.items() if all(name in tables for name in _NEEDED)]
    if not schemas:
        raise BadInput(f"{mask_address(address)} holds no tables of Lore; name the database of the Lore server.")
    if len(schemas) > 1 and schemas[0] != "public":
        raise BadInput(
            f"{mask_address(address)} holds Lore's tables in several schemas ({', '.join(schemas)}); keep one."
        )
    return schemas[0], found[schemas[0]]


def _stage_table(
    cursor: Any, schema: str, table: str, columns: Sequence[str], staging: Staging, options: ImportOptions
) -> None:
    where, values = _condition(cursor, schema, table, columns, staging, options)
    select = ", ".join(_selected(table, name) for name in columns)
    cursor.execute(f"SELECT {select} FROM {_quoted(schema)}.{_quoted(table)}{where}", values or None)
    staging.add_batches(table, columns, _batches(cursor), lambda row: f"row {row} of the table")


def _batches(cursor: Any) -> Iterator[pa.RecordBatch]:
    yield from cursor.fetch_record_batch()


def _condition(
    cursor: Any, schema: str, table: str, columns: Sequence[str], staging: Staging, options: ImportOptions
) -> tuple[str, tuple[Any, ...]]:
    """Rows that are not asked for stay on the server: old ones, and settings whose value is secret."""
    if table == "app_settings" and "key" in columns:
        cursor.execute(f"SELECT key FROM {_quoted(schema)}.app_settings")
        keys = [key for (key,) in cursor.fetchall()]
        secret = sorted(key for key in keys if looks_secret(key))
        staging.secrets.extend(secret)
        return (f" WHERE key NOT IN ({', '.join(_text_literal(key) for key in secret)})" if secret else ""), ()
    if table in _SINCE and options.since is not None and "created_at" in columns:
        return " WHERE created_at >= $1", (options.since,)
    return "", ()


def _selected(table: str, name: str) -> str:
    kind = next(column.kind for column in TABLES[table].columns if column.name == name)
    cast = _CASTS.get(kind)
    return f"{_quoted(name)}::{cast} AS {_quoted(name)}" if cast else _quoted(name)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text_literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _reason(error: Exception, address: str) -> str:
    """The first line of the driver's message that says something, without any password."""
    said = str(error)
    password = urlsplit(address).password
    if password:
        said = said.replace(password, "***")
    lines = [
        re.sub(r"^\W*(IO|INTERNAL|UNKNOWN)[^:]*:\s*", "", line).strip() for line in mask_address(said).splitlines()
    ]
    return next((line.rstrip(".") for line in lines if line), "the server gave no reason")
