"""Configurations held against each other on the same prompts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.compare.attribution import moved_by_key
from workbench.compare.estimated import estimates
from workbench.judge import Ledger, judged_replays, read_ledgers
from workbench.metrics import standard_measures
from workbench.metrics.figures import prepare_lists
from workbench.metrics.intervals import Difference, differences
from workbench.metrics.significance import holm, sign_test
from workbench.params import THRESHOLD, Params
from workbench.replay.run import Replay, Settings, candidates_of, replay_shown
from workbench.store import Database, compose, sql_text

READING = "unknown_is_unhelpful"
JUDGED = "judged_only"
MOST_FLIPS = 50


def compare(
    db: Database,
    named: Mapping[str, Params],
    in_force: Params,
    selected: str,
    *,
    estimated: bool = True,
    replay: Replay = replay_shown,
) -> dict[str, Any]:
    """Replay every configuration of `named` over the selected queries and hold each against the first.

    Differences, second minus first, are paired by prompt, in both readings of the unknown, with intervals from
    resampled sessions; the p-value of used memories won against lost is an exact sign test, adjusted for the number of
    configurations (Holm 1979). At most MOST_FLIPS memories that only one of a pair shows are listed, used ones first,
    with the terms that moved their scores, the cause, and how much each changed key moved them (attribution.py). What a
    model says of newly shown memories stands apart, in `estimate`: None without `estimated`, as fitting takes long.
    `replay` writes what a configuration shows.
    """
    settings = {name: Settings(params, in_force) for name, params in named.items()}
    outcomes = {name: f"outcomes_{number}" for number, name in enumerate(settings)}
    judged_replays(db, {outcomes[name]: one for name, one in settings.items()}, selected, replay=replay)
    ledgers, clients = {}, {}
    for number, name in enumerate(settings):
        prepare_lists(db, f"outcomes_{number}", into=f"lists_{number}")
        ledgers[name] = read_ledgers(db, table=f"outcomes_{number}")[""]
        clients[name] = read_ledgers(db, "client", f"outcomes_{number}")
    first, *others = named
    return {
        "configs": {name: params.as_flat() for name, params in named.items()},
        "changed": {name: named[name].changed_from(named[first]) for name in others},
        "ledgers": {name: ledger.as_json() for name, ledger in ledgers.items()},
        "clients": {name: {one: found.as_json() for one, found in by.items()} for name, by in clients.items()},
        "against": first,
        "reading": READING,
        "estimate": estimates(db, outcomes, in_force, selected) if estimated else None,
        "pairs": _pairs(db, settings, ledgers),
    }


def moved_most(flips: Sequence[Mapping[str, Any]]) -> list[tuple[str, int]]:
    """The changed keys that moved most of the `flips`, each with how many, most first."""
    return Counter(next(iter(flip["keys"])) for flip in flips if flip.get("keys")).most_common()


def _ledger_difference(first: Ledger, second: Ledger) -> dict[str, int]:
    before = first.as_json()
    return {part: count - before[part] for part, count in second.as_json().items() if part != "prompts"}


def _pairs(db: Database, settings: Mapping[str, Settings], ledgers: Mapping[str, Ledger]) -> list[dict[str, Any]]:
    """Every configuration but the first, held against that."""
    first, *others = settings
    pairs = [
        {
            "config": name,
            "ledger_difference": _ledger_difference(ledgers[first], ledgers[name]),
            **_pair(db, settings[first], settings[name], number),
        }
        for number, name in enumerate(others, 1)
    ]
    tested = [pair for pair in pairs if pair["sign_test"] is not None]
    for pair, adjusted in zip(tested, holm([pair["sign_test"] for pair in tested]), strict=True):
        pair["sign_test_holm"] = adjusted
    return pairs


def _pair(db: Database, first: Settings, second: Settings, number: int) -> dict[str, Any]:
    found = differences(db, standard_measures(), "lists_0", f"lists_{number}")
    _find_flips(db, number)
    won, lost, total = db.row(sql_text("compare/flip_counts"))
    return {
        "differences": {name: _difference(readings[READING]) for name, readings in found.items()},
        "differences_judged_only": {name: _difference(readings[JUDGED]) for name, readings in found.items()},
        "used_won": won,
        "used_lost": lost,
        "sign_test": sign_test(won, lost),
        "sign_test_holm": None,
        "flips_total": total,
        "flips": _explained(db, first, second),
    }


def _find_flips(db: Database, number: int) -> None:
    stages = (("first", "SELECT * FROM outcomes_0"), ("second", f"SELECT * FROM outcomes_{number}"), "compare/flips")
    db.execute(f"CREATE OR REPLACE TEMP TABLE flips AS {compose(stages)}")
    listed = "SELECT * FROM flips ORDER BY label DESC, query_id, uri"
    db.execute(f"CREATE OR REPLACE TEMP TABLE listed_flips AS {listed} LIMIT {MOST_FLIPS}")


def _explained(db: Database, first: Settings, second: Settings) -> list[dict[str, Any]]:
    """The flips with what moved them."""
    for name, settings in (("first_scored", first), ("second_scored", second)):
        sql = compose((candidates_of("listed_flips"), "score"))
        db.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {sql}", settings.bindings())
    bound = {"first_threshold": first.params[THRESHOLD], "second_threshold": second.params[THRESHOLD]}
    rows: list[dict[str, Any]] = db.arrow(f"{sql_text('compare/flip_causes')}", bound).to_pylist()
    keys = moved_by_key(db, first, second)
    by_flip = sorted(rows, key=lambda row: (row["query_id"], row["node"]))
    for row, moved in zip(by_flip, keys, strict=bool(keys)):
        row["keys"] = moved
    for row in rows:
        row["terms"] = {term["term"]: term["moved"] for term in row["terms"]}
    return rows


def _difference(found: Difference) -> dict[str, Any]:
    return {
        "first": found.first,
        "second": found.second,
        "effect": found.effect,
        "interval": None if found.interval is None else found.interval.as_json(),
    }
