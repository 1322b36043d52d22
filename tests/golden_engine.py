"""The engine from prompt text to the recall block, held against the real server.

`python tests/golden_engine.py FOLDER` prints the comparison by layer; FOLDER holds golden results and `tables/`.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from golden_records import Golden, bindings, depth, groups, load

from workbench.jobs import import_log
from workbench.replay.block import recall_block
from workbench.replay.engine import CANDIDATES, CUES, retrieve_candidates
from workbench.replay.query import Query, prepare
from workbench.replay.run import candidates_of, full_chain
from workbench.retrieve.corpus import Corpus, load_corpus
from workbench.retrieve.engine import MOST_ROWS, Depth, Prompt, retrieve
from workbench.store import Database, compose, reading
from workbench.text import trimmed
from workbench.textsearch import tokenizer

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
VECTOR_TOLERANCE = 3e-7
SCORE_TOLERANCE = 1.000001e-6
SIGNALS = {"exact": "exact", "glossary": "glossary_semantic", "dense": "dense", "lexical": "lexical"}
FLAGS = ("path_exact_hit", "glossary_exact_hit", "glossary_text_hit", "query_contains_glossary_hit", "glossary_fts_hit")


@dataclass
class Comparison:
    """Counts by layer: equal, and different with the first examples; `tied` records have a tie at a row limit."""

    equal: Counter[str] = field(default_factory=Counter)
    different: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    tied: Counter[str] = field(default_factory=Counter)

    def note(self, layer: str, where: str, wanted: Any, got: Any) -> None:
        """Count one comparison of `layer`."""
        if wanted == got:
            self.equal[layer] += 1
        else:
            self.different[layer].append(f"{where}: wanted {_short(wanted)}, got {_short(got)}")

    def lines(self) -> list[str]:
        """The comparison for a person."""
        layers = sorted({*self.equal, *self.different, *self.tied})
        lines = [f"{'layer':<24}{'equal':>9}{'tied':>7}{'different':>11}"]
        for layer in layers:
            lines.append(
                f"{layer:<24}{self.equal[layer]:>9,}{self.tied[layer]:>7,}{len(self.different.get(layer, ())):>11,}"
            )
            lines += [f"    {example}" for example in self.different.get(layer, ())[:3]]
        return lines


@dataclass(frozen=True)
class Case:
    """One golden record with the query that was searched."""

    record: Mapping[str, Any]
    query: Query

    @property
    def name(self) -> str:
        return str(self.record["prompt_id"])

    @property
    def where(self) -> str:
        return f"{self.record['config']} {self.name} {self.record['query'][:40]!r}"


@contextmanager
def imported(folder: Path) -> Iterator[Database]:
    """A store with the tables of `folder`."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "golden.duckdb"
        import_log(path, str(folder / "tables"))
        with reading(path) as db:
            yield db


def compare(folder: Path, name: str) -> Comparison:
    """Compare all records of the tokenizer `name` in `folder`."""
    simple = load(folder / "golden_recall.jsonl.gz")
    golden = simple if name == "simple" else load(folder / "golden_recall_jieba.jsonl.gz", simple)
    vectors = _embeddings(folder / "embeddings.parquet")
    comparison = Comparison()
    with imported(folder) as db:
        corpus = load_corpus(db, tokenizer(name), _model(golden))
        for (limit, rows), found in _by_retrieval(golden).items():
            _compare_group(corpus, golden, vectors, limit, rows, found, comparison)
    return comparison


Group = tuple[dict[str, Any], list[dict[str, Any]]]


def _by_retrieval(golden: Golden) -> dict[tuple[int, Depth], list[Group]]:
    """Groups of records with the bound values of their display, by what their retrieval depends on: the length of the
    query and the depth."""
    found: dict[tuple[int, Depth], list[Group]] = defaultdict(list)
    for _, body, records in groups(golden):
        bound = bindings(records[0], body)
        limit = int(records[0]["settings"].get("recall.safety.max_query_chars", 200))
        rows = Depth(depth(records[0], body), body.get("domain"), bound["gist_weight"], bound["question_weight"])
        found[limit, rows].append((bound, records))
    return found


def _model(golden: Golden) -> str:
    model: str = next(iter(golden.shared.values()))["retrieval_meta"]["model"]
    return model


def _embeddings(path: Path) -> dict[str, list[float]]:
    table = pq.read_table(path)
    text, vector = table.column_names[:2]
    return dict(zip(table[text].to_pylist(), table[vector].to_pylist(), strict=True))


