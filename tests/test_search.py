"""lore_search against the real server, and over small stores."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from golden_engine import NOW as GOLDEN_NOW
from golden_engine import imported
from golden_search import check, golden
from hypothesis import given
from hypothesis import strategies as st
from memory_store import NOW, Memories, memories

from workbench.errors import BadInput
from workbench.params import Params
from workbench.replay.run import Settings
from workbench.retrieve.corpus import load_corpus
from workbench.search import Documents, Found, search
from workbench.search.snippet import LEAST_WORDS, snippet
from workbench.store import Database
from workbench.textsearch import tokenizer
from workbench.textsearch.cover import WEIGHTS, cover_density, covers

DEFAULT = Settings(Params.default(), Params.default())


@pytest.mark.conformance
@pytest.mark.parametrize("name", ["simple", "jieba"])
def test_every_golden_search_is_equal(conformance: Path, name: str) -> None:
    table = pq.read_table(conformance / "embeddings.parquet")
    texts, rows = (table[column].to_pylist() for column in table.column_names[:2])
    vectors = dict(zip(texts, rows, strict=True))
    records = golden(conformance, name)
    with imported(conformance) as db:
        corpus = load_corpus(db, tokenizer(name), "multilingual-e5-small-q4")
        documents = Documents.of(corpus)
        for record in records:
            row = vectors.get(" ".join(record["query"].split()))
            found = search(
                corpus,
                documents,
                DEFAULT,
                record["query"],
                GOLDEN_NOW,
                vector=None if row is None else np.array([row], np.float32),
                **record["options"],
            ).as_json()
            check(record, found)
    assert len(records) == 76


@pytest.mark.conformance
@pytest.mark.parametrize("name", ["simple", "jieba"])
def test_every_snippet_of_a_golden_search_is_equal(conformance: Path, name: str) -> None:
    table = pq.read_table(conformance / "tables" / "normalized_documents.parquet", columns=["uri", "latest_content"])
    contents = dict(zip(*(table[column].to_pylist() for column in table.column_names), strict=True))
    checked = 0
    for record in golden(conformance, name):
        for row in record.get("content_rows", ()):
            lexemes = tokenizer(name).query(record["query"].strip())
            assert (snippet(contents[row["uri"]], lexemes) or "") == row["snippet"], (record["query"], row["uri"])
            checked += 1
    assert checked > 240


def words_of(text: str) -> str:
    return " ".join(re.sub("</?b>|…", " ", text).split())


@given(st.lists(st.sampled_from(["refund", "the", "key", "a-b", "10", "数据库", "x.y", "\n", "—"]), max_size=90))
def test_a_snippet_is_taken_from_the_text_and_marks_the_query(words: list[str]) -> None:
    text = " ".join(words)
    found = snippet(text, ["refund", "key"])
    if not text.strip():
        assert found is None or not found.strip()
        return
    assert found is not None
    for part in found.split("…"):
        assert words_of(part) in words_of(text)
    if {"refund", "key"} <= set(words):
        assert "<b>refund</b>" in found
        assert "<b>key</b>" in found
    else:
        assert len(words_of(found).split()) <= LEAST_WORDS + words_of(found).count("—")


def found_in(store: Memories, query: str, words: str = "simple", **options: Any) -> Found:
    corpus = load_corpus(store.db, tokenizer(words), "m1" if "vector" in options else None)
    return search(corpus, Documents.of(corpus), DEFAULT, query, NOW, **options)


def written(db: Database, uri: str, content: str) -> None:
    db.execute(
        "UPDATE memories SET content = $content WHERE node_uuid = 'n-' || $uri", {"content": content, "uri": uri}
    )


def uris(found: Found) -> list[str]:
    return [result["uri"] for result in found.results]


def test_content_is_found_where_no_signal_finds_it() -> None:
    with memories() as store:
        store.add("core://a")
        written(store.db, "core://a", "The dead letter queue is replayed by hand.")
        found = found_in(store, "queue letter")
    (result,) = found.results
    assert result["cues"] == ["content"]
    assert "<b>letter</b> <b>queue</b>" in result["snippet"]
    assert found.candidates["content_lexical"] == 1


def test_modes_look_at_their_signals() -> None:
    with memories() as store:
        store.add("core://words", keywords=["refund"], views={"gist": "refunds"})
        store.add("core://meaning", views={"gist": "money back"}, vector=[1, 0])
        vector = np.array([[1, 0]], np.float32)
        by_mode = {
            mode: uris(found_in(store, "refund", vector=vector, mode=mode))
            for mode in ("keyword", "semantic", "hybrid")
        }
    assert by_mode["keyword"] == ["core://words"]
    assert by_mode["semantic"] == ["core://meaning"]
    assert set(by_mode["hybrid"]) == {"core://words", "core://meaning"}


def test_an_unknown_mode_and_an_empty_query() -> None:
    with memories() as store:
        store.add("core://a", keywords=["refund"])
        assert found_in(store, "   ").results == ()
        with pytest.raises(BadInput, match="Unknown mode 'fast'"):
            found_in(store, "refund", mode="fast")


def test_a_limit_bounds_the_results_and_their_contents() -> None:
    with memories() as store:
        for number in range(20):
            store.add(f"core://m{number:02}", keywords=["refund"], priority=number)
        found = found_in(store, "refund", limit=7, content_limit=2)
        assert len(uris(found_in(store, "refund", limit=1000))) == 20
    assert len(found.results) == 7
    assert [result["content"] is not None for result in found.results] == [True, True, *[False] * 5]


@given(st.lists(st.sampled_from("abcx"), max_size=12), st.sets(st.sampled_from("abc"), min_size=1))
def test_covers_are_the_shortest_stretches(words: list[str], wanted: set[str]) -> None:
    found = covers([word for word in words if word in wanted], wanted)
    kept = [word for word in words if word in wanted]
    assert found == [
        (first, last)
        for first in range(len(kept))
        for last in range(first, len(kept))
        if holds(kept[first : last + 1], wanted)
        and not holds(kept[first + 1 : last + 1], wanted)
        and not holds(kept[first:last], wanted)
    ]


def holds(words: Sequence[str], wanted: set[str]) -> bool:
    return wanted <= set(words)


@given(
    st.dictionaries(
        st.sampled_from("abc"),
        st.lists(st.tuples(st.integers(1, 40), st.sampled_from(sorted(WEIGHTS))), min_size=1, max_size=5),
    ),
    st.lists(st.sampled_from("abcd"), max_size=4),
)
def test_cover_density_is_a_share_and_zero_without_a_match(document: Any, lexemes: list[str]) -> None:
    rank = cover_density(document, lexemes)
    assert 0 <= rank < 1
    assert (rank > 0) == (bool(lexemes) and set(lexemes) <= document.keys())


@pytest.mark.conformance
def test_every_rank_of_an_and_query_is_equal(conformance: Path) -> None:
    lexeme = re.compile(r"'((?:[^']|'')*)'(?::([\dABCD,]+))?")
    checked = 0
    for line in (conformance / "fts_rank.jsonl").read_text(encoding="utf-8").splitlines():
        fact = json.loads(line)
        if fact["mode"] != "and":
            continue
        document = {
            match[1].replace("''", "'"): [
                (int(place.rstrip("ABCD")), place[-1] if place[-1] in WEIGHTS else "D") for place in match[2].split(",")
            ]
            for match in lexeme.finditer(fact["tsvector"])
            if match[2]
        }
        query = [match[1].replace("''", "'") for match in lexeme.finditer(fact["tsquery"])]
        assert cover_density(document, query) == float(fact["rank_cd_32_text"]), fact["query"]
        checked += 1
    assert checked == 429
