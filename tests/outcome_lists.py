"""Outcomes written straight into the tables that measures read, for tests of the measures alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache

import pyarrow as pa

from workbench.metrics.figures import Figure, figures, prepare_lists
from workbench.metrics.measure import Measure
from workbench.store import Database, in_memory

USED, UNUSED, UNKNOWN = "used", "shown_unused", "unknown"
_KEPT = {USED: "used_kept", UNUSED: "unused_kept", UNKNOWN: "newly_shown"}
_GONE = {USED: "used_lost", UNUSED: "removed", UNKNOWN: "unjudged_removed"}
_PROMPTS = pa.schema([("query_id", pa.string()), ("client", pa.string()), ("session_key", pa.string())])
_OUTCOMES = pa.schema(
    [
        ("query_id", pa.string()),
        ("node", pa.string()),
        ("uri", pa.string()),
        ("label", pa.string()),
        ("outcome", pa.string()),
        ("place", pa.int32()),
        ("logged_place", pa.int32()),
    ]
)


@dataclass(frozen=True)
class Outcome:
    """A prompt: labels of the shown list in order, labels of what the log showed and the list lost."""

    shown: Sequence[str]
    gone: Sequence[str] = ()
    session: str = ""
    client: str = "codex"


@contextmanager
def listed(prompts: Sequence[Outcome]) -> Iterator[Database]:
    """A store whose prepared lists hold these prompts, named q0, q1, …"""
    with in_memory() as db:
        write(db, prompts)
        yield db


def write(db: Database, prompts: Sequence[Outcome], into: str = "outcome_lists") -> None:
    """Prepare the lists `into` from these prompts."""
    heads = [
        {"query_id": f"q{i}", "client": prompt.client, "session_key": prompt.session or f"q{i}"}
        for i, prompt in enumerate(prompts)
    ]
    rows = [row for i, prompt in enumerate(prompts) for row in _rows(f"q{i}", prompt)]
    for name, table in (
        ("judged_prompts", pa.Table.from_pylist(heads, _PROMPTS)),
        ("outcomes", pa.Table.from_pylist(rows, _OUTCOMES)),
    ):
        db.register("written", table)
        db.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM written")
        db.unregister("written")
    prepare_lists(db, into=into)


def _rows(query_id: str, prompt: Outcome) -> Iterator[dict[str, object]]:
    logged = 0
    for place, label in enumerate(prompt.shown, 1):
        node = f"s{place}"
        logged += label != UNKNOWN
        yield {
            "query_id": query_id, "node": node, "uri": node, "label": label, "outcome": _KEPT[label],
            "place": place, "logged_place": logged if label != UNKNOWN else None,
        }  # fmt: skip
    for place, label in enumerate(prompt.gone, 1):
        node = f"g{place}"
        yield {
            "query_id": query_id, "node": node, "uri": node, "label": label, "outcome": _GONE[label],
            "place": None, "logged_place": logged + place,
        }  # fmt: skip


_OPEN = ExitStack()


@cache
def _shared() -> Database:
    """One store for all figures: opening one takes longer than the figure."""
    return _OPEN.enter_context(in_memory())


def figure(prompts: Sequence[Outcome], measure: Measure) -> Figure:
    """The figure of `measure` over these prompts."""
    db = _shared()
    write(db, prompts)
    return figures(db, [measure])[""][measure.name]
