"""Tuning: search space, objective, luck, hold-out, verdict."""

from workbench.tune.request import TuneRequest
from workbench.tune.run import help_tuning, tune
from workbench.tune.study import best_changes, load_result, studies_folder
from workbench.tune.verdict import Verdict

__all__ = ["TuneRequest", "Verdict", "best_changes", "help_tuning", "load_result", "studies_folder", "tune"]
