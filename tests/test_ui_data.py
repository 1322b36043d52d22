"""The page of the data: an import in a process of its own, its report, what was imported, joins, and a backup."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from missed_log import logged
from small_log import derive
from streamlit.testing.v1 import AppTest
from studies import wait
from ui_app import opened, sound, visit, widget, word

from workbench import jobs
from workbench.cli import output
from workbench.errors import BadInput, StoreLocked
from workbench.judge.hand import answered, keep, listing, reading_answers
from workbench.simulate import World, simulate
from workbench.store import back_up, reading, writing
from workbench.ui import imports
from workbench.ui.imports import Plan


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of tables of another world."""
    folder = tmp_path_factory.mktemp("source") / "tables"
    simulate(folder, World(prompts=200, needs=0.4), 5)
    return folder


class Sent:
    """A file as a browser sends it."""

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.name = name or path.name
        self._content = path.read_bytes()

    def getbuffer(self) -> memoryview:
        return memoryview(self._content)


def over(store: Path) -> bool:
    return not imports.is_running(store)


def recalls(store: Path) -> int:
    with reading(store) as db:
        return int(db.row("SELECT count(*) FROM recall_queries")[0])


def press(app: AppTest, name: str) -> None:
    sound(widget(app, "button", word(f"data.{name}")).click().run())


def test_an_import_runs_by_itself_and_is_reported(store: Path, tables: Path) -> None:
    before = recalls(store)
    app = opened("data")
    assert widget(app, "button", word("data.start")).disabled
    sound(widget(app, "text_input", word("data.path")).set_value(str(tables)).run())
    widget(app, "button", word("data.start")).click().run()
    wait(lambda: over(store))
    assert recalls(store) > before
    visit(visit(app, "overview"), "data")
    assert app.success[0].value.replace("\\", "") == word("data.done").format(source=tables)
    done = app.dataframe[0].value
    found = imports.report(store)
    assert found is not None
    assert done.set_index("table")["added"].to_dict() == {
        name: counts.get("added", 0) for name, counts in found["tables"].items()
    }
    press(app, "dismiss")
    assert not app.success
    assert app.dataframe[0].value["kind"].tolist()[:1] == ["tables"]


def test_a_second_import_waits_and_a_cancelled_one_changes_nothing(store: Path, tables: Path) -> None:
    content = store.read_bytes()
    imports.start(store, Plan(str(tables)))
    with pytest.raises(StoreLocked, match="goes on"):
        imports.start(store, Plan(str(tables)))
    imports.cancel(store)
    assert not imports.is_running(store)
    assert store.read_bytes() == content
    app = opened("data")
    assert word("data.cancelled").format(source=tables) in app.info[0].value.replace("\\", "")
    assert imports.report(store) is None
    imports.cancel(store)  # nothing goes on: nothing happens


def test_uploads_are_imported_and_removed(store: Path, tables: Path, tmp_path: Path) -> None:
    sent = [Sent(file) for file in sorted(tables.glob("*"))]
    imports.start(store, Plan(""), sent)
    wait(lambda: over(store))
    found = imports.report(store)
    assert found is not None, imports.complaint(store)
    assert found["kind"] == "tables"
    imports.sweep(store)
    assert not (tmp_path / "store.duckdb.imports" / "uploads").exists()
    one = tmp_path / "odd.json"
    one.write_text("{}", encoding="utf-8")
    imports.start(store, Plan(""), [Sent(one, "../../away.json")])
    wait(lambda: over(store))
    assert not (tmp_path.parent / "away.json").exists()
    assert "away.json" in imports.complaint(store)


def test_what_cannot_be_imported_is_said_in_one_sentence(store: Path) -> None:
    app = opened("data")
    source = "/nowhere/$5_[x](y).json"
    sound(widget(app, "text_input", word("data.path")).set_value(source).run())
    widget(app, "button", word("data.start")).click().run()
    wait(lambda: over(store))
    app.run()
    assert not app.exception
    assert f"There is no {source}" in app.error[0].value.replace("\\", "")
    with pytest.raises(BadInput, match="Name a source"):
        imports.start(store, Plan(" "))


def test_a_password_is_kept_nowhere(store: Path) -> None:
    imports.start(store, Plan("postgresql://ann:hidden@localhost:1/lore"))
    wait(lambda: over(store))
    folder = store.with_name(f"{store.name}.imports")
    assert all(b"hidden" not in file.read_bytes() for file in folder.iterdir())


def test_a_dry_run_changes_nothing(store: Path, tables: Path) -> None:
    content = store.read_bytes()
    imports.start(store, Plan(str(tables), dry_run=True, zone="Asia/Shanghai", since="2026-01-01", redact=False))
    wait(lambda: over(store))
    app = opened("data")
    assert "nothing was changed" in app.success[0].value
    assert store.read_bytes() == content


