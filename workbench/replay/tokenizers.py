"""Which tokenizer the imported server used: the one whose token counts are those in the log."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from workbench.replay.query import DEFAULT_QUERY_CHARS, prepare
from workbench.store import Database
from workbench.text import trimmed
from workbench.textsearch import NAMES, tokenizer

AUTO = "auto"
OPERATOR = "operator"
_COMPARED = 2000

_COUNTED = """
SELECT r.query_text, l.query_char_limit, l.query_tokens
FROM wb.logged_queries AS l
JOIN recall_queries AS r ON r.query_id = l.query_id
WHERE l.tokens_logged
ORDER BY hash(l.query_id)
LIMIT $most
"""


@dataclass(frozen=True)
class TokenizerChoice:
    """`name` is the tokenizer, `chosen_by` `auto` or `operator`; of `prompts` logged prompts that were compared,
    `simple_equal` and `jieba_equal` have the token count that each tokenizer gives."""

    name: str
    chosen_by: str
    prompts: int
    simple_equal: int
    jieba_equal: int

    @property
    def share(self) -> float | None:
        """Share of the compared prompts that the chosen tokenizer agrees on, 0..1; None when none was compared."""
        equal = self.simple_equal if self.name == "simple" else self.jieba_equal
        return equal / self.prompts if self.prompts else None

    def sentence(self) -> str:
        """What was chosen, and how sure that is."""
        if not self.prompts:
            return f"Tokenizer {self.name}: no token counts are logged, so that nothing confirms it."
        counts = f"simple {self.simple_equal:,}, jieba {self.jieba_equal:,} of {self.prompts:,}"
        how = "named by the operator" if self.chosen_by == OPERATOR else "taken from the log"
        return f"Tokenizer {self.name}, {how}: token counts equal to the logged ones: {counts}."

    def as_json(self) -> dict[str, Any]:
        """The entry `tokenizer` of reports."""
        return {**asdict(self), "share": self.share, "said": self.sentence()}


def choose(db: Database, wanted: str = AUTO) -> TokenizerChoice:
    """Compare the logged token counts with those of both tokenizers; `wanted` names one, or AUTO for the better one,
    `simple` on a tie."""
    rows = db.rows(_COUNTED, {"most": _COMPARED})
    equal = dict.fromkeys(NAMES, 0)
    for text, limit, tokens in rows:
        words = trimmed(prepare(text, limit or DEFAULT_QUERY_CHARS).searched)
        for name in NAMES:
            equal[name] += max(1, len(tokenizer(name).query(words))) == tokens
    best = "jieba" if equal["jieba"] > equal["simple"] else "simple"
    name, by = (best, AUTO) if wanted == AUTO else (wanted, OPERATOR)
    return TokenizerChoice(name, by, len(rows), equal["simple"], equal["jieba"])


def remember(db: Database, wanted: str = AUTO) -> TokenizerChoice:
    """Choose and record it, inside a publication; what an operator once named stays until another one is named."""
    former = db.rows("SELECT name, chosen_by FROM wb.tokenizer_choice")
    if wanted == AUTO and former and former[0][1] == OPERATOR:
        wanted = former[0][0]
    found = choose(db, wanted)
    db.execute("DELETE FROM wb.tokenizer_choice")
    db.append("wb.tokenizer_choice", [asdict(found)])
    return found


def chosen(db: Database) -> TokenizerChoice:
    """The recorded choice; where a store has none yet, the automatic one."""
    rows = db.rows("SELECT name, chosen_by, prompts, simple_equal, jieba_equal FROM wb.tokenizer_choice")
    return TokenizerChoice(*rows[0]) if rows else choose(db)
