"""The best score that each combination of signals can reach, held against the display threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from workbench.params import KEYS, THRESHOLD, Value
from workbench.replay.run import Settings
from workbench.store import Database, compose, sql_text

# Scores of the exact signal, weakest first (recall semantics, section 4).
EXACT_TIERS = (0.72, 0.78, 0.84, 0.90, 0.98, 1.00)
TOP_TIER = (1.00,)
MOST_PRIORITY = 5

_LOWERS = ("recall.bonus.priority_step",)
_WEIGHTS = {name: key.high for name, key in KEYS.items() if name.startswith("recall.weights.")}
_KEYS: dict[str, Value | float] = {
    name: key.low if name in _LOWERS else bool(key.high) if key.kind is bool else key.high
    for name, key in KEYS.items()
    if key.replayable and not name.startswith("recall.display.")
}
_BY_LEXICAL = {"words": "words", "contained": "the prompt contained (rank 0)"}


@dataclass(frozen=True)
class Reach:
    """One combination of signals, each at its top value, in a memory that was just edited.

    `exact` is the score of a tier or None; `lexical` is none, contained (the view holds the prompt as it stands, rank
    0) or words; `views` is the number of view types hit, 0..2. `best` are scores by priority from 0: the highest of
    the configuration, of any values of the four signal weights, and of any values of all settings but the threshold.
    """

    exact: float | None
    glossary_semantic: bool
    dense: bool
    lexical: str
    views: int
    best: Sequence[float]
    best_by_weights: Sequence[float]
    best_by_settings: Sequence[float]

    @property
    def words(self) -> str:
        """The combination for a person: `exact 1.00 + words in both views`."""
        where = {0: "", 1: " in one view", 2: " in both views"}[self.views]
        parts = [
            f"exact {self.exact:.2f}" if self.exact is not None else "",
            "keyword of similar meaning" if self.glossary_semantic else "",
            f"similar meaning{where}" if self.dense else "",
            f"{_BY_LEXICAL[self.lexical]}{where}" if self.lexical != "none" else "",
        ]
        return " + ".join(part for part in parts if part)

    def covers(self, other: Reach) -> bool:
        """Whether each signal of `other` is there too, at least as strong."""
        return self._levels != other._levels and all(
            mine >= theirs for mine, theirs in zip(self._levels, other._levels, strict=True)
        )

    @property
    def _levels(self) -> tuple[float, ...]:
        return (
            self.exact or 0, self.glossary_semantic, self.dense, ("none", "contained", "words").index(self.lexical),
            self.views,
        )  # fmt: skip


@dataclass(frozen=True)
class Reachability:
    """All combinations under one configuration for prompts of `query_tokens` tokens; `threshold` is its display
    threshold."""

    threshold: float
    query_tokens: int
    rows: Sequence[Reach]

    def excluded(self) -> list[Reach]:
        """The combinations that are never shown, however good the match."""
        return [row for row in self.rows if row.best[0] < self.threshold]

    def widest(self) -> list[Reach]:
        """Of the excluded ones those that no other excluded one covers: all the others follow from them."""
        excluded = self.excluded()
        return [row for row in excluded if not any(other.covers(row) for other in excluded)]

    def warning(self, row: Reach) -> str:
        """Why an excluded combination is never shown, and whether weights could change that."""
        said = (
            f"A match by {row.words} alone is never shown: at best it scores {row.best[0]:.6f} "
            f"(priority 0, just edited, {_counted(self.query_tokens, 'token')}), below {self.threshold:.2f}."
        )
        return said + out_of_reach(self.threshold, row.best_by_weights[0], row.best_by_settings[0])

    def warnings(self) -> list[str]:
        """One sentence or more for each excluded combination."""
        return [self.warning(row) for row in self.excluded()]

    def as_json(self) -> dict[str, Any]:
        """The entry `reachability` of an explanation."""
        return {
            "threshold": self.threshold,
            "query_tokens": self.query_tokens,
            "combinations": [
                {**asdict(row), "words": row.words, "excluded": row.best[0] < self.threshold} for row in self.rows
            ],
            "warnings": [self.warning(row) for row in self.widest()],
        }


def reachability(
    db: Database,
    settings: Settings,
    query_tokens: int = 1,
    tiers: Sequence[float] = EXACT_TIERS,
    most_priority: int = MOST_PRIORITY,
) -> Reachability:
    """The best scores of all combinations of signals under `settings`, computed by score.sql on synthetic candidates.

    Top values: exact a score of `tiers`, similarities and the lexical rank 1 (a rank only comes near it). Views carry
    the weights in force. Priorities run from 0 to `most_priority`.
    """
    bound = {
        "exact": [None, *tiers],
        "most_priority": most_priority,
        "query_tokens": query_tokens,
        "row_gist_weight": settings.in_force.bindings()["gist_weight"],
        "row_question_weight": settings.in_force.bindings()["question_weight"],
    }
    stages = (("candidates", sql_text("reach/combinations")), "score", "reach/best_scores")
    present, by_weights, by_settings = (
        db.rows(compose(stages), bound | one.bindings()) for one in (settings, *widened(settings))
    )
    rows = [
        Reach(exact, glossary, dense, lexical, views, best, weights[-1], all_settings[-1])
        for (exact, glossary, dense, lexical, views, best), weights, all_settings in zip(
            present, by_weights, by_settings, strict=True
        )
    ]
    return Reachability(float(settings.params[THRESHOLD]), query_tokens, rows)


@dataclass(frozen=True)
class OwnReach:
    """What one memory can score at best for a prompt, and what it lacks (sentences).

    The three scores are those of Reach at the memory's own priority; `logged` is the highest that the log has of it.
    """

    uri: str
    priority: int
    best: float
    best_by_weights: float
    best_by_settings: float
    lacks: Sequence[str]
    threshold: float
    is_boot: bool = False
    logged: float | None = None

    @property
    def incomplete(self) -> bool:
        """Whether the log has a higher score: then the server holds more of the memory than the store."""
        return self.logged is not None and self.logged > self.best

    def sentence(self) -> str:
        """The best score against the threshold; where the log has a higher one, that the store lacks what gave it."""
        if self.is_boot:
            return "A start-up memory: recall never shows it at this address, whatever its score."
        if self.incomplete:
            return (
                f"The log has a score of {self.logged:.6f}; with what the store holds of this memory now it would "
                f"reach {self.best:.6f} at best: signals that it had then are missing here."
            )
        if self.best >= self.threshold:
            return f"At best this memory scores {self.best:.6f}, which reaches {self.threshold:.2f}."
        said = f"At best this memory scores {self.best:.6f}, below {self.threshold:.2f}: it is never shown."
        return said + out_of_reach(self.threshold, self.best_by_weights, self.best_by_settings)

    def as_json(self) -> dict[str, Any]:
        """The entry `memory.reach` of an explanation."""
        return {
            **asdict(self),
            "reaches": self.best >= self.threshold and not self.is_boot,
            "sentence": self.sentence(),
        }


def own_reach(db: Database, settings: Settings, uri: str, query_tokens: int, model: str | None) -> OwnReach | None:
    """The best that the memory at `uri` can score with what the store holds of it now; None: it holds nothing.

    `model` names the embeddings that prompts are compared with, None when none is known.
    """
    bound = {"uri": uri, "model": model, "query_tokens": query_tokens}
    parts = db.arrow(compose(("logged/memory_now", "reach/memory_parts")), bound).to_pylist()[0]
    if not parts["known"]:
        return None
    stages = ("logged/memory_now", "reach/memory_parts", ("candidates", sql_text("reach/memory_top")), "score")
    best, by_weights, by_settings = (
        float(db.row(compose(stages, "SELECT score FROM {last}"), bound | one.bindings())[0])
        for one in (settings, *widened(settings))
    )
    threshold = float(settings.params[THRESHOLD])
    boot = settings.exclude_boot and (uri,) in db.rows(sql_text("boot_uris"))
    return OwnReach(uri, parts["priority"], best, by_weights, by_settings, _lacks(parts, model), threshold, boot)


def _lacks(parts: Mapping[str, Any], model: str | None) -> list[str]:
    """What keeps signals from a memory, given as the row of reach/memory_parts.sql."""
    keywords = len(parts["keywords"])
    views = [name for name in ("gist", "question") if parts[f"has_{name}"]]
    compared = [name for name in views if parts[f"comparable_{name}"]]
    said = []
    if not parts["active"]:
        said.append("No active memory stands at this address: no exact match.")
    if not keywords:
        said.append("It has no keywords: exact matches by its address alone.")
    if not parts["comparable_terms"]:
        said.append(_no_vectors("keywords", parts["terms_of_other_model"], model))
    if not views:
        said.append("It has no views: neither words nor similar meaning, no view bonus, no bonus for several views.")
        return said
    if len(views) < 2:
        said.append(f"It has one view, the {views[0]}: no bonus for several views.")
    if len(compared) < len(views):
        which = "views" if not compared else f"{next(name for name in views if name not in compared)}"
        said.append(_no_vectors(which, parts["views_of_other_model"], model))
    return said


def _no_vectors(what: str, of_other_model: int, model: str | None) -> str:
    if model is None:
        return f"No embedding model is known: no vectors of its {what} can be compared."
    held = "vectors of another model only" if of_other_model else "no comparable vectors"
    return f"Its {what}: {held} ({model} is what prompts are compared by)."


def widened(settings: Settings) -> list[Settings]:
    """`settings` with the signal weights, then with all settings, at the end of their ranges that scores highest."""
    return [replace(settings, params=settings.params.replace(changes)) for changes in (_WEIGHTS, _KEYS)]


def out_of_reach(threshold: float, by_weights: float, by_settings: float) -> str:
    """A sentence where no signal weights within their ranges, or no settings at all, reach `threshold`: those scores
    are the highest that they give; "" where weights can."""
    if by_settings < threshold:
        return f" It cannot reach {threshold:.2f} by any setting in range; only a lower threshold shows it."
    if by_weights < threshold:
        return f" It cannot reach {threshold:.2f} by weights in range."
    return ""


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
