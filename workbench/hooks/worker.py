"""The process that recalls for a hook: in the store itself, or by asking a running service."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.abc import MetaPathFinder
from typing import Any

from workbench.errors import WorkbenchError
from workbench.hooks.front import Call, printed, read_call
from workbench.hooks.hosts import START, SUBMIT, TOKEN_VARIABLE, notice, output
from workbench.hooks.log import log
from workbench.hooks.payload import Payload, Unreadable, read_payload

_MOST_BYTES = 4_000_000
_STARTED = time.monotonic()
_MARGIN_SECONDS = 0.8  # for starting Python before, and for recording and printing after


def main() -> int:
    """Do the work of one hook; always 0. What it cannot do stands in the log."""
    call = read_call(sys.argv[1:])
    sys.meta_path.insert(0, _WithoutPandas())
    try:
        # Printed before what is open is closed: a recall that still hangs there takes nothing back.
        with ExitStack() as opened:
            with _nothing_else_printed(), _warnings_logged(call):
                payload = read_payload(sys.stdin.buffer, call.runtime, call.event)
                context = _context(call, payload, opened)
            printed(output(call.runtime, call.event, context))
    except (WorkbenchError, Unreadable) as problem:
        log(call.store, call.runtime, call.event, str(problem))
    except Exception as fault:
        log(call.store, call.runtime, call.event, f"{type(fault).__name__}: {fault}")
    return 0


def _context(call: Call, payload: Payload, opened: ExitStack) -> str:
    """What the agent is to read."""
    events = [START, SUBMIT] if payload.first and call.event == SUBMIT else [call.event]
    documents = [payload.event(call.runtime, event) for event in events]
    contexts = _asked(call, documents) if call.url else _recalled(call, documents, opened)
    return "\n\n".join(context for context in contexts if context)


def _recalled(call: Call, documents: list[dict[str, Any]], opened: ExitStack) -> list[str]:
    if not call.store.exists():
        raise Unreadable(f"there is no store at {call.store}")
    from workbench.agents import Lore
    from workbench.agents.lifecycle import Event, Lifecycle

    # A hook has a limit of its own: that of the configuration is for services, which are warm. What comes too late to
    # be printed must not be recorded as shown.
    lifecycle = Lifecycle(opened.enter_context(Lore(call.store, until=_STARTED + call.limit - _MARGIN_SECONDS)))
    answers = [lifecycle.on(Event.of(document)) for document in documents]
    reasons = [answer.meta.get("reason", "") for answer in answers]
    if unknown := next((reason for reason in reasons if "runtime" in reason), None):
        raise Unreadable(f"nothing is known for this runtime ({unknown})")
    return [answer.context for answer in answers]


def _asked(call: Call, documents: list[dict[str, Any]]) -> list[str]:
    """The contexts that a service gives. Unreadable says what is wrong with it, without the token."""
    import httpx2

    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    address = f"{(call.url or '').rstrip('/')}/api/lifecycle/event"
    try:
        with httpx2.Client(timeout=max(0.1, call.limit - _MARGIN_SECONDS), headers=headers) as client:
            until = _STARTED + call.limit - _MARGIN_SECONDS
            return [_answer(client, address, document, until) for document in documents]
    except httpx2.TimeoutException:
        log(call.store, call.runtime, call.event, "the service did not answer in time")
        return [notice("Recall took too long and was skipped.")]
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
        raise Unreadable(f"the service cannot be asked ({type(error).__name__}: {error})") from error


def _answer(client: Any, address: str, document: dict[str, Any], until: float) -> str:
    """The context that a service answers with; it is read no further than it may be long, and not behind `until`."""
    import httpx2

    answer = bytearray()
    with client.stream("POST", address, json=document) as response:
        if response.status_code != 200:
            raise Unreadable(f"the service answered with status {response.status_code}")
        for part in response.iter_bytes():
            answer += part
            if len(answer) > _MOST_BYTES:
                raise Unreadable(f"the service answered with more than {_MOST_BYTES:,} bytes")
            if time.monotonic() > until:
                raise httpx2.ReadTimeout("the answer does not end")
    said = json.loads(answer)
    return _text_of(said.get("context") or said.get("value")) if isinstance(said, dict) else ""


def _text_of(value: Any) -> str:
    """The context in an answer, whatever it is wrapped in: servers wrap it as each runtime takes it."""
    while isinstance(value, dict):
        names = ("hookSpecificOutput", "additionalContext", "context", "system_context")
        value = next((value[name] for name in names if name in value), "")
    return value if isinstance(value, str) else ""


class _WithoutPandas(MetaPathFinder):
    """Arrow asks for pandas at its first list of values, and loading it takes longer than a recall."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        """Nothing, except that pandas is not there."""
        if fullname == "pandas":
            raise ModuleNotFoundError(f"{fullname} is left out of hooks", name=fullname)


class _ToLog(logging.Handler):
    """Warnings of the workbench, such as that an embedder is away, into the log of a hook."""

    def __init__(self, call: Call) -> None:
        super().__init__(logging.WARNING)
        self._call = call

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one warning."""
        log(self._call.store, self._call.runtime, self._call.event, record.getMessage())


@contextmanager
def _warnings_logged(call: Call) -> Iterator[None]:
    logger, handler = logging.getLogger("workbench"), _ToLog(call)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


@contextmanager
def _nothing_else_printed() -> Iterator[None]:
    """Whatever a library prints meanwhile goes nowhere: the runtime would read it to the agent."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):  # noqa: PTH123
        yield


if __name__ == "__main__":
    sys.exit(main())
