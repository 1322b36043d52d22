"""Measures of recall: what may be claimed, with counts and intervals."""

from workbench.metrics.report import report
from workbench.metrics.summary import replay_summary, standard_measures

__all__ = ["replay_summary", "report", "standard_measures"]
