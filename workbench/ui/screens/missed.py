"""Missed: memories that were needed and not shown, what lost them, and what to change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from workbench.replay.selection import Selection
from workbench.ui import changes, kept
from workbench.ui.bar import chosen
from workbench.ui.empty import expect_log
from workbench.ui.links import go
from workbench.ui.literal import literal
from workbench.ui.log import held
from workbench.ui.misses import (
    all_missed,
    effect_of,
    effect_words,
    memory_columns,
    memory_rows,
    miss_line,
    noise_columns,
    one_missed,
    prompt_columns,
    prompt_rows,
    stage_columns,
    stage_rows,
    stages_words,
    twin_columns,
    unseen_columns,
)
from workbench.ui.tables import Column, percent, pick, table
from workbench.ui.texts import plain, t
from workbench.ui.texts.said import said


def _memories(found: Mapping[str, Any], selection: Selection, boot: bool) -> None:
    if not found["memories"]:
        return
    st.markdown(t("missed.lost_line", stages=stages_words(found)))
    with st.expander(t("overview.as_table")):
        table(stage_rows(found), stage_columns(), "stages")
    st.caption(t("missed.choose"))
    uri = pick(memory_rows(found), memory_columns(), "missed", "uri", kept.value("uri", ""))
    kept.note("uri", uri or "", "")
    for one in found["settings_advice"]:
        st.info(said(one["words"]))
    memory = one_missed(selection, boot, uri) if uri else None
    if memory is not None:
        _memory(memory)
        _fixes(memory, selection, boot, found["fixes_not_tried"])
        _prompts(memory)


def _memory(memory: Mapping[str, Any]) -> None:
    st.subheader(literal(memory["uri"]))
    if len(memory["uris"]) > 1:
        st.caption(t("missed.also_at", uris=", ".join(memory["uris"][1:])))
    st.markdown(miss_line(memory))
    st.markdown(f"**{t('missed.advice')}**")
    if not memory["advice"]:
        st.markdown(t("missed.no_advice"))
    for number, one in enumerate(memory["advice"], 1):
        kind, why = t(f"missed.advice_{one['kind']}"), said(f"{one['reason']} {one['do']}")
        st.markdown(f"{number}. " + plain("frame.named", name=kind, what=why))
    if memory["reach"] is not None:
        st.caption(said(memory["reach"]["sentence"]))


def _fixes(memory: Mapping[str, Any], selection: Selection, boot: bool, not_tried: str | None) -> None:
    """A change of the memory, suggested or typed, that can be tried and collected."""
    with st.container(border=True):
        st.markdown(f"**{t('missed.change')}**")
        fix = changes.draw_change(memory)
        with st.container(horizontal=True):
            tried = st.button(t("missed.try"), disabled=fix is None or not_tried is not None, type="primary")
            taken = st.button(t("missed.collect"), disabled=fix is None)
        if not_tried is not None:
            st.caption(said(not_tried))
        if fix is not None and tried:
            with st.spinner(t("missed.trying")):
                found = effect_of(selection, boot, memory["uri"], fix)
            if found is not None:
                changes.tried(fix, effect_words(found))
        if fix is not None and (line := changes.effect(fix)):
            st.markdown(literal(line))
        if fix is not None and taken:
            changes.collect(fix)


def _prompts(memory: Mapping[str, Any]) -> None:
    st.markdown(f"**{t('missed.prompts')}**")
    query_id = pick(prompt_rows(memory), prompt_columns(), "missed-prompts", "query_id")
    if query_id is not None:
        go("prompt", query_id=query_id)


def _collected() -> None:
    rows = changes.collected()
    if not rows:
        st.caption(t("changes.none"))
        return
    table(rows, changes.columns(), "changes")
    st.code(changes.as_text(rows), language=None, wrap_lines=True)
    st.button(t("changes.clear"), on_click=changes.clear)


def _noise(noise: Mapping[str, Any]) -> None:
    st.markdown(t("missed.noise_line", count=noise["count"], rate=percent(noise["use_rate_of_all"])))
    st.caption(said(noise["advice"]))
    table(noise["memories"], noise_columns(), "noise")


def _unseen(found: Mapping[str, Any], name: str) -> None:
    st.markdown(t(f"missed.{name}", count=found["count"], grace=found["in_grace"]))
    table(found["memories"], unseen_columns(), name.replace("_", "-"))


def _twins(found: Mapping[str, Any]) -> None:
    st.markdown(t("missed.same_text"))
    table(found["same_text"], twin_columns(Column("shown_together", plain("missed.together"), "count")), "same-text")
    st.markdown(t("missed.same_memory"))
    table(found["same_memory"], twin_columns(Column("prompts", plain("overview.prompts"), "count")), "same-memory")


st.title(t("missed.title"))
expect_log(held())
boot = kept.widget("boot", False, lambda key: st.toggle(t("missed.boot"), key=key, help=t("missed.boot_help")))
filtered = chosen().selection
with st.spinner(t("missed.looking")):
    document = all_missed(filtered, boot)
st.markdown(said(document["said"]))
if document["boot_left_out"]:
    st.caption(t("missed.boot_left_out", count=document["boot_left_out"]))
missing, noise, silent, twins, own = st.tabs([
    t("missed.tab_missed"), t("missed.tab_noise"), t("missed.tab_silent"), t("missed.tab_twins"),
    t("missed.tab_changes", count=len(changes.collected())),
])  # fmt: skip
with missing:
    _memories(document, filtered, boot)
with noise:
    _noise(document["noise"])
with silent:
    _unseen(document["never_retrieved"], "never_retrieved")
    _unseen(document["never_shown"], "never_shown")
with twins:
    _twins(document["duplicates"])
with own:
    _collected()
