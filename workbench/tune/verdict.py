"""One of four words about a proposed configuration, with its reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from workbench.judge import Ledger
from workbench.metrics.bootstrap import Interval
from workbench.tune.luck import Luck
from workbench.tune.request import TuneRequest

LEAST_USED = 10
_LEAST_OF_A_CLIENT = 5


class Verdict(StrEnum):
    """What may be said of a proposed configuration."""

    KEEP = "keep current"
    SAFE = "safe to try"
    TRIAL = "worth a trial"
    THIN = "not enough evidence"


@dataclass(frozen=True)
class Finding:
    """What a search found: gains are net help a prompt above the present configuration; ledgers and the interval of the
    gain are of the held-out prompts."""

    train_gain: float
    luck: Luck
    train_used: int
    present: Ledger
    proposed: Ledger
    gain: float
    interval: Interval | None
    client_losses: Mapping[str, tuple[int, int]]


def judge(finding: Finding, request: TuneRequest) -> tuple[Verdict, list[str]]:
    """The verdict and its reasons, the deciding one first; the present configuration is kept in doubt."""
    if finding.train_gain <= 0:
        return Verdict.KEEP, [
            "No configuration within the limits did better than the present one on the training part."
        ]
    if finding.train_gain <= finding.luck.bar:
        return Verdict.KEEP, [
            f"No improvement beyond noise: the gain of {finding.train_gain:.4f} a prompt does not exceed what searches "
            f"on shuffled labels reach ({finding.luck.bar:.4f} at the 95th percentile)."
        ]
    return _on_the_holdout(finding, request)


def _on_the_holdout(finding: Finding, request: TuneRequest) -> tuple[Verdict, list[str]]:
    present, proposed = finding.present, finding.proposed
    loss = proposed.used_lost - present.used_lost
    said = [
        f"Held-out prompts: {loss} of {present.used_kept} used memories lost, "
        f"{proposed.removed - present.removed} unused ones removed, {proposed.newly_shown} newly shown of which "
        "nothing is known; net help changes by "
        f"{finding.gain:+.4f} a prompt{_span(finding.interval)}."
    ]
    harmed = [
        f"Client {client or '(none)'} would lose {lost} of its {used} used memories."
        for client, (lost, used) in finding.client_losses.items()
        if used >= _LEAST_OF_A_CLIENT and lost > 2 * request.tolerated_loss * used
    ]
    if finding.gain <= 0 or harmed:
        return Verdict.KEEP, [*said, *(harmed or ["What the training part promised does not hold on other prompts."])]
    if present.used_kept < LEAST_USED:
        return Verdict.THIN, [
            f"Only {present.used_kept} used memories are held out; {LEAST_USED} are the least.",
            *said,
        ]
    if loss > request.tolerated_loss * present.used_kept:
        return Verdict.KEEP, [
            *said,
            f"That loses more than the tolerated {request.tolerated_loss:.0%} of used memories.",
        ]
    unknown = proposed.newly_shown > request.max_newly_shown * max(proposed.shown, 1)
    if unknown or finding.interval is None or finding.interval.low <= 0:
        why = (
            "Too much of what it shows is unknown."
            if unknown
            else "The interval of the gain on held-out prompts reaches zero: try it on a part of the traffic first."
        )
        return Verdict.TRIAL, [*said, why]
    return Verdict.SAFE, said


def _span(interval: Interval | None) -> str:
    return "" if interval is None else f" (95 % interval {interval.low:+.4f} to {interval.high:+.4f})"
