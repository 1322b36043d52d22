"""The schema of a store, as numbered steps that are each applied together with their record."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

from workbench.errors import BadInput, StoreVersion
from workbench.store.database import Database
from workbench.store.pipeline import sql_text

_CONTENTS = """
    SELECT schema_name, table_name FROM duckdb_tables()
    UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal
    UNION ALL SELECT schema_name, sequence_name FROM duckdb_sequences()
"""
_FILE = re.compile(r"(\d{4})_(\w+)\.sql$")


@cache
def migrations() -> tuple[tuple[int, str], ...]:
    """(version, file stem) of every migration, in order."""
    folder = resources.files("workbench").joinpath("sql", "migrations")
    found = [_FILE.match(entry.name) for entry in folder.iterdir()]
    return tuple(sorted((int(match[1]), match[0].removesuffix(".sql")) for match in found if match))


def newest_version() -> int:
    """The version that this program writes."""
    return migrations()[-1][0]


def version_of(db: Database, where: str) -> int:
    """The version of a store; 0 for an empty database. BadInput when it is a database of something else."""
    contents = set(db.rows(_CONTENTS))
    if ("wb", "migrations") in contents:
        version: int = db.row("SELECT coalesce(max(version), 0) FROM wb.migrations")[0]
        return version
    if contents:
        raise BadInput(f"{where} is a DuckDB database, but not a store of the workbench; name another --db.")
    return 0


def check_version(version: int, where: str) -> None:
    """Refuse a store that a newer program made."""
    if version > newest_version():
        raise StoreVersion(
            f"{where} was made by a newer workbench (store version {version}, this one knows {newest_version()}); "
            "update the workbench or name another --db."
        )


def migrate(db: Database, version: int, target: int | None = None) -> None:
    """Bring a store from `version` to `target` (default: the newest), one transaction a step."""
    db.execute("CREATE SCHEMA IF NOT EXISTS wb")
    db.execute(
        "CREATE TABLE IF NOT EXISTS wb.migrations "
        "(version INTEGER PRIMARY KEY, name VARCHAR NOT NULL, applied_at TIMESTAMPTZ NOT NULL DEFAULT now())"
    )
    for number, name in migrations():
        if version < number <= (target or newest_version()):
            with db.transaction():
                db.execute(sql_text(f"migrations/{name}"))
                db.execute(
                    "INSERT INTO wb.migrations (version, name) VALUES ($number, $name)",
                    {"number": number, "name": name},
                )
