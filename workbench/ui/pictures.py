"""Pictures of a page: in its language and theme, and to take along."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from workbench.ui.texts import language, t, texts
from workbench.ui.texts.said import said_plainly

_TITLE_TOP, _LEAST_TOP = 60, 30
# The row of buttons stands beside the legend: those that double others or choose what nobody asks for are left out.
_SPARED = ("zoomIn2d", "zoomOut2d", "autoScale2d", "select2d", "lasso2d")
_JOINS = re.compile(r"(, | \+ )")


def picture(figure: go.Figure, name: str, title: str, **options: Any) -> Any:
    """Draw a figure below its `title`; `name` is its key and the name of its files. Options, and what is returned, are
    those of st.plotly_chart. The camera of the figure gives PNG, the button HTML that needs no network, whose own
    camera gives SVG."""
    _spoken(figure)
    figure.update_layout(title=None, margin_t=max(_LEAST_TOP, (figure.layout.margin.t or _TITLE_TOP) - _TITLE_TOP))
    _hold_legend(figure)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{title}**", width="stretch")
        st.download_button(
            "HTML", data=lambda: _page(figure, name), file_name=f"{name}.html", mime="text/html", type="tertiary",
            icon=":material/download:", key=f"page {name}", on_click="ignore", help=t("charts.html"),
        )  # fmt: skip
    return st.plotly_chart(
        figure, key=f"picture {name}", width="stretch", alt=title, config=_tools("png", name), **options
    )


def _page(figure: go.Figure, name: str) -> str:
    html: str = figure.to_html(include_plotlyjs=True, config=_tools("svg", name))
    return html


def _tools(camera: str, name: str) -> dict[str, Any]:
    return {
        "displaylogo": False,
        "modeBarButtonsToRemove": _SPARED,
        "toImageButtonOptions": {"format": camera, "filename": name, "scale": 2},
    }


def word(english: str) -> str:
    """Fixed words of a chart in the language of the session, also several joined by a comma or a plus; what the texts
    do not hold stays."""
    known: Mapping[str, str] = texts(language()).get("charts.words", {})
    if english in known:
        return known[english]
    parts = _JOINS.split(english)
    if not all(part in known for part in parts[::2]):
        return english
    return "".join(known.get(part, part) for part in parts)


def _hold_legend(figure: go.Figure) -> None:
    """Place the legend by the picture and not by its axes: by those it stands in the wrong place after the window has
    become wider or narrower."""
    legend = figure.layout.legend
    if legend.yanchor == "bottom" and legend.y == 1:
        legend.update(yref="container", y=1, yanchor="top")
    elif legend.yanchor == "top" and legend.y is not None and legend.y < 0:
        legend.update(yref="container", y=0, yanchor="bottom")


def _spoken(figure: go.Figure) -> None:
    """Put the names of traces and categories, the titles of axes and scales, what is written beside lines and what is
    said of a point into the language of the session."""
    for trace in figure.data:
        if trace.name:
            trace.name = said_plainly(word(trace.name))
        if getattr(trace, "hovertemplate", None):
            trace.hovertemplate = word(trace.hovertemplate)
        for scale in (getattr(trace, "marker", None), getattr(trace, "line", None), trace):
            bar = getattr(scale, "colorbar", None)
            if bar and bar.title.text:
                bar.title.text = word(bar.title.text)
        _categories(trace)
    for note in figure.layout.annotations:
        note.text = said_plainly(word(note.text))
    for axis in (*figure.select_xaxes(), *figure.select_yaxes()):
        if axis.type == "date":
            axis.tickformat = t("charts.day")
        if axis.title.text:
            axis.title.text = said_plainly(word(axis.title.text))


def _categories(trace: Any) -> None:
    for axis in ("x", "y"):
        held = getattr(trace, axis, None)
        if held is not None and any(isinstance(one, str) for one in held):
            setattr(trace, axis, [said_plainly(word(one)) if isinstance(one, str) else one for one in held])
