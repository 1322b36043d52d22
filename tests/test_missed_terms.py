"""Terms for a missed memory: frequent in the prompts that missed it, rare elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from log_builder import Prompt, log_of

from workbench.judge import judge_log
from workbench.review.terms import suggested

MISSED = ["how is the dunning run stopped", "stop the dunning run at night", "who may pause dunning here"]
OTHERS = ["how is the cache cleared", "who may deploy here", "run the tests", "stop the server", "night shift plan"]


def terms(
    missed: Sequence[str], others: Sequence[str], keywords: Sequence[str] = (), own: str = ""
) -> list[tuple[str, int, int]]:
    prompts = [Prompt(f"q{number}", text=text) for number, text in enumerate([*missed, *others])]
    with log_of(prompts) as db:
        judge_log(db, None)
        rows = [{"query_id": f"q{number}", "node": "n"} for number in range(len(missed))]
        db.execute("CREATE TEMP TABLE misses (query_id VARCHAR, node VARCHAR)")
        if rows:
            db.append("misses", rows)
        found = suggested(db, "n", missed, keywords, own, len(prompts))
    return [(term.text, term.missed, term.others) for term in found]


def test_the_word_that_they_share_and_others_lack_comes_first() -> None:
    assert terms(MISSED, OTHERS)[0] == ("dunning", 3, 0)


def test_words_of_other_prompts_are_no_terms() -> None:
    many = [f"how is the thing {number} here" for number in range(30)]
    found = [term for term, _, _ in terms(MISSED, many)]
    assert "dunning" in found
    assert not {"the", "is", "how", "here"} & {*found}


def test_what_is_a_keyword_already_is_not_suggested() -> None:
    assert all(term != "dunning" for term, _, _ in terms(MISSED, OTHERS, ["Dunning"]))


@pytest.mark.parametrize("text", ["退款流程怎么走", "我的退款在哪"])
def test_chinese_words_are_found_too(text: str) -> None:
    assert "退款" in [term for term, _, _ in terms([text, "退款失败了"], OTHERS)]


def test_a_term_of_the_memory_itself_comes_before_an_equal_one() -> None:
    two = ["alpha gamma", "alpha gamma"]
    assert terms(two, OTHERS, own="all about gamma")[0][0] == "gamma"
    assert terms(two, OTHERS, own="all about alpha")[0][0] == "alpha"


def test_what_one_prompt_of_many_says_is_no_term() -> None:
    assert all(missed > 1 for _, missed, _ in terms(MISSED, OTHERS))
    assert terms(["only this zebra"], OTHERS)[0][1] == 1


def test_numbers_and_no_prompts_give_no_terms() -> None:
    assert terms(["2597 3058", "2597 3058"], OTHERS) == []
    assert terms([], OTHERS) == []
