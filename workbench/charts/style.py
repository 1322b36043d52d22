"""What all pictures share: colours, legend and margins, the threshold as a line, literal text."""

from __future__ import annotations

import plotly.graph_objects as go

LEGEND = {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "traceorder": "normal"}
MARGIN = {"l": 10, "r": 10, "t": 90, "b": 10}
# Each stands out from a light page and from a dark one.
REACHES, FALLS_SHORT, NEUTRAL = "#7b5cc0", "#cc5500", "#8c8c8c"
GAIN, LOSS, NOISE, UNKNOWN = "#4e79a7", "#e15759", "#bab0ac", "#edc948"


def threshold_line(figure: go.Figure, threshold: float, position: str = "bottom right") -> None:
    """A dashed line at the display threshold, with its value."""
    figure.add_vline(
        x=threshold, line_dash="dash", line_color=NEUTRAL, annotation_text=f"shown from {threshold:g}",
        annotation_position=position,
    )  # fmt: skip


def escaped(text: str) -> str:
    """Text that Plotly shows literally: it reads a few HTML tags."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
