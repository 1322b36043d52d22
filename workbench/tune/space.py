"""Which keys a tuning run may turn, and how far."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution

from workbench.errors import BadInput
from workbench.params import KEYS, Key, Params, Value, snap

# Below these values a key says the same as another one: 0 acts as the default on the server (a view weight as 1), and a
# cap that binds acts like a smaller step.
_LOWEST = {
    "recall.recency.max_bonus": KEYS["recall.recency.max_bonus"].step,
    "recall.bonus.multi_view_cap": KEYS["recall.bonus.multi_view_step"].high,
    "views.weight.gist": KEYS["views.weight.gist"].step,
    "views.weight.question": KEYS["views.weight.question"].step,
}
_MOVES = (0.02, -0.02, 0.06, -0.06)
_NEARBY = 0.05
_SWITCHED_BY_RECENCY = tuple(
    name for name in KEYS if name.startswith("recall.recency.") and not name.endswith("enabled")
)


@dataclass(frozen=True)
class Space:
    """The keys of a search with their ranges; `dead` keys have no effect on this data and stay as they are."""

    current: Params
    keys: Sequence[Key]
    dead: Sequence[str]

    def bounds(self, key: Key) -> tuple[float, float]:
        """Lowest and highest value that the search tries."""
        return _LOWEST.get(key.name, key.low), key.high

    def ranges(self) -> dict[str, list[float]]:
        """Key to lowest value, highest value and step."""
        return {key.name: [*self.bounds(key), key.step] for key in self.keys}

    @cached_property
    def distributions(self) -> dict[str, BaseDistribution]:
        """Optuna's word for the range of each key."""
        return {key.name: self._distribution(key) for key in self.keys}

    def _distribution(self, key: Key) -> BaseDistribution:
        low, high = self.bounds(key)
        if key.kind is bool:
            return CategoricalDistribution([False, True])
        if key.kind is int:
            return IntDistribution(int(low), int(high))
        return FloatDistribution(low, high, step=key.step)

    def configured(self, values: Mapping[str, Value]) -> Params:
        """The configuration with these values, snapped to the keys' steps; a key at its present grid value keeps the
        exact present value."""
        snapped = {name: snap(KEYS[name], value) for name, value in values.items()}
        return self.current.replace({n: v for n, v in snapped.items() if v != snap(KEYS[n], self.current[n])})

    def starts(self, *given: Params) -> list[dict[str, Value]]:
        """Parameters of the first trials: the present configuration, those `given`, then one key at a time moved by
        _MOVES of its range to either side."""
        present = self._values(self.current)
        found = [present, *map(self._values, given)]
        for key in self.keys:
            low, high = self.bounds(key)
            moves = [(high - low) * share for share in _MOVES]
            values = [not self.current[key.name]] if key.kind is bool else [present[key.name] + move for move in moves]
            inside = dict.fromkeys(self._inside(key, value) for value in values)
            found += [present | {key.name: value} for value in inside if value != present[key.name]]
        return found

    def near(self, params: Params, rng: np.random.Generator) -> dict[str, Value]:
        """Parameters of a trial close to `params`: one to three keys moved, by about _NEARBY of their range."""
        found = self._values(params)
        count = min(int(rng.integers(1, 4)), len(self.keys))
        for place in rng.choice(len(self.keys), size=count, replace=False):
            key = self.keys[int(place)]
            low, high = self.bounds(key)
            move = float(rng.normal(0, _NEARBY * (high - low)))
            move = float(np.copysign(max(abs(move), key.step), move))
            present = found[key.name]
            found[key.name] = not present if key.kind is bool else self._inside(key, present + move)
        return found

    def _values(self, params: Params) -> dict[str, Value]:
        return {key.name: self._inside(key, params[key.name]) for key in self.keys}

    def _inside(self, key: Key, value: Value) -> Value:
        """The nearest value of the key's grid that the search may try."""
        if key.kind is bool:
            return value
        low, high = self.bounds(key)
        return snap(key, min(max(value, low), high))

    def neighbours(self, params: Params) -> list[Params]:
        """Configurations one step away in one key."""
        found = []
        for key in self.keys:
            low, high = self.bounds(key)
            present = params[key.name]
            steps = [not present] if key.kind is bool else [present - key.step, present + key.step]
            inside = [value for value in steps if key.kind is bool or low <= value <= high]
            found += [params.replace({key.name: snap(key, value)}) for value in inside]
        return found

    def distance(self, params: Params) -> float:
        """How far a configuration is from the present one: the sum over keys of the moved share of the range."""
        return sum(
            abs(float(params[key.name]) - float(self.current[key.name])) / (key.high - key.low) for key in self.keys
        )


def make_space(
    current: Params, only: Sequence[str], freeze: Sequence[str], fingerprint: Callable[[Params], object]
) -> Space:
    """The space over the replayable keys `only` (none: all) without `freeze`.

    A scoring key is dead when `fingerprint` of the scores is equal at both ends of its range. Raises BadInput when no
    key is left.
    """
    chosen = [key for name, key in KEYS.items() if key.replayable and (not only or name in only) and name not in freeze]
    dead = [
        key.name for key in chosen if not key.name.startswith("recall.display.") and _is_dead(current, key, fingerprint)
    ]
    live = [key for key in chosen if key.name not in dead]
    if not live:
        raise BadInput("No key is left to tune; name others with --only or free some with fewer --freeze.")
    return Space(current, live, dead)


def _is_dead(current: Params, key: Key, fingerprint: Callable[[Params], object]) -> bool:
    if key.name in _SWITCHED_BY_RECENCY and not current["recall.recency.enabled"]:
        return True
    ends: Mapping[str, Value] = (
        {"low": False, "high": True}
        if key.kind is bool
        else {"low": snap(key, _LOWEST.get(key.name, key.low)), "high": snap(key, key.high)}
    )
    return fingerprint(current.replace({key.name: ends["low"]})) == fingerprint(
        current.replace({key.name: ends["high"]})
    )
