"""The rows of one source as text, a chunk at a time, before they are typed and merged into the store's tables."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

import pyarrow as pa

from workbench.errors import WorkbenchError
from workbench.importers.address import mask_address, mask_document
from workbench.importers.jsonlines import Mended, mended_text, only_good_lines
from workbench.importers.options import Progress
from workbench.importers.upsert import Counts
from workbench.params.settings import looks_secret
from workbench.store import TABLES, Database, Kind

# A whole row group of DuckDB goes to the file at once, so that memory does not grow with the source.
CHUNK_ROWS = 122_880
CHUNK_BYTES = 256 * 1024 * 1024
# What DuckDB may keep in memory meanwhile: two chunks and what it needs to write one; more goes to its temporary files.
_MEMORY = 768 * 1024 * 1024
_MIN_OBJECT = 4 * 1024 * 1024
_AREA = "staged_rows"


@dataclass(frozen=True)
class Rejected:
    """One row or line that was left out."""

    where: str
    reason: str


@dataclass
class Staged:
    """Rows of one table: the temporary table that holds them as text, and which columns the source has.

    `where_is` says where a row (counted from 1) stands in the source. `from_json`: jsonb columns are compact and valid.
    """

    name: str
    raw: str
    columns: tuple[str, ...]
    where_is: Callable[[int], str]
    from_json: bool = False


@dataclass
class Unread:
    """What was noticed in one column: values that became empty, time stamps without zone, and in the future."""

    lost: int = 0
    unzoned: int = 0
    ahead: int = 0


@dataclass
class Staging:
    """Collects the rows of a source; a context that removes its private temporary files.

    Every full chunk of rows is handed to `take`, which merges it by `db` in a thread of its own while the next chunk is
    read: until `finish` returns, `db`, `tables`, `wrong` and `unread` belong to that thread. `tables` says what became
    of the rows of each table.
    """

    db: Database
    progress: Progress
    take: Callable[[Staging, Staged], None]
    tables: dict[str, Counts] = field(default_factory=dict)
    wrong: list[Rejected] = field(default_factory=list)
    unusable: list[Rejected] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    unread: dict[str, Unread] = field(default_factory=dict)
    mended: Mended = field(default_factory=Mended)

    def __enter__(self) -> Staging:
        self._folder = tempfile.TemporaryDirectory(prefix="import-", dir=self.db.private_folder)
        self._merger = ThreadPoolExecutor(1, "merge")
        self._merging: Future[None] | None = None
        self._left_out: Counter[str] = Counter()
        self._reader = self.db.cursor()
        self._reader.execute(f"ATTACH ':memory:' AS {_AREA}")
        self._limit, self._threads = map(int, self.db.row(
            "SELECT parse_formatted_bytes(current_setting('memory_limit')), current_setting('threads')"
        ))  # fmt: skip
        self._confine(min(self._limit, _MEMORY), 1)
        self._chunks = 0
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._merger.shutdown()
        self._folder.cleanup()
        self._reader.execute(f"DETACH {_AREA}")
        self._confine(self._limit, self._threads)
        self._reader.close()

    def _confine(self, memory: int, threads: int) -> None:
        """Set what DuckDB may use. The reader and the merger are two threads already; more of them cut a chunk into
        pieces that are no whole row groups, and those are written twice."""
        self._reader.execute(f"SET threads = {threads}")
        with suppress(Exception):  # a database in memory that already holds more keeps its limit
            self._reader.execute(f"SET memory_limit = '{memory}B'")

    @property
    def rejected(self) -> list[Rejected]:
        """Every row that was left out: first those that could not be read, then those with a wrong value."""
        return self.unusable + self.wrong

    def finish(self) -> None:
        """Wait until every chunk is merged; whatever that raised is raised here."""
        if self._merging is not None:
            self._merging.result()
            self._merging = None
        for table, number in self._left_out.items():
            self.tables[table].read += number
            self.tables[table].rejected += number
        self._left_out.clear()
        self._confine(self._limit, self._threads)

    def temporary(self, name: str) -> Path:
        """A path for a temporary file that only this user can read."""
        return Path(self._folder.name) / name

    def reject(self, where: str, reason: str, table: str | None = None) -> None:
        """List a row that cannot be used; `table` counts it as read and rejected there."""
        self.unusable.append(Rejected(where, mask_address(reason)))
        if table is not None:
            self.tables.setdefault(table, Counts())
            self._left_out[table] += 1

    def reject_staged(self, staged: Staged, row: int, reason: str) -> None:
        """List a staged row that holds a wrong value; it counts as read and rejected."""
        self.wrong.append(Rejected(f"{staged.name} ({staged.where_is(row)})", mask_address(reason)))
        self.tables[staged.name].read += 1
        self.tables[staged.name].rejected += 1

    def warn(self, message: str) -> None:
        """Say something about the source in one sentence."""
        self.warnings.append(message)

    def add_jsonl(self, table: str, path: Path, where_is: Callable[[int], str], longest: int = 0) -> None:
        """Take a file of one JSON object a line. `longest` is the length of the longest line in bytes.

        Lines that DuckDB cannot read after all (bad UTF-8) are rejected.
        """
        self.tables.setdefault(table, Counts())
        try:
            staged = self._read_jsonl(table, path, where_is, longest)
        except WorkbenchError:
            raise
        except Exception:  # any error of the engine: find the lines that it cannot read
            kept: list[int] = []
            for number, reason in only_good_lines(path, set(TABLES[table].column_names), kept, self.mended):
                self.reject(f"{table} ({where_is(number)})", reason, table)
            staged = self._read_jsonl(table, path, lambda row: where_is(kept[row - 1]), longest)
        staged.columns = self._columns_with_values(staged)
        self._mend(staged)
        self._hand_over(staged)

    def add_batches(
        self,
        table: str,
        columns: Sequence[str],
        batches: Iterable[pa.RecordBatch],
        where_is: Callable[[int], str] | None = None,
    ) -> None:
        """Take Arrow batches with the named columns, text or typed; unknown columns are left out."""
        known = tuple(name for name in columns if name in TABLES[table].column_names)
        place = where_is or (lambda row: f"row {row}")
        self.tables.setdefault(table, Counts())
        staged, held, size, before = None, 0, 0, 0
        for batch in batches:
            if staged is not None and (held + batch.num_rows > CHUNK_ROWS or size > CHUNK_BYTES):
                self._take_text(staged)
                staged, before, held, size = None, before + held, 0, 0
            if staged is None:
                staged = Staged(table, self._new_chunk(), known, _shifted(place, before))
            self._append(staged, batch, first=not held)
            held += batch.num_rows
            size += batch.nbytes
        if staged is not None:
            self._take_text(staged)

    def _append(self, staged: Staged, batch: pa.RecordBatch, *, first: bool) -> None:
        select = f"SELECT {_as_text(staged.name, staged.columns, batch.schema)} FROM staged_batch"
        self._reader.register("staged_batch", pa.Table.from_batches([batch]))
        into = f"CREATE TABLE {staged.raw} AS" if first else f"INSERT INTO {staged.raw}"
        self._reader.execute(f"{into} {select}")
        self._reader.unregister("staged_batch")

    def _take_text(self, staged: Staged) -> None:
        self._mend(staged)
        self._hand_over(staged)

    def _hand_over(self, staged: Staged) -> None:
        self._forget_secrets(staged)
        if self._merging is not None:
            self._merging.result()
        self._merging = self._merger.submit(self._merge, staged)

    def _merge(self, staged: Staged) -> None:
        self.take(self, staged)
        self.db.execute(f"DROP TABLE {staged.raw}")

    def _new_chunk(self) -> str:
        self._chunks += 1
        return f"{_AREA}.chunk_{self._chunks}"

    def _read_jsonl(self, table: str, path: Path, where_is: Callable[[int], str], longest: int) -> Staged:
        staged = Staged(table, self._new_chunk(), TABLES[table].column_names, where_is, from_json=True)
        columns = [f"{c.name}: '{'JSON' if c.kind is Kind.JSON else 'VARCHAR'}'" for c in TABLES[table].columns]
        reader = (
            f"read_json($path, format = 'newline_delimited', columns = {{{', '.join(columns)}}},"
            f" maximum_object_size = {max(_MIN_OBJECT, longest + 1024)})"
        )
        self._reader.execute(f"CREATE TABLE {staged.raw} AS SELECT * FROM {reader}", {"path": str(path)})
        return staged

    def _columns_with_values(self, staged: Staged) -> tuple[str, ...]:
        """The columns that some row has: JSON rows of one table need not have the same fields."""
        counts = self._reader.row(
            f"SELECT {', '.join(f'count({name})' for name in staged.columns)}, count(*) FROM {staged.raw}"
        )
        rows = counts[-1]
        return tuple(n for n, count in zip(staged.columns, counts, strict=False) if count or not rows)

    def _mend(self, staged: Staged) -> None:
        """Replace what no text or JSON may hold: NUL characters, and in JSON the escapes of halves of characters."""
        suspects = {}
        for column in TABLES[staged.name].columns:
            if column.kind is not Kind.VECTOR and column.name in staged.columns:
                part = r"'\u'" if column.kind is Kind.JSON else "chr(0)"
                suspects[column] = f"bool_or(contains({column.name}, {part}))"
        found = self._reader.row(f"SELECT {', '.join(suspects.values())} FROM {staged.raw}") if suspects else ()
        for column, suspect in zip(suspects, found, strict=True):
            if suspect:
                mend = self._mend_json if column.kind is Kind.JSON else self._mend_text
                mend(staged.raw, column.name)

    def _mend_text(self, raw: str, name: str) -> None:
        found = self._reader.row(
            f"SELECT sum(length({name}) - length(replace({name}, chr(0), '')))::BIGINT"
            f" FROM {raw} WHERE contains({name}, chr(0))"
        )[0]
        if found:
            self.mended.nul += found
            self._reader.execute(
                f"UPDATE {raw} SET {name} = replace({name}, chr(0), '␀') WHERE contains({name}, chr(0))"
            )

    def _mend_json(self, raw: str, name: str) -> None:
        suspect = rf"contains({name}, '\u') AND regexp_matches({name}, '\\u(0000|[dD][89a-fA-F])')"
        for row, text in self._reader.rows(f"SELECT rowid, {name} FROM {raw} WHERE {suspect}"):
            self._reader.execute(
                f"UPDATE {raw} SET {name} = $text WHERE rowid = $row",
                {"text": mended_text(text, self.mended), "row": row},
            )

    def _forget_secrets(self, staged: Staged) -> None:
        """Delete settings whose value must never be kept, and name them; in the others replace passwords."""
        if staged.name != "app_settings" or not {"key", "value"} <= set(staged.columns):
            return
        for (key,) in self._reader.rows(f"SELECT DISTINCT key FROM {staged.raw} WHERE key IS NOT NULL ORDER BY key"):
            if looks_secret(key):
                self.secrets.append(key)
                self._reader.execute(f"DELETE FROM {staged.raw} WHERE key = $key", {"key": key})
        for row, value in self._reader.rows(f"SELECT rowid, value FROM {staged.raw} WHERE value IS NOT NULL"):
            if (masked := mask_document(value)) != value:
                self._reader.execute(
                    f"UPDATE {staged.raw} SET value = $value WHERE rowid = $row", {"value": masked, "row": row}
                )


def _shifted(where_is: Callable[[int], str], rows: int) -> Callable[[int], str]:
    return lambda row: where_is(row + rows)


def _as_text(table: str, names: Sequence[str], schema: pa.Schema) -> str:
    """A select list that turns columns into text, nested ones into JSON; vectors stay as they are."""
    kinds = {column.name: column.kind for column in TABLES[table].columns}
    texts = {}
    for name in names:
        nested = pa.types.is_nested(schema.field(name).type)
        text = f'to_json("{name}")::VARCHAR' if nested else f'"{name}"::VARCHAR'
        texts[name] = f'"{name}"' if kinds[name] is Kind.VECTOR else text
    return ", ".join(f"{text} AS {name}" for name, text in texts.items())
