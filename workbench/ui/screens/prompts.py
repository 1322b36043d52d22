"""Prompts: the list of what was asked, newest first, and the way to each."""

from __future__ import annotations

import streamlit as st

from workbench.ui.bar import chosen
from workbench.ui.empty import expect_log, expect_prompts
from workbench.ui.links import go
from workbench.ui.log import held
from workbench.ui.prompt_list import columns, domain_choice, listed, listed_line, outcome_choice, page_choice
from workbench.ui.tables import pick
from workbench.ui.texts import t

st.title(t("prompts.title"))
expect_log(held())
selection = chosen().selection
with st.container(horizontal=True, vertical_alignment="bottom"):
    outcome, domain = outcome_choice(), domain_choice(selection)
    total = listed(selection, outcome, domain, 1)["total"]
    number = page_choice(total)
expect_prompts(total)
found = listed(selection, outcome, domain, number)
st.caption(listed_line(found))
query_id = pick(found["rows"], columns(), "prompts", "query_id")
if query_id is not None:
    go("prompt", query_id=query_id)
