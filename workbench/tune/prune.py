"""Safe pruning: candidates that no configuration of a search box can show are left out before the first trial.

A candidate goes when K others of its prompt, none of them a boot memory, beat it at every point of the box, K being the
most memories that the box shows. Wherever it stands, those K stand before it and pass the threshold if it does; what
stands behind it is behind them too, so that neither its place nor its rank matters. The slice of candidates that are
looked at is never smaller than what is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from workbench.params import KEYS
from workbench.replay.run import Settings
from workbench.tune.kernel import Doubles, Kernel, Whole
from workbench.tune.space import Space

Ends = tuple[float, float]

# Scores are rounded to six decimals; sums of a few terms are right to far less than _EXACT.
_EXACT = 1e-9
_ROUNDED = 1e-6 + _EXACT
_VIEW_WEIGHTS = ("gist_weight", "question_weight")
# Pairs of candidates that are compared at a time, and how many of the best of a prompt are held against the others.
_BLOCK = 1_000_000
_SPARE = 6
_LOOKED_AT = 100
_KEPT_AT_MOST = 0.7


@dataclass(frozen=True)
class Box:
    """The lowest and the highest value of each bound name, and whether the search turns a view weight; where it does
    not, the weights stored on the rows are used."""

    ends: dict[str, Ends]
    turns_views: bool

    @classmethod
    def of(cls, space: Space) -> Box:
        """All that `space` can try, its present configuration among it."""
        tried = {key.name: space.bounds(key) for key in space.keys}
        present = space.current.bindings()
        ends = {}
        for name, key in KEYS.items():
            values = [float(present[key.bound]), *(float(end) for end in tried.get(name, ()))]
            ends[key.bound] = (min(values), max(values))
        return cls(ends, any(name.startswith("views.weight.") for name in tried))

    def holds(self, settings: Settings) -> bool:
        """Whether these settings lie in the box."""
        bound = settings.bindings()
        stored = [name for name in _VIEW_WEIGHTS if bound[name] is None]
        return bound["exclude_boot"] and all(
            low <= bound[name] <= high for name, (low, high) in self.ends.items() if name not in stored
        )

    @property
    def most_shown(self) -> int:
        """How many memories a recall shows at most."""
        return max(1, int(self.ends["max_display_items"][1]))


def worth_pruning(kernel: Kernel, box: Box) -> Kernel:
    """`pruned`, if a look at some prompts promises that enough candidates go for it to pay."""
    prompts = np.unique(kernel.query)
    some = kernel.only(np.flatnonzero(np.isin(kernel.query, prompts[:: max(1, len(prompts) // _LOOKED_AT)])))
    kept = len(pruned(some, box).query)
    return pruned(kernel, box) if kept <= _KEPT_AT_MOST * len(some.query) else kernel


def pruned(kernel: Kernel, box: Box) -> Kernel:
    """The kernel without the candidates that no configuration of `box` shows: it shows the same under each of them."""
    bounds = _Bounds.of(kernel, box)
    if bounds is None:
        return kernel
    wanted = bounds.highest() >= box.ends["min_display_score"][0] - _ROUNDED
    for contenders, others in _blocks(kernel, bounds, box.most_shown):
        first, second = contenders[:, :, None], others[:, None, :]
        enough = np.where(first < second, _EXACT, _ROUNDED)
        beaten = ((bounds.least(first, second) > enough) & (first >= 0)).sum(axis=1)
        wanted[others[(beaten >= box.most_shown) & (others >= 0)]] = False
    return kernel.only(np.flatnonzero(wanted))


def _blocks(kernel: Kernel, bounds: _Bounds, most_shown: int) -> Iterator[tuple[Whole, Whole]]:
    """Rows of several prompts, a prompt a line: the best ones by a middle score, and all. -1 fills the lines up."""
    starts = np.flatnonzero(np.diff(kernel.query, prepend=-1))
    sizes = np.diff(starts, append=len(kernel.query))
    middle = np.where(kernel.boot, -np.inf, bounds.middle())
    contending = 2 * most_shown + _SPARE
    order = np.argsort(sizes, kind="stable")
    order = order[sizes[order] > most_shown]
    while len(order):
        widest = int(sizes[order[-1]])
        count = max(1, _BLOCK // (widest * min(widest, contending)))
        block, order = order[-count:], order[:-count]
        places = np.arange(widest)
        rows = np.where(places < sizes[block][:, None], starts[block][:, None] + places, -1)
        score = np.where(rows >= 0, middle[rows], -np.inf)
        best = np.argsort(-score, axis=1, kind="stable")[:, :contending]
        contenders = np.take_along_axis(rows, best, axis=1)
        yield np.where(np.take_along_axis(score, best, axis=1) > -np.inf, contenders, -1), rows


@dataclass(frozen=True)
class _Bounds:
    """What a score can be over a box, term by term; terms share no parameter but the view weights.

    `merged` are dense and lexical (damped) at each corner of the view weights, `branches` what they are the greatest
    of: both [signal][...][corner, row]. `views` and `priorities` are the least differences by the classes of two rows.
    """

    kernel: Kernel
    box: Box
    merged: tuple[Doubles, Doubles]
    branches: tuple[list[Doubles], list[Doubles]]
    views: Doubles
    priorities: Doubles

    @classmethod
    def of(cls, kernel: Kernel, box: Box) -> _Bounds | None:
        """None where rows of one kind of view have different weights and the search turns them."""
        corners: list[tuple[float | None, float | None]] = [(None, None)]
        if box.turns_views:
            ends = [_with_stored(stored, box.ends[name]) for stored, name in
                    zip(kernel.stored, _VIEW_WEIGHTS, strict=True)]  # fmt: skip
            if None in ends:
                return None
            corners = [(gist, question) for gist, question in product(*(one for one in ends if one is not None))]
        terms = [kernel.signals_by(*corner) for corner in corners]
        dense, lexical = (np.array([both[n] for both in terms]) for n in (2, 3))
        branches = ([dense], [lexical])
        if box.turns_views:
            damps = (np.ones(len(kernel.query)), kernel.damp)
            branches = tuple(  # type: ignore[assignment]
                _branches(kernel, name, corners, damp) for name, damp in zip(("dense", "lexical"), damps, strict=True)
            )
        return cls(kernel, box, (dense, lexical), branches, _views(box), _priorities(box, kernel.priorities))

    def least(self, first: Whole, second: Whole) -> Doubles:
        """No more than the least difference of the scores of two rows over the box."""
        ends, kernel = self.box.ends, self.kernel
        total = _times(kernel.exact[first] - kernel.exact[second], ends["w_exact"])
        total += _times(kernel.glossary[first] - kernel.glossary[second], ends["w_glossary_semantic"])
        for merged, branches, name in zip(self.merged, self.branches, ("w_dense", "w_lexical"), strict=True):
            total += _times(_least_of(branches, merged, first, second), ends[name])
        total += self.views[kernel.views[first], kernel.views[second]]
        total += self.priorities[kernel.levels[first], kernel.levels[second]]
        on = ends["recency_enabled"]
        if on[1]:
            total += _times(_times(self._recency(first, second), ends["max_bonus"]), (on[0], 1.0))
        return total

    def highest(self) -> Doubles:
        """No less than the highest score of each row."""
        ends, kernel = self.box.ends, self.kernel
        total = -_times(-kernel.exact, ends["w_exact"]) - _times(-kernel.glossary, ends["w_glossary_semantic"])
        for merged, name in zip(self.merged, ("w_dense", "w_lexical"), strict=True):
            total += merged.max(axis=0) * ends[name][1]
        bonus = max(ends["gist_prior"][1], ends["question_prior"][1]) + _multi_view(ends, 1)
        total += bonus + np.maximum(0.0, ends["priority_base"][1] - kernel.priority * ends["priority_step"][0])
        highest: Doubles = total + (ends["max_bonus"][1] * ~np.isnan(kernel.age) if ends["recency_enabled"][1] else 0.0)
        return highest

    def middle(self) -> Doubles:
        """A score in the middle of the box, near enough to pick what may beat others."""
        half = {name: (low + high) / 2 for name, (low, high) in self.box.ends.items()}
        middle: Doubles = self.kernel.exact * half["w_exact"] + self.kernel.glossary * half["w_glossary_semantic"]
        middle += self.merged[0].mean(axis=0) * half["w_dense"] + self.merged[1].mean(axis=0) * half["w_lexical"]
        middle -= self.kernel.priority * half["priority_step"]
        return middle

    def _recency(self, first: Whole, second: Whole) -> Doubles:
        """The least difference of the shares of the recency bonus."""
        kernel, ends = self.kernel, self.box.ends
        faded = _least_faded(kernel.age[first], kernel.age[second], ends["half_life_days"])
        low, high = ends["priority_exempt"]
        priorities = kernel.priority[first], kernel.priority[second]
        always, never = ([one <= low for one in priorities], [one > high for one in priorities])
        known = ~np.isnan(kernel.age[first]), ~np.isnan(kernel.age[second])
        slow, fast = (1 / ends["half_life_days"][1], 1 / ends["half_life_days"][0])
        rest_first = np.where(known[0], np.power(2.0, -np.nan_to_num(kernel.age[first]) * fast), 0.0)
        full_second = np.where(known[1], np.power(2.0, -np.nan_to_num(kernel.age[second]) * slow), 0.0)
        both = np.where(~never[0] & ~never[1], known[0].astype(float) - known[1], np.inf)
        one = np.where(~never[0] & ~always[1] & (priorities[0] < priorities[1]), known[0] - full_second, np.inf)
        other = np.where(~always[0] & ~never[1] & (priorities[1] < priorities[0]), rest_first - known[1], np.inf)
        none = np.where(~always[0] & ~always[1], faded, np.inf)
        least: Doubles = np.minimum(np.minimum(both, one), np.minimum(other, none))
        return least


def _with_stored(stored: Doubles, ends: Ends) -> Ends | None:
    """The range of a view weight, the one stored on the rows among it; None where rows differ."""
    known = np.unique(stored[~np.isnan(stored)])
    if len(known) > 1:
        return None
    values = [*ends, *known.tolist()]
    return min(values), max(values)


def _branches(
    kernel: Kernel, signal: str, corners: list[tuple[float | None, float | None]], damp: Doubles
) -> list[Doubles]:
    """What a merged signal is the greatest of: that of each view, and 0."""
    gist, question = (np.nan_to_num(kernel.signals[f"{signal}_{view}"]) * damp for view in ("gist", "question"))
    weights = np.array(corners, dtype=float)
    return [weights[:, :1] * gist, weights[:, 1:] * question, np.zeros((len(corners), len(damp)))]


def _least_of(branches: list[Doubles], merged: Doubles, first: Whole, second: Whole) -> Doubles:
    """A merged signal is at least each of its branches; a branch less a greatest is least at a corner."""
    found = np.full(np.broadcast_shapes(first.shape, second.shape), -np.inf)
    for branch in branches:
        least = branch[0][first] - merged[0][second]
        for corner in range(1, len(merged)):
            np.minimum(least, branch[corner][first] - merged[corner][second], out=least)
        np.maximum(found, least, out=found)
    return found


def _times(difference: Doubles, ends: Ends) -> Doubles:
    """The least product with a factor of a range."""
    least: Doubles = np.minimum(difference * ends[0], difference * ends[1])
    return least


def _multi_view(ends: dict[str, Ends], end: int) -> float:
    return min(ends["multi_view_cap"][end], ends["multi_view_step"][end])


def _views(box: Box) -> Doubles:
    """By the views that returned two rows (0 none, 1 gist, 2 question, 3 both), the least difference of their view
    bonuses: the prior differs least at a corner, and the bonus for several views has parameters of its own."""
    least = np.full((4, 4), np.inf)
    for gist, question in product(box.ends["gist_prior"], box.ends["question_prior"]):
        prior = np.array([0.0, gist, question, max(gist, question)])
        least = np.minimum(least, prior[:, None] - prior[None, :])
    several = np.array([0.0, 0.0, 0.0, 1.0])
    lowest, highest = _multi_view(box.ends, 0), _multi_view(box.ends, 1)
    more = several[:, None] - several[None, :]
    least += np.minimum(more * lowest, more * highest)
    return least


def _priorities(box: Box, levels: Whole) -> Doubles:
    """The least difference of the priority bonuses of two levels. It rises or falls with the step to where the bonus of
    one level ends, and from there the other way: least at an end of the range or there; by the base at its ends."""
    (lowest, highest), least = box.ends["priority_step"], np.full((len(levels), len(levels)), np.inf)
    for base in box.ends["priority_base"]:
        ended = [base / level for level in levels.tolist() if level > 0 and lowest < base / level < highest]
        for step in (lowest, highest, *ended):
            bonus = np.maximum(0.0, base - levels * step)
            least = np.minimum(least, bonus[:, None] - bonus[None, :])
    return least


def _least_faded(first: Doubles, second: Doubles, half_life: Ends) -> Doubles:
    """The least difference of what is left of two bonuses at these ages. By the inverse half-life it has one extreme,
    so it is least at an end of the range or there; an unknown age has no bonus."""
    speeds = 1 / half_life[1], 1 / half_life[0]
    least = np.minimum(*(_left(first, speed) - _left(second, speed) for speed in speeds))
    if speeds[0] < speeds[1]:
        with np.errstate(divide="ignore", invalid="ignore"):
            extreme = np.log(first / second) / ((first - second) * np.log(2.0))
        extreme = np.clip(np.nan_to_num(extreme, nan=speeds[0], posinf=speeds[1], neginf=speeds[0]), *speeds)
        least = np.minimum(least, _left(first, extreme) - _left(second, extreme))
    return least


def _left(age: Doubles, speed: float | Doubles) -> Doubles:
    left: Doubles = np.nan_to_num(np.power(2.0, -age * speed))
    return left
