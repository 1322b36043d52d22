"""The command line: parses, calls, shows."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run one command and exit; see workbench.cli.app.main. A hook goes without the other commands: it is waited for
    before every prompt."""
    words = sys.argv[1:]
    if words[:1] == ["hook"] and _is_event(words[1:]):
        from workbench.hooks.front import main as run_hook

        sys.exit(run_hook(words[1:]))
    from workbench.cli.app import main as run_command

    run_command()


def _is_event(words: list[str]) -> bool:
    """Whether a runtime calls, and no person who installs a hook or asks how."""
    return bool(words) and words[0] not in ("install", "uninstall") and not {"--help", "--json"} & set(words)
