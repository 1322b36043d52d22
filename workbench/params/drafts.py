"""Configurations that somebody named and kept beside the store, each a TOML file that every command takes."""

from __future__ import annotations

from pathlib import Path

from workbench.errors import BadInput
from workbench.params.files import is_file_name, write_atomic
from workbench.params.toml import read_toml, render_toml
from workbench.params.values import Params


def drafts_folder(store: Path) -> Path:
    """Where the drafts of a store live."""
    return store.with_name(f"{store.name}.drafts")


def save_draft(store: Path, name: str, params: Params, comment: str = "") -> Path:
    """Keep `params` under `name`, in the place of a draft that has it already; returns the file. BadInput for a name
    that no file can have, or where the folder cannot be written."""
    path = _file(store, name)
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise BadInput(f"Cannot make the folder {path.parent} ({error.strerror}); it has to be yours.") from error
    write_atomic(path, render_toml(params, comment=comment).encode(), 0o600)
    return path


def read_draft(store: Path, name: str) -> Params:
    """The draft kept under `name`; BadConfig when there is none, or it is damaged."""
    return read_toml(_file(store, name))


def draft_names(store: Path) -> list[str]:
    """The names of the drafts, sorted."""
    return sorted(file.stem for file in drafts_folder(store).glob("*.toml"))


def _file(store: Path, name: str) -> Path:
    if not is_file_name(name):
        raise BadInput(f"A draft cannot be called {name!r}; use letters, digits, dot, dash and underscore.")
    return drafts_folder(store) / f"{name}.toml"
