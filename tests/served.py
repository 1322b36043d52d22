"""Stores with the memories of the real server, for tests of what agents are given."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import httpx2

from workbench.agents.settings import change_settings
from workbench.embed.choose import Wanted
from workbench.embed.local import E5
from workbench.importers import ImportOptions
from workbench.jobs import Embedding, embed_texts, import_log

GOLDEN_NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
MEMORIES = (
    "nodes",
    "memories",
    "edges",
    "paths",
    "glossary_keywords",
    "memory_views",
    "glossary_term_embeddings",
    "app_settings",
)
LOG = ("recall_queries", "recall_query_candidates", "recall_events", "memory_events")
WORKBENCH = [sys.executable, "-c", "from workbench.cli import main; main()"]
_FOLDER = tempfile.TemporaryDirectory(prefix="workbench-served-")


@cache
def memory_store(conformance: Path, words: str = "simple", *, log: bool = False) -> Path:
    """A store with the memories of the golden results and the vectors of their prompts, and their log if wished. Copy
    it."""
    place = Path(tempfile.mkdtemp(dir=_FOLDER.name))
    for table in (*MEMORIES, *(LOG if log else ())):
        shutil.copy(conformance / "tables" / f"{table}.parquet", place)
    store = place / "store.duckdb"
    import_log(store, str(place), ImportOptions(tokenizer=words))
    # A busy machine is slow now and then: what is tested is what is recalled.
    change_settings(store, {"recall.safety.timeout_ms": 30_000})
    embed_texts(store, Embedding(Wanted(file=conformance / "embeddings.parquet", model=E5)))
    return store


def environment() -> dict[str, str]:
    return {"PYTHONPATH": str(Path(__file__).resolve().parent.parent)}


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def running(
    path: Path, *options: str, port: int | None = None, **variables: str
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The address of a service in a process of its own."""
    port = port or free_port()
    process = subprocess.Popen(
        [*WORKBENCH, "serve", "--host", "127.0.0.1", "--port", str(port), "--db", str(path), *options],
        env={**os.environ, **environment(), **variables}, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                httpx2.get(f"{address}/health")
                break
            except httpx2.TransportError:
                assert process.poll() is None
                time.sleep(0.1)
        yield address, process
    finally:
        process.kill()
        process.wait()
