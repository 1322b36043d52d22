"""Cases of the catalogue that concern the tokenizers."""

from __future__ import annotations

import pytest

from workbench.textsearch import NAMES, tokenizer
from workbench.textsearch.rank import pairs, rank_of

VIEWS = ("Hello world", "记忆系统设计", "memory 记忆 recall", "地球 人")
LATER = "世界 world 记忆"


@pytest.fixture(autouse=True)
def _installed(request: pytest.FixtureRequest) -> None:
    if "jieba" in request.node.name:
        pytest.importorskip("cppjieba_py_dat", reason="the dictionaries of jieba are not installed on this platform")


def hits(name: str, query: str, views: tuple[str, ...] = VIEWS) -> set[int]:
    """The views, counted from 1, that text search finds."""
    tokens = tokenizer(name)
    asked = tokens.any_of(query)
    return {number for number, view in enumerate(views, 1) if pairs(tokens.document(view), asked)}


@pytest.mark.parametrize(
    ("name", "query", "found"),
    [
        # A run of Chinese is one token of `simple`, and 记忆系统 one word of jieba: what 记忆 does not find as a
        # lexeme, recall finds because the text contains it.
        ("simple", "记忆", {3}),
        ("jieba", "记忆", {3}),
        ("simple", "微信读书 书架 阅读偏好", set()),
        # The space is a lexeme.
        ("jieba", "微信读书 书架 阅读偏好", {1, 3, 4}),
        ("simple", "recall 人", {3, 4}),
        ("jieba", "recall设计", {2, 3}),
        ("simple", "world", {1}),
        ("jieba", "world", {1}),
        ("simple", "0", set()),
        ("jieba", "0", set()),
    ],
)
def test_case_25_any_term_matches(name: str, query: str, found: set[int]) -> None:
    assert hits(name, query) == found
    containing = {number for number, view in enumerate(VIEWS, 1) if query in view}
    if query == "记忆":
        assert found | containing == {2, 3}


@pytest.mark.parametrize("name", NAMES)
def test_case_25_other_views_do_not_change_a_rank(name: str) -> None:
    tokens = tokenizer(name)
    alone = rank_of(pairs(tokens.document(VIEWS[0]), tokens.any_of("world")))
    assert alone == rank_of(1)
    assert hits(name, "world", (*VIEWS, LATER)) == {1, 5}


TABLE = {
    "ADR-016": (["adr", "-016"], ["adr", "016"]),
    "v3.6.3": (["v3.6.3"], ["v3", "6.3"]),
    "user_id": (["user", "id"], ["user", "id"]),
    "checkout_api/webhooks": (["checkout", "api/webhooks"], ["checkout", "api", "webhooks"]),
    "C++": (["c"], ["c++"]),
    "C#": (["c"], ["c#"]),
    "ＡＰＩ密钥": (["ａｐｉ密钥"], ["ａ", "ｐ", "ｉ", "密钥"]),
    "API": (["api"], ["api"]),
    "DO NOT USE FIND /": (["do", "not", "use", "find"], [" ", " ", "use", " ", " "]),
    "it's": (["it", "s"], ["s"]),
    "今日は成語しりとりをした": (
        ["今日は成語しりとりをした"],
        ["今日", "は", "成", "語", "し", "り", "と", "り", "を", "し", "た"],
    ),
}


@pytest.mark.parametrize("text", TABLE)
@pytest.mark.parametrize("name", NAMES)
def test_case_26_identifiers_versions_and_wide_letters(name: str, text: str) -> None:
    tokens = tokenizer(name)
    assert list(tokens.query(text)) == TABLE[text][NAMES.index(name)]
    assert pairs(tokens.document(text), tokens.any_of(text)) > 0


@pytest.mark.parametrize("name", NAMES)
def test_case_26_an_exact_identifier_outranks_its_fragments(name: str) -> None:
    tokens = tokenizer(name)
    asked = tokens.any_of("ADR-016")
    exact, fragment = (pairs(tokens.document(text), asked) for text in ("see ADR-016 for it", "an ADR from 2016"))
    assert exact > fragment > 0


def test_case_26_jieba_keeps_c_plus_plus_and_c_sharp_apart() -> None:
    assert hits("jieba", "C++", ("C++", "C#")) == {1}
    assert hits("simple", "C++", ("C++", "C#")) == {1, 2}, "the server does not; their cues stay apart"


@pytest.mark.parametrize("name", NAMES)
def test_case_26_full_width_letters_are_not_folded(name: str) -> None:
    assert hits(name, "API", ("ＡＰＩ密钥", "API密钥 API")) == {2}
