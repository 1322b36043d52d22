"""Threads that each hold a store loaded, and take up the work that arrives: prompts that wait together go together."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from workbench.agents.generation import Generation, generation, published
from workbench.errors import WorkbenchError

TOGETHER = 32
LINGER_SECONDS = 0.02
AGAIN_SECONDS = 5.0

_LOG = logging.getLogger("workbench.agents")

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
    the other; until then each answers from the one that it has.

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
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(count)]
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

    def close(self) -> None:
        """End the threads once nothing waits any more."""
        with self._changed:
            self._open = False
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        held = _Held(self._path)
        try:
            while tasks := self._next():
                _do(held, self._loading, tasks)
                self._ended(tasks[0])
        finally:
            held.close()

    def _next(self) -> list[_Task]:
        """The oldest task whose group nobody is at, and those that go with it; nothing once the lanes are closed and
        empty."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._free() or not (self._open or self._waiting))
                first = self._free()
                if first is None:
                    return []
                tasks = [first] if first.kind is None else self._together(first)
                for task in tasks:
                    self._waiting.remove(task)
            wanted = [task for task in tasks if task.future.set_running_or_notify_cancel()]
            if wanted:
                return wanted
            self._ended(first)

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


def _do(held: _Held, loading: threading.Lock, tasks: Sequence[_Task]) -> None:
    """Give every task its result, or what went wrong."""
    try:
        results = tasks[0].work(held.current(loading), [task.item for task in tasks])
        for task, result in zip(tasks, results, strict=True):
            task.future.set_result(result)
    except Exception as error:  # whoever asked gets it
        if not isinstance(error, WorkbenchError):
            held.close()  # it may be the database that is broken
        for task in tasks:
            if not task.future.done():
                task.future.set_exception(error)


class _Held:
    """The generation of one thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stack = ExitStack()
        self._generation: Generation | None = None
        self._state: tuple[int, int, int] | None = None
        self._not_before = 0.0

    def current(self, loading: threading.Lock) -> Generation:
        """The published generation; the one before while another thread is loading that, or it cannot be read."""
        state = published(self._path)
        if self._generation is None:
            return self._load(state)
        if state in (None, self._state) or monotonic() < self._not_before or not loading.acquire(blocking=False):
            return self._generation
        try:
            return self._load(state)
        except WorkbenchError as error:
            _LOG.warning("%s Answering from the state of the store before.", error)
            self._not_before = monotonic() + AGAIN_SECONDS
            return self._generation
        finally:
            loading.release()

    def _load(self, state: tuple[int, int, int] | None) -> Generation:
        with ExitStack() as fresh:
            loaded = fresh.enter_context(generation(self._path))
            self._stack.close()
            self._stack = fresh.pop_all()
        self._generation, self._state = loaded, state
        return loaded

    def close(self) -> None:
        """Let the generation go; the next work loads it again."""
        self._generation = None
        self._stack.close()
