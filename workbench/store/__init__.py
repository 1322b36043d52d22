"""The store: one DuckDB file with Lore's tables, published in generations; SQL stages run on it."""

from workbench.store.backup import back_up, default_backup
from workbench.store.database import Database
from workbench.store.generations import in_memory, reading, writing
from workbench.store.inbox import Entry, Inbox
from workbench.store.migrations import newest_version
from workbench.store.pipeline import Stage, compose, sql_text
from workbench.store.tables import TABLES, Column, Kind, Table

__all__ = [
    "TABLES",
    "Column",
    "Database",
    "Entry",
    "Inbox",
    "Kind",
    "Stage",
    "Table",
    "back_up",
    "compose",
    "default_backup",
    "in_memory",
    "newest_version",
    "reading",
    "sql_text",
    "writing",
]
