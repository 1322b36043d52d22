"""What a replay did: the ledger, the measures in three readings, their intervals, and the same by client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.judge import Evidence, Judged, judged_replay, read_ledgers
from workbench.metrics.bootstrap import Interval
from workbench.metrics.figures import Figure, figures, prepare_lists
from workbench.metrics.intervals import intervals
from workbench.metrics.jaccard import Jaccard
from workbench.metrics.judged import Judged as JudgedShare
from workbench.metrics.measure import Measure
from workbench.metrics.ndcg import nDCG
from workbench.metrics.net_help import DEFAULT_NOISE_COST, NetHelp
from workbench.metrics.noise import Noise
from workbench.metrics.precision import P
from workbench.metrics.rbo import RBO
from workbench.metrics.recall import R
from workbench.metrics.rr import RR
from workbench.metrics.shown import Shown
from workbench.metrics.significance import sign_test
from workbench.metrics.tokens import ContextTokens
from workbench.metrics.use_rate import UseRate
from workbench.metrics.used_lost import UsedLost
from workbench.replay.run import Settings
from workbench.store import Database


def standard_measures(k: int = 3, noise_cost: float = DEFAULT_NOISE_COST) -> tuple[Measure, ...]:
    """The measures of every summary; `k` is the number of places that the ranking measures look at."""
    return (
        NetHelp(noise_cost), UsedLost(), UseRate(), Noise(), Shown(), P(k), R(k), RR(), nDCG(k), JudgedShare(k),
        Jaccard(), RBO(), ContextTokens(),
    )  # fmt: skip


def replay_summary(
    db: Database,
    settings: Settings,
    selected: str | None = "selected",
    evidence: Evidence | None = None,
    noise_cost: float = DEFAULT_NOISE_COST,
) -> dict[str, Any]:
    """The document of `workbench replay --json` for the selected queries (None: all).

    `metrics` and `intervals` hold one number and one 95 % interval a measure: the reading in which unknown memories are
    of no help. `readings` holds all three, each with its denominator. The ranking measures look at as many places as
    the configuration in force shows, so that two configurations are measured alike.
    """
    judged = judged_replay(db, settings, selected, evidence)
    prepare_lists(db)
    measures = standard_measures(max(1, int(settings.in_force["recall.display.max_display_items"])), noise_cost)
    found = figures(db, measures)[""]
    spans = intervals(db, measures)
    overall = read_ledgers(db)[""]
    return {
        "config": settings.params.as_flat(),
        **overall.as_json(),
        "evidence": {"sources": (evidence or Evidence()).names(), **_evidence(judged)},
        "metrics": {name: figure.unhelpful for name, figure in found.items()},
        "intervals": {name: _span(readings["unknown_is_unhelpful"]) for name, readings in spans.items()},
        "readings": {name: _readings(figure, spans[name]) for name, figure in found.items()},
        "sign_test_used": sign_test(overall.used_kept, overall.used_lost),
        "clients": _clients(db, measures),
    }


def _span(interval: Interval | None) -> list[float] | None:
    return None if interval is None else interval.as_json()


def _readings(figure: Figure, spans: Mapping[str, Interval | None]) -> dict[str, Any]:
    said = figure.as_json()
    for reading, interval in spans.items():
        said[reading]["interval"] = _span(interval)
    return said


def _evidence(judged: Judged) -> dict[str, int]:
    return {
        "linked": judged.linked,
        "blanket": judged.blanket,
        "late_prompts": judged.late_prompts,
        "set_aside": judged.unknown,
    }


def _clients(db: Database, measures: Sequence[Measure]) -> list[dict[str, Any]]:
    """One row a client, "" for queries that name none."""
    by_client = figures(db, measures, "client")
    return [
        {
            "client": client,
            **ledger.as_json(),
            "metrics": {name: figure.unhelpful for name, figure in by_client[client].items()},
            "readings": {name: figure.as_json() for name, figure in by_client[client].items()},
        }
        for client, ledger in read_ledgers(db, "client").items()
    ]
