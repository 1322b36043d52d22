"""The decision that answers by hand are to settle."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.metrics.net_help import DEFAULT_NOISE_COST
from workbench.params import THRESHOLD, Params
from workbench.params.toml import read_toml
from workbench.replay.run import Settings
from workbench.tune import load_result, studies_folder

LOWER = 0.05


@dataclass(frozen=True)
class Decision:
    """Whether `proposed` is to take the place of `current`; `noise_cost` as in net_help, `name` says it to a person."""

    name: str
    current: Settings
    proposed: Settings
    noise_cost: float = DEFAULT_NOISE_COST


def pending_decision(in_force: Params, store: Path, against: str | None = None) -> Decision:
    """The configuration in force against a TOML file, a study, or by default the newest study that proposes a change.

    Without any, against a threshold that is LOWER than the present one: would the memories just below it help? BadInput
    for a file or a study that is not there.
    """
    name = against or _newest(store)
    if name is None:
        lower = max(0.0, round(float(in_force[THRESHOLD]) - LOWER, 6))
        return _decision(f"a threshold of {lower:.2f}", in_force, in_force.replace({THRESHOLD: lower}))
    if Path(name).suffix == ".toml" or Path(name).is_file():
        return _decision(name, in_force, read_toml(Path(name)))
    return _decision(f"study {name}", in_force, Params(load_result(studies_folder(store), name)["config"]))


def _decision(name: str, in_force: Params, proposed: Params) -> Decision:
    return Decision(name, Settings(in_force, in_force), Settings(proposed, in_force))


def _newest(store: Path) -> str | None:
    """The study that ended last of those that propose a change."""
    folder = studies_folder(store)
    files = sorted(folder.glob("*.json"), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in files:
        result = load_result(folder, file.stem)
        if result["config"] != result["current"]:
            return file.stem
    return None
