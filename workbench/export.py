"""Configuration leaving the workbench as TOML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.errors import BadInput
from workbench.params import KEYS, Params, snap
from workbench.params.files import write_atomic
from workbench.params.toml import Edit, edit_toml, planned_edit, render_toml


@dataclass(frozen=True)
class Proposal:
    """A configuration to export, the present one, what may be said of it, one line each, and where it comes from."""

    params: Params
    current: Params
    comment: Sequence[str] = ()
    source: str = "the proposed changes"

    @property
    def changed(self) -> list[str]:
        """The keys that differ from the present configuration."""
        return list(self.params.changed_from(self.current))

    @property
    def inverse(self) -> Proposal:
        """The configuration that undoes this one."""
        return Proposal(self.current, self.params, [f"Undoes {self.source}: the values that were in force before."])


def proposal_of(result: Mapping[str, Any]) -> Proposal:
    """The proposal of a tuning result (its JSON form); BadInput when the study found nothing within its limits.

    The comment says the verdict with its reasons and counts, and nothing beyond. Changed values lie on the steps of
    their keys.
    """
    if not result["feasible"]:
        raise BadInput(f"The study {result['study']} found no configuration within its limits; nothing is exported.")
    current = Params(result["current"])
    tuned = Params(result["config"]).changed_from(current)
    params = current.replace({name: snap(KEYS[name], value) for name, value in tuned.items()})
    return Proposal(params, current, _comment(result, bool(tuned)), f"the study {result['study']}")


def _comment(result: Mapping[str, Any], changes: bool) -> list[str]:
    split, days = result["split"], result.get("data", {})
    return [
        f"Study {result['study']}: {result['verdict']}.",
        *([] if changes else ["These are the values in force when it was tuned: nothing is changed."]),
        *result["reasons"],
        f"Data: prompts from {days.get('first_day') or 'unknown'} to {days.get('last_day') or 'unknown'}; trained on "
        f"{split['train_prompts']} with {split['train_used']} used memories, held out {split['holdout_prompts']} with "
        f"{split['holdout_used']}.",
    ]


def toml_text(proposal: Proposal, changed_only: bool) -> str:
    """The configuration as TOML, with what may be said of it as comment."""
    only = proposal.changed if changed_only else None
    return render_toml(proposal.params, only, "\n".join(proposal.comment))


def export_to(proposal: Proposal, out: Path, changed_only: bool) -> None:
    """Write the TOML to `out`, whole or not at all."""
    write_atomic(out, toml_text(proposal, changed_only).encode())


def export_into(proposal: Proposal, file: Path) -> list[str]:
    """Set the changed keys in an existing file, keeping everything else; returns those whose values changed there."""
    return edit_toml(file, proposal.params, proposal.changed)


def planned_into(proposal: Proposal, file: Path) -> Edit:
    """What export_into would do; nothing is written."""
    return planned_edit(file, proposal.params, proposal.changed)
