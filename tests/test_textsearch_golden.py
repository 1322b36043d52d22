"""Tokenizers and rank against the real server: every text, query and rank fact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from golden_lexemes import any_query, lexemes, records, vector

from workbench.textsearch import tokenizer
from workbench.textsearch.rank import pairs, rank_of

pytest.importorskip("cppjieba_py_dat", reason="the dictionaries of jieba are not installed on this platform")

EXCERPT = Path(__file__).parent / "golden"
# The server trims the query once more for text search, after it was cut to its length.
TRIMMED = " "


def check_texts(facts: Iterable[dict[str, Any]]) -> Counter[str]:
    checked: Counter[str] = Counter()
    for fact in facts:
        tokens = tokenizer(fact["config"])
        text = fact["text"]
        assert dict(tokens.document(text)) == vector(fact["tsvector"]), text
        assert list(tokens.query(text)) == lexemes(fact["plain_tsquery"]), text
        assert max(1, len(tokens.query(text))) == fact["query_tokens"], text
        assert tokens.any_of(text) == any_query(fact["or_tsquery"]), text
        checked[fact["config"]] += 1
    return checked


def check_ranks(facts: Iterable[dict[str, Any]]) -> Counter[str]:
    checked: Counter[str] = Counter()
    for fact in facts:
        if fact["mode"] == "or":
            query = tokenizer(fact["config"]).any_of(fact["query"])
            assert query == any_query(fact["tsquery"]), fact
            count = pairs(vector(fact["tsvector"]), query)
            assert rank_of(count) == float(fact["rank_cd_32_text"]), fact
            assert np.float32(rank_of(count)) == np.float32(fact["rank_cd_32"]), fact
            assert (count > 0) == fact["match"], fact
            checked[fact["config"]] += 1
    return checked


def test_the_excerpt_of_texts() -> None:
    checked = check_texts(records(EXCERPT / "fts_tokens.jsonl.gz"))
    assert checked == {"simple": 65, "jieba": 65}


def test_the_excerpt_of_ranks() -> None:
    checked = check_ranks(records(EXCERPT / "fts_rank.jsonl.gz"))
    assert min(checked["simple"], checked["jieba"]) > 10


@pytest.mark.conformance
def test_all_texts(conformance: Path) -> None:
    assert check_texts(records(conformance / "fts_tokens.jsonl")) == {"simple": 195, "jieba": 195}


@pytest.mark.conformance
def test_all_ranks_of_queries_joined_by_or(conformance: Path) -> None:
    assert check_ranks(records(conformance / "fts_rank.jsonl")) == {"simple": 429, "jieba": 229}


@pytest.mark.conformance
@pytest.mark.parametrize(("name", "file"), [("simple", "golden_recall"), ("jieba", "golden_recall_jieba")])
def test_all_prompts(conformance: Path, name: str, file: str) -> None:
    tokens, checked = tokenizer(name), 0
    for record in records(conformance / f"{file}.jsonl.gz"):
        if "or_tsquery" in record:
            query = record["retrieval_query"].rstrip(TRIMMED)
            assert list(tokens.query(query)) == lexemes(record["plain_tsquery"]), record["prompt_id"]
            assert max(1, len(tokens.query(query))) == record["retrieval_meta"]["query_tokens"], record["prompt_id"]
            assert tokens.any_of(query) == any_query(record["or_tsquery"]), record["prompt_id"]
            checked += 1
    assert checked == 404


@pytest.mark.conformance
def test_all_searches(conformance: Path) -> None:
    checked: Counter[str] = Counter()
    for record in records(conformance / "golden_search.jsonl.gz"):
        if "plain_tsquery" in record:
            found = tokenizer(record["fts"]).query(record["query"].strip())
            assert list(found) == lexemes(record["plain_tsquery"]), record["query"]
            checked[record["fts"]] += 1
    assert min(checked["simple"], checked["jieba"]) > 50


@pytest.mark.conformance
def test_all_views_and_nodes(conformance: Path) -> None:
    simple = tokenizer("simple")
    views = pq.read_table(conformance / "tables" / "memory_views.parquet").to_pylist()
    nodes = pq.read_table(conformance / "tables" / "normalized_documents.parquet").to_pylist()
    for view in views:
        assert dict(simple.document(view["text_content"])) == vector(view["fts"]), (view["uri"], view["view_type"])
    for node in nodes:
        text = f"{node['glossary_text']} {node['uri']} {node['path']}"
        assert dict(simple.document(text)) == vector(node["exact_tsv"]), node["uri"]
    assert (len(views), len(nodes)) == (204, 102)
