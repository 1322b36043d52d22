"""The inverted index: which lexemes stand in which text, kept in the store and completed where texts are new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from workbench.retrieve.tables import create, write
from workbench.store import Database
from workbench.textsearch.tokenizer import Tokenizer

_LOOKED_UP = """
SELECT text_no, text, md5(text) AS digest
FROM texts
WHERE text_no IN (
    SELECT text_no FROM corpus_views UNION SELECT text_no FROM corpus_parts WHERE part = 'words'
)
"""


def write_lexemes(db: Database, tokenizer: Tokenizer) -> int:
    """Write the temporary table text_lexemes (text_no, lexeme, positions) of the corpus in `db`: from the index of the
    store, and by `tokenizer` for texts that it does not hold. Returns how many of those there were."""
    bound = {"tokenizer": tokenizer.name}
    create(db, "looked_up", _LOOKED_UP)
    new = db.arrow(
        "SELECT text_no, text FROM looked_up WHERE digest NOT IN "
        "(SELECT digest FROM wb.indexed_texts WHERE tokenizer = $tokenizer) ORDER BY text_no",
        bound,
    )
    numbers = new["text_no"].to_pylist()
    write(db, "text_lexemes", _lexemes(tokenizer, numbers, new["text"].to_pylist()))
    db.execute(
        "INSERT INTO text_lexemes SELECT l.text_no, x.lexeme, x.positions FROM looked_up AS l"
        " JOIN wb.text_lexemes AS x ON x.digest = l.digest AND x.tokenizer = $tokenizer",
        bound,
    )
    return len(numbers)


def refresh_index(db: Database, tokenizer: Tokenizer) -> None:
    """Inside a publication, make the index of the store hold the texts of the corpus in `db`, and no others, under
    `tokenizer` alone; write_lexemes has to have run."""
    db.execute("DELETE FROM wb.text_lexemes")
    db.execute("DELETE FROM wb.indexed_texts")
    bound = {"tokenizer": tokenizer.name}
    db.execute("INSERT INTO wb.indexed_texts SELECT $tokenizer, digest FROM looked_up", bound)
    db.execute(
        "INSERT INTO wb.text_lexemes SELECT $tokenizer, l.digest, x.lexeme, x.positions FROM looked_up AS l"
        " JOIN text_lexemes AS x ON x.text_no = l.text_no ORDER BY ALL",
        bound,
    )


def _lexemes(tokenizer: Tokenizer, numbers: Sequence[int], texts: Sequence[str]) -> dict[str, Any]:
    owners: list[int] = []
    lexemes: list[str] = []
    positions: list[int] = []
    for number, text in zip(numbers, texts, strict=True):
        document = tokenizer.document(text)
        owners += [number] * len(document)
        lexemes += document
        positions += map(len, document.values())
    return {
        "text_no": pa.array(owners, pa.int32()),
        "lexeme": pa.array(lexemes, pa.string()),
        "positions": pa.array(positions, pa.int32()),
    }
