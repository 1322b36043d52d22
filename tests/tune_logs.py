"""Small logs for tests of tuning, with a fault that a tuner can find, or with uses that mean nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import numpy as np
from log_builder import START, Candidate, Prompt, log_of

from workbench.store import Database

CLIENTS = ("claudecode", "codex", "pi")
A_SESSION = 4
_PLACES = 3
_BONUSES = 0.05 + 0.03 + 0.04  # priority, gist, recency


def _candidate(uri: str, exact: float, dense: float, *, used: bool, shown: bool = True) -> Candidate:
    events: list[dict[str, Any]] = [
        {"signal": "exact", "raw": exact},
        {"signal": "dense", "view": "gist", "raw": dense},
    ]
    return Candidate(uri, round(exact * 0.30 + dense * 0.30 + _BONUSES, 6), shown=shown, used=used, events=events)


def planted(number: int, rng: np.random.Generator, use: float) -> list[Candidate]:
    """One memory that helps, used in a share `use` of the prompts, above up to two that match words and not the sense:
    less exact weight or a higher threshold parts them. Another is not shown."""
    helps = _candidate("core://helps", 0.84, 0.95 + rng.uniform(-0.02, 0.04), used=bool(rng.random() < use))
    count = int(rng.integers(0, 3))
    noise = [_candidate(f"core://noise{n}", 1.0, 0.74 + rng.uniform(-0.003, 0.02), used=False) for n in range(count)]
    below = _candidate("core://below", 0.84, 0.72 + rng.uniform(-0.03, 0.03), used=False, shown=False)
    return [helps, *sorted(noise, key=lambda one: -one.score), below]


def meaningless(number: int, rng: np.random.Generator, use: float) -> list[Candidate]:
    """Three memories of varied strength, each used in a third of the share `use` whatever its signals."""
    several = [
        _candidate(f"core://m{n}", 0.84 + rng.uniform(0, 0.16), 0.93 + rng.uniform(-0.03, 0.07),
                   used=bool(rng.random() < use / 3))
        for n in range(_PLACES)
    ]  # fmt: skip
    return sorted(several, key=lambda one: -one.score)


@contextmanager
def tuned_log(kind: Any = planted, prompts: int = 300, seed: int = 1, use: float = 0.25) -> Iterator[Database]:
    """A store in memory with `prompts` prompts, A_SESSION of them a session."""
    rng = np.random.default_rng(seed)
    with log_of([
        Prompt(
            f"q{number:05}",
            kind(number, rng, use),
            text=f"prompt {number}",
            session=f"s{number // A_SESSION}",
            client=CLIENTS[number // A_SESSION % len(CLIENTS)],
            at=START + timedelta(minutes=17 * number),
        )
        for number in range(prompts)
    ]) as db:  # fmt: skip
        yield db
