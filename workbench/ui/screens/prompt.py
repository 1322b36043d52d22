"""One prompt: what was searched, how each memory scored, why it was shown or not, and what can be reached at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

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
    waterfall_figure,
    waterfall_info,
)
from workbench.replay.reach import MOST_PRIORITY
from workbench.text import shown
from workbench.ui import kept
from workbench.ui.answers import answer_buttons
from workbench.ui.bar import chosen
from workbench.ui.candidate import candidate
from workbench.ui.common import kept_choice
from workbench.ui.empty import expect_log
from workbench.ui.literal import literal
from workbench.ui.log import held
from workbench.ui.pictures import picture
from workbench.ui.prompt_parts import (
    block,
    change_columns,
    change_rows,
    explained,
    facts_line,
    folded,
    note_lines,
    pick_query,
    reached,
    signal_columns,
    signal_rows,
    stage_columns,
    stage_line,
    stage_rows,
    stages,
    token_line,
)
from workbench.ui.tables import pick, table
from workbench.ui.texts import plain, t
from workbench.ui.texts.said import said, said_plainly

NONE = ""
Found = Mapping[str, Any]


def _searched(found: Found) -> None:
    query = found["query"]
    st.subheader(t("prompt.what_was_searched"))
    if query["query_truncated"]:
        picture(
            cut_figure(cut_info(found)),
            "cut",
            t("prompt.cut", limit=query["limit"], source=said_plainly(query["limit_source"])),
        )
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


def _block(query_id: str) -> None:
    st.subheader(t("prompt.block"))
    if given := block(query_id):
        st.code(given, language=None, wrap_lines=True)
    else:
        st.caption(t("prompt.no_block"))


def _stages(found: Found, made: Sequence[Found], name: str) -> str:
    """The stages side by side; returns the memory that is looked at, NONE without."""
    st.subheader(t("prompt.stages"))
    st.caption(t("prompt.stages_are", name=name))
    for line in note_lines(found, "candidates"):
        st.caption(line)
    uris = [NONE, *(one["uri"] for one in made)]
    held = kept.value("memory", NONE, lambda one: one in uris)
    picked = pick(stage_rows(made, found), stage_columns(), "candidates", "uri", held, held) or NONE
    if picked != held:
        kept.put("memory", picked)
        st.rerun()
    picture(terms_figure(terms_info(found)), "terms", t("prompt.terms"))
    return kept_choice("memory", t("prompt.memory"), uris, lambda one: shown(one) if one else plain("prompt.none"))


def _memory(query_id: str, found: Found, made: Found, under: Found) -> None:
    uri = made["uri"]
    st.markdown(f"**{literal(uri)}**")
    st.markdown(stage_line(made))
    st.markdown(t("prompt.does_it_help"))
    answer_buttons(query_id, uri, made["answer"])
    if made["expired"]:
        st.caption(t("prompt.expired"))
    others = explained(query_id, None, under)
    for place, one, which in zip(st.columns(2), (found, others), ("replayed", "candidate"), strict=True):
        info = waterfall_info(one, uri)
        if info is not None:
            title = t("prompt.adds_up", stage=plain(f"prompt.stage_{which}"))
            with place:
                picture(waterfall_figure(info), f"score-{which}", title)
    with st.spinner(t("prompt.trying")):
        own = explained(query_id, uri)
    if own["candidates"]:
        st.markdown(said(own["candidates"][0]["why"]))
    if own["memory"] is not None:
        st.markdown(" ".join(said(one) for one in [own["memory"]["sentence"], *own["memory"]["lacks"]]))
    picture(distance_figure(distance_info(own)), "distance", t("prompt.distance"))
    table(change_rows(own), change_columns(), "changes")


def _signals(found: Found) -> None:
    for line in note_lines(found, "signal_rows"):
        st.caption(line)
    table(signal_rows(found), signal_columns(), "signals")


def _reach(query_tokens: int) -> None:
    priority = int(kept_choice("priority", t("prompt.priority"), [str(one) for one in range(MOST_PRIORITY + 1)]))
    map_of = reached(query_tokens)
    title = t("prompt.best", priority=priority, tokens=query_tokens, threshold=map_of.threshold)
    picture(reach_figure(reach_info(map_of, priority)), "reach", title)
    st.caption(t("prompt.reach_means"))
    for warning in map_of.as_json()["warnings"]:
        st.markdown(f"⚠ {said(warning)}")


st.title(t("prompt.title"))
expect_log(held())
query = pick_query(chosen().selection)
called, values = candidate()
document = explained(query)
ranked = stages(query, values)
_searched(document)
_block(query)
memory = _stages(document, ranked, called)
st.subheader(t("prompt.one_memory"))
if memory:
    _memory(query, document, next(one for one in ranked if one["uri"] == memory), values)
else:
    st.caption(t("prompt.choose"))
st.subheader(t("prompt.signals"))
_signals(document)
st.subheader(t("prompt.reach"))
_reach(document["query"]["query_tokens"])
