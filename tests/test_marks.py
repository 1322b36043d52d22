"""Opens: the real ones give the server's used counts, and each that is not counted has its reason."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from golden_engine import imported

from workbench.judge.marks import Log, Reason, judged_open, normalised_address
from workbench.judge.misses import log_of

REASONS = {
    "used_again_same": Reason.AGAIN,
    "unlinked_session_only": Reason.NO_QUERY_ID,
    "unlinked_no_ids": Reason.NO_QUERY_ID,
    "unknown_query_id": Reason.UNKNOWN_QUERY_ID,
    "query_id_uppercase": Reason.UNKNOWN_QUERY_ID,
    "candidate_not_displayed": Reason.NOT_SHOWN,
    "other_displayed_of_other_query": Reason.NOT_SHOWN,
    "alias_of_displayed": Reason.ALIAS,
    "wrong_case": Reason.OTHER_CASE,
    "missing_node": Reason.NO_MEMORY,
    "uri_without_domain": Reason.NO_MEMORY,
}


@pytest.mark.conformance
def test_every_real_open_is_counted_as_on_the_server(conformance: Path) -> None:
    used: set[tuple[str, str]] = set()
    kinds: Counter[str] = Counter()
    lines = (conformance / "opens.jsonl").read_text(encoding="utf-8").splitlines()
    with imported(conformance) as db:
        log = log_of(db)
        for opened in map(json.loads, lines):
            uri, query_id = opened["args"]["uri"], opened["args"].get("query_id")
            reason = judged_open(log, uri, query_id, used)
            before, after = opened["used_count_before"], opened["used_count_after"]
            assert (reason is Reason.COUNTED) == (before is not None and after == before + 1), opened
            expected = REASONS.get(opened["kind"], Reason.COUNTED)
            also_alias = opened["kind"] == "candidate_not_displayed" and reason is Reason.ALIAS
            assert reason is expected or also_alias, opened
            if reason is Reason.COUNTED:
                used.add((query_id.strip(), normalised_address(uri)))
            kinds[opened["kind"]] += 1
        marked = set(db.rows("SELECT query_id, node_uri FROM recall_query_candidates WHERE used_in_answer"))
    assert sum(kinds.values()) == 346
    assert used <= marked


@pytest.mark.parametrize(
    ("uri", "query_id", "reason"),
    [
        ("project://a", "q1", Reason.COUNTED),
        (" project://a/ ", " q1 ", Reason.COUNTED),
        ("project://b", "q1", Reason.AGAIN),
        ("project://a", None, Reason.NO_QUERY_ID),
        ("project://a", "Q1", Reason.UNKNOWN_QUERY_ID),
        ("project://A", "q1", Reason.OTHER_CASE),
        ("project://alias", "q1", Reason.ALIAS),
        ("project://c", "q1", Reason.NOT_SHOWN),
        ("project://gone", "q1", Reason.NO_MEMORY),
        ("a", "q1", Reason.NO_MEMORY),
    ],
)
def test_each_reason(uri: str, query_id: str | None, reason: Reason) -> None:
    nodes = {"project://a": "1", "project://b": "2", "project://c": "3", "project://alias": "1"}
    log = Log({"q1": {"project://a", "project://b"}}, nodes)
    assert judged_open(log, uri, query_id, {("q1", "project://b")}) is reason
