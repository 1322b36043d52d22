"""What the signals search in: the memories of a store as temporary tables, texts, an inverted index, and vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from workbench.retrieve import embeddings
from workbench.retrieve.index import write_lexemes
from workbench.retrieve.nearest import Floats, Numbers, Vectors, unit, usable
from workbench.retrieve.postings import Postings
from workbench.retrieve.tables import create, write
from workbench.store import Database, compose, sql_text
from workbench.textsearch.characters import lower
from workbench.textsearch.rank import ranks
from workbench.textsearch.tokenizer import Tokenizer

_MOST_PAIRS = 4096
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


@dataclass(frozen=True)
class Words:
    """The lexemes of a corpus table: `places` of its rows in order, and its inverted index by position in `places`."""

    places: Numbers
    postings: Postings


@dataclass(frozen=True)
class Corpus:
    """The searchable state of a store.

    `texts` and `keywords` are (number, text in lower case) of what prompts are compared with; `view_vectors` and
    `term_vectors` are those of `model`, `view_words` and `address_words` the lexemes of `tokenizer`; `weights` are the
    weights and types of the views in order. `unusable` counts the views and keywords without a comparable vector. The
    temporary tables corpus_*, texts, text_lexemes and lexical_ranks stand beside it in `db`.
    """

    db: Database
    tokenizer: Tokenizer
    model: str | None
    texts: Sequence[tuple[int, str]]
    keywords: Sequence[tuple[int, str]]
    view_vectors: Vectors
    term_vectors: Vectors
    view_words: Words
    address_words: Words
    view_types: npt.NDArray[np.str_]
    view_weights: npt.NDArray[np.float64]
    ranks: npt.NDArray[np.float64]
    unusable: dict[str, int]


def load_corpus(db: Database, tokenizer: Tokenizer, model: str | None) -> Corpus:
    """Read what is active in the store now; `model` names the embeddings that are compared, None: none are."""
    write_corpus(db, tokenizer, model)
    scores = ranks(_MOST_PAIRS)
    write(db, "lexical_ranks", {"pairs": np.arange(len(scores), dtype=np.int32), "rank": scores})
    view_vectors = _vectors(db, "views", model)
    term_vectors = _vectors(db, "terms", model)
    views = db.arrow("SELECT view_type, coalesce(weight, 1) AS weight FROM corpus_views ORDER BY place")
    return Corpus(
        db,
        tokenizer,
        model,
        _folded(db, _COMPARED),
        _folded(db, "SELECT text_no FROM corpus_keywords"),
        view_vectors,
        term_vectors,
        _words(db, "SELECT place, text_no FROM corpus_views"),
        _words(db, "SELECT place, text_no FROM corpus_parts WHERE part = 'words'"),
        np.array(views["view_type"].to_pylist(), dtype=np.str_),
        views["weight"].to_numpy(),
        scores,
        {
            "views": _count(db, "views") - len(view_vectors.numbers),
            "terms": _count(db, "terms") - len(term_vectors.numbers),
        },
    )


def write_corpus(db: Database, tokenizer: Tokenizer, model: str | None = None) -> None:
    """Write the temporary tables corpus_*, texts and text_lexemes of what is active in the store now."""
    create(db, "corpus_addresses", compose(("logged/memory_now", "retrieve/corpus_addresses")))
    _write_texts(db)
    for name in ("corpus_keywords", "corpus_parts", "corpus_views", "corpus_terms", "corpus_nodes"):
        create(db, name, sql_text(f"retrieve/{name}"), {"model": model})
    write_lexemes(db, tokenizer)


def _write_texts(db: Database) -> None:
    """Number every distinct text and put its lower case beside it, as the server's locale has it."""
    found = db.arrow(sql_text("retrieve/corpus_texts"))
    folded = pa.array([lower(text) for text in found["text"].to_pylist()], pa.string())
    write(db, "texts", {"text_no": found["text_no"], "text": found["text"], "folded": folded})


def _folded(db: Database, numbers: str) -> list[tuple[int, str]]:
    return db.rows(f"SELECT text_no, folded FROM texts WHERE text_no IN ({numbers}) ORDER BY text_no")


def _words(db: Database, documents: str) -> Words:
    """The inverted index of the relation `documents` (place, text_no), of which the places are 1, 2, 3, …"""
    found = db.arrow(
        f"SELECT x.lexeme, d.place - 1 AS document, x.positions FROM ({documents}) AS d"
        " JOIN text_lexemes AS x ON x.text_no = d.text_no ORDER BY x.lexeme"
    )
    count: int = db.row(f"SELECT count(*) FROM ({documents})")[0]
    return Words(np.arange(1, count + 1), Postings.of(found, count))


def _count(db: Database, table: str) -> int:
    count: int = db.row(f"SELECT count(*) FROM corpus_{table}")[0]
    return count


def _vectors(db: Database, table: str, model: str | None) -> Vectors:
    """The comparable vectors of a corpus table: those on its rows; where no row has one of `model`, as when the source
    brought none or the operator tries another model, those that were embedded here."""
    if model is None:
        return Vectors(np.empty(0, np.int64), np.empty((0, 0), np.float32))
    stored = db.arrow(_STORED.format(table=table))
    if stored.num_rows:
        flat = stored["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        places = stored["place"].to_numpy().astype(np.int64)
        rows: Floats = flat.astype(np.float32).reshape(len(places), -1)
    else:
        wanted = db.arrow(f"SELECT place, embedded_text AS text FROM corpus_{table} ORDER BY place")
        found = embeddings.vectors(db, model, wanted["text"].to_pylist())
        places, rows = wanted["place"].to_numpy().astype(np.int64)[found.positions], found.matrix
    good = usable(rows)
    return Vectors(places[good], unit(rows[good]))
