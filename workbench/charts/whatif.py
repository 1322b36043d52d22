"""Pictures of a configuration that is tried by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from workbench.charts.log import TERMS
from workbench.charts.style import GAIN, LEGEND, LOSS, MARGIN, NEUTRAL, UNKNOWN, threshold_line

_GROUPS = {"used": GAIN, "shown_unused": LOSS, "withheld": NEUTRAL}
_BAND = "rgba(237,201,72,0.25)"
_FEW_TO_MANY = [[0, "#eef3f9"], [1, "#2f6aa8"]]
_LINES = (("shown", NEUTRAL, "solid"), ("used, kept", GAIN, "solid"), ("noise", LOSS, "solid"),
          ("silent prompts", "#76b7b2", "dot"))  # fmt: skip


@dataclass(frozen=True)
class Curve:
    """Counts over the display threshold; `unknown` of the shown ones are those of which nothing is known."""

    thresholds: Sequence[float]
    shown: Sequence[int]
    known: Sequence[int]
    used: Sequence[int]
    noise: Sequence[int]
    silent: Sequence[int]
    unknown: Sequence[int]
    threshold: float


def curve_info(curve: Sequence[tuple[float, Mapping[str, int]]], threshold: float) -> Curve:
    """A curve of ledgers (their JSON form), and the threshold of the configuration itself."""
    ledgers = [ledger for _, ledger in curve]
    unknown = [one["newly_shown"] + one["unjudged_kept"] for one in ledgers]
    shown = [one["shown"] for one in ledgers]
    return Curve(
        [at for at, _ in curve], shown, [whole - part for whole, part in zip(shown, unknown, strict=True)],
        [one["used_kept"] + one["newly_helpful"] for one in ledgers],
        [one["unused_kept"] + one["newly_unhelpful"] for one in ledgers],
        [one["silent_prompts"] for one in ledgers], unknown, threshold,
    )  # fmt: skip


def curve_figure(info: Curve) -> go.Figure:
    """Lines over the threshold; the unknown part of what is shown is a hatched band below the line of the shown."""
    figure = go.Figure()
    figure.add_scatter(x=info.thresholds, y=info.known, mode="lines", line_width=0, showlegend=False, hoverinfo="skip")
    figure.add_scatter(
        x=info.thresholds, y=info.shown, mode="lines", line_width=0, fill="tonexty", name="unknown",
        fillcolor=_BAND, fillpattern={"shape": "/", "fgcolor": UNKNOWN, "size": 6}, customdata=info.unknown,
        hovertemplate="%{customdata:,}", legendrank=1001,
    )  # fmt: skip
    for (name, color, dash), counts in zip(_LINES, (info.shown, info.used, info.noise, info.silent), strict=True):
        figure.add_scatter(
            x=info.thresholds, y=counts, mode="lines+markers", name=name, marker_size=4,
            line={"color": color, "dash": dash}, hovertemplate="%{y:,}",
        )  # fmt: skip
    threshold_line(figure, info.threshold, "top right")
    figure.update_layout(
        title="Over the threshold", xaxis_title="display threshold", yaxis_title="count", hovermode="x unified",
        legend=LEGEND, margin=MARGIN, height=360, yaxis_rangemode="tozero", xaxis_hoverformat=".3f",
    )  # fmt: skip
    return figure


@dataclass(frozen=True)
class Sweep:
    """One count of the ledger by display threshold (columns) and value of another key (rows)."""

    key: str
    columns: Sequence[float]
    rows: Sequence[str]
    counts: Sequence[Sequence[int]]


def sweep_info(swept: Sequence[tuple[Any, Sequence[tuple[float, Mapping[str, int]]]]], key: str, part: str) -> Sweep:
    """What a sweep (ledgers in their JSON form) says of one `part` of the ledger."""
    columns = [at for at, _ in swept[0][1]]
    return Sweep(
        key, columns, [f"{value:g}" for value, _ in swept],
        [[ledger[part] for _, ledger in curve] for _, curve in swept],
    )  # fmt: skip


def sweep_figure(info: Sweep) -> go.Figure:
    """A heat map with the count in every cell."""
    figure = go.Figure()
    figure.add_heatmap(
        x=[f"{one:g}" for one in info.columns], y=info.rows, z=info.counts, colorscale=_FEW_TO_MANY, xgap=1,
        ygap=1,
        texttemplate="%{z:,}", hovertemplate="%{x} · %{y}: %{z:,}<extra></extra>", showscale=False,
    )  # fmt: skip
    figure.update_layout(
        title="Sweep", xaxis_title="display threshold", yaxis_title=info.key, xaxis_type="category",
        yaxis_type="category", height=180 + 28 * len(info.rows), margin=MARGIN,
    )  # fmt: skip
    return figure


@dataclass(frozen=True)
class Spread:
    """Percentiles (5, 25, 50, 75, 95) of each term, by group of candidates; `counts` is how many the group holds."""

    terms: Sequence[str]
    quantiles: Mapping[str, Sequence[Sequence[float]]]
    counts: Mapping[str, int]


def spread_info(rows: Sequence[Mapping[str, Any]]) -> Spread:
    """The rows of terms.sql; groups without a candidate are left out."""
    terms = [term for term in (*TERMS, "score") if any(row["term"] == term for row in rows)]
    found = {(row["term"], row["grp"]): row for row in rows}
    groups = [group for group in _GROUPS if any(row["grp"] == group for row in rows)]
    return Spread(
        [term.replace("_", " ") for term in terms],
        {group: [found[term, group]["quantiles"] for term in terms] for group in groups},
        {group: found["score", group]["candidates"] for group in groups},
    )


def spread_figure(info: Spread) -> go.Figure:
    """A box a term and group: the middle half, the median, and whiskers from the 5th to the 95th percentile."""
    figure = go.Figure()
    for group, quantiles in info.quantiles.items():
        low, first, middle, third, high = zip(*quantiles, strict=True)
        figure.add_box(
            x=info.terms, lowerfence=low, q1=first, median=middle, q3=third,
            upperfence=high, name=group.replace("_", " "), marker_color=_GROUPS[group],
        )  # fmt: skip
    figure.update_layout(
        title="Terms", boxmode="group", yaxis_title="part of the score", legend=LEGEND, margin=MARGIN, height=400
    )
    return figure
