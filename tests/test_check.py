"""The gate before a configuration goes into force, and the forecast held against new logs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from log_builder import START, Candidate, Prompt, log_of

from workbench.check import EARLY, FAILS, KEPT, MISSED, PASSES, THIN, Limits, forecast, gate, held
from workbench.params import Params
from workbench.replay.run import Settings
from workbench.replay.selection import Selection

DEFAULT = Params.default()
IN_FORCE = Settings(DEFAULT, DEFAULT)
STRICT = Settings(DEFAULT.replace({"recall.display.min_display_score": 0.8}), DEFAULT)
LOOSE = Settings(DEFAULT.replace({"recall.display.min_display_score": 0.4}), DEFAULT)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def prompts(count: int, used: int, first: int = 0) -> Sequence[Prompt]:
    """Prompts that each show one memory at 0.70 and hold back one at 0.50; the first `used` were of use."""
    return [
        Prompt(
            f"q{number}",
            [
                Candidate("project://shown", 0.70, used=number - first < used),
                Candidate("project://hidden", 0.50, shown=False),
            ],
            session=f"s{number // 2}",
            at=START + timedelta(hours=number),
        )
        for number in range(first, first + count)
    ]


URIS = {"project://shown": "1", "project://hidden": "2"}


@pytest.mark.parametrize(
    ("settings", "used", "verdict", "broken"),
    [
        (IN_FORCE, 30, PASSES, []),
        (STRICT, 30, FAILS, ["used memories lost"]),
        (LOOSE, 30, FAILS, ["newly shown memories that nothing is known of"]),
        (IN_FORCE, 3, THIN, []),
    ],
)
def test_the_gate_names_the_limit_that_is_not_kept(
    settings: Settings, used: int, verdict: str, broken: list[str]
) -> None:
    with log_of(prompts(60, used), URIS) as db:
        said = gate(db, settings, Selection(), Limits(parity=0.0))
    assert said["verdict"] == verdict
    assert [check["check"] for check in said["checks"] if check["ok"] is False] == broken
    assert said["used"] == used


def test_limits_are_the_operators() -> None:
    with log_of(prompts(60, 30), URIS) as db:
        assert gate(db, STRICT, Selection(), Limits(used_lost=1.0, parity=0.0))["verdict"] == PASSES
        assert gate(db, LOOSE, Selection(), Limits(unknown_share=0.6, parity=0.0))["verdict"] == PASSES


def test_a_log_that_a_replay_does_not_reproduce_fails_the_gate() -> None:
    with log_of(prompts(60, 30), URIS) as db:
        said = gate(db, IN_FORCE, Selection(), Limits())
    assert [check["check"] for check in said["checks"] if check["ok"] is False] == ["logged rows reproduced"]


def test_a_forecast_is_kept_by_logs_like_those_it_was_made_on() -> None:
    with log_of(prompts(160, 40), URIS) as db:
        promised = forecast(db, IN_FORCE, Selection())
        found = held(db, IN_FORCE, promised, LONG_AGO)
        assert (found["verdict"], found["prompts"]) == (KEPT, 160)
        assert held(db, IN_FORCE, promised, START + timedelta(hours=100))["verdict"] == EARLY
        assert held(db, STRICT, promised, LONG_AGO)["verdict"] == MISSED
