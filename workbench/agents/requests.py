"""Who asks, and what a single request may ask otherwise than the configuration says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from workbench.params import Params
from workbench.replay.run import Settings
from workbench.text import trimmed
from workbench.textsearch.characters import well_formed

MOST_PLACES = 20


@dataclass(frozen=True)
class Caller:
    """`session_id` is the session that the agent is in, as far as it is known; `client` is its client type."""

    session_id: str | None = None
    client: str | None = None

    def known(self) -> Caller:
        """With nothing where a name is empty; characters that no text holds become U+FFFD."""
        session, client = (trimmed(well_formed(name or "")) or None for name in (self.session_id, self.client))
        return Caller(session, client)


@dataclass(frozen=True)
class Overrides:
    """What one recall asks for; None leaves it to the configuration. `max_display_items` below 1 counts as 1, above
    MOST_PLACES as that."""

    limit: int | None = None
    min_score: float = 0.0
    max_display_items: int | None = None
    min_display_score: float | None = None
    exclude_boot: bool = True
    domain: str | None = None

    def on(self, settings: Settings) -> Settings:
        """`settings` as this request has them. BadConfig for a value outside the range of its key."""
        changes: dict[str, float] = {}
        if self.max_display_items is not None:
            changes["recall.display.max_display_items"] = max(1, min(MOST_PLACES, self.max_display_items))
        if self.min_display_score is not None:
            changes["recall.display.min_display_score"] = self.min_display_score
        params: Params = settings.params.replace(changes) if changes else settings.params
        return replace(
            settings, params=params, limit=self.limit, min_score=self.min_score, exclude_boot=self.exclude_boot
        )


def distinct_names(names: Iterable[str | None]) -> list[str]:
    """The names that are not empty, each once whatever its case, in their order."""
    found: dict[str, str] = {}
    for name in names:
        if text := trimmed(well_formed(name or "")):
            found.setdefault(text.lower(), text)
    return [*found.values()]
