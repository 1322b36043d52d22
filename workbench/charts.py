"""Pictures: an x_info() function computes what a picture shows, x_figure() draws it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from workbench.replay.selection import Selection
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


def activity_info(db: Database, selection: Selection, zone: str = "UTC") -> Activity:
    """Prompts, shown and used memories by calendar day of `zone`; days without a prompt count 0."""
    selection.materialise(db)
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
        barmode="overlay", legend_orientation="h", margin={"l": 10, "r": 10, "t": 40, "b": 10},
        xaxis_title=f"day ({info.zone})", yaxis_title="count", title="Prompts, memories shown and used",
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
    figure.add_vline(x=info.threshold, line_dash="dash", annotation_text=f"shown from {info.threshold:g}")
    figure.update_layout(
        barmode="stack", legend_orientation="h", yaxis_autorange="reversed", xaxis_title="score",
        height=140 + 28 * max(len(labels), 1), margin={"l": 10, "r": 10, "t": 60, "b": 10},
        title="Parts of each score (● shown, ○ not shown)",
    )  # fmt: skip
    return figure


def escaped(text: str) -> str:
    """Text that Plotly shows literally: it reads a few HTML tags."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
