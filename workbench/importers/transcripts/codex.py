"""Transcripts of Codex: `rollout-*.jsonl`, one item a line."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import msgspec

from workbench.importers.transcripts.blocks import typed_text, word
from workbench.importers.transcripts.results import texts
from workbench.importers.transcripts.track import Place, Track, digest

_READ = frozenset({"session_meta", "response_item", "event_msg"})
_PASSED_OVER = frozenset({"turn_context", "compacted", "world_state"})
_ITEMS_PASSED_OVER = frozenset({
    "reasoning", "local_shell_call", "local_shell_call_output", "web_search_call", "ghost_snapshot", "compaction",
    "compaction_trigger", "compaction_summary", "image_generation_call", "tool_search_call", "tool_search_output",
    "context_compaction", "other",
})  # fmt: skip
_CALLS = frozenset({"function_call", "custom_tool_call"})
_ANSWERS = frozenset({"function_call_output", "custom_tool_call_output"})
_MCP = frozenset({"mcp_tool_call_begin", "mcp_tool_call_end"})
_COPIED_WITHIN = timedelta(seconds=2)  # a fork's history is written in one go
_SESSION = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")


_NOTHING = msgspec.Raw(b"null")


class _Line(msgspec.Struct):
    type: object = None
    timestamp: object = None
    payload: msgspec.Raw = _NOTHING


_DECODER = msgspec.json.Decoder(_Line)


class Reader:
    """Reads the lines of one file into `track`; its session is that of its first session_meta, else its name's.

    A forked session begins with a copy of the other one, from its session_meta on and under the time of the fork: what
    was said there counts in that one's file alone. A last prompt of the copy that nobody answers is the fork's own.
    """

    def __init__(self, track: Track, name: str) -> None:
        self._track = track
        found = _SESSION.search(name)
        self._session = found[0] if found else name
        self._named = False
        self._copied_until: datetime | None = None
        self._own: list[tuple[Place, str, dict[str, Any]]] = []
        self._said: dict[str, Counter[str]] = {"item": Counter(), "event": Counter()}

    def read(self, content: bytes) -> None:
        """Take one line. Raises what the JSON reader raises."""
        line = _DECODER.decode(content)
        kind = word(line.type)
        if kind in _PASSED_OVER:
            return
        if kind == "event_msg" and b"user_message" not in content and b"mcp_tool_call" not in content:
            return
        payload = msgspec.json.decode(line.payload)
        if kind not in _READ or not isinstance(payload, dict):
            self._track.noticed.unknown[kind] += 1
        elif kind == "session_meta":
            self._meta(payload, line.timestamp)
        else:
            name = digest(content.decode("utf-8", "replace"))
            place = Place(name, self._session, self._track.moment(line.timestamp))
            if not self._copied(place, kind, payload):
                self._take(place, kind, payload)

    def _take(self, place: Place, kind: str, payload: dict[str, Any]) -> None:
        (self._item if kind == "response_item" else self._event)(place, payload)

    def _meta(self, payload: dict[str, Any], stamp: object) -> None:
        found = payload.get("id") or payload.get("session_id")
        if not isinstance(found, str) or not found:
            return
        if not self._named:
            self._session, self._named = found, True
        elif found != self._session and (at := self._track.moment(stamp)):
            self._copied_until = max(at + _COPIED_WITHIN, self._copied_until or at)

    def _copied(self, place: Place, kind: str, payload: dict[str, Any]) -> bool:
        """Whether a line is of a copy, as far as it is known yet: what follows its last prompt is kept until somebody
        answers that."""
        if self._copied_until is None:
            return False
        if place.at is not None and place.at > self._copied_until:
            self._copied_until = None
            for held in self._own:
                self._take(*held)
            self._own.clear()
            return False
        role = payload.get("role") if kind == "response_item" else None
        asks = role == "user" or payload.get("type") == "user_message"
        if role == "user" or (kind == "response_item" and role not in ("developer", "system")):
            self._own.clear()
        if asks or self._own:
            self._own.append((place, kind, payload))
        return True

    def _item(self, place: Place, payload: dict[str, Any]) -> None:
        kind, call_id = word(payload.get("type")), payload.get("call_id")
        if kind == "message":
            self._message(place, payload)
        elif kind in _CALLS:
            self._track.call(place, call_id, payload.get("name"), payload.get("arguments", payload.get("input")))
        elif kind in _ANSWERS:
            if self._track.awaits(place, call_id):
                self._track.result(place, str(call_id), payload.get("output"))
        elif kind not in _ITEMS_PASSED_OVER:
            self._track.noticed.unknown[f"response_item {kind}"] += 1

    def _message(self, place: Place, payload: dict[str, Any]) -> None:
        if payload.get("role") not in ("user", "developer", "system"):
            return
        written = texts(payload.get("content"))
        if payload["role"] == "user":
            self._prompt(place, "item", "\n".join(written))
        for text in written:
            self._track.context(place, text)

    def _event(self, place: Place, payload: dict[str, Any]) -> None:
        kind, call_id = word(payload.get("type")), payload.get("call_id")
        if kind == "user_message" and isinstance(payload.get("message"), str):
            self._prompt(place, "event", payload["message"])
        elif kind in _MCP and isinstance(payload.get("invocation"), dict):
            invocation = payload["invocation"]
            self._track.call(place, call_id, invocation.get("tool"), invocation.get("arguments"))
            if kind == "mcp_tool_call_end" and self._track.awaits(place, call_id):
                self._track.result(place, str(call_id), payload.get("result"), bool(payload.get("error")))

    def _prompt(self, place: Place, way: str, text: str) -> None:
        """A prompt stands twice, as an item and as an event, in either order; the same words sent again stand twice
        again."""
        words = digest(typed_text(text))
        self._said[way][words] += 1
        occurrence = str(self._said[way][words])
        self._track.prompt(Place(digest(place.session or "", words, occurrence), place.session, place.at), text)
