"""A large single-object backup against DuckDB's own JSONL reader: `python tests/benchmarks/bench_import.py [MB]`.

Both take the same recall events into a new store, each run in a process of its own, interleaved. Prints the medians,
their ratios (the goal of the project is at most 1.5 of the clock) and the peak of anonymous memory.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

from workbench.importers import load
from workbench.store import TABLES, Kind, writing
from workbench.store.database import connect

RUNS = 3
PATHS = ("exact", "glossary_semantic", "dense", "lexical")
EVENTS_PER_PROMPT, MEMORIES = 210, 90
START = datetime(2026, 3, 1, tzinfo=UTC)


def event(number: int, rng: random.Random) -> dict[str, object]:
    """A recall event as the server logs it, some 1.1 KB of it metadata."""
    prompt, memory = divmod(number, EVENTS_PER_PROMPT)
    memory %= MEMORIES
    at = (START + timedelta(seconds=41 * prompt)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    ids = {"query_id": f"{prompt:08x}-43cd-42f5-b5c7-fe44635223ea", "session_id": f"session-{prompt // 7}"}
    client = ("claudecode", "codex", "pi", "")[prompt % 4]
    raw = rng.random()
    terms = [f"keyword {(memory * 7 + n) % 400}" for n in range(2 + memory % 5)]
    places = {"ranked_position": memory + 1, "displayed_position": memory + 1 if memory < 3 else None}
    parts = ("view", "exact", "lexical", "recency", "priority", "semantic", "multi_view", "lexical_damp")
    metadata = {
        **ids, "cue_terms": terms, "raw_score": raw, "matched_on": ["dense", "exact", "fts", "glossary_fts", "lexical"],
        "client_type": client, "source_weight": 1, "glossary_terms": terms,
        "exact_flags": {"path_exact_hit": False, "glossary_text_hit": False, "query_contains_glossary_hit": raw > 0.5},
        "retrieval_meta": {
            "model": "multilingual-e5-small-q4", "strategy": "raw_plus_lex_damp", "view_types": ["gist", "question"],
            "query_chars": 37, "query_tokens": 5, "query_truncated": False, "recency_enabled": True,
            "dense_candidates": 96, "exact_candidates": 4, "query_char_limit": 200, "lexical_candidates": 51,
            "original_query_chars": 37, "glossary_semantic_candidates": 96,
        },
        "score_breakdown": {part: round(rng.random() / 4, 6) for part in parts}, **places,
    }  # fmt: skip
    return {
        "id": str(number), "query_text": f"how are webhook retries of service {prompt} deduplicated? 重试",
        "node_uri": f"project://shared/memory_{memory}", "retrieval_path": PATHS[number % 4],
        "view_type": "gist" if number % 4 > 1 else None, "pre_rank_score": round(raw, 7),
        "final_rank_score": round(rng.random(), 6), "selected": memory < 3, "used_in_answer": memory == 1,
        "metadata": metadata, "created_at": at, **ids, "client_type": client, **places,
    }  # fmt: skip


def small_tables() -> Iterator[tuple[str, list[dict[str, object]]]]:
    numbers = range(MEMORIES)
    yield "nodes", [{"uuid": f"n{n}"} for n in numbers]
    yield "memories", [{"id": str(n), "node_uuid": f"n{n}", "content": "x" * 400, "deprecated": False} for n in numbers]
    yield "edges", [{"id": str(n), "child_uuid": f"n{n}", "priority": n % 7} for n in numbers]
    yield "paths", [{"domain": "project", "path": f"shared/memory_{n}", "edge_id": n} for n in numbers]


def write(backup: Path, lines: Path, size: int) -> int:
    """Write the backup of some `size` bytes, and its events as JSONL; returns how many."""
    rng = random.Random(1)
    count = 0
    with backup.open("w", encoding="utf-8") as whole, lines.open("w", encoding="utf-8") as rows:
        whole.write('{"format":"lore-backup-v1","created_at":"2026-12-01T05:05:56.480Z","tables":{')
        for name, table in small_tables():
            whole.write(f"{json.dumps(name)}:{json.dumps(table)},")
        whole.write('"recall_events":[')
        written = 0
        while written < size:
            text = json.dumps(event(count, rng), ensure_ascii=False, separators=(",", ":"))
            whole.write(f",{text}" if count else text)
            rows.write(f"{text}\n")
            written += len(text) + 1
            count += 1
        whole.write("]}}")
    return count


def plain(store: Path, lines: Path) -> Iterator[None]:
    """DuckDB's own way into a plain table of a new file: its reader with the store's types, then the insert."""
    columns = TABLES["recall_events"].columns
    types = ", ".join(f"{column.name} {column.kind.sql_type}" for column in columns)
    read_as = ", ".join(f"{c.name}: '{'JSON' if c.kind is Kind.JSON else c.kind.sql_type}'" for c in columns)
    db = connect(store)
    db.execute(f"CREATE TABLE recall_events ({types})")
    yield
    db.execute(
        "CREATE TEMP TABLE read AS SELECT * FROM read_json($path, format = 'newline_delimited',"
        f" columns = {{{read_as}}})",
        {"path": str(lines)},
    )
    yield
    db.execute("INSERT INTO recall_events SELECT * FROM read")
    db.checkpoint()
    yield
    db.close()


def imported(store: Path, backup: Path) -> Iterator[None]:
    """The import of the workbench, with the rollups that it derives, up to the published store."""
    yield
    with writing(store, "benchmark") as db:
        load(db, str(backup))
    yield


@dataclass(frozen=True)
class Measured:
    """Seconds of the clock of each step, seconds of all processors, and the peak of anonymous memory in bytes."""

    steps: tuple[float, ...]
    busy: float
    peak: int

    @property
    def clock(self) -> float:
        return sum(self.steps)


def measured(way: str, folder: Path, source: Path) -> Measured:
    """Do the work in a process of its own."""
    store = folder / f"{way}.duckdb"
    command = [sys.executable, __file__, way, str(store), str(source)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak = 0
    while process.poll() is None:
        peak = max(peak, anonymous_memory(process.pid))
        time.sleep(0.02)
    assert process.stdout is not None
    said = process.stdout.read()
    process.stdout.close()
    if process.returncode:
        raise SystemExit(f"{way} ended with {process.returncode}")
    store.unlink()
    busy, *steps = map(float, said.split())
    return Measured(tuple(steps), busy, peak)


def anonymous_memory(pid: int) -> int:
    """Bytes of memory of a process that no file backs; 0 when it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon:"))


