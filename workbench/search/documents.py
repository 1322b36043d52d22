"""The memories as documents: name and keywords, disclosure and content, weighted in this order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.retrieve.contain import Like
from workbench.retrieve.corpus import Corpus
from workbench.store import Database, compose
from workbench.textsearch.characters import lower
from workbench.textsearch.cover import Place, cover_density
from workbench.textsearch.tokenizer import Tokenizer

DOCUMENTS = "documents"
_PARTS = (("name", "A"), ("glossary", "A"), ("disclosure", "B"), ("content", "C"))


@dataclass(frozen=True)
class Document:
    """One address with its weighted lexemes; `contained` are the texts, in lower case, that a query may stand in."""

    uri: str
    domain: str
    lexemes: dict[str, list[Place]]
    contained: tuple[str, ...]


@dataclass(frozen=True)
class Documents:
    """All documents of a corpus, best first among equals. The temporary table `documents` stands beside them."""

    tokenizer: Tokenizer
    documents: Sequence[Document]

    @classmethod
    def of(cls, corpus: Corpus) -> Documents:
        """Read and split the documents of `corpus`."""
        db = corpus.db
        db.execute(f"CREATE OR REPLACE TEMP TABLE {DOCUMENTS} AS {compose(('logged/memory_now', 'search/documents'))}")
        return cls(corpus.tokenizer, [_document(row, corpus.tokenizer) for row in _rows(db)])

    def matches(self, query: str, domain: str | None, most: int) -> list[tuple[str, float]]:
        """(URI, content score 0..1) of at most `most` documents, best first: those that hold all words of `query`, and
        those that contain it in their content or address (score 0)."""
        lexemes = self.tokenizer.query(query)
        pattern = Like(lower(query))
        found = [
            (document.uri, score)
            for document in self.documents
            if (domain is None or document.domain == domain)
            and (
                (score := cover_density(document.lexemes, lexemes)) > 0 or any(map(pattern.matches, document.contained))
            )
        ]
        return sorted(found, key=lambda match: -match[1])[:most]


def _rows(db: Database) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = db.arrow(f"SELECT * FROM {DOCUMENTS} ORDER BY place").to_pylist()
    return rows


def _document(row: dict[str, str], tokenizer: Tokenizer) -> Document:
    """Parts stand one after the other, so that their words are apart by position."""
    lexemes: dict[str, list[Place]] = {}
    behind = 0
    for name, weight in _PARTS:
        last = 0
        for lexeme, places in tokenizer.document(row[name]).items():
            lexemes.setdefault(lexeme, []).extend((behind + place, weight) for place in places)
            last = max(last, places[-1])
        behind += last
    return Document(row["uri"], row["domain"], lexemes, (lower(row["content"]), lower(row["uri"])))
