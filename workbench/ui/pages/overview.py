"""Overview of a store: what it holds and how helpful recall was."""

from __future__ import annotations

import streamlit as st

from workbench.charts import activity_figure, activity_info
from workbench.metrics import report
from workbench.replay.selection import SELECTED
from workbench.ui.common import chosen_selection, literal, store

st.title("Overview")
with store() as db:
    selection = chosen_selection(db)
    zone = st.sidebar.text_input("Time zone of days", "UTC")
    activity = activity_info(db, selection, zone)
    said = report(db, SELECTED, by="client").as_json()
st.write(literal(said["sufficiency"]))
st.plotly_chart(activity_figure(activity), key="activity", width="stretch")
