"""Imports that the app starts: one at a time for each store, each in a process of its own."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from workbench.errors import BadInput
from workbench.importers.address import mask_address
from workbench.params.files import write_atomic
from workbench.ui import background

PROGRESS_FILE = "WORKBENCH_PROGRESS"
_BUSY = "An import into this store goes on; wait for it, or cancel it first."
_NAME, _UPLOADS, _STEP = "import", "uploads", "step.json"


class Upload(Protocol):
    """A file that a browser has sent."""

    name: str

    def getbuffer(self) -> memoryview:
        """Its content."""


@dataclass(frozen=True)
class Plan:
    """What an import is started with, as the options of `workbench import`; `since` is an ISO time or empty."""

    source: str
    tokenizer: str = "auto"
    since: str = ""
    zone: str = "UTC"
    redact: bool = False
    dry_run: bool = False

    def arguments(self, store: Path) -> list[str]:
        """The command line, from `import` on."""
        found = ["import", "--json", f"--db={store}", f"--tokenizer={self.tokenizer}", f"--zone={self.zone}"]
        found += [f"--since={self.since}"] if self.since else []
        found += [f"--{name}" for name, wanted in (("redact", self.redact), ("dry-run", self.dry_run)) if wanted]
        return [*found, "--", self.source]


@dataclass(frozen=True)
class Run:
    """An import as it was started, passwords masked; `stopped` by somebody. `pid` is 0 while it is being started."""

    plan: Plan
    pid: int = 0
    stopped: bool = False


def start(store: Path, plan: Plan, uploads: Sequence[Upload] = ()) -> None:
    """Start an import of `plan.source`, or of what was uploaded; returns at once. StoreLocked while another one goes
    on, BadInput where there is nothing to import or the folder cannot be written."""
    if not plan.source.strip() and not uploads:
        raise BadInput("Name a source, or choose files to upload.")
    folder = _folder(store)
    with background.held(folder, _BUSY) as lock:
        forget(store)
        if uploads:
            plan = Plan(**{**asdict(plan), "source": str(_kept(folder / _UPLOADS, uploads))})
        said = Plan(**{**asdict(plan), "source": mask_address(plan.source)})
        _write(folder, Run(said))
        watch = {PROGRESS_FILE: str(folder / _STEP)}
        _write(folder, Run(said, background.spawn(folder, _NAME, plan.arguments(store), lock, watch)))


def newest(store: Path) -> Run | None:
    """The import that was started last, going on or not; None where none was."""
    try:
        said = json.loads((_folder(store) / f"{_NAME}.run").read_text(encoding="utf-8"))
        return Run(Plan(**said["plan"]), int(said["pid"]), bool(said["stopped"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_running(store: Path) -> bool:
    """Whether an import into this store goes on."""
    return background.is_running(_folder(store))


def cancel(store: Path) -> None:
    """End the import that goes on, if one does; the store stays as it was before."""
    run = newest(store)
    if run is None or not run.pid or not is_running(store):
        return
    _write(_folder(store), Run(run.plan, run.pid, stopped=True))
    background.end(_folder(store), run.pid)


def step(store: Path) -> tuple[float, str]:
    """How far the import is, 0..1, and what it does, in English; 0 where nobody can say how much there is."""
    try:
        said = json.loads((_folder(store) / _STEP).read_text(encoding="utf-8"))
        share = said["done"] / said["total"] if said["total"] else 0.0
        return min(1.0, share), str(said["what"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0.0, ""


def report(store: Path) -> dict[str, Any] | None:
    """What the import that is over did, as `workbench import --json`; None where it did not come to its end."""
    try:
        found: dict[str, Any] = json.loads((_folder(store) / f"{_NAME}.out").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found


def complaint(store: Path) -> str:
    """Why the import that is over has no report."""
    return background.complaint(_folder(store), _NAME) or ""


def sweep(store: Path) -> None:
    """Remove what was uploaded, once no import needs it."""
    if (_folder(store) / _UPLOADS).exists() and not is_running(store):
        shutil.rmtree(_folder(store) / _UPLOADS, ignore_errors=True)


def forget(store: Path) -> None:
    """Forget the import that is over; what it brought stays."""
    folder = _folder(store)
    for name in (f"{_NAME}.run", f"{_NAME}.out", f"{_NAME}.log", _STEP):
        with contextlib.suppress(OSError):
            (folder / name).unlink(missing_ok=True)
    shutil.rmtree(folder / _UPLOADS, ignore_errors=True)


def _kept(folder: Path, uploads: Sequence[Upload]) -> Path:
    """Write uploaded files into a private folder; a single one is the source itself, several are a folder of tables."""
    folder.mkdir(mode=0o700)
    for one in uploads:
        name = Path(one.name.replace("\\", "/")).name
        with (folder / name).open("xb") as file:
            file.write(one.getbuffer())
    return folder / name if len(uploads) == 1 else folder


def _folder(store: Path) -> Path:
    return store.with_name(f"{store.name}.imports")


def _write(folder: Path, run: Run) -> None:
    write_atomic(folder / f"{_NAME}.run", json.dumps(asdict(run), ensure_ascii=False).encode(), 0o600)
