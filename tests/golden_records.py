"""Golden records of the real server, turned into the relations that merge.sql and score.sql take.

A record holds the raw rows of all signals once, for the default configuration; the others share them.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from workbench.params import Params
from workbench.replay.run import Settings

ROWS = ("exact_rows", "glossary_rows", "dense_rows", "lexical_rows")


@dataclass
class Golden:
    """Records of one file by prompt; `shared` holds the default records that carry the raw rows."""

    records: list[dict[str, Any]] = field(default_factory=list)
    shared: dict[str, dict[str, Any]] = field(default_factory=dict)

    def rows(self, record: Mapping[str, Any], name: str) -> list[Any]:
        rows = record.get(name, self.shared[record["prompt_id"]][name])
        return rows if isinstance(rows, list) else self.shared[record["prompt_id"]]["simple"][name]

    def tokens(self, record: Mapping[str, Any]) -> int:
        meta = record.get("retrieval_meta") or record
        own: int | None = meta.get("query_tokens")
        shared: int = self.shared[record["prompt_id"]]["retrieval_meta"]["query_tokens"]
        return shared if own is None else own


def load(path: Path, simple: Golden | None = None) -> Golden:
    """Read a golden file; `simple` supplies the rows that a jieba file calls the same."""
    golden = Golden()
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if "error" in record:
                continue
            if record["config"] == "default":
                if simple is not None:
                    record["simple"] = simple.shared[record["prompt_id"]]
                golden.shared[record["prompt_id"]] = record
            golden.records.append(record)
    return golden


def groups(golden: Golden) -> Iterator[tuple[str, dict[str, Any], list[dict[str, Any]]]]:
    """Records that run with the same settings: (configuration, overrides of the request, records)."""
    grouped: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for record in golden.records:
        grouped.setdefault((record["config"], json.dumps(record["body"], sort_keys=True)), []).append(record)
    for (config, body), records in grouped.items():
        yield config, json.loads(body), records


def bindings(record: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    """The bound values of one group. A request may carry display values outside the range of the settings."""
    server = {key: value for key, value in record["settings"].items() if key != "recall.recency.max_bonus" or value}
    params = Params.default().replace(server)
    bound = Settings(
        params,
        Params.default(),
        limit=body.get("limit"),
        min_score=body.get("min_score", 0.0),
        exclude_boot=body.get("exclude_boot_from_results", True),
    ).bindings()
    for key in ("max_display_items", "min_display_score"):
        bound[key] = body.get(key, bound[key])
    bound["slice"] = max(body.get("limit") or 12, bound["max_display_items"], 1)
    return bound


def depth(record: Mapping[str, Any], body: Mapping[str, Any]) -> int:
    """How many rows each signal returned for this record (recall semantics, section 3)."""
    items: int = body.get("max_display_items", record["settings"].get("recall.display.max_display_items", 3))
    return min(300, max(1, max(body.get("limit") or 12, items, 1) * 8))


def signal_rows(golden: Golden, records: list[dict[str, Any]]) -> pa.Table:
    """The raw rows of the records as the relation signal_rows."""
    rows: list[tuple[Any, ...]] = []
    for record in records:
        arrival = 0
        for name in ROWS:
            for row in golden.rows(record, name):
                rows.append((record["prompt_id"], *_signal_row(name, row), arrival))
                arrival += 1
    names = ("query_id", "uri", "signal", "view_type", "raw_score", "weight", "priority", "updated_at", "arrival")
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    types = (pa.string(),) * 4 + (pa.float64(),) * 2 + (pa.int32(), pa.string(), pa.int64())
    return pa.table({n: pa.array(c, t) for n, c, t in zip(names, columns, types, strict=True)})


def _signal_row(name: str, row: Any) -> tuple[Any, ...]:
    if name == "exact_rows":
        return (row["uri"], "exact", None, row["exact_score"], 1.0, row["priority"], row["updated_at"])
    if name == "glossary_rows":
        return (row[0], "glossary_semantic", None, row[2], 1.0, row[3], row[4])
    return (row[0], name.removesuffix("_rows"), row[1], row[2], row[3], row[4], row[-1])


def queries(golden: Golden, records: list[dict[str, Any]]) -> pa.Table:
    """The relation queries of the records."""
    return pa.table(
        {
            "query_id": pa.array([record["prompt_id"] for record in records], pa.string()),
            "now": pa.array([record["now"] for record in records], pa.string()),
            "query_tokens": pa.array([golden.tokens(record) for record in records], pa.int32()),
        }
    )
