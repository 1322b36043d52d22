"""Help: the way through the pages for somebody who has never seen them, with a picture of each."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from workbench.ui.links import link
from workbench.ui.screens import SCREENS
from workbench.ui.texts import language, plain, t

# Made by tests/test_ui_tour_browser.py.
_PICTURES = Path(__file__).parent.parent / "static" / "tour"
# A log comes first.
_WAY = ("store", "look", "change")

st.title(t("help.title"))
st.markdown(t("help.intro"))
st.markdown(t("help.frame"))
for name in (screen.name for group in _WAY for screen in SCREENS[group] if screen.name != "help"):
    title = plain(f"{name}.title")
    st.subheader(title)
    st.markdown(t(f"help.{name}"))
    link(name, t("help.open", page=title))
    for picture in sorted(_PICTURES.glob(f"{name}-*{language()}.webp"), key=lambda file: (len(file.stem), file.stem)):
        with st.container(border=True):
            st.image(str(picture), width="stretch", alt=t("help.picture", page=title))
