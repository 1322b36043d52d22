"""What to change in a memory that was missed, in the documented order: the memory first, settings last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.replay.reach import OwnReach
from workbench.review.edits import Fix
from workbench.review.letters import written_otherwise
from workbench.review.terms import Term
from workbench.text import counted, trimmed
from workbench.textsearch import NAMES, Tokenizer, tokenizer
from workbench.textsearch.characters import lower

ORDER = ("focus", "path", "disclosure", "glossary", "priority", "index", "settings")
# Stages at which another memory text, keyword or priority can matter.
MENDABLE = ("not_a_candidate", "row_limit", "slice", "threshold", "crowded_out")

LEAST_MEMORIES = 5
_LEAST_SHARE = 1 / 3
_NEAR = 0.05
_LONG = 1600
_TERMS_TRIED = 3
_ELSEWHERE = {
    "not_stored": "Write the memory: the store knew none at this address when it was needed.",
    "created_later": "Nothing to mend: it was written after the prompts that would have needed it.",
    "recall_skipped": "No change of the memory helps: recall did not run for these prompts. Look at the agent's hook.",
    "late": "No change of the memory helps: the recall came too late. `workbench report` has the durations of recalls.",
    "prompt_cut": "No weight and no keyword mends this: the prompts ask behind the part that is searched. Ask first "
    "and paste afterwards, or raise recall.safety.max_query_chars.",
    "boot": "Nothing to mend: the agent has it from the start of each session.",
}
_GAPS = {
    "threshold": ("recall.display.min_display_score", "lie at most 0.05 below the threshold"),
    "crowded_out": ("recall.display.max_display_items", "reach the threshold and find the display full"),
    "prompt_cut": ("recall.safety.max_query_chars", "are asked behind the part that is searched"),
    "late": ("recall.safety.timeout_ms", "were recalled too late"),
}


@dataclass(frozen=True)
class Case:
    """One missed memory: what the store holds of it at `uri`, its mendable misses with their searched texts, terms that
    those suggest, and what it can score at best."""

    uri: str
    content: str
    disclosure: str
    priority: int
    keywords: Sequence[str]
    views: Sequence[str]
    misses: Sequence[Mapping[str, Any]]
    searched: Sequence[str]
    terms: Sequence[Term]
    reach: OwnReach | None


@dataclass(frozen=True)
class Advice:
    """One piece of advice of a kind of ORDER: `reason` says why, `do` what to do, `fixes` what can be tried."""

    kind: str
    reason: str
    do: str
    fixes: Sequence[Fix] = ()


def advice(case: Case, exempt: int) -> list[Advice]:
    """Advice for a memory that stands in the store, in ORDER; `exempt` is the highest priority number that is spared
    the decay of the recency bonus. Settings are no matter of one memory."""
    steps = (_focus(case), _path(case), _disclosure(case), _glossary(case), _priority(case, exempt), _index(case))
    return [one for one in steps if one is not None]


def beyond_memory(stages: Mapping[str, int]) -> list[Advice]:
    """What to do about misses that no change of the memory mends."""
    return [
        Advice("delivery", f"{count} of its misses: {stage.replace('_', ' ')}.", _ELSEWHERE[stage])
        for stage, count in stages.items()
        if stage in _ELSEWHERE
    ]


def settings_advice(misses: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Gaps that many memories share: at least LEAST_MEMORIES of them and a third of all misses. `misses` are mappings
    (node, stage, below_by)."""
    found = []
    for stage, (key, words) in _GAPS.items():
        own = [one for one in misses if one["stage"] == stage and (stage != "threshold" or _is_near(one))]
        nodes = {one["node"] for one in own}
        if len(nodes) >= LEAST_MEMORIES and len(own) >= _LEAST_SHARE * len(misses):
            said = (
                f"{len(own)} of {len(misses)} misses of {len(nodes)} memories {words}: a gap that many memories share. "
                f"Mend the memories first; then look at {key}, and hold it against the log with `workbench replay "
                "--config`."
            )
            found.append({
                "gap": stage, "key": key, "misses": len(own), "memories": len(nodes), "of": len(misses), "words": said,
            })  # fmt: skip
    return found


