"""Data: take in a source, what was taken in so far, how well it joins, and a backup of it all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.folding import fold
from workbench.store import back_up, default_backup
from workbench.ui import imports, kept
from workbench.ui.bar import chosen
from workbench.ui.cached import store_path
from workbench.ui.data_parts import (
    held_columns,
    held_rows,
    join_columns,
    join_line,
    join_rows,
    joined,
    model_columns,
    model_rows,
    period_columns,
    period_rows,
    periods,
    size_line,
    source_columns,
    source_rows,
    sources,
    uncounted_columns,
    uncounted_rows,
)
from workbench.ui.import_form import draw_end, draw_form, draw_report, live
from workbench.ui.log import held
from workbench.ui.tables import pick, table
from workbench.ui.texts import t
from workbench.ui.texts.said import said

_NONE = 0


def _import(path: Path) -> None:
    st.subheader(t("data.import"))
    if imports.is_running(path):
        with st.container(border=True):
            live()
        return
    imports.sweep(path)
    draw_end()
    draw_form()


def _sources() -> None:
    st.subheader(t("data.sources"))
    found = sources()
    if not found:
        st.caption(t("data.no_sources"))
        return
    st.caption(t("data.choose"))
    number = pick(source_rows(found), source_columns(), "imports", "import_id", kept.value("import", _NONE))
    kept.note("import", number or _NONE, _NONE)
    for one in found:
        if one["import_id"] == number:
            draw_report(one["report"], "source")


def _joins() -> None:
    st.subheader(t("data.joins"))
    found = joined(chosen().selection)
    if found["prompts"]:
        st.markdown(join_line(found))
    table(join_rows(found), join_columns(), "joins")
    if found["uncounted"] is None:
        st.caption(t("data.no_transcripts"))
    else:
        table(uncounted_rows(found), uncounted_columns(), "uncounted")


def _periods() -> None:
    """Which settings were in force when: recovered only when somebody wants to know, because it takes its time."""
    st.subheader(t("data.periods"))
    if not st.toggle(t("data.find_periods"), key="find periods", help=t("data.find_periods_help")):
        return
    with st.spinner(t("data.finding_periods")):
        found = periods(chosen().selection)
    st.markdown(said(found["said"]))
    if found["periods"]:
        table(period_rows(found), period_columns(found), "periods")
    if found["alternating"]:
        st.caption(t("data.alternating", keys=", ".join(found["alternating"])))


def _meaning(holds: Mapping[str, Any]) -> None:
    st.subheader(t("data.words"))
    st.markdown(said(holds["tokenizer_choice"]["said"]))
    table(model_rows(holds["embeddings"]), model_columns(), "models")
    for warning in (*holds["warnings"], *holds["doubts"]):
        st.markdown(f"- {said(warning)}")
    st.caption(t("data.embed"))


def _backup(path: Path) -> None:
    st.subheader(t("data.backup"))
    st.caption(t("data.backup_is"))
    if "backup to" not in st.session_state:
        st.session_state["backup to"] = str(default_backup(path.resolve()))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        target = st.text_input(t("data.backup_to"), key="backup to")
        wanted = st.button(t("data.back_up"), key="backup")
    if not wanted:
        return
    try:
        with st.spinner(t("data.backing_up")):
            fold(path)
            size = back_up(path, Path(target))
    except WorkbenchError as error:
        st.error(said(str(error)))
    else:
        st.success(t("data.backed_up", target=target, size=size / 1e6))


st.title(t("data.title"))
store = store_path()
if store.exists():
    content = held()
    st.caption(size_line(content))
    _import(store)
    _sources()
    _joins()
    _periods()
    _meaning(content)
    with st.expander(t("data.holds")):
        table(held_rows(content), held_columns(), "tables")
    _backup(store)
else:
    st.info(t("data.no_store", db=str(store)))
    _import(store)
