"""Settings files of agent runtimes: read whole, written whole or not at all, everything else in them kept."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workbench.errors import BadInput
from workbench.text import shown

_INDENT = re.compile(r"^[{\[]\r?\n([ \t]+)")
_MOST_BYTES = 16_000_000


class SettingsFile:
    """The JSON or YAML file at `path`, links followed; `text` is None where there is none."""

    def __init__(self, path: Path) -> None:
        self.path = path.expanduser().resolve()
        self.text = self._read()
        self._yaml = self.path.suffix.lower() in (".yaml", ".yml")

    @property
    def backup(self) -> Path:
        """Where the file is kept as it was before the hooks came."""
        return self.path.with_name(f"{self.path.name}.before-workbench")

    def data(self) -> dict[str, Any]:
        """What the file says, a new object each time; an empty or missing file says nothing. BadInput for a file that
        cannot be read as what it should be."""
        return self.parsed(self.text or "")

    def parsed(self, text: str) -> dict[str, Any]:
        """What a text says in the format of the file."""
        body = text.removeprefix("\ufeff")
        if not body.strip():
            return {}
        try:
            found = _read_yaml(body) if self._yaml else json.loads(body, object_pairs_hook=_once)
        except (ValueError, RecursionError) as error:
            kind = "YAML" if self._yaml else "JSON"
            said = shown(" ".join(str(error).split()), 120)
            raise BadInput(f"{self.path} is no {kind} ({said}); mend it first, nothing was changed.") from None
        if found is None:
            return {}
        if not isinstance(found, dict):
            raise BadInput(f"{self.path} holds no settings by name; mend it first, nothing was changed.")
        return found

    def dumped(self, data: dict[str, Any]) -> str:
        """`data` as the file would say it, in the file's own manner."""
        if self._yaml:
            return _write_yaml(data)
        before = (self.text or "").removeprefix("\ufeff")
        indent = found[1] if (found := _INDENT.match(before)) else "  "
        ending = "\n" if not before.strip() or before.endswith("\n") else ""
        return json.dumps(data, ensure_ascii=False, indent=indent) + ending

    def write(self, text: str) -> None:
        """Replace the file by `text`, with the same access rights; a new file is its owner's alone."""
        if self.text is not None and self.text.startswith("\ufeff"):
            text = "\ufeff" + text.removeprefix("\ufeff")
        mode = self.path.stat().st_mode & 0o777 if self.text is not None else 0o600
        _replace(self.path, text, mode)

    def keep_backup(self) -> None:
        """Put the file, where there is one, aside as it is."""
        if self.text is not None:
            _replace(self.backup, self.text, self.path.stat().st_mode & 0o777)

    def _read(self) -> str | None:
        try:
            raw = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise BadInput(f"Cannot read {self.path} ({error.strerror}); name another --settings.") from error
        try:
            if len(raw) <= _MOST_BYTES:
                return raw.decode("utf-8")
        except UnicodeDecodeError:
            pass
        raise BadInput(f"{self.path} is no UTF-8 text of settings; mend it first, nothing was changed.")


def _replace(path: Path, text: str, mode: int) -> None:
    """Write a file in one step."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        partial.chmod(mode)
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise BadInput(f"Cannot write {path} ({error.strerror}); nothing was changed.") from error


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys stand there once: of two, one would be lost in writing."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} stands there twice")
    return found


def _yaml() -> Any:
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 10_000
    return yaml


def _read_yaml(text: str) -> Any:
    from ruamel.yaml.error import YAMLError

    try:
        return _yaml().load(text)
    except YAMLError as error:
        raise ValueError(str(error)) from None


def _write_yaml(data: dict[str, Any]) -> str:
    stream = io.StringIO()
    _yaml().dump(data, stream)
    return stream.getvalue()
