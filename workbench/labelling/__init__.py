"""Answers by hand: which one is worth most for a pending decision, and when enough is known."""

from workbench.labelling.decision import Decision, pending_decision
from workbench.labelling.pick import Pair, Progress, next_pairs

__all__ = ["Decision", "Pair", "Progress", "next_pairs", "pending_decision"]
