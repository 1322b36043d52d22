"""Transcripts of Claude Code: one line a message, `<project>/<session>.jsonl`."""

from __future__ import annotations

from typing import Any

import msgspec

from workbench.importers.transcripts.results import texts
from workbench.importers.transcripts.track import Place, Track, digest

_MESSAGES = frozenset({"user", "assistant", "attachment", "system"})
# Types of lines that never hold a prompt, a recall or a call.
_PASSED_OVER = frozenset({
    "summary", "file-history-snapshot", "queue-operation", "progress", "last-prompt", "custom-title", "ai-title",
    "agent-name", "agent-color", "agent-setting", "mode", "permission-mode", "pr-link", "tag", "worktree-state",
    "attribution-snapshot", "content-replacement", "task-summary",
})  # fmt: skip
# Attachments that quote a file, and hooks that run beside a tool.
_QUOTING = ("file", "directory", "selected_lines", "nested_memory", "diagnostic", "image", "resource", "pdf")
_BESIDE_TOOLS = frozenset({"PreToolUse", "PostToolUse", "PostToolUseFailure"})
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


_DECODER = msgspec.json.Decoder(_Line)


class Reader:
    """Reads the lines of one file into `track`; lines that name no session belong to `session`."""

    def __init__(self, track: Track, session: str) -> None:
        self._track, self._session = track, session

    def read(self, content: bytes) -> None:
        """Take one line. Raises what the JSON reader raises."""
        line = _DECODER.decode(content)
        if not isinstance(line.type, str) or line.type not in _MESSAGES:
            if line.type not in _PASSED_OVER:
                self._track.noticed.unknown[str(line.type)] += 1
            return
        if line.isCompactSummary is True or line.isVisibleInTranscriptOnly is True:
            return
        if line.type == "assistant" and b"lore_" not in content:
            return
        session = line.sessionId if isinstance(line.sessionId, str) and line.sessionId else self._session
        name = line.uuid if isinstance(line.uuid, str) and line.uuid else digest(content.decode("utf-8", "replace"))
        place = Place(name, session, self._track.moment(line.timestamp))
        match line.type:
            case "assistant":
                self._calls(place, _content(line.message))
            case "user":
                self._user(place, line, _content(line.message))
            case "attachment":
                self._attachment(place, _decoded(line.attachment) or _content(line.message) or _decoded(line.content))
            case "system" if line.subtype != "local_command":
                for text in texts(_decoded(line.content) or _content(line.message)):
                    self._track.context(place, text)

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
    kind = attachment.get("type")
    if isinstance(kind, str) and any(word in kind for word in _QUOTING) and "hook" not in kind:
        return []
    if attachment.get("hookEvent") in _BESIDE_TOOLS:
        return []
    for name in _SEEN:
        if found := texts(attachment.get(name)):
            return found
    return texts(attachment.get("stdout"))


def _content(message: msgspec.Raw) -> Any:
    """The content of a message, which is a string or a list of blocks."""
    found = _decoded(message)
    return found.get("content") if isinstance(found, dict) else found


def _decoded(raw: msgspec.Raw) -> Any:
    return msgspec.json.decode(raw)
