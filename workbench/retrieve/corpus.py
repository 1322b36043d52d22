"""What the signals search in: the memories of a store as temporary tables, texts, an inverted index, and vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from workbench.retrieve import embeddings
from workbench.retrieve.clock import Clock
from workbench.retrieve.contain import Patterns
from workbench.retrieve.index import write_lexemes
from workbench.retrieve.nearest import NO_VECTORS, Floats, Vectors, unit, usable
from workbench.retrieve.postings import Postings
from workbench.retrieve.tables import create, write
from workbench.retrieve.versions import build_versions
from workbench.store import Database, compose, sql_text
from workbench.textsearch.characters import lower
from workbench.textsearch.rank import ranks
from workbench.textsearch.tokenizer import Tokenizer

_MOST_PAIRS = 4096
_NOW = Clock("today")
_STORED = """
SELECT place, vector
FROM corpus_{table}
WHERE len(vector) = (SELECT mode(len(vector)) FROM corpus_{table} WHERE len(vector) > 0)
    AND NOT list_contains(list_transform(vector, lambda x: x IS NULL), true)
ORDER BY place
"""
_COMPARED = """
SELECT text_no FROM corpus_parts WHERE part <> 'words'
UNION SELECT text_no FROM corpus_views
UNION SELECT uri_no FROM corpus_views
"""
_WORDS = "(SELECT place, text_no FROM corpus_parts WHERE part = 'words')"


@dataclass(frozen=True)
class Numbered:
    """Texts in lower case with their numbers in the table texts."""

    numbers: Sequence[int]
    texts: Sequence[str]


@dataclass(frozen=True)
class Rows:
    """The rows of one corpus table by place (place 1 is column 0 of a mask): domain, and the time in which each one is
    there, in microseconds since 1970, `until` exclusive."""

    domains: npt.NDArray[np.str_]
    since: npt.NDArray[np.int64]
    until: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Corpus:
    """The searchable state of a store, at one time or, with `by_time`, over all its time.

    `texts` and `keywords` are what prompts are compared with, in lower case; the vectors are those of `model`, the
    words those of `tokenizer`, with the number of each row's text in `view_texts` and `address_texts`. The temporary
    tables corpus_*, texts, text_lexemes and lexical_ranks stand beside it in `db`.
    """

    db: Database
    tokenizer: Tokenizer
    model: str | None
    by_time: bool
    texts: Numbered
    keywords: Numbered
    keyword_patterns: Patterns
    view_vectors: Vectors
    term_vectors: Vectors
    view_words: Postings
    address_words: Postings
    view_texts: npt.NDArray[np.int64]
    address_texts: npt.NDArray[np.int64]
    view_types: npt.NDArray[np.str_]
    view_weights: npt.NDArray[np.float64]
    addresses: Rows
    views: Rows
    terms: Rows
    ranks: npt.NDArray[np.float64]

    @property
    def unusable(self) -> dict[str, int]:
        """How many views and keywords have no vector that can be compared."""
        return {
            "views": len(self.views.since) - len(self.view_vectors.numbers),
            "terms": len(self.terms.since) - len(self.term_vectors.numbers),
        }


def load_corpus(db: Database, tokenizer: Tokenizer, model: str | None, clock: Clock = _NOW) -> Corpus:
    """Read what is active in the store under `clock`; `model` names the embeddings that are compared (None: none)."""
    write_corpus(db, tokenizer, model, clock)
    scores = ranks(_MOST_PAIRS)
    write(db, "lexical_ranks", {"pairs": np.arange(len(scores), dtype=np.int32), "rank": scores})
    views = db.arrow("SELECT view_type, coalesce(weight, 1) AS weight, text_no FROM corpus_views ORDER BY place")
    keywords = _folded(db, "SELECT text_no FROM corpus_keywords")
    words = db.arrow(f"SELECT text_no FROM {_WORDS} ORDER BY place")
    return Corpus(
        db=db,
        tokenizer=tokenizer,
        model=model,
        by_time=_by_time(clock),
        texts=_folded(db, _COMPARED),
        keywords=keywords,
        keyword_patterns=Patterns(keywords.texts),
        view_vectors=_vectors(db, "views", model),
        term_vectors=_vectors(db, "terms", model),
        view_words=_postings(db, "corpus_views"),
        address_words=_postings(db, _WORDS),
        view_texts=views["text_no"].to_numpy().astype(np.int64),
        address_texts=words["text_no"].to_numpy().astype(np.int64),
        view_types=np.array(views["view_type"].to_pylist(), dtype=np.str_),
        view_weights=views["weight"].to_numpy(),
        addresses=_rows(db, "addresses"),
        views=_rows(db, "views"),
        terms=_rows(db, "terms"),
        ranks=scores,
    )


def write_corpus(db: Database, tokenizer: Tokenizer, model: str | None = None, clock: Clock = _NOW) -> None:
    """Write the temporary tables corpus_*, texts and text_lexemes of what is active in the store under `clock`."""
    when = "asof" if _by_time(clock) else "now"
    if when == "asof":
        build_versions(db)
        create(db, "address_spans", sql_text("retrieve/address_spans_asof"))
    else:
        create(db, "address_spans", compose(("logged/memory_now", "retrieve/address_spans_now")))
    bound = {"model": model, "restamp": clock.per_prompt}
    for name in ("address_states", "state_keywords", "view_states", "term_states"):
        create(db, name, sql_text(f"retrieve/{name}_{when}"), bound)
    create(db, "corpus_addresses", sql_text("retrieve/corpus_addresses"))
    _write_texts(db)
    for name in ("corpus_keywords", "corpus_parts", "corpus_views", "corpus_terms", "corpus_nodes"):
        create(db, name, sql_text(f"retrieve/{name}"), bound)
    write_lexemes(db, tokenizer)
    create(db, "address_lexemes", sql_text("retrieve/address_lexemes"))


def _by_time(clock: Clock) -> bool:
    """Whether the memories stand as they once stood; today they stand as the tables of the store say."""
    return clock.mode != "today"


def _write_texts(db: Database) -> None:
    """Number every distinct text and put its lower case beside it, as the server's locale has it."""
    found = db.arrow(sql_text("retrieve/corpus_texts"))
    folded = pa.array([lower(text) for text in found["text"].to_pylist()], pa.string())
    write(db, "texts", {"text_no": found["text_no"], "text": found["text"], "folded": folded})


