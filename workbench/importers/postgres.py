"""The live PostgreSQL database of a Lore server, read in one snapshot."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import parse_qsl, unquote

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
# Schemas of the search path come first, in its order.
_CATALOG = """
SELECT n.nspname, array_position(current_schemas(false), n.nspname), c.relname, a.attname
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p', 'v', 'm') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
ORDER BY 2 NULLS LAST, n.nspname, a.attnum
"""
_NEEDED = ("nodes", "memories", "edges", "paths")
_HOST = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(:\d*)?")
_ODD = re.compile(r"[\s#]")
_SECRET_OPTIONS = frozenset({"password", "sslpassword"})


def stage(address: str, staging: Staging, options: ImportOptions) -> None:
    """Stage every table of Lore that the database at `address` holds, in one read-only snapshot.

    Raises BadInput, without the password, when it cannot be reached, stops answering, or holds no Lore tables.
    """
    from adbc_driver_postgresql import dbapi

    _refuse_ambiguous(address)
    try:
        with dbapi.connect(with_timeout(address)) as connection, connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            schema, tables = _lore_tables(cursor, address)
            for number, (table, columns) in enumerate(tables.items()):
                staging.progress(number, len(tables), f"reading {table}")
                _stage_table(cursor, schema, table, columns, staging, options)
    except (dbapi.Error, _StreamBroken) as error:
        raise BadInput(f"Cannot read {mask_address(address)}: {_reason(error, address)}.") from None


class _StreamBroken(Exception):
    """The server stopped in the middle of a table. Its reason is the message."""


def with_timeout(address: str) -> str:
    """The address with a limit on the time that connecting may take, unless it has one."""
    _, asked, options = address.partition("?")
    if "connect_timeout" in dict(parse_qsl(options)):
        return address
    return f"{address}{('&' if options else '') if asked else '?'}connect_timeout={_CONNECT_SECONDS}"


def _refuse_ambiguous(address: str) -> None:
    """Refuse an address whose password could be taken for another part of it, and then be shown or stored."""
    place, _, options = address.partition("://")[2].partition("?")
    server, _, database = place.partition("/")
    login, _, hosts = server.rpartition("@")
    clear = (
        not _ODD.search(address)
        and "@" not in login + database + options
        and login.count(":") <= 1
        and all(_HOST.fullmatch(host) for host in hosts.split(","))
    )
    if not clear:
        raise BadInput(
            "The address of the database cannot be read; write postgresql://user:password@host:5432/database, and in "
            "the password @ as %40, : as %3A, / as %2F, ? as %3F, # as %23 and a space as %20."
        )


def _lore_tables(cursor: Any, address: str) -> tuple[str, dict[str, list[str]]]:
    """The schema that holds Lore's tables, and the columns that each known table has there.

    The first one of the search path counts, else public, else the only one; BadInput when there is none, or several.
    """
    cursor.execute(_CATALOG)
    found: dict[str, dict[str, list[str]]] = {}
    on_path = set()
    for schema, position, table, column in cursor.fetchall():
        if position is not None:
            on_path.add(schema)
        if table in TABLES and column in TABLES[table].column_names:
            found.setdefault(schema, {}).setdefault(table, []).append(column)
    schemas = [schema for schema, tables in found.items() if all(name in tables for name in _NEEDED)]
    if not schemas:
        raise BadInput(f"{mask_address(address)} {_lack(found)}; name the database of the Lore server.")
    if schemas[0] not in on_path and "public" in schemas:
        return "public", found["public"]
    if len(schemas) > 1 and schemas[0] not in on_path:
        raise BadInput(
            f"{mask_address(address)} holds Lore's tables in several schemas ({', '.join(schemas)}); "
            "choose one with ?options=-csearch_path=SCHEMA."
        )
    return schemas[0], found[schemas[0]]


def _lack(found: dict[str, dict[str, list[str]]]) -> str:
    """What a database without all needed tables in one schema lacks."""
    lacking = min(([name for name in _NEEDED if name not in tables] for tables in found.values()), key=len, default=[])
    if not lacking or len(lacking) == len(_NEEDED):
        return "holds no tables of Lore"
    return f"lacks of Lore's tables {', '.join(lacking)}"


def _stage_table(
    cursor: Any, schema: str, table: str, columns: Sequence[str], staging: Staging, options: ImportOptions
) -> None:
    where, values = _condition(cursor, schema, table, columns, staging, options)
    select = ", ".join(_selected(table, name) for name in columns)
    cursor.execute(f"SELECT {select} FROM {_quoted(schema)}.{_quoted(table)}{where}", values or None)
    staging.add_batches(table, columns, _batches(cursor), lambda row: f"row {row} of the table")


def _batches(cursor: Any) -> Iterator[pa.RecordBatch]:
    """The rows as they arrive. The driver tells a connection that breaks as an error of the file system."""
    stream = iter(cursor.fetch_record_batch())
    while True:
        try:
            batch = next(stream, None)
        except (OSError, pa.ArrowException) as error:
            raise _StreamBroken(str(error)) from error
        if batch is None:
            return
        yield batch


def _condition(
    cursor: Any, schema: str, table: str, columns: Sequence[str], staging: Staging, options: ImportOptions
) -> tuple[str, tuple[Any, ...]]:
    """Rows that are not asked for stay on the server: old ones, and settings whose value is secret."""
    if table == "app_settings" and "key" in columns:
        cursor.execute(f"SELECT key::text FROM {_quoted(schema)}.app_settings")
        secret = sorted(key for (key,) in cursor.fetchall() if key is not None and looks_secret(key))
        staging.secrets.extend(secret)
        return (" WHERE key <> ALL($1::text[])", (secret,)) if secret else ("", ())
    if table in _SINCE and options.since is not None and "created_at" in columns:
        return " WHERE created_at >= $1 OR created_at IS NULL", (options.since,)
    return "", ()


def _selected(table: str, name: str) -> str:
    kind = next(column.kind for column in TABLES[table].columns if column.name == name)
    cast = _CASTS.get(kind)
    return f"{_quoted(name)}::{cast} AS {_quoted(name)}" if cast else _quoted(name)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _reason(error: Exception, address: str) -> str:
    """The first line of the driver's message that says something, without any password."""
    said = str(error)
    for password in sorted(_passwords(address), key=len, reverse=True):
        said = re.sub(rf"(?<!\w){re.escape(password)}(?!\w)", "***", said)
    lines = [
        re.sub(r"^.*\bERROR:\s+|^(\W*(IO|INTERNAL|UNKNOWN)[^:]*:\s*)?(\[libpq\]\s*)?", "", line).strip()
        for line in mask_address(said).splitlines()
    ]
    return next((line.rstrip(".") for line in lines if line), "the server gave no reason")


def _passwords(address: str) -> set[str]:
    """Every password of the address, as it is written there and as it is meant."""
    place, _, options = address.partition("://")[2].partition("?")
    written = {place.rpartition("@")[0].partition(":")[2]}
    for option in options.split("&"):
        name, _, value = option.partition("=")
        if unquote(name) in _SECRET_OPTIONS:
            written.add(value)
    return {form for password in written for form in (password, unquote(password)) if form}
