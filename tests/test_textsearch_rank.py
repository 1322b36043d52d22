"""The rank of a query joined by OR, which is a function of one count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.textsearch import AnyOf
from workbench.textsearch.rank import pairs, rank_of, ranks

DOCUMENT = {"a": [1, 5, 9], "/p": [2, 6], "x": [3, 7], "1": [4, 10]}


@pytest.mark.parametrize(
    ("count", "rank"), [(0, 0.0), (1, 0.09090909), (2, 0.16666667), (3, 0.23076923), (6, 0.375), (122, 0.92424244)]
)
def test_ranks_are_the_shortest_decimals_of_the_server(count: int, rank: float) -> None:
    assert rank_of(count) == rank


def test_a_table_of_ranks_is_shared_and_cannot_be_changed() -> None:
    table = ranks(5000)
    assert len(table) == 5001
    assert (table[:11] == ranks(10)).all()
    assert [rank_of(count) for count in (0, 999, 1024, 5000)] == [table[count] for count in (0, 999, 1024, 5000)]
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 1.0


@given(st.integers(min_value=0, max_value=20000))
def test_a_rank_is_a_float32_and_grows_with_the_count(count: int) -> None:
    rank = rank_of(count)
    assert float(str(np.float32(rank))) == rank
    assert rank == pytest.approx(count / (count + 10), abs=1e-6)
    assert rank_of(count + 1) >= rank


@pytest.mark.parametrize(
    ("query", "count"),
    [
        (AnyOf(()), 0),
        (AnyOf(("a",)), 3),
        (AnyOf(("a", "absent", "x")), 5),
        (AnyOf((), (("/p", "x", "1"),)), 1),
        (AnyOf(("a",), (("/p", "x"), ("absent", "x"))), 5),
        (AnyOf((), (("/p", "", "1"),)), 1),
    ],
)
def test_pairs_are_the_positions_of_lexemes_and_the_complete_phrases(query: AnyOf, count: int) -> None:
    assert pairs(DOCUMENT, query) == count
