"""Entry point of the app; `workbench ui` runs it."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

_HERE = Path(__file__).parent
# Not `pages`: beside this file, a folder of that name is a navigation of its own to Streamlit, without this frame.
_SCREENS = _HERE / "screens"


def run() -> None:
    """Draw the frame around the pages."""
    st.set_page_config(page_title="Recall workbench", page_icon=str(_HERE / "static" / "icon.png"), layout="wide")
    pages = [
        st.Page(_SCREENS / "overview.py", title="Overview", icon=":material/monitoring:", default=True),
        st.Page(_SCREENS / "prompt.py", title="One prompt", icon=":material/account_tree:"),
    ]
    st.navigation(pages).run()


if __name__ == "__main__":
    run()
