"""The command line: parses, calls, shows."""

import sys

__all__ = ["NOTHING_CHANGED", "main"]
NOTHING_CHANGED = "Stopped; nothing was changed."


def main() -> None:
    """Run one command and exit; see workbench.cli.app.main. A hook goes without the other commands: it is waited for
    before every prompt."""
    words = sys.argv[1:]
    if words[:1] == ["hook"] and _is_event(words[1:]):
        from workbench.hooks.front import main as run_hook

        sys.exit(run_hook(words[1:]))
    try:
        from workbench.cli.app import main as run_command

        run_command()
    except KeyboardInterrupt:  # before or after the command itself: loading the program takes a moment
        print(NOTHING_CHANGED, file=sys.stderr)
        sys.exit(130)


def _is_event(words: list[str]) -> bool:
    """Whether a runtime calls, and no person who installs a hook or asks how."""
    return bool(words) and words[0] not in ("install", "uninstall") and not {"--help", "--json"} & set(words)
