"""The recall system over one store: what a Lore server does for agents, through one object."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLate
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from workbench.agents import records
from workbench.agents.canary import Arm, Canary
from workbench.agents.generation import Generation
from workbench.agents.journal import Journal
from workbench.agents.known import Known
from workbench.agents.lanes import Lanes
from workbench.agents.memory import boot_uris, memory_text
from workbench.agents.requests import Caller, Overrides, distinct_names
from workbench.embed.live import LiveVectors
from workbench.errors import BadInput, WorkbenchError
from workbench.judge.marks import Reason
from workbench.params import Params
from workbench.replay.live import Asked, Recall, recalls
from workbench.replay.query import prepare
from workbench.retrieve.nearest import Floats
from workbench.search import Found, search
from workbench.text import trimmed
from workbench.textsearch.characters import well_formed

_LOG = logging.getLogger("workbench.agents")
LONGEST_QUERY = 1_000
_LONG_SECONDS = 60.0
_NOT_EMBEDDED = "No text of the store is embedded; `workbench embed` adds the signals of meaning."
Fold = Callable[[Path], int]


@dataclass(frozen=True)
class Recalled:
    """A recall in time; it is recorded, unless the prompt is empty or the journal cannot be written, and then without a
    query_id."""

    query_id: str | None
    found: Recall

    @property
    def notices(self) -> list[str]:
        return self.found.notices


@dataclass(frozen=True)
class Skipped:
    """A recall that took too long: nothing is shown, and nothing is recorded as shown."""

    timeout_ms: int

    @property
    def notices(self) -> list[str]:
        return [f"Recall took longer than {self.timeout_ms} ms and was skipped for this prompt."]


@dataclass(frozen=True)
class Opened:
    """A call that opened a memory: None where there is none; `reason` says whether it counts as a use, None where it
    could not be recorded."""

    uri: str
    memory: Mapping[str, Any] | None
    reason: Reason | None

    @property
    def used(self) -> str:
        """What it is as a use."""
        return self.reason.value if self.reason else "not recorded"

    @property
    def text(self) -> str:
        """What an agent reads."""
        return memory_text(self.memory) if self.memory else f"There is no memory at {self.uri}."


@dataclass(frozen=True)
class _Prompt:
    asked: Asked
    overrides: Overrides
    arm: Arm | None


@dataclass(frozen=True)
class _Search:
    query: str
    at: datetime
    options: dict[str, Any] = field(default_factory=dict)


class Lore:
    """Recall, search and memories of the store at `path`, for any number of threads.

    What is answered is first kept in the inbox, so that it outlives a kill. `fold` publishes the store with the inbox
    when that has grown to `fold_bytes`. `canary` shares the sessions between two configurations. A recall is skipped
    after the time that the configuration allows, or with `until` at that instant of time.monotonic(). Close it at the
    end.
    """

    def __init__(
        self,
        path: Path,
        *,
        lanes: int = 1,
        canary: Canary | None = None,
        fold: Fold | None = None,
        fold_bytes: int = 32_000_000,
        until: float | None = None,
        clock: Callable[[], datetime] = records.now,
    ) -> None:
        self.path = path
        self._canary, self._clock, self._until = canary or Canary(), clock, until
        self._fold, self._fold_bytes, self._folding = fold, fold_bytes, threading.Lock()
        self._vectors = LiveVectors()
        self._known = Known(path)
        self._in_force: Params | None = None
        self._fold_at = fold_bytes
        self._unrecorded: str | None = None
        self._lacking: str | None = None
        self._told: str | None = None
        self._lanes = Lanes(path, lanes)
        self._journal = Journal(path, self._grown)

    def close(self) -> None:
        """Keep what waits and end the threads."""
        self._lanes.close()
        self._journal.close()
        with self._folding:  # a publication that is under way is let finish
            pass

    def __enter__(self) -> Lore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def warm_up(self) -> None:
        """Load the store and, where prompts are embedded here, the model, so that the first prompt need not wait."""
        self.params()
        self._done(lambda held, _: self._vector(held, "warm up"))
        self.tell()

    def tell(self) -> None:
        """Log why new prompts have no vectors, where they have none; each reason once."""
        lacking = self._lacking
        if lacking and lacking != self._told:
            _LOG.warning("%s New prompts are recalled by words alone.", lacking)
        self._told = lacking

    def params(self) -> Params:
        """The configuration in force."""
        found: Params = self._done(lambda held, _: held.settings.params)
        return found

    def recall(
        self, prompt: str, caller: Caller, *, overrides: Overrides | None = None, phase: str | None = None,
        record: bool = True,
    ) -> Recalled | Skipped:  # fmt: skip
        """Recall for a prompt of the session that the caller is in, within the time limit of the configuration."""
        caller = caller.known()
        text = well_formed(prompt)
        query_id = records.new_id() if prepare(text).text else None
        asked = Asked(text, self._clock(), query_id, caller.session_id, phase)
        return self._recalled([asked], caller, overrides or Overrides(), record=record)[0]

    def start(
        self, names: Sequence[str | None], caller: Caller, *, phase: str | None = None, own_session: bool = False
    ) -> list[tuple[str, Recalled | Skipped]]:
        """The start-up recalls of a session: once for each of the names (runtime, directory, repository) that differs
        from those before by more than case. Their block names a session `boot`, or with `own_session` that one."""
        caller = caller.known()
        session = caller.session_id if own_session else records.STARTUP_SESSION
        queries = distinct_names(names)
        asked = [Asked(query, self._clock(), records.new_id(), session, phase) for query in queries]
        found = self._recalled(asked, caller, Overrides(), startup=True) if asked else []
        self.tell()
        return list(zip(queries, found, strict=True))

    def search(self, query: str, caller: Caller, **options: Any) -> Found:
        """Search the memories; `options` are those of workbench.search.search. The search is recorded.

        BadInput for a query of more than LONGEST_QUERY characters: it would keep others waiting.
        """
        caller = caller.known()
        if len(query) > LONGEST_QUERY:
            raise BadInput(f"The query has {len(query):,} characters; search with at most {LONGEST_QUERY:,}.")
        asked = _Search(well_formed(query), self._clock(), options)
        found: Found = self._lanes.submit(self._search_one, asked).result(_LONG_SECONDS)
        if found.query:
            uris = [result["uri"] for result in found.results]
            self._noted(records.SEARCH, records.search_entry(found.query, uris, caller, asked.at))
        return found

    def open(self, uri: str, caller: Caller, query_id: str | None = None, given_session: str | None = None) -> Opened:
        """The memory at `uri`; with the query_id of a recall that showed it, it counts as used. Every open is recorded.

        `given_session` is the session_id that the agent handed over, the caller's session where that is all there is.
        """
        given = well_formed(given_session or ""), well_formed(query_id or "")
        caller = Caller(trimmed(given[0]) or caller.session_id, caller.client).known()
        address, at = well_formed(uri), self._clock()

        def look(held: Generation, _: Sequence[Any]) -> tuple[Mapping[str, Any] | None, Reason]:
            memory = held.memory(address)
            node = memory["node_uuid"] if memory else None
            return memory, self._known.opened(held.db, address, node, given[1])

        memory, reason = self._done(look)
        node = memory["node_uuid"] if memory else None
        entry = records.open_entry(memory["uri"] if memory else address, node, caller, at, given)
        if not self._noted(records.OPEN, entry):
            self._known.forget(address, given[1])
            return Opened(address, memory, None)
        return Opened(address, memory, reason)

    def used(
        self, query_id: str, uris: Sequence[str], caller: Caller, *, reported_by: str = "agent_end",
        preview: str | None = None,
    ) -> None:  # fmt: skip
        """Record a report that memories were used; without addresses it speaks of all that the query showed."""
        query, said = trimmed(well_formed(query_id)), well_formed(preview or "")[:500] or None
        if not query:
            raise BadInput("A report of use names no query_id; hand over the one of the recall.")
        self._journal.keep(records.USAGE, records.usage_entry(
            query, [well_formed(uri) for uri in uris], well_formed(reported_by), caller.known(), self._clock(), said
        ))  # fmt: skip

    def boot(self, family: str | None) -> list[Mapping[str, Any]]:
        """The start-up memories of a runtime family that exist."""
        found = self._done(lambda held, _: [held.memory(uri) for uri in boot_uris(family)])
        return [memory for memory in found if memory]

    def warnings(self) -> list[str]:
        """What is wrong at present, in sentences that name no place of this machine."""
        found = ["New prompts have no vectors: they are recalled by words alone."] if self._lacking else []
        if self._lanes.behind:
            found.append("The newest state of the store cannot be read: answers come from the one before.")
        if self._unrecorded:
            found.append("What agents do cannot be recorded: they get their memories without identifiers.")
        return found

    def _done(self, work: Callable[[Generation, Sequence[Any]], Any]) -> Any:
        return self._lanes.submit(lambda held, items: [work(held, items)], None).result(_LONG_SECONDS)

    def _recalled(
        self, asked: Sequence[Asked], caller: Caller, overrides: Overrides, *, startup: bool = False,
        record: bool = True,
    ) -> list[Recalled | Skipped]:  # fmt: skip
        in_force = self._in_force or self.params()
        began, timeout_ms = time.monotonic(), int(in_force["recall.safety.timeout_ms"])
        if self._until is not None:
            timeout_ms = max(0, int((self._until - began) * 1000))
        arm = self._canary.arm(caller.session_id)
        futures = [
            self._lanes.submit(self._recall_together, _Prompt(one, overrides, arm), (overrides, arm)) for one in asked
        ]
        results: list[Recalled | Skipped] = []
        for one, future in zip(asked, futures, strict=True):
            found = _in_time(future, began, timeout_ms)
            if found is None:
                results.append(Skipped(timeout_ms))
                text = prepare(one.prompt).text
                if record and text and not startup:
                    self._noted(records.PROMPT, records.prompt_entry(one, text, caller))
                continue
            if record and one.query_id:
                entry = records.recall_entry(
                    one, found, caller, _elapsed_ms(began), startup=startup, arm=arm.record(in_force) if arm else None
                )
                if not self._noted(records.RECALL, entry):
                    results.append(Recalled(None, found.unrecorded()))
                    continue
                self._known.add(one.query_id, (item["uri"] for item in found.items))
            results.append(Recalled(one.query_id, found))
        return results

    def _noted(self, kind: str, record: Mapping[str, Any]) -> bool:
        """Whether an event could be kept. Agents get their memories also where the disk is full; the log says so once
        for each reason."""
        try:
            self._journal.keep(kind, record)
        except (OSError, WorkbenchError) as error:
            if self._unrecorded != str(error):
                _LOG.warning("%s A %s was answered and is not recorded.", error, kind)
            self._unrecorded = str(error)
            return False
        if self._unrecorded:
            _LOG.warning("What agents do is recorded again.")
            self._unrecorded = None
        return True

    def _recall_together(self, held: Generation, prompts: Sequence[_Prompt]) -> list[Recall]:
        self._in_force = held.settings.params
        first = prompts[0]
        chosen = replace(held.settings, params=first.arm.params) if first.arm and first.arm.params else held.settings
        settings = first.overrides.on(chosen)
        limit = int(settings.params["recall.safety.max_query_chars"])
        vectors = self._matrix(held, [prepare(one.asked.prompt, limit).searched for one in prompts])
        return recalls(held.corpus, settings, [one.asked for one in prompts], vectors, domain=first.overrides.domain)

    def _matrix(self, held: Generation, texts: Sequence[str]) -> Floats | None:
        """One row a text, NaN where it has no vector."""
        found = [self._vector(held, text) for text in texts]
        dimension = next((vector.shape[1] for vector in found if vector is not None), None)
        if dimension is None:
            return None
        missing = np.full((1, dimension), np.nan, np.float32)
        return np.concatenate([missing if vector is None else vector for vector in found])

    def _vector(self, held: Generation, text: str) -> Floats | None:
        """The vector of a text; where the embedder fails, the words have to do."""
        if held.corpus.model is None:
            self._lacking = _NOT_EMBEDDED
            return None
        vector = None
        try:
            vector = self._vectors.of(held.db, held.corpus.model, text)
            self._lacking = self._vectors.lacking
        except WorkbenchError as error:
            self._lacking = str(error)
            self.tell()
        return vector

    def _search_one(self, held: Generation, items: Sequence[_Search]) -> list[Found]:
        asked = items[0]
        vector = None
        if asked.options.get("mode") != "keyword" and asked.query:
            vector = self._vector(held, trimmed(asked.query))
            if vector is None and asked.options.get("mode") == "semantic":
                raise BadInput("There is no vector of the query; run `workbench embed`, or search by words.")
        return [
            search(held.corpus, held.documents, held.settings, asked.query, asked.at, vector=vector, **asked.options)
        ]

    def _grown(self, size: int) -> None:
        if self._fold and size >= self._fold_at and self._folding.acquire(blocking=False):
            threading.Thread(target=self._publish, args=(self._fold, size), daemon=True).start()

    def _publish(self, fold: Fold, size: int) -> None:
        try:
            fold(self.path)
            self._fold_at = self._fold_bytes
        except (OSError, WorkbenchError) as error:
            _LOG.warning("The events wait in the inbox: %s", error)
            self._fold_at = size * 2
        finally:
            self._folding.release()


def _in_time(future: Future[Recall], began: float, timeout_ms: int) -> Recall | None:
    """What was found within the limit. A late result goes nowhere."""
    try:
        found = future.result(max(0.0, timeout_ms / 1000 - (time.monotonic() - began)))
    except TooLate:
        future.cancel()
        return None
    return found if _elapsed_ms(began) <= timeout_ms else None


def _elapsed_ms(began: float) -> int:
    return int((time.monotonic() - began) * 1000)
