"""Doubts about configurations that are valid."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.params import Params, Value
from workbench.replay.lint import lint

CURRENT = Params.default()


def doubts(changes: dict[str, Value]) -> list[str]:
    return lint(CURRENT.replace(changes), CURRENT)


def test_the_configuration_in_force_raises_none() -> None:
    assert lint(CURRENT, CURRENT) == []
    assert doubts({"recall.weights.w_exact": 0.35, "recall.display.min_display_score": 0.64}) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"views.weight.gist": 1.2}, "views.weight.gist is kept with each view"),
        ({"recall.safety.max_query_chars": 400}, "recall.safety.max_query_chars changes what is searched"),
        ({"recall.bonus.priority_step": 0.06}, "priority_step 0.06 is above recall.bonus.priority_base 0.05"),
        ({"recall.bonus.multi_view_cap": 0.01}, "multi_view_cap 0.01 is below recall.bonus.multi_view_step 0.015"),
        ({"recall.weights.w_exact": 0.333}, "recall.weights.w_exact = 0.333 lies off its step of 0.01"),
        (
            {"recall.recency.enabled": False, "recall.recency.half_life_days": 90.0},
            "half_life_days has no effect while recall.recency.enabled is false",
        ),
    ],
)
def test_each_doubt_is_one_sentence(changes: dict[str, Value], said: str) -> None:
    found = doubts(changes)
    assert len(found) == 1
    assert said in found[0]


def test_a_threshold_that_nothing_reaches_is_told_with_the_best_score() -> None:
    (found,) = doubts({"recall.display.min_display_score": 1.0, "recall.weights.w_exact": 0.1})
    assert "out of reach" in found
    best = float(found.split("scores ")[1].split(". ")[0])
    assert doubts({"recall.display.min_display_score": 0.80, "recall.weights.w_exact": 0.1}) == []
    assert best == pytest.approx(0.8039)


def test_export_says_the_doubts_beside_the_file(run: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    source = tmp_path / "new.toml"
    source.write_text("[views.weight]\ngist = 1.2\n", encoding="utf-8")
    code, out, err = run("export", "--config", source, "--out", tmp_path / "out.toml", "--json")
    assert code == 0
    assert len(json.loads(out)["doubts"]) == 1
    assert "rebuilt its views" in err
