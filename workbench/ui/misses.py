"""What the page of missed memories reads of the store, and its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from workbench.replay.engine import engine_model
from workbench.replay.logged import settings_in_force
from workbench.replay.run import Settings
from workbench.replay.selection import Selection
from workbench.replay.tokenizers import chosen as chosen_tokenizer
from workbench.review import Ground, Look, Review
from workbench.review.edits import Fix, Kind
from workbench.review.evidence import GRADES
from workbench.review.lists import lists
from workbench.review.vectors import embedder_of
from workbench.store import Database
from workbench.textsearch import tokenizer
from workbench.ui.bar import client_name
from workbench.ui.cached import Laid, state_of, store_path
from workbench.ui.tables import Column, interval, percent
from workbench.ui.texts import plain, t
from workbench.ui.texts.said import said_plainly

MOST = 100
_MOST_GROUNDS, _MOST_ANSWERS = 2, 256
_MOVED = ("newly_shown", "no_longer_shown")
Row = Mapping[str, Any]


def all_missed(selection: Selection, boot: bool) -> dict[str, Any]:
    """The document of `workbench missed --json`, without fixes, and of each memory the outline alone."""
    found: dict[str, Any] = _answer("outline", selection, boot)
    return found


def one_missed(selection: Selection, boot: bool, uri: str) -> dict[str, Any] | None:
    """The entry of one memory, in full; None where it was not missed."""
    found: dict[str, Any] | None = _answer("memory", selection, boot, uri)
    return found


def effect_of(selection: Selection, boot: bool, uri: str, fix: Fix) -> dict[str, Any] | None:
    """What a fix of the missed memory at `uri` would change, as counts; None where it was not missed."""
    found: dict[str, Any] | None = _answer("effect", selection, boot, uri, fix)
    return found


def _outline(look: Look) -> dict[str, Any]:
    return look.document(look.outlines(MOST), lists(look.db, look.review.tokenizer, MOST)).outline()


def _memory(look: Look, uri: str) -> dict[str, Any] | None:
    found = look.memories(uri=uri)
    return found[0].as_json() if found else None


def _effect(look: Look, uri: str, fix: Fix) -> dict[str, Any] | None:
    node = look.node_of(uri)
    effect = look.effect(fix, node) if node is not None else None
    return None if effect is None else effect.as_json()


_ANSWERS: Mapping[str, Callable[..., Any]] = {"outline": _outline, "memory": _memory, "effect": _effect}


def _answer(name: str, selection: Selection, boot: bool, *arguments: Any) -> Any:
    path = store_path()
    return _computed(name, str(path), state_of(path), selection, boot, arguments)


@st.cache_data(max_entries=_MOST_ANSWERS, show_spinner=False)
def _computed(name: str, path: str, state: str, selection: Selection, boot: bool, arguments: tuple[Any, ...]) -> Any:
    with _laid(path, state).alone() as looks:
        return _ANSWERS[name](looks.at(selection, boot), *arguments)


class _Looks:
    """Looks on one ground; the last one is kept."""

    def __init__(self, db: Database) -> None:
        self._ground = Ground(db, _review(db))
        self._ground.prepare()
        self._last: tuple[Selection, bool, Look] | None = None

    def at(self, selection: Selection, boot: bool) -> Look:
        """The look at a selection; `boot` counts start-up memories too."""
        if self._last is None or self._last[:2] != (selection, boot):
            self._last = None
            self._last = selection, boot, Look(self._ground, selection, boot=boot)
        return self._last[2]


@st.cache_resource(max_entries=_MOST_GROUNDS, show_spinner=False, on_release=Laid.close)
def _laid(path: str, state: str) -> Laid[_Looks]:
    """`state` is only part of what looks are held under."""
    return Laid(Path(path), _Looks)


def _review(db: Database) -> Review:
    in_force, model = settings_in_force(db).params, engine_model(db)
    words = tokenizer(chosen_tokenizer(db).name)
    return Review(Settings(in_force, in_force), words, model, embedder_of(db, model), fixes=0)


def memory_rows(found: Row) -> list[dict[str, Any]]:
    """The missed memories, most often missed first, all over the same weeks."""
    weeks = sorted({week["week"] for one in found["memories"] for week in one["weeks"]})
    return [
        {
            "uri": one["uri"],
            "missed": one["missed"],
            "needed": one["missed"] + one["helped"],
            "miss_rate_shrunk": one["miss_rate_shrunk"],
            "miss_rate_interval": one["miss_rate_interval"],
            "weeks": _counts(one["weeks"], weeks),
            "stage": next(iter(one["stages"]), None),
            **one["evidence"],
            "clients": list(one["clients"]),
        }
        for one in found["memories"]
    ]


def _counts(own: Sequence[Row], weeks: Sequence[str]) -> list[int]:
    missed = {week["week"]: week["missed"] for week in own}
    return [missed.get(week, 0) for week in weeks]


def memory_columns() -> list[Column]:
    """The columns of memory_rows."""
    return [
        Column("uri", plain("prompt.memory"), width="medium"),
        Column("missed", plain("missed.missed"), "count"),
        Column("needed", plain("missed.needed"), "count"),
        Column("miss_rate_shrunk", plain("missed.rate"), "percent"),
        Column("miss_rate_interval", plain("overview.interval_95"), "interval"),
        Column("weeks", plain("missed.weeks"), "trend"),
        Column("stage", plain("missed.lost_at"), said=stage_name),
        *(Column(grade, plain(f"missed.{grade}"), "count") for grade in GRADES),
        Column("clients", plain("missed.clients"), said=lambda names: ", ".join(map(client_name, names))),
    ]


def stage_name(stage: str) -> str:
    """How a stage is called on a page."""
    return plain(f"missed.stage_{stage}")


def stages_words(found: Row) -> str:
    """How many misses each stage lost, in words."""
    return " · ".join(f"{stage_name(one['stage'])}\u00a0({one['misses']:,})" for one in found["stages"])


def stage_rows(found: Row) -> list[dict[str, Any]]:
    """How many misses each stage lost."""
    return [{"stage": one["stage"], "misses": one["misses"]} for one in found["stages"]]


def stage_columns() -> list[Column]:
    """The columns of stage_rows."""
    return [
        Column("stage", plain("missed.lost_at"), width="large", said=stage_name),
        Column("misses", plain("missed.missed"), "count"),
    ]


def miss_line(memory: Row) -> str:
    """How often a memory was missed, as Markdown."""
    return t(
        "missed.line", missed=memory["missed"], needed=memory["missed"] + memory["helped"],
        rate=percent(memory["miss_rate_shrunk"]), ends=interval(memory["miss_rate_interval"]),
    )  # fmt: skip


def prompt_rows(memory: Row) -> list[dict[str, Any]]:
    """The prompts that missed a memory."""
    return [
        {
            "at": one["at"],
            "client": one["client"],
            "prompt": one["prompt"],
            "stage": one["stage"],
            "why": one["why"],
            "evidence": [grade for grade in GRADES if one["evidence"][grade] is not None],
            "signals": [f"{signal['signal']}: {signal['reason']}" for signal in one["signals"]],
            "score": one["score"],
            "query_id": one["query_id"],
        }
        for one in memory["prompts"]
    ]


def prompt_columns() -> list[Column]:
    """The columns of prompt_rows."""
    return [
        Column("at", plain("prompts.time"), "time"),
        Column("client", plain("bar.client"), width=100, said=client_name),
        Column("prompt", plain("prompt.prompt"), width="medium"),
        Column("stage", plain("missed.lost_at"), said=stage_name),
        Column("why", plain("prompt.why"), width="large", said=said_plainly),
        Column("evidence", plain("missed.evidence"), said=_grades),
        Column("signals", plain("prompt.signals"), said=lambda lines: "; ".join(map(said_plainly, lines))),
        Column("score", plain("prompt.score"), "score"),
        Column("query_id", "query_id"),
    ]


def _grades(grades: Sequence[str]) -> str:
    return ", ".join(plain(f"missed.{grade}") for grade in grades)


def suggestions(memory: Row, kind: Kind) -> list[str]:
    """What the advice for a memory suggests to change it to."""
    return [str(fix["value"]) for one in memory["advice"] if one["kind"] == kind for fix in one["fixes"]]


def fix_of(memory: Row, kind: Kind, value: str) -> Fix | None:
    """A change as it can be tried; None where `value` is empty. It is made at the address that the advice is about."""
    uris = [fix["uri"] for one in memory["advice"] for fix in one["fixes"]]
    uri, text = uris[0] if uris else memory["uri"], value.strip()
    return Fix(kind, uri, int(text) if kind == "priority" else text) if text else None


def effect_words(effect: Row) -> str:
    """What a fix would change, in words, as plain text."""
    parts = [plain("missed.effect", **{name: effect[name] for name in ("shown_after", "shown_before", "missed")})]
    parts += [plain(f"missed.{name}", count=effect[name]) for name in _MOVED if effect[name]]
    if effect["others_gone"]:
        parts.append(plain("missed.others_gone", count=effect["others_gone"], used=effect["used_gone"]))
    parts.append(plain("missed.tried_on", count=effect["prompts"]))
    if effect["left_out"]:
        parts.append(said_plainly(effect["left_out"]))
    return " ".join(parts)


def noise_columns() -> list[Column]:
    """The columns of the memories that are shown in vain."""
    return [
        Column("uri", plain("prompt.memory"), width="large"),
        Column("shown", plain("missed.shown"), "count"),
        Column("used", plain("prompt.used"), "count"),
        Column("use_rate_shrunk", plain("overview.shrunk"), "percent"),
        Column("use_rate_interval", plain("overview.interval_95"), "interval"),
        Column("clear", plain("missed.clear"), "yes"),
    ]


def unseen_columns() -> list[Column]:
    """The columns of the memories that recall never finds or shows."""
    return [
        Column("uri", plain("prompt.memory"), width="large"),
        Column("created_at", plain("missed.created"), "time"),
        Column("prompts_since", plain("missed.since"), "count"),
        Column("expected_shows", plain("missed.expected"), "tenths"),
        Column("retrieved", plain("missed.retrieved"), "count"),
        Column("best_score", plain("missed.best"), "score"),
    ]


def twin_columns(last: Column) -> list[Column]:
    """The columns of pairs of addresses."""
    return [
        Column("uri", plain("prompt.memory"), width="large"),
        Column("other_uri", plain("missed.other"), width="large"),
        last,
    ]
