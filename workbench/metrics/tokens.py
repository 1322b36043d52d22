"""What the shown memories would take of the agent's context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from workbench.metrics.measure import Measure


@dataclass(frozen=True)
class ContextTokens(Measure):
    """Tokens of the contents of what is shown for a prompt, estimated as a third of the characters; mean over prompts
    for which the store holds all of these contents."""

    stage: ClassVar[str] = "metrics/tokens"
    label: ClassVar[str] = "context_tokens"
    unit: ClassVar[str] = "tokens"
