"""The service under load: many clients, other writers beside it, kills; and all it said held against the store."""

from __future__ import annotations

import os
import random
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from served import WORKBENCH, environment, free_port, running

from workbench.folding import fold
from workbench.judge.marks import Reason
from workbench.store import reading

CLIENTS = 16
Answer = list[tuple[Any, ...]]


@dataclass
class Told:
    """What the service acknowledged: by query_id what was shown, the marks, and sessions that searched or opened."""

    shown: dict[str, list[str]] = field(default_factory=dict)
    marks: set[tuple[str, str]] = field(default_factory=set)
    searched: set[str] = field(default_factory=set)
    opened: set[str] = field(default_factory=set)

    def counts(self) -> dict[str, int]:
        """How much there is of each."""
        return {
            "recalls": len(self.shown), "marks": len(self.marks), "searches": len(self.searched),
            "opens": len(self.opened),
        }  # fmt: skip


class Load:
    """Requests to one address, and what came of them. A request that finds no service is sent again."""

    def __init__(self, address: str, prompts: Sequence[str]) -> None:
        self.prompts = prompts
        self.told, self.wrong = Told(), list[str]()
        self.times: list[float] = []
        self.requests = self.skipped = self.retried = 0
        self._http = httpx2.Client(base_url=address, timeout=120, limits=httpx2.Limits(max_connections=CLIENTS))
        self._alone = threading.Lock()
        self._recalls = {prompt: self._first(prompt) for prompt in prompts}
        self._searches = {prompt: self._search(prompt, "first") for prompt in prompts}
        self._memory = self._open(self._some_uri(), "first")

    def __enter__(self) -> Load:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def single(self, times: int) -> float:
        """The median time of a request of one client alone, in seconds."""
        self.times.clear()
        for number in range(times):
            self.one(10 * number + 3, "single")
        median = sorted(self.times)[len(self.times) // 2]
        self.times.clear()
        return median

    def one(self, number: int, session: str = "load") -> None:
        """One step of one client: a recall and now and then an open with its identifiers; or a search, a prompt as a
        hook sends it, or an open without identifiers. What is wrong is noted."""
        prompt, session = self.prompts[number % len(self.prompts)], f"{session}-{number}"
        try:
            if number % 10 == 0:
                self._same(session, self._search(prompt, session), self._searches[prompt])
                self.told.searched.add(session)
            elif number % 10 == 1:
                self._same(session, self._open(self._some_uri(), session), self._memory)
                self.told.opened.add(session)
            else:
                self._recall_and_open(prompt, session, hook=number % 10 == 2)
        except Exception as fault:
            self.wrong.append(f"{session}: {type(fault).__name__}: {fault}"[:300])

    def _recall_and_open(self, prompt: str, session: str, *, hook: bool) -> None:
        query_id, shown = self._hook(prompt, session) if hook else self._recall(prompt, session)
        if not query_id:
            self.skipped += 1
            return
        right = self._recalls[prompt]
        self._same(session, shown, [row[:1] for row in right] if hook else right)
        self.told.shown[query_id] = [row[0] for row in shown]
        if shown and random.Random(session).random() < 0.5:
            uri = random.Random(session).choice(shown)[0]
            retried = self.retried
            used = self._json("GET", "/api/browse/node", params={"uri": uri, "query_id": query_id})["used"]
            if used != Reason.AGAIN.value or retried == self.retried:  # the first try may have been kept unanswered
                self._same(f"{session} opens {uri}", used, Reason.COUNTED.value)
            self.told.marks.add((query_id, uri))

    def _recall(self, prompt: str, session: str) -> tuple[str, Answer]:
        found = self._json("POST", "/api/browse/recall", json={"query": prompt, "session_id": session})
        return found["query_id"] or "", [(item["uri"], item["score_display"]) for item in found["items"]]

    def _hook(self, prompt: str, session: str) -> tuple[str, Answer]:
        found = self._json("POST", "/api/lifecycle/event", json={
            "runtime": {"runtime_family": "codex"}, "event": {"name": "prompt.submit"},
            "normalized": {"session_id": session, "prompt": prompt},
        })  # fmt: skip
        return found["query_id"], [(uri,) for uri in found["node_uris"]]

    def _search(self, prompt: str, session: str) -> Answer:
        found = self._json("POST", "/api/browse/search", json={"query": prompt, "session_id": session})
        return [(result["uri"],) for result in found["results"]]

    def _open(self, uri: str, session: str) -> Any:
        return self._json("GET", "/api/browse/node", params={"uri": uri, "session_id": session})

    def _first(self, prompt: str) -> Answer:
        """What is right: what a single client is shown."""
        query_id = ""
        while not query_id:
            query_id, shown = self._recall(prompt, "first")
        return shown

    def _some_uri(self) -> str:
        return str(next(row[0] for shown in self._recalls.values() for row in shown))

    def _same(self, what: str, got: Any, wanted: Any) -> None:
        if got != wanted:
            self.wrong.append(f"{what}: {got} and not {wanted}"[:300])

    def _json(self, method: str, path: str, **request: Any) -> Any:
        while True:
            began = time.perf_counter()
            try:
                answer = self._http.request(method, path, **request)
                break
            except httpx2.TransportError:
                self.retried += 1
                time.sleep(0.1)
        with self._alone:
            self.times.append(time.perf_counter() - began)
            self.requests += 1
        return answer.raise_for_status().json()


@dataclass(frozen=True)
class Figures:
    """What came of it: times as multiples of a single client's median; what must be empty is."""

    requests: int
    imports: int
    studies: int
    wrong: list[str]
    acknowledged: dict[str, int]
    lost: dict[str, int]
    skipped: int
    retried: int
    percentiles: dict[str, float]
    throughput: float


def under_load(store: Path, source: Path, prompts: Sequence[str], requests: int, kills: int = 1) -> Figures:
    """Send `requests` to a service over `store` while `source` is imported and studies are tuned again and again. The
    service is killed and started again `kills` times on the way, and killed at the end, while it is asked."""
    with ExitStack() as services:
        port = free_port()
        address, process = services.enter_context(running(store, port=port))
        load = services.enter_context(Load(address, prompts))
        single = load.single(30)
        load.requests = 0
        with _beside(store, source) as done, ThreadPoolExecutor(CLIENTS) as clients:
            began = time.perf_counter()
            steps = iter(range(10**9))
            working = [clients.submit(_work, load, steps, requests) for _ in range(CLIENTS)]
            for number in range(kills):
                _wait(load, working, (number + 1) * requests // (kills + 1))
                process.kill()
                _, process = services.enter_context(running(store, port=port))
            _wait(load, working, requests)
            took = time.perf_counter() - began
            for one in working:
                one.result()
            process.kill()
    times = sorted(load.times)
    percentiles = {f"p{p}": times[p * (len(times) - 1) // 100] / single for p in (50, 95, 99)}
    return Figures(
        load.requests, done["import"], done["tune"], load.wrong, load.told.counts(), _lost(store, load.told),
        load.skipped, load.retried, percentiles, load.requests * single / took,
    )  # fmt: skip


def _work(load: Load, steps: Iterator[int], requests: int) -> None:
    while load.requests < requests:
        load.one(next(steps))


def _wait(load: Load, working: Sequence[Any], requests: int) -> None:
    while load.requests < requests and not all(one.done() for one in working):
        time.sleep(0.05)


@contextmanager
def _beside(store: Path, source: Path) -> Iterator[dict[str, int]]:
    """Others at work on the store: how often each was done."""
    done, stop = {"import": 0, "tune": 0}, threading.Event()

    def again_and_again(words: list[str]) -> None:
        while not stop.is_set():
            command = [*WORKBENCH, *words, "--db", str(store)]
            if words[0] == "tune":
                command += ["--study", f"beside-{done['tune']}"]
            ended = subprocess.run(command, capture_output=True, env={**os.environ, **environment()}, check=False)
            assert ended.returncode in (0, 4), ended.stderr.decode()
            done[words[0]] += 1
            stop.wait(1)

    with ThreadPoolExecutor(2) as others:
        futures = [others.submit(again_and_again, w) for w in (["import", str(source)], ["tune", "--trials", "60"])]
        try:
            yield done
        finally:
            stop.set()
        for future in futures:
            future.result()


def _lost(store: Path, told: Told) -> dict[str, int]:
    """How much of what was acknowledged the store does not hold, once it has taken in what waits; 0 everywhere."""
    fold(store)
    with reading(store) as db:
        known: dict[str, list[str]] = dict(db.rows(
            "SELECT query_id, coalesce(list(node_uri ORDER BY displayed_position) FILTER (selected), [])"
            " FROM recall_queries LEFT JOIN recall_query_candidates USING (query_id) GROUP BY query_id"
        ))  # fmt: skip
        used = set(db.rows("SELECT query_id, node_uri FROM recall_query_candidates WHERE used_in_answer"))
        searched = {session for (session,) in db.rows("SELECT session_id FROM wb.agent_searches")}
        opened = {session for (session,) in db.rows("SELECT session_id FROM wb.agent_opens")}
    return {
        "recalls": sum(query_id not in known for query_id in told.shown),
        "recalls held otherwise": sum(known.get(one, shown) != shown for one, shown in told.shown.items()),
        "marks": len(told.marks - used),
        "marks of nobody": len({mark for mark in used if mark[0] in told.shown} - told.marks),
        "searches": len(told.searched - searched),
        "opens": len(told.opened - opened),
    }


def prompts_of(store: Path, most: int) -> list[str]:
    """Prompts of the log of `store` that showed something, at most `most`."""
    with reading(store) as db:
        return [text for (text,) in db.rows(
            "SELECT DISTINCT query_text FROM recall_queries WHERE shown_count > 0 ORDER BY query_text LIMIT $most",
            {"most": most},
        )]  # fmt: skip
