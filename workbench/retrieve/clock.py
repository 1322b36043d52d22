"""As of when a replay sees the memories, and what it counts ages from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from workbench.errors import BadInput
from workbench.store import Database, compose

Mode = Literal["logged", "as-of", "today", "fixed"]

_LABELS = {
    "logged": "logged: signals as production logged them, each at the time of its prompt",
    "as-of": "as-of: memories as they stood at the time of each prompt",
    "today": "today: memories as they stand now, ages counted from {at}",
    "fixed": "as of {at}: memories as they stood then, ages counted from then",
}


@dataclass(frozen=True)
class Clock:
    """One of the three replay modes, or one fixed time for all prompts.

    `logged` and `as-of` take the time of each prompt; `today` and `fixed` take `at`, for every prompt alike. None of
    them reads the clock of the machine, so a replay gives the same a year later. `today` has no time of its own until
    `resolved` takes it from a store.
    """

    mode: Mode
    at: datetime | None = None

    def __post_init__(self) -> None:
        """A fixed clock needs a time; the prompts' own clocks take none; a time needs a zone."""
        if (self.mode == "fixed" and self.at is None) or (self.per_prompt and self.at is not None):
            raise ValueError(f"a clock of mode {self.mode} and the time {self.at} do not go together")
        if self.at is not None and self.at.utcoffset() is None:
            raise ValueError(f"the time {self.at} names no zone")

    @classmethod
    def parse(cls, option: str, *, engine: bool = False) -> Clock:
        """The clock that `--as-of` names: `logged`, `as-of`, `today`, or a time (without a zone: UTC).

        For an engine that computes the signals anew, `logged` means the memories as the log saw them: as-of. Raises
        BadInput for anything else.
        """
        word = option.strip().lower()
        if word == "logged":
            return cls("as-of" if engine else "logged")
        if word in ("as-of", "today"):
            return cls("as-of") if word == "as-of" else cls("today")
        return cls("fixed", read_time("--as-of", option, "logged, as-of, today, or a time like 2026-11-30T08:00:00Z"))

    @property
    def per_prompt(self) -> bool:
        """Whether each prompt has its own time."""
        return self.mode in ("logged", "as-of")

    @property
    def supports_verdicts(self) -> bool:
        """Whether a verdict may rest on it: only where each prompt is replayed at its own time."""
        return self.per_prompt

    @property
    def label(self) -> str:
        """One phrase that says which memories a result is about; stands with every result."""
        return _LABELS[self.mode].format(at="the newest time stamp" if self.at is None else self.at.isoformat())

    def resolved(self, db: Database) -> Clock:
        """This clock with its time; that of `today` is the newest time stamp of the store (corpus/newest.sql).

        Raises BadInput when the store holds no time stamp at all.
        """
        if self.mode != "today" or self.at is not None:
            return self
        (newest,) = db.row(compose(("corpus/newest",)))
        if newest is None:
            raise BadInput("The store holds no time stamp that today could be; give a time with --as-of TIME.")
        return replace(self, at=newest.astimezone(UTC))

    def bindings(self) -> dict[str, Any]:
        """The bound values of corpus/clocked.sql, which gives each query its now and its corpus_at.

        Raises ValueError for a `today` that was not `resolved`.
        """
        if self.mode == "today" and self.at is None:
            raise ValueError("resolve the clock against a store first")
        return {"clock": self.mode, "at": self.at}


def read_time(option: str, text: str, like: str = "2026-11-30 or 2026-11-30T08:00:00+08:00") -> datetime:
    """A point in time in ISO 8601; one without a zone is UTC. Raises BadInput, naming `option` and what to write."""
    try:
        read = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise BadInput(f"{option} {text!r} is no time; write it like {like}.") from error
    read = read if read.tzinfo else read.replace(tzinfo=UTC)
    try:
        read.astimezone(UTC)
    except OverflowError as error:
        raise BadInput(f"{option} {text!r} lies outside the years 1 to 9999 in UTC; write it like {like}.") from error
    return read
