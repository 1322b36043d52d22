"""A configuration put in force on a server, and taken back."""

from workbench.apply.records import Record, records_folder
from workbench.apply.run import Change, apply, differences, rollback
from workbench.apply.settings_api import TOKEN_VARIABLE, SettingsApi

__all__ = [
    "TOKEN_VARIABLE",
    "Change",
    "Record",
    "SettingsApi",
    "apply",
    "differences",
    "records_folder",
    "rollback",
]
