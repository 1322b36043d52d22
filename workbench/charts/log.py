"""Pictures of the log and of one prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from workbench.charts.style import FALLS_SHORT, LEGEND, MARGIN, REACHES, escaped, threshold_line
from workbench.replay.reach import Reach, Reachability
from workbench.store import Database, sql_text
from workbench.text import shown

TERMS = {
    "exact": "#4e79a7", "glossary_semantic": "#f28e2b", "dense": "#59a14f", "lexical": "#b6992d",
    "view": "#9c755f", "priority": "#e15759", "multi_view": "#b07aa1", "recency": "#76b7b2",
}  # fmt: skip
_LABEL_CELLS = 48


@dataclass(frozen=True)
class Activity:
    """Counts by calendar day in one time zone, oldest first; `days` are ISO dates."""

    zone: str
    days: Sequence[str]
    prompts: Sequence[int]
    shown: Sequence[int]
    used: Sequence[int]


def activity_info(db: Database, zone: str = "UTC") -> Activity:
    """Prompts, shown and used memories of the judged log (judge_log) by calendar day of `zone`; days without a prompt
    count 0, prompts without a time are left out."""
    rows = db.rows(sql_text("activity"), {"zone": zone})
    columns = list(zip(*rows, strict=True)) or [()] * 4
    return Activity(zone, *columns)


def activity_figure(info: Activity) -> go.Figure:
    """Bars of shown memories, the used ones in front, and the prompts as a line."""
    figure = go.Figure()
    figure.add_bar(x=info.days, y=info.shown, name="shown", marker_color="#bab0ac")
    figure.add_bar(x=info.days, y=info.used, name="used", marker_color="#4e79a7")
    figure.add_scatter(x=info.days, y=info.prompts, name="prompts", mode="lines", line_color="#f28e2b")
    figure.update_layout(
        barmode="overlay", legend=LEGEND, margin=MARGIN,
        xaxis_title=f"day ({info.zone})", xaxis_type="date", yaxis_title="count",
        title="Prompts, memories shown and used",
    )  # fmt: skip
    return figure


@dataclass(frozen=True)
class Rates:
    """Use rates in per cent, with the ends of their intervals and the counts behind them, one a part of the report;
    `shrunk` are the same drawn towards what the parts have in common."""

    by: str
    labels: Sequence[str]
    rates: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    counts: Sequence[str]
    shrunk: Sequence[float | None]


def rates_info(said: Mapping[str, Any]) -> Rates:
    """The parts of a report (its JSON form) that have judged memories."""
    parts = [part for part in said["parts"] if part["use_rate"] is not None]
    return Rates(
        by=said["by"],
        labels=[shown(part["part"] or "(none)", _LABEL_CELLS) for part in parts],
        rates=[100 * part["use_rate"] for part in parts],
        low=[100 * part["use_rate_interval"][0] for part in parts],
        high=[100 * part["use_rate_interval"][1] for part in parts],
        counts=[f"{part['used']:,} / {part['judged']:,}" for part in parts],
        shrunk=[None if part["use_rate_shrunk"] is None else 100 * part["use_rate_shrunk"] for part in parts],
    )


def rates_figure(info: Rates) -> go.Figure:
    """A dot a part with its 95 % interval, and the shrunk rate as an open diamond."""
    error = {
        "type": "data",
        "array": [high - rate for high, rate in zip(info.high, info.rates, strict=True)],
        "arrayminus": [rate - low for rate, low in zip(info.rates, info.low, strict=True)],
    }
    figure = go.Figure()
    labels = [escaped(label) for label in info.labels]
    figure.add_scatter(
        y=labels, x=info.rates, error_x=error, mode="markers+text", name="use rate",
        text=info.counts, textposition="top right", marker={"size": 10, "color": "#4e79a7"},
    )  # fmt: skip
    figure.add_scatter(
        y=labels, x=info.shrunk, mode="markers", name="shrunk towards all",
        marker={"size": 10, "symbol": "diamond-open", "color": "#b07aa1"},
    )  # fmt: skip
    figure.update_layout(
        title=f"Use rate by {info.by}, with 95 % interval", xaxis_title="used of judged memories, %",
        xaxis_rangemode="tozero", height=170 + 60 * max(len(info.labels), 1), legend=LEGEND, margin=MARGIN,
        yaxis_autorange="reversed",
    )  # fmt: skip
    return figure


@dataclass(frozen=True)
class Terms:
    """The parts of each candidate's score, best candidate first."""

    labels: Sequence[str]
    scores: Sequence[float]
    shown: Sequence[bool]
    parts: Mapping[str, Sequence[float]]
    threshold: float


