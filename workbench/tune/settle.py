"""What would settle the verdict of a tuning run, in words and numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workbench.metrics.report.sufficiency import FEW as LEAST_USED
from workbench.tune.probe import Traffic, more_days
from workbench.tune.verdict import Verdict


def settle(
    result: dict[str, Any], probe: dict[str, Any], traffic: Traffic, higher: Callable[[], dict[str, Any] | None]
) -> dict[str, Any]:
    """The part `settle` of a tuning result: `labels` and `canary` where they would tell (else None), `days_of_log`
    where more of it would, `higher_threshold` where the present configuration is kept for want of knowing what one is
    worth, and all of it as sentences."""
    verdict, newly = result["verdict"], probe["labels"]["of"]
    days, until = _days(result, traffic)
    tried_out = verdict in (Verdict.SAFE.value, Verdict.TRIAL.value)
    labels = probe["labels"] if newly and tried_out else None
    canary = probe["canary"] if tried_out else None
    threshold = higher() if verdict == Verdict.KEEP.value else None
    said = [part["said"] for part in (labels, canary, threshold) if part]
    if until:
        said.append(
            f"About {days:,} more days of log, until {until}." if days else f"More log takes years until {until}."
        )
    if verdict == Verdict.SAFE.value:
        said.append("After the change, `workbench check` holds new logs against this forecast.")
    return {"labels": labels, "canary": canary, "days_of_log": days, "higher_threshold": threshold, "said": said}


def _days(result: dict[str, Any], traffic: Traffic) -> tuple[int | None, str | None]:
    """How many more days of log would do, and until when; (None, None) where more log is not what is missing."""
    verdict, split, chance = result["verdict"], result["split"], result["luck"]
    fewest = min(split["train_used"], split["holdout_used"])
    if verdict == Verdict.THIN.value:
        factor = LEAST_USED / max(fewest, 1)
        return more_days(traffic, factor), f"each side has {LEAST_USED} used memories (one has {fewest})"
    gain = result.get("train", {}).get("net_help_gain", 0.0)
    if verdict == Verdict.KEEP.value and chance and 0 < gain <= chance["bar"]:
        factor = (chance["bar"] / gain) ** 2
        return more_days(traffic, factor), (
            f"a gain of {gain:.4f} a prompt, if it is real, stands out from luck ({chance['bar']:.4f} today)"
        )
    return _narrower(result, traffic) if verdict == Verdict.TRIAL.value else (None, None)


def _narrower(result: dict[str, Any], traffic: Traffic) -> tuple[int | None, str | None]:
    held_out = result["holdout"]
    gain, interval = held_out["net_help_gain"], held_out["interval"]
    if interval is None or interval[0] > 0 or gain <= 0:
        return None, None
    factor = ((gain - interval[0]) / gain) ** 2
    return more_days(traffic, factor), f"the interval of a gain of {gain:.4f} a prompt leaves zero out"
