"""Whether the values of a JSON row have the types of their columns: a number is no text.

Text may hold a number, because servers write big ones so; whether it does is found when it is read.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import msgspec

from workbench.importers.jsonlines import UNREADABLE
from workbench.store import TABLES, Column, Kind

# What is bigint in the server; a JSON row may hold it as a number or as text.
_NUMBERED = frozenset({"id", "edge_id", "memory_id", "migrated_to"})
_TYPES: dict[Kind, Any] = {
    Kind.ID: str | None, Kind.TEXT: str | None, Kind.INTEGER: int | float | str | None, Kind.REAL: float | str | None,
    Kind.BOOLEAN: bool | None,
}  # fmt: skip
_SAID = {
    Kind.ID: "is not text", Kind.TEXT: "is not text", Kind.INTEGER: "is not a whole number",
    Kind.REAL: "is not a number", Kind.BOOLEAN: "is neither true nor false",
}  # fmt: skip
_ROW = msgspec.json.Decoder(dict[str, Any])


def wrong_type(table: str, row: bytes) -> str:
    """Why a value of a row has not the type of its column; "" where all have it, or the row is none."""
    try:
        _decoder(table).decode(row)
    except msgspec.ValidationError as error:
        name = str(error).partition(" - at `$.")[2].rstrip("`")
        column = next((one for one in TABLES[table].columns if one.name == name), None)
        if column is None or column.kind not in _SAID:
            return ""
        value = json.dumps(_ROW.decode(row)[name], ensure_ascii=False)
        return f"{name} = {value[:60]} {_SAID[column.kind]}"
    except UNREADABLE:
        pass
    return ""


@cache
def _decoder(table: str) -> msgspec.json.Decoder[Any]:
    fields = [(column.name, kind, None) for column in TABLES[table].columns if (kind := _type(column)) is not None]
    return msgspec.json.Decoder(msgspec.defstruct(table, fields))


def _type(column: Column) -> Any:
    """The JSON types of a column; None where any may stand, because a value that cannot be read is counted."""
    if column.lenient:
        return None
    return str | int | None if column.name in _NUMBERED else _TYPES.get(column.kind)
