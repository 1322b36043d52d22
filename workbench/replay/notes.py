"""Where the server differs from its handbook: one note at each place of an explanation where that matters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from workbench.params import Params

Said = Mapping[str, Any]

_FEW = 20
_WILDCARDS = frozenset("%_\\")


@dataclass(frozen=True)
class Note:
    """A sentence that stands `at` a part of an explanation (query, signal_rows or candidates) when `applies` returns
    something true for the explanation's JSON form and the configuration; addresses where it is about memories."""

    about: str
    at: str
    text: str
    applies: Callable[[Said, Params], bool | list[str]]


def notes(said: Said, params: Params) -> list[dict[str, Any]]:
    """The notes that apply: {about, at, note, uris}; at most _FEW addresses each."""
    found = []
    for note in NOTES:
        answer = note.applies(said, params)
        if answer:
            uris = list(dict.fromkeys(answer))[:_FEW] if isinstance(answer, list) else []
            found.append({"about": note.about, "at": note.at, "note": note.text, "uris": uris})
    return found


def _rows(signal: str, *scores: float) -> Callable[[Said, Params], list[str]]:
    def applies(said: Said, _: Params) -> list[str]:
        return [
            row["uri"]
            for row in said["signal_rows"]
            if row["signal"] == signal and (not scores or round(row["raw_score"], 2) in scores)
        ]

    return applies


def _candidates(holds: Callable[[Said], bool]) -> Callable[[Said, Params], list[str]]:
    return lambda said, _: [one["uri"] for one in said["candidates"] if holds(one)]


def _timed_out(said: Said, params: Params) -> bool:
    return (said["query"].get("duration_ms") or 0) > params["recall.safety.timeout_ms"]


def _wildcards(said: Said, _: Params) -> list[str]:
    unknown = not _WILDCARDS.isdisjoint(said["query"]["searched"])
    return [
        row["uri"]
        for row in said["signal_rows"]
        if row["wildcard_only"] or (row["wildcard_only"] is None and unknown and row["signal"] == "exact")
    ]


def _undated(said: Said, params: Params) -> list[str]:
    exempt = params["recall.recency.priority_exempt"]
    if not params["recall.recency.enabled"]:
        return []
    return [one["uri"] for one in said["candidates"] if one["age_days"] is None and one["priority"] <= exempt]


def _rebuilt(said: Said, _: Params) -> list[str]:
    return [row["uri"] for row in said["signal_rows"] if row["newer_than_memory"]]


NOTES = (
    Note("truncation", "query",
         "That a prompt was cut is told by the recall API only; the output of the agent hooks does not say it.",
         lambda said, _: bool(said["query"]["query_truncated"])),
    Note("time limit", "query",
         "This recall took longer than the time limit: the recall API skips such a recall and says so; agent hooks "
         "have a limit of their own, 10 s, and say nothing.",
         _timed_out),
    Note("damping", "query",
         "Damping applies to a prompt of one token too: its words count 63 %.",
         lambda said, _: said["query"]["query_tokens"] == 1),
    Note("exact tiers", "signal_rows",
         "Exact has six tiers and knows no word boundaries: a keyword inside a longer word counts, and so does a "
         "prompt inside a keyword.",
         _rows("exact", 0.90, 0.84, 0.78, 0.72)),
    Note("wildcards", "signal_rows",
         "%, _ and \\ in prompts and keywords act as wildcards on the server: without them these rows would be weaker "
         "or none, or might be.",
         _wildcards),
    Note("vector neighbours", "signal_rows",
         "All vector neighbours count, however far: the nearest rows come back for every prompt.",
         lambda said, _: any(row["signal"] in ("dense", "glossary_semantic") for row in said["signal_rows"])),
    Note("recency of the index", "signal_rows",
         "Recency follows the newest of the memory and its index rows: after a rebuild everything counts as recent.",
         _rebuilt),
    Note("recency without a date", "candidates",
         "Without a time stamp there is no recency bonus, although the priority exempts these memories from ageing.",
         _undated),
    Note("multi-view cap", "candidates",
         "The cap of the bonus for several views is out of reach with two view types: the bonus is one step.",
         _candidates(lambda one: one["terms"]["multi_view"] > 0)),
    Note("start-up aliases", "candidates",
         "Start-up memories are left out by nine fixed addresses; this is another address of one, and it can be shown.",
         _candidates(lambda one: bool(one["boot_alias"]))),
    Note("cues", "candidates",
         "The cues of a shown memory are its first keywords, not always what matched.",
         _candidates(lambda one: bool(one["shown"]))),
    Note("use marks", "candidates",
         "A use mark asks for the query and the address; the session is not checked.",
         _candidates(lambda one: bool(one["used"]))),
)  # fmt: skip
