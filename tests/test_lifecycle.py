"""Session starts and prompts of all runtimes, held against the real server."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from served import GOLDEN_NOW, memory_store
from worlds import copy_of

from workbench.agents import Lore
from workbench.agents.lifecycle import Event, Lifecycle


def golden(folder: Path, words: str) -> list[dict[str, Any]]:
    with gzip.open(folder / "golden_lifecycle.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [record for record in map(json.loads, lines) if record["fts"] == words]


def without_ids(value: Any, context: str | None = None) -> Any:
    """The same in every run: query ids are new each time; the text of a value is its place."""
    text = json.dumps(value, ensure_ascii=False)
    if context:
        text = text.replace(json.dumps(context, ensure_ascii=False), '"<context>"')
    return json.loads(re.sub(r'query_id=\\"[0-9a-f-]{36}\\"', "query_id", text))


@pytest.mark.conformance
@pytest.mark.parametrize("words", ["simple", "jieba"])
def test_every_runtime_gets_what_the_server_gives_it(conformance: Path, tmp_path: Path, words: str) -> None:
    records = golden(conformance, words)
    with Lore(copy_of(memory_store(conformance, words), tmp_path), clock=lambda: GOLDEN_NOW) as lore:
        lifecycle = Lifecycle(lore)
        for record in records:
            wanted = record["output"]
            answer = lifecycle.on(Event.of(record["input"])).as_json()
            truncated = len(record["input"].get("normalized", {}).get("prompt", "")) > 200
            for name in ("event_name", "runtime", "recall_blocks", "boot_uris", "node_uris", "meta"):
                assert without_ids(answer[name]) == without_ids(wanted[name]), (name, record["input"])
            assert bool(answer["query_id"]) == (bool(wanted["query_id"]))
            assert answer["has_output"] == (wanted["has_output"] or truncated)
            if not truncated:
                assert answer["mode"] == wanted["mode"]
                assert without_ids(answer["value"], answer["context"]) == wanted["value_shape"]
    assert len(records) == 36
