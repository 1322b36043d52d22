"""Text that an agent saw: the recall blocks in it, and what the person typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from workbench.text import trimmed

_HEADER = 1000
_ATTRIBUTE = re.compile(r"([\w-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_ROW = re.compile(r"^\s*(?:[-*]\s+)?-?\d+(?:\.\d+)?\s*\|\s*([^|\n]+)", re.MULTILINE)
_ADDRESS = re.compile(r"[A-Za-z][\w.+-]*://[^\x00-\x1f|]{0,1000}")
_IDENTIFIER = re.compile(r"(?!\.+$)[\w.:+-]{1,200}")
# Addresses of these kinds are links or remarks of the server, never memories.
_NO_MEMORY = ("http", "https", "file", "ftp", "ws", "wss", "notice", "postgres", "postgresql", "git", "ssh")

# What these hold was printed by a program or read from a file.
_QUOTED = ("bash-stdout", "bash-stderr", "local-command-stdout", "local-command-stderr")
_REMINDER = "system-reminder"
_RECALL = "recall"
_OF_A_FILE = ("Called the", "Result of calling the")
# What programs add to the text of a person, or send in their place.
_ADDED = (
    _RECALL, "recall-notice", _REMINDER, "user-prompt-submit-hook", "bash-input", "local-command-caveat",
    "ide_opened_file", "ide_selection", "task-notification", "environment_context", "user_instructions",
    "turn_aborted", "skill", "permissions", "collaboration_mode", "user_shell_command", "INSTRUCTIONS",
)  # fmt: skip
_COMMAND = "command-name"
_STARTS_OF_NO_PROMPT = ("[Request interrupted", "# AGENTS.md instructions", "Caveat: The messages below")
LONGEST_PROMPT = 32_000


@dataclass(frozen=True)
class Block:
    """A recall block: what it names, and the addresses in it in their order."""

    session_id: str | None
    query_id: str | None
    uris: tuple[str, ...]


def recall_blocks(text: str) -> Iterator[Block]:
    """The recall blocks of a text that an agent saw, without those that a quoted file or a program's output holds."""
    if f"<{_RECALL}" not in text:
        return
    seen = _without(text, _QUOTED)
    for start, end in _elements(seen, _RECALL):
        *_, last = _opening(_RECALL).finditer(seen, start, end)  # the word alone may stand before
        block = seen[last.start() : end]
        header, _, body = block.partition(">")
        uris = tuple(uri for row in _ROW.finditer(body) if (uri := memory_address(row[1])))
        if len(header) > _HEADER or not uris:
            continue
        named = {match[1]: match[2] or match[3] or "" for match in _ATTRIBUTE.finditer(header)}
        yield Block(identifier(named.get("session_id")), identifier(named.get("query_id")), uris)


def memory_address(text: object) -> str | None:
    """`text` where it may be the address of a memory."""
    if not isinstance(text, str):
        return None
    address = trimmed(text)
    if not _ADDRESS.fullmatch(address) or address.partition("://")[0].lower() in _NO_MEMORY:
        return None
    return address


def identifier(text: object) -> str | None:
    """`text` where it may be an identifier of the server."""
    return text if isinstance(text, str) and _IDENTIFIER.fullmatch(trimmed(text)) else None


def word(value: object) -> str:
    """`value` where it is text, else nothing: a type or name may be anything in a file."""
    return value if isinstance(value, str) else ""


def typed_text(text: str) -> str:
    """What a person typed, without what programs added; empty where nothing is left."""
    if f"<{_COMMAND}>" in text:
        name, arguments = _inside(text, _COMMAND), _inside(text, "command-args")
        return f"{name} {arguments}"[:LONGEST_PROMPT] if arguments else ""
    typed = trimmed(_without(text, (*_QUOTED, *_ADDED)))
    return "" if typed.startswith(_STARTS_OF_NO_PROMPT) else typed[:LONGEST_PROMPT]


def _without(text: str, names: Sequence[str]) -> str:
    """`text` without the elements of these names, and without reminders that quote a file."""
    for name in names:
        text = _cut(text, _elements(text, name))
    quoting = (span for span in _elements(text, _REMINDER) if _quotes_a_file(text[slice(*span)]))
    return _cut(text, quoting)


def _quotes_a_file(reminder: str) -> bool:
    return trimmed(reminder.partition(">")[2]).startswith(_OF_A_FILE)


def _cut(text: str, spans: Iterator[tuple[int, int]]) -> str:
    parts, position = [], 0
    for start, end in spans:
        parts.append(text[position:start])
        position = end
    return "".join([*parts, text[position:]]) if parts else text


def _inside(text: str, name: str) -> str:
    for start, end in _elements(text, name):
        return trimmed(text[start:end].partition(">")[2].removesuffix(f"</{name}>"))
    return ""


def _elements(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Start and end of each element `<name …>…</name>`, in time that grows with the text alone."""
    position = 0
    while opened := _opening(name).search(text, position):
        end = text.find(f"</{name}>", opened.end())
        if end < 0:
            return
        position = end + len(name) + 3
        yield opened.start(), position


@cache
def _opening(name: str) -> re.Pattern[str]:
    return re.compile(rf"<{re.escape(name)}(?=[\s>])")
