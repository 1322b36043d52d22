"""What stood when: addresses, texts and keywords over time, from the tables of now and the memory events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.store import Database, Stage, compose

ADDRESSES = "address_versions"
CONTENTS = "content_versions"
KEYWORDS = "keyword_versions"
IDENTITY = "identity"
REBUILDS = "rebuilds"

# A rebuild writes row after row; ordinary edits neither touch this many old memories at once nor this share of them.
_REBUILD = {"gap_seconds": 60, "least_rows": 10, "least_share": 0.1, "least_share_moved": 0.5}

_ADDRESS_SPANS = ("corpus/recorded", "corpus/spans", "corpus/address_says", "corpus/address_marks",
                  "corpus/address_segments", "corpus/address_versions")  # fmt: skip
_KEYWORD_SPANS = ("corpus/keyword_events", "corpus/held", "corpus/last_event", "corpus/keyword_facts")

_STEPS: tuple[tuple[str, tuple[Stage, ...]], ...] = (
    ("memory_history", ("corpus/memory_history",)),
    ("present_addresses", ("corpus/present_addresses",)),
    ("node_endings", ("corpus/node_endings",)),
    (REBUILDS, ("corpus/rebuilds",)),
    ("address_events", ("corpus/moves", "corpus/address_events")),
    ("facts", ("corpus/address_signs", "corpus/address_facts")),
    (ADDRESSES, _ADDRESS_SPANS),
    ("content_claims", ("corpus/content_claims",)),
    (CONTENTS, ("corpus/content_versions",)),
    ("facts", _KEYWORD_SPANS),
    (KEYWORDS, ("corpus/spans", "corpus/keyword_versions")),
    (IDENTITY, ("corpus/identity",)),
)
_SORTED = {ADDRESSES: "uri, valid_from", CONTENTS: "node_uuid, valid_from", KEYWORDS: "node_uuid, keyword, valid_from",
           IDENTITY: "uri, valid_from", REBUILDS: "first, kind"}  # fmt: skip


@dataclass(frozen=True)
class History:
    """How far the history of a store reaches: rows of each relation by certainty (`known`, `assumed`), and what it
    cannot say, by name and count. Nothing of it is guessed without being counted here."""

    certainty: Mapping[str, Mapping[str, int]]
    gaps: Mapping[str, int]

    def as_json(self) -> dict[str, dict[str, object]]:
        """Both mappings."""
        return {"certainty": {name: dict(counts) for name, counts in self.certainty.items()}, "gaps": dict(self.gaps)}

    def sentences(self) -> list[str]:
        """What the history of the memories cannot say, one sentence a gap."""
        return [f"History: {count:,} {gap}." for gap, count in self.gaps.items()]


def build_versions(db: Database) -> None:
    """Write the temporary tables that say what stood when; every run gives the same.

    address_versions (uri, domain, path, node_uuid, priority, disclosure, valid_from, valid_to, certainty),
    content_versions (node_uuid, memory_id, content, valid_from, valid_to, certainty), keyword_versions (node_uuid,
    keyword, valid_from, valid_to, certainty), identity (uri, node_uuid, valid_from, valid_to, certainty) and rebuilds
    (kind, first, last, rows, share). Times are UTC; valid_from is -infinity where nothing tells a beginning, valid_to
    is exclusive and NULL while it lasts. At any time an address leads to at most one node, and a node has at most
    one text. Rows without a valid_to are the tables of now.
    """
    for name, stages in _STEPS:
        order = f" ORDER BY {_SORTED[name]}" if name in _SORTED else ""
        sql = compose(stages, f"SELECT * FROM {{last}}{order}")
        db.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {sql}", _REBUILD)
    db.execute("DROP TABLE facts; DROP TABLE content_claims")


def history(db: Database) -> History:
    """Count what the versions rest on; call after `build_versions`."""
    tables = (ADDRESSES, CONTENTS, KEYWORDS, IDENTITY)
    certainty = {
        name: {"known": 0, "assumed": 0} | dict(db.rows(f"SELECT certainty, count(*) FROM {name} GROUP BY 1"))
        for name in tables
    }
    return History(certainty, dict(db.rows(compose(("corpus/newest", "corpus/gaps")))))
