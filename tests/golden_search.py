"""Golden searches of the real server, and how a result is held against one."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

SCORE_TOLERANCE = 1.5e-6


def golden(folder: Path, name: str) -> list[dict[str, Any]]:
    with gzip.open(folder / "golden_search.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [record for record in map(json.loads, lines) if record["fts"] == name]


def check(record: dict[str, Any], found: dict[str, Any]) -> None:
    where = f"{record['fts']} {record['id']} {record['query'][:40]!r}"
    wanted = record["response"]
    assert {name: found["meta"][name] for name in wanted["meta"]} == wanted["meta"], where
    assert [result["uri"] for result in found["results"]] == [result["uri"] for result in wanted["results"]], where
    for own, other in zip(found["results"], wanted["results"], strict=True):
        assert own["score"] == pytest.approx(other["score"], abs=SCORE_TOLERANCE), (where, own["uri"])
        for name in other.keys() - {"score"}:
            assert own[name] == other[name], (where, own["uri"], name)
