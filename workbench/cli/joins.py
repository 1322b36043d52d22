"""The part of the report that says how well what agents did joins with the log."""

from __future__ import annotations

from typing import Any

from workbench.cli.output import cell, percent, table

_COLUMNS = {
    "prompts": "prompts", "prompts_seen": "seen", "marks": "marks", "marks_on_not_shown": "on not shown",
    "opens": "opens", "linked": "linked", "unlinked": "unlinked", "orphaned": "orphaned", "before_prompt": "before",
    "after_next_prompt": "after", "counted_without_mark": "unmarked",
}  # fmt: skip


def joins_text(said: dict[str, Any]) -> str:
    """The joins of `workbench report` for a person."""
    rows = [
        (one["client"] or "(none)", *(one[name] for name in _COLUMNS), _near(one["near_matches"]), one["never_links"])
        for one in said["clients"]
    ]
    header = ("client", *_COLUMNS.values(), "near", "never links")
    share = (
        f"{cell(said['prompts_of_clients_that_never_link'])} of {cell(said['prompts'])} prompts "
        f"({percent(said['share_of_clients_that_never_link'])}) are of clients that never link an open."
    )
    return "\n\n".join([table(header, rows), share, _uncounted(said["uncounted"])])


def _near(matches: dict[str, int] | None) -> int | None:
    return None if matches is None else sum(matches.values())


def _uncounted(reasons: dict[str, int] | None) -> str:
    if reasons is None:
        return "Opens that the server does not count: no data; import the transcripts of the agents."
    return table(("an open is not counted", "opens"), [*reasons.items()])
