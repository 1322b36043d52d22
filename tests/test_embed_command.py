"""`workbench embed` and what `status` says of vectors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from embedders import Fake, vector_of
from embedding_server import Server, answer, error, serving
from import_sources import NO_MEMORIES, backup, event

from workbench import jobs
from workbench.embed.local import USE
from workbench.embed.protocol import KEY_VARIABLE
from workbench.retrieve.embeddings import vectors
from workbench.store import reading, writing

KEY = "sk-very-secret-0123456789"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _no_ambient_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WORKBENCH_EMBEDDER", "WORKBENCH_EMBEDDING_URL", "WORKBENCH_EMBEDDING_MODEL", KEY_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store from a backup with three memories, a keyword each, and two prompts."""
    rows: dict[str, list[dict[str, Any]]] = {name: list(table) for name, table in NO_MEMORIES.items()}  # type: ignore[arg-type]
    rows |= {"glossary_keywords": [], "recall_events": []}
    for n, content in enumerate(("Refunds take five days.", "退款要五天", "Deploy on Mondays."), 1):
        made = "2026-03-01T10:00:00Z"
        rows["nodes"].append({"uuid": f"n{n}", "created_at": made})
        rows["memories"].append({"id": str(n), "node_uuid": f"n{n}", "content": content, "deprecated": False,
                                 "migrated_to": None, "created_at": made})  # fmt: skip
        rows["edges"].append({"id": str(n), "parent_uuid": None, "child_uuid": f"n{n}", "priority": 2,
                              "disclosure": None, "created_at": made})  # fmt: skip
        rows["paths"].append({"domain": "core", "path": f"m{n}", "edge_id": str(n), "created_at": made})
        rows["glossary_keywords"].append({"id": str(n), "keyword": f"key_{n}", "node_uuid": f"n{n}",
                                          "created_at": made})  # fmt: skip
    long = "why is the refund late " * 20
    rows["recall_events"] += [
        event(1, node_uri="core://m1", query_text="how do  refunds work"),
        event(2, node_uri="core://m1", query_id="q2", query_text=long,
              metadata={"raw_score": 0.8, "retrieval_meta": {"query_char_limit": 50}}),
    ]  # fmt: skip
    path = tmp_path / "s.duckdb"
    jobs.import_log(path, str(backup(tmp_path, rows)))
    return path


def document(run: Run, *arguments: str | Path, code: int = 0) -> dict[str, Any]:
    got, out, err = run(*arguments, "--json")
    assert got == code, err
    found: dict[str, Any] = json.loads(out)
    return found


def refused(run: Run, *arguments: str | Path) -> str:
    code, out, err = run(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1), err
    return err.strip()


def at(server: Server, store: Path) -> tuple[str | Path, ...]:
    return "embed", "--db", store, "--base-url", server.url, "--model", "m1"


def test_everything_that_lacks_a_vector_gets_one(run: Run, server: Server, store: Path) -> None:
    said = document(run, *at(server, store), "--batch", "4")
    assert {kind: counts["texts"] for kind, counts in said["kinds"].items()} == {
        "views": 6,
        "glossary": 3,
        "queries": 2,
    }
    assert (said["model"], said["dimension"], said["texts"], said["embedded"], said["present"]) == ("m1", 8, 11, 11, 0)
    asked = [text for body in server.asked for text in body["input"]]
    assert [len(body["input"]) for body in server.asked] == [4, 4, 3]
    assert "Refunds take five days." in asked
    assert "key 1" in asked
    assert asked[-2:] == ["how do refunds work", ("why is the refund late " * 20)[:50].strip()]
    with reading(store) as db:
        assert vectors(db, "m1", ["key 2"]).matrix.tolist() == [vector_of("key 2").tolist()]
    again = document(run, *at(server, store))
    assert (again["embedded"], again["present"], len(server.asked)) == (0, 11, 3)


