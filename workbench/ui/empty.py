"""What a page says where there is nothing to show: why, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from workbench.ui import bar
from workbench.ui.links import link
from workbench.ui.texts import plain, t


def expect_log(holds: Mapping[str, Any]) -> None:
    """End the page where the store (as `workbench status --json` has it) holds no recall."""
    if not holds["tables"]["recall_queries"]:
        st.info(t("frame.empty_log"))
        link("data", plain("data.title"))
        st.stop()


def expect_prompts(count: int) -> None:
    """End the page where no prompt passes the filter, with a way out."""
    if not count:
        st.info(t("frame.nothing_passes"))
        st.button(t("frame.clear"), on_click=bar.clear)
        st.stop()
