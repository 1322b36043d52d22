"""The default parser of PostgreSQL as an ordered list of rules: at each place of a text the first that matches wins.

The parser's documented token types are named in the comments. Which of several readings it takes is settled by the
order of the rules and by possessive quantifiers: it gives a character back only where a host, a path or a number breaks
off in the middle. Types that `simple` does not index (tag, protocol, entity, blank) are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from workbench.textsearch.characters import SPACES, is_wide, letters, marks, well_formed

_SKIPPED, _TOKEN, _TOKEN_OR_URL, _HYPHENATED = range(4)

# What it finds, the expression, and what is passed over after it.
_Rule = tuple[int, str, str]

# Stands for any character beyond U+FFFF that separates words, none of which is ever part of a token.
_SEPARATOR = "\u2603"

_DIGITS = "[0-9]++"
_ALNUM = "[A-Za-z0-9]"
_EXPONENT = f"[eE][-+]?{_DIGITS}"

# host: labels joined by dots, the last of two or more letters; an optional port.
_LABEL = f"{_ALNUM}++(?:[-_]{_ALNUM}++)*+"
_HOST = rf"(?:{_LABEL}\.)+[A-Za-z]{{2,}}+(?!{_ALNUM})(?::{_DIGITS})?+"
_AT_HOST = rf"@(?!{_DIGITS}{_EXPONENT}){_HOST}"
_URL_CHARACTER = "[!#-;=?-\\[\\]_a-z~]"

# file: names joined by slashes, where `.`, `..` and `~` may stand for folders.
_NAME = r"[A-Za-z0-9_\-]*+(?:\.[A-Za-z0-9_][A-Za-z0-9_\-]*+)*+"
_FOLDERS = r"(?:\.\.?/|~/)*"
_PARENT = rf"\.\.(?=[/{SPACES}]|\Z)"
_REST = rf"{_NAME}(?:/{_FOLDERS}[.~]?[A-Za-z0-9_]{_NAME})*+(?:/{_FOLDERS}{_PARENT})?+"
_BELOW = rf"/{_FOLDERS}(?:[.~]?[A-Za-z0-9_]{_REST}|{_PARENT})"


@dataclass(frozen=True)
class _Rules:
    """The rules for one alphabet; `wide` knows the letters beyond U+FFFF, which makes the search much slower."""

    wide: bool

    def pattern(self) -> tuple[re.Pattern[str], tuple[int, ...]]:
        """The rules as one expression, and what the match of each of its groups is."""
        rules = [*self._common(), *self._hosts(), *self._words(), *self._others()]
        expression = "|".join(f"({rule}){after}" for _, rule, after in rules)
        return re.compile(expression), (_SKIPPED, *(kind for kind, _, _ in rules))

    @property
    def _letters(self) -> str:
        return "A-Za-z" + letters(wide=self.wide)

    @property
    def _letter(self) -> str:
        return f"[{self._letters}]"

    @property
    def _no_digit(self) -> str:
        return f"[{self._letters}{marks(wide=self.wide)}]"

    @property
    def _inner(self) -> str:
        return f"[0-9{self._letters}{marks(wide=self.wide)}]"

    @property
    def _blanks(self) -> str:
        return rf"[^0-9{self._letters}<\-+&/]*+"

    def _common(self) -> Iterator[_Rule]:
        """Nearly all of a usual text: plain words with something between them that begins nothing else."""
        between = rf"[\0-%'-*,:;=>?@\[-`{{-}}\x7f]{self._blanks}"
        yield _TOKEN, r"[A-Za-z]++(?=[\0-,;-?\[-^`{-\x7f]|\Z)", f"(?:{between})?+"
        yield _SKIPPED, between, ""

    def _hosts(self) -> Iterator[_Rule]:
        yield _SKIPPED, f"{self._hidden()}|{self._tag()}", ""
        yield _SKIPPED, rf"&(?:\#(?:[xX][0-9A-Fa-f]++|{_DIGITS})|[A-Za-z:_][{self._letters}0-9:_.\-]*+);", ""  # entity
        yield _SKIPPED, "[A-Za-z]++://", ""  # protocol
        yield _TOKEN, f"{_DIGITS}{_EXPONENT}", ""  # sfloat
        # email, host, url. The look ahead only spares vain attempts.
        email = rf"{_LABEL}(?:\.{_LABEL})*+{_AT_HOST}"
        yield _TOKEN_OR_URL, rf"(?=[A-Za-z0-9_\-]*+[.@])(?:{email}|{_HOST}(?:/{_URL_CHARACTER}++)?+)", ""
        yield _TOKEN, rf"{_DIGITS}\.{_DIGITS}(?:(?:\.{_DIGITS})++|{_EXPONENT})?+", ""  # version, sfloat, float

    def _words(self) -> Iterator[_Rule]:
        letter, inner, no_digit = self._letter, self._inner, self._no_digit
        mixed = f"(?:{letter}{no_digit}*+[0-9]|{_DIGITS}{no_digit}){inner}*+"
        part = f"(?:{letter}|{_DIGITS}{no_digit}){inner}*+"
        yield _TOKEN, rf"(?:[A-Za-z]++(?!{inner})|{mixed})(?:\.[A-Za-z0-9_]{_REST}|{_BELOW})", ""  # file
        yield _TOKEN, f"{mixed}{_AT_HOST}", ""  # email
        # asciihword, hword, numhword. A hyphen after it does not make a following number negative.
        yield _HYPHENATED, f"{part}(?:-{part})++", f"(?:-(?={inner}))?+"
        yield _TOKEN, part, ""  # asciiword, word, numword

    def _others(self) -> Iterator[_Rule]:
        yield _TOKEN, f"{_DIGITS}(?:{_BELOW})?+", ""  # file, uint
        # sfloat, float, int. A signed version is a sign and a version.
        yield _TOKEN, rf"[-+]{_DIGITS}(?:(?:\.{_DIGITS})?+{_EXPONENT}|\.{_DIGITS}(?!\.[0-9])|(?!\.[0-9]))", ""
        yield _TOKEN, rf"(?:\.\.?)?+{_BELOW}|{_PARENT}|~(?:{_BELOW}|[A-Za-z0-9_]{_REST})", ""  # file
        yield _SKIPPED, f"(?s:.){self._blanks}", ""

    def _tag(self) -> str:
        """A tag, comment or declaration of HTML or XML.

        The parser overlooks a backslash that comes right after an escaped character of a quoted value; and when a text
        ends with an escaped character in such a value, it gives up, and what is left of the text is lost.
        """
        within = {quote: rf"{quote}(?:[^{quote}\\]++|\\(?s:.)(?:[^{quote}]|(?={quote})))*+" for quote in "\"'"}
        quoted = "|".join(rf"{start}{quote}" for quote, start in within.items())
        broken = "|".join(rf"{start}\\(?s:.)\Z" for start in within.values())
        attributes = rf"(?:[A-Za-z0-9=\-_#/:.&?%~{SPACES}]++|{quoted})*+(?:>|{broken})"
        named = rf"[{self._letters}0-9:_.\-]*+(?:/?>|[{SPACES}]{attributes})"
        return rf"<(?:/?[A-Za-z]{named}|[:_]{named}|!--(?s:.*?)-->|![Dd]{attributes}|\?x{attributes})"

    def _hidden(self) -> str:
        """A script or style sheet up to the tag that ends either; it hides the rest of the text if there is none."""
        name = f"(?i:script|style)[>{SPACES}]"
        return f"(?=<{name})(?>{self._tag()}|<)(?:(?!</{name})(?>{self._tag()}|[^<]++|<))*+"


_compiled = cache(lambda wide: _Rules(wide).pattern())


def tokens(text: str) -> list[str]:
    """The indexed tokens of `text` in order, in their own case.

    A hyphenated word is followed by its parts, a URL by its host and its path.
    """
    found: list[str] = []
    for kind, match in _matches(text):
        token = match[match.lastindex or 0]
        if kind == _TOKEN:
            found.append(token)
        elif kind == _HYPHENATED:
            found += [token, *token.split("-")]
        elif kind == _TOKEN_OR_URL:
            host, slash, path = token.partition("/")
            found += [token, host, slash + path] if slash else [token]
    return found


@dataclass(frozen=True)
class Piece:
    """A part of a text. `indexed`: a token; `compound`: a hyphenated word or a URL, whose parts follow as pieces."""

    start: int
    end: int
    indexed: bool
    compound: bool = False


def pieces(text: str) -> Iterator[Piece]:
    """Everything in `text` in order: its tokens, and what stands between them."""
    for kind, match in _matches(text):
        number = match.lastindex or 0
        (start, end), token = match.span(number), match[number]
        if kind == _HYPHENATED:
            yield Piece(start, end, indexed=True, compound=True)
            for part in re.finditer("[^-]+|-", token):
                yield Piece(start + part.start(), start + part.end(), part[0] != "-")
        elif kind == _TOKEN_OR_URL and "/" in token:
            slash = start + token.index("/")
            yield Piece(start, end, indexed=True, compound=True)
            yield Piece(start, slash, indexed=True)
            yield Piece(slash, end, indexed=True)
        else:
            yield Piece(start, end, kind != _SKIPPED)
        if match.end() > end:
            yield Piece(end, match.end(), indexed=False)


def _matches(text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """What each match of a rule in `text` is; the group that it names is the token."""
    wide = is_wide(text)
    if wide:
        text = _other_wide().sub(_SEPARATOR, well_formed(text))
        wide = is_wide(text)
    pattern, kinds = _compiled(wide)
    for match in pattern.finditer(text):
        yield kinds[match.lastindex or 0], match


@cache
def _other_wide() -> re.Pattern[str]:
    """Characters beyond U+FFFF that are neither letters nor marks."""
    return re.compile(f"[^\0-\uffff{letters(wide=True)}{marks(wide=True)}]")
