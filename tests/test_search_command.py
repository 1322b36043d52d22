"""The command search: what it prints, what it says beside that, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden_search import check, golden
from memory_store import Memories
from served import GOLDEN_NOW, memory_store

from workbench.errors import BadInput
from workbench.retrieve.embeddings import add
from workbench.store import Inbox, reading, writing

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of three memories in two domains, without vectors."""
    store = tmp_path / "store.duckdb"
    with writing(store, "test") as db:
        memories = Memories(db)
        memories.add("ops://refunds", priority=1, keywords=["refund", "money"], views={"gist": "money back"})
        memories.add("ops://refunds/late", priority=2, keywords=["refund"], views={"gist": "late refunds"})
        memories.add("core://refunds", priority=3, keywords=["refund"], views={"gist": "refunds of ours"})
    return store


def found(run: Run, *words: Any) -> dict[str, Any]:
    code, out, _ = run("search", *words, "--json")
    assert code == 0
    document: dict[str, Any] = json.loads(out)
    return document


def uris(document: dict[str, Any]) -> list[str]:
    return [result["uri"] for result in document["results"]]


@pytest.mark.conformance
def test_golden_searches_are_equal(conformance: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock:
        @staticmethod
        def now(zone: Any) -> Any:
            return GOLDEN_NOW.astimezone(zone)

    monkeypatch.setattr("workbench.cli.search.datetime", Clock)
    store = memory_store(conformance)
    records = [record for record in golden(conformance, "simple") if not record["query"].startswith("-")][::4]
    for record in records:
        options = [word for name, value in record["options"].items() if value is not None
                   for word in (f"--{name.replace('_', '-')}", str(value))]  # fmt: skip
        check(record, found(run, record["query"], *options, "--db", store))
    assert len(records) > 15


def test_results_stand_in_a_table_with_their_snippets(path: Path, run: Run) -> None:
    code, out, err = run("search", "refund", "--db", path)
    assert code == 0
    lines = out.splitlines()
    assert lines[0].split() == ["score", "memory", "cues", "matched", "on"]
    assert [line.split()[2] for line in lines[2:5]] == ["ops://refunds", "ops://refunds/late", "core://refunds"]
    assert "refund" in lines[2]
    assert err == "No text of the store is embedded: searching by words alone.\n"


def test_a_domain_a_limit_and_how_much_content(path: Path, run: Run) -> None:
    assert uris(found(run, "refund", "--domain", "core", "--db", path)) == ["core://refunds"]
    assert found(run, "refund", "--domain", "nowhere", "--db", path)["results"] == []
    few = found(run, "refund", "--limit", "2", "--content-limit", "1", "--db", path)
    assert uris(few) == ["ops://refunds", "ops://refunds/late"]
    assert [result["content"] is None for result in few["results"]] == [False, True]


def test_nothing_found_is_said(path: Path, run: Run) -> None:
    code, out, _ = run("search", "zxqv", "--mode", "keyword", "--db", path)
    assert (code, out) == (0, "Nothing was found.\n")
    assert found(run, "  ", "--db", path)["results"] == []


def test_a_search_by_meaning_needs_vectors(path: Path, run: Run) -> None:
    code, out, err = run("search", "refund", "--mode", "semantic", "--db", path)
    assert (code, out) == (2, "")
    assert err == "No text of the store is embedded; run `workbench embed`, or search with --mode keyword.\n"
    with writing(path, "test") as db:
        add(db, "m1", ["refund", "money back", "late refunds", "refunds of ours"], np.eye(4, 4, dtype=np.float32) + 0.5)
    assert "ops://refunds" in uris(found(run, "refund", "--mode", "semantic", "--db", path))
    code, _, err = run("search", "unheard of", "--mode", "semantic", "--db", path)
    assert code == 2
    assert err.startswith("There is no vector of m1 for the query; run `workbench embed`")


def test_an_embedder_that_is_away_leaves_the_words(path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any) -> Any:
        raise BadInput("The embedding server is away.")

    with writing(path, "test") as db:
        add(db, "m1", ["money back"], np.ones((1, 3), np.float32))
    monkeypatch.setattr("workbench.embed.live.choose", away)
    code, out, err = run("search", "refund", "--db", path)
    assert (code, "ops://refunds" in out) == (0, True)
    assert err == "The embedding server is away: searching by words alone.\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["refund", "--mode", "fast"], "Unknown mode 'fast'; choose from"),
        (["refund", "--model", "m9"], "No prompt has a vector of m9"),
        (["refund", "--tokenizer", "none"], "none"),
        ([], "Missing argument"),
    ],
)
def test_wrong_use_is_one_sentence(path: Path, run: Run, words: list[str], said: str) -> None:
    code, out, err = run("search", *words, "--db", path)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_a_search_by_hand_leaves_no_trace_and_needs_a_store(path: Path, run: Run) -> None:
    with reading(path) as db:
        before = db.rows("SELECT count(*) FROM wb.agent_searches")
    found(run, "refund", "--db", path)
    assert Inbox(path).read() == []
    with reading(path) as db:
        assert db.rows("SELECT count(*) FROM wb.agent_searches") == before == [(0,)]
    code, _, err = run("search", "refund", "--db", path.with_name("none.duckdb"))
    assert (code, "There is no store" in err) == (2, True)


def test_what_is_printed_of_a_memory_is_text_alone(path: Path, run: Run) -> None:
    with writing(path, "test") as db:
        Memories(db).add("ops://odd", priority=1, keywords=["oddity"], views={"gist": "red \x1b[31m oddity"})
        db.execute(
            "UPDATE memories SET content = $text WHERE node_uuid = 'n-ops://odd'", {"text": "an oddity \x1b[31m"}
        )
    out = run("search", "oddity", "--db", path)[1]
    assert "ops://odd" in out
    assert "\x1b" not in out
