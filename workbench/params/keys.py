"""Every configuration key of the recall, declared once: default, range, step, unit, meaning, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

Value = bool | int | float

# The key that says from which score on a memory is shown.
THRESHOLD = "recall.display.min_display_score"


class Effect(StrEnum):
    """What has to be done again when a key changes."""

    RESCORE = "re-scores"
    RERETRIEVE = "re-retrieves"
    REBUILD = "rebuilds"


@dataclass(frozen=True)
class Key:
    """One key. `low` and `high` are inclusive; `step` is the grid that tuned values are snapped to.

    `replayable`: a logged replay can try other values. `bound` is the name under which SQL sees the value.
    """

    name: str
    bound: str
    default: Value
    low: float
    high: float
    step: float
    unit: str
    help: str
    effect: Effect = Effect.RESCORE
    replayable: bool = True

    @property
    def kind(self) -> type[bool] | type[int] | type[float]:
        """bool, int or float."""
        return type(self.default)

    @property
    def range_text(self) -> str:
        """The range in words, for messages and help."""
        if self.kind is bool:
            return "true or false"
        return f"{self.low:g} to {self.high:g}"


_KEYS = (
    Key("recall.weights.w_exact", "w_exact", 0.30, 0, 1, 0.01, "weight",
        "How much a literal match of address, keyword or words counts."),
    Key("recall.weights.w_glossary_semantic", "w_glossary_semantic", 0.25, 0, 1, 0.01, "weight",
        "How much a keyword of similar meaning counts."),
    Key("recall.weights.w_dense", "w_dense", 0.30, 0, 1, 0.01, "weight",
        "How much a gist or question of similar meaning counts."),
    Key("recall.weights.w_lexical", "w_lexical", 0.03, 0, 1, 0.01, "weight",
        "How much shared words count; damped for long prompts."),
    Key("recall.bonus.priority_base", "priority_base", 0.05, 0, 0.5, 0.005, "score",
        "Bonus of a memory with priority 0."),
    Key("recall.bonus.priority_step", "priority_step", 0.01, 0, 0.1, 0.001, "score a level",
        "How much of that bonus each further priority level loses."),
    Key("recall.bonus.multi_view_step", "multi_view_step", 0.015, 0, 0.1, 0.005, "score a view type",
        "Bonus for each view type beyond the first that matched."),
    Key("recall.bonus.multi_view_cap", "multi_view_cap", 0.05, 0, 0.3, 0.005, "score",
        "Upper limit of the bonus for several view types; out of reach with two view types."),
    Key("views.weight.gist", "gist_weight", 1.0, 0, 2, 0.02, "factor",
        "Factor on the dense and lexical score of a gist; stored on each view row.", Effect.REBUILD),
    Key("views.weight.question", "question_weight", 0.96, 0, 2, 0.02, "factor",
        "Factor on the dense and lexical score of a question; stored on each view row.", Effect.REBUILD),
    Key("views.prior.gist", "gist_prior", 0.03, 0, 0.2, 0.005, "score",
        "Bonus when the gist matched; the larger prior of the matching view types counts."),
    Key("views.prior.question", "question_prior", 0.02, 0, 0.2, 0.005, "score",
        "Bonus when a question matched; the larger prior of the matching view types counts."),
    Key("recall.recency.enabled", "recency_enabled", True, 0, 1, 1, "switch",
        "Whether recent memories get a bonus."),
    Key("recall.recency.half_life_days", "half_life_days", 180.0, 7, 3650, 1, "days",
        "Age at which half of the recency bonus is left."),
    Key("recall.recency.max_bonus", "max_bonus", 0.04, 0, 0.3, 0.005, "score",
        "Recency bonus of a memory that changed just now."),
    Key("recall.recency.priority_exempt", "priority_exempt", 1, -1, 10, 1, "priority",
        "Memories up to this priority keep the whole recency bonus; -1 exempts nobody."),
    Key(THRESHOLD, "min_display_score", 0.60, 0, 1, 0.01, "score",
        "Memories below this score are not shown."),
    Key("recall.display.max_display_items", "max_display_items", 3, 1, 20, 1, "memories",
        "How many memories one recall shows at most."),
    Key("recall.safety.max_query_chars", "max_query_chars", 200, 50, 2000, 10, "characters",
        "How much of the prompt's beginning is searched.", Effect.RERETRIEVE, replayable=False),
    Key("recall.safety.timeout_ms", "timeout_ms", 2000, 500, 30000, 100, "milliseconds",
        "After this time the recall API skips a recall; no score depends on it.", Effect.RERETRIEVE, replayable=False),
)  # fmt: skip

KEYS: dict[str, Key] = {key.name: key for key in _KEYS}

# The live server reads these two as "value or default": a stored 0 acts as the default.
ZERO_ACTS_AS_DEFAULT = ("recall.recency.half_life_days", "recall.recency.max_bonus")
