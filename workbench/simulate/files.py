"""The log tables of a simulated world as Parquet files that grow batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import pyarrow as pa
import pyarrow.parquet as pq

from workbench.errors import BadInput
from workbench.store import Database, sql_text

LOG = ("recall_queries", "recall_query_candidates", "recall_events")


def prepare(out: Path) -> None:
    """Make the folder `out`; BadInput when it holds something or cannot be written."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise BadInput(f"{out} is not empty; name a new folder for the simulated world.")
    except OSError as error:
        raise BadInput(f"Cannot write to {out} ({error.strerror}); name a folder that you may write to.") from error


def write_tables(db: Database, out: Path, tables: Mapping[str, pa.Table]) -> None:
    """Write each table as a Parquet file of its name into the folder `out`."""
    for name, rows in tables.items():
        db.register("written", rows)
        db.copy_to("SELECT * FROM written", out / f"{name}.parquet")
        db.unregister("written")


class GrowingFiles:
    """One Parquet file a name in a folder, in memory that does not grow with it. The files take their names when the
    block ends well; after an error none is left."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writers: dict[str, pq.ParquetWriter] = {}

    def __enter__(self) -> GrowingFiles:
        return self

    def add(self, name: str, rows: pa.Table) -> None:
        """Write `rows` behind those of the same name. Raises BadInput when the folder takes no more."""
        with self._writing(name):
            if name not in self._writers:
                path = self._partial(name)
                self._writers[name] = pq.ParquetWriter(path, rows.schema, compression="zstd", compression_level=6)
            self._writers[name].write_table(rows)

    def add_log(self, db: Database, written: dict[str, int]) -> None:
        """Write what ranked, signal_rows, sim_prompts and sim_used hold as rows of LOG, and count them in `written`."""
        db.execute(f"CREATE OR REPLACE TEMP TABLE candidate_parts AS {sql_text('simulate/candidate_parts')}")
        for name in LOG:
            rows = db.arrow(sql_text(f"simulate/{name}"), {"written": written[name]})
            self.add(name, rows)
            written[name] += rows.num_rows

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            for name, writer in self._writers.items():
                with self._writing(name):
                    writer.close()
            for name in self._writers if kind is None else ():
                with self._writing(name):
                    self._partial(name).replace(self._folder / f"{name}.parquet")
        finally:
            for name in self._writers:
                self._partial(name).unlink(missing_ok=True)

    @contextmanager
    def _writing(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise BadInput(f"Cannot write {name}.parquet to {self._folder}: {error.strerror or error}.") from error

    def _partial(self, name: str) -> Path:
        return self._folder / f".{name}.parquet.partial"
