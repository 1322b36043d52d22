"""Configuration files: the keys as nested TOML tables."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable

from workbench.errors import BadConfig
from workbench.params.files import write_atomic
from workbench.params.keys import KEYS, ZERO_ACTS_AS_DEFAULT, Value
from workbench.params.values import Params, checked, key_of

_BOM = "\ufeff"
_TABLES = frozenset(".".join(name.split(".")[:depth]) for name in KEYS for depth in range(1, name.count(".") + 1))
_UNFIT_FOR_COMMENT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


def read_toml(path: Path) -> Params:
    """The configuration in `path`; missing keys have the default. Raises BadConfig naming file, line, key and rule."""
    text = _text(path)
    values = _values(path, text)
    for name, value in values.items():
        try:
            checked(key_of(name), value)
        except BadConfig as error:
            raise BadConfig(f"{path}{_line(text, name)}: {error}") from error
    return Params(values)


def render_toml(params: Params, only: Iterable[str] | None = None, comment: str = "") -> str:
    """TOML text of the keys `only` (None: all), below `comment`, one `#` line for each of its lines."""
    document = tomlkit.document()
    for line in comment.splitlines():
        document.add(tomlkit.comment(_UNFIT_FOR_COMMENT.sub("\ufffd", line)))
    for name in KEYS if only is None else only:
        _put(document, name, _exported(name, params[name]))
    return tomlkit.dumps(document)


@dataclass(frozen=True)
class Edit:
    """What an edit of a file would do: its text before and after, and the keys whose values change."""

    before: str
    after: str
    changed: list[str]

    def difference(self, name: str) -> str:
        """The changed lines of the file called `name`, with three lines around each, as `diff -u` writes them."""
        lines = difflib.unified_diff(
            self.before.splitlines(), self.after.splitlines(), name, f"{name} (new)", lineterm=""
        )
        return "\n".join(lines)


def planned_edit(path: Path, params: Params, only: Iterable[str]) -> Edit:
    """What edit_toml would do; nothing is written. BadConfig or BadInput where it would refuse."""
    text = _text(path)
    present = _values(path, text)
    _refuse_unknown(path, text, present)
    changed = [name for name in only if not _same(present.get(name), params[name])]
    after = _edited(path, text, {name: _exported(name, params[name]) for name in changed}) if changed else text
    return Edit(text, after, changed)


def edit_toml(path: Path, params: Params, only: Iterable[str]) -> list[str]:
    """Set the keys `only` in the existing file `path`; returns the keys whose values changed.

    Comments, order, unknown tables and line ends stay; an unknown key in a table of ours is an error. The old file is
    kept beside as `<name>.bak`. On a failure nothing changes and BadConfig or BadInput says why.
    """
    edit = planned_edit(path, params, only)
    if edit.changed:
        write_atomic(path.with_name(path.name + ".bak"), edit.before.encode(), path.stat().st_mode & 0o777)
        write_atomic(path, edit.after.encode())
    return edit.changed


def _edited(path: Path, text: str, values: Mapping[str, Value]) -> str:
    """The text with `values` set; new lines end as all the others do."""
    try:
        document = tomlkit.parse(text.removeprefix(_BOM))
        for name, value in values.items():
            _put(document, name, value)
        edited = tomlkit.dumps(document)
    except (TOMLKitError, ValueError) as error:
        raise BadConfig(f"{path} cannot be edited: {error}; write its tables as [recall.weights] and so on.") from error
    if "\r\n" in text and not re.search(r"(?<!\r)\n", text):
        edited = re.sub(r"(?<!\r)\n", "\r\n", edited)
    return _BOM + edited if text.startswith(_BOM) else edited


def _values(path: Path, text: str) -> dict[str, Any]:
    try:
        return dict(_flat(tomllib.loads(text.removeprefix(_BOM))))
    except (ValueError, RecursionError) as error:
        raise BadConfig(f"{path} is not valid TOML: {error}; mend that line.") from error


def _refuse_unknown(path: Path, text: str, names: Iterable[str]) -> None:
    for name in names:
        if name not in KEYS and name.replace('"', "").rpartition(".")[0] in _TABLES:
            try:
                key_of(name)
            except BadConfig as error:
                raise BadConfig(f"{path}{_line(text, name)}: {error}") from error


def _line(text: str, name: str) -> str:
    """The words ", line N" for a key; nothing where it is not written as one plain line of its table."""
    prefix = ""
    for number, line in enumerate(text.removeprefix(_BOM).split("\n"), 1):
        if header := re.match(r"\s*\[+([^\[\]]+)\]", line):
            prefix = re.sub(r"\s", "", header[1]) + "."
        elif (entry := re.match(r"\s*([^=#]+?)\s*=", line)) and f"{prefix}{entry[1]}" == name:
            return f", line {number}"
    return ""


def _same(present: Any, value: Value) -> bool:
    return isinstance(present, bool) is isinstance(value, bool) and bool(present == value)


def _text(path: Path) -> str:
    """The characters of the file as they are, byte order mark and line ends included."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise BadConfig(f"{path} is not UTF-8 text; a configuration is a TOML file.") from error
    except OSError as error:
        raise BadConfig(f"Cannot read the configuration {path}: {error.strerror}; name a TOML file.") from error


def _flat(tables: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    """Dotted key and value of every leaf, also of keys that were written dotted; a part with a dot keeps its quotes."""
    for name, value in tables.items():
        part = json.dumps(name, ensure_ascii=False) if "." in name else name
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{part}.")
        else:
            yield f"{prefix}{part}", value


def _put(document: MutableMapping[str, Any], name: str, value: Value) -> None:
    """Set a key in place, keeping the comment behind it; new tables are written in full."""
    *tables, leaf = name.split(".")
    for depth, table in enumerate(tables):
        if table not in document:
            inline = isinstance(document, InlineTable)
            document[table] = tomlkit.inline_table() if inline else tomlkit.table(depth < len(tables) - 1)
        document = document[table]
        if not isinstance(document, MutableMapping):
            raise ValueError(f"{table!r} is a value there, not a table")
    document[leaf] = _item(value)


def _item(value: Value) -> Any:
    """A TOML item; numbers keep a decimal point and never take an exponent."""
    if isinstance(value, float):
        return tomlkit.value(format(Decimal(repr(value)), "f"))
    return tomlkit.item(value)


def _exported(name: str, value: Value) -> Value:
    if name in ZERO_ACTS_AS_DEFAULT and value == 0:
        raise BadConfig(
            f"{name} = 0 is not exported: the server reads it as {KEYS[name].default}; "
            "set recall.recency.enabled = false to switch the bonus off."
        )
    return value
