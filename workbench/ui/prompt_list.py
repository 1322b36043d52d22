"""The list of prompts: narrowed by how a recall ended and what it showed, page by page."""

from __future__ import annotations

from typing import Any

import streamlit as st

from workbench.metrics.report import OUTCOMES, Outcome, domains, page
from workbench.replay.selection import SELECTED, Selection
from workbench.store import Database
from workbench.ui import kept
from workbench.ui.bar import client_name
from workbench.ui.cached import cached
from workbench.ui.common import kept_choice
from workbench.ui.tables import Column
from workbench.ui.texts import plain, t

SIZE = 50
_ALL = ""
_TEXT = 300


@cached
def listed(db: Database, selection: Selection, outcome: Outcome | None, domain: str | None, number: int) -> Any:
    """Page `number` of the list, 1 being the first, and how many prompts it holds in all."""
    selection.materialise(db)
    found = page(db, SELECTED, (number - 1) * SIZE, SIZE, outcome=outcome, domain=domain)
    rows = [{**row, "now": row["now"].isoformat() if row["now"] else None} for row in found.rows]
    return {"rows": rows, "total": found.total, "has_more": found.has_more, "offset": found.offset}


@cached
def domains_shown(db: Database, selection: Selection) -> list[str]:
    """The domains of the memories that were shown."""
    selection.materialise(db)
    return domains(db, SELECTED)


def outcome_choice() -> Outcome | None:
    """How the recall is to have ended; None for all."""
    names: dict[str, str] = {_ALL: plain("bar.all"), **{one: plain(f"prompts.{one}") for one in OUTCOMES}}
    chosen = kept_choice("outcome", t("prompts.outcome"), list(names), names.__getitem__)
    return next((one for one in OUTCOMES if one == chosen), None)


def domain_choice(selection: Selection) -> str | None:
    """Of which domain a memory is to have been shown; None for all."""
    known = [_ALL, *domains_shown(selection)]
    return kept_choice("domain", t("prompts.domain"), known, lambda one: one or plain("bar.all")) or None


def page_choice(total: int) -> int:
    """The page that is shown."""
    pages = max(1, -(-total // SIZE))
    return kept.widget("page", 1, lambda key: st.pagination(pages, key=key), lambda one: 1 <= one <= pages)


def listed_line(found: dict[str, Any]) -> str:
    """Which of how many prompts are listed, as Markdown."""
    first = found["offset"] + 1
    return t("prompts.listed", first=first, last=found["offset"] + len(found["rows"]), count=found["total"])


def columns() -> list[Column]:
    """The columns of the list."""
    return [
        Column("now", plain("prompts.time"), "time"),
        Column("client", plain("bar.client"), width=100, said=client_name),
        Column("query_text", plain("prompt.prompt"), width="large", said=lambda text: text[:_TEXT]),
        Column("outcome", plain("prompts.outcome"), said=lambda one: plain(f"prompts.{one}")),
        Column("shown", plain("overview.shown"), "count"),
        Column("used", plain("prompt.used"), "count"),
        Column("deleted", plain("prompts.deleted"), "count"),
        Column("session_id", plain("prompts.session")),
        Column("query_id", "query_id"),
    ]
