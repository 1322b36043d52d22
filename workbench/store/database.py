"""One DuckDB database and what the workbench does with it; the only place that imports duckdb."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from workbench.errors import BadInput
from workbench.store.pipeline import bound_values

_SETTINGS = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}


class Database:
    """A connection for one thread; `cursor()` gives another thread its own.

    The session's time zone is UTC, and no extension is ever fetched. Values are bound by `$name`.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        attached: str | None = None,
        spill: tempfile.TemporaryDirectory[str] | None = None,
    ) -> None:
        """Take `connection` over; `attached` names the attached database that statements run in, `spill` the folder
        for work larger than memory."""
        connection.execute("SET TimeZone = 'UTC'")
        if attached:
            connection.execute(f"USE {attached}")
        if spill:
            connection.execute(f"SET temp_directory = '{_quoted(Path(spill.name))}'")
        self._connection, self._attached, self._spill = connection, attached, spill

    def execute(self, sql: str, params: Mapping[str, Any] | None = None) -> None:
        """Run a statement for its effect."""
        self._run(sql, params).fetchall()

    def rows(self, sql: str, params: Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
        """All rows of a statement."""
        return self._run(sql, params).fetchall()

    def row(self, sql: str, params: Mapping[str, Any] | None = None) -> tuple[Any, ...]:
        """The only row of a statement."""
        (row,) = self.rows(sql, params)
        return row

    def arrow(self, sql: str, params: Mapping[str, Any] | None = None) -> pa.Table:
        """All rows of a statement as an Arrow table."""
        return self._relation(sql, params).to_arrow_table()

    def batches(self, sql: str, params: Mapping[str, Any] | None = None, size: int = 100_000) -> pa.RecordBatchReader:
        """The rows of a statement as a stream of Arrow batches; nothing else may run on this connection meanwhile."""
        return self._relation(sql, params).to_arrow_reader(size)

    def register(self, name: str, table: pa.Table | pa.RecordBatchReader) -> None:
        """Make an Arrow table or stream readable under `name`."""
        self._connection.register(name, table)

    def unregister(self, name: str) -> None:
        """Forget a registered table."""
        self._connection.unregister(name)

    def append(self, table: str, rows: pa.Table) -> None:
        """Insert an Arrow table by column name."""
        self.register("appended_rows", rows)
        try:
            self.execute(f"INSERT INTO {table} BY NAME SELECT * FROM appended_rows")
        finally:
            self.unregister("appended_rows")

    def copy_to(self, sql: str, path: Path, params: Mapping[str, Any] | None = None) -> None:
        """Write the rows of a statement to the Parquet file `path`, whole or not at all."""
        partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
        try:
            self.execute(f"COPY ({sql}) TO '{_quoted(partial)}' (FORMAT parquet, COMPRESSION zstd)", params)
            partial.replace(path)
        except (duckdb.IOException, OSError) as error:
            raise BadInput(f"Cannot write {path}; choose a folder that exists and that you may write to.") from error
        finally:
            partial.unlink(missing_ok=True)

    def cursor(self) -> Database:
        """The same database for another thread. Temporary tables are not shared."""
        return Database(self._connection.cursor(), self._attached)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All statements of the block, or none."""
        self.execute("BEGIN TRANSACTION")
        try:
            yield
        except BaseException:
            self.execute("ROLLBACK")
            raise
        self.execute("COMMIT")

    def close(self) -> None:
        """Close the connection and remove what it spilled."""
        self._connection.close()
        if self._spill is not None:
            self._spill.cleanup()

    def _run(self, sql: str, params: Mapping[str, Any] | None) -> duckdb.DuckDBPyConnection:
        bound = bound_values(sql, params)
        return self._connection.execute(sql, bound) if bound else self._connection.execute(sql)

    def _relation(self, sql: str, params: Mapping[str, Any] | None) -> Any:
        bound = bound_values(sql, params)
        return self._connection.sql(sql, params=bound) if bound else self._connection.sql(sql)


def connect(path: Path | None = None) -> Database:
    """Open a database file for writing, or one in memory."""
    return _spilling(duckdb.connect(str(path) if path else ":memory:", config=_config()))


def attach_read_only(path: Path) -> Database:
    """A database in memory with the file `path` attached read-only and in use; temporary tables are possible."""
    connection = duckdb.connect(":memory:", config=_config())
    try:
        connection.execute(f"ATTACH '{_quoted(path)}' AS store (READ_ONLY)")
    except duckdb.Error:
        connection.close()
        raise
    return _spilling(connection, "store")


def _spilling(connection: duckdb.DuckDBPyConnection, attached: str | None = None) -> Database:
    """A database whose larger-than-memory work goes to a folder that only this user can read."""
    spill = tempfile.TemporaryDirectory(prefix="workbench-spill-", ignore_cleanup_errors=True)
    return Database(connection, attached, spill)


def _config() -> dict[str, Any]:
    """Limits come from WORKBENCH_MEMORY_LIMIT and WORKBENCH_THREADS where they are set."""
    config: dict[str, Any] = dict(_SETTINGS)
    if limit := os.environ.get("WORKBENCH_MEMORY_LIMIT"):
        config["memory_limit"] = limit
    if threads := os.environ.get("WORKBENCH_THREADS"):
        config["threads"] = threads
    return config


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
