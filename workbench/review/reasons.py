"""A typed miss in words: why this stage lost the memory, and why each signal did not return it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from workbench.params import Params
from workbench.replay.asked import ASKED_OUTSIDE
from workbench.replay.reach import out_of_reach
from workbench.replay.run import slice_size
from workbench.review.letters import written_otherwise

STAGE_WORDS = {
    "not_stored": "no such memory at the time",
    "created_later": "written after the prompt",
    "recall_skipped": "no recall for the prompt",
    "late": "recall came too late",
    "prompt_cut": ASKED_OUTSIDE,
    "boot": "start-up memory",
    "not_a_candidate": "no signal returned it",
    "row_limit": "behind the row limit of a signal",
    "slice": "behind the candidates that are looked at",
    "threshold": "below the threshold",
    "crowded_out": "display full with better ones",
}
Row = Mapping[str, Any]

_CUT = {
    "shown": "with all of the prompt, or its end alone, it would be shown.",
    "found": "no signal returns it for the searched part, but one does for the rest.",
    "keyword": "a keyword of it stands behind the searched part only.",
    "asked": "the question stands behind the searched part, and is about what stands there.",
}
_FIXED = {
    "recall_skipped": "No recall is logged for this prompt, although the log was being written.",
    "late": "The recall took longer than its time limit, so that nobody received it.",
    "boot": "A start-up memory: the agent has it from the start of the session, recall never shows it.",
}
_SIGNALS = ("exact", "glossary_semantic", "dense", "lexical")
_FOUND_ANEW = ("not_a_candidate", "row_limit")


@dataclass(frozen=True)
class Bounds:
    """What candidates had to get past: the display threshold, the places looked at, and the rows of a signal."""

    threshold: float
    looked_at: int
    row_limit: int

    @classmethod
    def of(cls, params: Params, row_limit: int) -> Bounds:
        """The bounds of a configuration."""
        places = int(params["recall.display.max_display_items"])
        return cls(float(params["recall.display.min_display_score"]), slice_size(None, places), row_limit)


def sentence(miss: Row, bounds: Bounds) -> str:
    """Why the stage of a row of staged.sql lost the memory, in one or two sentences."""
    stage = miss["stage"]
    return _FIXED[stage] if stage in _FIXED else _SENTENCES[stage](miss, bounds)


def signal_reasons(miss: Row, model: str | None) -> list[dict[str, Any]]:
    """For a memory that was no candidate: {signal, rank, reason} of each signal; rank is that at any depth."""
    if miss["stage"] not in _FOUND_ANEW or miss["engine_shows"] or miss["logged_since"] is not None:
        return []
    ranks = {one["signal"]: one["rank"] for one in miss["signals"] or ()}
    return [
        {
            "signal": signal,
            "rank": ranks.get(signal),
            "reason": _reason(signal, miss, ranks.get(signal), model),
        }
        for signal in _SIGNALS
    ]


def other_letters(miss: Row) -> dict[str, str] | None:
    """{keyword, written, reason} where a keyword stands in the prompt in other letter forms alone."""
    found = written_otherwise(miss["query_text"] or "", miss["keywords"] or ())
    if found is None:
        return None
    keyword, written = found
    return {
        "keyword": keyword,
        "written": written,
        "reason": f"The prompt writes its keyword {keyword!r} as {written!r}, in other forms of the same letters "
        "(such as full-width ones); the server does not fold them, so the keyword does not match.",
    }


def _reason(signal: str, miss: Row, rank: int | None, model: str | None) -> str:
    if rank is not None:
        return f"rank {rank}"
    if signal == "exact":
        said = "the prompt holds none of its keywords" if miss["keywords"] else "it has no keywords"
        return f"{said} and shares no word with its address"
    if signal == "lexical":
        return "its views share no word with the prompt" if miss["views"] else "it has no views"
    held, compared = ("terms", "compared_terms") if signal == "glossary_semantic" else ("views", "compared_views")
    name = "keywords" if signal == "glossary_semantic" else "views"
    if not miss[held]:
        return f"it has no indexed {name}"
    if model is None:
        return "no embedding model is known; run `workbench embed`"
    if not miss[compared]:
        return f"its {name} have no vector of {model}"
    return (
        "behind all rows that were looked at"
        if miss["has_vector"]
        else f"not known: the prompt has no vector of {model}"
    )


def _not_stored(miss: Row, bounds: Bounds) -> str:
    if miss["ended"] is not None:
        return f"It had been deleted by then, on {_day(miss['ended'])}."
    return f"The store knows no memory at {miss['uri']}."


def _not_found(miss: Row, bounds: Bounds) -> str:
    if miss["engine_shows"]:
        return (
            "The log has no row of it, although with the memories as the store holds them it would be shown: most "
            "likely it was not indexed yet, or indexed otherwise."
        )
    if miss["logged_since"] is not None:
        return (
            f"The log has no row of it for this prompt. It has some since {_day(miss['logged_since'])}, while the "
            f"store knows it from {_day(miss['later'])} on: what it said before is not known."
        )
    return "No signal returned it."


def _row_limit(miss: Row, bounds: Bounds) -> str:
    ranks = ", ".join(f"{one['signal']} rank {one['rank']}" for one in miss["signals"])
    return f"Each signal returns {bounds.row_limit} rows at most; it stands behind them: {ranks}."


def _slice(miss: Row, bounds: Bounds) -> str:
    said = f"Only the first {bounds.looked_at} candidates are looked at; it was number {miss['rank']}."
    if miss["below_by"] is None:
        return said
    return f"{said} Its score is {miss['below_by']:.6f} below the threshold {bounds.threshold:g} as well."


def _below(miss: Row, bounds: Bounds) -> str:
    said, threshold = f"Its score {miss['score']:.6f}", f"{bounds.threshold:g}"
    if miss["below_by"] is None:
        return f"{said} reaches {threshold}, the threshold of now: a higher one was in force then."
    said = f"{said} is {miss['below_by']:.6f} below the threshold {threshold}."
    if miss["by_weights"] is None:
        return said
    return said + out_of_reach(bounds.threshold, miss["by_weights"], miss["by_settings"])


def _crowded_out(miss: Row, bounds: Bounds) -> str:
    better = ", ".join(one["uri"] for one in miss["crowd"])
    if miss["fewer_places"]:
        last = min(one["score"] for one in miss["crowd"])
        return (
            f"Its score {miss['score']:.6f} reaches {bounds.threshold:g}, the threshold of now. The display of then "
            f"ended with {better} ({last:.6f}): it had fewer places, or a higher threshold was in force."
        )
    return f"Its score {miss['score']:.6f} reaches the threshold, but the display was full with {better}."


_SENTENCES: dict[str, Callable[[Row, Bounds], str]] = {
    "not_stored": _not_stored,
    "created_later": lambda miss, bounds: f"It was written on {_day(miss['later'])}, after the prompt.",
    "prompt_cut": lambda miss, bounds: f"{ASKED_OUTSIDE.capitalize()}: {_CUT[miss['cut_how']]}",
    "not_a_candidate": _not_found,
    "row_limit": _row_limit,
    "slice": _slice,
    "threshold": _below,
    "crowded_out": _crowded_out,
}


def _day(moment: Any) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"
