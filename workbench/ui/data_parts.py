"""What the page of the data reads of the store, and its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.estimate.periods import find_periods
from workbench.importers import past_imports
from workbench.judge import joins
from workbench.replay.logged import settings_in_force
from workbench.replay.selection import SELECTED, Selection
from workbench.store import Database
from workbench.ui.bar import client_name
from workbench.ui.cached import cached
from workbench.ui.tables import Column, percent
from workbench.ui.texts import plain, t
from workbench.ui.texts.said import said_plainly

_CHANGES = ("read", "added", "updated", "skipped", "rejected")
_JOINED = (
    "prompts", "prompts_seen", "marks", "marks_on_not_shown", "opens", "linked", "unlinked", "orphaned",
    "before_prompt", "after_next_prompt", "counted_without_mark",
)  # fmt: skip
_VECTORS = ("views", "glossary", "texts", "queries")
Row = Mapping[str, Any]


@cached
def sources(db: Database) -> list[dict[str, Any]]:
    """Every import, newest first."""
    return past_imports(db)


@cached
def joined(db: Database, selection: Selection) -> dict[str, Any]:
    """How well what agents did joins with the log: the part `joins` of `workbench report --json`."""
    selection.materialise(db)
    return joins(db, SELECTED).as_json()


@cached
def periods(db: Database, selection: Selection) -> dict[str, Any]:
    """Which settings were in force when: the document of `workbench periods --json` without overlaps."""
    selection.materialise(db)
    return find_periods(db, settings_in_force(db).params, SELECTED).as_json()


def period_rows(found: Row) -> list[dict[str, Any]]:
    """A row a period: when, how many recalls, and the value of each key whose trace the log holds."""
    return [
        {"since": one["since"], "until": one["until"], "recalls": one["queries"], **one["settings"]}
        for one in found["periods"]
    ]


def period_columns(found: Row) -> list[Column]:
    """The columns of period_rows, those of keys that changed first."""
    changed = [name for one in found["periods"] for name in one["changed"]]
    keys = dict.fromkeys([*changed, *(name for one in found["periods"] for name in one["settings"])])
    return [
        Column("since", plain("data.period_since"), "time"),
        Column("until", plain("data.period_until"), "time"),
        Column("recalls", plain("data.recalls"), "count"),
        *(Column(name, name.removeprefix("recall.")) for name in keys),
    ]


def source_rows(found: Sequence[Row]) -> list[dict[str, Any]]:
    """The imports with what each changed."""
    return [
        {
            **{name: one[name] for name in ("import_id", "finished_at", "kind", "source")},
            **{
                change: sum(counts.get(change, 0) for counts in one["report"]["tables"].values())
                for change in ("added", "updated")
            },
            "rejected": one["report"]["rejected_total"],
        }
        for one in found
    ]


def source_columns() -> list[Column]:
    """The columns of source_rows."""
    return [
        Column("finished_at", plain("data.finished"), "time"),
        Column("kind", plain("data.kind"), said=lambda kind: plain(f"data.kind_{kind}")),
        Column("source", plain("data.source"), width="large"),
        Column("added", plain("data.added"), "count"),
        Column("updated", plain("data.updated"), "count"),
        Column("rejected", plain("data.rejected"), "count"),
        Column("import_id", "#", "count", "small"),
    ]


def change_rows(report: Row) -> list[dict[str, Any]]:
    """What an import did, a row a table."""
    return [
        {"table": name, **{change: counts.get(change, 0) for change in _CHANGES}}
        for name, counts in report["tables"].items()
    ]


def change_columns() -> list[Column]:
    """The columns of change_rows."""
    return [
        Column("table", plain("data.table"), width="medium"),
        *(Column(change, plain(f"data.{change}"), "count") for change in _CHANGES),
    ]


def rejected_columns() -> list[Column]:
    """The columns of rejected rows."""
    return [
        Column("where", plain("data.where"), width="medium"),
        Column("reason", plain("prompt.reason"), width="large", said=said_plainly),
    ]


def join_rows(found: Row) -> list[dict[str, Any]]:
    """How well each client joins."""
    return [
        {"client": one["client"], **{name: one[name] for name in _JOINED}, "never_links": one["never_links"]}
        for one in found["clients"]
    ]


def join_columns() -> list[Column]:
    """The columns of join_rows."""
    return [
        Column("client", plain("bar.client"), said=client_name),
        *(Column(name, plain(f"data.{name}"), "count") for name in _JOINED),
        Column("never_links", plain("data.never_links"), "yes"),
    ]


def join_line(found: Row) -> str:
    """How many prompts are of clients that never link an open, as Markdown."""
    return t(
        "data.join_line", count=found["prompts_of_clients_that_never_link"], prompts=found["prompts"],
        share=percent(found["share_of_clients_that_never_link"]),
    )  # fmt: skip


def uncounted_rows(found: Row) -> list[dict[str, Any]]:
    """Why opens are not counted, with how many there are of each."""
    return [{"reason": reason, "opens": count} for reason, count in (found["uncounted"] or {}).items()]


def uncounted_columns() -> list[Column]:
    """The columns of uncounted_rows."""
    return [
        Column("reason", plain("data.uncounted"), width="large", said=said_plainly),
        Column("opens", plain("data.opens"), "count"),
    ]


def model_rows(found: Row) -> list[dict[str, Any]]:
    """The vectors of the store by model."""
    return [
        {
            **{name: one[name] for name in ("model", "dimension", *_VECTORS, "usable")},
            "reason": one["reason"] or "",
        }
        for one in found["models"]
    ]


def model_columns() -> list[Column]:
    """The columns of model_rows."""
    return [
        Column("model", plain("data.model"), width="medium"),
        Column("dimension", plain("data.dimension"), "count"),
        *(Column(kind, plain(f"data.vectors_{kind}"), "count") for kind in _VECTORS),
        Column("usable", plain("data.usable"), "yes"),
        Column("reason", plain("prompt.reason"), said=said_plainly),
    ]


def held_rows(holds: Row) -> list[dict[str, Any]]:
    """How many rows each table of the store holds."""
    return [{"table": name, "rows": count} for name, count in holds["tables"].items()]


def held_columns() -> list[Column]:
    """The columns of held_rows."""
    return [Column("table", plain("data.table"), width="medium"), Column("rows", plain("data.rows"), "count")]


def size_line(holds: Row) -> str:
    """Where the store is and how large, as Markdown."""
    return t("data.store_line", db=holds["db"], size=holds["size_bytes"] / 1e6, version=holds["version"])
