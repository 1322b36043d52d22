"""Tune: start a run, watch and stop it, read what studies found."""

from __future__ import annotations

import streamlit as st

from workbench.text import shown
from workbench.tune import studies_folder
from workbench.ui import runs
from workbench.ui.cached import store_path
from workbench.ui.common import kept_choice
from workbench.ui.empty import expect_log
from workbench.ui.log import held
from workbench.ui.studies import judged
from workbench.ui.texts import t
from workbench.ui.tune_result import draw_result, draw_shared, study_table
from workbench.ui.tune_setup import STUDY, live, say_problem, set_up, unfinished

st.title(t("tune.title"))
st.caption(t("tune.intro"))
path = store_path()
expect_log(held())
running = runs.is_running(path)
say_problem()
if running:
    with st.container(border=True):
        live()
studies = {one.name: one for one in judged(studies_folder(path))}
set_up(running, wanted=not running and not studies)

st.subheader(t("tune.studies"))
newest = runs.newest(path)
going = newest.plan.study if newest else None
names = list(dict.fromkeys([*([going] if going else []), *studies]))
if not names:
    st.info(t("tune.no_studies"))
    draw_shared(studies_folder(path))
    st.stop()
study = kept_choice(STUDY, t("tune.shown"), names, shown)
if running and study == going:
    st.caption(t("tune.above"))
elif study in studies and studies[study].verdict is not None:
    draw_result(study)
else:
    unfinished(study, running)
if studies:
    st.subheader(t("tune.all_studies"))
    study_table(list(studies.values()))
draw_shared(studies_folder(path))
