"""The filter that commands share: its options, and how they become a Selection."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from workbench.cli.options import moment
from workbench.errors import BadInput
from workbench.replay.selection import TRAFFIC, Selection

Traffic = Annotated[
    list[str] | None, typer.Option("--traffic", help=f"Traffic class ({', '.join(TRAFFIC)} or all); repeatable.")
]
Client = Annotated[
    list[str] | None, typer.Option("--client", help="Client type, 'none' for queries without one; repeatable.")
]
_OPTIONS: dict[str, Any] = {
    "traffic": Traffic,
    "client": Client,
    "text": Annotated[str | None, typer.Option("--text", help="Only prompts with this text, taken literally.")],
    "since": Annotated[str | None, typer.Option("--since", help="Only from this time on (ISO 8601, else UTC).")],
    "until": Annotated[str | None, typer.Option("--until", help="Only before this time.")],
    "repeats": Annotated[
        str | None,
        typer.Option("--repeats", help="Prompts of the same text: each counts (default), or the first, once."),
    ],
}


def filtered(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the options of the filter in the place of its parameter `chosen`, a Selection."""

    @wraps(command)
    def run(**values: Any) -> None:
        chosen = selection(**{name: values.pop(name) for name in _OPTIONS})
        command(**values, chosen=chosen)

    own = inspect.signature(command, eval_str=True)
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in _OPTIONS.items()
    ]
    kept = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own.parameters.values() if one.name != "chosen"]
    run.__signature__ = own.replace(parameters=[*kept, *options])  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in (*kept, *options)} | {"return": None}
    return run


def selection(
    traffic: list[str] | None,
    client: list[str] | None,
    text: str | None = None,
    since: str | None = None,
    until: str | None = None,
    repeats: str | None = None,
) -> Selection:
    """The filter that the options describe; the default keeps typed prompts."""
    if repeats not in (None, "each", "once"):
        raise BadInput(f"--repeats is each or once, not {repeats!r}.")
    unknown = sorted(set(traffic or ()) - {*TRAFFIC, "all"})
    if unknown:
        raise BadInput(f"Unknown traffic class {unknown[0]!r}; choose from {', '.join(TRAFFIC)} or all.")
    classes: tuple[str, ...] | None = tuple(traffic or ("prompt",))
    return Selection(
        traffic=None if "all" in (traffic or ()) else classes,
        clients=tuple("" if name == "none" else name for name in client) if client else None,
        text=text,
        since=moment("--since", since),
        until=moment("--until", until),
        once=repeats == "once",
    )
