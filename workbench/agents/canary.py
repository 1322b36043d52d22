"""Two configurations over the same sessions: each session is assigned at random, and always alike."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from workbench.errors import BadConfig
from workbench.params import Params

CANDIDATE, CURRENT = "candidate", "current"


@dataclass(frozen=True)
class Arm:
    """The configuration that a session gets; `params` None: the one in force. It is recorded with each recall."""

    name: str
    params: Params | None
    seed: str
    share: float

    def record(self, in_force: Params) -> dict[str, Any]:
        """What is kept of it: name, seed, share, and the values that differ from the defaults."""
        config = (self.params or in_force).changed_from(Params.default())
        return {"name": self.name, "seed": self.seed, "share": self.share, "config": config}


@dataclass(frozen=True)
class Canary:
    """`candidate` answers a `share` (0..1) of the sessions, chosen by a hash of `seed` and session; None: nothing is
    shared and nothing recorded. Without a session the configuration in force answers."""

    candidate: Params | None = None
    share: float = 1.0
    seed: str = "1"

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise BadConfig(f"The share of sessions must lie in 0 to 1, not {self.share:g}.")

    def arm(self, session: str | None) -> Arm | None:
        """The arm of a session."""
        if self.candidate is None:
            return None
        chosen = self.share >= 1 or (session is not None and self._draw(session) < self.share)
        return Arm(CANDIDATE if chosen else CURRENT, self.candidate if chosen else None, self.seed, self.share)

    def _draw(self, session: str) -> float:
        digest = hashlib.sha256(f"{self.seed}\n{session}".encode(errors="surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") / 2**64
