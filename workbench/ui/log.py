"""What the pages say of the log: the figures of the overview and the list of prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from workbench import jobs
from workbench.charts import activity_info
from workbench.metrics.report import report
from workbench.metrics.report.helpfulness import read_parts
from workbench.metrics.report.sufficiency import COMPARISON
from workbench.replay.logged import settings_in_force
from workbench.replay.parity import parity
from workbench.replay.run import Settings
from workbench.replay.selection import SELECTED, Selection
from workbench.store import Database
from workbench.text import percent as as_percent
from workbench.ui.cached import cached, store_path
from workbench.ui.tables import Column, interval, percent
from workbench.ui.texts import plain, t
from workbench.ui.texts.said import said_plainly

_COUNTS = ("prompts", "silent_prompts", "shown", "used", "judged")


@cached
def overview(db: Database, selection: Selection, zone: str) -> dict[str, Any]:
    """The report by client, as JSON, with the parts by week as `weeks` and the days as `activity`."""
    selection.materialise(db)
    said = report(db, SELECTED, "client", zone)
    weeks = replace(said, by="week", parts=read_parts(db, "week", zone)).as_json()["parts"]
    return {**said.as_json(), "weeks": weeks, "activity": activity_info(db, zone)}


@cached
def gate(db: Database) -> dict[str, Any]:
    """The parity of the whole log, as JSON."""
    in_force = settings_in_force(db).params
    return parity(db, Settings(in_force, in_force)).as_json()


@cached
def held(db: Database) -> dict[str, Any]:
    """What the store holds, as `workbench status --json`."""
    return jobs.status(store_path())


def tiles(found: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The figures on top of the overview: name, value, and what it rests on."""
    judged, silent = found["judged"], found["silent_prompts"]
    return [
        (t("overview.prompts"), f"{found['prompts']:,}", t("overview.sessions_note")),
        (t("overview.shown"), f"{found['shown']:,}", t("overview.per_prompt", **_mean(found))),
        (t("overview.used"), f"{found['used']:,}", t("overview.of_judged", judged=judged)),
        (t("overview.use_rate"), percent(found["use_rate"]), _ends(found["use_rate_interval"])),
        (t("overview.silent_prompts"), f"{silent:,}", t("overview.of_prompts", share=percent(found["silent_share"]))),
    ]


def _mean(found: Mapping[str, Any]) -> dict[str, str]:
    mean, ends = found["shown_per_prompt"], found["shown_per_prompt_interval"]
    no_data = plain("table.no_data")
    return {
        "mean": no_data if mean is None else f"{mean:.2f}",
        "ends": no_data if ends is None else f"{ends[0]:.2f}\u00a0–\u00a0{ends[1]:.2f}",
    }


def _ends(ends: Sequence[float] | None) -> str:
    return t("overview.interval", ends=interval(ends))


def part_columns(first: Column) -> list[Column]:
    """The columns of the parts of a report, `first` being that of `part`."""
    return [
        first,
        *(Column(name, plain(f"overview.{name}"), "count") for name in _COUNTS),
        Column("use_rate", plain("overview.use_rate"), "percent"),
        Column("use_rate_interval", plain("overview.interval_95"), "interval"),
        Column("use_rate_shrunk", plain("overview.shrunk"), "percent"),
        Column("use_rate_shrunk_interval", plain("overview.shrunk_interval"), "interval"),
    ]


def separation_lines(found: Mapping[str, Any]) -> list[str]:
    """What the scores of used and unused memories say, as Markdown."""
    if found["separation"] is None:
        return [t("overview.separation_none", used=found["used_scores"], unused=found["unused_scores"])]
    lines = [t(
        "overview.separation_gap", used_p25=found["used_p25"], used=found["used_scores"],
        unused_p75=found["unused_p75"], unused=found["unused_scores"], gap=found["separation"],
        ends=_signed(found["separation_interval"]),
    )]  # fmt: skip
    if found["auc"] is not None:
        low, high = found["auc_interval"] or (0.0, 1.0)
        verdict = "yes" if low > 0.5 else "reversed" if high < 0.5 else "unclear"
        shares = {name: as_percent(share) for name, share in (("auc", found["auc"]), ("low", low), ("high", high))}
        lines.append(t(f"overview.auc_{verdict}", **shares))
    return lines


def _signed(ends: Sequence[float] | None) -> str:
    return plain("table.no_data") if ends is None else f"{ends[0]:+.3f}\u00a0…\u00a0{ends[1]:+.3f}"


def question_rows(found: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The questions of operators, whether the log answers them, why, and when it will."""
    return [
        {
            "question": said_plainly(one["question"]),
            "answered": one["answered"],
            "why": said_plainly(one["why"]),
            "more_days": "" if one["answered"] else _when(one["more_days"]),
        }
        for one in found
    ]


def _when(days: int | None) -> str:
    return plain("overview.not_by_time") if days is None else plain("overview.in_days", count=days)


def parity_line(found: Mapping[str, Any]) -> tuple[str, str]:
    """How the light of parity stands (`good`, `bad`, `none`), and what it says, as Markdown."""
    if not found["rows"]:
        return "none", t("overview.parity_none")
    light = "good" if found["passes"] else "bad"
    share = as_percent(found["share"], 2)
    causes = "; ".join(f"{said_plainly(one['cause'])} ({one['rows']:,})" for one in found["causes"][:3])
    return light, t(
        f"overview.parity_{light}", equal=found["rows_equal"], rows=found["rows"], share=share, causes=causes
    )


def next_steps(found: Mapping[str, Any], possible: Mapping[str, Any], light: str) -> list[tuple[str, str | None]]:
    """What to do next, most urgent first: the text, as Markdown, and the page that it is done on, if it is one here."""
    few = not any(one["answered"] for one in found["questions"] if one["question"] == COMPARISON)
    steps = [
        (light == "bad", "parity", None),
        (light == "none", "signals", None),
        (not possible["misses"]["possible"], "transcripts", None),
        (found["used"] > 0 or found["answers"]["shown"] > 0 or possible["misses"]["possible"], "missed", "missed"),
        (few and light == "good", "label", "review"),
        (not few and light == "good", "tune", "tune"),
    ]
    return [(t(f"overview.next_{name}"), page) for wanted, name, page in steps if wanted]


def fresh_line(holds: Mapping[str, Any]) -> str:
    """What the store holds and how fresh it is, as Markdown; of `workbench status --json`."""
    last = holds["imports"][-1] if holds["imports"] else None
    parts = [
        t("overview.holds", recalls=holds["tables"]["recall_queries"], memories=holds["tables"]["memories"]),
        t("overview.newest", at=_minute(holds["last_query"])) if holds["last_query"] else "",
        t("overview.imported", at=_minute(last["finished_at"]), kind=last["kind"]) if last else "",
    ]
    return " · ".join(part for part in parts if part)


def _minute(moment: str) -> str:
    return f"{moment[:16]} UTC"


def denominator_rows(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The ledger from raw rows to each denominator."""
    return [
        {"step": said_plainly(one["step"]), "count": one["count"], "why": said_plainly(one["why"])}
        for one in found["denominators"]
    ]


def capability_rows(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a store is good for."""
    return [
        {"can": plain(f"overview.can_{name}"), "possible": one["possible"], "why": said_plainly(one["why"])}
        for name, one in found.items()
    ]