def test_case_12_rebuilt_views_of_a_backup_are_said_by_embed_and_status(run: Run, server: Server, store: Path) -> None:
    lacking = document(run, "status", "--db", store)["capabilities"]["views"]
    assert (lacking["possible"], "`workbench embed` rebuilds them" in lacking["why"]) == (False, True)
    said = document(run, *at(server, store))
    assert said["rebuilt"] == {"views": 6, "keywords": 3}
    assert any("6 views are rebuilt" in note and "approximations" in note for note in said["notes"])
    status = document(run, "status", "--db", store)
    assert status["capabilities"]["views"] == {"possible": True, "why": "6 views rebuilt from the memories"}
    assert status["embeddings"]["rebuilt"] == {"views": 6, "keywords": 3}
    assert any("approximations" in warning for warning in status["warnings"])
    (entry,) = [entry for entry in status["embeddings"]["models"] if entry["texts"]]
    assert (entry["model"], entry["dimension"], entry["texts"], entry["usable"]) == ("m1", 8, 11, True)
    with reading(store) as db:
        indexed = db.row("SELECT count(*) FROM wb.indexed_texts")[0]
        assert indexed >= 6


def test_status_lists_the_models_for_a_person(run: Run, server: Server, store: Path) -> None:
    document(run, *at(server, store))
    _, out, _ = run("status", "--db", store)
    (line,) = [line for line in out.splitlines() if line.startswith("m1 ")]
    assert line.split() == ["m1", "8", "6", "3", "11", "0", "yes"]


def test_a_replay_of_rebuilt_views_says_that_it_approximates(run: Run, server: Server, store: Path) -> None:
    document(run, *at(server, store))
    code, out, err = run("replay", "--db", store, "--signals", "engine", "--json")
    assert (code, json.loads(out)["engine"]["rebuilt"]) == (0, {"views": 6, "keywords": 3})
    assert "6 views are rebuilt from the memories" in err


def test_a_later_import_renews_rebuilt_views(run: Run, server: Server, store: Path, tmp_path: Path) -> None:
    document(run, *at(server, store))
    rows = dict(NO_MEMORIES) | {"memories": [{"id": "1", "node_uuid": "n1", "content": "Refunds take six days.",
                "deprecated": False, "migrated_to": None, "created_at": "2026-03-01T10:00:00Z"}]}  # fmt: skip
    jobs.import_log(store, str(backup(tmp_path, rows)))
    with reading(store) as db:
        assert ("Refunds take six days.",) in db.rows("SELECT text_content FROM memory_views")
    said = document(run, *at(server, store))
    assert said["embedded"] == 1


def test_a_dry_run_counts_and_changes_nothing(run: Run, server: Server, store: Path) -> None:
    before = store.read_bytes()
    said = document(run, *at(server, store), "--dry-run")
    assert (said["missing"], said["embedded"], said["dry_run"]) == (11, 0, True)
    assert said["kinds"]["views"] == {"texts": 6, "missing": 6}
    _, out, _ = run(*at(server, store), "--dry-run")
    assert "11 texts would be embedded with m1. Dry run: nothing was changed." in out
    assert (server.asked, store.read_bytes()) == ([], before)


def test_one_kind_alone(run: Run, server: Server, store: Path) -> None:
    assert document(run, *at(server, store), "--only", "queries")["texts"] == 2
    assert document(run, *at(server, store), "--only", "glossary", "--only", "views")["embedded"] == 9


