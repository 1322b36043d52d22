"""Commands that show the product: the demo and the app."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.options import Db, store_path
from workbench.cli.output import say
from workbench.errors import BadInput
from workbench.store import reading


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("ui")(ui_command)


def ui_command(
    db: Db = None,
    port: Annotated[int, typer.Option(help="Port of the app.")] = 8501,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "localhost",
    headless: Annotated[bool, typer.Option("--headless", help="Open no browser.")] = False,
) -> None:
    """Open the Streamlit app over a store."""
    path = store_path(db).absolute()
    with reading(path):
        pass
    say(f"The app shows {path} at http://{host}:{port} until you press Ctrl+C.")
    raise typer.Exit(open_app(path, port, host, headless))


def open_app(path: Path, port: int, host: str, headless: bool) -> int:
    """Run the app until it ends; returns its exit code."""
    page = Path(__file__).parent.parent / "ui" / "app.py"
    command = [
        sys.executable, "-m", "streamlit", "run", str(page), "--server.port", str(port), "--server.address", host,
        "--server.headless", str(headless).lower(), "--browser.gatherUsageStats", "false",
        "--client.toolbarMode", "minimal",
    ]  # fmt: skip
    try:
        return subprocess.run(command, env={**os.environ, "WORKBENCH_DB": str(path)}, check=False).returncode  # noqa: S603
    except KeyboardInterrupt:
        return 0
    except OSError as error:
        raise BadInput(f"The app cannot be started: {error}.") from error
