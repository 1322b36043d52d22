"""What pages ask of a store again and again, kept for as long as the generation that it was computed from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import streamlit as st

from workbench.params import Params
from workbench.replay.logged import settings_in_force
from workbench.replay.parity import parity
from workbench.replay.run import Settings
from workbench.replay.selection import Selection
from workbench.store import reading
from workbench.tune.preview import Preview, preview

_MOST = 16

Generation = tuple[str, int, int, int]


def store_file() -> Path:
    """The store that `workbench ui` named."""
    return Path(os.environ.get("WORKBENCH_DB") or "workbench.duckdb").absolute()


def generation(path: Path) -> Generation:
    """A value that differs when another generation of the store is published."""
    stat = path.stat()
    return str(path), stat.st_mtime_ns, stat.st_ino, stat.st_size


def key_of(selection: Selection) -> str:
    """A text that differs when the selection does."""
    return repr(selection)


def params_in_force(path: Path) -> Params:
    """The configuration that the imported server ran with."""
    return _params_in_force(generation(path), path)


def parity_of(path: Path) -> dict[str, Any]:
    """The parity gate over the whole log, as `workbench parity --json`."""
    return _parity(generation(path), path)


def preview_of(path: Path, selection: Selection) -> Preview:
    """What a tuning run over `selection` would rest on."""
    return _preview(generation(path), key_of(selection), path, selection)


@st.cache_data(max_entries=_MOST, show_spinner=False)
def _params_in_force(generation_key: Generation, _path: Path) -> Params:
    with reading(_path) as db:
        return settings_in_force(db).params


@st.cache_data(max_entries=_MOST, show_spinner="Checking that a replay reproduces the log")
def _parity(generation_key: Generation, _path: Path) -> dict[str, Any]:
    with reading(_path) as db:
        in_force = settings_in_force(db).params
        return parity(db, Settings(in_force, in_force)).as_json()


@st.cache_data(max_entries=_MOST, show_spinner="Counting what a run would rest on")
def _preview(generation_key: Generation, selection_key: str, _path: Path, _selection: Selection) -> Preview:
    with reading(_path) as db:
        return preview(db, _selection)