def test_prompts_as_another_configuration_cuts_them(run: Run, server: Server, store: Path, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text("[recall.safety]\nmax_query_chars = 100\n", encoding="utf-8")
    document(run, *at(server, store), "--only", "queries", "--config", tmp_path / "c.toml")
    assert [len(text) for text in server.asked[0]["input"]] == [19, len(("why is the refund late " * 20)[:100].strip())]


def test_the_model_of_the_import_is_held_against_the_chosen_one(run: Run, server: Server, store: Path) -> None:
    with writing(store, "test") as db:
        db.execute("""INSERT INTO app_settings VALUES ('embedding.model', '{"value": "m0"}', NULL)""")
    said = document(run, *at(server, store))
    assert said["imported_model"] == "m0"
    assert any("all texts are embedded anew under m1" in n and "never compared" in n for n in said["notes"])
    same = document(run, "embed", "--db", store, "--base-url", server.url)
    assert (same["model"], server.asked[-1]["model"]) == ("m0", "m0")
    assert not any("never compared" in note for note in same["notes"])


def test_the_local_model_needs_nothing(run: Run, store: Path) -> None:
    said = document(run, "embed", "--db", store)
    assert (said["model"], said["dimension"], said["embedded"]) == (USE, 512, 11)


def test_vectors_of_a_file_are_taken_in(run: Run, store: Path, tmp_path: Path) -> None:
    file = tmp_path / "v.parquet"
    pq.write_table(pa.table({"text": ["a", "b", "c"], "vector": [[1.0, 2.0], [0.0, 0.0], [3.0, 4.0]]}), file)
    said = document(run, "embed", "--db", store, "--from", file, "--model", "m7")
    assert (said["embedded"], said["refused"]) == (2, [{"text": "b", "reason": "its vector is zero"}])
    code, out, _ = run("embed", "--db", store, "--from", file, "--model", "m7")
    assert (code, "No vector for 'b': its vector is zero" in out) == (0, True)
    assert "leave --only" in refused(run, "embed", "--db", store, "--from", file, "--model", "m7", "--only", "views")


def test_a_stop_says_that_what_is_done_is_kept(run: Run, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopped(Fake):
        def embed(self, texts: Any) -> Any:
            if self.asked:
                raise KeyboardInterrupt
            return super().embed(texts)

    monkeypatch.setattr(jobs, "choose", lambda wanted, imported: Stopped())
    code, _, err = run("embed", "--db", store, "--batch", "3")
    assert (code, err.strip()) == (130, "Stopped; what was embedded is kept.")
    with reading(store) as db:
        assert db.row("SELECT count(*) FROM wb.embeddings") == (3,)


def test_the_key_appears_nowhere(
    run: Run, server: Server, store: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    caplog.set_level("DEBUG")
    outputs: list[str] = []
    for reply in (error(401, f"bad key {KEY}"), error(400, KEY), error(500, KEY, Retry_After="900"), answer):
        server.replies = [reply] * 2
        outputs += run(*at(server, store))[1:]
    server.replies = [(200, KEY.encode())]
    outputs += run(*at(server, store), "--name", "other")[1:]
    outputs += run(*at(server, store))[1:] + run("status", "--db", store, "--json")[1:]
    assert server.keys
    assert set(server.keys) == {f"Bearer {KEY}"}
    assert "11 texts embedded" in "".join(outputs)
    assert KEY not in "".join(outputs) + caplog.text
    for path in store.parent.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--embedder", "magic"], "Unknown embedder 'magic'"),
        (["--only", "words"], "There are no texts of the kind 'words'"),
        (["--batch", "0"], "A batch of 0 texts is none"),
        (["--embedder", "openai"], "needs the address of the server"),
        (["--base-url", "localhost", "--model", "m"], "write it like http://localhost:8000/v1"),
        (["--base-url", "http://127.0.0.1:9", "--model", "m"], "Cannot reach http://127.0.0.1:9/v1/embeddings"),
        (["--from", "none.parquet", "--model", "m"], "There is no file none.parquet"),
        (["--from", "none.parquet"], "--from needs --model NAME"),
        (["--embedder", "use", "--name", "mine"], "--name goes with --embedder openai"),
    ],
)
def test_misuse_is_one_sentence(run: Run, store: Path, arguments: list[str], said: str) -> None:
    before = store.read_bytes()
    assert said in refused(run, "embed", "--db", store, *arguments)
    assert store.read_bytes() == before
