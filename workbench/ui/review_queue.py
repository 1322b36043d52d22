"""The pairs of a prompt and a memory that a visitor is asked about: which one is next, what was answered, and undo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from workbench.judge.hand import WITHDRAWN
from workbench.labelling import Decision, next_pairs
from workbench.replay.selection import Selection
from workbench.ui.answers import answer
from workbench.ui.common import store
from workbench.ui.replays import replay_held

BATCH = 10
_KEPT = "review"
Pair = Mapping[str, Any]


@dataclass
class Queue:
    """Pairs asked in one go, `place` being the one that is looked at, with the answers `given` by place and the former
    ones of the steps that can be undone."""

    about: tuple[Any, ...]
    pairs: list[Pair]
    progress: Mapping[str, Any]
    place: int = 0
    given: dict[int, str] = field(default_factory=dict)
    steps: list[tuple[int, str | None]] = field(default_factory=list)

    @property
    def pair(self) -> Pair | None:
        """The pair that is looked at; None behind the last one."""
        return self.pairs[self.place] if self.place < len(self.pairs) else None

    @property
    def more(self) -> int:
        """How many answers are still worth giving, those of this batch taken off."""
        more: int = self.progress["more"]
        return max(0, more - len(self.given))

    @property
    def share(self) -> float:
        """How far the answers that are worth giving are given, 0..1."""
        done: int = self.progress["answered"] + len(self.given)
        return done / (done + self.more) if done + self.more else 1.0


def _asked(selection: Selection, decision: Decision) -> tuple[list[Pair], Mapping[str, Any]]:
    with store() as db:
        pairs, progress = next_pairs(db, selection, decision, most=BATCH, replay=replay_held)
    return [pair.as_json() for pair in pairs], progress.as_json()


def queue(selection: Selection, decision: Decision) -> Queue:
    """The pairs of this session for a decision; asked anew where the filter or the decision has become another."""
    about = (selection, decision.name, decision.proposed.params)
    held: Queue | None = st.session_state.get(_KEPT)
    if held is None or held.about != about:
        held = st.session_state[_KEPT] = Queue(about, *_asked(selection, decision))
    return held


def forget() -> None:
    """Ask for the next pairs, and count anew what is known."""
    st.session_state.pop(_KEPT, None)


def step(way: int) -> None:
    """Look at the next pair (1) or the one before (-1)."""
    held: Queue = st.session_state[_KEPT]
    held.place = min(max(0, held.place + way), len(held.pairs))


def give(grade: str) -> None:
    """Keep an answer on the pair that is looked at, and go on to the next."""
    held: Queue = st.session_state[_KEPT]
    if held.pair is None:
        return
    answer(held.pair["query_id"], held.pair["uri"], grade)
    held.steps.append((held.place, held.given.get(held.place)))
    held.given[held.place] = grade
    step(1)


def undo() -> None:
    """Take the last answer back, and look at its pair again."""
    held: Queue = st.session_state[_KEPT]
    if not held.steps:
        return
    place, former = held.steps.pop()
    pair = held.pairs[place]
    answer(pair["query_id"], pair["uri"], former or WITHDRAWN)
    held.given.pop(place)
    if former:
        held.given[place] = former
    held.place = place
