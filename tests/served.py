"""Stores with the memories of the real server, for tests of what agents are given."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

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
_FOLDER = tempfile.TemporaryDirectory(prefix="workbench-served-")


@cache
def memory_store(conformance: Path, words: str = "simple", tables: Sequence[str] = MEMORIES) -> Path:
    """A store with the memories of the golden results and the vectors of their prompts, without a log. Copy it."""
    place = Path(tempfile.mkdtemp(dir=_FOLDER.name))
    for table in tables:
        shutil.copy(conformance / "tables" / f"{table}.parquet", place)
    store = place / "store.duckdb"
    import_log(store, str(place), ImportOptions(tokenizer=words))
    # A busy machine is slow now and then: what is tested is what is recalled.
    change_settings(store, {"recall.safety.timeout_ms": 30_000})
    embed_texts(store, Embedding(Wanted(file=conformance / "embeddings.parquet", model=E5)))
    return store


def copy_of(store: Path, folder: Path) -> Path:
    """A copy of a store that a test may write to."""
    return Path(shutil.copy(store, folder / "store.duckdb"))
