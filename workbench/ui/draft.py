"""The draft that a visitor works on: values that survive the change of pages, and the configuration they came from."""

from __future__ import annotations

import streamlit as st

from workbench.params import Params

_VALUES, _FROM, _NAME = "draft_values", "draft_from", "draft_name"


def load_draft(params: Params, name: str) -> None:
    """Make `params` the draft, under the name of where it comes from."""
    st.session_state[_VALUES] = params.as_flat()
    st.session_state[_FROM] = params
    st.session_state[_NAME] = name
