"""One thread that writes what happened into the inbox: events that arrive together share one trip to the disk."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from workbench.store import Inbox

_LOG = logging.getLogger("workbench.agents")
_Event = tuple[str, Mapping[str, Any]]


class Journal:
    """The inbox of the store at `path` for the threads of one process. `written` is called after each writing with the
    size of the inbox in bytes."""

    def __init__(self, path: Path, written: Callable[[int], None] = lambda size: None) -> None:
        self._inbox, self._written = Inbox(path), written
        self._waiting: list[tuple[_Event, Future[None]]] = []
        self._changed = threading.Condition()
        self._open = True
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def keep(self, kind: str, record: Mapping[str, Any]) -> None:
        """Keep one event: it is on the disk when this returns. Raises what Inbox.append raises."""
        done: Future[None] = Future()
        with self._changed:
            if not self._open:
                raise RuntimeError("the journal is closed")
            self._waiting.append(((kind, record), done))
            self._changed.notify()
        done.result()

    def close(self) -> None:
        """Write what waits and end."""
        with self._changed:
            self._open = False
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or not self._open)
                batch, self._waiting = self._waiting, []
                if not batch:
                    return
            try:
                self._inbox.append_all([event for event, _ in batch])
            except Exception as error:  # whoever waits gets it
                for _, done in batch:
                    done.set_exception(error)
                continue
            for _, done in batch:
                done.set_result(None)
            try:
                self._written(self._inbox.size)
            except Exception:  # the journal goes on whatever follows from its size
                _LOG.exception("The journal of %s has a follower that fails.", self._inbox)
