"""One memory changed in the source tables, as an import of the changed source would have it, and put back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from workbench.params import Params
from workbench.replay.engine import vectors_of
from workbench.retrieve.models import imported_model
from workbench.retrieve.nearest import Floats, Mask, usable
from workbench.retrieve.rebuild import REBUILT, rebuild, rebuilt_counts
from workbench.retrieve.view_texts import match_text
from workbench.review.vectors import Embed, filled_vectors
from workbench.store import Database, compose

Kind = Literal["glossary", "priority", "disclosure"]

_VIEWS, _TERMS = "memory_views", "glossary_term_embeddings"
_EDITED = ("edges", "glossary_keywords", _VIEWS, _TERMS)
_INDEXED = {
    _VIEWS: "text_content",
    _TERMS: "coalesce(nullif(match_text, ''), regexp_replace(keyword, '[/_-]+', ' ', 'g'))",
}
_EDGE = "(SELECT p.edge_id FROM paths AS p WHERE p.domain || '://' || p.path = $uri)"
_URIS = f"(SELECT p.domain || '://' || p.path FROM paths AS p WHERE p.edge_id IN {_EDGE})"
_NEW = "fix"

# The address that a node's keywords stand under: the one that has some, else that of the best priority.
_KEYWORD_ADDRESS = """
SELECT n.domain, n.path, n.uri, n.node_uuid, n.memory_id, coalesce(n.priority, 0) AS priority, n.disclosure
FROM memory_now AS n
WHERE n.node_uuid = (SELECT any_value(o.node_uuid) FROM memory_now AS o WHERE o.uri = $uri)
ORDER BY
    NOT EXISTS (SELECT 1 FROM glossary_term_embeddings AS t WHERE t.uri = n.uri AND t.node_uuid = n.node_uuid),
    coalesce(n.priority, 0),
    n.uri
