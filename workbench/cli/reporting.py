"""The command about the log as it is: report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from workbench.cli.filters import filtered
from workbench.cli.joins import joins_text
from workbench.cli.options import Db, Json, Sources, opened
from workbench.cli.output import cell, emit, percent, table
from workbench.judge import Evidence
from workbench.metrics.report import GROUPINGS, report
from workbench.replay.selection import SELECTED, Selection
from workbench.text import counted


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("report")(report_command)


@filtered
def report_command(
    db: Db = None,
    by: Annotated[str, typer.Option(help=f"Parts of the report: {', '.join(GROUPINGS)}.")] = "client",
    zone: Annotated[str, typer.Option(help="Time zone of days and weeks.")] = "UTC",
    sources: Sources = None,
    json: Json = False,
    *,
    chosen: Selection,
) -> None:
    """Say how helpful the memories were that production showed."""
    evidence = Evidence.of(sources or ())
    with opened(db) as (database, settings):
        chosen.materialise(database)
        before = chosen.materialise_preceding(database)
        said = report(database, SELECTED, by, zone, evidence.under(settings.in_force), before).as_json()
    emit(said, json, report_text(said))


def report_text(said: Mapping[str, Any]) -> str:
    """A helpfulness report for a person: the headline, the parts, what can be said of them, and the way there."""
    rows = [
        (part["part"] or "(none)", part["prompts"], part["shown"], part["used"], percent(part["use_rate"]),
         _span(part["use_rate_interval"]), percent(part["use_rate_shrunk"]), part["silent_prompts"])
        for part in said["parts"]
    ]  # fmt: skip
    steps = [
        ("  " * (step["whole"] is not None) + step["step"], step["count"], step["why"]) for step in said["denominators"]
    ]
    return "\n\n".join(
        [
            said["sufficiency"],
            "\n".join([_headline(said), _per_prompt(said)]),
            table((said["by"], "prompts", "shown", "used", "use rate", "95 % interval", "shrunk", "silent"), rows),
            "\n".join(
                [
                    _gap(said["separation"]),
                    _score(said["separation"]),
                    _position(said["position"]),
                    _shift(said["shift"]),
                    _durations(said["duration_ms"]),
                ]
            ),
            "\n".join(["What this log can answer:", *(_answer(one) for one in said["questions"])]),
            table(("step", "count", "why"), steps, width=90),
            joins_text(said["joins"]),
        ]
    )


def _headline(said: Mapping[str, Any]) -> str:
    """The use rate with its Wilson interval beside its counts, and that of resampled sessions where it can be had."""
    spans = [f"Wilson {_span(said['use_rate_interval'])}"] if said["use_rate_interval"] else []
    if said["use_rate_session_interval"]:
        spans.append(f"resampled sessions {_span(said['use_rate_session_interval'])}")
    shown = counted(said["shown"], "memory", "memories")
    counts = f"{counted(said['prompts'], 'prompt')}, {shown} shown, {said['used']:,} used"
    return f"{counts}: {percent(said['use_rate'])}" + (f" ({'; '.join(spans)})." if spans else ".")


def _per_prompt(said: Mapping[str, Any]) -> str:
    return (
        f"Shown per prompt: {cell(said['shown_per_prompt'])} ({_ends(said['shown_per_prompt_interval'], '.2f')}); "
        f"{counted(said['silent_prompts'], 'prompt')} showed nothing: {percent(said['silent_share'])} "
        f"({_span(said['silent_share_interval'])})."
    )


def _gap(separation: Mapping[str, Any]) -> str:
    if separation["separation"] is None:
        return "Separation (used p25 - unused p75): no data; used or unused memories with a score are lacking."
    return (
        f"Separation (used p25 - unused p75): {separation['used_p25']:.4f} - {separation['unused_p75']:.4f} = "
        f"{separation['separation']:+.4f} ({_ends(separation['separation_interval'], '+.4f')}); "
        "below 0 no threshold tells them apart."
    )


def _durations(durations: Mapping[str, Any]) -> str:
    known = f"known of {durations['known']:,} of {durations['known'] + durations['unknown']:,} prompts"
    if not durations["known"]:
        return f"Duration of a recall: no data; {known}."
    spans = [
        f"{name} {durations[name]:,.0f} ms ({_ends(durations['intervals'][name], ',.0f')})"
        for name in ("p50", "p90", "p99")
    ]
    return f"Duration of a recall: {', '.join(spans)}; {known}."


def _score(separation: Mapping[str, Any]) -> str:
    interval = separation["auc_interval"]
    span = "" if interval is None else f", {interval[0]:.2f} to {interval[1]:.2f}"
    return (
        f"AUC of the score among shown memories: {cell(separation['auc'])}{span} "
        "(0.5: the score does not tell used from unused)."
    )


def _position(position: Mapping[str, Any]) -> str:
    effect, ties = position["difference_at_equal_score"], position["near_ties"]
    if effect is None:
        return "Effect of the first place: no data; no prompt showed two judged memories."
    return (
        f"Effect of the first place, where several were shown: used {_points(effect)} "
        f"({_points_span(position['interval'])}) against later ones of about the same score, "
        f"{_points(position['difference'])} as they stand; of {ties['pairs']:,} neighbours with nearly equal scores "
        f"the upper alone was used in {ties['upper_used']}, the lower alone in {ties['lower_used']}."
    )


def _shift(shift: Mapping[str, Any]) -> str:
    change, mix, within = (shift[name] for name in ("change", "mix", "within"))
    if change["value"] is None:
        return "Change of the use rate: no data; one of the two periods has no judged memory."
    earlier, later = (shift[name] for name in ("earlier", "later"))
    return (
        f"Change of the use rate from {_days(earlier)} to {_days(later)}: {percent(earlier['use_rate'])} to "
        f"{percent(later['use_rate'])}, {_points(change['value'])} ({_points_span(change['interval'])}): "
        f"{_points(mix['value'])} by who asked, {_points(within['value'])} within the clients."
    )


def _answer(one: Mapping[str, Any]) -> str:
    more = "" if not one["more_days"] else f"; about {counted(one['more_days'], 'more day')} like these"
    return f"{'✓' if one['answered'] else '✗'} {one['question']} {one['why']}{more}."


def _days(period: Mapping[str, Any]) -> str:
    return f"{(period['first'] or '?')[:10]}..{(period['last'] or '?')[:10]}"


def _span(interval: list[float] | None) -> str:
    return "no data" if interval is None else f"{interval[0] * 100:.1f} to {interval[1] * 100:.1f} %"


def _ends(interval: list[float] | None, form: str) -> str:
    return "no interval" if interval is None else f"{interval[0]:{form}} to {interval[1]:{form}}"


def _points(share: float) -> str:
    return f"{share * 100:+.1f} points"


def _points_span(interval: list[float] | None) -> str:
    return "no interval" if interval is None else f"{interval[0] * 100:+.1f} to {interval[1] * 100:+.1f}"
