"""What was imported before."""

from __future__ import annotations

import json
from typing import Any

from workbench.store import Database


def past_imports(db: Database) -> list[dict[str, Any]]:
    """Every import, newest first: import_id, source, kind, finished_at (UTC), and its report (see ImportReport)."""
    rows = db.rows(
        "SELECT import_id, source, kind, finished_at::VARCHAR, report FROM wb.imports ORDER BY import_id DESC"
    )
    return [
        {"import_id": number, "source": source, "kind": kind, "finished_at": finished, "report": json.loads(report)}
        for number, source, kind, finished, report in rows
    ]
