"""What each agent runtime takes from a hook: facts of their own documentation, as of November 2026."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

# Whoever asks the service reads its token here, and so does the service.
TOKEN_VARIABLE = "WORKBENCH_TOKEN"  # noqa: S105
START, SUBMIT = "session-start", "prompt-submit"
EVENTS = (START, SUBMIT)
_NATIVE = {START: "SessionStart", SUBMIT: "UserPromptSubmit"}
_RECALLED = re.compile(r"^<recall[ >-]", re.MULTILINE)
_CUT = "\n[cut here: the rest of these memories is read by opening their addresses]\n\n"

Printer = Callable[[str, str], str]


def _envelope(event: str, context: str) -> str:
    output = {"hookEventName": _NATIVE[event], "additionalContext": context}
    return json.dumps({"hookSpecificOutput": output}, ensure_ascii=False)


def _text_for_prompts(event: str, context: str) -> str:
    return context if event == SUBMIT else _envelope(event, context)


def _value(event: str, context: str) -> str:
    return json.dumps({"system_context" if event == START else "context": context}, ensure_ascii=False)


@dataclass(frozen=True)
class Host:
    """How a runtime takes context: `printed` makes the text for standard output, `most` is how many characters of
    context it hands on, None where no limit is known."""

    printed: Printer
    most: int | None = None


HOSTS = {
    "claudecode": Host(_text_for_prompts, 10_000),
    "codex": Host(_envelope),
    "zcode": Host(_envelope, 10_000),
    "hermes": Host(_value),
}


def output(runtime: str, event: str, context: str) -> str:
    """What is printed so that the agent reads `context`; "" for no context.

    Where the runtime hands on less, the start-up memories before the first recall block are cut, with a word about it.
    """
    host = HOSTS[runtime]
    return host.printed(event, shortened(context, host.most)) if context else ""


def notice(sentence: str) -> str:
    """A sentence to the reader of the context."""
    return f"<recall-notice>{sentence}</recall-notice>"


def shortened(context: str, most: int | None) -> str:
    """`context` with `most` characters at most, cut before its recall blocks; blocks that alone are longer go too."""
    if most is None or len(context) <= most:
        return context
    found = _RECALLED.search(context)
    kept = context[found.start() :] if found else ""
    room = max(0, most - len(kept) - len(_CUT))
    return (context[:room].rstrip() + _CUT + kept)[:most]
