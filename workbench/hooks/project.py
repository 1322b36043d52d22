"""The names of the project that a session is in: its folder, and its repository as the folder's Git files name it."""

from __future__ import annotations

import re
from pathlib import Path

_MOST_BYTES = 200_000
_ORIGIN = re.compile(r'^\s*\[remote\s+"origin"\]\s*$(.*?)(?=^\s*\[|\Z)', re.MULTILINE | re.DOTALL)
_URL = re.compile(r"^\s*url\s*=\s*(.+?)\s*$", re.MULTILINE)


def project_names(folder: str) -> tuple[str, str]:
    """Name of the folder, and of the repository around it: owner/name of its remote `origin`, else the name of the
    folder it lies in; "" where there is none. No program is started, and what cannot be read is not there."""
    place = Path(folder)
    if not folder or not place.is_absolute():
        return place.name, ""
    try:
        return place.name, _repository(place)
    except (OSError, ValueError):
        return place.name, ""


def _repository(place: Path) -> str:
    root = next((folder for folder in (place, *place.parents) if (folder / ".git").exists()), None)
    if root is None:
        return ""
    return _named(_start(_git_folder(root) / "config")) or root.name


def _git_folder(root: Path) -> Path:
    """The folder with the configuration; a linked worktree has a file that leads there."""
    git = root / ".git"
    if not git.is_file():
        return git
    folder = root / _start(git).removeprefix("gitdir:").strip()
    common = folder / "commondir"
    return folder / _start(common).strip() if common.is_file() else folder


def _named(configuration: str) -> str:
    """owner/name from the address of `origin`; "" where it names none."""
    remote = _ORIGIN.search(configuration)
    url = _URL.search(remote[1]) if remote else None
    if url is None:
        return ""
    parts = [part for part in re.split(r"[/:\\]", url[1].removesuffix("/").removesuffix(".git")) if part]
    return "/".join(parts[-2:])


def _start(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return opened.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
