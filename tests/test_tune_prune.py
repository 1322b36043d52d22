"""What pruning leaves out is never shown, by any configuration of the box."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.params import KEYS, Key, Params, snap
from workbench.replay.run import Settings
from workbench.tune.kernel import Kernel
from workbench.tune.prune import Box, _least_faded, _priorities, pruned, worth_pruning
from workbench.tune.space import Space

TURNED = [key for key in KEYS.values() if key.replayable]
WEIGHTS = [key for key in TURNED if key.name.startswith("recall.weights.")]


class Within(Space):
    """A space whose keys have narrower ranges."""

    def __init__(self, current: Params, narrow: dict[str, tuple[float, float]]) -> None:
        super().__init__(current, [KEYS[name] for name in narrow], [])
        object.__setattr__(self, "narrow", narrow)

    def bounds(self, key: Key) -> tuple[float, float]:
        found: tuple[float, float] = self.__dict__["narrow"][key.name]
        return found


def about(current: Params, keys: Sequence[Key], width: float) -> Within:
    """Each key within this share of its range to either side of the present value."""
    narrow = {}
    for key in keys:
        low, high = Space.bounds(Space(current, keys, []), key)
        reach, present = width * (key.high - key.low), float(current[key.name])
        ends = (min(max(present + side * reach, low), high) for side in (-1, 1))
        narrow[key.name] = (
            (0.0, 1.0)
            if key.kind is bool
            else cast("tuple[float, float]", tuple(float(snap(key, end)) for end in ends))
        )
    return Within(current, narrow)


def a_space(rng: np.random.Generator, current: Params) -> Space:
    """Some keys, each with a range about the present value, now and then the whole one."""
    share = rng.choice([0.2, 0.6, 1.0])
    return about(current, [key for key in TURNED if rng.random() < share], rng.choice([0.01, 0.05, 0.2, 1.0]))


def inside(space: Space, rng: np.random.Generator) -> Params:
    """A configuration of the space, with many values at its corners."""
    values: dict[str, Any] = {}
    for key in space.keys:
        low, high = space.bounds(key)
        value = float(rng.choice([low, high, rng.uniform(low, high), float(space.current[key.name])]))
        values[key.name] = value >= 0.5 if key.kind is bool else round(value) if key.kind is int else value
    return space.current.replace(values)


def a_kernel(rng: np.random.Generator, most: int = 60) -> Kernel:
    """Up to five prompts with candidates of which some are alike, some boot memories and some without an age."""
    sizes = rng.integers(0, most, size=5)
    rows = int(sizes.sum())
    coarse = bool(rng.random() < 0.5)

    def signal(missing: float) -> np.ndarray[Any, Any]:
        values = rng.beta(5, 2, rows)
        values = np.round(values * 20) / 20 if coarse else values
        return np.where(rng.random(rows) < missing, np.nan, values)

    names = ("dense_gist", "dense_question", "lexical_gist", "lexical_question")
    signals = {name: signal(0.4) for name in names}
    query = np.repeat(np.arange(5), sizes)
    priority = rng.integers(0, 7, rows)
    order = np.lexsort((priority, query))
    age = np.where(rng.random(rows) < 0.1, np.nan, rng.choice([0.0, 3.0, 90.0, 200.0, 2000.0], rows))
    return Kernel(
        query, rng.permutation(rows), rng.random(rows) < 0.1, np.nan_to_num(signal(0.7)), np.nan_to_num(signal(0.3)),
        signals, (np.ones(rows), np.full(rows, 0.96)), rng.choice([0.25, 0.4], 5)[query], priority[order], age,
    )  # fmt: skip


def differences(seed: int, configurations: int = 25) -> tuple[int, int, int]:
    """Configurations that are shown otherwise, rows before, and rows after pruning."""
    rng = np.random.default_rng(seed)
    kernel, current = a_kernel(rng), Params()
    if rng.random() < 0.5:
        current = inside(Space(current, TURNED, []), rng)
    box = Box.of(space := a_space(rng, current))
    small = pruned(kernel, box)
    differing = 0
    for params in (current, *(inside(space, rng) for _ in range(configurations))):
        setup = Settings(params, current)
        assert box.holds(setup)
        differing += sorted(kernel.shown(setup).tolist()) != sorted(small.shown(setup).tolist())
    return differing, len(kernel.query), len(small.query)


@settings(max_examples=150)
@given(st.integers(0, 2**32))
def test_pruning_changes_nothing_that_is_shown(seed: int) -> None:
    assert differences(seed)[0] == 0


def test_pruning_of_many_boxes_changes_nothing_and_leaves_much_out() -> None:
    found = np.array([differences(seed, 8) for seed in range(300)])
    assert found[:, 0].sum() == 0
    assert found[:, 2].sum() < 0.8 * found[:, 1].sum()


def test_a_narrow_box_leaves_few_candidates_and_the_widest_is_not_pruned() -> None:
    kernel = a_kernel(np.random.default_rng(1), most=120)
    weights = Box.of(about(Params(), WEIGHTS, 0.05))
    assert len(worth_pruning(kernel, weights).query) < 0.6 * len(kernel.query)
    everything = Box.of(Space(Params(), TURNED, []))
    assert worth_pruning(kernel, everything) is kernel


def test_a_row_that_is_beaten_by_as_many_as_are_shown_goes() -> None:
    rows = 5
    none, same = np.full(rows, np.nan), np.ones(rows)
    signals = dict.fromkeys(("dense_gist", "dense_question", "lexical_gist", "lexical_question"), none)
    boot = np.array([True, False, False, False, False])
    exact = np.array([1.0, 0.9, 0.8, 0.7, 0.6])
    kernel = Kernel(np.zeros(rows, int), np.arange(rows), boot, exact, np.zeros(rows), signals, (same, same), same,
                    np.ones(rows, int), none)  # fmt: skip
    current = Params({"recall.display.max_display_items": 2, "recall.display.min_display_score": 0.1})
    for lowest, kept in ((0.2, [0, 1, 2]), (0.0, [0, 1, 2, 3, 4])):
        box = Box.of(Within(current, {"recall.weights.w_exact": (lowest, 0.5)}))
        assert pruned(kernel, box).number.tolist() == kept


@pytest.mark.parametrize(("changed", "held"), [({}, True), ({"recall.weights.w_exact": 0.9}, True), (
    {"recall.bonus.priority_base": 0.2}, False), ({"views.weight.gist": 1.2}, False)])  # fmt: skip
def test_a_box_knows_what_it_holds(changed: dict[str, Any], held: bool) -> None:
    box = Box.of(Space(Params(), WEIGHTS, []))
    assert box.holds(Settings(Params(changed), Params())) is held


def test_the_least_difference_of_priority_bonuses_is_that_of_a_fine_grid() -> None:
    levels = np.arange(6)
    box = Box({"priority_base": (0.1, 0.3), "priority_step": (0.01, 0.2)}, turns_views=False)
    bonus = np.array([np.maximum(0.0, base - levels * step) for base in np.linspace(0.1, 0.3, 41)
                      for step in np.linspace(0.01, 0.2, 401)])  # fmt: skip
    seen = (bonus[:, :, None] - bonus[:, None, :]).min(axis=0)
    least = _priorities(box, levels)
    assert (least <= seen + 1e-12).all()
    assert least == pytest.approx(seen, abs=1e-3)


def test_the_least_difference_of_faded_bonuses_is_that_of_a_fine_grid() -> None:
    ages = np.array([0.0, 1.0, 30.0, 90.0, 400.0, 3000.0, np.nan])
    first, second = ages[:, None], ages[None, :]
    half_lives = 1 / np.linspace(1 / 3650, 1 / 7, 20_001)
    left = np.nan_to_num(np.power(2.0, -ages / half_lives[:, None]))
    seen = (left[:, :, None] - left[:, None, :]).min(axis=0)
    least = _least_faded(first, second, (7.0, 3650.0))
    assert (least <= seen + 1e-12).all()
    assert least == pytest.approx(seen, abs=2e-3)
