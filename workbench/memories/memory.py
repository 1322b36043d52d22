"""A memory as a person writes it, and what may stand in one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from workbench.errors import BadInput
from workbench.text import shown, trimmed

DEFAULT_PRIORITY = 2
MOST_URI = 512
MOST_CONTENT = 1_000_000
MOST_DISCLOSURE = 2_000
MOST_KEYWORD = 200
MOST_KEYWORDS = 100
MOST_PRIORITY = 100

_DOMAIN = re.compile(r"[^\W_][\w.-]{0,62}")
_UNSEEN = re.compile("[\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]")
_UNSEEN_IN_TEXT = re.compile("[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ud800-\udfff]")


@dataclass(frozen=True)
class Memory:
    """A memory: `uri` is domain://path, `content` text, `priority` 0 (the highest) to 100, `disclosure` a sentence on
    when it should surface, `keywords` without repetition. `created` is when it was written, None: now.

    BadInput for what cannot be one.
    """

    uri: str
    content: str
    priority: int = DEFAULT_PRIORITY
    disclosure: str = ""
    keywords: tuple[str, ...] = ()
    created: datetime | None = None

    def __post_init__(self) -> None:
        split_uri(self.uri)
        _text(self.uri, "content", self.content, MOST_CONTENT)
        if not trimmed(self.content):
            raise BadInput(f"The content of {shown(self.uri)} is empty; a memory needs some.")
        _text(self.uri, "disclosure", self.disclosure, MOST_DISCLOSURE)
        if isinstance(self.priority, bool) or not 0 <= self.priority <= MOST_PRIORITY:
            raise BadInput(f"The priority of {shown(self.uri)} is {self.priority}; take 0, the highest, to 100.")
        object.__setattr__(self, "keywords", _keywords(self.uri, self.keywords))

    @property
    def address(self) -> tuple[str, str]:
        """Domain and path."""
        return split_uri(self.uri)

    def snapshot(self) -> dict[str, Any]:
        """What a memory event keeps of it."""
        return snapshot(self.content, self.priority, self.disclosure, self.keywords)


def snapshot(content: str | None, priority: int, disclosure: str, keywords: Sequence[str]) -> dict[str, Any]:
    """What a memory event keeps of a memory, under the names that a server uses."""
    return {
        "content": content,
        "priority": priority,
        "disclosure": disclosure,
        "glossary_keywords": [*keywords],
    }


@dataclass(frozen=True)
class Edit:
    """What changes of a memory; None leaves it as it is, and no keywords take all away."""

    content: str | None = None
    priority: int | None = None
    disclosure: str | None = None
    keywords: tuple[str, ...] | None = None

    @classmethod
    def to(cls, memory: Memory) -> Edit:
        """The edit that makes another memory this one."""
        return cls(memory.content, memory.priority, memory.disclosure, memory.keywords)

    def of(self, memory: Memory) -> Memory:
        """The edited memory. BadInput for what cannot be one."""
        return replace(memory, **{name: value for name, value in self.__dict__.items() if value is not None})


def split_uri(uri: str) -> tuple[str, str]:
    """Domain and path of a memory's address; BadInput with the rule that it breaks."""
    domain, mark, path = uri.partition("://")
    if not mark:
        raise BadInput(f"{shown(uri, 80)!r} is no address of a memory; write domain://path.")
    if not _DOMAIN.fullmatch(domain):
        raise BadInput(
            f"{shown(domain, 80)!r} is no domain; take letters, digits, '_', '-' and '.', beginning with a letter or a "
            "digit, 63 at most."
        )
    if len(uri) > MOST_URI:
        raise BadInput(f"The address {shown(uri, 60)!r} has {len(uri)} characters; {MOST_URI} are the most.")
    if _UNSEEN.search(path):
        raise BadInput(f"The address {shown(uri, 80)!r} holds a character that nobody can see; leave it out.")
    if any(not part or part != trimmed(part) or part in (".", "..") for part in path.split("/")):
        raise BadInput(
            f"The path of {shown(uri, 80)!r} has an empty part, one with white space at an end, or '.' or '..'; write "
            "domain://part/part."
        )
    return domain, path


def _keywords(uri: str, given: Sequence[str]) -> tuple[str, ...]:
    """The keywords, trimmed, each once."""
    found: dict[str, None] = {}
    for keyword in given:
        word = trimmed(keyword)
        if not word or _UNSEEN.search(word):
            raise BadInput(f"{shown(keyword, 40)!r} cannot be a keyword of {shown(uri)}; write a word or a short term.")
        if len(word) > MOST_KEYWORD:
            raise BadInput(f"The keyword {shown(word, 40)!r} of {shown(uri)} is longer than {MOST_KEYWORD} characters.")
        found[word] = None
    if len(found) > MOST_KEYWORDS:
        raise BadInput(f"{shown(uri)} has {len(found)} keywords; {MOST_KEYWORDS} are the most.")
    return tuple(found)


def _text(uri: str, what: str, text: str, most: int) -> None:
    if len(text) > most:
        raise BadInput(f"The {what} of {shown(uri)} has {len(text):,} characters; {most:,} are the most.")
    if found := _UNSEEN_IN_TEXT.search(text):
        raise BadInput(
            f"The {what} of {shown(uri)} holds the control character {shown(found[0])} at position "
            f"{found.start() + 1}; leave it out."
        )
