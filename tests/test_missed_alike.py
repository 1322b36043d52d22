"""Near-identical sets of tokens: what the look-up by rare tokens finds is what comparing all pairs finds."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from workbench.review.alike import pairs_alike

SETS = st.lists(st.frozensets(st.sampled_from("abcdefghijkl"), min_size=1), max_size=12)


@given(SETS, SETS, st.sampled_from([Fraction(1, 2), Fraction(3, 4), Fraction(9, 10), Fraction(1)]))
def test_no_pair_is_lost_and_none_is_invented(
    left: list[frozenset[str]], right: list[frozenset[str]], least: Fraction
) -> None:
    ours = {f"l{number}": tokens for number, tokens in enumerate(left)}
    theirs = {f"r{number}": tokens for number, tokens in enumerate(right)}
    expected = [
        (one, other)
        for one, tokens in ours.items()
        for other, words in sorted(theirs.items())
        if Fraction(len(tokens & words), len(tokens | words)) >= least
    ]
    assert list(pairs_alike(ours.items(), theirs, least)) == expected
