"""Answers by hand: what they change, what they never change, and when they stop to count."""

from __future__ import annotations

from hashlib import md5
from typing import Any

import pytest
from log_builder import START, Candidate, Prompt, append, hours, log_of

from workbench.errors import BadInput
from workbench.judge import Evidence, judge_log, judged_replay, label_candidates, ledger, quick_ledger, read_ledgers
from workbench.metrics.figures import figures, prepare_lists
from workbench.metrics.net_help import NetHelp
from workbench.metrics.recall import R
from workbench.params import Params
from workbench.replay.run import Settings
from workbench.store import Database

URIS = {"a://1": "n1", "a://2": "n2", "a://3": "n3", "a://4": "n4", "b://also-3": "n3"}
CONTENT = "x" * 300
HAND = Evidence(hand=True)
LOG = [
    Prompt(
        "q",
        [
            Candidate("a://1", 0.80, used=True),
            Candidate("a://2", 0.70),
            Candidate("a://3", 0.55, shown=False),
            Candidate("a://4", 0.50, shown=False),
        ],
    )
]


def _answer(db: Database, uri: str, grade: str, after: float = 0, content: str | None = CONTENT, **more: Any) -> None:
    (number,) = db.row("SELECT count(*) FROM wb.hand_labels")
    row = {
        "label_id": f"l{number}", "query_id": "q", "uri": uri, "node_uuid": None, "grade": grade, "labelled_by": "ann",
        "labelled_at": START + hours(after), "source": "label",
        "memory_digest": None if content is None else md5(content.encode(), usedforsecurity=False).hexdigest(),
    }  # fmt: skip
    append(db, "wb.hand_labels", [row | more])


def _lower(threshold: float) -> Settings:
    changed = {"recall.display.min_display_score": threshold, "recall.display.max_display_items": 4}
    return Settings(Params.default().replace(changed), Params.default())


def _labels(db: Database, evidence: Evidence = HAND) -> dict[str, str]:
    judge_log(db, None, evidence)
    rows = db.rows("SELECT uri, label FROM judged_log UNION ALL SELECT uri, label FROM judged_beyond")
    return dict(rows)


def test_answers_by_hand_count_only_where_they_are_asked_for() -> None:
    with log_of(LOG, URIS) as db:
        before = _labels(db, Evidence())
        for uri, grade in (("a://1", "no"), ("a://2", "yes"), ("a://3", "yes"), ("a://4", "no")):
            _answer(db, uri, grade)
        assert _labels(db, Evidence()) == before == {"a://1": "used", "a://2": "shown_unused"}
        assert _labels(db) == {"a://1": "used", "a://2": "used", "a://3": "helpful", "a://4": "unhelpful"}
        judged = judge_log(db, None, HAND)
        assert (judged.answered, judged.helpful_beyond, judged.unhelpful_beyond) == (2, 1, 1)


@pytest.mark.parametrize(
    ("answers", "label"),
    [
        ([("yes", 0), ("no", 1)], "unhelpful"),
        ([("no", 1), ("yes", 0)], "unhelpful"),
        ([("yes", 0), ("unsure", 1)], None),
        ([("yes", 0), ("withdrawn", 1)], None),
        ([("withdrawn", 0), ("yes", 1)], "helpful"),
    ],
)
def test_the_newest_answer_counts(answers: list[tuple[str, float]], label: str | None) -> None:
    with log_of(LOG, URIS) as db:
        for grade, after in answers:
            _answer(db, "a://3", grade, after)
        assert _labels(db).get("a://3") == label


def test_an_answer_follows_the_memory_not_the_address() -> None:
    with log_of(LOG, URIS) as db:
        _answer(db, "b://also-3", "no")
        _answer(db, "a://3", "yes", after=1)
        judge_log(db, None, HAND)
        assert db.rows("SELECT node, label FROM judged_beyond") == [("n3", "helpful")]


@pytest.mark.parametrize("change", ["UPDATE memories SET content = 'edited'", "DELETE FROM memories"])
def test_an_answer_expires_when_the_memory_changes(change: str) -> None:
    with log_of(LOG, URIS) as db:
        _answer(db, "a://2", "yes")
        _answer(db, "a://3", "yes")
        _answer(db, "a://4", "yes", content=None)
        assert _labels(db)["a://3"] == "helpful"
        db.execute(f"{change} WHERE node_uuid IN ('n2', 'n3')")
        assert _labels(db) == {"a://1": "used", "a://2": "shown_unused", "a://4": "helpful"}


