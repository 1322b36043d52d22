"""Fixtures that several test modules share."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from worlds import copy_of, world_store

from workbench.cli import main
from workbench.store import Database, in_memory

ROOT = Path(__file__).resolve().parent.parent

# A shared machine is slow now and then: no time limit an example; in CI the same examples every time.
settings.register_profile("workbench", deadline=None, derandomize="CI" in os.environ, print_blob=True)
settings.load_profile("workbench")


@pytest.fixture(scope="session")
def conformance() -> Path:
    """The folder with the golden results of the real server, where it is present."""
    folder = Path(os.environ.get("WORKBENCH_CONFORMANCE", ROOT.parent / "shared" / "conformance"))
    if not folder.is_dir():
        pytest.skip("the golden results of the real server are not present; set WORKBENCH_CONFORMANCE")
    return folder


@pytest.fixture(scope="session")
def chromium() -> str:
    """The Chromium that tests in a browser drive, where it is installed."""
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("Chromium is not installed")
    return found


@pytest.fixture(scope="session")
def tracked() -> list[Path]:
    """Every file of the repository that git tracks and the checkout holds."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("not a git checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    paths = [ROOT / os.fsdecode(name) for name in listed.split(b"\0") if name]
    return [path for path in paths if path.exists()]


@pytest.fixture(autouse=True)
def _no_ambient_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKBENCH_DB", raising=False)


@pytest.fixture
def db() -> Iterator[Database]:
    """An empty store in memory; modules whose tests need a filled one define their own fixture of this name."""
    with in_memory() as database:
        yield database


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of a simulated log that the app shows and a test may write to; modules with another one define their own
    fixture of this name."""
    target = copy_of(world_store(900, 0.4, 3), tmp_path)
    monkeypatch.setenv("WORKBENCH_DB", str(target))
    return target


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run one command in this process: exit code, standard output, standard error."""

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["workbench", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfd.readouterr()
        return int(ended.value.code or 0), out, err

    return call
