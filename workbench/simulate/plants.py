"""Kinds of worlds in which it is known what makes a memory helpful, and how the settings in force differ from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from workbench.errors import BadInput
from workbench.params import KEYS, THRESHOLD, Params, snap

Ranges = Mapping[str, tuple[float, float]]

EXACT, GLOSSARY, DENSE = (f"recall.weights.w_{signal}" for signal in ("exact", "glossary_semantic", "dense"))
SKEWED, WRONG_THRESHOLD, NO_SIGNAL, DEFAULT_BEST, DRIFT, CLIENT_MIX = WORLDS = (
    "skewed-weights", "wrong-threshold", "no-signal", "default-best", "drift", "client-mix",
)  # fmt: skip
DRIFTS_AT = 0.6
# What the log is made under, and what helps: ranges that weights are drawn from, each far enough from the other to cost
# two helpful memories or more in a hundred prompts.
_TOO_EXACT = {EXACT: (0.48, 0.60), DENSE: (0.15, 0.25), GLOSSARY: (0.12, 0.18)}
_ERRORS: Sequence[tuple[Ranges, Ranges]] = (
    ({}, {EXACT: (0.0, 0.06), GLOSSARY: (0.35, 0.48), DENSE: (0.15, 0.25)}),
    ({}, {EXACT: (0.0, 0.06), GLOSSARY: (0.08, 0.15), DENSE: (0.40, 0.50)}),
    ({}, {EXACT: (0.0, 0.05)}),
    (_TOO_EXACT, {}),
    (_TOO_EXACT, {GLOSSARY: (0.06, 0.10), DENSE: (0.42, 0.50)}),
    ({GLOSSARY: (0.45, 0.55), DENSE: (0.06, 0.12)}, {EXACT: (0.0, 0.05)}),
)
_THRESHOLDS = (-0.05, -0.04, 0.06, 0.08)
_FEW_LINKS = {"claudecode": 1.0, "codex": 0.5, "openclaw": 0.35, "pi": 0.1}
_OTHERS = ("codex", "pi")


@dataclass(frozen=True)
class Rule:
    """Helpfulness follows the score under `params` for prompts of `clients` (None: all) within the part `since` to
    `until` of the time, 0..1. `fitted`: its threshold is moved until it shows as much as the settings in force."""

    params: Params
    clients: tuple[str, ...] | None = None
    since: float = 0.0
    until: float = 1.0
    fitted: bool = True


@dataclass(frozen=True)
class Plant:
    """The log is made under `in_force`; `fitted`: with a threshold that shows as much as the defaults would. The first
    of `rules` that fits a prompt says what helps it; without rules nothing does but chance. `links`: how often a
    client, against others, hands the ids of a recall on."""

    name: str
    in_force: Params
    rules: tuple[Rule, ...]
    links: Mapping[str, float] = field(default_factory=dict)
    fitted: bool = True


def draw_plant(name: str, seed: int) -> Plant:
    """A world of the kind `name`; BadInput for a kind that there is not. The same seed gives the same plant."""
    rng = np.random.default_rng([seed, WORLDS.index(name)] if name in WORLDS else seed)
    default = Params.default()
    in_force, best = _error(rng)
    if name == SKEWED:
        return Plant(name, in_force, (Rule(best),))
    if name == WRONG_THRESHOLD:
        moved = float(default[THRESHOLD]) + float(rng.choice(_THRESHOLDS))
        in_force = default.replace({THRESHOLD: snap(KEYS[THRESHOLD], moved)})
        return Plant(name, in_force, (Rule(default, fitted=False),), fitted=False)
    if name == NO_SIGNAL:
        return Plant(name, default, ())
    if name == DEFAULT_BEST:
        return Plant(name, default, (Rule(default, fitted=False),))
    if name == DRIFT:
        return Plant(name, in_force, (Rule(best, until=DRIFTS_AT), Rule(in_force, since=DRIFTS_AT)))
    if name == CLIENT_MIX:
        return Plant(name, in_force, (Rule(best, clients=_OTHERS), Rule(in_force)), _FEW_LINKS)
    raise BadInput(f"There is no world {name!r}; choose from {', '.join(WORLDS)}.")


def _error(rng: np.random.Generator) -> tuple[Params, Params]:
    """Settings that a log is made under, and far better ones for it."""
    ranges = _ERRORS[int(rng.integers(len(_ERRORS)))]
    in_force, best = (
        {name: snap(KEYS[name], float(rng.uniform(*ends))) for name, ends in moved.items()} for moved in ranges
    )
    return Params(in_force), Params(best)