LIMIT 1
"""


@dataclass(frozen=True)
class Fix:
    """One change of the memory at `uri`: a further keyword, another priority, or another disclosure (`value`)."""

    kind: Kind
    uri: str
    value: str | int


@dataclass(frozen=True)
class Tables:
    """The source tables of `db`; what is new in them is dated `at` and embedded in `model` by `embed`."""

    db: Database
    in_force: Params
    at: datetime | None
    model: str | None
    embed: Embed | None

    @contextmanager
    def edited(self, fix: Fix) -> Iterator[str | None]:
        """Inside the block temporary tables stand in the place of the source tables, with the memory changed; yields
        what could not be computed, in one sentence."""
        for table in _EDITED:
            self.db.execute(f"CREATE TEMP TABLE {table} AS SELECT * FROM {table}")
        try:
            former = {table: {text for _, text in self.texts(table)} for table in _INDEXED}
            lacking = _EDITS[fix.kind](self, fix)
            if any(rebuilt_counts(self.db).values()):
                rebuild(self.db, self.in_force)
            yield self._left_out(lacking + sum(_index(self, table, known) for table, known in former.items()))
        finally:
            for table in _EDITED:
                self.db.execute(f"DROP TABLE temp.{table}")

    def _left_out(self, lacking: int) -> str | None:
        if self.model is None and imported_model(self.db) is not None:
            return "Similar meaning is left out: no text of the store is embedded (`workbench embed`)."
        if self.model is not None and imported_model(self.db) is None:
            return f"The server's embedding model is not known: meanings are compared in {self.model}."
        if lacking:
            return f"Similar meaning of the changed text is left out: no embedder of {self.model} is at hand."
        return None

    def texts(self, table: str) -> list[tuple[str, str]]:
        """(id, text) of each row of an index table: what is embedded."""
        return self.db.rows(f"SELECT id, coalesce({_INDEXED[table]}, '') FROM {table} ORDER BY id")

    def has_own(self, table: str) -> bool:
        """Whether the source brought rows of an index table, so that they are not rebuilt."""
        select = f"SELECT 1 FROM {table} WHERE source IS DISTINCT FROM $rebuilt LIMIT 1"
        return bool(self.db.rows(select, {"rebuilt": REBUILT}))

    def carry_vectors(self, table: str) -> bool:
        """Whether rows of an index table carry vectors of the model."""
        select = f"SELECT 1 FROM {table} WHERE embedding_model = $model AND len(embedding_vector) > 0 LIMIT 1"
        return bool(self.db.rows(select, {"model": self.model}))


def with_disclosure(gist: str, former: str, new: str) -> str:
    """The text of a gist with its disclosure, its last line, replaced; behind it where it held none."""
    head, _, last = gist.rpartition("\n")
    kept = head if former and last.strip() == former.strip() else gist
    return f"{kept}\n{new}" if kept else new


def _add_keyword(tables: Tables, fix: Fix) -> int:
    db, keyword = tables.db, str(fix.value)
    (address,) = db.arrow(compose(("logged/memory_now",), _KEYWORD_ADDRESS), {"uri": fix.uri}).to_pylist()
    row = {"id": _NEW, "keyword": keyword, "node_uuid": address["node_uuid"], "created_at": tables.at}
    own = tables.has_own(_TERMS)
    db.append("glossary_keywords", [row])
    if not own:
        return 0
    text, carry = match_text(keyword), tables.carry_vectors(_TERMS)
    db.append(
        _TERMS,
        [{**address, "id": _NEW, "keyword": keyword, "match_text": text, "source": _NEW, "status": "active",
          "created_at": tables.at, "updated_at": tables.at}],
    )  # fmt: skip
    return _embed_row(tables, _TERMS, _NEW, text) if carry else 0


def _set_priority(tables: Tables, fix: Fix) -> int:
    bound = {"uri": fix.uri, "value": fix.value}
    tables.db.execute(f"UPDATE edges SET priority = $value WHERE id IN {_EDGE}", bound)
    for table in (_VIEWS, _TERMS):
        tables.db.execute(f"UPDATE {table} SET priority = $value WHERE uri IN {_URIS}", bound)
    return 0


def _set_disclosure(tables: Tables, fix: Fix) -> int:
    db, bound = tables.db, {"uri": fix.uri, "value": fix.value}
    gists = db.rows(
        f"SELECT id, coalesce(text_content, ''), coalesce(disclosure, '') FROM {_VIEWS} WHERE uri IN {_URIS}"
        " AND view_type = 'gist' AND source IS DISTINCT FROM $rebuilt ORDER BY id",
        {"uri": fix.uri, "rebuilt": REBUILT},
    )
    db.execute(f"UPDATE edges SET disclosure = $value WHERE id IN {_EDGE}", bound)
    for table in (_VIEWS, _TERMS):
        db.execute(f"UPDATE {table} SET disclosure = $value WHERE uri IN {_URIS}", bound)
    carry, lacking = tables.carry_vectors(_VIEWS), 0
    for number, text, former in gists:
        new = with_disclosure(text, former, str(fix.value))
        db.execute(f"UPDATE {_VIEWS} SET text_content = $text WHERE id = $id", {"id": number, "text": new})
        lacking += _embed_row(tables, _VIEWS, number, new) if carry else 0
    return lacking


_EDITS: dict[Kind, Callable[[Tables, Fix], int]] = {
    "glossary": _add_keyword,
    "priority": _set_priority,
    "disclosure": _set_disclosure,
}


def _embed_row(tables: Tables, table: str, number: str, text: str) -> int:
    """Give a row whose text is new its vector; returns 1 where it cannot be had: the row keeps what it has."""
    found = filled_vectors(tables.db, tables.model, [text], tables.embed)
    if found is None or not usable(found).all():
        return 1
    _put(tables, table, [number], found, np.ones(1, bool))
    return 0


def _index(tables: Tables, table: str, known: Set[str]) -> int:
    """Where no row carries a vector of the model, put those on the rows that the store has of their texts, and embed
    texts that are not `known`; returns how many of those got none."""
    if tables.model is None or tables.carry_vectors(table):
        return 0
    numbers, texts = zip(*tables.texts(table), strict=True) if tables.texts(table) else ((), ())
    found = vectors_of(tables.db, tables.model, texts)
    new = [place for place, text in enumerate(texts) if text not in known]
    if new:
        made = filled_vectors(tables.db, tables.model, [texts[place] for place in new], tables.embed)
        if found is None or made is None:
            return len(new)
        found[new] = made
    if found is None:
        return 0
    good = usable(found)
    _put(tables, table, numbers, found, good)
    return int((~good[new]).sum())


def _put(tables: Tables, table: str, numbers: Sequence[Any], vectors: Floats, good: Mask) -> None:
    kept = np.nonzero(good)[0]
    flat = pa.array(vectors[kept].reshape(-1), pa.float32())
    rows = pa.table({
        "id": pa.array([numbers[place] for place in kept.tolist()], pa.string()),
        "vector": pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1]),
    })  # fmt: skip
    tables.db.register("put_vectors", rows)
    tables.db.execute(
        f"UPDATE {table} SET embedding_model = $model, embedding_vector = v.vector::FLOAT[] FROM put_vectors AS v"
        f" WHERE {table}.id = v.id",
        {"model": tables.model},
    )
    tables.db.unregister("put_vectors")
