"""The command missed: memories that recall should have shown, and what to do about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer

from workbench.cli.filters import filtered
from workbench.cli.options import Db, Json, opened
from workbench.cli.output import NO_DATA, emit, percent, progress, table
from workbench.replay.selection import Selection
from workbench.text import counted, shown

_PROMPT = 100
_MOST_PROMPTS = 25
_LISTED = 5
_UNSEEN = {
    "never_retrieved": "Never returned by any signal, although an average memory would have been shown by now",
    "never_shown": "Returned and never shown, likewise",
}
_GRADES = {
    "hand": "by hand",
    "opened_after_search": "after search",
    "opened_unlinked": "unlinked",
    "used_alike": "used alike",
}
_SOURCES = {"logged": "log", "engine": "engine", "store": "store"}


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("missed")(missed_command)


@filtered
def missed_command(
    memory: Annotated[str | None, typer.Option("--memory", help="One memory, by its address, in full.")] = None,
    limit: Annotated[int, typer.Option(help="How many memories.", min=1)] = 20,
    fixes: Annotated[
        int, typer.Option(help="For how many memories fixes are tried on all prompts; with --memory always.", min=0)
    ] = 1,
    boot: Annotated[bool, typer.Option("--boot", help="Start-up memories count as missed too.")] = False,
    db: Db = None,
    json: Json = False,
    *,
    chosen: Selection,
) -> None:
    """List memories that were needed and not shown: what says so, the stage that lost them, and what to change."""
    from workbench.replay.engine import engine_model
    from workbench.replay.tokenizers import chosen as chosen_tokenizer
    from workbench.review import Review, missed
    from workbench.review.vectors import embedder_of
    from workbench.textsearch import tokenizer

    with opened(db) as (database, settings):
        model = engine_model(database)
        words = tokenizer(chosen_tokenizer(database).name)
        with progress(json) as step:
            review = Review(
                settings, words, model, embedder_of(database, model), boot, estimated=True,
                fixes=fixes if memory is None else 1, progress=step,
            )  # fmt: skip
            said = missed(database, chosen, review, limit, memory).as_json()
    emit(said, json, missed_text(said, memory))


def missed_text(said: Mapping[str, Any], uri: str | None = None) -> str:
    """The document of `missed` for a person: a table, or one memory in full."""
    if uri is not None:
        return "\n".join(_full(said, uri))
    parts = [said["said"]]
    if said["memories"]:
        parts += [_memories(said["memories"]), _stages(said["stages"]), *_first_advice(said["memories"])]
        parts += [one["words"] for one in said["settings_advice"]]
    if said["boot_left_out"]:
        parts.append(f"{said['boot_left_out']} more are of start-up memories, which the agent has anyway (--boot).")
    if said["fixes_not_tried"]:
        parts.append(said["fixes_not_tried"])
    if said["misses"] and said["estimate"]:
        parts.append(f"Model estimate, beside the evidence and never alone: {said['estimate']['said']}")
    parts += [*_engine(said["engine"]), *_lists(said)]
    return "\n\n".join(parts)


def _memories(memories: Sequence[Mapping[str, Any]]) -> str:
    header = ("memory", "missed", "needed", "shrunk", *_GRADES.values(), "lost mostly at", "clients")
    rows = [
        (one["uri"], one["missed"], one["missed"] + one["helped"], percent(one["miss_rate_shrunk"]),
         *(one["evidence"][grade] for grade in _GRADES), _first(one["stages"]), ", ".join(list(one["clients"])[:3]))
        for one in memories
    ]  # fmt: skip
    return table(header, rows)


def _first_advice(memories: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The advice for the memories for which fixes were tried."""
    for one in memories:
        if any(fix["words"] for advice in one["advice"] for fix in advice["fixes"]):
            yield "\n".join([shown(one["uri"]), *_advice(one)])


def _advice(memory: Mapping[str, Any]) -> Iterator[str]:
    effects = [fix["effect"] for one in memory["advice"] for fix in one["fixes"] if fix["effect"]]
    if effects and effects[0]["shown_before"]:
        yield (
            f"  As things stand today it would be shown in {effects[0]['shown_before']} of {effects[0]['missed']} "
            "prompts that missed it, without any change."
        )
    for number, one in enumerate(memory["advice"], 1):
        yield f"  {number}. {one['kind']}: {shown(one['reason'])} {shown(one['do'])}"
        yield from (f"     {shown(fix['words'])}" for fix in one["fixes"] if fix["words"])


def _first(counts: Mapping[str, int]) -> str:
    name, count = next(iter(counts.items()))
    return f"{name.replace('_', ' ')} ({count})"


def _stages(stages: Sequence[Mapping[str, Any]]) -> str:
    rows = [(one["stage"].replace("_", " "), one["misses"], one["words"]) for one in stages]
    return table(("lost at", "misses", "meaning"), rows)


