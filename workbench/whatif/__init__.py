"""Configurations tried by hand: their ledger, their curves, and what they show and hide, as fast as one asks."""

from workbench.whatif.desk import MOST_FLIPS, Desk
from workbench.whatif.grid import sweep_columns, sweep_rows, thresholds_around

__all__ = ["MOST_FLIPS", "Desk", "sweep_columns", "sweep_rows", "thresholds_around"]
