"""Values that outlive a page: kept for the session under a name, and in the address, so that it can be shared.

Streamlit forgets a widget that a page does not draw, and writes translated labels into the address. Here the value
itself is kept, whatever the widget is called and in whatever language.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

Kept = TypeVar("Kept", str, int, float, bool, list[str])
LANGUAGE = "lang"
_PAGE = "page arrived at"


def value(name: str, default: Kept, allowed: Callable[[Kept], bool] = lambda one: True) -> Kept:
    """What is kept under `name`: of this session, else of the address; else, or where it is not allowed, `default`."""
    held: Kept = st.session_state.get(_held(name), default)
    if _held(name) not in st.session_state and name in st.query_params:
        read = _read(st.query_params.get_all(name), default)
        held = default if read is None else read
    return held if allowed(held) else default


def put(name: str, new: Kept) -> None:
    """Keep another value; the widget that shows it, if any, is drawn anew with it."""
    st.session_state[_held(name)] = new
    st.session_state[_drawn(name)] = st.session_state.get(_drawn(name), 0) + 1


def widget(
    name: str,
    default: Kept,
    draw: Callable[[str], Kept | None],
    allowed: Callable[[Kept], bool] = lambda one: True,
    seed: Callable[[Kept], Any] = lambda one: one,
) -> Kept:
    """Draw a widget under the key that `draw` is given, with the value that is kept, and keep what it says.

    `draw` passes no value of its own; `seed` makes what the widget takes of what is kept. A widget that says None
    leaves what is kept. The address holds the value under `name` unless it is `default`.
    """
    key = f"{name}/{st.session_state.get(_drawn(name), 0)}"
    if name != LANGUAGE:  # a widget sends its label: of another language it would be unknown
        key += f"/{st.session_state.get(_held(LANGUAGE), '')}"
    if key not in st.session_state:
        st.session_state[key] = seed(value(name, default, allowed))
    said = draw(key)
    return note(name, value(name, default, allowed) if said is None else said, default)


def note(name: str, new: Kept, default: Kept) -> Kept:
    """Keep `new`, which a page found out without such a widget; the address holds it unless it is `default`."""
    st.session_state[_held(name)] = new
    if new == default:
        if name in st.query_params:
            del st.query_params[name]
    elif st.query_params.get_all(name) != _parts(new):
        st.query_params[name] = _coded(new)
    return new


def arrive(page: str | None) -> None:
    """Where the session comes to another page, by a link or a click, take over what the address of that says."""
    if st.session_state.get(_PAGE) != page:
        for name in st.query_params:
            st.session_state.pop(_held(name), None)
            st.session_state[_drawn(name)] = st.session_state.get(_drawn(name), 0) + 1
        st.session_state[_PAGE] = page


def address(**values: str | int | float | list[str]) -> dict[str, str | list[str]]:
    """Values as a link to another page carries them."""
    return {name: _coded(one) for name, one in values.items()}


def _held(name: str) -> str:
    return f"kept {name}"


def _drawn(name: str) -> str:
    return f"drawn {name}"


def _coded(one: str | int | float | list[str]) -> str | list[str]:
    return one or [""] if isinstance(one, list) else str(one)


def _parts(one: str | int | float | list[str]) -> list[str]:
    coded = _coded(one)
    return coded if isinstance(coded, list) else [coded]


def _read(parts: list[str], default: Kept) -> Kept | None:
    """The value of an address, of the type of `default`; None for what is none."""
    if isinstance(default, list):
        return [part for part in parts if part]
    try:
        return {"True": True, "False": False}[parts[-1]] if isinstance(default, bool) else type(default)(parts[-1])
    except (ValueError, KeyError):
        return None