def _engine(engine: Mapping[str, Any] | None) -> Iterator[str]:
    if engine is None or not engine["prompts"]:
        return
    prompts = counted(engine["prompts"], "prompt")
    if engine["prompts_without_vector"]:
        yield (
            f"{engine['prompts_without_vector']:,} of {prompts} that had to be searched anew have no vector: of those "
            "the signals of meaning are not known; `workbench embed` adds them."
        )
    if engine["model"] and engine["server_model"] not in (None, engine["model"]):
        yield (
            f"The engine searched {prompts} anew with meanings compared in {engine['model']}, and the server compares "
            f"them in {engine['server_model']}: the stages that the engine tells may be others there."
        )


def _lists(said: Mapping[str, Any]) -> Iterator[str]:
    """The first memories of each list that is not empty."""
    noise = said["noise"]
    if noise["memories"]:
        rows = [
            (one["uri"], one["shown"], one["used"], percent(one["use_rate_shrunk"]), one["clear"])
            for one in noise["memories"][:_LISTED]
        ]
        used = f"of all that is shown {percent(noise['use_rate_of_all'])} is used"
        yield f"Noise: {counted(noise['count'], 'memory is', 'memories are')} often shown and rarely used ({used})."
        yield table(("memory", "shown", "used", "shrunk", "clear"), rows) + f"\n{noise['advice']}"
    unseen = "\n".join(_unseen(words, said[name]) for name, words in _UNSEEN.items() if any(_counts(said[name])))
    if unseen:
        yield unseen
    if copies := "\n".join(_copies(said["duplicates"])):
        yield copies


def _counts(unseen: Mapping[str, Any]) -> tuple[int, int]:
    return unseen["count"], unseen["in_grace"]


def _unseen(words: str, unseen: Mapping[str, Any]) -> str:
    count, in_grace = _counts(unseen)
    first = ", ".join(shown(one["uri"]) for one in unseen["memories"][:_LISTED])
    grace = f"; {in_grace} more are too new to tell" if in_grace else ""
    return f"{words}: {count}{grace}.{f' {first}' if first else ''}"


def _copies(duplicates: Mapping[str, Any]) -> Iterator[str]:
    for one in duplicates["same_text"][:_LISTED]:
        both = f"{shown(one['uri'])} and {shown(one['other_uri'])}"
        yield f"Nearly the same text: {both}, shown together in {counted(one['shown_together'], 'prompt')}."
    for one in duplicates["same_memory"][:_LISTED]:
        both = f"{shown(one['uri'])} and {shown(one['other_uri'])}"
        yield f"One memory at two addresses: {both} took two places in {counted(one['prompts'], 'prompt')}."


def _full(said: Mapping[str, Any], uri: str) -> Iterator[str]:
    if not said["memories"]:
        yield f"{shown(uri)} was not missed. {said['said']}"
        return
    for one in said["memories"]:
        low, high = one["miss_rate_interval"]
        yield f"{shown(one['uri'])}"
        if len(one["uris"]) > 1:
            yield f"Also at {', '.join(shown(other) for other in one['uris'][1:])}"
        yield (
            f"Missed in {one['missed']} of {counted(one['missed'] + one['helped'], 'prompt')} that needed it; "
            "shrunk towards all "
            f"memories {percent(one['miss_rate_shrunk'])} ({low * 100:.0f} to {high * 100:.0f} %)."
        )
        weeks = [f"{week['week']} {week['missed']}" for week in one["weeks"]]
        yield f"By week (Mondays): {', '.join(weeks) or NO_DATA}"
        yield f"By client: {_listed(one['clients'])}"
        yield ""
        yield "What to do, in this order; settings last:" if one["advice"] else "No advice."
        yield from _advice(one)
        if said["fixes_not_tried"]:
            yield f"  {said['fixes_not_tried']}"
        if one["reach"] is not None:
            yield f"  {one['reach']['sentence']}"
        yield ""
        for miss in one["prompts"][:_MOST_PROMPTS]:
            yield from _prompt(miss)
        if len(one["prompts"]) > _MOST_PROMPTS:
            yield f"… and {counted(len(one['prompts']) - _MOST_PROMPTS, 'more prompt')} (all with --json)."


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _prompt(miss: Mapping[str, Any]) -> Iterator[str]:
    evidence = ", ".join(name for grade, name in _GRADES.items() if miss["evidence"][grade] is not None)
    stage, source = miss["stage"].replace("_", " "), _SOURCES[miss["source"]]
    yield f"{miss['query_id'] or miss['prompt_id']}  {shown(miss['prompt'] or '(no text kept)', _PROMPT)}"
    yield f"  {stage}: {miss['why']} [{evidence}; by the {source}]"
    if miss["evidence"]["model_estimate"] is not None:
        chance = percent(miss["evidence"]["model_estimate"])
        yield f"    Model estimate, no evidence of its own: it would have been used with a chance of {chance}."
    for signal in miss["signals"]:
        yield f"    {signal['signal']}: {signal['reason']}"
    if miss["other_letters"]:
        yield f"    {miss['other_letters']['reason']}"
