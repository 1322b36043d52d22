"""Configuration leaving the workbench as TOML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.errors import BadInput
from workbench.params import Params
from workbench.params.files import write_atomic
from workbench.params.toml import edit_toml, render_toml


@dataclass(frozen=True)
class Proposal:
    """A configuration to export, the present one, and what may be said of it, one line each."""

    params: Params
    current: Params
    comment: Sequence[str] = ()

    @property
    def changed(self) -> list[str]:
        """The keys that differ from the present configuration."""
        return list(self.params.changed_from(self.current))

    @property
    def inverse(self) -> Proposal:
        """The configuration that undoes this one."""
        return Proposal(self.current, self.params, ["Undoes the proposed changes: the values that were in force."])


def proposal_of(result: Mapping[str, Any]) -> Proposal:
    """The proposal of a tuning result (its JSON form); BadInput when the study found nothing within its limits."""
    if not result["feasible"]:
        raise BadInput(f"The study {result['study']} found no configuration within its limits; nothing is exported.")
    comment = [
        f"Study {result['study']}: {result['verdict']}.",
        *result["reasons"],
        f"Trained on {result['split']['train_prompts']} prompts with {result['split']['train_used']} used memories, "
        f"held out {result['split']['holdout_prompts']} with {result['split']['holdout_used']}.",
    ]
    return Proposal(Params(result["config"]), Params(result["current"]), comment)


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
