"""The form that starts an import, and what is seen of one that goes on or is over."""

from __future__ import annotations

from typing import Any
from zoneinfo import available_timezones

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.importers.options import TOKENIZERS
from workbench.ui import imports, kept
from workbench.ui.cached import store_path
from workbench.ui.data_parts import change_columns, change_rows, rejected_columns
from workbench.ui.links import link
from workbench.ui.literal import literal
from workbench.ui.tables import table
from workbench.ui.texts import plain, t
from workbench.ui.texts.said import said, said_plainly

_LOOK_EVERY = "1s"
_PROBLEM = "import problem"
_WAYS = ("path", "upload")


def draw_form() -> None:
    """What to import and how; a click starts it."""
    names = {one: plain(f"data.way_{one}") for one in _WAYS}
    way = kept.widget(
        "way", _WAYS[0],
        lambda key: st.radio(t("data.way"), _WAYS, format_func=names.__getitem__, horizontal=True, key=key),
        lambda one: one in _WAYS,
    )  # fmt: skip
    uploads: Any = []
    source = ""
    if way == "upload":
        uploads = st.file_uploader(
            t("data.files"), accept_multiple_files=True, key="import files", help=t("data.files_help")
        )
    else:
        source = st.text_input(
            t("data.path"), key="import path", placeholder=plain("data.path_example"), help=t("data.path_help")
        )
    plan = _options(source)
    ready = bool(source.strip() or uploads)
    if st.button(t("data.start"), type="primary", disabled=not ready, key="import start"):
        _begin(plan, uploads)
    if problem := st.session_state.pop(_PROBLEM, ""):
        st.error(problem)


def _options(source: str) -> imports.Plan:
    with st.expander(t("data.options")):
        first, second = st.columns(2)
        zones = ["UTC", *sorted(available_timezones() - {"UTC"})]
        return imports.Plan(
            source,
            tokenizer=first.selectbox(t("data.tokenizer"), TOKENIZERS, key="import tokenizer"),
            since=second.text_input(t("data.since"), key="import since", placeholder="2026-01-31"),
            zone=first.selectbox(t("data.zone"), zones, key="import zone", help=t("data.zone_help")),
            redact=second.checkbox(t("data.redact"), key="import redact"),
            dry_run=second.checkbox(t("data.dry_run"), key="import dry"),
        )


def _begin(plan: imports.Plan, uploads: Any) -> None:
    try:
        imports.start(store_path(), plan, uploads)
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = said(str(error))
    st.rerun()


@st.fragment(run_every=_LOOK_EVERY)
def live() -> None:
    """How far the import is, and a way to end it; the page is drawn anew when it is over."""
    if not imports.is_running(store_path()):
        st.rerun()
    run, (share, what) = imports.newest(store_path()), imports.step(store_path())
    st.markdown(t("data.goes_on", source=run.plan.source if run else ""))
    st.progress(share, text=literal(said_plainly(what)) or t("data.begins"))
    st.button(t("data.cancel"), on_click=imports.cancel, args=(store_path(),), key="import cancel")
    st.caption(t("data.goes_on_alone"))


def draw_end() -> None:
    """What the import that is over did, or why it did not come to its end."""
    run = imports.newest(store_path())
    if run is None:
        return
    found = imports.report(store_path())
    source = literal(run.plan.source)
    with st.container(border=True):
        if found is not None:
            st.success(t("data.dry_done" if found["dry_run"] else "data.done", source=run.plan.source))
            draw_report(found, "import")
            if not found["dry_run"]:
                link("overview", plain("data.look"))
        elif run.stopped:
            st.info(t("data.cancelled", source=run.plan.source))
        else:
            st.error(f"{source}: {said(imports.complaint(store_path()))}")
        st.button(t("data.dismiss"), on_click=imports.forget, args=(store_path(),), key="import dismiss")


def draw_report(found: Any, name: str) -> None:
    """What an import did, table by table, what it noticed, and the rows that were left out."""
    table(change_rows(found), change_columns(), f"{name}-tables")
    for warning in found["warnings"]:
        st.markdown(f"- {said(warning)}")
    if found["rejected_total"]:
        st.markdown(t("data.rejected_line", count=found["rejected_total"], listed=len(found["rejected"])))
        table(found["rejected"], rejected_columns(), f"{name}-rejected")