def _is_near(miss: Mapping[str, Any]) -> bool:
    return miss["below_by"] is not None and miss["below_by"] <= _NEAR


def _focus(case: Case) -> Advice | None:
    seen = lower("\n".join(case.views))
    hidden = [term.text for term in case.terms if term.text in lower(case.content) and term.text not in seen]
    if hidden and case.views:
        reason = f"Its text holds what the prompts ask for ({_listed(hidden)}), but none of its views does."
    elif len(case.content) > _LONG:
        reason = f"Its text has {len(case.content):,} characters: its views can only stand for a part of it."
    else:
        return None
    return Advice(
        "focus", reason, "Keep one fact or rule a memory; move what these prompts ask for into one of its own."
    )


def _path(case: Case) -> Advice | None:
    if any(_share_a_word(words, case) for words in map(tokenizer, NAMES)):
        return None
    return Advice(
        "path",
        "None of the prompts that missed it shares a word with its address.",
        "Name the path by the words that people use" + (f", such as {_listed(_texts(case))}." if case.terms else "."),
    )


def _share_a_word(words: Tokenizer, case: Case) -> bool:
    own = {word for word in words.document(case.uri.replace("/", " ").replace("_", " ")) if len(word) > 1}
    return any(own & set(words.query(trimmed(text))) for text in case.searched)


def _disclosure(case: Case) -> Advice | None:
    lacking = [term.text for term in case.terms if term.text not in lower(case.disclosure)]
    if case.disclosure and not lacking:
        return None
    reason = f"Its disclosure does not name {_listed(lacking)}." if case.disclosure else "It has no disclosure."
    if not lacking:
        return Advice("disclosure", reason, "Say in one sentence when the memory should surface.")
    named = ", ".join(lacking[:_TERMS_TRIED])
    text = f"{case.disclosure.rstrip('.。 ')}; {named}" if case.disclosure else named
    do = f"Say when the memory should surface, with the words of the prompts, such as: {text}"
    return Advice("disclosure", reason, do, [Fix("disclosure", case.uri, text)])


def _glossary(case: Case) -> Advice | None:
    held = sum(any(lower(keyword) in lower(text) for keyword in case.keywords) for text in case.searched)
    if held == len(case.searched):
        return None
    other = dict.fromkeys(
        found[1] for text in case.searched if (found := written_otherwise(text, case.keywords)) is not None
    )
    fixes = [Fix("glossary", case.uri, term) for term in [*other, *_texts(case)][:_TERMS_TRIED]]
    count = f"{held} of {len(case.searched)}" if case.keywords else "none"
    reason = (
        f"Its keywords stand in {count} of the prompts that missed it."
        if case.keywords
        else "It has no keywords: an exact match needs its address."
    )
    if other:
        reason += (
            f" {_listed(list(other))}: a keyword in other forms of the same letters, which the server does not fold."
        )
    if case.terms:
        stands = (
            f"{case.terms[0].text} ({case.terms[0].missed} of these prompts, {counted(case.terms[0].others, 'other')})"
        )
        return Advice("glossary", reason, f"Add a term that these prompts share, such as {stands}.", fixes)
    return Advice("glossary", reason, "Add a term of the prompts; they share no word that others lack.", fixes)


def _priority(case: Case, exempt: int) -> Advice | None:
    short = [miss for miss in case.misses if miss["stage"] in ("threshold", "slice", "crowded_out")]
    if not short or case.priority <= 0:
        return None
    value = exempt if 0 <= exempt < case.priority else 0
    reason = f"{len(short)} of its misses fell short of a place at priority {case.priority}."
    do = f"If it matters that much, give it priority {value}: a higher bonus"
    do += ", and the recency bonus in full." if value <= exempt else "."
    return Advice("priority", reason, do, [Fix("priority", case.uri, value)])


def _index(case: Case) -> Advice | None:
    if case.reach is None or case.reach.incomplete:
        return None
    lacks = [said for said in case.reach.lacks if not said.startswith("It has no keywords")]
    if not lacks:
        return None
    return Advice("index", " ".join(lacks), "Let the server index it anew, all of it by one embedding model.")


def _texts(case: Case) -> list[str]:
    return [term.text for term in case.terms]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in list(names)[:_TERMS_TRIED])
