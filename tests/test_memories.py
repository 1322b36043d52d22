"""Writing memories: by hand and from Markdown files, found at once, with their history kept."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory_store import memories
from worlds import world_store

from workbench import jobs
from workbench.embed.protocol import Floats
from workbench.errors import BadInput
from workbench.memories import Edit, Memory, add_memory, edit_memory, import_folder, list_memories, remove_memory
from workbench.memories.memory import split_uri
from workbench.memories.rows import ROOT, create
from workbench.params import Params
from workbench.replay.engine import retrieve_candidates
from workbench.retrieve.corpus import load_corpus
from workbench.retrieve.embeddings import add, normalise
from workbench.retrieve.engine import Depth, Prompt
from workbench.retrieve.rebuild import rebuild
from workbench.retrieve.versions import build_versions
from workbench.store import reading
from workbench.textsearch import tokenizer

Run = Callable[..., tuple[int, str, str]]
URI = "project://checkout/webhooks"


class Letters:
    """An embedder of one number a letter: quick, and the same for the same text."""

    name, dimension = "letters", 26

    def embed(self, texts: list[str]) -> Floats:
        counts = [[1 + text.lower().count(chr(97 + i)) for i in range(26)] for text in texts]
        return np.array(counts, np.float32)


@pytest.fixture(autouse=True)
def embedder(monkeypatch: pytest.MonkeyPatch) -> Letters:
    """The embedder at hand: no test here waits for a real model."""
    letters = Letters()
    monkeypatch.setattr(jobs, "choose", lambda wanted, imported: letters)
    monkeypatch.setattr("workbench.embed.live.choose", lambda wanted, imported: letters)
    return letters


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "s.duckdb"


def document(run: Run, *arguments: str | Path, code: int = 0) -> dict[str, Any]:
    got, out, err = run(*arguments, "--json")
    assert got == code, err
    found: dict[str, Any] = json.loads(out)
    return found


def rows(store: Path, statement: str) -> list[tuple[Any, ...]]:
    with reading(store) as db:
        return db.rows(statement)


def test_a_new_memory_makes_the_store_and_is_found_at_once(run: Run, store: Path) -> None:
    said = document(run, "memory", "add", URI, "--content", "Retries are deduplicated by the idempotency key.",
                    "--keyword", "webhook", "--keyword", "idempotency key", "--priority", "1",
                    "--disclosure", "when a webhook arrives twice", "--db", store)  # fmt: skip
    assert (said["action"], said["uris"]) == ("added", [URI])
    found = document(run, "recall", "webhook", "--db", store)
    assert [item["uri"] for item in found["items"]] == [URI]
    assert found["items"][0]["cues"] == ["idempotency key", "webhook"]
    explained = document(run, "recall", "webhook", "--explain", "--db", store)["explanation"]
    assert [(one["uri"], one["shown"]) for one in explained["candidates"]] == [(URI, True)]
    assert {row["signal"] for row in explained["signal_rows"]} >= {"exact"}
    results = document(run, "search", "deduplicated", "--mode", "keyword", "--db", store)["results"]
    assert [one["uri"] for one in results] == [URI]


def test_every_table_of_lore_gets_its_rows(store: Path) -> None:
    written = datetime(2026, 1, 5, 12, tzinfo=UTC)
    add_memory(store, Memory(URI, "text", 3, "when", ("b", "a"), written))
    assert rows(store, "SELECT content, deprecated, migrated_to, created_at FROM memories") == [
        ("text", False, None, written)
    ]
    assert rows(store, "SELECT parent_uuid, priority, disclosure FROM edges") == [(ROOT, 3, "when")]
    assert rows(store, "SELECT domain, path FROM paths") == [("project", "checkout/webhooks")]
    assert rows(store, "SELECT keyword FROM glossary_keywords ORDER BY rowid") == [("b",), ("a",)]
    ((kind, uri, before, after, at),) = rows(
        store, "SELECT event_type, node_uri, before_snapshot, after_snapshot, created_at FROM memory_events"
    )
    assert (kind, uri, before, at) == ("create", URI, None, written)
    assert json.loads(after) == {
        "content": "text", "priority": 3, "disclosure": "when", "glossary_keywords": ["b", "a"],
    }  # fmt: skip
    views = rows(store, "SELECT view_type, source FROM memory_views ORDER BY view_type")
    assert views == [("gist", "rebuilt"), ("question", "rebuilt")]
    ((node,),) = rows(store, "SELECT uuid FROM nodes")
    assert rows(store, "SELECT DISTINCT node_uuid FROM memories") == [(node,)]


def test_an_edit_keeps_the_former_text(store: Path) -> None:
    add_memory(store, Memory(URI, "old", keywords=("a", "b")))
    assert edit_memory(store, URI, Edit(content="new", keywords=("b", "c"))).action == "updated"
    former, now = rows(store, "SELECT content, deprecated, migrated_to, id FROM memories ORDER BY created_at")
    assert (former[:2], now[:2]) == (("old", True), ("new", False))
    assert former[2] == now[3]
    assert rows(store, "SELECT keyword FROM glossary_keywords ORDER BY rowid") == [("b",), ("c",)]
    ((before, after, details),) = rows(
        store, "SELECT before_snapshot, after_snapshot, details FROM memory_events WHERE event_type = 'update'"
    )
    assert (json.loads(before)["content"], json.loads(after)["content"]) == ("old", "new")
    said = json.loads(details)
    assert (said["glossary_added"], said["glossary_removed"], said["priority_changed"]) == (["c"], ["a"], False)


def test_an_edit_without_a_change_writes_nothing(store: Path) -> None:
    add_memory(store, Memory(URI, "text"))
    before = store.read_bytes()
    assert edit_memory(store, URI, Edit(content="text", priority=2)).action == "unchanged"
    assert store.read_bytes() == before


def test_a_removed_memory_is_recalled_no_more_and_keeps_its_history(run: Run, store: Path) -> None:
    add_memory(store, Memory(URI, "Retries", keywords=("retry",)))
    remove_memory(store, URI)
    assert list_memories(store) == []
    assert document(run, "recall", "retry", "--db", store)["items"] == []
    shown = document(run, "memory", "show", URI, "--db", store)
    assert (shown["removed"], [one["content"] for one in shown["versions"]]) == (True, ["Retries"])
    assert [one["event_type"] for one in shown["events"]] == ["create", "delete"]


def test_a_removed_memory_comes_back_at_its_node(run: Run, store: Path) -> None:
    add_memory(store, Memory(URI, "first", keywords=("a",)))
    remove_memory(store, URI)
    add_memory(store, Memory(URI, "second", created=datetime(2020, 1, 1, tzinfo=UTC)))
    shown = document(run, "memory", "show", URI, "--db", store)
    assert [one["content"] for one in shown["versions"]] == ["first", "second"]
    assert (shown["removed"], shown["keywords"]) == (False, [])


def test_an_earlier_time_sees_the_memories_of_then(store: Path) -> None:
    long_ago = datetime(2026, 1, 1, tzinfo=UTC)
    add_memory(store, Memory(URI, "first", created=long_ago))
    edit_memory(store, URI, Edit(content="second"))
    remove_memory(store, URI)
    with reading(store) as db:
        build_versions(db)
        versions = db.rows("SELECT content, valid_from, valid_to FROM content_versions ORDER BY valid_from")
    assert [content for content, *_ in versions] == ["first", "second"]
    assert versions[0][2] == versions[1][1]
    assert versions[1][2] < datetime.now(UTC) + timedelta(minutes=1)


def test_a_memory_hangs_on_the_nearest_address_above_it(store: Path) -> None:
    for uri in ("p://a/b/c", "p://a", "p://a/b", "p://ab", "q://a/b/c/d"):
        add_memory(store, Memory(uri, uri))
    above = dict(rows(store, """
        SELECT p.path, coalesce(u.path, 'root') FROM paths AS p JOIN edges AS e ON e.id = p.edge_id
        LEFT JOIN edges AS x ON x.child_uuid = e.parent_uuid LEFT JOIN paths AS u ON u.edge_id = x.id
        WHERE p.domain = 'p'
    """))  # fmt: skip
    assert above == {"a": "root", "a/b": "a", "a/b/c": "a/b", "ab": "root"}
    assert rows(store, "SELECT parent_uuid FROM edges JOIN paths ON edge_id = id WHERE domain = 'q'") == [(ROOT,)]


def test_lists_filter_by_domain_and_text(store: Path) -> None:
    add_memory(store, Memory("a://one", "Alpha", disclosure="When BETA"))
    add_memory(store, Memory("b://two", "gamma", keywords=("Delta",)))
    assert [one["uri"] for one in list_memories(store)] == ["a://one", "b://two"]
    assert [one["uri"] for one in list_memories(store, "b")] == ["b://two"]
    assert [one["uri"] for one in list_memories(store, text="beta")] == ["a://one"]
    assert [one["uri"] for one in list_memories(store, text="dELTa")] == ["b://two"]


@pytest.mark.parametrize(
    "uri",
    ["", "plain", "://x", "a://", "a:///b", "a://b/", "a://b//c", "a://b/../c", "a://b\nc", "a://b\u0000", "-a://b",
     "a b://c", "a:// b", "a://b/\u2028", "a://\ud800", "a://" + "x" * 600, "d" * 70 + "://x"],
)  # fmt: skip
def test_an_address_that_cannot_be_is_refused_in_one_sentence(run: Run, store: Path, uri: str) -> None:
    code, out, err = run("memory", "add", "--content", "x", "--db", store, "--", uri)
    assert (code, out, err.count("\n"), "Traceback" in err) == (2, "", 1, False)
    assert not store.exists()


@given(st.text())
def test_an_address_is_split_or_refused(text: str) -> None:
    try:
        domain, path = split_uri(text)
    except BadInput:
        return
    assert f"{domain}://{path}" == text


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"content": " \n"}, "empty"), ({"content": "a\u0000"}, "control"), ({"content": "\udc80"}, "control"),
        ({"priority": -1}, "priority"), ({"priority": 101}, "priority"), ({"keywords": ("",)}, "keyword"),
        ({"keywords": ("a\nb",)}, "keyword"), ({"keywords": ("k" * 300,)}, "longer"),
        ({"disclosure": "\u0007"}, "control"),
        ({"keywords": tuple(map(str, range(200)))}, "200 keywords"), ({"content": "x" * 1_000_001}, "1,000,001"),
    ],
)  # fmt: skip
def test_what_cannot_stand_in_a_memory_is_refused(values: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        Memory(**{"uri": URI, "content": "text", **values})


def test_the_command_line_refuses_in_one_sentence_and_changes_nothing(
    run: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_memory(store, Memory(URI, "text"))
    before = store.read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe")))
    for arguments, said in (
        (("add", URI, "--content", "x"), "holds a memory already"),
        (("add", "p://new"), "needs a text"),
        (("add", "p://new", "--content", "x", "--content-file", "-"), "exclude"),
        (("add", "p://new", "--content-file", "-"), "UTF-8"),
        (("add", "p://new", "--content-file", "nowhere"), "Cannot read"),
        (("add", "p://new", "--content", "x", "--created", "2999-01-01"), "to come"),
        (("add", "p://new", "--content", "x", "--created", "soon"), "soon"),
        (("edit", "p://new", "--content", "x"), "does not exist"),
        (("edit", URI), "Nothing to change"),
        (("edit", URI, "--keyword", "a", "--no-keywords"), "exclude"),
        (("remove", "p://new"), "does not exist"),
        (("show", "p://new"), "does not exist"),
    ):
        code, out, err = run("memory", *arguments, "--db", store)
        assert (code, out, err.count("\n")) == (2, "", 1), err
        assert said in err
    assert store.read_bytes() == before


def test_content_comes_from_a_file_or_from_input(run: Run, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = store.with_name("text.md")
    file.write_text("\ufeffaus einer Datei: 数据库", encoding="utf-8")
    document(run, "memory", "add", "p://file", "--content-file", file, "--db", store)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("von der Eingabe 😀".encode())))
    document(run, "memory", "add", "p://input", "--content-file", "-", "--db", store)
    contents = dict(rows(store, "SELECT p.path, m.content FROM paths AS p JOIN edges AS e ON e.id = p.edge_id "
                                "JOIN memories AS m ON m.node_uuid = e.child_uuid"))  # fmt: skip
    assert contents == {"file": "aus einer Datei: 数据库", "input": "von der Eingabe 😀"}


def test_vectors_follow_and_a_failing_embedder_loses_nothing(
    run: Run, store: Path, embedder: Letters, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_memory(store, Memory("p://one", "first"))
    held = rows(store, "SELECT count(*) FROM wb.embeddings")[0][0]
    assert held == 2
    edit_memory(store, "p://one", Edit(content="changed"))
    assert rows(store, "SELECT count(*) FROM wb.embeddings")[0][0] > held

    def fail(texts: list[str]) -> Floats:
        raise BadInput("The server is away.")

    monkeypatch.setattr(embedder, "embed", fail)
    said = document(run, "memory", "add", "p://two", "--content", "second", "--db", store)
    assert (said["action"], len(said["notes"]), "The server is away" in said["notes"][0]) == ("added", 1, True)
    assert [one["uri"] for one in list_memories(store)] == ["p://one", "p://two"]


def test_in_the_store_of_a_server_only_written_memories_get_rebuilt_views(tmp_path: Path) -> None:
    store = tmp_path / "s.duckdb"
    store.write_bytes(world_store(60, 0.4, 3).read_bytes())
    served = rows(store, "SELECT count(*) FROM memory_views")[0][0]
    ((uri, node),) = rows(store, "SELECT uri, node_uuid FROM memory_views WHERE domain <> 'core' ORDER BY uri LIMIT 1")
    add_memory(store, Memory("own://note", "a note of mine", keywords=("mine",)))
    edit_memory(store, uri, Edit(content="another text"))
    rebuilt = rows(store, "SELECT DISTINCT uri FROM memory_views WHERE source = 'rebuilt' ORDER BY uri")
    assert set(rebuilt) == {("own://note",), (uri,)}
    assert rows(store, "SELECT count(*) FROM memory_views WHERE source <> 'rebuilt'") == [(served,)]
    stale = f"SELECT DISTINCT status FROM memory_views WHERE source <> 'rebuilt' AND node_uuid = '{node}'"
    assert rows(store, stale) == [("stale",)]


class TestFolder:
    """A folder of Markdown files."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        folder = tmp_path / "md"
        (folder / "sub").mkdir(parents=True)
        (folder / "deploy.md").write_text(
            "---\nuri: ops://deploy\npriority: 1\nkeywords: [deploy, 发布]\ndisclosure: when deploying\n"
            "created: 2026-01-05\n---\n# Deploy\nFreeze first.\n",
            encoding="utf-8",
        )
        (folder / "sub" / "my note.md").write_text("plain\n", encoding="utf-8")
        (folder / "sub" / "other.markdown").write_text(
            "---\ndomain: proj\npath: x/y\nkeywords: a, b\nmood: good\n---\ntext", encoding="utf-8"
        )
        (folder / "ignored.txt").write_text("no", encoding="utf-8")
        return folder

    def test_a_second_run_adds_nothing_and_an_edited_file_updates(self, store: Path, folder: Path) -> None:
        first = import_folder(store, folder)
        assert first.added == ["ops://deploy", "notes://sub/my note", "proj://x/y"]
        assert (first.read, first.skipped, first.rejected) == (3, 0, [])
        assert ["mood" in warning for warning in first.warnings] == [True]
        before = store.read_bytes()
        second = import_folder(store, folder)
        assert (second.added, second.updated, second.skipped) == ([], [], 3)
        assert store.read_bytes() == before
        file = folder / "deploy.md"
        file.write_text(file.read_text(encoding="utf-8").replace("Freeze first", "Freeze last"), encoding="utf-8")
        assert import_folder(store, folder).updated == ["ops://deploy"]
        by_uri = {one["uri"]: one for one in list_memories(store)}
        assert (by_uri["ops://deploy"]["priority"], by_uri["ops://deploy"]["keywords"]) == (1, ["deploy", "发布"])
        assert by_uri["proj://x/y"]["keywords"] == ["a", "b"]

    def test_what_was_changed_by_hand_stays_until_its_file_changes(self, store: Path, folder: Path) -> None:
        import_folder(store, folder)
        edit_memory(store, "ops://deploy", Edit(priority=7))
        remove_memory(store, "proj://x/y")
        again = import_folder(store, folder)
        assert (again.added, again.updated, again.skipped) == ([], [], 3)
        (folder / "sub" / "other.markdown").write_text("---\nuri: proj://x/y\n---\nanew", encoding="utf-8")
        assert import_folder(store, folder).added == ["proj://x/y"]

    def test_a_dry_run_says_the_same_and_changes_nothing(self, store: Path, folder: Path) -> None:
        dry = import_folder(store, folder, dry_run=True)
        assert not store.exists()
        assert dry == import_folder(store, folder)

    def test_a_file_that_cannot_be_used_is_rejected_and_the_others_go_in(
        self, run: Run, store: Path, folder: Path
    ) -> None:
        bad = {
            "bad.md": (b"---\na: [\n---\nx", "YAML"),
            "binary.md": (b"\xff\xfe\x00", "UTF-8"),
            "deploy2.md": (b"---\nuri: ops://deploy\n---\ny", "deploy.md"),
            "empty.md": (b"---\nuri: a://b\n---\n", "empty"),
            "high.md": (b"---\npriority: high\n---\nx", "whole number"),
            "list.md": (b"---\nuri: [a]\n---\nx", "no text"),
            "tag.md": (b"---\nuri: !!python/object:os.system\n---\nx", "YAML"),
            "when.md": (b"---\ncreated: soon\n---\nx", "soon"),
            "z.md": (b"---\nuri: a://c\npath: x\n---\nx", "keep one"),
            "zz.md": (b"---\nkeywords: [[a]]\n---\nx", "words"),
        }
        for name, (raw, _) in bad.items():
            (folder / name).write_bytes(raw)
        said = document(run, "memory", "import", folder, "--db", store)
        assert len(said["added"]) == 3
        reasons = {one["where"]: one["reason"] for one in said["rejected"]}
        assert reasons.keys() == bad.keys()
        for name, (_, part) in bad.items():
            assert part in reasons[name], reasons[name]

    def test_a_folder_without_usable_files_is_refused(self, run: Run, store: Path, tmp_path: Path) -> None:
        empty = tmp_path / "empty"
        empty.mkdir()
        for folder, said in ((tmp_path / "none", "no folder"), (empty, "no Markdown")):
            code, _, err = run("memory", "import", folder, "--db", store)
            assert (code, said in err, err.count("\n")) == (2, True, 1)
        (empty / "x.md").write_text("---\npriority: x\n---\ny", encoding="utf-8")
        code, _, err = run("memory", "import", empty, "--db", store)
        assert (code, "x.md" in err) == (2, True)
        assert not store.exists()


