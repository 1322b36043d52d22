"""The use rate week by week."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from workbench.charts.style import LEGEND, MARGIN

_LINE, _BAND = "#4e79a7", "rgba(78,121,167,0.18)"


@dataclass(frozen=True)
class Trend:
    """Use rates in per cent by week (ISO, such as 2026-W41), oldest first, with the ends of their intervals and what
    they rest on; None for a week without judged memories."""

    weeks: Sequence[str]
    rates: Sequence[float | None]
    low: Sequence[float | None]
    high: Sequence[float | None]
    counts: Sequence[str]


def trend_info(weeks: Sequence[Mapping[str, Any]]) -> Trend:
    """The parts of a report by week (its JSON form)."""
    dated = [one for one in weeks if one["part"]]
    ends = [one["use_rate_interval"] or (None, None) for one in dated]
    return Trend(
        weeks=[one["part"] for one in dated],
        rates=[_percent(one["use_rate"]) for one in dated],
        low=[_percent(low) for low, _ in ends],
        high=[_percent(high) for _, high in ends],
        counts=[f"{one['used']:,} / {one['judged']:,}" for one in dated],
    )


def trend_figure(info: Trend) -> go.Figure:
    """A line with its 95 % intervals as a band; the counts beside the pointer."""
    figure = go.Figure()
    edge = {"x": info.weeks, "mode": "lines", "line_width": 0, "hoverinfo": "skip"}
    figure.add_scatter(y=info.high, showlegend=False, **edge)
    figure.add_scatter(y=info.low, fill="tonexty", fillcolor=_BAND, name="95 % interval", **edge)
    figure.add_scatter(
        x=info.weeks, y=info.rates, name="use rate", mode="lines+markers", line_color=_LINE, customdata=info.counts,
        hovertemplate="%{x}<br>%{y:.1f} % (%{customdata})<extra></extra>",
    )  # fmt: skip
    figure.update_layout(
        title="Use rate by week", xaxis_type="category", xaxis_title="week", yaxis_title="used of judged memories, %",
        yaxis_rangemode="tozero", legend=LEGEND, margin=MARGIN, height=320,
    )  # fmt: skip
    return figure


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
