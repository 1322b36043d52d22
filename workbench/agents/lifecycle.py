"""What happens in a session, as the plugins of agent runtimes report it, and what the runtime is to put where.

A runtime family is known by what it takes: printed JSON, printed text, or a value that its plugin returns.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.agents.lore import Lore, Recalled, Skipped
from workbench.agents.memory import boot_text
from workbench.agents.requests import Caller, distinct_names
from workbench.text import trimmed
from workbench.textsearch.characters import well_formed

START, SUBMIT = "session.start", "prompt.submit"
NOT_SUPPORTED = ("mcp", "admin")
_SESSIONS = 10_000


def _printed(event: str) -> Callable[[str], Any]:
    return lambda text: {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _named(name: str) -> Callable[[str], Any]:
    return lambda text: {name: text}


def _message(text: str) -> Any:
    return {"message": {"customType": "lore-recall", "content": text, "display": False, "details": {"source": "lore"}}}


def _text(text: str) -> Any:
    return text


Output = tuple[str, Callable[[str], Any]]


@dataclass(frozen=True)
class Family:
    """How a runtime takes what a session starts with and what a prompt recalls: mode, and the text's place.

    `phases`: its blocks name the step, and those at the start the session itself; a session starts once.
    """

    start: Output
    submit: Output
    phases: bool = False


FAMILIES = {
    "claudecode": Family(("stdout_json", _printed("SessionStart")), ("stdout_text", _text)),
    "codex": Family(("stdout_json", _printed("SessionStart")), ("stdout_json", _printed("UserPromptSubmit"))),
    # Not known to server 1.3.22; it takes hooks as Codex does.
    "zcode": Family(("stdout_json", _printed("SessionStart")), ("stdout_json", _printed("UserPromptSubmit"))),
    "openclaw": Family(("return_value", _named("appendSystemContext")), ("return_value", _named("prependContext"))),
    "hermes": Family(("return_value", _named("system_context")), ("return_value", _named("context"))),
    "pi": Family(("return_value", _named("systemPromptAppend")), ("return_value", _message)),
    "opencode": Family(
        ("return_value", _named("systemContext")), ("return_value", _named("promptContext")), phases=True
    ),
}


@dataclass(frozen=True)
class Event:
    """One event; names that the plugin does not give are empty."""

    name: str
    runtime_id: str = ""
    family: str = ""
    session_id: str = ""
    prompt: str = ""
    directory: str = ""
    repository: str = ""

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Event:
        """Read the document of a plugin; what is missing or no text is empty."""
        runtime, event, normalized, project = (
            _part(document, name) for name in ("runtime", "event", "normalized", "project")
        )
        family = _word(runtime, "runtime_family")
        return cls(
            name=_word(event, "name"),
            runtime_id=_word(runtime, "runtime_id") or family,
            family=family,
            session_id=_word(normalized, "session_id"),
            prompt=_word(normalized, "prompt", trim=False),
            directory=_word(project, "dir_name") or _word(project, "dirName"),
            repository=_word(project, "repo_name") or _word(project, "repoName"),
        )

    @property
    def runtime(self) -> dict[str, str | None]:
        """Who speaks; the family is None where it is none."""
        known = self.family in FAMILIES or self.family in NOT_SUPPORTED
        return {"runtime_id": self.runtime_id or None, "runtime_family": self.family if known else None}


@dataclass(frozen=True)
class Answer:
    """`context` is the text that the agent is to read; `mode` and `value` say what the plugin does with it."""

    event: Event
    mode: str = "none"
    value: Any = None
    context: str = ""
    recall_blocks: Sequence[str] = ()
    boot_uris: Sequence[str] = ()
    query_id: str = ""
    node_uris: Sequence[str] = ()
    notices: Sequence[str] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The answer to a plugin."""
        return {
            "event_name": self.event.name,
            "runtime": self.event.runtime,
            "mode": self.mode,
            "value": self.value,
            "context": self.context,
            "recall_blocks": [*self.recall_blocks],
            "boot_uris": [*self.boot_uris],
            "query_id": self.query_id,
            "node_uris": [*self.node_uris],
            "notices": [*self.notices],
            "has_output": self.mode != "none",
            "meta": dict(self.meta),
        }


class Lifecycle:
    """The events of all sessions of one service."""

    def __init__(self, lore: Lore) -> None:
        self._lore = lore
        self._alone = threading.Lock()
        self._started: OrderedDict[str, None] = OrderedDict()

    def on(self, event: Event) -> Answer:
        """What an event is answered with. An event, a runtime or an empty prompt that nothing is known for: nothing."""
        family = FAMILIES.get(event.family)
        if event.name not in (START, SUBMIT):
            return Answer(event, meta={"reason": "unsupported_event"})
        if family is None:
            known = event.family in NOT_SUPPORTED
            return Answer(event, meta={"reason": f"{'unsupported' if known else 'unknown'}_runtime_family"})
        return self._start(event, family) if event.name == START else self._submit(event, family)

    def _start(self, event: Event, family: Family) -> Answer:
        caller = Caller(event.session_id, event.family)
        names = (event.runtime_id, event.directory, event.repository)
        meta: dict[str, Any] = {"session_id": event.session_id, "queries": distinct_names(names)}
        memories = self._lore.boot(event.family)
        found: list[tuple[str, Recalled | Skipped]] = []
        if family.phases and not self._first(event.session_id):
            meta["startup_gated"] = True
        else:
            phase = "startup" if family.phases else None
            found = self._lore.start(names, caller, phase=phase, own_session=family.phases)
        blocks = [one.found.block for _, one in found if isinstance(one, Recalled) and one.found.block]
        notices = [f"{query}: {notice}" for query, one in found for notice in one.notices]
        return _answer(
            event, family.start, [boot_text(memories), *blocks, *map(_notice, notices)],
            recall_blocks=blocks, boot_uris=[memory["uri"] for memory in memories], notices=notices, meta=meta,
        )  # fmt: skip

    def _submit(self, event: Event, family: Family) -> Answer:
        if not trimmed(event.prompt):
            return Answer(event, meta={"reason": "empty_prompt"})
        caller = Caller(event.session_id, event.family)
        found = self._lore.recall(event.prompt, caller, phase="prompt" if family.phases else None)
        block = found.found.block if isinstance(found, Recalled) else ""
        return _answer(
            event, family.submit, [block, *map(_notice, found.notices)],
            recall_blocks=[block] if block else [],
            query_id=found.query_id or "" if isinstance(found, Recalled) else "",
            node_uris=[item["uri"] for item in found.found.items] if isinstance(found, Recalled) else [],
            notices=found.notices,
            meta={"session_id": event.session_id},
        )  # fmt: skip

    def _first(self, session: str) -> bool:
        """Whether a session starts for the first time, as far as this process remembers."""
        if not session:
            return True
        with self._alone:
            first = session not in self._started
            self._started[session] = None
            if len(self._started) > _SESSIONS:
                self._started.popitem(last=False)
        return first


def _answer(event: Event, output: Output, parts: Sequence[str], **said: Any) -> Answer:
    context = "\n\n".join(part for part in parts if part)
    mode, place = output
    return Answer(event, mode, place(context), context, **said) if context else Answer(event, **said)


def _notice(sentence: str) -> str:
    return f"<recall-notice>{sentence}</recall-notice>"


def _part(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = document.get(name)
    return part if isinstance(part, Mapping) else {}


def _word(part: Mapping[str, Any], name: str, *, trim: bool = True) -> str:
    value = part.get(name)
    text = well_formed(value) if isinstance(value, str) else ""
    return trimmed(text) if trim else text
