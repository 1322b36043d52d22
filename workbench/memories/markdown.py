"""Memories in Markdown files: the front matter says where and how, the rest is the content."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import frontmatter
from yaml import YAMLError

from workbench.errors import BadInput
from workbench.memories.memory import DEFAULT_PRIORITY, Memory
from workbench.retrieve.clock import read_time
from workbench.text import shown

KNOWN = ("uri", "domain", "path", "priority", "disclosure", "keywords", "created")
DEFAULT_DOMAIN = "notes"
_MOST_BYTES = 4_000_000


@dataclass(frozen=True)
class MarkdownMemory:
    """A memory, the digest of the file that it was read from, and the keys of its front matter that nobody knows."""

    memory: Memory
    digest: str
    unknown: tuple[str, ...]


def read_markdown(path: Path, relative: Path, domain: str = DEFAULT_DOMAIN) -> MarkdownMemory:
    """The memory in a Markdown file.

    Its address is `uri`, else `domain` (else the one given) with `path`, else with the name `relative` of the file. The
    other keys are `priority`, `disclosure`, `keywords` (a list, or words between commas) and `created`. BadInput says
    what is wrong with the file.
    """
    raw = _bytes(path)
    try:
        found, content = frontmatter.parse(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise BadInput("it is no UTF-8 text") from None
    except (YAMLError, ValueError, RecursionError) as error:
        raise BadInput(f"its front matter is no YAML ({_first_line(error)})") from None
    said = {str(key): value for key, value in found.items()}
    memory = Memory(
        _uri(said, relative, domain),
        content,
        _value(said, "priority", _integer, DEFAULT_PRIORITY),
        _value(said, "disclosure", _line, ""),
        _value(said, "keywords", _words, ()),
        _value(said, "created", _moment, None),
    )
    unknown = tuple(key for key in said if key not in KNOWN)
    return MarkdownMemory(memory, hashlib.sha256(raw).hexdigest(), unknown)


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            raw = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise BadInput(f"it cannot be read ({error.strerror})") from error
    if len(raw) > _MOST_BYTES:
        raise BadInput(f"it is larger than {_MOST_BYTES:,} bytes")
    return raw


def _uri(said: Mapping[str, Any], relative: Path, domain: str) -> str:
    if uri := str(_value(said, "uri", _line, "")):
        if said.get("domain") or said.get("path"):
            raise BadInput("it names an uri and, beside it, a domain or a path; keep one of them")
        return uri
    name = "/".join(part.strip() for part in relative.with_suffix("").parts)
    return f"{_value(said, 'domain', _line, domain)}://{_value(said, 'path', _line, name)}"


def _value(said: Mapping[str, Any], key: str, read: Callable[[str, Any], Any], default: Any) -> Any:
    """The value of a key, read; the default where it is missing or empty."""
    return default if said.get(key) in (None, "") else read(key, said[key])


def _integer(key: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadInput(f"its {key} {shown(str(value), 40)!r} is no whole number")
    return value


def _line(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise BadInput(f"its {key} is no text; write it between quotation marks")
    return value.strip()


def _words(key: str, value: Any) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(isinstance(part, str | int | float) for part in parts):
        raise BadInput(f"its {key} are no list of words")
    return tuple(str(part) for part in parts if str(part).strip())


def _moment(key: str, value: Any) -> datetime:
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    return read_time(key, str(value))


def _first_line(error: Exception) -> str:
    return shown(" ".join(str(error).split()), 120)
