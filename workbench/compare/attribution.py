"""Which changed key made a memory appear or vanish, whatever order the keys are changed in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from workbench.params import Params, Value
from workbench.replay.run import Settings, candidates_of
from workbench.store import Database, compose, sql_text

EXACT_UP_TO = 5
_ORDERS = 30
_SEED = 1

Margins = NDArray[np.float64]


def moved_by_key(db: Database, first: Settings, second: Settings) -> list[dict[str, float]]:
    """For each row of the table listed_flips, by (query_id, node): changed key to what it moved, largest first.

    What moves is the margin: the score less the threshold, or less the score of the memory whose place it would need,
    whichever is higher. The share of a key is its Shapley value (1953): its effect, averaged over the orders in which
    the keys can be changed; the shares of a flip add up to its whole move. With up to EXACT_UP_TO changed keys all
    orders count, else 30 drawn ones and their reverses. Memories that are no candidate have no shares.
    """
    changed = second.params.changed_from(first.params)
    if not changed:
        return []
    margins = _remembered(db, first, changed)
    shares = _shares(list(changed), margins)
    return [
        dict(sorted(((name, float(moved)) for name, moved in zip(changed, row, strict=True) if abs(moved) >= 5e-7),
                    key=lambda one: -abs(one[1])))
        for row in np.nan_to_num(shares.T)
    ]  # fmt: skip


def _remembered(db: Database, first: Settings, changed: Mapping[str, Value]) -> Callable[[frozenset[str]], Margins]:
    """Margins of all flips where only some of the keys are changed; each set of keys is replayed once."""
    known: dict[frozenset[str], Margins] = {}

    def margins(keys: frozenset[str]) -> Margins:
        if keys not in known:
            params = first.params.replace({name: changed[name] for name in keys})
            known[keys] = _margins(db, params, first)
        return known[keys]

    return margins


def _margins(db: Database, params: Params, first: Settings) -> Margins:
    settings = Settings(params, first.in_force, candidates=first.candidates)
    scored = (candidates_of("listed_flips", settings.candidates), "score", "compare/node_scores")
    sql = compose(scored, sql_text("compare/margins"))
    return np.array([margin for _, margin in db.rows(sql, settings.bindings())], dtype=np.float64)


def _shares(names: Sequence[str], margins: Callable[[frozenset[str]], Margins]) -> Margins:
    """Keys by flips: the mean step of each key over the orders."""
    orders = _orders(names)
    total = np.zeros((len(names), len(margins(frozenset()))))
    for order in orders:
        done: frozenset[str] = frozenset()
        for name in order:
            following = done | {name}
            total[names.index(name)] += margins(following) - margins(done)
            done = following
    return total / len(orders)


def _orders(names: Sequence[str]) -> list[tuple[str, ...]]:
    if len(names) <= EXACT_UP_TO:
        return list(permutations(names))
    rng = np.random.default_rng(_SEED)
    drawn = [tuple(names[at] for at in rng.permutation(len(names))) for _ in range(_ORDERS)]
    return [*drawn, *(order[::-1] for order in drawn)]
