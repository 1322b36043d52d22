"""What a prompt asks of the signals: the part that is searched, why it ends there, and its tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from workbench.errors import BadInput
from workbench.params import Params
from workbench.replay.engine import EngineReplay
from workbench.replay.query import DEFAULT_QUERY_CHARS, Query, limit_bindings, prepare, strip_envelopes
from workbench.replay.run import Settings
from workbench.replay.tokenizers import chosen
from workbench.store import Database, compose
from workbench.text import trimmed
from workbench.textsearch import tokenizer

ASKED_OUTSIDE = "asked outside the searched part"

_LIMIT_NOTES = {
    "logged": "",
    "setting": "The log does not hold the limit of this prompt; the setting that was stored by then is taken.",
    "default": f"The log does not hold the limit of this prompt, and no setting of its time is known; the server's "
    f"default of {DEFAULT_QUERY_CHARS} is taken.",
    "configuration": "",
}


@dataclass(frozen=True)
class Asked:
    """A prompt to explain, logged or not.

    `limit_source` says where the limit of `query` comes from: logged, setting, default or configuration. `tokens` are
    the lexemes that `tokenizer` makes of the searched part, None where no tokenizer is available; `model` is the model
    that the prompt was embedded with, None where it is not known. `envelope` is what was stripped from the front.
    `facts` are the other entries of the document, by name.
    """

    query_id: str
    query: Query
    now: datetime | None
    limit_source: str
    envelope: str
    tokenizer: str | None
    tokens: tuple[str, ...] | None
    query_tokens: int
    model: str | None
    facts: Mapping[str, Any]

    @property
    def tokens_agree(self) -> bool | None:
        """Whether the log counts as many tokens; None where it does not say, or no tokenizer is available."""
        if self.tokens is None or not self.facts["tokens_logged"]:
            return None
        return max(1, len(self.tokens)) == self.query_tokens

    def as_json(self) -> dict[str, Any]:
        """The entry `query` of an explanation."""
        return {
            "text": self.query.text,
            "searched": self.query.searched,
            "unsearched": self.query.unsearched,
            "query_chars": self.query.chars,
            "original_query_chars": self.query.original_chars,
            "query_truncated": self.query.truncated,
            "limit": self.query.limit,
            "limit_source": self.limit_source,
            "limit_note": _LIMIT_NOTES[self.limit_source],
            "envelope": self.envelope,
            "class": ASKED_OUTSIDE if self.query.asked_outside else None,
            "tokenizer": self.tokenizer,
            "tokens": None if self.tokens is None else list(self.tokens),
            "query_tokens": self.query_tokens,
            "tokens_agree": self.tokens_agree,
            "model": self.model,
            **self.facts,
        }


def logged_prompt(db: Database, in_force: Params, query_id: str) -> Asked:
    """The logged query `query_id` as production searched it; BadInput when the store holds none.

    `in_force` is the configuration of the log.
    """
    select = compose(("logged/traffic", "logged/query_limits", "explain/asked"))
    found = db.arrow(select, limit_bindings(in_force) | {"query_id": query_id}).to_pylist()
    if not found:
        raise BadInput(
            f"The store holds no query {query_id!r}; `workbench replay --dump FILE` lists all that it holds."
        )
    (facts,) = found
    text, now, tokens, model, limit, source = (
        facts.pop(name) for name in ("query_text", "at", "query_tokens", "model", "query_limit", "limit_source")
    )
    query = prepare(text, limit)
    words, name = words_of(db, query.searched)
    return Asked(query_id, query, now, source, _envelope(text), name, words, tokens, model, facts)


def searched_anew(asked: Asked, settings: Settings, replayed: EngineReplay) -> Asked:
    """A logged prompt as an engine has searched it: cut where production cut it, or by another query length of
    `settings` than that in force."""
    wanted = int(settings.params["recall.safety.max_query_chars"])
    query, source = asked.query, asked.limit_source
    if wanted != settings.in_force["recall.safety.max_query_chars"]:
        query, source = prepare(asked.query.text, wanted), "configuration"
    words = tuple(tokenizer(replayed.tokenizer).query(trimmed(query.searched)))
    return replace(
        asked, query=query, now=replayed.clock.at or asked.now, limit_source=source, tokenizer=replayed.tokenizer,
        tokens=words, query_tokens=max(1, len(words)), model=replayed.model,
    )  # fmt: skip


def new_prompt(
    db: Database, params: Params, prompt: str, now: datetime, model: str | None, query_id: str = "new"
) -> Asked:
    """A prompt that nobody logged, cut as `params` say, asked at `now`."""
    query = prepare(prompt, int(params["recall.safety.max_query_chars"]))
    words, name = words_of(db, query.searched)
    count = max(1, round(query.chars / 3)) if words is None else max(1, len(words))
    facts = {"now": now.isoformat(sep=" "), "tokens_logged": False}
    return Asked(query_id, query, now, "configuration", _envelope(prompt), name, words, count, model, facts)


def words_of(db: Database, searched: str) -> tuple[tuple[str, ...] | None, str | None]:
    """The lexemes of a searched text and the name of the tokenizer that the store's source is taken to use; (None,
    None) where that one is not available here."""
    try:
        name = chosen(db).name
        return tuple(tokenizer(name).query(trimmed(searched))), name
    except BadInput:
        return None, None


def _envelope(prompt: str) -> str:
    return prompt[: len(prompt) - len(strip_envelopes(prompt))]
