"""Which single change, of a setting or of the memory, shows or hides one memory of one prompt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from workbench.params import KEYS, Key, Value, snap
from workbench.replay.asked import Asked
from workbench.replay.run import Settings, candidates_of, full_chain
from workbench.store import Database, compose, sql_text

EXPLAINED = "explained"

_PROBES = 4
_MEMORY = ("logged/memory_now", "reach/memory_parts")
_WORDS = {
    "keyword_in_prompt": "A keyword that occurs in the prompt (exact 0.84)",
    "keyword_is_prompt": "A keyword equal to the searched prompt (exact 0.98)",
    "keyword_is_prompt_embedded": "A keyword equal to the searched prompt, embedded (exact 0.98, similarity 1)",
    "keywords_removed": "Without its keywords it",
    "priority": "Priority {value:.0f} instead of {former}",
    "edited_now": "An edit just before the prompt (the whole recency bonus)",
    "never_edited": "Without its recency bonus it",
    "vectors": "Vectors of the prompt's model, at a similarity of {value:.2f} or more,",
    "views": "A gist and a question with vectors, at a similarity of {value:.2f} or more,",
}


def setting_changes(db: Database, settings: Settings, uri: str, shown: bool) -> list[dict[str, Any]]:
    """For each replayable key the value nearest to the present one, within its range, that alone flips `uri`.

    A flip between two of the _PROBES on a side of the present value that is undone at both of them is not seen. The
    table EXPLAINED names the query.
    """

    def flips(key: Key, value: Value) -> bool:
        return _is_shown(db, replace(settings, params=settings.params.replace({key.name: value})), uri) != shown

    found = []
    for key in KEYS.values():
        present = settings.params[key.name]
        sides = [key.low, key.high] if key.kind is not bool else [not present]
        values = [v for side in sides if (v := _nearest_flip(key, present, side, flips)) is not None]
        if key.replayable and values:
            to = min(values, key=lambda value: abs(value - present))
            found.append({"key": key.name, "from": present, "to": to, "shown": not shown})
    return found


def memory_changes(db: Database, settings: Settings, asked: Asked, uri: str) -> list[dict[str, Any]]:
    """The changes of the memory at `uri` that alone flip it, of each kind the smallest: {change, value, shown, score,
    ranked_position, words}.

    The changed candidate is scored and ranked anew among its rivals, which keep their signals and scores. A memory that
    no signal returned starts without signals. The table EXPLAINED names the query.
    """
    own = {"uri": uri, "model": asked.model}
    new = {"query_id": asked.query_id, "query_tokens": asked.query_tokens, "now": asked.now}
    source = f"SELECT * FROM {settings.candidates} WHERE query_id IN (SELECT query_id FROM {EXPLAINED})"
    db.execute(f"CREATE OR REPLACE TEMP TABLE rivals AS {source} AND uri <> $uri", own)
    db.execute(f"CREATE OR REPLACE TEMP TABLE target AS {source} AND uri = $uri", own)
    shown = _is_shown(db, settings, uri)
    if not db.row("SELECT count(*) FROM target")[0]:
        select = compose(("boot_uris", *_MEMORY, "explain/target"))
        db.execute(f"INSERT INTO target BY NAME {select}", own | new)
    changed = compose((*_MEMORY, "explain/memory_changes"))
    db.execute(f"CREATE OR REPLACE TEMP TABLE memory_changes AS {changed}", own)
    chain = full_chain(("candidates", sql_text("explain/changed_candidates")))
    flips = db.arrow(
        compose((*chain, "explain/memory_flips")), settings.bindings() | own | {"shown": shown}
    ).to_pylist()
    return [_worded(flip) for flip in flips]


def _worded(flip: dict[str, Any]) -> dict[str, Any]:
    former = flip.pop("former_priority")
    said = _WORDS[flip["change"]].format(value=flip["value"] or 0, former=former)
    verb = {True: "show", False: "hide"}[flip["shown"]]
    if said.endswith(" it"):
        words = f"{said} would {'be shown' if flip['shown'] else 'not be shown'}"
    else:
        words = f"{said} alone would {verb} it" if not said.endswith(",") else f"{said} would {verb} it"
    after = "no signal would return it" if flip["score"] is None else f"score {flip['score']:.6f}"
    return {**flip, "words": f"{words}: {after}."}


def _nearest_flip(key: Key, present: Value, side: float, flips: Callable[[Key, Value], bool]) -> Value | None:
    """The value between `present` and `side` nearest to `present` that flips, to the key's step, or None."""
    if not key.replayable:
        return None
    kept = float(present)
    for share in range(1, _PROBES + 1):
        probe = float(snap(key, present + (side - present) * share / _PROBES))
        if probe != kept and flips(key, snap(key, probe)):
            break
        kept = probe
    else:
        return None
    while abs(probe - kept) > key.step * 1.5:
        middle = float(snap(key, (probe + kept) / 2))
        probe, kept = (middle, kept) if flips(key, snap(key, middle)) else (probe, middle)
    return snap(key, probe)


def _is_shown(db: Database, settings: Settings, uri: str) -> bool:
    chain = full_chain(candidates_of(EXPLAINED, settings.candidates))
    (shown,) = db.row(
        compose(chain, "SELECT coalesce(bool_or(shown), false) FROM {last} WHERE uri = $uri"),
        settings.bindings() | {"uri": uri},
    )
    return bool(shown)