def terms_info(explanation: Mapping[str, Any], most: int = 15) -> Terms:
    """The `most` best candidates of an explanation (its JSON form)."""
    best = explanation["candidates"][:most]
    return Terms(
        labels=[f"{one['ranked_position']}  {shown(one['uri'], _LABEL_CELLS)}  {one['score']:.3f}" for one in best],
        scores=[one["score"] for one in best],
        shown=[one["shown"] for one in best],
        parts={term: [one["terms"][term] for one in best] for term in TERMS},
        threshold=explanation["min_display_score"],
    )


def terms_figure(info: Terms) -> go.Figure:
    """One stacked bar a candidate, the display threshold as a line; the parts add up to the score."""
    labels = [
        ("● " if is_shown else "○ ") + escaped(label) for label, is_shown in zip(info.labels, info.shown, strict=True)
    ]
    figure = go.Figure()
    for term, color in TERMS.items():
        figure.add_bar(
            y=labels, x=info.parts[term], name=term.replace("_", " "), orientation="h", marker_color=color,
            hovertemplate="%{x:.6f}",
        )  # fmt: skip
    threshold_line(figure, info.threshold)
    figure.update_layout(
        barmode="stack", legend=LEGEND, yaxis_autorange="reversed", xaxis_title="score",
        height=210 + 28 * max(len(labels), 1), margin={**MARGIN, "t": 130}, title_y=0.98, title_yanchor="top",
        title="Parts of each score (● shown, ○ not shown)",
    )  # fmt: skip
    return figure


@dataclass(frozen=True)
class Cut:
    """How many characters of a prompt were searched and how many were not; `limit` and where it comes from."""

    searched: int
    unsearched: int
    limit: int
    source: str


def cut_info(explanation: Mapping[str, Any]) -> Cut:
    """The cut of the prompt of an explanation (its JSON form)."""
    query = explanation["query"]
    return Cut(
        query["query_chars"],
        query["original_query_chars"] - query["query_chars"],
        query["limit"],
        query["limit_source"],
    )


def cut_figure(info: Cut) -> go.Figure:
    """One bar from the beginning to the end of the prompt, its two parts told apart."""
    figure = go.Figure()
    for name, length, color in (
        ("searched", info.searched, REACHES),
        ("not searched", info.unsearched, FALLS_SHORT),
    ):
        figure.add_bar(
            y=["prompt"], x=[length], name=f"{name}: {length:,} characters", orientation="h", marker_color=color
        )
    figure.update_layout(
        barmode="stack", height=150, legend=LEGEND, margin={"l": 10, "r": 10, "t": 60, "b": 10},
        title=f"What was searched (limit {info.limit:,}, {info.source})", yaxis_visible=False,
    )  # fmt: skip
    return figure


@dataclass(frozen=True)
class ReachMap:
    """The best score of each combination: a row for the other signals, a column for the exact match; None where no
    signal is left."""

    threshold: float
    priority: int
    query_tokens: int
    columns: Sequence[str]
    rows: Sequence[str]
    scores: Sequence[Sequence[float | None]]


