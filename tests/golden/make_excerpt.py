"""Write the excerpt of the golden records that the tests carry: `python make_excerpt.py CONFORMANCE_FOLDER`.

Kept of a recall: raw rows, settings, token counts, expected scores, order, shown addresses and counts. Prompts, blocks
and cues are left out. Of the full-text facts, some are kept whole.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

EVERY = 21
KEPT = ("fts", "config", "prompt_id", "body", "now", "settings", "suppressed", "n_ranked", "query_tokens",
        "glossary_rows", "dense_rows", "lexical_rows", "ranked_scores")  # fmt: skip
TEXT = ("config", "text", "tsvector", "plain_tsquery", "or_tsquery", "query_tokens")
RANK = ("config", "mode", "query", "tsvector", "tsquery", "rank_cd_32", "rank_cd_32_text", "match")
EXACT = ("uri", "exact_score", "priority", "updated_at")


def wanted(record: dict[str, Any]) -> bool:
    return "error" not in record and (int(record["prompt_id"][1:]) % EVERY == 0 or bool(record["body"]))


def excerpt(record: dict[str, Any]) -> dict[str, Any]:
    """The numeric part of a record; the query is replaced by its length, which is all that a comparison needs."""
    kept = {name: record[name] for name in KEPT if name in record}
    kept["retrieval_query"] = len(record["retrieval_query"])
    kept["items"] = [{"uri": item["uri"]} for item in record["items"]]
    if "exact_rows" in record:
        kept["exact_rows"] = [{name: row[name] for name in EXACT} for row in record["exact_rows"]]
    if "ranked" in record:
        kept["ranked"] = [{"uri": row["uri"], "score": row["score"]} for row in record["ranked"]]
    if "retrieval_meta" in record:
        kept["retrieval_meta"] = {"query_tokens": record["retrieval_meta"]["query_tokens"]}
    return kept


def write(source: Path, target: Path) -> None:
    with (
        gzip.open(source, "rt", encoding="utf-8") as lines,
        target.open("wb") as raw,
        gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as out,
    ):
        for record in map(json.loads, lines):
            if wanted(record):
                out.write(json.dumps(excerpt(record), ensure_ascii=False).encode() + b"\n")


def write_facts(source: Path, target: Path, every: int, kept: tuple[str, ...]) -> None:
    """The facts of a full-text file at a distance of `every` lines, with the fields in `kept`."""
    facts = map(json.loads, source.read_text(encoding="utf-8").splitlines()[::every])
    lines = [json.dumps({name: fact[name] for name in kept}, ensure_ascii=False) for fact in facts]
    target.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0))


if __name__ == "__main__":
    folder, here = Path(sys.argv[1]), Path(__file__).parent
    write(folder / "golden_recall.jsonl.gz", here / "recall_simple.jsonl.gz")
    write(folder / "golden_recall_jieba.jsonl.gz", here / "recall_jieba.jsonl.gz")
    write_facts(folder / "fts_tokens.jsonl", here / "fts_tokens.jsonl.gz", 3, TEXT)
    write_facts(folder / "fts_rank.jsonl", here / "fts_rank.jsonl.gz", 13, RANK)
