"""Configurations tried by hand: their ledger, their curves, and what they show and hide, as fast as one asks."""

from workbench.whatif.desk import MOST_FLIPS, Desk

__all__ = ["MOST_FLIPS", "Desk"]
