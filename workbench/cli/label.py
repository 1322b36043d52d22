"""The commands of label: answers by hand on whether a memory helps with a prompt."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.cli.filters import filtered
from workbench.cli.options import Db, Json, existing_store, opened, store_path
from workbench.cli.output import emit, say, table
from workbench.errors import BadInput
from workbench.judge.hand import GRADES, WITHDRAWN, answered, keep, known_labels, listing, withdrawal
from workbench.replay.selection import Selection
from workbench.text import counted, shown

_PROMPT, _MOST_REJECTED = 40, 20
_KEYS: dict[str, str] = {"1": "yes", "y": "yes", "2": "no", "n": "no", "3": "unsure", "u": "unsure"}

By = Annotated[str | None, typer.Option("--by", help="Who answers.")]
QueryId = Annotated[str, typer.Argument(help="The prompt, by its query_id.")]
Uri = Annotated[str, typer.Argument(help="Address of the memory.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    label = typer.Typer(help="Answers by hand: does a memory help with a prompt?", no_args_is_help=True)
    label.command("add")(add_command)
    label.command("remove")(remove_command)
    label.command("list")(list_command)
    label.command("import")(import_command)
    label.command("export")(export_command)
    label.command("next")(next_command)
    app.add_typer(label, name="label")


def add_command(
    query_id: QueryId,
    uri: Uri,
    grade: Annotated[str, typer.Argument(help=f"{', '.join(GRADES)}.")],
    by: By = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Answer whether a memory helps with a prompt; the newest answer counts."""
    if grade not in GRADES:
        raise BadInput(f"{grade!r} is no answer; give {', '.join(GRADES[:-1])} or {GRADES[-1]}.")
    _answer(db, query_id, uri, grade, by, json)


def remove_command(query_id: QueryId, uri: Uri, by: By = None, db: Db = None, json: Json = False) -> None:
    """Take the answer on a prompt and a memory back; it stays in the history."""
    _answer(db, query_id, uri, WITHDRAWN, by, json)


def _answer(db: Path | None, query_id: str, uri: str, grade: str, by: str | None, json: bool) -> None:
    path = existing_store(db)
    with opened(db) as (database, _):
        now = datetime.now(UTC)
        if grade == WITHDRAWN:
            kept = withdrawal(database, query_id, uri, now, by)
        else:
            kept = answered(database, query_id, uri, grade, now, by)
    keep(path, [kept])
    said = {"query_id": query_id, "uri": kept.uri, "grade": grade, "label_id": kept.label_id}
    emit(said, json, f"{shown(kept.uri)} for {shown(query_id)}: {grade}.")


def list_command(db: Db = None, json: Json = False) -> None:
    """List the answers that stand, newest first."""
    with opened(db) as (database, _):
        found = listing(database)
    rows = [
        (one["grade"] + (" (expired)" if one["expired"] else ""), shown(one["prompt"] or "", _PROMPT), one["uri"],
         one["query_id"], one["labelled_by"] or "", one["labelled_at"][:16])
        for one in found
    ]  # fmt: skip
    header = ("answer", "prompt", "memory", "query_id", "by", "at")
    emit(
        {"labels": found}, json, table(header, rows) if rows else "No answer is kept yet; `workbench label next` asks."
    )


def import_command(
    source: Annotated[Path, typer.Argument(help="CSV, JSON lines or Parquet: query_id or prompt, uri, grade.")],
    db: Db = None,
    json: Json = False,
) -> None:
    """Take answers from a file; a second run adds nothing."""
    from workbench.judge.hand_files import read_answers

    path = existing_store(db)
    with opened(db) as (database, _):
        found, known = read_answers(database, source, datetime.now(UTC)), known_labels(database)
    fresh = list({one.label_id: one for one in found.answers if one.label_id not in known}.values())
    keep(path, fresh)
    already = len(found.answers) - len(fresh)
    lines = [f"{counted(found.rows, 'row')}, {counted(len(fresh), 'answer')} added, {already} known already."]
    lines += [f"Rejected {shown(one['where'])}: {shown(one['reason'])}" for one in found.rejected[:_MOST_REJECTED]]
    if len(found.rejected) > _MOST_REJECTED:
        lines.append(f"… and {len(found.rejected) - _MOST_REJECTED} more rejected rows (all with --json).")
    said = {"read": found.rows, "added": len(fresh), "known": already, "rejected": found.rejected}
    emit(said, json, "\n".join(lines))


