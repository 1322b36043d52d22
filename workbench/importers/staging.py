"""The rows of one source as text, before anything touches the store's tables."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

import pyarrow as pa

from workbench.importers.jsonlines import LineNumbers, Mended
from workbench.importers.options import Progress
from workbench.params.settings import looks_secret
from workbench.store import TABLES, Database, Kind

_MIN_OBJECT = 16 * 1024 * 1024


@dataclass(frozen=True)
class Rejected:
    """One row or line that was left out."""

    where: str
    reason: str


@dataclass
class Staged:
    """One table of the source: the temporary table that holds its rows as text, and which columns the source has.

    `where_is` says where a row (counted from 1) stands in the source. `from_json`: jsonb columns are compact and valid.
    """

    name: str
    raw: str
    columns: tuple[str, ...]
    where_is: Callable[[int], str]
    from_json: bool = False
    unreadable: int = 0


@dataclass
class Staging:
    """Collects the rows of a source; a context that removes its private temporary files."""

    db: Database
    progress: Progress
    tables: dict[str, Staged] = field(default_factory=dict)
    rejected: list[Rejected] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    mended: Mended = field(default_factory=Mended)
    complete: bool = False

    def __enter__(self) -> Staging:
        self._folder = tempfile.TemporaryDirectory(prefix="workbench-import-")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for staged in self.tables.values():
            self.db.execute(f"DROP TABLE IF EXISTS {staged.raw}")
        self._folder.cleanup()

    def temporary(self, name: str) -> Path:
        """A path for a temporary file that only this user can read."""
        return Path(self._folder.name) / name

    def reject(self, where: str, reason: str, table: str | None = None) -> None:
        """List a row that cannot be used; `table` counts it as read there."""
        self.rejected.append(Rejected(where, reason))
        if table is not None:
            self.tables[table].unreadable += 1

    def warn(self, message: str) -> None:
        """Say something about the source in one sentence."""
        self.warnings.append(message)

    def add_jsonl(
        self, table: str, path: Path, source: str, lines: LineNumbers | None = None, longest: int = 0
    ) -> None:
        """Take a file of one valid JSON object a line. `source` names the origin in messages, `longest` the longest
        line in bytes."""
        numbers = lines or LineNumbers()
        columns = [f"{c.name}: '{'JSON' if c.kind is Kind.JSON else 'VARCHAR'}'" for c in TABLES[table].columns]
        reader = (
            f"read_json($path, format = 'newline_delimited', columns = {{{', '.join(columns)}}},"
            f" maximum_object_size = {max(_MIN_OBJECT, longest + 1024)})"
        )
        staged = self._staged(table, TABLES[table].column_names, lambda row: f"{source}:{numbers.line_of(row)}")
        staged.from_json = True
        self.db.execute(f"CREATE TEMP TABLE {staged.raw} AS SELECT * FROM {reader}", {"path": str(path)})
        staged.columns = self._columns_with_values(staged)
        self._forget_secrets(staged)

    def add_batches(
        self,
        table: str,
        columns: Sequence[str],
        batches: Iterable[pa.RecordBatch],
        where_is: Callable[[int], str] | None = None,
    ) -> None:
        """Take Arrow batches with the named columns, text or typed; unknown columns are left out."""
        known = tuple(name for name in columns if name in TABLES[table].column_names)
        staged = self._staged(table, known, where_is or (lambda row: f"{table}, row {row}"))
        created = False
        for batch in batches:
            self.db.register("staged_batch", pa.Table.from_batches([batch]))
            select = f"SELECT {_as_text(table, known)} FROM staged_batch"
            into = f"INSERT INTO {staged.raw}" if created else f"CREATE TEMP TABLE {staged.raw} AS"
            self.db.execute(f"{into} {select}")
            created = True
            self.db.unregister("staged_batch")
        if not created:
            self.db.execute(f"CREATE TEMP TABLE {staged.raw} ({', '.join(f'{name} VARCHAR' for name in known)})")
        self._forget_secrets(staged)

    def add_parquet(self, table: str, path: Path) -> None:
        """Take a Parquet file."""
        names = [row[0] for row in self.db.rows("DESCRIBE SELECT * FROM read_parquet($path)", {"path": str(path)})]
        known = tuple(name for name in names if name in TABLES[table].column_names)
        staged = self._staged(table, known, lambda row: f"{path.name}, row {row}")
        select = f"SELECT {_as_text(table, known)} FROM read_parquet($path)"
        self.db.execute(f"CREATE TEMP TABLE {staged.raw} AS {select}", {"path": str(path)})
        self._forget_secrets(staged)

    def _staged(self, table: str, columns: tuple[str, ...], where_is: Callable[[int], str]) -> Staged:
        staged = Staged(table, f"raw_{table}", columns, where_is)
        self.tables[table] = staged
        return staged

    def _columns_with_values(self, staged: Staged) -> tuple[str, ...]:
        """The columns that some row has: JSON rows of one table need not have the same fields."""
        counts = self.db.row(
            f"SELECT {', '.join(f'count({name})' for name in staged.columns)}, count(*) FROM {staged.raw}"
        )
        rows = counts[-1]
        return tuple(n for n, count in zip(staged.columns, counts, strict=False) if count or not rows)

    def _forget_secrets(self, staged: Staged) -> None:
        """Delete settings whose value must never be kept, and name them."""
        if staged.name != "app_settings" or "key" not in staged.columns:
            return
        for (key,) in self.db.rows(f"SELECT DISTINCT key FROM {staged.raw} WHERE key IS NOT NULL ORDER BY key"):
            if looks_secret(key):
                self.secrets.append(key)
                self.db.execute(f"DELETE FROM {staged.raw} WHERE key = $key", {"key": key})


def _as_text(table: str, names: Sequence[str]) -> str:
    """A select list that turns columns into text; vectors stay as they are."""
    kinds = {column.name: column.kind for column in TABLES[table].columns}
    return ", ".join(
        f'"{name}" AS {name}' if kinds[name] is Kind.VECTOR else f'"{name}"::VARCHAR AS {name}' for name in names
    )