def reach_info(table: Reachability, priority: int = 0) -> ReachMap:
    """A reachability table as a map, for memories of one priority."""
    tiers = sorted({row.exact for row in table.rows}, key=lambda tier: tier or 0)
    others: dict[str, dict[float | None, float]] = {}
    for row in table.rows:
        others.setdefault(_beside_exact(row), {})[row.exact] = row.best[priority]
    return ReachMap(
        table.threshold,
        priority,
        table.query_tokens,
        ["none" if tier is None else f"{tier:.2f}" for tier in tiers],
        list(others),
        [[scores.get(tier) for tier in tiers] for scores in others.values()],
    )


def _beside_exact(row: Reach) -> str:
    """The signals of a combination other than exact, in few words."""
    lexical = {"none": "", "contained": "prompt contained", "words": "words"}[row.lexical]
    keyword, meaning = "keyword" * row.glossary_semantic, "meaning" * row.dense
    views = {0: "", 1: ", one view", 2: ", both views"}[row.views]
    return " + ".join(part for part in (keyword, meaning, lexical) if part) + views or "nothing else"


def reach_figure(info: ReachMap) -> go.Figure:
    """A heat map that changes its colour at the threshold; every cell holds its score."""
    highest = max((score for row in info.scores for score in row if score is not None), default=1.0)
    top = max(highest, info.threshold) or 1.0
    at = info.threshold / top
    below, above = [(0.0, "#b35806"), (at, "#fdd0a2")], [(at, "#c7c3e0"), (1.0, "#3f2a78")]
    figure = go.Figure()
    figure.add_heatmap(
        x=info.columns, y=info.rows, z=info.scores, zmin=0, zmax=top, xgap=2, ygap=2, showscale=False,
        colorscale=(below if at > 0 else []) + (above if at < 1 else []),
        text=[["" if score is None else f"{score:.3f}" for score in row] for row in info.scores],
        texttemplate="%{text}", hovertemplate="%{y}<br>%{x}<br>%{z:.6f}<extra></extra>",
    )  # fmt: skip
    figure.update_layout(
        title=f"Best score at priority {info.priority}, {info.query_tokens} tokens"
        f" (purple reaches {info.threshold:g}, orange does not)",
        height=170 + 30 * len(info.rows), yaxis_autorange="reversed", margin=MARGIN, xaxis_type="category",
        xaxis_title="exact match",
    )  # fmt: skip
    return figure


@dataclass(frozen=True)
class Distance:
    """Scores of one memory as it is, at its best, and after each single change of it that shows or hides it."""

    threshold: float
    labels: Sequence[str]
    scores: Sequence[float]


def distance_info(explanation: Mapping[str, Any]) -> Distance:
    """How far one memory is from the threshold; `explanation` (its JSON form) is of that memory."""
    named = [("as it is", one["score"]) for one in explanation["candidates"]]
    if explanation["memory"] is not None:
        named.append(("at its best", explanation["memory"]["best"]))
    named += [
        (one["change"].replace("_", " ") + ("" if one["value"] is None else f" {one['value']:g}"), one["score"])
        for one in explanation["memory_changes"]
        if one["score"] is not None
    ]
    return Distance(explanation["min_display_score"], [label for label, _ in named], [score for _, score in named])


def distance_figure(info: Distance) -> go.Figure:
    """A bar a score, with the threshold as a line."""
    figure = go.Figure()
    figure.add_bar(
        y=info.labels, x=info.scores, orientation="h", text=[f"{score:.3f}" for score in info.scores],
        marker_color=[REACHES if score >= info.threshold else FALLS_SHORT for score in info.scores],
        hovertemplate="%{x:.6f}<extra></extra>",
    )  # fmt: skip
    threshold_line(figure, info.threshold, "top")
    figure.update_layout(
        title="Distance to the threshold", height=130 + 34 * max(len(info.labels), 1), yaxis_autorange="reversed",
        xaxis_title="score", margin=MARGIN,
    )  # fmt: skip
    return figure
