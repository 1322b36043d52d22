"""Commands that show the product: the demo and the app."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.cli.options import Db, Json, store_path
from workbench.cli.output import emit, percent, progress, say
from workbench.demo import run_demo
from workbench.errors import BadInput
from workbench.store import reading
from workbench.text import counted


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("demo")(demo_command)
    app.command("ui")(ui_command)


def demo_command(
    db: Db = None,
    ui: Annotated[bool, typer.Option("--ui", help="Open the app over the result.")] = False,
    json: Json = False,
) -> None:
    """Run the main job on the bundled data: import, parity, report, missed memories, replay, tune, export."""
    store = db or Path(tempfile.mkdtemp(prefix="workbench-demo-")) / "demo.duckdb"
    found: dict[str, Any] = {"db": str(store)}
    with progress(json) as step:
        for done in run_demo(store, step):
            found[done.name] = done.found
            if not json:
                say(f"✓ {done.name}: {_LINES[done.name](done.found)}")
    emit(found, json, _summary(found))
    if ui:
        raise typer.Exit(open_app(store, 8501, "localhost", headless=False))


def ui_command(
    db: Db = None,
    port: Annotated[int, typer.Option(help="Port of the app.")] = 8501,
    host: Annotated[
        str, typer.Option(help="Address to listen on; beyond this machine only with a password.")
    ] = "localhost",
    password_file: Annotated[
        Path | None, typer.Option(help="File with the password that browsers are asked for.")
    ] = None,
    headless: Annotated[bool, typer.Option("--headless", help="Open no browser.")] = False,
) -> None:
    """Open the Streamlit app over a store."""
    path = store_path(db).absolute()
    _check_store(path)
    _check_door(host, password_file)
    say(f"The app shows {path} at http://{host}:{port} until you press Ctrl+C.")
    raise typer.Exit(open_app(path, port, host, headless=headless, password_file=password_file))


def _check_store(path: Path) -> None:
    """Refuse a file that is no store; where there is none yet, say how the app makes one."""
    if path.exists():
        with reading(path):
            return
    if not path.parent.is_dir():
        raise BadInput(f"There is no folder {path.parent}; make it, or name a store elsewhere with --db.")
    say(f"There is no store at {path} yet; an import on the page Data makes it.")


def _check_door(host: str, password_file: Path | None) -> None:
    """Refuse to be open to everybody; the password itself is read by the app."""
    from workbench.service.guard import is_local
    from workbench.ui.door import read_password

    if password_file is not None:
        read_password(password_file)
    elif not is_local(host):
        raise BadInput(
            f"The app would be open to all at {host}; give it a password with --password-file FILE, or leave --host at "
            "localhost."
        )


def open_app(path: Path, port: int, host: str, *, headless: bool, password_file: Path | None = None) -> int:
    """Run the app until it ends; returns its exit code. Where the system allows it the app takes the place of this
    process, so that whoever stops the one stops the other."""
    page = Path(__file__).parent.parent / "ui" / ("app.py" if password_file is None else "behind_door.py")
    command = [
        sys.executable, "-m", "streamlit", "run", str(page), "--server.port", str(port), "--server.address", host,
        "--server.headless", str(headless).lower(),
    ]  # fmt: skip
    environment = {**os.environ, "WORKBENCH_DB": str(path)}
    if password_file is not None:
        environment["WORKBENCH_UI_PASSWORD_FILE"] = str(password_file.absolute())
    if os.name == "posix":
        sys.stdout.flush()
        os.execve(sys.executable, command, environment)  # noqa: S606
    return subprocess.run(command, env=environment, check=False).returncode  # noqa: S603


def _import_line(found: dict[str, Any]) -> str:
    read = sum(counts["read"] for counts in found["tables"].values())
    return f"{counted(read, 'row')}, {found['rejected_total']} rejected; {found['candidates']:,} logged candidates"


def _parity_line(found: dict[str, Any]) -> str:
    return f"{found['rows_equal']:,} of {found['rows']:,} logged scores reproduced ({percent(found['share'])})"


def _report_line(found: dict[str, Any]) -> str:
    shown = f"{counted(found['shown'], 'memory', 'memories')} shown in {counted(found['prompts'], 'prompt')}"
    return f"{shown}, {found['used']} used ({percent(found['use_rate'])})"


def _replay_line(found: dict[str, Any]) -> str:
    changed = ", ".join(f"{name} = {value}" for name, value in found["changed"].items())
    return (
        f"with {changed}: {found['removed']} unused memories less, {found['used_lost']} of "
        f"{found['used_lost'] + found['used_kept']} used ones lost, {found['newly_shown']} new"
    )


def _tune_line(found: dict[str, Any]) -> str:
    return f"{counted(found['trials']['completed'], 'trial')}, verdict: {found['verdict']}"


_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "import": _import_line,
    "parity": _parity_line,
    "report": _report_line,
    "missed": lambda found: found["said"],
    "replay": _replay_line,
    "tune": _tune_line,
    "export": lambda found: found["out"],
}


def _summary(found: dict[str, Any]) -> str:
    tuned = found["tune"]
    changed = len(found["export"]["changed"])
    proposes = f"proposes {changed} changes" if changed else "keeps the present settings"
    said = [
        "",
        "What the log says",
        f"  {found['report']['sufficiency']}",
        f"Tuning says: {tuned['verdict']}",
        *(f"  {reason}" for reason in tuned["reasons"]),
        f"The TOML {proposes}: {found['export']['out']}",
        f"See it:  workbench ui --db {found['db']}",
        "Your own: workbench import SOURCE, then report, replay, tune, export.",
    ]
    return "\n".join(said)
