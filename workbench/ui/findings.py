"""Results of tuning and replays as the rows and figures that pages show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.params import KEYS, Value
from workbench.text import percent
from workbench.tune import best_changes
from workbench.ui.tables import Column
from workbench.ui.texts import plain, t
from workbench.ui.texts.said import said_plainly

LEDGER = (
    "prompts", "shown", "used_kept", "used_lost", "unused_kept", "removed", "newly_shown", "newly_helpful",
    "newly_unhelpful", "missed", "unjudged_kept", "unjudged_removed", "silent_prompts",
)  # fmt: skip
_SELDOM = ("newly_helpful", "newly_unhelpful", "missed", "unjudged_kept", "unjudged_removed")


def ledger_rows(ledgers: Mapping[str, Mapping[str, int]]) -> list[dict[str, Any]]:
    """One row a count, one value a configuration; counts that are 0 everywhere are left out unless they belong to the
    four-way ledger."""
    return [
        {"count": plain(f"ledger.{part}"), **{name: ledger[part] for name, ledger in ledgers.items()}}
        for part in LEDGER
        if part not in _SELDOM or any(ledger[part] for ledger in ledgers.values())
    ]


def ledger_columns(names: Mapping[str, str]) -> list[Column]:
    """The columns of ledger_rows; `names` says how each configuration is called."""
    return [
        Column("count", plain("ledger.count"), width="medium"),
        *(Column(name, label, "count") for name, label in names.items()),
    ]


def setting_rows(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The keys of a study with their present and proposed values; changed ones first."""
    found = best_changes(result)
    rows = [
        {
            "key": name,
            "present": number(name, present),
            "proposed": number(name, result["config"][name]),
            "best_found": number(name, found.get(name, present)),
            "step": f"{KEYS[name].step:g} {said_plainly(KEYS[name].unit)}",
            "note": _note(name, result),
        }
        for name, present in result["current"].items()
        if KEYS[name].replayable
    ]
    return sorted(rows, key=lambda row: (row["proposed"] == row["present"], row["best_found"] == row["present"]))


def setting_columns() -> list[Column]:
    """The columns of setting_rows."""
    return [
        Column("key", plain("ledger.key"), width=240),
        Column("present", plain("ledger.present"), width="small"),
        Column("proposed", plain("ledger.proposal"), width="small"),
        Column("best_found", plain("ledger.found"), width="small"),
        Column("step", plain("ledger.step"), width=145),
        Column("note", plain("ledger.note"), width=180),
    ]


def _note(name: str, result: Mapping[str, Any]) -> str:
    if name in result["dead"]:
        return plain("ledger.dead")
    return "" if name in result["keys"] else plain("ledger.fixed")


def number(name: str, value: Value) -> str:
    """A value with as many decimals as its key's step has, and more where it lies between two steps."""
    if isinstance(value, bool):
        return plain("ledger.on" if value else "ledger.off")
    return f"{value:.{decimals(name, value)}f}"


def decimals(name: str, value: Value = 0) -> int:
    """How many decimals show a value of the key in full."""
    return 0 if KEYS[name].kind is not float else max(_decimals(KEYS[name].step), _decimals(value))


def _decimals(value: float) -> int:
    return len(f"{value:.10f}".rstrip("0").rpartition(".")[2])


def result_metrics(result: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Name, value and meaning of the figures on top of a result; as Markdown."""
    held_out, plateau = result["holdout"], result["plateau"]
    trials = result["trials"]
    found = [(t("tune.trials"), f"{trials['completed']:,}", t("tune.failed", failed=trials["failed"]))]
    if held_out is not None:
        before, after = held_out["current"], held_out["proposed"]
        lost = t("tune.of", part=after["used_lost"] - before["used_lost"], whole=before["used_kept"])
        removed = t("tune.of", part=after["removed"] - before["removed"], whole=before["unused_kept"])
        newly = f"{after['newly_shown'] - before['newly_shown']:,}"
        found += [
            (t("tune.used_lost"), lost, t("tune.used_lost_help")),
            (t("tune.removed"), removed, t("tune.removed_help")),
            (t("tune.newly_shown"), newly, t("tune.newly_shown_help")),
        ]
    if plateau is not None:
        found.append((t("tune.plateau"), percent(plateau), t("tune.plateau_help")))
    return [*found, (t("tune.looks"), f"{result['looks']:,}", t("tune.looks_help"))]


_BETTER = {"used_kept": "normal", "unused_kept": "inverse", "newly_shown": "off", "silent_prompts": "off"}


def ledger_changes(before: Mapping[str, int], after: Mapping[str, int]) -> list[tuple[str, str, int, str]]:
    """The figures of a ledger with their change: name, value, change, and whether more is better (`normal`), worse
    (`inverse`) or neither (`off`)."""
    return [
        (plain(f"ledger.short_{part}"), f"{after[part]:,}", after[part] - before[part], better)
        for part, better in _BETTER.items()
    ]
