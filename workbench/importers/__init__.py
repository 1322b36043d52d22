"""Importers: one file a source, the same tables out of all."""

from workbench.importers.capabilities import capabilities
from workbench.importers.load import load
from workbench.importers.options import ImportOptions, Progress
from workbench.importers.past import past_imports
from workbench.importers.report import ImportReport

__all__ = ["ImportOptions", "ImportReport", "Progress", "capabilities", "load", "past_imports"]
