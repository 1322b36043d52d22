"""What the tests of `explain` share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from workbench.params import Params
from workbench.replay.explain import Explanation
from workbench.replay.run import Settings

DEFAULT = Settings(Params.default(), Params.default())
TARGET = "project://target"
URI = "project://checkout/webhooks"
NO_FLAGS = {
    "path_exact_hit": False, "glossary_exact_hit": False, "glossary_text_hit": False,
    "query_contains_glossary_hit": False,
}  # fmt: skip


def about(said: Mapping[str, Any]) -> dict[str, list[str]]:
    """The notes of an explanation: what about, and which addresses."""
    return {note["about"]: note["uris"] for note in said["notes"]}


def exact_row(flags: Mapping[str, bool], matched_on: Sequence[str] = ()) -> dict[str, Any]:
    return {"exact_flags": flags, "matched_on": list(matched_on)}


def settings(**changes: Any) -> Settings:
    return replace(DEFAULT, params=Params({name.replace("__", "."): value for name, value in changes.items()}))


def changes(found: Explanation) -> dict[str, dict[str, Any]]:
    return {one["change"]: dict(one) for one in found.memory_flips}