def test_the_ledger_tells_known_from_unknown_among_the_newly_shown() -> None:
    with log_of(LOG, URIS) as db:
        _answer(db, "a://3", "yes")
        _answer(db, "a://4", "no")
        shows_all, shows_none = _lower(0.45), _lower(0.9)
        found = ledger(db, shows_all, None, HAND)
        assert (found.newly_helpful, found.newly_unhelpful, found.newly_shown, found.missed) == (1, 1, 0, 0)
        assert found.shown == 4 == found.used_kept + found.unused_kept + found.newly_helpful + found.newly_unhelpful
        nothing = ledger(db, shows_none, None, HAND)
        assert (nothing.newly_helpful, nothing.missed, nothing.shown) == (0, 1, 0)
        assert ledger(db, shows_all, None).newly_shown == 2


@pytest.mark.parametrize("threshold", [0.45, 0.52, 0.6, 0.9])
def test_both_ledgers_agree(threshold: float) -> None:
    with log_of(LOG, URIS) as db:
        _answer(db, "a://2", "yes")
        _answer(db, "a://3", "yes")
        _answer(db, "a://4", "no")
        slow = ledger(db, _lower(threshold), None, HAND)
        assert quick_ledger(db, _lower(threshold), label_candidates(db, None, HAND)) == slow


def test_measures_count_what_is_known_beyond_the_log() -> None:
    with log_of(LOG, URIS) as db:
        _answer(db, "a://3", "yes")
        _answer(db, "a://4", "no")
        assert _figure(db, 0.6, R(4)) == pytest.approx(1 / 2)
        assert _figure(db, 0.52, R(4)) == pytest.approx(1)
        assert _figure(db, 0.45, NetHelp(0.1)) == pytest.approx(2 - 0.1 * 2)


def _figure(db: Database, threshold: float, measure: Any) -> float | None:
    judged_replay(db, _lower(threshold), None, HAND)
    assert read_ledgers(db)[""].prompts == 1
    prepare_lists(db)
    return figures(db, [measure])[""][measure.name].judged


def test_a_source_that_does_not_exist_is_refused() -> None:
    with pytest.raises(BadInput, match="linked, hand, unlinked, blanket, late"):
        Evidence.of(["opens"])
    assert Evidence.of([]) == Evidence()
    assert Evidence.of(["hand"]).names() == ["hand"]


def _opened(db: Database, uri: str, minutes: float) -> None:
    row = {
        "open_id": f"o-{uri}", "source": "claudecode", "client_type": "claudecode", "session_id": "s",
        "opened_at": START + hours(minutes / 60), "uri": uri, "given_session_id": None, "given_query_id": None,
        "found": True,
    }  # fmt: skip
    append(db, "wb.agent_opens", [row])


def test_opens_without_identifiers_count_only_where_they_are_asked_for() -> None:
    log = [Prompt("q", LOG[0].candidates, session="s"), Prompt("r", [], session="s", at=START + hours(1))]
    with log_of(log, URIS) as db:
        for uri, minutes in (("a://2", 1), ("a://3", 2), ("a://4", 70)):
            _opened(db, uri, minutes)
        assert _labels(db, Evidence()) == {"a://1": "used", "a://2": "shown_unused"}
        unlinked = Evidence(unlinked=True)
        judge_log(db, None, unlinked)
        assert db.rows("SELECT query_id, uri, label FROM judged_log ORDER BY uri") == [
            ("q", "a://1", "used"), ("q", "a://2", "used"),
        ]  # fmt: skip
        assert db.rows("SELECT query_id, uri, label FROM judged_beyond ORDER BY uri") == [
            ("q", "a://3", "helpful"), ("r", "a://4", "helpful"),
        ]  # fmt: skip
        _answer(db, "a://2", "no")
        _answer(db, "a://3", "no")
        both = Evidence(hand=True, unlinked=True)
        assert _labels(db, both) == {
            "a://1": "used", "a://2": "shown_unused", "a://3": "unhelpful", "a://4": "helpful",
        }  # fmt: skip
        assert quick_ledger(db, _lower(0.5), label_candidates(db, None, both)) == ledger(db, _lower(0.5), None, both)
