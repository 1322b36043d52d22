"""Export: a configuration as TOML, into a file, onto a server, and back."""

from __future__ import annotations

import streamlit as st

from workbench.ui.exporting import (
    chosen_proposal,
    draw_difference,
    draw_into,
    draw_records,
    draw_server,
    draw_toml,
    say_what_became,
)
from workbench.ui.texts import t

st.title(t("export.title"))
say_what_became()
named, proposal = chosen_proposal()
st.subheader(t("export.difference"))
draw_difference(proposal)
st.subheader(t("export.toml"))
draw_toml(proposal)
with st.expander(t("export.into"), icon=":material/edit_document:"):
    draw_into(proposal)
with st.expander(t("export.onto"), icon=":material/cloud_upload:"):
    draw_server(named, proposal)
    draw_records()
