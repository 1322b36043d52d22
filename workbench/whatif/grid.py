"""The values that a curve or a sweep goes through: steps of the key around the present value."""

from __future__ import annotations

from decimal import Decimal

from workbench.params import KEYS, Value, snap

THRESHOLD = "recall.display.min_display_score"
_CURVE_STEPS, _SWEEP_STEPS, _SWEEP_COLUMNS = 25, 3, 5


def thresholds_around(value: float) -> list[float]:
    """Display thresholds for a curve: `value` and 25 steps on either side, inside the range, lowest first."""
    return [float(one) for one in _around(THRESHOLD, value, _CURVE_STEPS, 1)]


def sweep_columns(value: float) -> list[float]:
    """Display thresholds for a sweep: fewer and wider than those of a curve."""
    return [float(one) for one in _around(THRESHOLD, value, _SWEEP_COLUMNS, 2)]


def sweep_rows(key: str, value: Value) -> list[Value]:
    """Values of `key` for a sweep: three twentieths of its range on either side of `value`; both for a switch."""
    if KEYS[key].kind is bool:
        return [False, True]
    width = max(1, round((KEYS[key].high - KEYS[key].low) / KEYS[key].step / 20))
    return _around(key, value, _SWEEP_STEPS, width)


def _around(name: str, value: Value, steps: int, width: int) -> list[Value]:
    key = KEYS[name]
    step = Decimal(repr(key.step)) * width
    places = (float(Decimal(repr(float(value))) + step * number) for number in range(-steps, steps + 1) if number)
    return sorted({value, *(snap(key, place) for place in places if key.low <= place <= key.high)})
