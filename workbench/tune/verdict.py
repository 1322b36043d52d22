"""One of four words about a proposed configuration, with its reasons."""

from __future__ import annotations

from enum import StrEnum

from workbench.metrics.binomial import loss_ceiling, loss_floor
from workbench.metrics.bootstrap import Interval
from workbench.metrics.report.sufficiency import FEW as LEAST_USED
from workbench.text import percent
from workbench.tune.finding import Finding
from workbench.tune.goal import LEAST_OF_A_CLIENT
from workbench.tune.learned import Ranking
from workbench.tune.lower import Edge
from workbench.tune.request import TuneRequest

# How sure it must be that no loss which the held-out prompts hide outweighs the gain: to adopt a change, to try it out.
_LEVEL = 0.95
_TRIED_LEVEL = 0.9


class Verdict(StrEnum):
    """What may be said of a proposed configuration."""

    KEEP = "keep current"
    SAFE = "safe to try"
    TRIAL = "worth a trial"
    THIN = "not enough evidence"


def judge(finding: Finding, request: TuneRequest) -> tuple[Verdict, list[str]]:
    """The verdict and its reasons, the deciding one first.

    Without ten used memories on either side there is not enough evidence for any other word. In doubt the present
    configuration is kept.
    """
    held_out = finding.present.used_kept
    if min(finding.train_used, held_out) < LEAST_USED:
        return Verdict.THIN, [
            f"The training part has {finding.train_used} used memories and the held-out part {held_out}; "
            f"{LEAST_USED} on each side are the least.",
            *_said(finding),
        ]
    if finding.train_gain <= 0:
        return Verdict.KEEP, [
            "No configuration within the limits did better than the present one on the training part."
        ]
    if finding.train_gain <= finding.luck.bar:
        return Verdict.KEEP, [
            f"No improvement beyond noise: the gain of {finding.train_gain:.4f} a prompt on the training part does not "
            f"exceed what searches on shuffled labels reach ({finding.luck.bar:.4f} at the 95th percentile).",
            *_said(finding),
        ]
    return _on_the_holdout(finding, request)


def judge_learned(finding: Finding, ranks: Ranking, request: TuneRequest) -> tuple[Verdict, list[str]]:
    """What is said of weights that were learned from the uses: "worth a trial" where they order held-out memories
    better than the present ones beyond doubt, or gain beyond doubt by what is known, and nothing else speaks against
    them. Never more, because they show memories of which nothing is known."""
    gains = finding.interval is not None and finding.interval.low > 0
    if not (ranks.clear or gains):
        return Verdict.KEEP, ["Weights learned from the uses order held-out memories no better than the present ones."]
    against = _against(finding, request) or ([] if ranks.clear else _may_hide_more(finding))
    said = [_order(ranks), *_said(finding)]
    if against:
        return Verdict.KEEP, [*against, *said]
    new = finding.proposed.newly_shown - finding.present.newly_shown
    return Verdict.TRIAL, [
        f"Weights learned from which memories were used promise more than any that can be counted; {new} of "
        f"{finding.proposed.shown} memories shown to held-out prompts would be new, so try it on some of the traffic.",
        *said,
    ]


def judge_lower(finding: Finding, edge: Edge) -> tuple[Verdict, list[str]]:
    """What is said of a lower threshold that pays for itself on the training part: "worth a trial" where `edge`, what
    it newly shows to held-out prompts, says so too. Never more, because nothing is known of what it shows."""
    surely = f"net help would change by {edge.gain:+.4f} a prompt, by {edge.least:+.4f} or more in 19 of 20 such logs"
    if edge.least <= 0:
        return Verdict.KEEP, [f"A lower threshold does not surely pay for itself on held-out prompts: {surely}."]
    return Verdict.TRIAL, [
        f"What is shown just above the threshold is opened so often that the {edge.newly} memories just below it, new "
        f"to held-out prompts, should pay for themselves even if nothing helped but what is opened: {surely}. Nothing "
        "is known of them, so try it on some of the traffic.",
        *_said(finding),
    ]


def _order(ranks: Ranking) -> str:
    better, rises = ("better", "rises") if ranks.clear else ("no better beyond doubt", "goes")
    return (
        f"On prompts that they have not seen the learned weights tell used memories from unused ones {better}: the "
        f"chance that a used one scores higher {rises} from {ranks.before:.2f} to {ranks.after:.2f}, the log loss "
        f"falls by {ranks.gain:.4f} a memory{_span(ranks.interval)}."
    )


