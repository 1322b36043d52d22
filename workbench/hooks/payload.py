"""What a runtime hands to a hook on standard input, in the words of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from workbench.hooks.hosts import START, SUBMIT
from workbench.hooks.project import project_names

MOST_BYTES = 16_000_000
_NAMES = {START: "session.start", SUBMIT: "prompt.submit"}


class Unreadable(Exception):
    """An input that is none of a hook; the message says why, without a word of what was typed."""


@dataclass(frozen=True)
class Payload:
    """One event of a session; what the runtime did not say is empty. `first` marks the first prompt of a session whose
    runtime has no hook that could give it the start-up memories."""

    session_id: str = ""
    prompt: str = ""
    folder: str = ""
    first: bool = False

    def event(self, runtime: str, event: str) -> dict[str, Any]:
        """The document of a lifecycle event, as a service takes it."""
        directory, repository = project_names(self.folder) if event == START else ("", "")
        return {
            "protocol_version": "lore.lifecycle.v1",
            "runtime": {"runtime_id": runtime, "runtime_family": runtime},
            "event": {"name": _NAMES[event], "native_name": ""},
            "normalized": {"session_id": self.session_id, "prompt": self.prompt},
            "project": {"dir_name": directory, "repo_name": repository},
        }


def read_payload(stream: BinaryIO, runtime: str, event: str) -> Payload:
    """Read the input of a hook. A start without any input is a start; a prompt needs one. Unreadable says what else."""
    raw = stream.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise Unreadable(f"the input is larger than {MOST_BYTES:,} bytes")
    if event == START and not raw.strip():
        return Payload(folder=_here())
    try:
        said = json.loads(raw.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        raise Unreadable("the input is no JSON") from None
    if not isinstance(said, dict):
        raise Unreadable("the input is no JSON object")
    extra = said.get("extra")
    parts: list[Mapping[str, Any]] = [said, *([extra] if isinstance(extra, dict) else [])]
    payload = Payload(
        session_id=_text(parts, ("session_id", "sessionId")),
        prompt=_text(parts, ("prompt", "user_message", "user_prompt", "userPrompt")),
        folder=_text(parts, ("cwd", "workspace", "project_dir")) or _here(),
        first=runtime == "hermes" and any(part.get("is_first_turn") is True for part in parts),
    )
    if event == SUBMIT and not payload.prompt:
        raise Unreadable("the input has no prompt")
    return payload


def _here() -> str:
    """The working folder; "" where it is gone."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""


def _text(parts: Sequence[Mapping[str, Any]], names: Sequence[str]) -> str:
    """The first of the names that is a text and not empty."""
    found = (part.get(name) for part in parts for name in names)
    return next((value for value in found if isinstance(value, str) and value), "")
