"""Memories that recall missed: what says so, at which stage they were lost, and what would mend that."""

from workbench.review.found import Memory, Missed
from workbench.review.ground import Ground, Review
from workbench.review.missed import Look, expect_known, missed

__all__ = ["Ground", "Look", "Memory", "Missed", "Review", "expect_known", "missed"]
