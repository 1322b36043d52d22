"""Memories that recall missed: what says so, at which stage they were lost, and what would mend that."""

from workbench.review.missed import Memory, Missed, Review, missed

__all__ = ["Memory", "Missed", "Review", "missed"]
