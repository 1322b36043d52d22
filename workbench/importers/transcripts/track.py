"""What one transcript says, turned into rows as it is read."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from workbench.importers.transcripts.blocks import LONGEST_PROMPT, identifier, recall_blocks, typed_text
from workbench.importers.transcripts.results import addresses, failed
from workbench.importers.transcripts.rows import Rows
from workbench.importers.transcripts.secrets import masked
from workbench.text import trimmed

_TOOL = re.compile(r"(?:^|__|[./:-])lore_(get_node|search)$")
# An identifier of this length is the same call or line wherever it stands again.
_GLOBAL = re.compile(r"[\w.:-]{16,100}")
_LONGEST_ADDRESS = 1000
_MILLISECONDS = 1e11


@dataclass
class Noticed:
    """What was noticed over all transcripts: unknown types of lines, times that cannot be read or name no zone, calls
    without an address, secrets that were taken out, files whose last line is cut."""

    unknown: Counter[str] = field(default_factory=Counter)
    untimed: int = 0
    unzoned: int = 0
    without_address: int = 0
    secrets: int = 0
    unfinished: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Place:
    """Where something stands: an identifier of its line, the agent's session and the time."""

    line: str
    session: str | None
    at: datetime | None


@dataclass
class Track:
    """Rows of one transcript of the agent `source`. `redact` drops the texts of prompts and searches."""

    source: str
    rows: Rows
    noticed: Noticed
    zone: ZoneInfo
    redact: bool = False
    _prompts: set[str] = field(default_factory=set)
    _prompt_of: dict[str | None, str] = field(default_factory=dict)
    _calls: set[str] = field(default_factory=set)
    _open_calls: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)

    def moment(self, value: object) -> datetime | None:
        """A time stamp of a line; one that names no zone is read in `zone`."""
        try:
            if isinstance(value, str):
                found = datetime.fromisoformat(value)
            elif isinstance(value, int | float) and not isinstance(value, bool):
                found = datetime.fromtimestamp(value / 1000 if value > _MILLISECONDS else value, UTC)
            else:
                raise ValueError
            if found.tzinfo is None:
                self.noticed.unzoned += 1
                found = found.replace(tzinfo=self.zone)
            return found.astimezone(UTC)
        except (ValueError, OverflowError, OSError):
            self.noticed.untimed += 1
            return None

    def prompt(self, place: Place, text: str) -> None:
        """A text that a person may have typed; what follows belongs to it."""
        typed = typed_text(text)
        if not typed:
            return
        prompt_id = self._key(place, place.line)
        if prompt_id not in self._prompts:
            self._prompts.add(prompt_id)
            self._prompt_of[place.session] = prompt_id
        row = {"prompt_id": prompt_id, "prompted_at": place.at, "query_text": self._text(typed)}
        self._add("agent_prompts", place, row)

    def context(self, place: Place, text: str) -> None:
        """A text that the agent saw beside or in a prompt: its recall blocks are what recall showed."""
        for number, block in enumerate(recall_blocks(text)):
            named = block.query_id or f"{place.line}#{number}"
            self._add("agent_recalls", place, {
                "recall_id": f"{self._key(place, named)}#recall", "prompt_id": self._prompt_of.get(place.session),
                "query_id": block.query_id, "seen_at": place.at, "uris": [self._masked(uri) for uri in block.uris],
                "given_session_id": block.session_id,
            })  # fmt: skip

    def call(self, place: Place, call_id: object, name: object, arguments: object) -> None:
        """A call of a tool; those of Lore that open or search count, each once."""
        tool = _TOOL.search(name) if isinstance(name, str) else None
        if tool is None:
            return
        key = self._key(place, call_id if isinstance(call_id, str) and call_id else place.line)
        if key in self._calls:
            return
        given = _object(arguments)
        self._calls.add(key)
        found = (self._search if tool[1] == "search" else self._opening)(key, place, given)
        if found is not None:
            self._open_calls[key] = found

    def awaits(self, place: Place, call_id: object) -> bool:
        """Whether the answer of this call matters."""
        return isinstance(call_id, str) and self._key(place, call_id) in self._open_calls

    def result(self, place: Place, call_id: str, content: object, flag: object = None) -> None:
        """The answer of a call."""
        table, row = self._open_calls.pop(self._key(place, call_id))
        if table == "agent_opens":
            row["found"] = not failed(content, flag)
        elif not failed(content, flag):
            row["uris"] = [self._masked(uri) for uri in addresses(content)]
        self.rows.add(table, row)

    def close(self) -> None:
        """The transcript ends: calls without an answer count too."""
        for table, row in self._open_calls.values():
            self.rows.add(table, row)
        self._open_calls.clear()

    def _search(self, key: str, place: Place, given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        text = given.get("query")
        row: dict[str, Any] = {"search_id": key, "searched_at": place.at, "uris": [],
               "query_text": self._text(text[:LONGEST_PROMPT]) if isinstance(text, str) else None}  # fmt: skip
        return "agent_searches", self._named(place, row)

    def _opening(self, key: str, place: Place, given: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
        uri = given.get("uri")
        if not isinstance(uri, str) or not trimmed(uri):
            self.noticed.without_address += 1
            return None
        row = {"open_id": key, "opened_at": place.at, "uri": self._masked(uri[:_LONGEST_ADDRESS]),
               "given_session_id": self._identifier(given.get("session_id")),
               "given_query_id": self._identifier(given.get("query_id")), "found": None}  # fmt: skip
        return "agent_opens", self._named(place, row)

    def _key(self, place: Place, named: str) -> str:
        if _GLOBAL.fullmatch(named):
            return f"{self.source}:{named}"
        return f"{self.source}:{digest(place.session or '', named)}"

    def _add(self, table: str, place: Place, row: dict[str, Any]) -> None:
        self.rows.add(table, self._named(place, row))

    def _named(self, place: Place, row: dict[str, Any]) -> dict[str, Any]:
        return {"source": self.source, "client_type": self.source, "session_id": place.session, **row}

    def _identifier(self, given: object) -> str | None:
        found = identifier(given)
        return None if found is None else self._masked(trimmed(found))

    def _text(self, text: str) -> str | None:
        return None if self.redact else self._masked(text)

    def _masked(self, text: str) -> str:
        found = masked(text)
        self.noticed.secrets += found != text
        return found.replace("\0", "␀")


def digest(*parts: str) -> str:
    """A short name for what has none of its own."""
    text = "\x1f".join(parts)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _object(arguments: object) -> dict[str, Any]:
    """The arguments of a call: an object, or its JSON text. Raises what the JSON reader raises."""
    found = msgspec.json.decode(arguments) if isinstance(arguments, str) and trimmed(arguments) else arguments
    return found if isinstance(found, dict) else {}
