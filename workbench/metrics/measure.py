"""What a measure is: a name that is its label and key, its parameters as data, and one SQL stage."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from workbench.errors import BadInput
from workbench.store import sql_text


@dataclass(frozen=True)
class Measure:
    """A figure of a configuration. The statement `sql` computes it for each prompt from `lists` (metrics/lists.sql);
    the dataclass fields are its bound values. `stage` names the file that the statement stands in."""

    stage: ClassVar[str] = ""
    label: ClassVar[str]
    unit: ClassVar[str] = "0..1"
    signed: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """The label with its parameters, for example `nDCG@3`; unique."""
        values = list(self.bindings().values())
        return f"{self.label}@{values[0]:g}" if values else self.label

    @property
    def sql(self) -> str:
        """All columns of `lists` and: judged, unhelpful, low, high, the weights judged_n and n, optional."""
        return sql_text(self.stage)

    def bindings(self) -> dict[str, Any]:
        """Parameter name to value."""
        return asdict(self)


def checked_cutoff(k: int) -> None:
    """Refuse a cut-off that is no positive whole number."""
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise BadInput(f"A cut-off must be a whole number of at least 1, not {k!r}.")
