"""The draft that a visitor works on: one widget a key, kept from page to page and in the address."""

from __future__ import annotations

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.params import KEYS, Key, Params, Value
from workbench.params.values import checked
from workbench.ui import kept
from workbench.ui.findings import decimals
from workbench.ui.texts import t
from workbench.ui.texts.said import said_plainly

FROM, PRESENT = "draft_of", "present"
GROUPS = {
    "display": ("recall.display.",),
    "weights": ("recall.weights.",),
    "bonus": ("recall.bonus.", "views.prior."),
    "views": ("views.weight.",),
    "recency": ("recall.recency.",),
    "safety": ("recall.safety.",),
}


def load(params: Params, named: str) -> None:
    """Make `params` the draft; every widget moves. `named` is where it comes from."""
    for name, value in params.as_flat().items():
        kept.put(KEYS[name].bound, value)
    kept.put(FROM, named)


def params(in_force: Params) -> Params:
    """The draft: what is kept of each key, else the value in force."""
    return in_force.replace({
        name: kept.value(key.bound, in_force[name], lambda one, key=key: _allows(key, one))  # type: ignore[misc]
        for name, key in KEYS.items()
    })  # fmt: skip


def stay(in_force: Params) -> None:
    """Let the address of a page that draws no widget of the draft hold it, too, and what it was loaded from, so that
    both outlive a reload."""
    for name, value in params(in_force).changed_from(in_force).items():
        kept.note(KEYS[name].bound, value, in_force[name])
    kept.note(FROM, kept.value(FROM, PRESENT), PRESENT)


def draw(in_force: Params) -> Params:
    """One widget for each key, in groups; returns the draft that they say."""
    for group, prefixes in GROUPS.items():
        with st.expander(t(f"whatif.{group}"), expanded=group in ("display", "weights")):
            for name, key in KEYS.items():
                if name.startswith(prefixes):
                    _widget(key, in_force[name])
    return params(in_force)


def _widget(key: Key, default: Value) -> None:
    label = key.name.removeprefix("recall.").replace("_", "\\_")
    help_text = said_plainly(key.help) + " " + t(
        "whatif.range", low=f"{key.low:g}", high=f"{key.high:g}", step=f"{key.step:g}", unit=said_plainly(key.unit)
    )  # fmt: skip
    off = not key.replayable
    if key.kind is bool:
        kept.widget(key.bound, bool(default), lambda at: st.toggle(label, key=at, help=help_text))
    elif key.kind is int:
        kept.widget(
            key.bound,
            int(default),
            lambda at: st.slider(
                label, int(key.low), int(key.high), step=int(key.step), key=at, help=help_text, disabled=off
            ),
            lambda one: _allows(key, one),
        )
    else:
        held = kept.value(key.bound, float(default), lambda one: _allows(key, one))
        form = f"%.{decimals(key.name, held)}f"
        kept.widget(
            key.bound,
            float(default),
            lambda at: st.slider(
                label, float(key.low), float(key.high), step=float(key.step), format=form, key=at, help=help_text
            ),
            lambda one: _allows(key, one),
        )


def _allows(key: Key, value: Value) -> bool:
    try:
        checked(key, value)
    except WorkbenchError:
        return False
    return True