def _on_the_holdout(finding: Finding, request: TuneRequest) -> tuple[Verdict, list[str]]:
    against = _against(finding, request) or _may_hide_more(finding)
    if against:
        return Verdict.KEEP, [*against, *_said(finding)]
    doubts = _doubts(finding, request)
    if doubts:
        return Verdict.TRIAL, [*doubts, *_said(finding)]
    return Verdict.SAFE, _said(finding)


def _against(finding: Finding, request: TuneRequest) -> list[str]:
    """What speaks against a change."""
    used, lost = finding.present.used_kept, finding.used_lost
    reasons = [
        _of_client(client, gone, own)
        for client, (gone, own) in finding.client_losses.items()
        if own >= LEAST_OF_A_CLIENT and loss_floor(gone, own) > request.tolerated_loss
    ]
    if lost > request.tolerated_loss * used:
        tolerated = percent(request.tolerated_loss)
        reasons.insert(0, f"{lost} of {used} held-out used memories would be lost; {tolerated} are tolerated.")
    if finding.gain <= 0:
        reasons.append("What the training part promised does not hold on prompts that it has not seen.")
    return reasons


def _may_hide_more(finding: Finding) -> list[str]:
    """What speaks against trying out a change for which nothing but its counts speaks."""
    if finding.gain > _hidden_cost(finding, _TRIED_LEVEL):
        return []
    hidden = percent(_ceiling(finding, _TRIED_LEVEL))
    return [
        f"With {finding.present.used_kept} used memories held out, a loss of {hidden} "
        "would look the same in one of ten such logs, and it would cost more than the removed noise is worth."
    ]


def _doubts(finding: Finding, request: TuneRequest) -> list[str]:
    """What has to be tried out before a change can be called safe."""
    reasons = [
        _of_client(client, gone, own)
        for client, (gone, own) in finding.client_losses.items()
        if own >= LEAST_OF_A_CLIENT and gone > 2 * request.tolerated_loss * own
    ]
    new = max(request.max_newly_shown_share * finding.proposed.shown, finding.present.newly_shown)
    if finding.proposed.newly_shown > new:
        reasons.append(
            f"{finding.proposed.newly_shown} of {finding.proposed.shown} memories shown to held-out prompts are new, "
            f"above the {percent(request.max_newly_shown_share)} of which nothing may be known."
        )
    if finding.interval is None:
        reasons.append("The held-out sessions are too few or too alike for an interval: try it on some of the traffic.")
    elif finding.interval.low <= 0:
        reasons.append("The interval of the gain on held-out prompts reaches zero: try it on some of the traffic.")
    elif finding.worst_interval is None or finding.worst_interval.low <= 0:
        reasons.append("If all newly shown memories were unhelpful, nothing might be gained: look at some first.")
    if finding.worst <= _hidden_cost(finding, _LEVEL):
        reasons.append(
            f"With {finding.present.used_kept} used memories held out, a loss of up to "
            f"{percent(_ceiling(finding, _LEVEL))} cannot be ruled out, and it would cost more than the removed noise "
            "is worth."
        )
    return reasons


def _ceiling(finding: Finding, level: float) -> float:
    """The largest share of used memories that the configuration may be losing, at this level."""
    return loss_ceiling(finding.used_lost, finding.present.used_kept, level)


def _hidden_cost(finding: Finding, level: float) -> float:
    """What so large a loss costs a prompt, beyond the loss that was seen."""
    hidden = _ceiling(finding, level) * finding.present.used_kept - finding.used_lost
    return finding.lost_weighs * hidden / max(finding.present.prompts, 1)


def _of_client(client: str, lost: int, used: int) -> str:
    return f"Client {client or '(none)'} would lose {lost} of its {used} used memories."


def _said(finding: Finding) -> list[str]:
    present, proposed = finding.present, finding.proposed
    newly = proposed.newly_shown - present.newly_shown
    unknown = (
        f" From {finding.worst:+.4f}{_span(finding.worst_interval)} if no newly shown memory ({newly}, of which "
        f"nothing is known) is helpful, to {finding.best:+.4f} if all are."
        if newly > 0
        else ""
    )
    return [
        f"Held-out prompts: {finding.used_lost} of {present.used_kept} used memories lost, "
        f"{proposed.removed - present.removed} unused ones removed; by what is known, net help changes by "
        f"{finding.gain:+.4f} a prompt{_span(finding.interval)}.{unknown}"
    ]


def _span(interval: Interval | None) -> str:
    return "" if interval is None else f" (95 % interval {interval.low:+.4f} to {interval.high:+.4f})"
