"""What hooks print, taken apart as each runtime does."""

from __future__ import annotations

import json

from workbench.hooks.hosts import START, SUBMIT


def context_of(runtime: str, event: str, printed: str) -> str:
    """The context in what was printed, as the runtime takes it apart."""
    if not printed or (runtime == "claudecode" and event == SUBMIT):
        return printed.removesuffix("\n")
    said = json.loads(printed)
    if runtime == "hermes":
        return str(said["system_context" if event == START else "context"])
    assert said["hookSpecificOutput"]["hookEventName"] == ("SessionStart" if event == START else "UserPromptSubmit")
    return str(said["hookSpecificOutput"]["additionalContext"])
