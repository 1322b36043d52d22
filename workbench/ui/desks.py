"""The log laid out for What-if: once for each state of the store and filter, one visitor at a time on each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from workbench.params import THRESHOLD, Params, Value
from workbench.replay.selection import Selection
from workbench.ui.cached import Laid, state_of, store_path
from workbench.whatif import Desk, thresholds_around

_MOST_DESKS, _MOST_ANSWERS = 4, 512


@st.cache_resource(max_entries=_MOST_DESKS, show_spinner=False, on_release=Laid.close)
def _held(path: str, state: str, selection: Selection) -> Laid[Desk]:
    """`state` is only part of what a desk is held under."""
    return Laid(Path(path), lambda db: Desk.over(db, selection))


def prepare(selection: Selection) -> None:
    """Lay the log out, where it is not yet."""
    path = store_path()
    _held(str(path), state_of(path), selection)


def ledger(selection: Selection, params: Params) -> dict[str, int]:
    """The ledger of a configuration, as JSON."""
    found: dict[str, int] = _answer("ledger", selection, params)
    return found


def ledger_and_curve(selection: Selection, params: Params) -> tuple[dict[str, int], list[tuple[float, dict[str, int]]]]:
    """The ledger of a configuration, and its curve around its threshold, of which that is one point."""
    threshold = float(params[THRESHOLD])
    around = curve(selection, params, thresholds_around(threshold))
    return next(one for at, one in around if at == threshold), around


def curve(selection: Selection, params: Params, thresholds: Sequence[float]) -> list[tuple[float, dict[str, int]]]:
    """Desk.curve, ledgers as JSON."""
    found: list[tuple[float, dict[str, int]]] = _answer("curve", selection, params, tuple(thresholds))
    return found


def sweep(selection: Selection, params: Params, key: str, values: Sequence[Value], thresholds: Sequence[float]) -> Any:
    """Desk.sweep, ledgers as JSON."""
    return _answer("sweep", selection, params, key, tuple(values), tuple(thresholds))


def flips(selection: Selection, params: Params, one: float, other: float) -> list[dict[str, Any]]:
    """Desk.flips."""
    found: list[dict[str, Any]] = _answer("flips", selection, params, one, other)
    return found


def terms(selection: Selection, params: Params) -> list[dict[str, Any]]:
    """Desk.terms."""
    found: list[dict[str, Any]] = _answer("terms", selection, params)
    return found


def _answer(name: str, selection: Selection, params: Params, *arguments: Any) -> Any:
    path = store_path()
    return _computed(name, str(path), state_of(path), selection, dict(params.as_flat()), arguments)


@st.cache_data(max_entries=_MOST_ANSWERS, show_spinner=False)
def _computed(
    name: str, path: str, state: str, selection: Selection, flat: Mapping[str, Value], arguments: tuple[Any, ...]
) -> Any:
    with _held(path, state, selection).alone() as desk:
        return _plain(getattr(desk, name)(Params(flat), *arguments))


def _plain(found: Any) -> Any:
    """Ledgers as JSON, wherever they stand."""
    if isinstance(found, list | tuple):
        return type(found)(_plain(one) for one in found)
    return found.as_json() if hasattr(found, "as_json") else found
