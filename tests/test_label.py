"""Answers by hand: kept at once and never lost, in files and back, asked for without what would sway the answer."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from log_builder import Candidate, Prompt, log_of

from workbench import jobs
from workbench.errors import BadInput
from workbench.folding import fold
from workbench.judge import hand
from workbench.labelling import Decision, next_pairs, pending_decision
from workbench.labelling.pick import LEAST
from workbench.metrics.report import report
from workbench.params import Params
from workbench.replay.run import Settings
from workbench.replay.selection import Selection
from workbench.simulate import World, simulate
from workbench.store import Database, Inbox, reading

IN_FORCE = Params.default()
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("label")
    simulate(folder / "tables", World(prompts=60), 3)
    jobs.import_log(folder / "store.duckdb", str(folder / "tables"))
    return folder / "store.duckdb"


@pytest.fixture
def store(world: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "store.duckdb"
    copy.write_bytes(world.read_bytes())
    return copy


def _document(run: Run, *arguments: object) -> dict[str, Any]:
    code, out, err = run(*arguments, "--json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def _pairs(store: Path, most: int = 4) -> list[tuple[str, str]]:
    with reading(store) as db:
        return db.rows(
            "SELECT query_id, uri FROM wb.logged_candidates SEMI JOIN recall_queries USING (query_id)"
            " WHERE logged_shown ORDER BY query_id, uri LIMIT $most",
            {"most": most},
        )


def _listed(run: Run, store: Path) -> dict[tuple[str, str], str]:
    return {
        (one["query_id"], one["uri"]): one["grade"] for one in _document(run, "label", "list", "--db", store)["labels"]
    }


def test_an_answer_stands_at_once_and_after_it_is_folded(run: Run, store: Path) -> None:
    first, second, *_ = _pairs(store)
    _document(run, "label", "add", *first, "yes", "--by", "ann", "--db", store)
    _document(run, "label", "add", *second, "no", "--db", store)
    _document(run, "label", "add", *second, "yes", "--db", store)
    assert _listed(run, store) == {first: "yes", second: "yes"}
    before = _document(run, "report", "--evidence", "linked", "--evidence", "hand", "--db", store)
    assert fold(store) == 3
    assert Inbox(store).read() == []
    assert _listed(run, store) == {first: "yes", second: "yes"}
    after = _document(run, "report", "--evidence", "linked", "--evidence", "hand", "--db", store)
    assert before == after
    assert before["answers"]["shown"] == 2


def test_an_answer_that_is_taken_back_is_gone_and_its_history_stays(run: Run, store: Path) -> None:
    pair, *_ = _pairs(store)
    _document(run, "label", "add", *pair, "yes", "--db", store)
    _document(run, "label", "remove", *pair, "--db", store)
    assert _listed(run, store) == {}
    fold(store)
    with reading(store) as db:
        assert db.rows("SELECT grade FROM wb.hand_labels ORDER BY labelled_at") == [("yes",), ("withdrawn",)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"query": "nobody"}, "no prompt 'nobody'"),
        ({"uri": "core://no/such"}, "no memory at 'core://no/such'"),
        ({"grade": "maybe"}, "'maybe' is no answer"),
        ({"grade": "withdrawn"}, "'withdrawn' is no answer"),
    ],
)
def test_what_cannot_be_answered_is_said_in_a_sentence(
    run: Run, store: Path, change: dict[str, str], said: str
) -> None:
    (query, uri), *_ = _pairs(store)
    asked = {"query": query, "uri": uri, "grade": "yes"} | change
    code, _, err = run("label", "add", *asked.values(), "--db", store)
    assert (code, said in err, "Traceback" in err) == (2, True, False)
    assert Inbox(store).read() == []


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_file_gives_back_what_was_written(run: Run, store: Path, world: Path, tmp_path: Path, ending: str) -> None:
    for pair, grade in zip(_pairs(store), ("yes", "no", "unsure", "yes"), strict=True):
        _document(run, "label", "add", *pair, grade, "--by", "=ann", "--db", store)
    target, other = tmp_path / f"labels.{ending}", tmp_path / "other.duckdb"
    assert _document(run, "label", "export", target, "--db", store)["labels"] == 4
    other.write_bytes(world.read_bytes())
    first = _document(run, "label", "import", target, "--db", other)
    again = _document(run, "label", "import", target, "--db", other)
    fold(other)
    third = _document(run, "label", "import", target, "--db", other)
    assert [(said["read"], said["added"], said["known"], said["rejected"]) for said in (first, again, third)] == [
        (4, 4, 0, []), (4, 0, 4, []), (4, 0, 4, []),
    ]  # fmt: skip
    kept, back = (_document(run, "label", "list", "--db", path)["labels"] for path in (store, other))
    assert kept == back
    assert kept[0]["labelled_by"] == "=ann"


def test_rows_that_cannot_be_used_are_listed_with_their_reason(run: Run, store: Path, tmp_path: Path) -> None:
    (query, uri), *_ = _pairs(store)
    with reading(store) as db:
        (text,) = db.row("SELECT query_text FROM recall_queries WHERE query_id = $id", {"id": query})
    rows = [
        {"query_id": query, "uri": uri, "grade": "YES"},
        {"prompt": f"  {text} ", "uri": uri, "grade": "no"},
        {"query_id": "nobody", "uri": uri, "grade": "yes"},
        {"query_id": query, "uri": "core://none", "grade": "yes"},
        {"query_id": query, "uri": uri, "grade": "5"},
        {"uri": uri, "grade": "yes"},
        {"query_id": query, "uri": uri, "grade": "yes", "labelled_at": "soon"},
    ]
    source = tmp_path / "labels.jsonl"
    source.write_text("\n".join([*map(json.dumps, rows), "{broken", "[1]"]))
    said = _document(run, "label", "import", source, "--db", store)
    assert said["read"] == 9
    assert said["added"] >= 2
    reasons = {one["where"]: one["reason"] for one in said["rejected"]}
    assert list(reasons) == [f"labels.jsonl, row {number}" for number in range(3, 10)]
    assert "no prompt" in reasons["labels.jsonl, row 3"]
    assert "neither a query_id nor a prompt" in reasons["labels.jsonl, row 6"]


@pytest.mark.parametrize(("name", "content"), [("a.csv", b"\xff\xfe"), ("a.parquet", b"no"), ("a.txt", b"")])
def test_a_file_that_cannot_be_read_is_refused(
    run: Run, store: Path, tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    code, _, err = run("label", "import", tmp_path / name, "--db", store)
    assert (code, name in err, "Traceback" in err) == (2, True, False)


def test_answers_of_several_processes_all_stay(store: Path) -> None:
    pairs = _pairs(store, 8)
    command = [str(Path(sys.executable).with_name("workbench")), "label", "add", "--db", str(store)]
    running = [
        subprocess.Popen([*command, *pair, "yes"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for pair in pairs
    ]
    assert fold(store) >= 0
    errors = [process.communicate()[1] for process in running]
    assert [process.returncode for process in running] == [0] * len(pairs), errors
    fold(store)
    with reading(store) as db:
        assert sorted(db.rows("SELECT query_id, uri FROM wb.hand_labels")) == sorted(pairs)


def _answered(db: Database, query: str, uri: str, grade: str) -> None:
    hand.take(db, [vars(hand.answered(db, query, uri, grade, datetime.now(UTC)))])


URIS = {f"a://{number}": f"n{number}" for number in range(40)}


def _log(shown: int, below: int) -> list[Prompt]:
    """Prompts with one shown memory each, and as many with one just below the threshold."""
    above = [Prompt(f"s{i}", [Candidate(f"a://{i}", 0.70)], text=f"shown {i}") for i in range(shown)]
    under = [Prompt(f"u{i}", [Candidate(f"a://{20 + i}", 0.53, shown=False)], text=f"under {i}") for i in range(below)]
    return [*above, *under]


def _lower() -> Decision:
    proposed = IN_FORCE.replace({"recall.display.min_display_score": 0.55})
    return Decision("lower", Settings(IN_FORCE, IN_FORCE), Settings(proposed, IN_FORCE))


def test_only_pairs_that_the_decision_turns_on_are_asked() -> None:
    with log_of(_log(5, 6), URIS) as db:
        pairs, progress = next_pairs(db, Selection(), _lower(), most=20)
        assert {pair.uri for pair in pairs} == {f"a://{20 + i}" for i in range(6)}
        assert (progress.answered, progress.open) == (0, 6)


def test_the_order_depends_on_the_seed_alone() -> None:
    with log_of(_log(5, 12), URIS) as db:
        asked = [[pair.query_id for pair in next_pairs(db, Selection(), _lower(), seed, 12)[0]] for seed in (1, 1, 2)]
    assert asked[0] == asked[1] != asked[2]
    assert sorted(asked[0]) == sorted(asked[2])


def test_an_answered_pair_is_not_asked_again_until_the_memory_changes() -> None:
    with log_of(_log(5, 3), URIS) as db:
        _answered(db, "u0", "a://20", "unsure")
        _answered(db, "u1", "a://21", "yes")
        pairs, progress = next_pairs(db, Selection(), _lower(), most=9)
        assert [pair.query_id for pair in pairs] == ["u2"]
        assert (progress.answered, progress.open) == (2, 1)
        db.execute("UPDATE memories SET content = 'another' WHERE node_uuid = 'n21'")
        assert {pair.query_id for pair in next_pairs(db, Selection(), _lower(), most=9)[0]} == {"u1", "u2"}


@pytest.mark.parametrize("grade", ["yes", "no", "unsure"])
def test_an_answer_counts_also_for_what_was_shown_under_former_settings(grade: str) -> None:
    shown = [Prompt(f"f{i}", [Candidate(f"a://{i}", 0.53)], text=f"former {i}") for i in range(3)]
    with log_of([*shown, *_log(0, 2)], URIS) as db:
        _answered(db, "f1", "a://1", grade)
        _, progress = next_pairs(db, Selection(), _lower())
        assert (progress.answered, progress.open) == (1, 4)


def test_what_speaks_for_a_miss_is_counted_by_the_answers_that_stand() -> None:
    with log_of(_log(1, 4), URIS) as db:
        for number, grade in enumerate(["unsure", "yes", "no"]):
            _answered(db, f"u{number}", f"a://{20 + number}", grade)
        _answered(db, "u2", "a://22", "withdrawn")
        assert report(db, None).held.traces == 1


@pytest.mark.parametrize(("grade", "better"), [("yes", "helps more"), ("no", "helps less")])
def test_enough_is_known_when_the_answers_agree(grade: str, better: str) -> None:
    with log_of(_log(5, 18), URIS) as db:
        worth = []
        for number in range(18):
            _, progress = next_pairs(db, Selection(), _lower())
            worth.append(progress.more)
            _answered(db, f"u{number}", f"a://{20 + number}", grade)
        _, progress = next_pairs(db, Selection(), _lower())
        assert progress.enough
        assert better in progress.sentence()
        assert worth[0] > 0
        assert progress.open == 0


def test_one_answer_settles_nothing() -> None:
    with log_of(_log(5, 18), URIS) as db:
        _answered(db, "u0", "a://20", "yes")
        _, progress = next_pairs(db, Selection(), _lower())
        assert not progress.enough
        assert progress.more >= LEAST - 1
        assert "Enough" not in progress.sentence()


def test_two_equal_configurations_leave_nothing_to_answer() -> None:
    with log_of(_log(2, 2), URIS) as db:
        same = Decision("same", Settings(IN_FORCE, IN_FORCE), Settings(IN_FORCE, IN_FORCE))
        pairs, progress = next_pairs(db, Selection(), same)
        assert (pairs, progress.enough) == ([], True)
        assert "nothing to answer" in progress.sentence()


def test_an_empty_selection_is_refused() -> None:
    with log_of([]) as db, pytest.raises(BadInput, match="widen the filter"):
        next_pairs(db, Selection(), _lower())


def test_what_is_asked_holds_no_score(run: Run, store: Path) -> None:
    said = _document(run, "label", "next", "--count", 3, "--db", store)
    assert said["pairs"]
    assert set(said["pairs"][0]) == {"query_id", "prompt", "uri", "content", "disclosure"}
    code, out, _ = run("label", "next", "--db", store)
    assert code == 0
    assert "workbench label add" in out
    assert "Would this memory help" in out


def test_without_a_study_the_decision_is_a_lower_threshold(store: Path) -> None:
    decision = pending_decision(IN_FORCE, store)
    assert decision.name == "a threshold of 0.55"
    with pytest.raises(BadInput, match="no finished study nothing"):
        pending_decision(IN_FORCE, store, "nothing")
