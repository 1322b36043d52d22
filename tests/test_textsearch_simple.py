"""The tokenizer `simple`: what PostgreSQL's default parser makes of each kind of token, and what holds for any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import BadInput
from workbench.textsearch import NAMES, tokenizer
from workbench.textsearch.rank import pairs

SIMPLE = tokenizer("simple")
NOTHING: list[str] = []

# Every row was read off PostgreSQL 15.18 with locale en_US.UTF-8.
TABLE = [
    # words
    ("Foo foo2 2foo", ["foo", "foo2", "2foo"]),
    ("中文English混排2x", ["中文english混排2x"]),
    ("e\u0301tude a\u200db", ["e\u0301tude", "a", "b"]),
    ("\u0301tude", ["tude"]),
    ("½ x² 10㎡ ①", ["x", "10"]),
    ("ＡＢＣ１２ ٣٤", ["ａｂｃ１２", "٣٤"]),
    ("İSTANBUL ΟΔΟΣ ΣΑΣ \u212a", ["istanbul", "οδοσ", "σασ", "k"]),
    ("𠮷野家😀𠮷", ["𠮷野家", "𠮷"]),
    ("snake_case __x__", ["snake", "case", "x"]),
    # hyphenated words
    ("Foo-bar", ["foo-bar", "foo", "bar"]),
    ("foo-bar-1.5", ["foo-bar", "foo", "bar", "1.5"]),
    ("foo-bar-1-baz", ["foo-bar", "foo", "bar", "1", "baz"]),
    ("foo-1.5 foo-2 foo--3", ["foo", "-1.5", "foo", "-2", "foo", "-3"]),
    ("中-b 3a-4b 3-4b", ["中-b", "中", "b", "3a-4b", "3a", "4b", "3", "-4", "b"]),
    ("foo-1e5x", ["foo-1e5x", "foo", "1e5x"]),
    # numbers
    ("1 -1 +1 1.5 -1.5 1.2.3 -1.2.3", ["1", "-1", "+1", "1.5", "-1.5", "1.2.3", "1.2.3"]),
    ("1e5 -1.5E-3 1e 1e5x 1.5.", ["1e5", "-1.5e-3", "1e", "1e5", "x", "1.5"]),
    ("1,000 50% $5 2024-11-19 0x1F", ["1", "000", "50", "5", "2024", "-11", "-19", "0x1f"]),
    # hosts, urls, mail
    ("Example.com:80 a.b.co x.y example.c1", ["example.com:80", "a.b.co", "x.y", "example.c1"]),
    ("http://h.io/a?b=1 h.io/", ["h.io/a?b=1", "h.io", "/a?b=1", "h.io"]),
    ("h.io:80/a\"b h.io/'x' h.io/é", ["h.io:80/a", "h.io:80", "/a", "b", "h.io/'x'", "h.io", "/'x'", "h.io", "é"]),
    ("a.b-c_d@e-f.org:80 第3@h.io 1e5@h.io", ["a.b-c_d@e-f.org:80", "第3@h.io", "1e5", "h.io"]),
    ("a@b@c.de @d #e core://x", ["a", "b@c.de", "d", "e", "x"]),
    ("1e5.com 1.5.com -1.5.com a_b.com", ["1e5", "com", "1.5.com", "-1.5", "com", "a_b.com"]),
    # files
    ("/etc/x.conf a/b.c ./a ../a ~/a", ["/etc/x.conf", "a/b.c", "/a", "/a", "/a"]),
    ("./a/../b/~/c/..", ["./a/../b/~/c/.."]),
    ("../.. x", ["../..", "x"]),
    ("9/10 a.b a. ~5 v1.2-b_1", ["9/10", "a.b", "a", "5", "v1.2-b_1"]),
    ("~5", ["~5"]),
    ("a~5~/b", ["a", "~5", "~/b"]),
    # tags, comments, entities
    ("<b class='x>y'>z</b> <br/> <é> <1>", ["z", "é", "1"]),
    ("<!-- a --> <!-- b <!d x> <?x y?>", ["b"]),
    ("a &amp; &#38; &#x26; &no; &x", ["a", "x"]),
    ("a <script> b </x> c </script> d", ["a", "d"]),
    ("a <STYLE > b <script> c", ["a"]),
    ("<script/> a </script>", ["a"]),
    ("<style é> a", NOTHING),
    ("a <b 'c\\d' \"e\\\\\\\"> g", ["a", "g"]),
    ("a <b 'c\\d", ["a"]),
    ("a <b 'c d", ["a", "b", "c", "d"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), TABLE)
def test_a_text_falls_into_the_tokens_of_the_server(text: str, wanted: list[str]) -> None:
    assert list(SIMPLE.query(text)) == wanted


def test_a_text_that_no_database_holds() -> None:
    assert SIMPLE.query("a\0b") == ["a", "b"]
    assert SIMPLE.query("a\ud800b") == ["a", "b"]
    assert SIMPLE.query("\ud842\udfb7野") == ["𠮷野"]


def test_long_tokens_are_left_out_with_their_position() -> None:
    kept, dropped = "x" * 2046, "y" * 2047
    assert SIMPLE.document(f"{kept} {dropped} {'中' * 683} a") == {kept: [1], "a": [2]}


def test_positions_have_an_end_and_a_lexeme_has_255() -> None:
    found = SIMPLE.document("a " * 300 + " ".join(f"w{number}" for number in range(17000)) + " w1 w16999")
    assert list(found["a"]) == list(range(1, 256))
    assert list(found["w1"]) == [302, 16383]
    assert list(found["w16999"]) == [16383]


def test_parts_of_a_query_are_taken_apart_once_more() -> None:
    url = SIMPLE.any_of("see http://h.io/p?x=1&y=2")
    assert url.lexemes == ("see", "h.io")
    assert url.phrases == (("/p", "x", "1", "y", "2"),)
    assert SIMPLE.any_of("h.io/p?x=1 x").phrases == (), "a part that stands alone as well"
    assert SIMPLE.any_of("h.io/p?x=1 h.io/p?x=1&z").phrases == (("/p", "x", "1"),), "a longer one never adds"
    assert SIMPLE.any_of("foo-bar foo").lexemes == ("foo", "bar")
    assert SIMPLE.any_of("foo-1e5x").phrases == (("1e5", "x"),)


def test_an_unknown_tokenizer_is_named_with_those_that_there_are() -> None:
    assert [tokenizer(name).name for name in NAMES] == ["simple", "jieba"]
    with pytest.raises(BadInput, match=r"'zhparser'.*simple, jieba"):
        tokenizer("zhparser")


pieces = st.sampled_from(
    ["a", "Zz", "9", "1e5", ".", "-", "_", "/", "@", ":", "<", ">", "&", ";", "'", '"', "\\", " ", "\n", "~", "+", "#",
     "中", "é", "\u0301", "\u3000", "\u200b", "😀", "𠮷", "ا", "İ", "Σ", "\0", "\ud800", "\udc00", "://", "<!--",
     "</script>", "<style ", "foo.com", "a-b"]
)  # fmt: skip
texts = st.one_of(st.text(max_size=60), st.lists(pieces, max_size=30).map("".join))


@given(texts)
def test_any_text_becomes_ascending_positions(text: str) -> None:
    document = SIMPLE.document(text)
    for lexeme, positions in document.items():
        assert lexeme
        assert positions[0] >= 1
        assert list(positions) == sorted(set(positions))
    taken = sorted(position for positions in document.values() for position in positions)
    assert taken == list(range(1, len(taken) + 1)), "no position is left out, none is used twice"


@given(texts)
def test_a_text_is_found_by_itself(text: str) -> None:
    assert set(SIMPLE.query(text)) == set(SIMPLE.document(text))
    assert (pairs(SIMPLE.document(text), SIMPLE.any_of(text)) > 0) == bool(SIMPLE.query(text))


@given(texts, texts)
def test_a_blank_line_keeps_texts_apart_that_leave_nothing_open(first: str, second: str) -> None:
    if "<" not in first:
        assert SIMPLE.query(f"{first}\n\n{second}") == [*SIMPLE.query(first), *SIMPLE.query("\n\n" + second)]
