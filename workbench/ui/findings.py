"""Results of tuning and replays as the sentences and rows that pages show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.params import KEYS, Value
from workbench.tune.history import History

LEDGER = {
    "prompts": "prompts",
    "shown": "memories shown",
    "used_kept": "used, kept",
    "used_lost": "used, lost",
    "unused_kept": "shown and not used, kept",
    "removed": "shown and not used, removed",
    "newly_shown": "newly shown, unknown",
    "newly_helpful": "newly shown, known to help",
    "newly_unhelpful": "newly shown, known not to help",
    "missed": "known to help, still not shown",
    "unjudged_kept": "evidence set aside, kept",
    "unjudged_removed": "evidence set aside, removed",
    "silent_prompts": "prompts that show nothing",
}
_ALWAYS = ("prompts", "shown", "used_kept", "used_lost", "unused_kept", "removed", "newly_shown", "silent_prompts")


def ledger_rows(ledgers: Mapping[str, Mapping[str, int]]) -> list[dict[str, Any]]:
    """One row a count, one column a configuration; counts that are 0 everywhere are left out unless they belong to the
    four-way ledger."""
    return [
        {"count": words, **{name: ledger[part] for name, ledger in ledgers.items()}}
        for part, words in LEDGER.items()
        if part in _ALWAYS or any(ledger[part] for ledger in ledgers.values())
    ]


def progress_line(found: History) -> str:
    """How far a run is, in words."""
    done = len(found.points)
    if not done:
        return "Reading the log and looking for keys without effect"
    if found.asked and done >= found.asked:
        return f"{done:,} trials done; looking at luck and at the held-out prompts"
    best = "none within the limits yet" if found.best is None else f"best gain so far {found.best:+.4f} a prompt"
    return f"{done:,} of {found.asked:,} trials, {best}" if found.asked else f"{done:,} trials, {best}"


def cost_line(noise_cost: float) -> str:
    """What the noise cost means, in one sentence."""
    if noise_cost <= 0:
        return "An unhelpful memory costs nothing: only used memories count."
    if noise_cost >= 1:
        return f"One unhelpful memory outweighs {noise_cost:g} helpful ones."
    return f"{1 / noise_cost:.3g} unhelpful memories outweigh one helpful one."


def setting_rows(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The keys of a study with their present and proposed values; changed ones first."""
    found = result.get("best_found", {}).get("changed", {})
    rows = [
        {
            "key": name,
            "present": number(name, present),
            "proposed": number(name, result["config"][name]),
            "best found": number(name, found.get(name, present)),
            "step": f"{KEYS[name].step:g} {KEYS[name].unit}",
            "note": _note(name, result),
        }
        for name, present in result["current"].items()
        if KEYS[name].replayable
    ]
    return sorted(rows, key=lambda row: (row["proposed"] == row["present"], row["best found"] == row["present"]))


def _note(name: str, result: Mapping[str, Any]) -> str:
    if name in result["dead"]:
        return "without effect on this data"
    return "" if name in result["keys"] else "not tuned"


def number(name: str, value: Value) -> str:
    """A value with as many decimals as its key's step has, and more where it lies between two steps."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:.{decimals(name, value)}f}"


def decimals(name: str, value: Value = 0) -> int:
    """How many decimals show a value of the key in full."""
    return 0 if KEYS[name].kind is not float else max(_decimals(KEYS[name].step), _decimals(value))


def _decimals(value: float) -> int:
    return len(f"{value:.10f}".rstrip("0").rpartition(".")[2])


def result_metrics(result: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Name, value and meaning of the figures on top of a result."""
    held_out, plateau = result["holdout"], result["plateau"]
    found = [("Trials", f"{result['trials']['completed']:,}", f"{result['trials']['failed']:,} failed")]
    if held_out is not None:
        before, after = held_out["current"], held_out["proposed"]
        found += [
            ("Used memories lost, held out", f"{after['used_lost'] - before['used_lost']:,} of {before['used_kept']:,}",
             "On prompts that the search has not seen."),
            ("Unused removed, held out", f"{after['removed'] - before['removed']:,} of {before['unused_kept']:,}",
             "Shown by production and not used."),
            ("Newly shown, unknown", f"{after['newly_shown'] - before['newly_shown']:,}",
             "Nothing is known of memories that were never shown."),
        ]  # fmt: skip
    if plateau is not None:
        found.append(("Plateau", f"{plateau:.0%}", "Settings one step away that keep 95 % of the gain."))
    return [*found, ("Looks at the hold-out", f"{result['looks']:,}", "With each look it proves less.")]
