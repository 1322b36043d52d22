"""Threads that each hold a store loaded, and take up the work that arrives: prompts that wait together go together."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.agents.generation import Generation, generation, published
from workbench.errors import WorkbenchError

_LOG = logging.getLogger("workbench.agents")
TOGETHER = 32
LINGER_SECONDS = 0.02
AGAIN_SECONDS = 1.0
_TICK_SECONDS = 0.05

Work = Callable[[Generation, Sequence[Any]], Sequence[Any]]


@dataclass(frozen=True)
class _Task:
    """`work` is done on `item` together with others of the same work and `group`; None: alone."""

    work: Work
    item: Any
    group: Hashable
    future: Future[Any]

    @property
    def kind(self) -> tuple[Work, Hashable] | None:
        """What tasks that go together have in common."""
        return None if self.group is None else (self.work, self.group)


class Lanes:
    """`count` threads over the store at `path`. When another state of the store is published, they load it one after
    the other; until then, and as long as it cannot be read, each answers from the one that it has.

    One thread at a time does the work of a group: many items at once cost little more than one. Where several came
    together last time, it waits LINGER_SECONDS for those who were just answered and ask again.
    """

    def __init__(self, path: Path, count: int) -> None:
        self._path = path
        self._waiting: deque[_Task] = deque()
        self._changed = threading.Condition()
        self._loading = threading.Lock()
        self._open = True
        self._under_way: set[tuple[Work, Hashable] | None] = set()
        self._crowd = 1
        self._held = [_Held(path) for _ in range(count)]
        self._threads = [threading.Thread(target=self._run, args=(held,), daemon=True) for held in self._held]
        for thread in self._threads:
            thread.start()

    def submit(self, work: Work, item: Any, group: Hashable = None) -> Future[Any]:
        """Have `work` done: it gets a generation and the items of one group, and returns one result each.

        A future that is cancelled before its turn costs nothing. What the work raises, its futures raise.
        """
        future: Future[Any] = Future()
        with self._changed:
            if not self._open:
                raise RuntimeError("the lanes are closed")
            self._waiting.append(_Task(work, item, group, future))
            self._changed.notify_all()
        return future

    @property
    def behind(self) -> bool:
        """Whether a published state cannot be read, so that answers come from the one before."""
        return any(held.behind for held in self._held)

    def close(self) -> None:
        """End the threads once nothing waits any more."""
        with self._changed:
            self._open = False
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _run(self, held: _Held) -> None:
        try:
            while tasks := self._next(held):
                _do(held, tasks)
                self._ended(tasks[0])
        finally:
            held.close()

    def _next(self, held: _Held) -> list[_Task]:
        """The oldest task whose group nobody is at, and those that go with it; nothing once the lanes are closed and
        empty."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._free() or self._ended_all())
            others = any(other.loaded for other in self._held if other is not held)
            held.renew(self._loading, others=others)  # with empty hands: whoever has loaded answers meanwhile
            with self._changed:
                first = self._free()
                if first is None:
                    if self._ended_all():
                        return []
                    continue
                if others and not held.loaded:
                    self._changed.wait(_TICK_SECONDS)
                    continue
                tasks = [first] if first.kind is None else self._together(first)
                for task in tasks:
                    self._waiting.remove(task)
            wanted = [task for task in tasks if task.future.set_running_or_notify_cancel()]
            if wanted:
                return wanted
            self._ended(first)

    def _ended_all(self) -> bool:
        return not (self._open or self._waiting)

    def _free(self) -> _Task | None:
        return next((task for task in self._waiting if task.kind not in self._under_way), None)

    def _together(self, first: _Task) -> list[_Task]:
        """Those that wait with `first`, and who comes in a moment where a crowd is about."""

        def found() -> list[_Task]:
            return [task for task in self._waiting if task.kind == first.kind][:TOGETHER]

        self._under_way.add(first.kind)
        if self._crowd > 1:
            self._changed.wait_for(lambda: len(found()) >= self._crowd or not self._open, LINGER_SECONDS)
        tasks = found()
        self._crowd = max(len(tasks), self._crowd // 2)  # forgotten little by little
        return tasks

    def _ended(self, task: _Task) -> None:
        with self._changed:
            self._under_way.discard(task.kind)
            self._changed.notify_all()


def _do(held: _Held, tasks: Sequence[_Task]) -> None:
    """Give every task its result, or what went wrong."""
    try:
        results = tasks[0].work(held.current(), [task.item for task in tasks])
        for task, result in zip(tasks, results, strict=True):
            task.future.set_result(result)
    except Exception as error:  # whoever asked gets it
        if not isinstance(error, WorkbenchError):
            held.close()  # it may be the database that is broken
        for task in tasks:
            if not task.future.done():
                task.future.set_exception(error)


class _Held:
    """The generation of one thread. `behind`: a newer one is published and cannot be read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stack = ExitStack()
        self._generation: Generation | None = None
        self._state: tuple[int, int, int] | None = None
        self._again_at = 0.0
        self.behind = False

    def current(self) -> Generation:
        """What is loaded; where nothing is, the published generation."""
        return self._generation or self._load(published(self._path))

    @property
    def loaded(self) -> bool:
        """Whether it can answer at once."""
        return self._generation is not None

    def renew(self, loading: threading.Lock, *, others: bool) -> None:
        """Load what has been published since, unless another thread is at it; what cannot be read is tried again.

        Where nothing is loaded yet, only when `others` can answer meanwhile: else the work itself has to wait for it.
        """
        state = published(self._path)
        if self._generation is None:
            if not others:
                return
        elif state == self._state:
            return
        if time.monotonic() < self._again_at or not loading.acquire(blocking=False):
            return
        try:
            self._load(state)
        except Exception as error:  # what was loaded before is whole
            self._stays(error)
        finally:
            loading.release()

    def _stays(self, error: Exception) -> None:
        self._again_at = time.monotonic() + AGAIN_SECONDS
        if not self.behind:
            said = error if isinstance(error, WorkbenchError) else f"{type(error).__name__}: {error}."
            _LOG.warning("%s Answering from the state of the store before.", said)
        self.behind = True

    def _load(self, state: tuple[int, int, int] | None) -> Generation:
        with ExitStack() as fresh:
            loaded = fresh.enter_context(generation(self._path))
            self._stack.close()
            self._stack = fresh.pop_all()
        self._generation, self._state, self.behind = loaded, state, False
        return loaded

    def close(self) -> None:
        """Let the generation go; the next work loads it again."""
        self._generation = None
        self._stack.close()
