"""Tables of a page: text literal, numbers with the decimals of their kind, and the same rows to take along."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
import streamlit as st

from workbench.text import csv_bytes, shown
from workbench.text import percent as as_percent
from workbench.ui.literal import literal
from workbench.ui.texts import plain, t
from workbench.ui.texts.said import marked

Kind = Literal["text", "count", "percent", "interval", "score", "number", "tenths", "yes", "time", "trend"]
Rows = Sequence[Mapping[str, Any]]
# Up to so many rows a table stands whole on the page; from so many on it gets more room, in pixels.
_WHOLE, _LONG, _HEIGHT = 15, 50, 600


@dataclass(frozen=True)
class Column:
    """One column: `name` in the rows and in files, `label` above it on the page, how its values are shown.

    `said` makes text of a value for the page alone; `blank` leaves the cell of a value empty that does not apply, which
    is said to be no data otherwise. `percent` and both ends of an `interval` are shares, 0..1; a `time`
    is ISO text or a datetime, a `trend` a list of counts.
    """

    name: str
    label: str
    kind: Kind = "text"
    width: Literal["small", "medium", "large"] | int | None = None
    said: Callable[[Any], str] | None = None
    blank: bool = False


def table(rows: Rows, columns: Sequence[Column], name: str) -> None:
    """Draw rows as a table with its downloads; `name` is its key and the name of the files, and says what it holds.
    Files hold the values as they are. Without rows, it says so."""
    if not rows:
        st.caption(t("table.empty"))
        return
    st.dataframe(_cells(rows, columns), key=f"table {name}", **_drawn(rows, columns, name))
    downloads(rows, [column.name for column in columns], name)


def prose(rows: Rows, columns: Sequence[Column], name: str) -> None:
    """The same for sentences, which stand there in full, with the commands in them as code. Widths are left to the
    page, and no row can be chosen."""
    cells = [[_sentence(row[column.name], column) for row in rows] for column in columns]
    st.table(
        pa.table(cells, names=[literal(column.label) for column in columns]),
        border="horizontal", hide_index=True, alt=plain("table.alt", name=name),
    )  # fmt: skip
    downloads(rows, [column.name for column in columns], name)


def pick(rows: Rows, columns: Sequence[Column], name: str, key: str, chosen: Any = None, anew: str = "") -> Any:
    """The same with one row that can be chosen by its value of `key`, which is returned, None without. The row of
    `chosen` is chosen at first, and whenever the rows or `anew` become others."""
    if not rows:
        st.caption(t("table.empty"))
        return None
    keys = [row[key] for row in rows]
    state: Any = st.dataframe(
        _cells(rows, columns),
        key=f"table {name} {zlib.crc32(repr((keys, anew)).encode())}",
        on_select="rerun",
        selection_mode="single-row",
        selection_default={"selection": {"rows": [keys.index(chosen)] if chosen in keys else []}},
        **_drawn(rows, columns, name),
    )
    downloads(rows, [column.name for column in columns], name)
    return next((keys[row] for row in state.selection.rows if row < len(keys)), None)


def _cells(rows: Rows, columns: Sequence[Column]) -> pa.Table:
    return pa.table({column.name: pa.array([_cell(row[column.name], column) for row in rows]) for column in columns})


def _sentence(value: Any, column: Column) -> str:
    return f"{value:,}" if column.kind == "count" else marked(str(_cell(value, column)))


def _drawn(rows: Rows, columns: Sequence[Column], name: str) -> dict[str, Any]:
    """How every table is drawn: a short one whole, a long one in a window."""
    return {
        "height": "content" if len(rows) <= _WHOLE else _HEIGHT if len(rows) >= _LONG else "auto",
        "width": "stretch",
        "hide_index": True,
        "column_config": {column.name: _config(column) for column in columns},
        "placeholder": plain("table.no_data"),
        "alt": plain("table.alt", name=name),
    }


def downloads(rows: Rows, names: Sequence[str], name: str) -> None:
    """Buttons that give the columns `names` of the rows as CSV that no spreadsheet runs, as JSON and as Parquet."""
    with (
        st.container(horizontal=True, horizontal_alignment="right"),
        st.popover(t("table.download"), type="tertiary", icon=":material/download:", key=f"downloads {name}"),
    ):
        for ending, (mime, made) in _FORMATS.items():
            st.download_button(
                ending.upper(),
                data=partial(made, rows, names),
                file_name=f"{name}.{ending}",
                mime=mime,
                key=f"download {name} {ending}",
                on_click="ignore",
                width="stretch",
            )


def as_csv(rows: Rows, names: Sequence[str]) -> bytes:
    """CSV, UTF-8 with its mark; what a spreadsheet would run stands behind an apostrophe."""
    return csv_bytes(names, ([_flat(row[name]) for name in names] for row in rows))


def as_json(rows: Rows, names: Sequence[str]) -> bytes:
    """A JSON list of objects, UTF-8."""
    kept = [{name: row[name] for name in names} for row in rows]
    return json.dumps(kept, ensure_ascii=False, indent=1, default=str).encode("utf-8", errors="backslashreplace")


def as_parquet(rows: Rows, names: Sequence[str]) -> bytes:
    """A Parquet file."""
    buffer = pa.BufferOutputStream()
    pq.write_table(pa.table({name: pa.array([_storable(row[name]) for row in rows]) for name in names}), buffer)
    content: bytes = buffer.getvalue().to_pybytes()
    return content


_FORMATS: Mapping[str, tuple[str, Callable[[Rows, Sequence[str]], bytes]]] = {
    "csv": ("text/csv", as_csv),
    "json": ("application/json", as_json),
    "parquet": ("application/vnd.apache.parquet", as_parquet),
}


def percent(share: float | None) -> str:
    """A share as text; None is `no data`."""
    return plain("table.no_data") if share is None else as_percent(share, 1)


def interval(ends: Sequence[float] | None) -> str:
    """Both ends of an interval of a share as text; None is `no data`."""
    return plain("table.no_data") if ends is None else f"{ends[0] * 100:.1f} – {ends[1] * 100:.1f} %"


def _cell(value: Any, column: Column) -> Any:
    """A value as its column takes it."""
    if value is None:
        return "" if column.blank else None
    if column.said is not None:
        return shown(column.said(value))
    kind = column.kind
    if kind == "percent":
        return value * 100
    if kind == "interval":
        return interval(value)
    if kind == "yes":
        return plain("table.yes" if value else "table.no")
    if kind == "time":
        return str(value)[:16].replace("T", " ")
    if kind == "trend":
        return list(value)
    return shown(str(value)) if kind == "text" else value


def _config(column: Column) -> Any:
    if column.kind in _FORMATTED:
        return st.column_config.NumberColumn(column.label, format=_FORMATTED[column.kind], width=column.width)
    if column.kind == "trend":
        return st.column_config.BarChartColumn(column.label, y_min=0, width=column.width)
    return st.column_config.TextColumn(column.label, width=column.width)


_FORMATTED = {"count": "localized", "percent": "%.1f %%", "score": "%.6f", "number": "%g", "tenths": "%.1f"}


def _flat(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | tuple | dict) else value


def _storable(value: Any) -> Any:
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return list(value) if isinstance(value, tuple) else value
