"""The four-way ledger: what a configuration keeps, loses, removes and newly shows."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Ledger:
    """Counts of (query, node) pairs over `prompts` queries.

    `used_kept` and `used_lost`: used in the log, shown by the configuration or not. `unused_kept` and `removed`: shown
    and not used, still shown or not. `newly_shown`: never shown before, so nothing is known of them. `unjudged_*`:
    shown in the log with the evidence set aside (late recall, mark that does not count). `silent_prompts` show nothing.
    Where evidence beyond the log counts, `newly_helpful` and `newly_unhelpful` are newly shown and known (they are not
    in `newly_shown`), and `missed` are known to be helpful and shown by neither.
    """

    prompts: int
    shown: int
    used_kept: int
    used_lost: int
    unused_kept: int
    removed: int
    newly_shown: int
    silent_prompts: int
    unjudged_kept: int = 0
    unjudged_removed: int = 0
    newly_helpful: int = 0
    newly_unhelpful: int = 0
    missed: int = 0

    @property
    def used(self) -> int:
        """Used pairs of the log."""
        return self.used_kept + self.used_lost

    @property
    def logged_shown(self) -> int:
        """Pairs that production showed."""
        return self.used + self.unused_kept + self.removed + self.unjudged_kept + self.unjudged_removed

    @property
    def unknown_shown(self) -> int:
        """Shown pairs whose helpfulness is unknown."""
        return self.newly_shown + self.unjudged_kept

    def as_json(self) -> dict[str, int]:
        """Field to count."""
        return asdict(self)
