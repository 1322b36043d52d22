"""The `workbench` command."""

from __future__ import annotations

import logging
import os
import sys
import traceback

import typer

from workbench.cli import (
    NOTHING_CHANGED,
    applying,
    checking,
    data,
    demo,
    embedding,
    explain,
    hook,
    label,
    memory,
    missed,
    periods,
    recall,
    reporting,
    search,
    serving,
    tuning,
)
from workbench.cli.output import say, steady_streams
from workbench.errors import Stopped, WorkbenchError

app = typer.Typer(
    help="Replay, judge and tune the recall of a Lore memory server.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
_MODULES = (
    demo, applying, checking, data, embedding, explain, hook, label, memory, missed, periods, recall, reporting, search,
    serving, tuning,
)  # fmt: skip
_KEPT = {
    "tune": "Stopped; the trials that were done are kept, and --resume goes on with them.",
    "demo": "Stopped; start it again from the beginning.",
}
for commands in _MODULES:
    commands.register(app)


def main() -> None:
    """Run one command and exit: 0 done, 1 a fault of ours, 2 wrong use or bad input, 3 no, 4 not enough evidence, 130
    stopped with Ctrl-C."""
    steady_streams()
    logging.basicConfig(format="%(message)s", level=logging.WARNING, stream=sys.stderr)
    try:
        result = app(standalone_mode=False)
        if result == Stopped.exit_code:  # what typer makes of a KeyboardInterrupt
            raise KeyboardInterrupt
    except typer.TyperException as misuse:
        say(misuse.format_message() + (" Try `workbench --help`." if sys.argv[1:] else ""))
        result = 2
    except WorkbenchError as error:
        say(" ".join(str(error).split()))
        result = error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        say(next((_KEPT[word] for word in sys.argv[1:2] if word in _KEPT), NOTHING_CHANGED))
        result = Stopped.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        result = 0
    except Exception:
        traceback.print_exc()
        say("This is a fault of the workbench, not of your data; please report the lines above.")
        result = 1
    sys.exit(result if isinstance(result, int) else 0)
