"""Helpfulness as the log shows it."""

from workbench.metrics.report.helpfulness import GROUPINGS, Report, report
from workbench.metrics.report.listing import OUTCOMES, Outcome, Page, domains, memory_table, page
from workbench.metrics.report.periods import calendar_day, calendar_days, last_hours

__all__ = [
    "GROUPINGS",
    "OUTCOMES",
    "Outcome",
    "Page",
    "Report",
    "calendar_day",
    "calendar_days",
    "domains",
    "last_hours",
    "memory_table",
    "page",
    "report",
]
