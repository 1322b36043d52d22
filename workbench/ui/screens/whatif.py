"""What-if: every key on a slider, and what the log would have been with other values."""

from __future__ import annotations

import streamlit as st

from workbench.ui import desks, draft
from workbench.ui.bar import chosen
from workbench.ui.configurations import in_force
from workbench.ui.empty import expect_log, expect_prompts
from workbench.ui.log import held
from workbench.ui.texts import t
from workbench.ui.whatif_parts import (
    difference_line,
    draw_curve,
    draw_ledger,
    draw_section,
    keep_draft,
    load_or_keep,
    section_choice,
)

st.title(t("whatif.title"))
expect_log(held())
selection, present = chosen().selection, in_force()
left, right = st.columns([2, 5], gap="medium")
with left.container(key="keys"):
    comes_from = st.container()
    wanted = load_or_keep()
    params = draft.draw(present)
    with comes_from:
        if wanted:
            keep_draft(wanted, params)
        st.markdown(difference_line(params))
with right:
    with st.spinner(t("whatif.laying")):
        desks.prepare(selection)
        after, curve = desks.ledger_and_curve(selection, params)
        before = after if params == present else desks.ledger(selection, present)
    expect_prompts(before["prompts"])
    draw_ledger(before, after)
    draw_curve(selection, params, curve)
    section = section_choice()
    with st.spinner(t("whatif.counting")):
        draw_section(section, selection, params, present)
