"""What commands print: one JSON document or readable text on standard output, everything else on standard error."""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from workbench.errors import BadInput
from workbench.text import cells, shown
from workbench.text import percent as as_percent

NO_DATA = "no data"
PROGRESS_FILE = "WORKBENCH_PROGRESS"
_EVERY_SECONDS = 0.25
_STEADY_WIDTH = 60


def steady_streams() -> None:
    """Make both streams survive any character: a console that cannot show one gets an escape instead."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def say(message: str) -> None:
    """A message for the person, on standard error."""
    print(message, file=sys.stderr, flush=True)


def emit(document: Mapping[str, Any], as_json: bool, readable: str) -> None:
    """Print the result of a command: `document` as UTF-8 JSON, or `readable`.

    A reader that goes away early is content with what it has; BadInput where standard output takes nothing.
    """
    if sys.stdout is None:
        raise BadInput("Standard output is closed; give the command one, or send it to a file.")
    try:
        if as_json:
            text = json.dumps(_finite(document), ensure_ascii=False, indent=1, default=str)
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode("utf-8", errors="backslashreplace") + b"\n")
            sys.stdout.buffer.flush()
        else:
            print(readable, flush=True)
    except BrokenPipeError:
        _to_nowhere()
    except OSError as error:
        _to_nowhere()
        raise BadInput(f"Cannot write to standard output ({error.strerror}); send it elsewhere.") from error


def _to_nowhere() -> None:
    """Let what is still buffered go nowhere, so that the end of the program finds nothing to complain of."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def table(header: Sequence[str], rows: Sequence[Sequence[Any]], width: int = _STEADY_WIDTH) -> str:
    """A plain text table; numbers to the right, long text cut to `width` cells."""
    texts = [[cell(value, width) for value in row] for row in rows]
    columns = list(zip(header, *texts, strict=True))
    widths = [max(map(cells, column)) for column in columns]
    right = [any(isinstance(row[i], int | float) for row in rows) for i in range(len(header))]
    lines = [_line(header, widths, right), "  ".join("─" * w for w in widths)]
    return "\n".join([*lines, *(_line(row, widths, right) for row in texts)])


def cell(value: Any, width: int = _STEADY_WIDTH) -> str:
    """One value as text; None is `no data`."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return NO_DATA
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return shown(str(value), width)


def percent(share: float | None) -> str:
    """A share as per cent; None is `no data`."""
    return NO_DATA if share is None else as_percent(share, 1)


@contextmanager
def progress(quiet: bool) -> Iterator[Any]:
    """Yields a function (done, total, what) that draws one progress line on standard error, or, where the environment
    names a file (PROGRESS_FILE), keeps the newest step there as JSON, for whoever started the command."""
    if target := os.environ.get(PROGRESS_FILE):
        yield _noted(Path(target))
        return
    if quiet or not sys.stderr.isatty():
        yield lambda done, total, what: None
        return
    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total, what: bar.update(task, completed=done, total=total, description=what)


def _noted(target: Path) -> Callable[[int, int | None, str], None]:
    """A step goes to the file, whole, when it is another kind of work or some time after the one before."""
    last = [("", 0.0)]

    def note(done: int, total: int | None, what: str) -> None:
        now = time.monotonic()
        if (what, now - last[0][1] < _EVERY_SECONDS) == (last[0][0], True):
            return
        last[0] = (what, now)
        part = target.with_name(f"{target.name}.part")
        with contextlib.suppress(OSError):  # nobody's work fails because nobody can watch it
            part.write_text(json.dumps({"done": done, "total": total, "what": what}), encoding="utf-8")
            part.replace(target)

    return note


def _line(values: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = []
    for value, width, to_right in zip(values, widths, right, strict=True):
        space = " " * (width - cells(value))
        padded.append(space + value if to_right else value + space)
    return "  ".join(padded).rstrip()


def _finite(value: Any) -> Any:
    """JSON knows neither NaN nor infinity: both become null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(key): _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return value
