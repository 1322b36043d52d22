"""Memories written by hand or taken from Markdown files, in Lore's own tables and with their history."""

from workbench.memories.change import Changed, add_memory, edit_memory, remove_memory
from workbench.memories.folder import import_folder
from workbench.memories.listing import list_memories, show_memory
from workbench.memories.memory import Edit, Memory

__all__ = [
    "Changed",
    "Edit",
    "Memory",
    "add_memory",
    "edit_memory",
    "import_folder",
    "list_memories",
    "remove_memory",
    "show_memory",
]
