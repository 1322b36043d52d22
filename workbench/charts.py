"""Pictures: an x_info() function computes what a picture shows, x_figure() draws it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from workbench.judge import judge_log
from workbench.replay.selection import SELECTED, Selection
from workbench.store import Database, sql_text
from workbench.text import shown

TERMS = {
    "exact": "#4e79a7", "glossary_semantic": "#f28e2b", "dense": "#59a14f", "lexical": "#b6992d",
    "view": "#9c755f", "priority": "#e15759", "multi_view": "#b07aa1", "recency": "#76b7b2",
}  # fmt: skip
_LABEL_CELLS = 48
_LEGEND = {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "traceorder": "normal"}
_MARGIN = {"l": 10, "r": 10, "t": 90, "b": 10}


@dataclass(frozen=True)
class Activity:
    """Counts by calendar day in one time zone, oldest first; `days` are ISO dates."""

    zone: str
    days: Sequence[str]
    prompts: Sequence[int]
    shown: Sequence[int]
    used: Sequence[int]


def activity_info(db: Database, selection: Selection, zone: str = "UTC") -> Activity:
    """Prompts, shown and used memories by calendar day of `zone`, judged as in the report; days without a prompt count
    0, prompts without a time are left out."""
    selection.materialise(db, SELECTED)
    judge_log(db, SELECTED)
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
        barmode="overlay", legend=_LEGEND, margin=_MARGIN,
        xaxis_title=f"day ({info.zone})", yaxis_title="count", title="Prompts, memories shown and used",
    )  # fmt: skip
    return figure


@dataclass(frozen=True)
class Rates:
    """Use rates in per cent, with the ends of their intervals and the counts behind them, one a part of the report."""

    by: str
    labels: Sequence[str]
    rates: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    counts: Sequence[str]


def rates_info(said: Mapping[str, Any]) -> Rates:
    """The parts of a report (its JSON form) that have judged memories."""
    parts = [part for part in said["parts"] if part["use_rate"] is not None]
    return Rates(
        by=said["by"],
        labels=[shown(part["part"] or "(none)", _LABEL_CELLS) for part in parts],
        rates=[100 * part["use_rate"] for part in parts],
        low=[100 * part["use_rate_interval"][0] for part in parts],
        high=[100 * part["use_rate_interval"][1] for part in parts],
        counts=[f"{part['used']} of {part['judged']}" for part in parts],
    )


def rates_figure(info: Rates) -> go.Figure:
    """A dot a part with its 95 % interval."""
    error = {
        "type": "data",
        "array": [high - rate for high, rate in zip(info.high, info.rates, strict=True)],
        "arrayminus": [rate - low for rate, low in zip(info.rates, info.low, strict=True)],
    }
    figure = go.Figure()
    figure.add_scatter(
        y=[escaped(label) for label in info.labels], x=info.rates, error_x=error, mode="markers+text",
        text=info.counts, textposition="top right", marker={"size": 10, "color": "#4e79a7"},
    )  # fmt: skip
    figure.update_layout(
        title=f"Use rate by {info.by}, with 95 % interval", xaxis_title="used of judged memories, %",
        xaxis_rangemode="tozero", height=150 + 60 * max(len(info.labels), 1), showlegend=False,
        margin=_MARGIN,
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
        labels=[f"{one['ranked_position']}  {shown(one['uri'], _LABEL_CELLS)}" for one in best],
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
    figure.add_vline(
        x=info.threshold,
        line_dash="dash",
        line_color="#8c8c8c",
        annotation_text=f"shown from {info.threshold:g}",
        annotation_position="bottom right",
    )
    figure.update_layout(
        barmode="stack", legend=_LEGEND, yaxis_autorange="reversed", xaxis_title="score",
        height=170 + 28 * max(len(labels), 1), margin=_MARGIN,
        title="Parts of each score (● shown, ○ not shown)",
    )  # fmt: skip
    return figure


def escaped(text: str) -> str:
    """Text that Plotly shows literally: it reads a few HTML tags."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