def test_in_the_store_of_a_server_a_written_memory_is_found_by_meaning(tmp_path: Path, embedder: Letters) -> None:
    with memories() as store:
        for letter in "abc":
            vector = embedder.embed([letter * 9])[0].tolist()
            store.add(f"p://{letter}", views={"gist": letter * 9}, vector=vector, model=embedder.name)
        create(store.db, None, Memory("own://zebra", "zzzz", keywords=("zz",)), datetime.now(UTC))
        rebuild(store.db, Params.default())
        found = store.db.rows("SELECT text_content FROM memory_views WHERE source = 'rebuilt'")
        wanted = [normalise(text) for (text,) in found]
        add(store.db, embedder.name, wanted, embedder.embed(wanted))
        corpus = load_corpus(store.db, tokenizer("simple"), embedder.name)
        assert len(corpus.view_vectors.numbers) == 3 + len(wanted) == 5
        retrieve_candidates(corpus, [Prompt("q", "zzz", datetime.now(UTC))], embedder.embed(["zzzzzz"]), Depth())
        dense = store.db.rows(
            "SELECT uri, max(raw_score) FROM signal_rows WHERE signal = 'dense' GROUP BY uri ORDER BY 2 DESC"
        )
    assert dense[0][0] == "own://zebra"
    assert {uri for uri, _ in dense} == {"own://zebra", "p://a", "p://b", "p://c"}
