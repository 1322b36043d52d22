"""One DuckDB database and what the workbench does with it; the only place that imports duckdb."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from workbench.errors import BadConfig, BadInput
from workbench.store.pipeline import bound_values, sql_text

_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "memory_limit": "60%",
}
_SPILL = "workbench-spill-"
_INTERRUPTED = "Query interrupted"
_DAMAGE = ("Corrupt database file", "Could not read enough bytes")
_NO_ROOM = tuple(os.strerror(code) for code in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG))


class Database:
    """A connection for one thread at a time; `cursor()` gives another thread its own.

    The session's time zone is UTC, the macro server_order sorts as the server does, and no extension is ever fetched.
    Values are bound by `$name`. Work that finds no room in memory or on the disk, or a damaged file, ends with
    BadInput; a call while another thread's is running with RuntimeError.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        attached: str | None = None,
        spill: tempfile.TemporaryDirectory[str] | None = None,
    ) -> None:
        """Take `connection` over; `attached` names the attached database that statements run in, `spill` the folder
        for work larger than memory."""
        with _stoppable():
            connection.execute("SET TimeZone = 'UTC'")
            with contextlib.suppress(duckdb.InvalidInputException):  # a notebook without widgets has no bar
                connection.execute("SET enable_progress_bar = false")  # it would go to standard output, among the data
            connection.execute(sql_text("server_order"))
            if attached:
                connection.execute(f"USE {attached}")
            if spill:
                connection.execute(f"SET temp_directory = '{_quoted(Path(spill.name))}'")
        self._connection, self._attached, self._spill = connection, attached, spill
        self._cursors: weakref.WeakSet[Database] = weakref.WeakSet()
        self._busy = threading.Lock()
        self._when_published: list[Callable[[], None]] = []

    @property
    def private_folder(self) -> Path | None:
        """For temporary files: only this user can read it, and it goes when this is closed or, after a kill, when the
        next one is opened. None for a cursor."""
        return Path(self._spill.name) if self._spill else None

    def execute(self, sql: str, params: Mapping[str, Any] | None = None) -> None:
        """Run a statement for its effect."""
        self.rows(sql, params)

    def rows(self, sql: str, params: Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
        """All rows of a statement."""
        bound = bound_values(sql, params)
        with self._alone():
            found = self._connection.execute(sql, bound) if bound else self._connection.execute(sql)
            return found.fetchall()

    def row(self, sql: str, params: Mapping[str, Any] | None = None) -> tuple[Any, ...]:
        """The only row of a statement."""
        (row,) = self.rows(sql, params)
        return row

    def arrow(self, sql: str, params: Mapping[str, Any] | None = None) -> pa.Table:
        """All rows of a statement as an Arrow table."""
        with self._alone():
            return self._relation(sql, params).to_arrow_table()

    def batches(self, sql: str, params: Mapping[str, Any] | None = None, size: int = 100_000) -> pa.RecordBatchReader:
        """The rows of a statement as a stream of Arrow batches; nothing else may run on this connection meanwhile."""
        with self._alone():
            return self._relation(sql, params).to_arrow_reader(size)

    def register(self, name: str, table: pa.Table | pa.RecordBatchReader) -> None:
        """Make an Arrow table or stream readable under `name`."""
        with self._alone():
            self._connection.register(name, table)

    def unregister(self, name: str) -> None:
        """Forget a registered table."""
        with self._alone():
            self._connection.unregister(name)

    def append(self, table: str, rows: pa.Table | Sequence[Mapping[str, Any]]) -> None:
        """Insert an Arrow table, or rows as mappings, by column name."""
        arrow = rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(list(rows))
        self.register("appended_rows", arrow)
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
        """The same database for another thread, open as long as this one. Temporary tables are not shared."""
        cursor = Database(self._connection.cursor(), self._attached)
        self._cursors.add(cursor)
        return cursor

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All statements of the block, or none."""
        self.execute("BEGIN TRANSACTION")
        try:
            yield
        except BaseException:
            with contextlib.suppress(duckdb.Error):  # the connection may be beyond that; the first error counts
                self.execute("ROLLBACK")
            raise
        self.execute("COMMIT")

    def checkpoint(self) -> None:
        """Write everything that is committed into the file. Cursors are closed; what they had not committed is lost."""
        self._close_cursors()
        self.execute("CHECKPOINT")

    def when_published(self, action: Callable[[], None]) -> None:
        """Have `action` run once this draft of a store has become the published generation."""
        self._when_published.append(action)

    def published(self) -> None:
        """Run what waited for the publication."""
        for action in self._when_published:
            action()

    def close(self) -> None:
        """Close the connection and its cursors, and remove what it spilled."""
        self._close_cursors()
        self._connection.close()
        if self._spill is not None:
            self._spill.cleanup()

    def _close_cursors(self) -> None:
        for cursor in list(self._cursors):
            cursor.close()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """DuckDB mixes up the answers of threads that share a connection: refuse the second one."""
        if not self._busy.acquire(blocking=False):
            raise RuntimeError("a Database is in use by another thread; give each thread its own cursor()")
        try:
            with _stoppable():
                yield
        except duckdb.Error as error:
            if sentence := complaint(error):
                raise BadInput(sentence) from error
            raise
        finally:
            self._busy.release()

    def _relation(self, sql: str, params: Mapping[str, Any] | None) -> Any:
        bound = bound_values(sql, params)
        return self._connection.sql(sql, params=bound) if bound else self._connection.sql(sql)


def connect(path: Path | None = None) -> Database:
    """Open a database file for writing, with room for spilled data beside it, or one in memory."""
    with _stoppable():
        connection = duckdb.connect(str(path) if path else ":memory:", config=_SETTINGS)
    return _limited(connection, spill_in=path and path.parent)


def attach_read_only(path: Path) -> Database:
    """A database in memory with the file `path` attached read-only and in use; temporary tables are possible."""
    connection = duckdb.connect(":memory:", config=_SETTINGS)
    try:
        with _stoppable():
            connection.execute(f"ATTACH '{_quoted(path)}' AS store (READ_ONLY)")
    except (duckdb.Error, KeyboardInterrupt):
        connection.close()
        raise
    return _limited(connection, attached="store")


@contextmanager
def _stoppable() -> Iterator[None]:
    """DuckDB says a Ctrl-C in its own way, which would look like a fault."""
    try:
        yield
    except RuntimeError as error:
        if _INTERRUPTED in str(error):
            raise KeyboardInterrupt from error
        raise


def complaint(error: Exception) -> str | None:
    """What to say where the disk or the memory is full or the file is damaged; None for any other error."""
    said = str(error)
    if isinstance(error, duckdb.OutOfMemoryException):
        return (
            "The work needs more memory or temporary disk space than there is; free some, or allow more memory "
            "with WORKBENCH_MEMORY_LIMIT=8GB or the like."
        )
    if any(reason in said for reason in _NO_ROOM):
        return f"There is no room left on the disk ({said.splitlines()[0]}); free some space and try again."
    if any(sign in said for sign in _DAMAGE):
        return f"The store is damaged ({said.splitlines()[0]}); put a copy back or import into a new one."
    return None


def _limited(
    connection: duckdb.DuckDBPyConnection, attached: str | None = None, spill_in: Path | None = None
) -> Database:
    """A database within the limits of WORKBENCH_MEMORY_LIMIT and WORKBENCH_THREADS, whose larger-than-memory work
    goes to a folder that only this user can read."""
    for variable, setting, default in (
        ("WORKBENCH_MEMORY_LIMIT", "memory_limit", None),
        ("WORKBENCH_THREADS", "threads", str(_processors())),
    ):
        value = os.environ.get(variable) or default
        try:
            if value:
                connection.execute(f"SET {setting} = $value", {"value": value})
        except duckdb.Error as error:
            connection.close()
            raise BadConfig(f"{variable}={value!r} cannot be used: {error}") from error
    place = spill_in or Path(tempfile.gettempdir())
    _sweep(place)
    spill = tempfile.TemporaryDirectory(prefix=f"{_SPILL}{os.getpid()}-", dir=place, ignore_cleanup_errors=True)
    return Database(connection, attached, spill)


@cache
def _sweep(place: Path) -> None:
    """Remove, once, what processes that were killed had spilled."""
    for left in place.glob(f"{_SPILL}*-*"):
        process = left.name.removeprefix(_SPILL).partition("-")[0]
        if process.isdecimal() and _ended(int(process)):
            shutil.rmtree(left, ignore_errors=True)


def _ended(process: int) -> bool:
    """Whether no process has that id; where it cannot be asked, none has ended."""
    if os.name != "posix":
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        pass
    return False


def _processors() -> int:
    """The processors that this process may use; DuckDB counts those of the machine."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
