"""The command line: parses, calls, shows."""

from workbench.cli.app import main

__all__ = ["main"]
