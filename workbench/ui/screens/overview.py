"""Overview: what the store holds, how helpful recall was, and what to do next."""

from __future__ import annotations

import streamlit as st

from workbench.charts import (
    activity_figure,
    rates_figure,
    rates_info,
    trend_figure,
    trend_info,
)
from workbench.ui.bar import chosen, client_name
from workbench.ui.empty import expect_log, expect_prompts
from workbench.ui.links import has_page, link
from workbench.ui.log import (
    capability_rows,
    denominator_rows,
    fresh_line,
    gate,
    held,
    next_steps,
    overview,
    parity_line,
    part_columns,
    question_rows,
    separation_lines,
    tiles,
)
from workbench.ui.pictures import picture
from workbench.ui.tables import Column, prose, table
from workbench.ui.texts import plain, t
from workbench.ui.texts.said import said

_LIGHTS = {"good": st.success, "bad": st.warning, "none": st.info}

st.title(t("overview.title"))
with st.spinner(t("overview.counting")):
    holds = held()
st.caption(fresh_line(holds))
expect_log(holds)
filtered = chosen()
with st.spinner(t("overview.counting")):
    found = overview(filtered.selection, filtered.zone)
    parity = gate()
expect_prompts(found["prompts"])

st.markdown(said(found["sufficiency"]))
for place, (name, value, rests_on) in zip(st.columns(5), tiles(found), strict=True):
    with place.container(border=True, height="stretch"):
        st.metric(name, value)
        st.caption(rests_on)

light, sentence = parity_line(parity)
st.subheader(t("overview.next"))
_LIGHTS[light](sentence)
for step, page in next_steps(found, holds["capabilities"], light):
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"- {step}", width="content")
        if page is not None and has_page(page):
            link(page, plain(f"{page}.title"))

st.subheader(t("overview.trend"))
if found["shown"]:
    picture(trend_figure(trend_info(found["weeks"])), "use-rate-by-week", t("overview.by_week"))
    with st.expander(t("overview.as_table")):
        table(found["weeks"], part_columns(Column("part", plain("overview.week"))), "weeks")
activity = found["activity"]
if activity.days:
    picture(activity_figure(activity), "activity", t("overview.by_day", zone=activity.zone))

if found["shown"]:
    st.subheader(t("overview.clients"))
    picture(rates_figure(rates_info(found)), "use-rate-by-client", t("overview.by_client"))
    table(found["parts"], part_columns(Column("part", plain("bar.client"), said=client_name)), "clients")
    st.subheader(t("overview.separation"))
    for line in separation_lines(found["separation"]):
        st.markdown(line)

st.subheader(t("overview.questions"))
columns = [
    Column("question", plain("overview.question")), Column("answered", plain("overview.answered"), "yes"),
    Column("why", plain("overview.why")), Column("more_days", plain("overview.more_days")),
]  # fmt: skip
prose(question_rows(found["questions"]), columns, "questions")
with st.expander(t("overview.rests_on")):
    columns = [
        Column("step", plain("overview.step")), Column("count", plain("overview.count"), "count"),
        Column("why", plain("overview.why")),
    ]  # fmt: skip
    prose(denominator_rows(found), columns, "denominators")
with st.expander(t("overview.good_for")):
    columns = [
        Column("can", plain("overview.can")), Column("possible", plain("overview.possible"), "yes"),
        Column("why", plain("overview.why")),
    ]  # fmt: skip
    prose(capability_rows(holds["capabilities"]), columns, "capabilities")
