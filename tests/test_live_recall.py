"""Recall for one prompt, now: against the real server, and as a command."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from golden_engine import NOW as GOLDEN_NOW
from golden_engine import imported
from memory_store import NOW, memories

from workbench.params import Params
from workbench.replay.live import Asked, recall, recalls
from workbench.replay.query import prepare
from workbench.replay.run import Settings
from workbench.retrieve.corpus import load_corpus
from workbench.textsearch import tokenizer

DEFAULT = Settings(Params.default(), Params.default())
EVERY = 8


def golden(folder: Path) -> list[dict[str, Any]]:
    with gzip.open(folder / "golden_recall.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [record for record in map(json.loads, lines) if record["config"] == "default"]
    return [record for record in records if "error" not in record and not record["body"]]


@pytest.mark.conformance
def test_a_live_recall_is_that_of_the_server(conformance: Path) -> None:
    table = pq.read_table(conformance / "embeddings.parquet")
    vectors = dict(zip(*(table[column].to_pylist() for column in table.column_names[:2]), strict=True))
    checked = 0
    with imported(conformance) as db:
        corpus = load_corpus(db, tokenizer("simple"), "multilingual-e5-small-q4")
        for record in golden(conformance)[::EVERY]:
            searched = prepare(record["query"]).searched
            vector = np.array([vectors[" ".join(searched.split())]], np.float32)
            query_id = (record.get("event_log") or {}).get("query_id")
            asked = Asked(record["query"], GOLDEN_NOW, query_id, record["session_id"])
            found = recall(corpus, DEFAULT, asked, vector)
            said = found.as_json()
            assert said["block"] == record["block"], record["query"]
            assert said["suppressed"] == record["suppressed"], record["query"]
            assert said["retrieval_meta"] == record["retrieval_meta"], record["query"]
            assert [(item["uri"], item["cues"]) for item in said["items"]] == [
                (item["uri"], item["cues"]) for item in record["items"]
            ], record["query"]
            checked += 1
    assert checked > 40


def test_a_truncated_prompt_is_told_to_the_reader() -> None:
    with memories() as store:
        store.add("core://a", priority=0, keywords=["refund"])
        corpus = load_corpus(store.db, tokenizer("simple"), None)
        found = recall(corpus, DEFAULT, Asked("refund " * 60, NOW))
    assert found.notices == ["Only the first 200 of 419 characters of the prompt were searched."]
    assert found.block == ""
    assert found.suppressed == {"boot": 0, "score": 1}


def test_what_is_shown_stands_in_the_block() -> None:
    low = Settings(Params.default().replace({"recall.display.min_display_score": 0.3}), Params.default())
    with memories() as store:
        store.add("core://a", priority=0, keywords=["refund", "money"], written=NOW)
        corpus = load_corpus(store.db, tokenizer("simple"), None)
        found = recall(corpus, low, Asked("refund", NOW, "q1", "s1", "prompt"))
    assert found.block == (
        '<recall session_id="s1" query_id="q1" phase="prompt">\n0.38 | core://a | money · refund\n</recall>'
    )


def test_prompts_together_are_recalled_as_one_by_one() -> None:
    with memories() as store:
        store.add("core://a", priority=0, keywords=["refund"], views={"gist": "money back"}, vector=[1, 0])
        store.add(
            "core://b", priority=1, keywords=["deploy"], views={"question": "how to deploy a refund"}, vector=[0, 1]
        )
        corpus = load_corpus(store.db, tokenizer("simple"), "m1")
        asked = [Asked(text, NOW, f"q{number}") for number, text in enumerate(("refund", "", "deploy now", "refund"))]
        vectors = np.array([[1, 0], [np.nan, np.nan], [0, 1], [0.6, 0.8]], np.float32)
        together = recalls(corpus, DEFAULT, asked, vectors)
        alone = [recall(corpus, DEFAULT, one, vectors[number : number + 1]) for number, one in enumerate(asked)]
    assert together == alone
    assert [len(found.candidates) for found in together] == [2, 0, 2, 2]
    assert together[0].candidates[0]["exact"] == round(0.98 * 0.3, 6)
