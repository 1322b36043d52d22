"""The service under load: 16 clients, with imports going on, killed at the end.

`python tests/benchmarks/bench_service.py FOLDER [REQUESTS]` takes the tables of FOLDER (golden results of the real
server), sends REQUESTS (default 2000), and prints how many answers were wrong, how many acknowledged events were lost,
and the times as ratios to those of a single client.
"""

from __future__ import annotations

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from served import WORKBENCH, copy_of, memory_store, running

from workbench.folding import fold
from workbench.store import reading

CLIENTS = 16
PROMPTS = (
    "how are webhook retries deduplicated?", "idempotency key", "数据库迁移怎么做才安全", "redis latency spikes", "ok",
    "pods keep getting OOMKilled after the last rollout", "what is the refund ordering rule",
)  # fmt: skip
Shown = list[tuple[str, float]]


class Load:
    """What one run counts."""

    def __init__(self, address: str) -> None:
        self.http = httpx2.Client(base_url=address, timeout=60)
        self.right: dict[str, Shown] = {}
        self.times: list[float] = []
        self.wrong: list[str] = []
        self.skipped = 0
        self.recalled: set[str] = set()
        self.marked: set[tuple[str, str]] = set()

    def recall(self, prompt: str, session: str) -> tuple[str, Shown]:
        """One recall; its query_id, "" where it was skipped, and what it showed."""
        began = time.perf_counter()
        body = {"query": prompt, "session_id": session}
        found: dict[str, Any] = self.http.post("/api/browse/recall", json=body).raise_for_status().json()
        self.times.append(time.perf_counter() - began)
        return found["query_id"] or "", [(item["uri"], item["score_display"]) for item in found["items"]]

    def first(self, prompt: str) -> Shown:
        """What is right: what the service shows a single client."""
        query_id = ""
        while not query_id:
            query_id, shown = self.recall(prompt, "first")
        return shown

    def one(self, number: int) -> None:
        """One request of one client: a recall, and with it now and then an open."""
        seed = random.Random(number)
        prompt = seed.choice(PROMPTS)
        query_id, shown = self.recall(prompt, f"s{number % 100}")
        if not query_id:
            self.skipped += 1
            return
        self.recalled.add(query_id)
        if shown != self.right[prompt]:
            self.wrong.append(f"{prompt}: {shown}")
        if shown and seed.random() < 0.3:
            uri = seed.choice(shown)[0]
            said = (
                self.http.get("/api/browse/node", params={"uri": uri, "query_id": query_id}).raise_for_status().json()
            )
            if said["used"] == "counted":
                self.marked.add((query_id, uri))
            else:
                self.wrong.append(f"{uri}: {said['used']}")


def main(folder: Path, requests: int) -> None:
    """Run and print."""
    with tempfile.TemporaryDirectory() as place:
        store = copy_of(memory_store(folder), Path(place))
        with running(store) as (address, process):
            load = Load(address)
            load.right = {prompt: load.first(prompt) for prompt in PROMPTS}
            load.times.clear()
            for _ in range(5):
                for prompt in PROMPTS:
                    load.recall(prompt, "single")
            single = statistics.median(load.times)
            load.times.clear()
            stop = threading.Event()
            imports = threading.Thread(target=_import_again_and_again, args=(store, folder, Path(place), stop))
            imports.start()
            began = time.perf_counter()
            with ThreadPoolExecutor(CLIENTS) as clients:
                list(clients.map(load.one, range(requests)))
            took = time.perf_counter() - began
            process.kill()
            stop.set()
            imports.join()
        _print(load, store, single, took)


def _import_again_and_again(store: Path, folder: Path, place: Path, stop: threading.Event) -> None:
    """Other writers, all the time: each import publishes a new state of the store."""
    source = place / "again"
    source.mkdir()
    shutil.copy(folder / "tables" / "nodes.parquet", source)
    while not stop.is_set():
        subprocess.run(
            [*WORKBENCH, "import", str(source), "--db", str(store)],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ},
        )  # fmt: skip
        stop.wait(2)


def _print(load: Load, store: Path, single: float, took: float) -> None:
    fold(store)
    with reading(store) as db:
        known = {query_id for (query_id,) in db.rows("SELECT query_id FROM recall_queries")}
        used = set(db.rows("SELECT query_id, node_uri FROM recall_query_candidates WHERE used_in_answer"))
    times = sorted(load.times)
    print(f"{len(times):,} recalls of {CLIENTS} clients with imports going on, {len(load.marked):,} opens, then a kill")
    print(f"wrong answers: {len(load.wrong)}; skipped as too late: {load.skipped}")
    print(f"recalls lost: {len(load.recalled - known)}; marks lost: {len(load.marked - used)}")
    for share in (0.5, 0.95, 0.99):
        ratio = times[int(share * (len(times) - 1))] / single
        print(f"p{100 * share:g}: {ratio:.1f} times the median of a single client")
    print(f"throughput: {len(times) * single / took:.1f} times that of a single client")
    for example in load.wrong[:3]:
        print(f"    {example}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2000)
