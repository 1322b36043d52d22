"""Text to the fixed types: one SQL expression a column, written from the declaration of the tables.

Nothing is cast silently: a value of the wrong type rejects its row, with the reason; a time stamp, a logged position or
a vector that cannot be read becomes NULL and is counted.
"""

from __future__ import annotations

from workbench.errors import BadInput
from workbench.importers.staging import Staged, Staging, Unread
from workbench.store import TABLES, Column, Kind

_WHOLE = r"^-?[0-9]+(\.0+)?$"
_EPOCH_SECONDS = r"^[0-9]{9,11}(\.[0-9]+)?$"
_EPOCH_MILLISECONDS = r"^[0-9]{12,14}(\.[0-9]+)?$"
_NAIVE = r"^[0-9]{4,6}-[0-9]{2}-[0-9]{2}([Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]*)?)?)?$"
_ZONED = r"^[0-9]{4,6}-[0-9]{2}-[0-9]{2}[Tt ][0-9:.]+ ?([zZ]|[+-][0-9]{2}(:?[0-9]{2}){0,2}|UTC|GMT)$"

_REASON_TEXT = {
    Kind.INTEGER: "is not a whole number",
    Kind.REAL: "is not a number",
    Kind.BOOLEAN: "is neither true nor false",
    Kind.JSON: "is not JSON",
}


def type_rows(staging: Staging, staged: Staged, zone: str) -> str:
    """Make the temporary view `typed_<name>`: the usable rows of `staged` in the store's types, with their row number
    in the source. The others are deleted from the staged rows and listed as rejected. Returns the view's name.

    Raises BadInput when the source lacks a required column.
    """
    table = TABLES[staged.name]
    missing = [name for name in table.required if name not in staged.columns]
    if missing:
        raise BadInput(
            f"The table {table.name} of the source has no column {missing[0]}; "
            "a Lore server always writes it, so export the whole table again."
        )
    present = [column for column in table.columns if column.name in staged.columns]
    _reject(staging, staged, present)
    values = {column: _value(column, staged).replace("$zone", f"'{zone}'") for column in present}
    _notice_unread(staging, staged, values)
    typed = f"typed_{table.name}"
    select = ", ".join(f"{value} AS {column.name}" for column, value in values.items())
    staging.db.execute(
        f"CREATE OR REPLACE TEMP VIEW {typed} AS SELECT rowid + 1 AS source_row, {select} FROM {staged.raw}"
    )
    return typed


def _value(column: Column, staged: Staged) -> str:
    name = column.name
    match column.kind:
        case Kind.TIME:
            return _time(name)
        case Kind.JSON:
            return _json(name, staged)
        case Kind.VECTOR:
            return _vector(name, staged)
        case Kind.INTEGER:
            return (
                f"CASE WHEN regexp_matches({name}, '{_WHOLE}') THEN try_cast(try_cast({name} AS DOUBLE) AS INTEGER) END"
            )
        case Kind.REAL:
            number = f"try_cast({name} AS DOUBLE)"
            return f"CASE WHEN isfinite({number}) AND NOT contains({name}, '_') THEN try_cast({number} AS FLOAT) END"
        case Kind.BOOLEAN:
            return (
                f"CASE WHEN lower({name}) IN ('true', 't') THEN true"
                f" WHEN lower({name}) IN ('false', 'f') THEN false END"
            )
        case _:
            return name


def _time(name: str) -> str:
    """ISO 8601 with a zone, without one (then read in $zone), or seconds or milliseconds since 1970."""
    return (
        f"CASE WHEN ends_with({name}, 'Z') THEN try_cast({name} AS TIMESTAMPTZ)"
        f" WHEN regexp_matches({name}, '{_ZONED}') THEN try_cast(replace(replace({name}, ' +', '+'), ' -', '-')"
        f" AS TIMESTAMPTZ) WHEN {_is_naive(name)} THEN timezone($zone::VARCHAR, try_cast({name} AS TIMESTAMP))"
        f" WHEN regexp_matches({name}, '{_EPOCH_MILLISECONDS}') THEN to_timestamp(try_cast({name} AS DOUBLE) / 1e3)"
        f" WHEN regexp_matches({name}, '{_EPOCH_SECONDS}') THEN to_timestamp(try_cast({name} AS DOUBLE)) END"
    )