def _compare_group(
    corpus: Corpus,
    golden: Golden,
    vectors: Mapping[str, list[float]],
    limit: int,
    rows: Depth,
    found: Sequence[Group],
    comparison: Comparison,
) -> None:
    by_name = {record["prompt_id"]: Case(record, prepare(record["query"], limit)) for _, rs in found for record in rs}
    prompts = [Prompt(name, case.query.searched, NOW) for name, case in by_name.items()]
    matrix = np.array([vectors[" ".join(prompt.searched.split())] for prompt in prompts], np.float32)
    signals = _signals(corpus, prompts, matrix, rows)
    tied = _tied(signals, rows.row_limit, _signals(corpus, prompts, matrix, replace(rows, row_limit=MOST_ROWS)))
    retrieve_candidates(corpus, prompts, matrix, rows, cues=True)
    for bound, records in found:
        display = _display(corpus.db, bound, [record["prompt_id"] for record in records])
        for record in records:
            case = Case(record, by_name[record["prompt_id"]].query)
            _compare_query(case, golden, corpus, comparison)
            if "exact_rows" in record:
                _compare_rows(case, golden, signals[case.name], tied, comparison)
            _compare_display(case, display[case.name], tied, comparison)


Rows = dict[str, dict[str, list[dict[str, Any]]]]


def _signals(corpus: Corpus, prompts: Sequence[Prompt], matrix: Any, rows: Depth) -> Rows:
    """Signal rows by prompt and signal, in order of arrival."""
    found: Rows = {prompt.query_id: {signal: [] for signal in SIGNALS.values()} for prompt in prompts}

    def take(db: Database) -> None:
        for row in db.arrow("SELECT * FROM signal_rows ORDER BY query_id, arrival").to_pylist():
            found[row["query_id"]][row["signal"]].append(row)

    retrieve(corpus, prompts, matrix, rows, take)
    return found


def _tied(found: Rows, limit: int, deep: Rows) -> dict[str, set[str]]:
    """By prompt, the addresses of rows that are as good as the last one within the limit, where others were cut off."""
    tied: dict[str, set[str]] = defaultdict(set)
    for prompt, signals in found.items():
        for signal, rows in signals.items():
            beyond = deep[prompt][signal][limit:]
            if len(rows) == limit and beyond and _as_good(beyond[0], rows[-1]):
                last = rows[-1]
                tied[prompt] |= {row["uri"] for row in deep[prompt][signal] if _as_good(row, last)}
    return tied


