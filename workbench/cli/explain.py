"""The command explain, and an explanation for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer

from workbench.cli.engine import LOGGED, AsOf, EngineOptions, Model, Signals, TokenizerName
from workbench.cli.options import Config, Db, Json, opened
from workbench.cli.output import cell, emit, table
from workbench.replay.explain import explain
from workbench.replay.tokenizers import AUTO
from workbench.text import shown

_MOST_CANDIDATES = 20
_MOST_ROWS = 40
_MOST_TOKENS = 60
_TEXT = 200


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("explain")(explain_command)


def explain_command(
    query_id: Annotated[str, typer.Argument(help="The query_id of a logged recall.")],
    uri: Annotated[str | None, typer.Argument(help="One memory; then also what would flip it.")] = None,
    db: Db = None,
    config: Config = None,
    signals: Signals = LOGGED,
    as_of: AsOf = LOGGED,
    tokenizer: TokenizerName = AUTO,
    model: Model = None,
    json: Json = False,
) -> None:
    """Show all stages of one prompt, the terms of each score, and what would change them."""
    engine = EngineOptions(signals, as_of, tokenizer, model)
    with opened(db, config) as (database, settings):
        found = explain(
            database, settings, query_id, uri, lambda selected: engine.retrieve(database, settings, selected, json)
        )
        said = {"signals": signals, **found.as_json()}
    emit(said, json, explain_text(said, uri))


def explain_text(said: Mapping[str, Any], uri: str | None = None, *, logged: bool = True) -> str:
    """An explanation (its JSON form) for a person: the stages in the order in which they run, and beside them what
    the log says where the prompt is `logged`."""
    parts = [*_query_lines(said), *_signal_lines(said, uri), *_candidate_lines(said, logged=logged)]
    parts += _memory_lines(said) if uri is not None else ["", *_reach_lines(said["reachability"])]
    return "\n".join(parts)


def _query_lines(said: Mapping[str, Any]) -> Iterator[str]:
    query = said["query"]
    yield f"Query {said['query_id']} at {cell(query['now'])}, {query['query_tokens']} tokens"
    if query["envelope"]:
        yield f"Stripped from the front: {shown(query['envelope'], _TEXT)}"
    yield f"Searched: {shown(query['searched'], _TEXT)}"
    if query["query_truncated"]:
        yield (
            f"Only the first {query['query_chars']:,} of {query['original_query_chars']:,} characters were searched "
            f"(limit {query['limit']}, {query['limit_source']}). {query['limit_note']}".rstrip()
        )
        yield f"Not searched: {shown(query['unsearched'], _TEXT)}"
    if query["class"]:
        yield f"Hint: {query['class']}: the question stands where no signal looked."
    if query["tokens"] is not None:
        tokens = " · ".join(shown(token) for token in query["tokens"][:_MOST_TOKENS])
        differs = "" if query["tokens_agree"] is not False else f" (the log counts {query['query_tokens']})"
        yield f"Tokens by {query['tokenizer']}: {tokens or '(none)'}{differs}"
    yield from _notes(said, "query")


def _signal_lines(said: Mapping[str, Any], uri: str | None) -> Iterator[str]:
    rows = said["signal_rows"]
    counts = {name: sum(row["signal"] == name for row in rows) for name in dict.fromkeys(row["signal"] for row in rows)}
    yield ""
    yield f"Signal rows: {', '.join(f'{name} {count}' for name, count in counts.items()) or 'none'}"
    if uri is not None and rows:
        yield table(
            ("signal", "view", "keyword", "score", "weight", "counts", "reason", "matched by"),
            [
                (row["signal"], row["view_type"] or "", row["keyword"] or "", row["raw_score"], row["weight"],
                 row["counts"], _reason(row), " ".join(row["hits"] or ()))
                for row in rows[:_MOST_ROWS]
            ],
        )  # fmt: skip
    yield from _notes(said, "signal_rows")


def _reason(row: Mapping[str, Any]) -> str:
    return f"{row['reason'] or ''}{' (only by a wildcard)' if row['wildcard_only'] else ''}"


def _candidate_lines(said: Mapping[str, Any], *, logged: bool) -> Iterator[str]:
    best = said["candidates"][:_MOST_CANDIDATES]
    yield ""
    if not best:
        yield "No signal returned it for this prompt." if said["memory"] else "No candidates."
        return
    rows = [
        (one["ranked_position"], one["uri"], one["score"], "shown" if one["shown"] else one["suppressed_by"],
         *(round(part, 4) for part in one["terms"].values()), *((_in_the_log(one), one["used"]) if logged else ()))
        for one in best
    ]  # fmt: skip
    beside = ("in the log", "used") if logged else ()
    yield table(("rank", "memory", "score", "display", *best[0]["terms"], *beside), rows)
    if len(said["candidates"]) > len(best):
        yield f"… and {len(said['candidates']) - len(best)} more (all with --json)."
    if len(best) == 1:
        yield best[0]["why"]
        yield from _log_lines(best[0]) if logged else ()
    yield from _notes(said, "candidates")


def _in_the_log(candidate: Mapping[str, Any]) -> str:
    if candidate["logged_shown"]:
        return "shown"
    return "no row" if candidate["logged_position"] is None and candidate["logged_score"] is None else "not shown"


def _log_lines(candidate: Mapping[str, Any]) -> Iterator[str]:
    """What happened, where these settings or computed signals would do otherwise."""
    if candidate["logged_shown"] != candidate["shown"]:
        did = "showed" if candidate["logged_shown"] else "did not show"
        yield (
            f"That is by the settings and signals of this explanation. The log {did} it (score "
            f"{cell(candidate['logged_score'])}): others were in force then."
        )


def _memory_lines(said: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    if said["memory"] is not None:
        yield said["memory"]["sentence"]
        yield from said["memory"]["lacks"]
    for one in said["single_changes"]:
        yield f"{one['key']} {one['from']} → {one['to']} alone would {'show' if one['shown'] else 'hide'} it."
    for one in said["memory_changes"]:
        yield one["words"]
    if not said["single_changes"] and not said["memory_changes"]:
        yield "No single setting in range and no single change of the memory that was tried would change that."


def _reach_lines(reachability: Mapping[str, Any]) -> Sequence[str]:
    return reachability["warnings"] or ["Every combination of signals can reach the threshold."]


def _notes(said: Mapping[str, Any], at: str) -> Iterator[str]:
    for note in said["notes"]:
        if note["at"] == at:
            about = f" [{', '.join(shown(uri, 60) for uri in note['uris'][:3])}]" if note["uris"] else ""
            more = f" and {len(note['uris']) - 3} more" if len(note["uris"]) > 3 else ""
            yield f"Note: {note['note']}{about}{more}"
