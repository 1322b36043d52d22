"""One prompt: what was searched, how each memory scored, why it was shown or not, and what can be reached at all."""

from __future__ import annotations

import streamlit as st

from workbench.charts import (
    cut_figure,
    cut_info,
    distance_figure,
    distance_info,
    reach_figure,
    reach_info,
    terms_figure,
    terms_info,
)
from workbench.replay.explain import explain
from workbench.replay.logged import settings_in_force
from workbench.replay.reach import MOST_PRIORITY, reachability
from workbench.replay.run import Settings
from workbench.text import shown
from workbench.ui.bar import chosen
from workbench.ui.common import kept_choice, store
from workbench.ui.pictures import picture
from workbench.ui.prompt_parts import (
    candidate_columns,
    candidate_rows,
    change_columns,
    change_rows,
    facts_line,
    folded,
    note_lines,
    pick_query,
    signal_columns,
    signal_rows,
    token_line,
)
from workbench.ui.tables import table
from workbench.ui.texts import plain, t
from workbench.ui.texts.said import said

ALL = ""

st.title(t("prompt.title"))
with store() as db:
    query_id = pick_query(db, chosen().selection)
    in_force = settings_in_force(db).params
    settings = Settings(in_force, in_force)
    found = explain(db, settings, query_id).as_json()
    query = found["query"]

    st.subheader(t("prompt.what_was_searched"))
    if query["query_truncated"]:
        picture(cut_figure(cut_info(found)), "cut", t("prompt.cut", limit=query["limit"], source=query["limit_source"]))
    with st.container(border=True):
        st.caption(t("prompt.searched"))
        st.text(folded(query["searched"]))
    if query["query_truncated"]:
        with st.container(border=True):
            st.caption(t("prompt.not_searched"))
            st.text(folded(query["unsearched"]))
    if query["class"]:
        st.warning(t("prompt.hint", kind=query["class"]))
    if query["limit_note"]:
        st.caption(said(query["limit_note"]))
    st.caption(facts_line(found))
    if query["tokens"]:
        st.caption(token_line(query))
    for line in note_lines(found, "query"):
        st.caption(line)

    st.subheader(t("prompt.candidates"))
    picture(terms_figure(terms_info(found)), "terms", t("prompt.terms"))
    for line in note_lines(found, "candidates"):
        st.caption(line)
    table(candidate_rows(found), candidate_columns(found), "candidates")

    st.subheader(t("prompt.signals"))
    for line in note_lines(found, "signal_rows"):
        st.caption(line)
    table(signal_rows(found), signal_columns(), "signals")

    st.subheader(t("prompt.one_memory"))
    uris = [ALL, *(one["uri"] for one in found["candidates"])]
    uri = kept_choice("memory", t("prompt.memory"), uris, lambda one: shown(one) if one else plain("prompt.none"))
    if uri:
        with st.spinner(t("prompt.trying")):
            own = explain(db, settings, query_id, uri).as_json()
        st.markdown(said(own["candidates"][0]["why"]))
        if own["memory"] is not None:
            st.markdown(" ".join(said(one) for one in [own["memory"]["sentence"], *own["memory"]["lacks"]]))
        picture(distance_figure(distance_info(own)), "distance", t("prompt.distance"))
        table(change_rows(own), change_columns(), "changes")

    st.subheader(t("prompt.reach"))
    priority = int(kept_choice("priority", t("prompt.priority"), [str(one) for one in range(MOST_PRIORITY + 1)]))
    map_of = reachability(db, settings, query["query_tokens"])
    title = t("prompt.best", priority=priority, tokens=query["query_tokens"], threshold=map_of.threshold)
    picture(reach_figure(reach_info(map_of, priority)), "reach", title)
    st.caption(t("prompt.reach_means"))
    for warning in map_of.as_json()["warnings"]:
        st.markdown(f"⚠ {said(warning)}")
