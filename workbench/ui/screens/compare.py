"""Compare: configurations held against each other on the same prompts."""

from __future__ import annotations

import streamlit as st

from workbench.ui.bar import chosen
from workbench.ui.comparing import (
    changes_line,
    chosen_configurations,
    chosen_pair,
    compared,
    draw_clients,
    draw_differences,
    draw_estimate,
    draw_flips,
    draw_ledgers,
)
from workbench.ui.empty import expect_log, expect_prompts
from workbench.ui.log import held
from workbench.ui.texts import t

st.title(t("compare.title"))
expect_log(held())
names = chosen_configurations()
if len(names) < 2:
    st.info(t("compare.too_few"))
    st.stop()
selection = chosen().selection
with st.spinner(t("compare.replaying")):
    found = compared(selection, names)
expect_prompts(found["ledgers"][names[0]]["prompts"])
draw_ledgers(found)
pair = chosen_pair(found)
st.markdown(changes_line(found, pair))
st.subheader(t("compare.differences"))
draw_differences(found, pair)
st.subheader(t("compare.flipped"))
draw_flips(pair)
st.subheader(t("compare.by_client"))
draw_clients(found)
draw_estimate(selection, found)
