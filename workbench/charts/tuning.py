"""Pictures of a tuning run: the search as it goes, and what a study found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from workbench.charts.style import GAIN, LEGEND, LOSS, MARGIN, NEUTRAL, NOISE, UNKNOWN, escaped
from workbench.params import KEYS
from workbench.tune.history import EVALUATOR, History

_MOST_AXES = 8
_FEW = 12


@dataclass(frozen=True)
class Search:
    """Gains of the completed trials by number, those within the limits and the others, and the best within them so
    far."""

    numbers: Sequence[int]
    gains: Sequence[float]
    over_numbers: Sequence[int]
    over_gains: Sequence[float]
    best_numbers: Sequence[int]
    best: Sequence[float]


def search_info(found: History) -> Search:
    """The course of a study."""
    inside = [point for point in found.points if point.feasible]
    outside = [point for point in found.points if not point.feasible]
    known = [(point.number, point.best) for point in found.points if point.best is not None]
    return Search(
        [point.number for point in inside], [point.gain for point in inside],
        [point.number for point in outside], [point.gain for point in outside],
        [number for number, _ in known], [best for _, best in known],
    )  # fmt: skip


def search_figure(info: Search) -> go.Figure:
    """A dot a trial, hollow where it oversteps a limit, and the best so far as a step line."""
    figure = go.Figure()
    figure.add_scatter(
        x=info.over_numbers, y=info.over_gains, mode="markers", name="over a limit",
        marker={"symbol": "circle-open", "color": NEUTRAL, "size": 6},
    )  # fmt: skip
    figure.add_scatter(
        x=info.numbers, y=info.gains, mode="markers", name="within the limits", marker={"color": GAIN, "size": 6}
    )
    figure.add_scatter(
        x=info.best_numbers, y=info.best, mode="lines", name="best so far", line={"color": LOSS, "shape": "hv"}
    )
    figure.add_hline(y=0, line_color=NEUTRAL, line_width=1)
    figure.update_layout(
        title="Trials", xaxis_title="trial (0 is the present configuration)", yaxis_title="gain of net help a prompt",
        height=340, legend=LEGEND, margin=MARGIN,
    )  # fmt: skip
    return figure


@dataclass(frozen=True)
class Gains:
    """Changes of net help a prompt with their 95 % intervals (None: no interval), and what chance alone reaches: the
    best gains on shuffled labels at equal shares of the shuffles, smallest first, and their 95th percentile; `chance`
    is what they are called."""

    labels: Sequence[str]
    gains: Sequence[float]
    intervals: Sequence[Sequence[float] | None]
    luck: Sequence[float]
    bar: float
    chance: str = "searches on shuffled labels"


def gains_info(result: Mapping[str, Any]) -> Gains | None:
    """What a study gained on both parts; None where it found nothing within the limits."""
    held_out, luck = result["holdout"], result["luck"]
    if held_out is None or luck is None:
        return None
    worst, best = held_out["if_new_unhelpful"], held_out["if_new_helpful"]
    return Gains(
        ["training part", "held out, by what is known", "held out, all new ones unhelpful",
         "held out, all new ones helpful"],
        [result["train"]["net_help_gain"], held_out["net_help_gain"], worst["net_help_gain"], best["net_help_gain"]],
        [None, held_out["interval"], worst["interval"], None],
        luck.get("spread") or [0.0, luck["median_gain"], luck["bar"]],
        luck["bar"],
    )  # fmt: skip


def gains_figure(info: Gains) -> go.Figure:
    """A dot a gain with its interval; above them, as a box, the gains that chance reaches, and the bar as a line."""
    ends = [interval or [gain, gain] for interval, gain in zip(info.intervals, info.gains, strict=True)]
    figure = go.Figure()
    figure.add_box(
        x=info.luck, y=[info.chance] * len(info.luck), orientation="h", boxpoints=False,
        line_color=NEUTRAL, name="luck",
    )  # fmt: skip
    figure.add_scatter(
        x=info.gains, y=info.labels, mode="markers", marker={"color": GAIN, "size": 11},
        error_x={
            "type": "data",
            "array": [high - gain for (_, high), gain in zip(ends, info.gains, strict=True)],
            "arrayminus": [gain - low for (low, _), gain in zip(ends, info.gains, strict=True)],
        },
        hovertemplate="%{x:+.4f}<extra></extra>",
    )  # fmt: skip
    figure.add_vline(
        x=info.bar, line_dash="dash", line_color=LOSS, annotation_text="bar",
        annotation_position="top right",
    )  # fmt: skip
    figure.add_vline(x=0, line_color=NEUTRAL, line_width=1)
    figure.update_layout(
        title="Gains with 95 % intervals; on the training part it must exceed the bar of luck",
        xaxis_title="change of net help a prompt",
        yaxis_autorange="reversed", showlegend=False, height=330, margin=MARGIN,
    )  # fmt: skip
    return figure


@dataclass(frozen=True)
class Importance:
    """How much each key moved the gain, greatest first, 0..1."""

    keys: Sequence[str]
    shares: Sequence[float]


def importance_info(found: Mapping[str, float]) -> Importance:
    """What `workbench.tune.history.importance` found."""
    return Importance(list(found), list(found.values()))


def importance_figure(info: Importance) -> go.Figure:
    """A bar a key."""
    figure = go.Figure()
    figure.add_bar(
        y=info.keys, x=info.shares, orientation="h", marker_color=GAIN, hovertemplate="%{x:.3f}<extra></extra>"
    )
    figure.update_layout(
        title=f"Importance of the keys in this search ({EVALUATOR})", xaxis_title="share", yaxis_autorange="reversed",
        height=130 + 24 * max(len(info.keys), 1), margin={**MARGIN, "t": 50},
    )  # fmt: skip
    return figure


@dataclass(frozen=True)
class Paths:
    """The trials as lines through the values of the keys that move the gain most; `axes` holds each key with its range
    and one value a trial, `gains` one gain a trial."""

    axes: Mapping[str, tuple[float, float, Sequence[float]]]
    gains: Sequence[float]


def paths_info(found: History, current: Mapping[str, Any], keys: Sequence[str]) -> Paths:
    """The trials within the limits; `keys` in order of importance, of which the first few are drawn."""
    inside = [point for point in found.points if point.feasible]
    axes = {
        name: (KEYS[name].low, KEYS[name].high, [float(one.changed.get(name, current[name])) for one in inside])
        for name in keys[:_MOST_AXES]
    }
    return Paths(axes, [point.gain for point in inside])


def paths_figure(info: Paths) -> go.Figure:
    """Parallel coordinates, coloured by gain."""
    figure = go.Figure()
    figure.add_parcoords(
        line={"color": info.gains, "colorscale": "Viridis", "showscale": True, "colorbar": {"title": "gain"}},
        dimensions=[
            {"label": name.rpartition(".")[2], "range": [low, high], "values": values}
            for name, (low, high, values) in info.axes.items()
        ],
        labelangle=-20, labelside="bottom",
    )  # fmt: skip
    figure.update_layout(
        title="Trials within the limits, by the keys that moved the gain most", height=360,
        margin={"l": 50, "r": 20, "t": 60, "b": 70},
    )  # fmt: skip
    return figure


@dataclass(frozen=True)
class Front:
    """Configurations that no other beats in all respects at once: used memories lost, unused ones removed, newly shown
    ones of which nothing is known; by trial number."""

    trials: Sequence[int]
    lost: Sequence[int]
    removed: Sequence[int]
    newly: Sequence[int]
    chosen: int | None


def front_info(result: Mapping[str, Any]) -> Front:
    """The Pareto front of a study, on its training part."""
    points = result["pareto"]
    lost, removed, newly = ([point[name] for point in points] for name in ("used_lost", "removed", "newly_shown"))
    chosen = result["best_found"]["trial"] if result["feasible"] else None
    return Front([point["trial"] for point in points], lost, removed, newly, chosen)


def front_figure(info: Front) -> go.Figure:
    """A dot a configuration; its colour says how many new memories it shows."""
    figure = go.Figure()
    figure.add_scatter(
        x=info.lost, y=info.removed, mode="markers", text=[f"{trial}" for trial in info.trials],
        customdata=info.newly,
        marker={
            "size": 12, "color": info.newly, "colorscale": [[0, GAIN], [1, UNKNOWN]], "showscale": True,
            "colorbar": {"title": "newly shown"},
            "line": {"width": [3 if trial == info.chosen else 0 for trial in info.trials], "color": LOSS},
        },
        cliponaxis=False,
        hovertemplate="%{x} used lost<br>%{y} unused removed<br>%{customdata} newly shown<extra>trial %{text}</extra>",
    )  # fmt: skip
    figure.update_layout(
        title="Trials that no other beats in all respects (training part; ringed: the one chosen)",
        xaxis_title="used memories lost", yaxis_title="unused memories removed", height=360,
        margin={**MARGIN, "t": 60}, xaxis_rangemode="tozero",
        xaxis_dtick=1 if max(info.lost, default=0) < _FEW else None,
    )  # fmt: skip
    return figure


@dataclass(frozen=True)
class Sides:
    """The four-way ledger of several configurations, one bar each; all are counts of memories."""

    names: Sequence[str]
    used_kept: Sequence[int]
    used_lost: Sequence[int]
    unused_kept: Sequence[int]
    removed: Sequence[int]
    newly: Sequence[int]


def sides_info(ledgers: Mapping[str, Mapping[str, int]]) -> Sides:
    """Ledgers (their JSON form) by the name of the configuration."""
    columns = [
        [ledger[part] for ledger in ledgers.values()]
        for part in ("used_kept", "used_lost", "unused_kept", "removed", "newly_shown")
    ]
    return Sides(list(ledgers), *columns)


def sides_figure(info: Sides) -> go.Figure:
    """What a configuration shows to the right of the line, what it leaves out of the log to the left."""
    names = [escaped(name) for name in info.names]
    bars = (
        ("used, shown", info.used_kept, GAIN, "", 1),
        ("shown and not used", info.unused_kept, NOISE, "", 1),
        ("newly shown, unknown", info.newly, UNKNOWN, "/", 1),
        ("used, lost", info.used_lost, LOSS, "", -1),
        ("unused, removed", info.removed, NEUTRAL, "", -1),
    )
    figure = go.Figure()
    for name, counts, color, hatch, side in bars:
        figure.add_bar(
            y=names, x=[side * count for count in counts], orientation="h", name=name, customdata=counts,
            marker={"color": color, "pattern": {"shape": hatch}}, hovertemplate="%{customdata:,}",
        )  # fmt: skip
    figure.add_vline(x=0, line_color=NEUTRAL)
    figure.update_layout(
        barmode="relative", height=180 + 42 * len(names), yaxis_autorange="reversed",
        title="Memories: left out of the log to the left, shown to the right", margin={**MARGIN, "t": 50},
        legend={"orientation": "h", "x": 0, "y": -0.35, "yanchor": "top", "traceorder": "normal"},
        xaxis_tickformat=",d",
    )  # fmt: skip
    return figure
