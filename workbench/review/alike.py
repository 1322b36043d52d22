"""Near-identical prompts: equal but for case and white space, or nine in ten of their tokens in common."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from math import ceil

import pyarrow as pa

from workbench.retrieve.tables import write
from workbench.store import Database, compose
from workbench.text import trimmed
from workbench.textsearch import Tokenizer

LEAST_SHARE = Fraction(9, 10)
LEAST_TOKENS = 2
USED_ALIKE = "used_alike"

_ASKED = """
SELECT DISTINCT r.query_text FROM {prompts} AS p JOIN recall_queries AS r ON r.query_id = p.query_id ORDER BY ALL
"""
_USED = """
SELECT DISTINCT r.query_text
FROM used_log AS l JOIN recall_queries AS r ON r.query_id = l.query_id
WHERE l.label = 'used'
ORDER BY ALL
"""


def write_used_alike(db: Database, prompts: str, tokenizer: Tokenizer, texts: pa.Table | None = None) -> None:
    """Write the temporary table used_alike (query_id, node, uri, twin): memories that were used, by a linked open, in
    another prompt that is near-identical to one of the table `prompts`. The table used_log holds the judged log.

    `texts` are the alike_texts of a table that holds those prompts and maybe more; without it they are looked for.
    """
    found = alike_texts(db, prompts, tokenizer) if texts is None else texts
    write(db, "alike_texts", {name: found[name] for name in found.column_names})
    twins = compose((("prompts", f"SELECT query_id FROM {prompts}"), "review/used_alike"))
    db.execute(f"CREATE OR REPLACE TEMP TABLE {USED_ALIKE} AS {twins}")


def alike_texts(db: Database, prompts: str, tokenizer: Tokenizer) -> pa.Table:
    """The near-identical texts (asked, used) of the table `prompts` and of the used memories of the table used_log.

    A prompt of fewer than LEAST_TOKENS tokens, such as "continue", resembles none: it does not say what it is about.
    """
    used = [text for (text,) in db.rows(_USED)]
    asked = [text for (text,) in db.rows(_ASKED.format(prompts=prompts))] if used else []
    pairs = list(pairs_alike(_token_sets(tokenizer, asked), dict(_token_sets(tokenizer, used))))
    return pa.table({
        "asked": pa.array([one for one, _ in pairs], pa.string()),
        "used": pa.array([other for _, other in pairs], pa.string()),
    })  # fmt: skip


def pairs_alike(
    left: Iterable[tuple[str, Set[str]]], right: Mapping[str, Set[str]], least: Fraction = LEAST_SHARE
) -> Iterator[tuple[str, str]]:
    """The names of all pairs of sets, one of each side, that have at least the share `least` of their union in common.

    Two such sets have one of their first tokens in common, in whatever order all tokens stand; the rarest come first
    here, and only those are looked up.
    """
    counts = Counter(token for tokens in right.values() for token in tokens)
    index: dict[str, list[str]] = defaultdict(list)
    for name, tokens in right.items():
        for token in _rarest(tokens, counts, least):
            index[token].append(name)
    for name, tokens in left:
        near = {other for token in _rarest(tokens, counts, least) for other in index.get(token, ())}
        for other in sorted(near):
            if len(tokens & right[other]) >= least * len(tokens | right[other]):
                yield name, other


def _rarest(tokens: Set[str], counts: Mapping[str, int], least: Fraction) -> Sequence[str]:
    ordered = sorted(tokens, key=lambda token: (counts[token], token))
    return ordered[: len(ordered) - ceil(least * len(ordered)) + 1]


def _token_sets(tokenizer: Tokenizer, texts: Iterable[str]) -> Iterator[tuple[str, Set[str]]]:
    for text in texts:
        tokens = frozenset(tokenizer.query(trimmed(" ".join(text.casefold().split()))))
        if len(tokens) >= LEAST_TOKENS:
            yield text, tokens