def test_the_progress_of_a_command_goes_to_the_file_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert imports.PROGRESS_FILE == output.PROGRESS_FILE
    target = tmp_path / "store.duckdb.imports" / "step.json"
    target.parent.mkdir()
    monkeypatch.setenv(output.PROGRESS_FILE, str(target))
    assert imports.step(tmp_path / "store.duckdb") == (0.0, "")
    with output.progress(quiet=True) as note:
        note(3, 12, "reading paths")
        note(9, 12, "reading paths")  # too soon after the other
    assert json.loads(target.read_text("utf-8")) == {"done": 3, "total": 12, "what": "reading paths"}
    assert imports.step(tmp_path / "store.duckdb") == (0.25, "reading paths")
    with output.progress(quiet=True) as note:
        note(0, None, "indexing texts")
    assert imports.step(tmp_path / "store.duckdb") == (0.0, "indexing texts")


def test_a_past_import_shows_its_rejected_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "tables"
    source.mkdir()
    good = json.dumps({"domain": "core", "path": "a", "edge_id": "e"})
    (source / "paths.jsonl").write_text(f"{good}\nno <b>json</b> $5\n", encoding="utf-8")
    target = tmp_path / "store.duckdb"
    jobs.import_log(target, str(source))
    monkeypatch.setenv("WORKBENCH_DB", str(target))
    app = opened("data", **{"import": "1"})
    (rejected,) = [frame.value for frame in app.dataframe if "where" in frame.value]
    assert rejected["where"].tolist() == ["paths (paths.jsonl:2)"]


def test_joins_tokenizer_and_models_are_said(store: Path) -> None:
    app = opened("data")
    (joins,) = [frame.value for frame in app.dataframe if "never_links" in frame.value]
    assert joins["prompts"].sum() == 900
    assert opened("data", client=["codex"]).dataframe[1].value["client"].tolist() == ["codex"]
    assert any(line.value.startswith("Tokenizer ") for line in app.markdown)
    assert [frame.value for frame in app.dataframe if "dimension" in frame.value]
    assert word("data.no_transcripts") in [line.value for line in app.caption]
    assert store.exists()


def test_settings_over_the_log_are_recovered_when_somebody_asks(store: Path) -> None:
    app = opened("data", lang="zh")
    asked = [frame for frame in app.dataframe if "until" in frame.value]
    assert not asked
    widget(app, "toggle", word("data.find_periods", "zh")).set_value(True).run()
    (found,) = [frame.value for frame in app.dataframe if "until" in frame.value]
    assert len(found) == 1
    assert found["recall.weights.w_exact"].tolist() == ["0.3"]
    assert any(line.value.startswith("就记录的各项得分而言") for line in app.markdown)
    assert store.exists()


def test_a_backup_can_take_the_place_of_the_store(store: Path, tmp_path: Path) -> None:
    with reading(store) as db:
        query_id, uri = db.row("SELECT query_id, uri FROM wb.logged_candidates ORDER BY ALL LIMIT 1")
        (at,) = db.row("SELECT max(now) FROM wb.logged_queries")
        given = answered(db, query_id, uri, "yes", at)
    keep(store, [given])
    target = tmp_path / "kept.duckdb"
    app = opened("data")
    sound(widget(app, "text_input", word("data.backup_to")).set_value(str(target)).run())
    press(app, "back_up")
    assert app.success
    assert target.stat().st_mode & 0o777 == 0o600
    with reading_answers(target) as db:
        assert [one["uri"] for one in listing(db)] == [uri]
    assert recalls(target) == recalls(store)
    widget(app, "button", word("data.back_up")).click().run()
    assert "exists already" in app.error[0].value
    assert sorted(file.name for file in tmp_path.glob("kept*")) == ["kept.duckdb"]
    for bad in (tmp_path / "none" / "x.duckdb", store):
        with pytest.raises(BadInput):
            back_up(store, bad)
    with pytest.raises(BadInput, match="There is no store"):
        back_up(tmp_path / "no.duckdb", tmp_path / "y.duckdb")


def test_the_first_import_makes_the_store(tmp_path: Path, tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "new.duckdb"
    monkeypatch.setenv("WORKBENCH_DB", str(target))
    app = opened("data", lang="zh")
    assert app.info[0].value.startswith(str(tmp_path).replace("-", "\\-").replace("_", "\\_")[:8])
    imports.start(target, Plan(str(tables)))
    wait(lambda: over(target))
    assert recalls(target) > 200
    assert sound(app.run()).success


def test_an_empty_store_offers_the_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with writing(tmp_path / "empty.duckdb", "test"):
        pass
    monkeypatch.setenv("WORKBENCH_DB", str(tmp_path / "empty.duckdb"))
    app = opened("data")
    assert word("data.no_sources") in [line.value for line in app.caption]
    assert widget(app, "button", word("data.start"))


def test_case_23_a_hostile_source_is_literal(store: Path) -> None:
    with writing(store, "test") as db:
        logged(db, "q1", text="x")
        derive(db)
        db.execute("UPDATE wb.imports SET source = '$5 [x](y) <b>z</b>'")
    (done,) = [frame.value for frame in opened("data").dataframe if "source" in frame.value]
    assert done["source"].tolist() == ["$5 [x](y) <b>z</b>"]


def test_without_a_store_every_way_leads_to_the_page_that_makes_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_DB", str(tmp_path / "new.duckdb"))
    assert opened("overview").title[0].value == word("data.title")
    for screen in ("whatif", "review"):
        app = opened(screen)
        assert not app.title
        assert word("data.no_store").partition("{")[0] in app.info[0].value
    assert opened("help").title
