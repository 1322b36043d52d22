"""One memory as an agent reads it, and the start-up memories together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.judge.marks import normalised_address
from workbench.store import Database, compose, sql_text
from workbench.textsearch.characters import well_formed

BOOT = ("core://agent", "core://soul", "preferences://user")
_NODE = compose(("logged/memory_now", ("node", sql_text("agents/node"))))


def memory_at(db: Database, uri: str) -> dict[str, Any] | None:
    """The memory at an address, which is looked up as the server does; None where there is none.

    Keys: uri, domain, path, node_uuid, priority, disclosure, content, created_at, keywords, aliases, children.
    """
    rows = db.arrow(_NODE, {"uri": normalised_address(well_formed(uri))}).to_pylist()
    return rows[0] if rows else None


def memory_text(memory: Mapping[str, Any]) -> str:
    """What an agent reads of it."""
    lines = [f"URI: {memory['uri']}", f"Node UUID: {memory['node_uuid']}", f"Priority: {memory['priority']}"]
    if memory["disclosure"]:
        lines.append(f"Disclosure: {memory['disclosure']}")
    for name, values in (("Keywords", "keywords"), ("Aliases", "aliases"), ("Children", "children")):
        if memory[values]:
            lines.append(f"{name}: {', '.join(memory[values])}")
    return "\n".join([*lines, "", memory["content"] or ""])


def boot_uris(family: str | None) -> list[str]:
    """The start-up memories of a runtime family, in their order, whether they exist or not."""
    return [*BOOT, *([f"core://agent/{family}"] if family else [])]


def boot_text(memories: Sequence[Mapping[str, Any]]) -> str:
    """The block that a session starts with; "" without memories."""
    if not memories:
        return ""
    parts = [f"## {memory['uri']}\n{memory['content'] or ''}" for memory in memories]
    return "\n\n".join(["<boot>\nMemories to start with:", *parts]) + "\n</boot>"
