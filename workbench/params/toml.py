"""Configuration files: the keys as nested TOML tables."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, MutableMapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from workbench.errors import BadConfig
from workbench.params.files import write_atomic
from workbench.params.keys import KEYS, ZERO_ACTS_AS_DEFAULT, Value
from workbench.params.values import Params

_AREAS = frozenset(name.partition(".")[0] for name in KEYS)


def read_toml(path: Path) -> Params:
    """The configuration in `path`; missing keys have the default. Raises BadConfig naming file, key and rule."""
    try:
        content = tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        raise BadConfig(f"{path} is not valid TOML: {error}; mend that line.") from error
    try:
        return Params(dict(_flat(content)))
    except BadConfig as error:
        raise BadConfig(f"{path}: {error}") from error


def render_toml(params: Params, only: Iterable[str] | None = None, comment: str = "") -> str:
    """TOML text of the keys `only` (None: all), below `comment`, one `#` line for each of its lines."""
    document = tomlkit.document()
    for line in comment.splitlines():
        document.add(tomlkit.comment(line))
    for name in KEYS if only is None else only:
        _put(document, name, _exported(name, params[name]))
    return tomlkit.dumps(document)


def edit_toml(path: Path, params: Params, only: Iterable[str]) -> list[str]:
    """Set the keys `only` in the existing file `path`; returns the keys whose values changed.

    Comments, order, unknown tables and line ends stay. The old file is kept beside as `<name>.bak`. On a failure
    nothing changes and BadConfig or BadInput says why.
    """
    text = _text(path)
    try:
        document = tomlkit.parse(text)
    except TOMLKitError as error:
        raise BadConfig(f"{path} is not valid TOML: {error}; mend that line.") from error
    present = dict(_flat(document.unwrap()))
    changed = [name for name in only if present.get(name) != params[name] or name not in present]
    if not changed:
        return []
    for name in changed:
        _put(document, name, _exported(name, params[name]))
    write_atomic(path.with_name(path.name + ".bak"), text.encode())
    write_atomic(path, tomlkit.dumps(document).encode())
    return changed


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise BadConfig(f"{path} is not UTF-8 text; a configuration is a TOML file.") from error
    except OSError as error:
        raise BadConfig(f"Cannot read the configuration {path}: {error.strerror}; name a TOML file.") from error


def _flat(tables: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    """Dotted key and value of every leaf, also of keys that were written dotted."""
    for name, value in tables.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _put(document: MutableMapping[str, Any], name: str, value: Value) -> None:
    """Set a key in place, keeping the comment behind it; new tables are written in full."""
    *tables, leaf = name.split(".")
    for depth, table in enumerate(tables):
        if table not in document:
            document[table] = tomlkit.table(is_super_table=depth < len(tables) - 1)
        document = document[table]
        if not isinstance(document, MutableMapping):
            raise BadConfig(f"{name} cannot be set: {table!r} is a value in that file, not a table.")
    document[leaf] = _item(value)


def _item(value: Value) -> Any:
    """A TOML item; numbers keep a decimal point and never take an exponent."""
    if isinstance(value, float):
        text = format(value, "f") if "e" in repr(value) else repr(value)
        return tomlkit.float_(text.rstrip("0") + "0" if text.endswith("0") and "." in text else text)
    return tomlkit.item(value)


def _exported(name: str, value: Value) -> Value:
    if name in ZERO_ACTS_AS_DEFAULT and value == 0:
        raise BadConfig(
            f"{name} = 0 is not exported: the server reads it as {KEYS[name].default}; "
            "set recall.recency.enabled = false to switch the bonus off."
        )
    return value
