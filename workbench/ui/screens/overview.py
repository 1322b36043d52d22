"""Overview of a store: how helpful recall was, by day and by client."""

from __future__ import annotations

import streamlit as st

from workbench.charts import activity_figure, activity_info, rates_figure, rates_info
from workbench.importers import capabilities
from workbench.metrics.report import report
from workbench.replay.selection import SELECTED
from workbench.ui.common import (
    capability_rows,
    chosen_selection,
    chosen_zone,
    denominator_rows,
    headline,
    literal,
    store,
)

st.title("Overview")
with store() as db:
    selection = chosen_selection(db)
    zone = chosen_zone()
    activity = activity_info(db, selection, zone)
    said = report(db, SELECTED, "client", zone).as_json()
    possible = capabilities(db)

st.markdown(literal(said["sufficiency"]))
for place, (name, value) in zip(st.columns(4), headline(said), strict=True):
    place.metric(name, value, border=True)
if said["shown"]:
    st.plotly_chart(rates_figure(rates_info(said)), key="rates", width="stretch")
if activity.days:
    st.plotly_chart(activity_figure(activity), key="activity", width="stretch")
st.subheader("What each figure rests on")
st.dataframe(denominator_rows(said), width="stretch", hide_index=True)
st.subheader("What this store is good for")
st.dataframe(capability_rows(possible), width="stretch", hide_index=True)
