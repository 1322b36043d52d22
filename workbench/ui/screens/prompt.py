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
from workbench.ui.common import (
    candidate_rows,
    change_rows,
    chosen_selection,
    folded,
    kept_choice,
    literal,
    note_lines,
    pick_query,
    signal_rows,
    store,
    token_line,
)

ALL = ""

st.title("One prompt")
with store() as db:
    query_id = pick_query(db, chosen_selection(db))
    if query_id is None:
        st.info("No prompt passes the filter.")
        st.stop()
    in_force = settings_in_force(db).params
    settings = Settings(in_force, in_force)
    said = explain(db, settings, query_id).as_json()
    query = said["query"]

    st.subheader("What was searched")
    if query["query_truncated"]:
        st.plotly_chart(cut_figure(cut_info(said)), key="cut", width="stretch")
    with st.container(border=True):
        st.caption("searched")
        st.text(folded(query["searched"]))
    if query["query_truncated"]:
        with st.container(border=True):
            st.caption("not searched")
            st.text(folded(query["unsearched"]))
    if query["class"]:
        st.warning(literal(f"Hint: {query['class']}. The question stands where no signal looked."))
    if query["limit_note"]:
        st.caption(literal(query["limit_note"]))
    st.caption(
        literal(
            f"{query['now']} · client {query['client_type'] or '(none)'} · session {query['session_id'] or '(none)'} · "
            f"{query['query_tokens']} tokens · {len(said['signal_rows'])} signal rows · "
            f"{len(said['candidates'])} candidates"
        )
    )
    if query["tokens"]:
        st.caption(token_line(query))
    for line in note_lines(said, "query"):
        st.caption(line)

    st.subheader("Rows of the signals")
    for line in note_lines(said, "signal_rows"):
        st.caption(line)
    st.dataframe(signal_rows(said), width="stretch", hide_index=True, height=260)

    st.subheader("Candidates, best first")
    st.plotly_chart(terms_figure(terms_info(said)), key="terms", width="stretch")
    for line in note_lines(said, "candidates"):
        st.caption(line)
    st.dataframe(candidate_rows(said), width="stretch", hide_index=True)

    st.subheader("One memory: what would flip it")
    uris = [ALL, *(one["uri"] for one in said["candidates"])]
    uri = kept_choice("memory", "Memory", uris, lambda one: shown(one) if one else "(none)")
    if uri:
        with st.spinner("Trying single changes"):
            own = explain(db, settings, query_id, uri).as_json()
        st.markdown(literal(own["candidates"][0]["why"]))
        if own["memory"] is not None:
            st.markdown(literal(" ".join([own["memory"]["sentence"], *own["memory"]["lacks"]])))
        st.plotly_chart(distance_figure(distance_info(own)), key="distance", width="stretch")
        st.dataframe(change_rows(own), width="stretch", hide_index=True)

    st.subheader("What can be reached at all")
    priority = kept_choice("reach_priority", "Priority of the memory", list(range(MOST_PRIORITY + 1)))
    table = reachability(db, settings, query["query_tokens"])
    st.plotly_chart(reach_figure(reach_info(table, priority)), key="reach", width="stretch")
    st.caption(
        "Each signal at its top value, in a memory that was just edited; rows are what matches beside exact: a keyword "
        "of similar meaning, the meaning or the words of a view. What is orange at priority 0 is never shown."
    )
    for warning in table.as_json()["warnings"]:
        st.markdown(literal(f"⚠ {warning}"))
