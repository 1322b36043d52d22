"""Transcripts of Claude Code: one line a message, `<project>/<session>.jsonl`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec

from workbench.importers.jsonlines import UNREADABLE
from workbench.importers.transcripts.blocks import word
from workbench.importers.transcripts.results import texts
from workbench.importers.transcripts.track import Place, Track, digest

_MESSAGES = frozenset({"user", "assistant", "attachment", "system"})
# Types of lines that never hold a prompt, a recall or a call.
_PASSED_OVER = frozenset({
    "summary", "file-history-snapshot", "queue-operation", "last-prompt", "custom-title", "ai-title",
    "agent-name", "agent-color", "agent-setting", "mode", "permission-mode", "pr-link", "tag", "worktree-state",
    "attribution-snapshot", "content-replacement", "task-summary",
})  # fmt: skip
# Attachments that quote a file or an instruction, and hooks that run beside a tool.
_QUOTING = (
    "file", "directory", "selected_lines", "nested_memory", "diagnostic", "image", "resource", "pdf", "skill",
    "instructions", "listing", "plan_mode",
)  # fmt: skip
_BESIDE_TOOLS = frozenset({"PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch"})
_DEEPEST = 6
_SEEN = ("content", "text", "additionalContext", "message", "prompt")


_NOTHING = msgspec.Raw(b"null")


class _Line(msgspec.Struct):
    type: object = None
    uuid: object = None
    sessionId: object = None  # noqa: N815  # names in the file
    timestamp: object = None
    subtype: object = None
    isSidechain: object = None  # noqa: N815
    isMeta: object = None  # noqa: N815
    isCompactSummary: object = None  # noqa: N815
    isVisibleInTranscriptOnly: object = None  # noqa: N815
    message: msgspec.Raw = _NOTHING
    content: msgspec.Raw = _NOTHING
    attachment: msgspec.Raw = _NOTHING
    data: msgspec.Raw = _NOTHING


_DECODER = msgspec.json.Decoder(_Line)


class Reader:
    """Reads the lines of one file into `track`; lines that name no session belong to `session`."""

    def __init__(self, track: Track, session: str) -> None:
        self._track, self._session = track, session

    def read(self, content: bytes) -> None:
        """Take one line. Raises what the JSON reader raises."""
        line = _DECODER.decode(content)
        kind = word(line.type)
        if kind == "progress":
            self._progress(line, content)
        elif kind not in _MESSAGES and kind not in _PASSED_OVER:
            self._track.noticed.unknown[kind] += 1
        elif kind in _MESSAGES and (kind != "assistant" or b"lore_" in content):
            self._message(kind, line, self._place(line, content))

    def _place(self, line: _Line, content: bytes) -> Place:
        session = word(line.sessionId) or self._session
        name = word(line.uuid) or digest(content.decode("utf-8", "replace"))
        return Place(name, session, self._track.moment(line.timestamp))

    def _message(self, kind: str, line: _Line, place: Place) -> None:
        if line.isCompactSummary is True or line.isVisibleInTranscriptOnly is True:
            return
        match kind:
            case "assistant":
                self._calls(place, _content(line.message))
            case "user":
                self._user(place, line, _content(line.message))
            case "attachment":
                self._attachment(place, _decoded(line.attachment) or _content(line.message) or _decoded(line.content))
            case "system" if line.subtype != "local_command":
                for text in texts(_decoded(line.content) or _content(line.message)):
                    self._track.context(place, text)

    def _progress(self, line: _Line, content: bytes) -> None:
        """A side chain may stand in the lines that report its progress, whole messages in them."""
        data = _decoded(line.data) if b"tool_use" in content else None
        message = data.get("message") if isinstance(data, dict) else None
        if isinstance(message, dict):
            ours = {"timestamp": line.timestamp, **message, "sessionId": line.sessionId, "isSidechain": True}
            self.read(msgspec.json.encode(ours))

    def _calls(self, place: Place, content: Any) -> None:
        for number, block in enumerate(content if isinstance(content, list) else ()):
            if isinstance(block, dict) and block.get("type") == "tool_use":
                call_id = block.get("id") or f"{place.line}#{number}"
                self._track.call(place, call_id, block.get("name"), block.get("input"))

    def _user(self, place: Place, line: _Line, content: Any) -> None:
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        answers = [block for block in blocks if block.get("type") == "tool_result"]
        for block in answers:
            call_id = block.get("tool_use_id")
            if self._track.awaits(place, call_id):
                self._track.result(place, str(call_id), block.get("content"), block.get("is_error"))
        written = texts(content)
        if not answers and line.isMeta is not True and line.isSidechain is not True:
            self._track.prompt(place, "\n".join(written))
        for text in written:
            self._track.context(place, text)

    def _attachment(self, place: Place, attachment: Any) -> None:
        for text in _attached(attachment):
            self._track.context(place, text)


def _attached(attachment: Any) -> list[str]:
    """The texts of an attachment that stand for something the agent was told, not for a file."""
    if not isinstance(attachment, dict):
        return texts(attachment)
    kind = word(attachment.get("type"))
    if any(part in kind for part in _QUOTING) and "hook" not in kind:
        return []
    if word(attachment.get("hookEvent")) in _BESIDE_TOOLS:
        return []
    for name in _SEEN:
        if any(found := texts(attachment.get(name))):
            return found
    return list(_strings(attachment, _DEEPEST))


def _strings(value: Any, deepest: int) -> Iterator[str]:
    """Every text inside of `value`, also inside of text that is JSON: what a hook printed, for one."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        with suppress(*UNREADABLE):
            value = msgspec.json.decode(value)
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and deepest:
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part, deepest - 1)


def _content(message: msgspec.Raw) -> Any:
    """The content of a message, which is a string or a list of blocks."""
    found = _decoded(message)
    return found.get("content") if isinstance(found, dict) else found


def _decoded(raw: msgspec.Raw) -> Any:
    return msgspec.json.decode(raw)
