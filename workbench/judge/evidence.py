"""Which evidence counts as a use, and which recalls count as delivered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from workbench.errors import BadInput
from workbench.params import Params
from workbench.replay.logged import settings_in_force
from workbench.store import Database

HOOK_CLIENTS = ("claudecode", "codex", "zcode")
HOOK_LIMIT_MS = 10_000
SOURCES = ("linked", "hand", "unlinked", "blanket", "late")


@dataclass(frozen=True)
class Evidence:
    """The sources that count; what does not count leaves a pair unknown, never unused.

    `linked`: a mark that names the memory. `hand`: answers of the operator, also about memories that were not shown.
    `unlinked`: an open without valid identifiers in the turn of the prompt, also after a search, as transcripts and
    the service tell of it. The headline goes without either. `blanket`: a mark that hit every shown memory of a query
    and came from something other than an open. `late`: recalls that nobody received count as shown. A recall is late
    when it took longer than `timeout_ms`, or, where an agent's hook asked (HOOK_CLIENTS), than HOOK_LIMIT_MS; a query
    that names no client is late only when both limits are over.
    """

    linked: bool = True
    hand: bool = False
    unlinked: bool = False
    blanket: bool = False
    late: bool = False
    timeout_ms: int = 2000

    def under(self, in_force: Params) -> Evidence:
        """The same sources with the time limit of the configuration `in_force`."""
        return replace(self, timeout_ms=int(in_force["recall.safety.timeout_ms"]))

    @classmethod
    def of(cls, sources: Sequence[str]) -> Evidence:
        """Exactly the named SOURCES; none stands for the headline's. BadInput for a name that is no source."""
        if unknown := [name for name in sources if name not in SOURCES]:
            raise BadInput(f"There is no evidence {unknown[0]!r}; choose from {', '.join(SOURCES)}.")
        return cls(**{name: name in sources for name in SOURCES}) if sources else cls()

    def names(self) -> list[str]:
        """The sources that count."""
        return [name for name in SOURCES if getattr(self, name)]

    @classmethod
    def standard(cls, db: Database) -> Evidence:
        """The sources of the headline, with the time limit that the imported server ran with."""
        return cls().under(settings_in_force(db).params)

    def bindings(self) -> dict[str, Any]:
        """The bound values of judge/prompts.sql and judge/judge.sql."""
        return {
            "linked": self.linked,
            "hand": self.hand,
            "unlinked": self.unlinked,
            "blanket": self.blanket,
            "late": self.late,
            "timeout_ms": self.timeout_ms,
            "hook_limit_ms": HOOK_LIMIT_MS,
            "hook_clients": list(HOOK_CLIENTS),
        }