def export_command(
    target: Annotated[Path, typer.Argument(help="A .csv, .jsonl or .parquet file; it is replaced.")],
    db: Db = None,
    json: Json = False,
) -> None:
    """Write the answers that stand to a file that `label import` reads."""
    from workbench.judge.hand_files import write_answers

    with opened(db) as (database, _):
        found = listing(database)
    write_answers(found, target)
    emit({"out": str(target), "labels": len(found)}, json, f"Wrote {counted(len(found), 'answer')} to {target}.")


@filtered
def next_command(
    against: Annotated[
        str | None, typer.Option(help="A study or TOML file whose verdict is pending; else the newest study.")
    ] = None,
    count: Annotated[int, typer.Option(help="How many pairs.", min=1)] = 1,
    seed: Annotated[int, typer.Option(help="The same seed asks in the same order.", min=0)] = 1,
    ask: Annotated[bool, typer.Option("--ask", help="Ask one after the other: y, n, u (unsure), q to stop.")] = False,
    by: By = None,
    db: Db = None,
    json: Json = False,
    *,
    chosen: Selection,
) -> None:
    """Name the pair whose answer matters most for the pending decision, not its score; says when enough is known."""
    if ask:
        _ask(db, against, seed, by, chosen)
        return
    said = _next(db, against, seed, count, chosen)
    emit(said, json, "\n\n".join([*(_pair_text(pair) for pair in said["pairs"]), _progress_text(said)]))


def _next(db: Path | None, against: str | None, seed: int, count: int, chosen: Selection) -> dict[str, Any]:
    from workbench.labelling import next_pairs, pending_decision

    with opened(db) as (database, settings):
        decision = pending_decision(settings.in_force, store_path(db), against)
        pairs, progress = next_pairs(database, chosen, decision, seed, count)
    return {"decision": decision.name, "pairs": [pair.as_json() for pair in pairs], "progress": progress.as_json()}


def _ask(db: Path | None, against: str | None, seed: int, by: str | None, chosen: Selection) -> None:
    """Ask on the console until somebody stops, or nothing is worth asking."""
    while True:
        said = _next(db, against, seed, 1, chosen)
        say(_progress_text(said))
        if not said["pairs"] or said["progress"]["enough"]:
            return
        pair = said["pairs"][0]
        say(_pair_text(pair, hint=False))
        grade = _typed()
        if grade is None:
            return
        _answer(db, pair["query_id"], pair["uri"], grade, by, json=False)


def _typed() -> str | None:
    """The next answer that is typed; None for the end."""
    for line in iter(sys.stdin.readline, ""):
        word = line.strip().lower()
        if word in ("q", "quit"):
            return None
        if grade := _KEYS.get(word, word if word in GRADES else ""):
            return grade
        say("y, n, u for unsure, or q to stop.")
    return None


def _progress_text(said: dict[str, Any]) -> str:
    return f"Decision: the configuration in force, or {shown(said['decision'])}. {said['progress']['said']}"


def _pair_text(pair: dict[str, Any], hint: bool = True) -> str:
    lines = ["Prompt", *_indented(pair["prompt"]), f"Memory {shown(pair['uri'])}"]
    lines += _indented(pair["content"] or "(its content is not in the store)")
    if pair["disclosure"]:
        lines.append(f"  when: {shown(pair['disclosure'])}")
    lines.append("Would this memory help with this prompt?")
    if hint:
        lines.append(f"workbench label add {shown(pair['query_id'])} {shown(pair['uri'])} {'|'.join(GRADES)}")
    return "\n".join(lines)


def _indented(text: str) -> list[str]:
    return [f"  {shown(line)}" for line in text.splitlines()]
