"""A whole configuration: frozen, and checked where a value enters."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from workbench.errors import BadConfig
from workbench.params.keys import KEYS, ZERO_ACTS_AS_DEFAULT, Key, Value


class Params(Mapping[str, Value]):
    """One value for every key of KEYS. Immutable and hashable.

    Integers stay integers and numbers floats; a value of another type, outside its range, or of an unknown key
    raises BadConfig with the rule and the value.
    """

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        given = dict(values or {})
        for name in given:
            key_of(name)
        self._values: dict[str, Value] = {
            name: checked(key, given[name]) if name in given else key.default for name, key in KEYS.items()
        }

    @classmethod
    def default(cls) -> Params:
        """The defaults of the server."""
        return cls()

    def __getitem__(self, name: str) -> Value:
        return self._values[key_of(name).name]

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(tuple(self._values.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Params) and self._values == other._values

    def __repr__(self) -> str:
        return f"Params({self.changed_from(Params())})"

    def replace(self, changes: Mapping[str, Any]) -> Params:
        """A copy with other values for the keys of `changes`."""
        return Params({**self._values, **changes})

    def as_flat(self) -> dict[str, Value]:
        """Key to value, in the order of KEYS."""
        return dict(self._values)

    def changed_from(self, other: Params) -> dict[str, Value]:
        """The keys whose values differ from those of `other`, with the values of this one."""
        return {name: value for name, value in self._values.items() if value != other[name]}

    def bindings(self) -> dict[str, Any]:
        """Bound SQL name to the value that acts: on the server a half-life or maximum bonus of 0 acts as the default,
        a view weight of 0 as 1."""
        acting = {key.bound: self._values[name] for name, key in KEYS.items()}
        for name in ZERO_ACTS_AS_DEFAULT:
            key = KEYS[name]
            acting[key.bound] = acting[key.bound] or key.default
        for bound in ("gist_weight", "question_weight"):
            acting[bound] = acting[bound] or 1.0
        return acting


def key_of(name: str) -> Key:
    """The key called `name`; BadConfig names the nearest known one otherwise."""
    if name in KEYS:
        return KEYS[name]
    near = difflib.get_close_matches(str(name), KEYS, n=1, cutoff=0.0)
    raise BadConfig(f"Unknown configuration key {name!r}; the nearest known key is {near[0]}.")


def checked(key: Key, value: Any) -> Value:
    """`value` as the type of `key`, or BadConfig. NumPy scalars are taken as the Python values that they hold."""
    plain = _plain(value)
    if key.kind is bool:
        if not isinstance(plain, bool):
            raise BadConfig(f"{key.name} must be true or false, not {shown(plain)}.")
        return plain
    if isinstance(plain, bool) or not isinstance(plain, (int, float)) or plain != plain or abs(plain) == math.inf:
        raise BadConfig(f"{key.name} must be a finite number from {key.range_text}, not {shown(plain)}.")
    if key.kind is int and plain != int(plain):
        raise BadConfig(f"{key.name} must be a whole number from {key.range_text}, not {shown(plain)}.")
    if not key.low <= plain <= key.high:
        raise BadConfig(f"{key.name} must lie in {key.range_text}, not {shown(plain)}.")
    return int(plain) if key.kind is int else float(plain) + 0.0  # no negative zero


def shown(value: Any) -> str:
    """A value as a message shows it: its literal, cut to 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _plain(value: Any) -> Any:
    try:
        return value.item() if hasattr(value, "item") else value
    except (TypeError, ValueError):
        return value  # an array of several values, which no key takes


def snap(key: Key, value: float) -> Value:
    """The value of the key's step grid nearest to `value`, inside the range, as the shortest decimal.

    Raises BadConfig for NaN and infinity.
    """
    if key.kind is bool:
        return bool(value)
    if not math.isfinite(value):
        raise BadConfig(f"{key.name} must be a finite number from {key.range_text}, not {value}.")
    inside = Decimal(repr(float(min(max(value, key.low), key.high))))
    step = Decimal(repr(key.step))
    number = (inside / step).quantize(Decimal(1), rounding=ROUND_HALF_UP) * step
    return int(number) if key.kind is int else float(number)
