"""Configurations tried by hand: their ledger, their curves, and what they show and hide, as fast as one asks."""

from workbench.whatif.desk import MOST_FLIPS, Desk
from workbench.whatif.grid import THRESHOLD, sweep_columns, sweep_rows, thresholds_around

__all__ = ["MOST_FLIPS", "THRESHOLD", "Desk", "sweep_columns", "sweep_rows", "thresholds_around"]
