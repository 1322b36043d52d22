"""Commands of the recall system itself: fold."""

from __future__ import annotations

import typer

from workbench.cli.options import Db, Json, store_path
from workbench.cli.output import emit
from workbench.folding import fold
from workbench.store import reading


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("fold")(fold_command)


def fold_command(db: Db = None, json: Json = False) -> None:
    """Take what arrived one by one (recalls, opens, searches, labels) into the store."""
    path = store_path(db)
    with reading(path):  # a name that was mistyped makes no store
        pass
    folded = fold(path)
    emit({"folded": folded}, json, f"{folded:,} events were taken in." if folded else "Nothing waited.")
