"""How the score of one memory adds up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from workbench.charts.log import TERMS
from workbench.charts.style import FALLS_SHORT, MARGIN, NEUTRAL, REACHES, threshold_line

_ROOM = 1.15


@dataclass(frozen=True)
class Waterfall:
    """The terms of one score in the order of the formula; they add up to `score`."""

    terms: Sequence[str]
    parts: Sequence[float]
    score: float
    threshold: float


def waterfall_info(explanation: Mapping[str, Any], uri: str) -> Waterfall | None:
    """How the score of the memory `uri` adds up in an explanation (its JSON form); None where it is no candidate."""
    for one in explanation["candidates"]:
        if one["uri"] == uri:
            parts = [one["terms"][term] for term in TERMS]
            return Waterfall([*TERMS], parts, one["score"], explanation["min_display_score"])
    return None


def waterfall_figure(info: Waterfall) -> go.Figure:
    """A step a term and the score behind them, with the display threshold as a line."""
    labels = [term.replace("_", " ") for term in info.terms]
    figure = go.Figure()
    figure.add_waterfall(
        y=[*labels, "score"], x=[*info.parts, info.score], measure=[*["relative"] * len(labels), "total"],
        orientation="h", text=[f"{value:+.3f}" for value in info.parts] + [f"{info.score:.3f}"],
        increasing_marker_color="#4e79a7", decreasing_marker_color=FALLS_SHORT, connector_line_color=NEUTRAL,
        totals_marker_color=REACHES if info.score >= info.threshold else FALLS_SHORT, textposition="outside",
        hovertemplate="%{y}: %{delta:.6f}<extra></extra>",
    )  # fmt: skip
    threshold_line(figure, info.threshold, "top")
    figure.update_shapes(layer="below", opacity=0.5)  # the numbers stand in front of the line
    # Room for the numbers behind the longest bar.
    widest = max(info.threshold, info.score, sum(part for part in info.parts if part > 0)) * _ROOM
    figure.update_layout(
        title="How the score adds up", xaxis_title="score", xaxis_range=[min(0.0, info.score), widest], height=400,
        margin=MARGIN, showlegend=False, yaxis_autorange="reversed",
    )  # fmt: skip
    return figure
