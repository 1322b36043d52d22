"""The service while others write and after a kill: right answers, and nothing that was acknowledged is lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from service_load import prompts_of, under_load

from workbench.agents.settings import change_settings

Run = Callable[..., tuple[int, str, str]]
REQUESTS = int(os.environ.get("WORKBENCH_LOAD", "150"))


def test_right_answers_and_nothing_lost_with_an_import_a_tuning_run_and_kills(tmp_path: Path, run: Run) -> None:
    store, world = tmp_path / "store.duckdb", tmp_path / "world"
    assert run("simulate", world, "--prompts", "60", "--memories", "20")[0] == 0
    assert run("import", world, "--db", store)[0] == 0
    # Without vectors no memory reaches the usual threshold; and a slow machine skips nothing.
    change_settings(store, {"recall.display.min_display_score": 0.05, "recall.safety.timeout_ms": 30_000})
    found = under_load(store, world, prompts_of(store, 6), REQUESTS)
    assert found.requests >= REQUESTS
    assert min(found.imports, found.studies) >= 1
    assert found.wrong == []
    assert set(found.lost.values()) == {0}, found.lost
    assert found.acknowledged["recalls"] > REQUESTS // 4
    assert found.acknowledged["marks"] > REQUESTS // 20
    assert min(found.acknowledged.values()) > 0
