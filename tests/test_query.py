"""From a prompt to the query that the signals see."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.replay.query import cut_utf16, prepare, strip_envelopes, utf16_length

BLOCK = 'Conversation info (untrusted metadata):\n```json\n{"chat": 7}\n```\n'


@pytest.mark.parametrize(
    ("prompt", "left"),
    [
        (BLOCK + "when is a refund due?", "\nwhen is a refund due?"),
        (BLOCK + "sender (untrusted metadata) : ``` x ```refund", "refund"),
        ("refund " + BLOCK, "refund " + BLOCK),
        (BLOCK, BLOCK),
        ('Reply info (untrusted metadata):\n```json\n{"open": 1}\nrefund', None),
        ("Notes (untrusted metadata):\n```x```refund", None),
    ],
    ids=["in front", "two, any case", "in the middle", "nothing else", "without an end", "unknown label"],
)
def test_case_09_envelopes_in_front_are_stripped_and_nothing_else(prompt: str, left: str | None) -> None:
    assert strip_envelopes(prompt) == (prompt if left is None else left)


@pytest.mark.parametrize("limit", [200, 400])
def test_case_08_only_the_head_is_searched(limit: int) -> None:
    query = prepare("noise " * 900 + "what is the rollback code?", limit)
    assert (query.chars, query.truncated, len(query.searched)) == (limit, True, limit)
    assert query.original_chars == len(query.text)
    assert not prepare("x" * limit, limit).truncated


def test_case_08_two_megabytes_are_prepared() -> None:
    assert prepare("字" * 2_000_000).chars == 200


def test_half_of_a_pair_is_searched_as_the_mark_that_reaches_the_database() -> None:
    query = prepare("x" + "😀" * 200)
    assert query.searched == "x" + "😀" * 99 + "\ufffd"
    assert (query.chars, query.original_chars) == (200, 401)


def test_javascript_white_space_is_trimmed_and_nothing_else() -> None:
    assert prepare("\ufeff\u3000\u00a0 refund \u2028\n").text == "refund"
    assert prepare("\u200brefund\x85").text == "\u200brefund\x85"
    # In a time that grows with the length alone: a pasted log has such lines.
    assert len(prepare("a" + " " * 1_000_000 + "b" + " " * 1_000_000).text) == 1_000_002


@given(st.text(max_size=60), st.integers(min_value=0, max_value=70))
def test_a_cut_text_is_the_longest_prefix_that_fits(text: str, limit: int) -> None:
    head = cut_utf16(text, limit)
    assert utf16_length(head) == min(limit, utf16_length(text))
    whole = head.removesuffix("\ufffd")
    assert text.startswith(whole)
    assert head in (text, whole) or text[len(whole)] > "\uffff" or text[len(whole)] == "\ufffd"


@pytest.mark.conformance
def test_every_golden_prompt_is_prepared_as_on_the_server(conformance: Path) -> None:
    checked = 0
    with gzip.open(conformance / "golden_recall.jsonl.gz", "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if "error" in record:
                continue
            query = prepare(record["query"], record["settings"].get("recall.safety.max_query_chars", 200))
            meta = record.get("retrieval_meta") or record
            wanted = record["retrieval_query"]
            assert query.searched == wanted.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            assert (query.chars, query.original_chars) == (meta["query_chars"], meta["original_query_chars"])
            assert query.truncated == meta["query_truncated"]
            checked += 1
    assert checked == 404 * 16
