"""Classes of characters as PostgreSQL 15 sees them on Debian 12 with locale en_US.UTF-8 (glibc 2.36, Unicode 14).

The tables were read off such a server, one character after the other, because Python's own classes differ: the server
counts marks that carry a vowel and digits of other scripts as letters, superscripts and fractions as neither.
"""

from __future__ import annotations

import re
from itertools import accumulate

# Runs of characters from U+0080 on: how many to leave out, how many to take, and so on, in base 36.
_LETTERS = (
    "16 1 a 1 4 1 5 n 1 v 1 cq 4 c e 5 7 1 1 1 2e 1 16 5 1 2 2 4 1 1 6 1 1 3 1 1 1 k 1 2b 1 3v 8 4m 1 12 2 1 6 15 13 "
    "e 1 1 1 2 1 2 1 1 8 r 4 4 t b 5 1k 1 h 4 2u 1 8 4 8 4 g 2 1 g 1c d 2t e 17 9 2 4 1 5 o 2 j j p 7 b 5 o 1 6 h 16 "
    "a c 3 7 6 24 1 g 1 3 4 f 2 a 1 j 1 8 2 2 2 m 1 7 1 1 3 4 3 8 2 2 2 2 1 1 8 1 4 2 1 5 2 c a 1 4 3 1 6 4 2 2 m 1 7 "
    "1 2 1 2 1 2 4 5 4 2 2 2 4 1 7 4 1 1 7 g b 3 1 9 1 3 1 m 1 7 1 2 1 5 3 9 1 3 1 2 3 1 f 4 2 a 9 4 4 3 1 8 2 2 2 m "
    "1 7 1 2 1 5 3 8 2 2 2 2 9 2 4 2 1 5 2 a 1 1 g 2 1 6 3 3 1 4 3 2 1 1 1 2 3 2 3 3 3 c 4 5 3 3 1 3 3 1 6 1 e a g 4 "
    "1 8 1 3 1 n 1 g 3 8 1 3 1 3 8 2 1 3 2 1 2 4 2 a g 4 1 8 1 3 1 n 1 a 1 5 3 8 1 3 1 3 8 2 6 2 1 4 2 a 1 2 d d 1 3 "
    "1 15 2 8 1 3 1 3 1 1 5 4 7 5 2 a a 6 1 3 1 i 3 o 1 9 1 1 2 7 8 6 1 1 1 8 6 a 2 2 d 1m 5 7 6 1 2 a 13 2 1 1 1 5 1 "
    "o 1 1 1 j 1 3 2 5 1 1 6 1 2 a 2 4 w 1 v a m 8 1 10 4 h 6 g 1 10 1v 1j 1 1 2 f 6 26 2 12 1 1 5 1 2 17 1 99 1 4 2 "
    "7 1 1 1 4 2 15 1 4 2 x 1 4 2 7 1 1 1 4 2 f 1 1l 1 4 2 1v 11 g g 2e 2 6 3 h8 2 h 1 q 5 23 3 b 7 k b l c k c d 1 3 "
    "1 2 c 1g 2 j e 1 4 1 3 a 12 a 6 2h 7 17 5 1y a v 1 c 4 9 d 14 2 5 b 18 4 q 6 a 12 s 4 1r 2 k b a 6 a d 1 n 2 b 3 "
    "1d 1g 1 f 1 8 3 a 12 16 2 1m 1 b e 1j 9 a 3 1d 2 9 7 17 2 3 15 4 1 6 1 2 3 1 5 5c 13 e b 7q 2 6 2 12 2 6 2 8 1 1 "
    "1 1 1 1 1 v 2 1h 1 7 1 1 3 3 1 7 3 4 2 6 4 d 5 3 1 7 38 1 d 1 g d 2t 1 4 1 2 a 1 1 3 5 6 1 1 1 1 1 1 4 1 b 2 4 5 "
    "5 4 1 h 15 ml 1g 1ee 6d 6 4 3 2 c 12 1 1 5 1 2 1k 7 1 g n 9 7 1 7 1 7 1 7 1 7 1 7 1 7 1 7 1 w 1b 1 d1 3 p 9 7 5 "
    "2 5 4 2e 6 3 1 2i 1 4 5 17 1 2m h w 1c g e8 534 1s h3h 1v 1a 2 7h 3 s k 1b 5 8 3 35 13 9 2 2v 2 1s 5 2 1 1 1 5 o "
    "k 1 x o 1g c 1w 1 1 a a o 6 3 1 1 1a 5 z d t 3 1f 1 c f b 6 v 1 1j 9 e 2 a 6 n 3 1x 1 1 1 1 o 3 2 g 2 4 b 6 2 6 "
    "2 6 9 7 1 7 1 17 1 e 6 3f 5 a 6 8mc c n 4 1d 6is a6 2 2y 12 7 c 5 5 c 1 d 1 5 1 1 1 2 1 2 1 30 x a3 i 1s 2 1i 14 "
    "c 38 5 1 3r j a 7 q 6 q b 2h 3 6 2 6 2 6 2 3 z c 1 q 1 j 1 2 1 f 2 e y 3f 1x 1h 7f t 3 1d 1b w d u 5 17 5 u 2 10 "
    "4 8 1 5 16 4e 2 a 6 10 4 10 4 14 8 1g c b 1 f 1 7 1 2 1 b 1 f 1 7 1 2 1v 8n 9 m a 8 o 6 1 16 1 9 1x 6 2 1 1 18 1 "
    "2 3 1 2 n a n 9 v 1t j 1 2 a m a q 1y 1k 6 2 1s 4 1 2 5 8 1 3 1 t 16 t 3 t z 8 1 s r 1i a m a j d i 32 21 1j 1f "
    "d 1f d 14 8 a 92 16 1 2 3 2 26 t a 1 8 m 16 i 1a l r n 9 1y w a 1 5 c 1j 9 1 d p 7 a 6 1f 3 a 4 4 8 z 3 1 9 1s 1 "
    "4 9 d 1 1 z i 1 y 2 1 6 1 1t 7 1 1 1 4 1 f 1 a 7 1l 7 a 6 4 1 8 2 2 2 m 1 7 1 2 1 5 3 8 2 2 2 2 3 1 6 1 5 7 4c "
    "1u 1 3 1 4 5 a 5 3 u 1u 2 2 1 1 8 a 4m 1i 2 7 p 6 y 1r 1 1 3 1 b a 12 1i 2 1 7 a 1i r 2 e 5 a 6 7 55 1l 2v 22 l "
    "8 2 1 2 8 1 2 1 u 1 2 2 2 2 4 d a 1y 8 2 1a 2 6 1 1 1 2 r 1f 2 a h 20 5 1 i 21 7b 9 1 19 1 7 1 1 f a o u 2 m 1 e "
    "21 7 1 2 1 18 3 1 1 2 1 3 1 1 2 2 8 a 6 6 1 2 1 11 1 2 1 4 1 1 7 a 8m n 55 1 27 pm 2u 33 h 5g 218 2p f tr 34h g7 "
    "6nt ft 7 v 1 a 6 27 1 a 6 u i 1c g 4 c a 9 l 5 j j4 1s 3k 23 4 1l 7 h 1s 2 1 1 c 2 e 4qg 8 ye 16 9 6w7 4 1 7 1 2 "
    "1 83 19 3 h 4 8 b0 1s4 2z 5 d 3 9 7 a 4 1 4m9 2d 1 1z 1 2 2 1 2 2 2 4 1 c 1 1 1 7 1 1t 1 4 2 8 1 7 1 s 1 4 1 5 1 "
    "1 3 7 1 9g 2 p 1 p 1 v 1 p 1 v 1 p 1 v 1 p 1 v 1 p 1 8 2 1e 1ds v 69 7 1 h 2 7 1 2 1 5 5x 19 a 7 2 a 4 1 8x u i "
    "18 4 a yu 7 1 4 1 2 1 f 1 5h 1n 1w 3 1 3 1 4 a x2 4 1 r 1 2 1 1 2 1 1 a 1 4 1 1 1 1 6 1 4 1 1 1 1 1 1 3 1 2 1 1 "
    "2 1 1 1 1 1 1 1 1 1 1 2 1 1 2 4 1 7 1 4 1 4 1 1 1 a 1 h 5 3 1 5 1 h hg q 6 q 6 q 21y a sm wyo w 37d 7 66 2 4g2 e "
    "5rl 2e7 f2 15u 3t7"
)
_MARKS = (
    "hs 1x 1 16 7n 7 7b v 4o 1 3q 2 9 3 2b b 4g 9 9 1 q 2 j 1 17 3 1o 8 16 a c 2 8 6 24 1 g 1 3 4 2v 1 g 1 1c 3 1n 1 "
    "6 4 2 2 2 4 2z 1 9 1 6 1 1b 4 1n 1 g 9 3b 1 1i 1 1j 1 c 1 3 8 2v 1 g 1 31 2 g 1 3g 1 a 1 35 6 1 1 2z 1 d 5 23 2 "
    "r 1 1 1 1 1 4 2 1u 3 1 2 g 1 19 1 34 1 1 2 ma 3 qc 1 4f 2 j b 9 1 19 3 1 1 89 3 83 2 k b 1c f 2 b 3 1d 1g 1 f 1 "
    "12 9 1i 2 1m 1 28 1 48 3 1 d 1 7 4 1 6 1 3 2 5i 13 e b k0 x 2da 3 3x 1 iy 4 2z 2 n9w 4 9 2 36 2 7o 1 11 1 47 1 r "
    "i 1l 3 11 1 2n 1 7f 1 1 1 1g 1 6u 1 g7m g g g r1 1 6a 1 1er 1 2 5 18 8 4l 2 v3 b 1d 4 5c 1 15 1 e 3 1j 2 3c 2 1q "
    "1 2d 4 2x 1 4y 2 28 2 15 f 5p 1 3 1 n 1 2r 2 6z 2 3i 1 3b 1 37 1 7h 2 77 1 4 1 44 2 6 1 2a 2 i 1 28 2 bh 1 7 1 "
    "6v 3 1 1 2 1 3 1 1 2 29 1 fa0 5 1n 7 x9 1 f5k 1 3mq 1z f4 3 h 8 2 7 u 4 44 3 1iz 1j 4 1e 8 1 e 1 m l 11z 1 h 2 7 "
    "1 2 1 7e 7 af 1 1p 4 15s 7 31 3 1 3 gzhx 6o"
)

