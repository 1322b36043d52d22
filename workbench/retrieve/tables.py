"""Temporary tables of a retrieval."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from workbench.store import Database


def create(db: Database, name: str, select: str, params: Mapping[str, Any] | None = None) -> None:
    """Write the temporary table `name` from a statement."""
    db.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {select}", params)


def write(db: Database, name: str, columns: Mapping[str, Any]) -> None:
    """Write the temporary table `name` from columns of equal length, by name."""
    db.register("written_rows", pa.table(dict(columns)))
    create(db, name, "SELECT * FROM written_rows")
    db.unregister("written_rows")
