"""One published state of a store, loaded for one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from workbench.agents.memory import memory_at
from workbench.replay.engine import engine_model
from workbench.replay.logged import settings_in_force
from workbench.replay.run import Settings
from workbench.replay.tokenizers import chosen
from workbench.retrieve.corpus import Corpus, load_corpus
from workbench.search import Documents
from workbench.store import Database, reading
from workbench.textsearch import tokenizer

_MEMORIES = 1_000  # read once and kept: the start-up memories of every session are the same few


@dataclass(frozen=True)
class Generation:
    """What recall and search work on. `settings` are those in force."""

    db: Database
    corpus: Corpus
    settings: Settings

    @cached_property
    def documents(self) -> Documents:
        """What a search looks into beside the signals."""
        return Documents.of(self.corpus)

    @cached_property
    def memory(self) -> Callable[[str], Mapping[str, Any] | None]:
        """See workbench.agents.memory.memory_at."""
        return lru_cache(_MEMORIES)(lambda uri: memory_at(self.db, uri))


@contextmanager
def generation(path: Path) -> Iterator[Generation]:
    """The state of the store at `path` that is published now."""
    with reading(path) as db:
        db.execute("SET threads = 1")  # several are loaded at a time, and one recall is little work
        in_force = settings_in_force(db).params
        corpus = load_corpus(db, tokenizer(chosen(db).name), engine_model(db))
        yield Generation(db, corpus, Settings(in_force, in_force))


def published(path: Path) -> tuple[int, int, int] | None:
    """What changes with every publication of the store at `path`; None where there is none."""
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_ino, state.st_mtime_ns, state.st_size