ASCII_LETTERS = "A-Za-z"
SPACES = "\\t-\\r \u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000"

_WIDE = re.compile("[\\ud800-\\udfff\\U00010000-\\U0010ffff]")


def letters(*, wide: bool) -> str:
    """The inside of a regular expression's class of the letters beyond ASCII; `wide`: also those beyond U+FFFF."""
    return _ranges(_LETTERS, wide=wide)


def marks(*, wide: bool) -> str:
    """The same for characters that belong to a word which they do not begin: accents and joined vowel signs."""
    return _ranges(_MARKS, wide=wide)


def is_wide(text: str) -> bool:
    """Whether `text` holds characters beyond U+FFFF, or halves of such."""
    return not text.isascii() and _WIDE.search(text) is not None


def well_formed(text: str) -> str:
    """`text` as it reaches the database: pairs of surrogates joined, a lone half as U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if is_wide(text) else text


def lower(text: str) -> str:
    """Lower case, one character at a time: the Turkish dotted I becomes i, and a final sigma is like any other."""
    return text.lower() if text.isascii() else text.replace("\u0130", "i").replace("\u03a3", "\u03c3").lower()


def _ranges(runs: str, *, wide: bool) -> str:
    ends = list(accumulate((int(length, 36) for length in runs.split()), initial=0x80))
    pairs = [(first, last - 1) for first, last in zip(ends[1::2], ends[2::2], strict=True)]
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in pairs if wide or last < 0x10000)
