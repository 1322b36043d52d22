"""The configuration of a live server, read from its settings table with the server's own coercions."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from workbench.params.keys import KEYS, ZERO_ACTS_AS_DEFAULT, Key, Value
from workbench.params.values import Params, shown

_SECRET = re.compile(r"key(?!word)|token|passw|secret|credential", re.IGNORECASE)
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*", re.ASCII | re.IGNORECASE)
# A view row whose weight is 0 is scored as if it were 1.
_ZERO_ACTS_AS_ONE = ("views.weight.gist", "views.weight.question")


@dataclass(frozen=True)
class ImportedSettings:
    """`warnings` are sentences; `retired` are recall keys that the server no longer has, never exported.

    `secrets_dropped` names the settings whose values were not looked at.
    """

    params: Params
    warnings: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    secrets_dropped: tuple[str, ...] = ()


def looks_secret(key: str) -> bool:
    """Whether the value of a settings key must never be kept: its last segment speaks of a key, token or password."""
    return bool(_SECRET.search(key.rpartition(".")[2]))


def from_app_settings(rows: Iterable[tuple[str, Any]]) -> ImportedSettings:
    """Read (key, value) rows; a value is `{"value": …}`, the bare value, or the JSON text of either.

    Strings are coerced, integers truncated, bad values fall back to the default, values out of range to the nearest
    end; each divergence is announced in one sentence. Keys of other areas are passed over. As bare Python text, 0.3 is
    JSON text of a number; a string stored in JSON carries its quotes or its `{"value": …}`.
    """
    values: dict[str, Value] = {}
    warnings: list[str] = []
    retired, secrets = [], []
    for name, stored in rows:
        if name in KEYS:
            values[name], said = _coerced(KEYS[name], _unwrapped(stored))
            warnings += [said] if said else []
        elif looks_secret(name):
            secrets.append(name)
        elif name.startswith(("recall.", "views.")):
            retired.append(name)
    if retired:
        warnings.append(f"Retired settings are listed and never exported: {', '.join(sorted(retired))}.")
    return ImportedSettings(Params(values), tuple(warnings), tuple(sorted(retired)), tuple(sorted(secrets)))


def _unwrapped(stored: Any) -> Any:
    if isinstance(stored, str):
        try:
            stored = json.loads(stored)
        except ValueError:
            return stored
    return stored["value"] if isinstance(stored, dict) and "value" in stored else stored


def _coerced(key: Key, value: Any) -> tuple[Value, str]:
    """The value that acts, and the sentence that announces a divergence ("" when there is none)."""
    if value is None:
        return key.default, f"{key.name} is stored without a value and acts as {key.default}."
    if key.kind is bool:
        return _coerced_bool(key, value)
    number = _number(value)
    if number is None:
        return key.default, f"{key.name} = {shown(value)} is not a number and acts as the default {key.default}."
    if number == 0 and key.name in ZERO_ACTS_AS_DEFAULT:
        return key.default, f"{key.name} = 0 acts as {key.default:g} on the server; it does not switch the bonus off."
    if number == 0 and key.name in _ZERO_ACTS_AS_ONE:
        return 1.0, f"{key.name} = 0 acts as 1 on the server; it does not switch the view off."
    inside = min(max(int(number) if key.kind is int else number, key.low), key.high)
    kept: Value = int(inside) if key.kind is int else float(inside)
    if kept != number:
        return kept, f"{key.name} = {shown(value)} is read as {kept} (range {key.range_text})."
    if isinstance(value, str):
        return kept, f"{key.name} is stored as the text {shown(value)} and read as {kept}."
    return kept, ""


def _coerced_bool(key: Key, value: Any) -> tuple[Value, str]:
    if isinstance(value, bool):
        return value, ""
    words = {"true": True, "1": True, "false": False, "0": False}
    word = str(value).strip().lower()
    if word in words:
        return words[word], f"{key.name} is stored as {shown(value)} and read as {str(words[word]).lower()}."
    return key.default, f"{key.name} = {shown(value)} is neither true nor false and acts as {str(key.default).lower()}."


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