def main(megabytes: int) -> None:
    with tempfile.TemporaryDirectory(prefix="bench-import-") as name:
        folder = Path(name)
        backup, lines = folder / "backup.json", folder / "recall_events.jsonl"
        count = write(backup, lines, megabytes * 1_000_000)
        size = backup.stat().st_size
        runs = [(measured("plain", folder, lines), measured("imported", folder, backup)) for _ in range(RUNS)]
    own, ours = zip(*runs, strict=True)
    print(f"{count:,} recall events, a backup of {size / 1e6:,.0f} MB; medians of {RUNS} interleaved runs")
    read, insert = (statistics.median(one.steps[step] for one in own) for step in (0, 1))
    print(f"DuckDB's JSONL reader {read:.2f} s, its insert {insert:.2f} s")
    for what, name in (("clock", "by the clock"), ("busy", "of all processors")):
        baseline, took = (statistics.median(getattr(one, what) for one in way) for way in (own, ours))
        print(f"{name}: reader and insert {baseline:.2f} s, import {took:.2f} s, ratio {took / baseline:.2f}")
    peak = max(one.peak for one in ours)
    print(
        f"anonymous memory at most {peak / 1e6:,.0f} MB, {peak / size:.2f} of the file's size (goal 1.0);"
        f" DuckDB's own way {max(one.peak for one in own) / 1e6:,.0f} MB"
    )


def run(way: str, store: Path, source: Path) -> None:
    """Do the work and print the seconds of all processors, then those of each step."""
    times = [(time.perf_counter(), time.process_time()) for _ in (plain if way == "plain" else imported)(store, source)]
    clock = [moment for moment, _ in times]
    print(times[-1][1] - times[0][1], *(after - before for before, after in pairwise(clock)))


if __name__ == "__main__":
    if len(sys.argv) == 4:
        run(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
