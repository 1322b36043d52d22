"""The errors that a user can cause: one clear sentence each, no traceback."""

from __future__ import annotations


class WorkbenchError(Exception):
    """A problem that the user can mend. The message says what is wrong, where, and what to do."""

    exit_code = 2


class BadInput(WorkbenchError):
    """A source, argument or id that cannot be used."""


class BadConfig(WorkbenchError):
    """A configuration value or file that cannot be used."""


class StoreLocked(WorkbenchError):
    """Another process holds the store."""


class StoreVersion(WorkbenchError):
    """The store was made by a newer program."""


class Stopped(WorkbenchError):
    """Somebody pressed Ctrl-C; the message says what is kept."""

    exit_code = 130


class AnswerIsNo(WorkbenchError):
    """A check or gate that failed."""

    exit_code = 3


class NotEnoughEvidence(WorkbenchError):
    """The data cannot answer the question."""

    exit_code = 4