def _is_naive(name: str) -> str:
    return f"(NOT ends_with({name}, 'Z') AND regexp_matches({name}, '{_NAIVE}'))"


def _json(name: str, staged: Staged) -> str:
    """Compact text; a document that arrives as a JSON string is unwrapped, except a setting, whose value may be one."""
    compact = f"try(json({name}::VARCHAR))::VARCHAR"
    if staged.name == "app_settings":
        return compact
    plain = f"{name}::VARCHAR" if staged.from_json else compact
    # Every branch is text: a branch of type JSON would make DuckDB check the other ones too, row by row.
    return f"CASE WHEN starts_with({name}, '\"') THEN try(json(try({name} ->> '$')))::VARCHAR ELSE {plain} END"


def _vector(name: str, staged: Staged) -> str:
    """A vector without gaps and of the declared length."""
    cast = f"try_cast({name} AS FLOAT[])"
    whole = f"len(list_filter({cast}, lambda x: x IS NULL OR NOT isfinite(x))) = 0"
    declared = (
        "coalesce(nullif(try_cast(embedding_dim AS INTEGER), 0), len({cast}))"
        if "embedding_dim" in staged.columns
        else "len({cast})"
    )
    return f"CASE WHEN {whole} AND len({cast}) = {declared.format(cast=cast)} THEN {cast} END"


def _reason(column: Column, staged: Staged) -> str:
    """A WHEN branch that rejects a row because of this column; "" when the column can reject none."""
    name = column.name
    branches = []
    if column.required and column.kind is not Kind.TIME:
        empty = f" OR {name} = ''" if column.kind is Kind.ID else ""
        branches.append(f"WHEN {name} IS NULL{empty} THEN '{name} is missing'")
    if column.kind in _REASON_TEXT and not column.lenient:
        # A piece of a setting may be a piece of a password.
        value = "''" if staged.name == "app_settings" else f"' = ' || left({name}::VARCHAR, 60)"
        said = f"'{name}' || {value} || ' {_REASON_TEXT[column.kind]}'"
        branches.append(f"WHEN {name} IS NOT NULL AND ({_value(column, staged)}) IS NULL THEN {said}")
    return " ".join(branches)


def _notice_unread(staging: Staging, staged: Staged, values: dict[Column, str]) -> None:
    """Count the values that become NULL, and the time stamps without a zone and in the future."""
    for column, value in values.items():
        name = column.name
        if column.kind is Kind.TIME:
            more = f"count(v) FILTER ({_is_naive(name)}), count(v) FILTER (v > now() + INTERVAL 1 DAY)"
        elif column.lenient or column.kind is Kind.VECTOR:
            more = "0, 0"
        else:
            continue
        lost, unzoned, ahead = staging.db.row(
            f"SELECT count({name}) FILTER (v IS NULL), {more} FROM (SELECT {name}, {value} AS v FROM {staged.raw})"
        )
        unread = staging.unread.setdefault(f"{staged.name}.{name}", Unread())
        unread.lost += lost
        unread.unzoned += unzoned
        unread.ahead += ahead


def _reject(staging: Staging, staged: Staged, present: list[Column]) -> None:
    branches = [branch for column in present if (branch := _reason(column, staged))]
    if not branches:
        return
    rows = staging.db.rows(
        f"SELECT source_row, reason FROM (SELECT rowid + 1 AS source_row, CASE {' '.join(branches)} END AS reason "
        f"FROM {staged.raw}) WHERE reason IS NOT NULL ORDER BY source_row"
    )
    for source_row, reason in rows:
        staging.reject_staged(staged, source_row, reason)
    if rows:
        staging.db.execute(f"DELETE FROM {staged.raw} WHERE CASE {' '.join(branches)} END IS NOT NULL")
