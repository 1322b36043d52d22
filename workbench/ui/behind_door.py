"""Entry point of the app behind a password; `workbench ui --password-file` runs it."""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from workbench.ui.door import PASSWORD_VARIABLE, Door, read_password

app = st.App(
    Path(__file__).with_name("app.py"),
    middleware=[Middleware(Door, password=read_password(Path(os.environ[PASSWORD_VARIABLE])))],
)
