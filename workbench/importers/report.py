"""What an import did, row by row and in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.importers.staging import Rejected
from workbench.importers.upsert import Counts

MOST_REJECTED = 1000

_MEMORY_SIDE = (
    "app_settings", "nodes", "memories", "edges", "paths", "memory_views", "glossary_term_embeddings", "memory_events",
)  # fmt: skip


@dataclass(frozen=True)
class ImportReport:
    """`tables` has a row for each table of the source or derived; `rejected` names every row left out."""

    source: str
    kind: str
    tables: Mapping[str, Counts]
    rejected: Sequence[Rejected]
    warnings: Sequence[str]
    capabilities: Mapping[str, Any]
    tokenizer: str

    @property
    def memories_changed(self) -> bool:
        """Whether settings or memories changed, on which the replay of every query rests."""
        return any(self.tables[name].changed for name in _MEMORY_SIDE if name in self.tables)

    def as_json(self) -> dict[str, Any]:
        """The document of `workbench import --json`; at most MOST_REJECTED rejected rows, with their total."""
        return {
            "source": self.source,
            "kind": self.kind,
            "tokenizer": self.tokenizer,
            "tables": {name: counts.as_json() for name, counts in self.tables.items()},
            "rejected": [{"where": one.where, "reason": one.reason} for one in self.rejected[:MOST_REJECTED]],
            "rejected_total": len(self.rejected),
            "warnings": list(self.warnings),
            "capabilities": dict(self.capabilities),
        }
