"""Fixtures that several test modules share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def conformance() -> Path:
    """The folder with the golden results of the real server, where it is present."""
    folder = Path(os.environ.get("WORKBENCH_CONFORMANCE", ROOT.parent / "shared" / "conformance"))
    if not folder.is_dir():
        pytest.skip("the golden results of the real server are not present; set WORKBENCH_CONFORMANCE")
    return folder


@pytest.fixture(autouse=True)
def _no_ambient_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKBENCH_DB", raising=False)
