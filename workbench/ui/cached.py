"""What pages read of the store: computed once for each state of it, for all sessions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from pathlib import Path
from threading import Lock
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

import streamlit as st

from workbench.errors import BadInput
from workbench.judge.hand import reading_answers
from workbench.store import Database, Inbox

_MOST_HELD = 128

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Work = TypeVar("Work")
_COMPUTED: dict[str, Callable[..., Any]] = {}


def store_path() -> Path:
    """The store that `workbench ui` named."""
    return Path(os.environ.get("WORKBENCH_DB") or "workbench.duckdb")


def cached(
    compute: Callable[Concatenate[Database, Arguments], Result],
) -> Callable[Arguments, Result]:
    """`compute` without its first argument, the present generation of the store with the answers that wait in its
    inbox. What it returns is held until either changes; arguments and result are plain data."""
    name = f"{compute.__module__}.{compute.__qualname__}"
    _COMPUTED[name] = compute

    @wraps(compute)
    def call(*arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
        path = store_path()
        found: Result = _held(name, str(path), state_of(path), arguments, named)
        return found

    return call


def state_of(path: Path) -> str:
    """What tells a state of the store, its inbox included, from others. BadInput when there is no store."""
    try:
        file = path.stat()
    except OSError as error:
        raise BadInput(f"There is no store at {path}; make one with `workbench import SOURCE --db {path}`.") from error
    return f"{file.st_ino}.{file.st_mtime_ns}.{file.st_size}.{Inbox(path).size}"


@st.cache_data(max_entries=_MOST_HELD, show_spinner=False)
def _held(name: str, path: str, state: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """`state` is only part of what results are held under."""
    with reading_answers(Path(path)) as db:
        return _COMPUTED[name](db, *arguments, **named)


class Laid(Generic[Work]):
    """What was laid out in an open store to be asked more than once: by one visitor at a time."""

    def __init__(self, path: Path, lay: Callable[[Database], Work]) -> None:
        """Open the store, with the answers that wait beside it, and lay out."""
        self._lock, self._open = Lock(), ExitStack()
        try:
            self._work = lay(self._open.enter_context(reading_answers(path)))
        except BaseException:
            self._open.close()
            raise

    @contextmanager
    def alone(self) -> Iterator[Work]:
        """It, with nobody else at it meanwhile."""
        with self._lock:
            yield self._work

    def close(self) -> None:
        """Let the store go, when nobody is at it."""
        with self._lock:
            self._open.close()
