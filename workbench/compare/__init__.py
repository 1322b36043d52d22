"""Configurations held against each other on the same prompts, and what made the difference."""

from workbench.compare.run import MOST_FLIPS, compare, moved_most

__all__ = ["MOST_FLIPS", "compare", "moved_most"]