def _as_good(row: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether nothing but the physical order or the rounding of vectors on the server decides between two rows."""
    if row["signal"] in ("dense", "glossary_semantic"):
        near = abs(row["raw_score"] - other["raw_score"])
        if 0 < near < 2 * VECTOR_TOLERANCE:
            return True
    else:
        near = abs(row["raw_score"] * row["weight"] - other["raw_score"] * other["weight"])
    lengths = [len(one["uri"].partition("://")[2]) for one in (row, other)]
    same = all(row[key] == other[key] for key in ("priority", "view_type", "keyword"))
    return near == 0 and lengths[0] == lengths[1] and same


def _display(db: Database, bound: Mapping[str, Any], names: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    db.register("wanted_rows", pa.table({"query_id": names}))
    chain = full_chain(candidates_of("wanted_rows", CANDIDATES))
    select = (
        f"SELECT d.*, c.cues, c.matched_on FROM {{last}} AS d JOIN {CUES} AS c USING (query_id, uri)"
        " ORDER BY query_id, ranked_position"
    )
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in db.arrow(compose(chain, select), bound).to_pylist():
        rows[row["query_id"]].append(row)
    db.unregister("wanted_rows")
    return rows


def _compare_query(case: Case, golden: Golden, corpus: Corpus, comparison: Comparison) -> None:
    record = case.record
    wanted = record["retrieval_query"].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    comparison.note("query text", case.where, wanted, case.query.searched)
    tokens = max(1, len(corpus.tokenizer.query(trimmed(case.query.searched))))
    comparison.note("query tokens", case.where, golden.tokens(record), tokens)


def _compare_rows(
    case: Case, golden: Golden, found: Mapping[str, list[Any]], tied: Mapping[str, set[str]], comparison: Comparison
) -> None:
    record = case.record
    arbitrary = tied.get(case.name, set())
    exact = [_exact(row) for row in golden.rows(record, "exact_rows")]
    comparison.note("exact rows, order", case.where, exact, [_own_exact(row) for row in found["exact"]])
    lexical = {(r[0], r[1], r[2], r[3], r[4], r[5], r[6][:23]) for r in golden.rows(record, "lexical_rows")}
    own = {
        (r["uri"], r["view_type"], r["raw_score"], r["weight"], r["priority"], r["flags"], _stamp(r["updated_at"]))
        for r in found["lexical"]
    }
    _note_set(comparison, "lexical rows", case.where, lexical, own, arbitrary)
    for name, key in (("glossary", "keyword"), ("dense", "view_type")):
        wanted = {(row[0], row[1]): row[2] for row in golden.rows(record, f"{name}_rows")}
        got = {(row["uri"], row[key]): row["raw_score"] for row in found[SIGNALS[name]]}
        _note_set(comparison, f"{name} rows", case.where, set(wanted), set(got), arbitrary)
        far = [pair for pair in wanted.keys() & got.keys() if abs(wanted[pair] - got[pair]) > VECTOR_TOLERANCE]
        comparison.note(f"{name} similarities", case.where, [], far)


def _note_set(
    comparison: Comparison, layer: str, where: str, wanted: set[Any], got: set[Any], arbitrary: set[str]
) -> None:
    difference = wanted ^ got
    if difference and all(row[0] in arbitrary for row in difference) and len(wanted) == len(got):
        comparison.tied[layer] += 1
    else:
        comparison.note(layer, where, sorted(wanted - got, key=str), sorted(got - wanted, key=str))


def _exact(row: Mapping[str, Any]) -> tuple[Any, ...]:
    flags = sum(row[flag] << bit for bit, flag in enumerate(FLAGS))
    return row["uri"], row["exact_score"], row["priority"], flags, row["cue_terms"], row["updated_at"][:23]


def _own_exact(row: Mapping[str, Any]) -> tuple[Any, ...]:
    stamp = _stamp(row["updated_at"])
    return row["uri"], row["raw_score"], row["priority"], row["flags"], row["cue_terms"], stamp


def _stamp(when: datetime) -> str:
    return when.strftime("%Y-%m-%dT%H:%M:%S.%f")[:23]


def _compare_display(
    case: Case, rows: Sequence[Mapping[str, Any]], tied: Mapping[str, set[str]], comparison: Comparison
) -> None:
    record = case.record
    arbitrary = tied.get(case.name, set())
    ranked = [(c["uri"], c["score"]) for c in record["ranked"]] if "ranked" in record else record["ranked_scores"]
    got = {row["uri"]: row["score"] for row in rows}
    wrong = [
        (uri, score, got.get(uri))
        for uri, score in ranked
        if uri not in arbitrary and abs(got.get(uri, 9.0) - score) > SCORE_TOLERANCE
    ]
    comparison.note("scores", case.where, [], wrong)
    if not arbitrary:
        comparison.note("number of candidates", case.where, record.get("n_ranked", len(ranked)), len(rows))
    comparison.note("order", case.where, [], _misplaced(ranked, got, arbitrary))
    _compare_shown(case, rows, arbitrary, comparison)
    if "ranked" in record:
        own = {row["uri"]: (row["cues"], row["matched_on"]) for row in rows}
        for one in record["ranked"]:
            if one["uri"] not in arbitrary:
                comparison.note("cues", case.where, one["cues"], own[one["uri"]][0])
                comparison.note("matched_on", case.where, one["matched_on"], own[one["uri"]][1])


def _misplaced(ranked: Sequence[Any], got: Mapping[str, float], arbitrary: set[str]) -> list[Any]:
    """Pairs of neighbours that stand the other way round although their scores differ by more than the tolerance."""
    kept = [(uri, score) for uri, score in ranked if uri not in arbitrary and uri in got]
    return [
        (first, second)
        for (first, high), (second, low) in pairwise(kept)
        if high - low > SCORE_TOLERANCE and got[first] <= got[second]
    ]


def _compare_shown(case: Case, rows: Sequence[Mapping[str, Any]], arbitrary: set[str], comparison: Comparison) -> None:
    record = case.record
    shown = sorted((row for row in rows if row["shown"]), key=lambda row: row["displayed_position"])
    items = [(item["uri"], item["cues"]) for item in record["items"]]
    suppressed = {cause: sum(row["suppressed_by"] == cause for row in rows) for cause in ("boot", "score")}
    if arbitrary and items != [(row["uri"], row["cues"]) for row in shown]:
        comparison.tied["items"] += 1
        return
    comparison.note("items", case.where, items, [(row["uri"], row["cues"]) for row in shown])
    comparison.note("suppressed", case.where, record["suppressed"], suppressed)
    if "block" in record:
        own = recall_block(
            [(row["score"], row["uri"], row["cues"]) for row in shown],
            session_id=record["session_id"],
            query_id=(record.get("event_log") or {}).get("query_id"),
        )
        comparison.note("recall block", case.where, record["block"], own)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 220 else text[:220] + "…"


def main(folder: Path) -> int:
    """Print the comparison of both tokenizers; 3 when anything differs."""
    worst = 0
    for name in ("simple", "jieba"):
        comparison = compare(folder, name)
        print(f"\n{name}:", *comparison.lines(), sep="\n")  # noqa: T201
        worst = max(worst, 3 if any(comparison.different.values()) else 0)
    return worst


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
