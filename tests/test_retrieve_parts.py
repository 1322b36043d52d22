"""What the signals are made of: LIKE in many texts at once, the best of rows, vectors, the inverted index."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.retrieve.best import best_of_rows
from workbench.retrieve.contain import Like, Patterns
from workbench.retrieve.nearest import Vectors, unit, usable
from workbench.retrieve.postings import Postings
from workbench.store import in_memory

LETTERS = st.text(alphabet="ab%_\\中😀.*", max_size=8)


def by_definition(pattern: str, text: str) -> bool:
    """LIKE `%pattern%` by recursion over both."""

    def matches(p: str, t: str) -> bool:
        if not p:
            return not t
        if p[0] == "%":
            return matches(p[1:], t) or (bool(t) and matches(p, t[1:]))
        if p[0] == "\\":
            return len(p) > 1 and bool(t) and t[0] == p[1] and matches(p[2:], t[1:])
        return bool(t) and p[0] in ("_", t[0]) and matches(p[1:], t[1:])

    return matches(f"%{pattern}%", text)


@given(st.lists(LETTERS, max_size=5), st.lists(LETTERS, max_size=5))
def test_patterns_found_are_those_of_like(patterns: list[str], texts: list[str]) -> None:
    found = {(hit.pattern, hit.text): hit.literal for hit in Patterns(patterns).find(texts)}
    for number, pattern in enumerate(patterns):
        for place, text in enumerate(texts):
            assert ((number, place) in found) == by_definition(pattern, text), (pattern, text)
            if (number, place) in found:
                assert found[number, place] == (pattern in text)


@given(st.text(alphabet="ab%_", max_size=8), st.text(alphabet="ab%_", max_size=8))
def test_like_agrees_with_the_database(pattern: str, text: str) -> None:
    with in_memory() as db:
        assert Like(pattern).matches(text) == db.row("SELECT $t LIKE '%' || $p || '%'", {"t": text, "p": pattern})[0]


def test_a_pattern_with_many_wildcards_does_not_run_away() -> None:
    assert not Like("%".join("a" * 60) + "%b").matches("a" * 400)


@pytest.mark.parametrize(("rows", "columns"), [(3, 5), (4, 40), (5, 4000)])
def test_the_best_of_rows_holds_the_largest_and_all_equal_to_the_last(rows: int, columns: int) -> None:
    values = np.random.default_rng(columns).integers(0, 50, (rows, columns)).astype(np.float32)
    row, column = best_of_rows(values, 7)
    for number in range(rows):
        chosen = set(column[row == number])
        lowest = np.sort(values[number])[::-1][: min(7, columns)].min()
        assert set(np.nonzero(values[number] >= lowest)[0]) <= chosen


def test_a_skewed_row_is_searched_whole() -> None:
    """The best entries stand where the sample does not look."""
    values = np.zeros((2, 8000), np.float32)
    values[:, ::8] = 5
    values[0, 1:15:2] = 9
    row, column = best_of_rows(values, 7)
    assert set(range(1, 15, 2)) <= set(column[row == 0])
    assert (row == 1).sum() >= 7


def directions(count: int, seed: int) -> npt.NDArray[np.float32]:
    return unit(np.random.default_rng(seed).standard_normal((count, 16)).astype(np.float32))


def test_nearest_agrees_with_double_precision_and_equal_rows_tie() -> None:
    rows = np.concatenate([directions(300, 1), directions(300, 1)[:5]])
    queries = directions(9, 2)
    near = Vectors(np.arange(305) + 100, rows).nearest(queries, 20)
    exact = queries.astype(np.float64) @ rows.astype(np.float64).T
    for query in range(9):
        chosen = near.number[near.query == query] - 100
        assert set(np.argsort(-exact[query])[:20]) <= set(chosen)
        assert near.similarity[near.query == query] == pytest.approx(exact[query][chosen], abs=1e-9)
    similarity = {(q, n): s for q, n, s in zip(near.query, near.number, near.similarity, strict=True)}
    twins = [(q, n) for q, n in similarity if n >= 400]
    assert twins
    assert all(similarity[q, n] == similarity[q, n - 300] for q, n in twins)


def test_rows_that_do_not_exist_for_a_query_are_not_its_neighbours() -> None:
    rows, queries = directions(50, 3), directions(4, 4)
    allowed = np.random.default_rng(5).random((4, 50)) < 0.2
    near = Vectors(np.arange(50), rows).nearest(queries, 10, allowed)
    for query in range(4):
        existing = np.nonzero(allowed[query])[0]
        wanted = existing[np.argsort(-(queries[query] @ rows[existing].T))][:10]
        assert set(wanted) <= set(near.number[near.query == query]) <= set(existing)


def test_vectors_without_a_direction_are_not_usable() -> None:
    rows = np.array([[0, 0], [np.nan, 1], [np.inf, 1], [3, 4]], np.float32)
    assert usable(rows).tolist() == [False, False, False, True]
    assert unit(rows[3:])[0] == pytest.approx([0.6, 0.8])


def test_postings_count_pairs() -> None:
    index = Postings.of(pa.table({"lexeme": ["a", "a", "b"], "document": [0, 2, 2], "positions": [3, 1, 5]}), width=4)
    assert index.pairs([["a", "b"], ["c"], []]).tolist() == [[3, 0, 6, 0], [0, 0, 0, 0], [0, 0, 0, 0]]


def test_an_empty_index_has_no_pairs() -> None:
    empty = pa.table({"lexeme": pa.array([], pa.string()), "document": [], "positions": []})
    assert Postings.of(empty, width=2).pairs([["a"]]).tolist() == [[0, 0]]
