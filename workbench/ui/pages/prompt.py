"""One prompt: what was searched, how each memory scored, and why it was shown or not."""

from __future__ import annotations

import streamlit as st

from workbench.charts import terms_figure, terms_info
from workbench.replay.explain import explain
from workbench.replay.logged import settings_in_force
from workbench.replay.run import Settings
from workbench.ui.common import candidate_rows, chosen_selection, literal, pick_query, signal_rows, store

st.title("One prompt")
with store() as db:
    query_id = pick_query(db, chosen_selection(db))
    if query_id is None:
        st.info("No prompt passes the filter.")
        st.stop()
    in_force = settings_in_force(db).params
    said = explain(db, Settings(in_force, in_force), query_id).as_json()

query = said["query"]
st.text(query["text"][:2000])
if query["query_truncated"]:
    st.caption(f"Only the first {query['query_chars']} of {query['original_query_chars']} characters were searched.")
st.caption(
    literal(
        f"{query['now']} · client {query['client_type'] or '(none)'} · session {query['session_id'] or '(none)'} · "
        f"{query['query_tokens']} tokens · {len(said['signal_rows'])} signal rows · "
        f"{len(said['candidates'])} candidates"
    )
)
st.plotly_chart(terms_figure(terms_info(said)), key="terms", width="stretch")
st.subheader("Candidates, best first")
st.dataframe(candidate_rows(said), width="stretch", hide_index=True)
st.subheader("Rows of the signals")
st.dataframe(signal_rows(said), width="stretch", hide_index=True)