def _folded(db: Database, numbers: str) -> Numbered:
    found = db.arrow(f"SELECT text_no, folded FROM texts WHERE text_no IN ({numbers}) ORDER BY text_no")
    return Numbered(found["text_no"].to_pylist(), found["folded"].to_pylist())


def _postings(db: Database, documents: str) -> Postings:
    """The inverted index of the relation `documents` (place, text_no), of which the places are 1, 2, 3, …"""
    found = db.arrow(
        f"SELECT x.lexeme, d.place - 1 AS document, x.positions FROM {documents} AS d"
        " JOIN text_lexemes AS x ON x.text_no = d.text_no ORDER BY x.lexeme"
    )
    count: int = db.row(f"SELECT count(*) FROM {documents}")[0]
    return Postings.of(found, count)


def _rows(db: Database, table: str) -> Rows:
    found = db.arrow(
        f"SELECT domain, CASE WHEN isfinite(valid_from) THEN epoch_us(valid_from) END AS since,"
        f" CASE WHEN isfinite(valid_to) THEN epoch_us(valid_to) END AS until FROM corpus_{table} ORDER BY place"
    )
    ends = np.iinfo(np.int64)
    return Rows(
        np.array(found["domain"].to_pylist(), dtype=np.str_),
        found["since"].fill_null(ends.min).to_numpy(),
        found["until"].fill_null(ends.max).to_numpy(),
    )


def _vectors(db: Database, table: str, model: str | None) -> Vectors:
    """The comparable vectors of a corpus table: those on its rows, and for rebuilt rows those that were embedded here;
    for all rows where none has one of `model`, as when the source brought none or the operator tries another model."""
    if model is None:
        return NO_VECTORS
    stored = db.arrow(_STORED.format(table=table))
    places, rows = _embedded_here(db, table, model, "rebuilt" if stored.num_rows else "true")
    if stored.num_rows:
        flat = stored["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        own: Floats = flat.astype(np.float32).reshape(stored.num_rows, -1)
        at = stored["place"].to_numpy().astype(np.int64)
        alike = rows.shape[1] == own.shape[1]
        places, rows = (np.concatenate([at, places]), np.concatenate([own, rows])) if alike else (at, own)
    good = usable(rows)
    return Vectors(places[good], unit(rows[good]))


def _embedded_here(db: Database, table: str, model: str, which: str) -> tuple[npt.NDArray[np.int64], Floats]:
    """Places and vectors of the rows for which the condition `which` holds and whose text was embedded here."""
    wanted = db.arrow(f"SELECT place, embedded_text AS text FROM corpus_{table} WHERE {which} ORDER BY place")
    found = embeddings.vectors(db, model, wanted["text"].to_pylist())
    return wanted["place"].to_numpy().astype(np.int64)[found.positions], found.matrix
