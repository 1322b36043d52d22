"""Review: the answers by hand that a pending decision needs, asked blind, one key each."""

from __future__ import annotations

import streamlit as st

from workbench.labelling import Decision
from workbench.ui.answers import answer_buttons
from workbench.ui.bar import chosen
from workbench.ui.candidate import decision_name, pending
from workbench.ui.empty import expect_log
from workbench.ui.log import held
from workbench.ui.prompt_parts import folded
from workbench.ui.review_queue import Pair, Queue, forget, give, queue, step, undo
from workbench.ui.texts import t
from workbench.ui.texts.said import said


def _progress(found: Queue, decision: Decision) -> None:
    st.markdown(t("review.decision", name=decision_name(decision)))
    st.markdown(said(found.progress["said"]))
    st.progress(found.share, text=t("review.progress", given=len(found.given), more=found.more))


def _pair(pair: Pair) -> None:
    asked, memory = st.columns([2, 3])
    with asked.container(border=True, height="stretch"):
        st.caption(t("prompt.prompt"))
        st.text(folded(pair["prompt"]))
    with memory.container(border=True, height="stretch"):
        st.caption(t("prompt.memory"))
        st.text(pair["uri"])
        st.text(folded(pair["content"]) if pair["content"] else t("review.no_content"))
        if pair["disclosure"]:
            st.caption(t("review.when"))
            st.text(pair["disclosure"])


def _steps(found: Queue) -> None:
    with st.container(horizontal=True):
        st.button(t("review.back"), shortcut="k", on_click=step, args=(-1,), disabled=not found.place)
        st.button(t("review.on"), shortcut="j", on_click=step, args=(1,), disabled=found.pair is None)
        st.button(t("review.undo"), shortcut="u", on_click=undo, disabled=not found.steps)
    st.caption(t("review.keys"))


st.title(t("review.title"))
expect_log(held())
decision = pending()
with st.spinner(t("review.looking")):
    asking = queue(chosen().selection, decision)
_progress(asking, decision)
if asking.pair is not None:
    st.caption(t("review.number", number=asking.place + 1, count=len(asking.pairs)))
    _pair(asking.pair)
    st.markdown(f"**{t('prompt.does_it_help')}**")
    answer_buttons(asking.pair["query_id"], asking.pair["uri"], asking.given.get(asking.place), give)
elif asking.pairs:
    st.info(t("review.batch_done"))
    st.button(t("review.next_batch"), on_click=forget, type="primary", shortcut="enter")
else:
    st.info(t("review.nothing"))
if asking.pairs:
    _steps(asking)
