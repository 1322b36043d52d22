"""The notebooks run as they stand, and the outputs kept in them are those that their code gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "notebooks"
BOOKS = sorted(FOLDER.glob("*.ipynb"))


def _outputs(cell: Any) -> tuple[str, list[Any]]:
    """What a cell printed, in however many pieces it came, and what it returned; pictures as their data."""
    outputs = cell.get("outputs", [])
    return "".join(one.get("text", "") for one in outputs), [one["data"] for one in outputs if "data" in one]


def test_there_are_three() -> None:
    assert len(BOOKS) == 3


@pytest.mark.parametrize("path", BOOKS, ids=[path.stem for path in BOOKS])
def test_a_notebook_gives_what_it_shows(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")
    monkeypatch.setenv("PYTHONPATH", str(FOLDER.parent))
    kept, fresh = (nbformat.reads(path.read_text("utf-8"), as_version=4) for _ in range(2))  # type: ignore[no-untyped-call]
    NotebookClient(fresh, timeout=300, kernel_name="python3").execute()
    for before, after in zip(kept.cells, fresh.cells, strict=True):
        assert _outputs(before) == _outputs(after), before.source
    assert all(cell.execution_count for cell in kept.cells if cell.cell_type == "code")
