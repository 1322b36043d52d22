"""The four signals over small stores: tiers, flags, orders, limits, tokenizers, vectors, and the time of memories."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden_engine import NOW as GOLDEN_NOW
from golden_engine import imported
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_store import NOW, WRITTEN, Memories, memories, scores, signals

from workbench.retrieve.clock import Clock
from workbench.retrieve.corpus import load_corpus
from workbench.retrieve.engine import Depth, Prompt, retrieve, row_limit
from workbench.textsearch import tokenizer
from workbench.textsearch.rank import pairs, rank_of

DAY = timedelta(days=1)


def refunds(store: Memories) -> None:
    store.add("project://checkout/refunds", keywords=["refund", "idempotency key"])


@pytest.mark.parametrize(
    ("prompt", "score"),
    [
        ("Project://Checkout/Refunds", 1.00),
        ("checkout/refunds", 1.00),
        ("REFUND", 0.98),
        ("y refu", 0.90),
        ("when is a refund due", 0.84),
        ("who has the key", 0.78),
        ("out/ref", 0.72),
        ("nothing of this", None),
    ],
)
def test_the_tiers_of_the_exact_signal(prompt: str, score: float | None) -> None:
    with memories() as store:
        refunds(store)
        found = scores(signals(store, prompt), "exact")
        assert found == ({} if score is None else {"project://checkout/refunds": score})


def test_a_keyword_of_one_letter_counts_as_the_whole_prompt_only() -> None:
    with memories() as store:
        store.add("core://x", keywords=["q"])
        assert scores(signals(store, "q"), "exact") == {"core://x": 0.98}
        assert scores(signals(store, "unique"), "exact") == {}


def test_matches_that_exist_only_because_of_a_wildcard_are_flagged() -> None:
    with memories() as store:
        store.add("core://a", keywords=["user_id"])
        store.add("core://b", keywords=["100%"])
        found = signals(store, "the userXid column", "is 100 enough", "the user_id column")
        flagged = {(row["query_id"], row["uri"]): row["wildcard_only"] for row in found}
    assert flagged["the userXid column", "core://a"] is True
    assert flagged["is 100 enough", "core://b"] is True
    assert flagged["the user_id column", "core://a"] is False


def test_equal_matches_stand_by_priority_then_length_then_address() -> None:
    with memories() as store:
        for uri, priority in (("core://bbb", 1), ("core://aaa", 1), ("core://cc", 1), ("core://z", 0), ("core://y", 3)):
            store.add(uri, priority=priority, keywords=["refund"])
        found = [row["uri"] for row in signals(store, "refund") if row["signal"] == "exact"]
    assert found == ["core://z", "core://cc", "core://aaa", "core://bbb", "core://y"]


def test_a_limit_keeps_the_best_rows() -> None:
    with memories() as store:
        for number in range(30):
            store.add(f"core://memory_{number:02}", priority=number, views={"gist": "refund " * (number % 7 + 1)})
        rows = signals(store, "refund please", depth=Depth(row_limit=8))
    lexical = [row for row in rows if row["signal"] == "lexical"]
    assert [row["raw_score"] for row in lexical] == sorted((row["raw_score"] for row in lexical), reverse=True)
    assert [row["uri"] for row in lexical[:4]] == [f"core://memory_{number:02}" for number in (6, 13, 20, 27)]
    assert len(lexical) == 8
    assert (row_limit(12), row_limit(20), row_limit(100)) == (96, 160, 300)


def test_a_domain_keeps_its_addresses_in_every_signal() -> None:
    with memories() as store:
        for domain in ("core", "ops"):
            store.add(f"{domain}://deploy", keywords=["deploy"], views={"gist": "deploy the service"}, vector=[1, 0])
        rows = signals(store, "deploy", vectors=[[1, 0]], depth=Depth(domain="ops"))
    assert {row["signal"] for row in rows} == {"exact", "glossary_semantic", "dense", "lexical"}
    assert {row["uri"] for row in rows} == {"ops://deploy"}


def test_an_empty_prompt_has_vector_neighbours_only() -> None:
    with memories() as store:
        store.add("core://a", keywords=["refund"], views={"gist": "refunds"}, vector=[1, 0])
        assert {row["signal"] for row in signals(store, "", vectors=[[1, 1]])} == {"glossary_semantic", "dense"}


@settings(max_examples=60)
@given(
    st.lists(st.text(alphabet="ab -%/", max_size=14), min_size=1, max_size=6),
    st.lists(st.text(alphabet="ab -%/", min_size=1, max_size=8), min_size=1, max_size=3, unique=True),
    st.sampled_from(["simple", "jieba"]),
)
def test_the_lexical_signal_is_the_rank_of_the_pairs(texts: list[str], prompts: list[str], words: str) -> None:
    with memories() as store:
        for number, text in enumerate(texts):
            store.add(f"zz://m{number}", views={"gist": text})
        found = signals(store, *prompts, words=words)
        tokens = tokenizer(words)
    for prompt in prompts:
        query = tokens.any_of(prompt.strip())
        ranked = {
            f"zz://m{number}": rank_of(count)
            for number, text in enumerate(texts)
            if (count := pairs(tokens.document(text), query))
        }
        rows = [row for row in found if row["query_id"] == prompt and row["signal"] == "lexical"]
        assert {row["uri"]: row["raw_score"] for row in rows if row["flags"] & 1} == ranked
        assert all(row["raw_score"] == 0 for row in rows if not row["flags"] & 1)


def test_case_25_chinese_full_text_finds_what_it_should() -> None:
    views = {"1": "Hello world", "2": "记忆系统设计", "3": "memory 记忆 recall", "4": "地球 人"}
    queries = ("记忆", "微信读书 书架 阅读偏好", "world", "0")
    with memories() as store:
        store.add("core://1", views={"gist": views["1"]})
        alone = scores(signals(store, "world"), "lexical")
        for name in ("2", "3", "4"):
            store.add(f"core://{name}", views={"gist": views[name]})
        found = {query: scores(signals(store, query), "lexical") for query in queries}
        assert set(found["记忆"]) == {"core://2", "core://3"}
        assert found["微信读书 书架 阅读偏好"] == found["0"] == {}
        assert found["world"] == alone == {"core://1": rank_of(1)}
        store.add("core://5", views={"gist": "偏好 记忆"})
        assert "core://5" in scores(signals(store, "记忆"), "lexical")
        assert set(scores(signals(store, "阅读偏好", words="jieba"), "lexical")) == {"core://5"}


def test_case_26_an_identifier_outranks_documents_that_share_fragments() -> None:
    with memories() as store:
        store.add("core://adr", keywords=["ADR-016"], views={"gist": "ADR-016 settles retries"})
        store.add("core://other", views={"gist": "ADR 16 and others"})
        store.add("core://cpp", keywords=["C++"], views={"gist": "C++ style"})
        store.add("core://csharp", keywords=["C#"], views={"gist": "C# style"})
        store.add("core://api", keywords=["API"])
        texts = ("ADR-016", "C++", "C#", "ＡＰＩ密钥", "DO NOT USE FIND /", "it's", "今日は成語しりとりをした")
        rows = signals(store, *texts)
        best = {text: scores([row for row in rows if row["query_id"] == text], "exact") for text in texts}
        ranks = scores([row for row in rows if row["query_id"] == "ADR-016"], "lexical")
    assert ranks["core://adr"] > ranks["core://other"]
    assert next(iter(best["ADR-016"])) == "core://adr"
    assert best["C++"]["core://cpp"] == best["C#"]["core://csharp"] == 0.98
    assert "core://csharp" not in best["C++"] or best["C++"]["core://csharp"] < 0.8
    assert best["ＡＰＩ密钥"] == {}


def test_case_21_only_vectors_of_one_model_and_length_are_compared() -> None:
    with memories() as store:
        for number in range(30):
            store.add(f"core://same_{number}", views={"gist": "x"}, vector=[1, number, 2])
        for number in range(10):
            store.add(f"core://other_{number}", views={"gist": "x"}, vector=[1, 2, 3, 4], model="m2")
        for number in range(2):
            store.add(f"core://odd_{number}", views={"gist": "x"}, vector=[1, 2, 3, 4])
        corpus = load_corpus(store.db, tokenizer("simple"), "m1")
        rows = signals(store, "zzz", vectors=[[1, 0, 0]])
    dense = [row["uri"] for row in rows if row["signal"] == "dense"]
    assert len(dense) == 30
    assert all("same" in uri for uri in dense)
    assert corpus.unusable["views"] == 12


@pytest.mark.parametrize("bad", [[0, 0], [np.nan, 1], [np.inf, 1]])
def test_a_vector_without_a_direction_gives_no_dense_signal(bad: list[float]) -> None:
    with memories() as store:
        store.add("core://good", views={"gist": "x"}, vector=[1, 0])
        store.add("core://bad", views={"gist": "x"}, vector=bad)
        rows = signals(store, "zz", "yy", vectors=[[1, 0], bad])
    assert [(row["query_id"], row["uri"]) for row in rows] == [("zz", "core://good")]


def test_a_prompt_is_retrieved_alone_as_among_others() -> None:
    prompts = ["refund", "deploy the service", "refund", "key a"]
    with memories() as store:
        refunds(store)
        store.add("ops://deploy", keywords=["deploy"], views={"gist": "deploy the service", "question": "how?"})
        together = signals(store, *dict.fromkeys(prompts))
        for prompt in prompts:
            assert signals(store, prompt) == [row for row in together if row["query_id"] == prompt]


def created_later(store: Memories) -> None:
    store.add("core://old", keywords=["refund"], views={"gist": "refund rules"}, vector=[1, 0])
    late = NOW - 2 * DAY
    store.add("core://new", keywords=["refund"], views={"gist": "refund rules"}, vector=[1, 0], written=late)
    store.event("create", "core://new", late, node_uuid="n-core://new")


def test_a_memory_created_after_a_prompt_never_helps_it() -> None:
    with memories() as store:
        created_later(store)
        before = signals(store, "refund", vectors=[[1, 0]], clock=Clock("as-of"), at=NOW - 3 * DAY)
        after = signals(store, "refund", vectors=[[1, 0]], clock=Clock("as-of"), at=NOW)
    assert {row["uri"] for row in before} == {"core://old"}
    assert {(row["uri"], row["signal"]) for row in after} == {
        (uri, signal) for uri in ("core://old", "core://new")
        for signal in ("exact", "glossary_semantic", "dense", "lexical")
    }  # fmt: skip


def test_a_time_stamp_from_after_the_prompt_gives_way_to_that_of_the_text() -> None:
    rebuilt = NOW - DAY
    with memories() as store:
        store.add("core://a", views={"gist": "refund rules"})
        store.db.execute("UPDATE memory_views SET updated_at = $at", {"at": rebuilt})
        (row,) = signals(store, "refund", clock=Clock("as-of"), at=NOW - 2 * DAY)
        (today,) = signals(store, "refund")
    assert row["updated_at"] == WRITTEN
    assert today["updated_at"] == rebuilt


@pytest.mark.conformance
def test_the_newest_state_of_the_history_is_the_state_of_today(conformance: Path) -> None:
    later = datetime(2027, 1, 1, tzinfo=UTC)
    texts = ["refund ordering", "deploy", "LEDGER-409", "数据库迁移", "core://agent", "old CRM", "incident", "a_b%"]

    def rows(clock: Clock, at: datetime | None) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        with imported(conformance) as db:
            corpus = load_corpus(db, tokenizer("simple"), None, clock)
            prompts = [Prompt(text, text, GOLDEN_NOW, at) for text in texts]
            select = "SELECT query_id, signal, uri, view_type, raw_score, weight, priority, flags FROM signal_rows"
            retrieve(corpus, prompts, None, Depth(300), lambda chunk: found.extend(chunk.rows(select)))
        return sorted(found, key=str)

    assert rows(Clock("fixed", later), later) == rows(Clock("today"), None)


@pytest.mark.parametrize(
    "ordered",
    [
        ['"coop"', "-coop", "co op", "co-op", "co.op", "co_op", "coop", "coop!", "Coop", "CO-OP"],
        ["数据库", '"数据库'],
        ["100%", "a*b", "C:\\temp", "O'Reilly", "q", '"quoted"', "user_id", "what?"],
        ["certificate", "cert-manager", "TLS", "证书"],
        ["2FA", "🚀 strasse", "strasse", "straße", "strasse a"],
        ["a b", "a-b", "a_b", "ab", "aB", "A-B", "AB"],
    ],
)
def test_texts_are_sorted_as_under_the_locale_of_the_server(ordered: list[str]) -> None:
    with memories() as store:
        found = store.db.rows(
            "SELECT x FROM (SELECT unnest($texts) AS x) ORDER BY server_order(x)", {"texts": ordered[::-1]}
        )
    assert [text for (text,) in found] == ordered
