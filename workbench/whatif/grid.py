"""The values that a curve or a sweep goes through: steps of the key around the present value."""

from __future__ import annotations

from decimal import Decimal

from workbench.params import KEYS, THRESHOLD, Value, snap

# A curve reaches less far down: the lower it begins, the more candidates are ranked.
_CURVE_BELOW, _CURVE_ABOVE, _SWEEP_STEPS, _SWEEP_COLUMNS = 15, 25, 3, 5


def thresholds_around(value: float) -> list[float]:
    """Display thresholds for a curve: `value`, 15 steps below it and 25 above, inside the range, lowest first."""
    return [float(one) for one in _around(THRESHOLD, value, 1, _CURVE_BELOW, _CURVE_ABOVE)]


def sweep_columns(value: float) -> list[float]:
    """Display thresholds for a sweep: fewer and wider than those of a curve."""
    return [float(one) for one in _around(THRESHOLD, value, 2, _SWEEP_COLUMNS, _SWEEP_COLUMNS)]


def sweep_rows(key: str, value: Value) -> list[Value]:
    """Values of `key` for a sweep: three twentieths of its range on either side of `value`; both for a switch."""
    if KEYS[key].kind is bool:
        return [False, True]
    width = max(1, round((KEYS[key].high - KEYS[key].low) / KEYS[key].step / 20))
    return _around(key, value, width, _SWEEP_STEPS, _SWEEP_STEPS)


def _around(name: str, value: Value, width: int, below: int, above: int) -> list[Value]:
    key = KEYS[name]
    step = Decimal(repr(key.step)) * width
    places = (float(Decimal(repr(float(value))) + step * number) for number in range(-below, above + 1) if number)
    return sorted({value, *(snap(key, place) for place in places if key.low <= place <= key.high)})
