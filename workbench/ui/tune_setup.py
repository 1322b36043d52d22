"""The upper half of the page Tune: a run is set up, started, watched and stopped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from workbench.charts.tuning import search_figure, search_info
from workbench.errors import StoreLocked, WorkbenchError
from workbench.params import KEYS
from workbench.replay.selection import Selection
from workbench.store import Database
from workbench.tune import TuneRequest, studies_folder
from workbench.tune.history import History, history
from workbench.tune.preview import preview
from workbench.tune.request import OBJECTIVES, SAMPLERS, TPE
from workbench.ui import kept, runs
from workbench.ui.bar import chosen
from workbench.ui.cached import cached, store_path
from workbench.ui.log import gate
from workbench.ui.pictures import picture
from workbench.ui.texts import plain, t
from workbench.ui.texts.said import said, said_plainly, together

STUDY = "study"
_PROBLEM = "tune problem"
_TUNED = [key.name for key in KEYS.values() if key.replayable]


def begin(plan: runs.Plan, resume: bool = False) -> None:
    """Start a run; what is wrong is said when the page is drawn."""
    try:
        runs.start(store_path().absolute(), plan, resume=resume)
        kept.put(STUDY, plan.study)
    except StoreLocked:
        pass  # the second click of a double one: the run that goes on is shown
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = str(error)


def say_problem() -> None:
    """Why the last start failed, once."""
    if problem := st.session_state.pop(_PROBLEM, None):
        st.error(said(problem))


def set_up(running: bool, wanted: bool) -> None:
    """The form of a run; open where it is `wanted`, its button dead while one is `running`."""
    with st.spinner(t("tune.checking")):
        parity = gate()
    if not parity["rows"]:
        st.info(t("tune.no_signals"))
        return
    selection = chosen().selection
    with st.expander(t("tune.set_up"), expanded=wanted, icon=":material/tune:"):
        plan = _plan(selection, parity)
        problem = _problem(plan)
        if problem:
            st.error(said(problem))
        # Not by a callback: that would get the plan of the run before, without what was typed just now.
        if st.button(t("tune.start"), type="primary", disabled=running or bool(problem)) and not problem:
            begin(plan)
            st.rerun()


def _plan(selection: Selection, parity: Mapping[str, Any]) -> runs.Plan:
    left, middle, right = st.columns(3)
    free = runs.free_name(store_path())
    with left:
        name = kept.widget("new_study", "", lambda key: st.text_input(
            t("tune.study"), key=key, placeholder=free, help=t("tune.study_help")
        ))  # fmt: skip
        objective = kept.widget("objective", OBJECTIVES[0], lambda key: st.selectbox(
            t("tune.objective"), OBJECTIVES, key=key, format_func=lambda one: plain(f"tune.{one}"),
            help=t("tune.objective_help"),
        ), lambda one: one in OBJECTIVES)  # fmt: skip
    with middle:
        trials = kept.widget("trials", 200, lambda key: st.number_input(
            t("tune.trials"), 1, 100_000, step=50, key=key
        ), lambda one: 1 <= one <= 100_000)  # fmt: skip
        cost = kept.widget("noise_cost", 0.1, lambda key: st.number_input(
            t("tune.cost"), 0.0, 100.0, step=0.05, format="%.4g", key=key, help=t("tune.cost_help")
        ), lambda one: 0 <= one <= 100)  # fmt: skip
        st.caption(cost_line(cost))
    with right:
        seed = kept.widget("seed", 1, lambda key: st.number_input(
            t("tune.seed"), 0, step=1, key=key, help=t("tune.seed_help")
        ), lambda one: one >= 0)  # fmt: skip
    with left:
        sampler = _sampler()
    with right:
        share = _helpful_share()
    freeze = kept.widget("freeze", list[str](), lambda key: st.multiselect(
        t("tune.freeze"), _TUNED, key=key, placeholder=plain("tune.no_key")
    ), lambda names: set(names) <= set(_TUNED))  # fmt: skip
    with st.spinner(t("tune.resting")):
        rests_on = _rests_on(selection)
    st.caption(together([t("tune.split", **rests_on["counts"]), said(rests_on["seen"])]))
    options = runs.filter_options(selection)
    return runs.Plan(
        name or free, trials, seed, objective, cost, sampler, share, tuple(freeze), tuple(_accepted(parity)), options
    )


def _sampler() -> str:
    """What proposes the next values."""
    return kept.widget("sampler", TPE, lambda key: st.selectbox(
        t("tune.sampler"), SAMPLERS, key=key, format_func=lambda one: plain(f"tune.{one}"), help=t("tune.sampler_help"),
    ), lambda one: one in SAMPLERS)  # fmt: skip


def _helpful_share() -> float:
    """The share of the shown memories that may have helped."""
    return kept.widget("helpful_share", 0.3, lambda key: st.number_input(
        t("tune.helpful_share"), 0.0, 1.0, step=0.05, format="%.4g", key=key, help=t("tune.helpful_share_help")
    ), lambda one: 0 <= one <= 1)  # fmt: skip


@cached
def _rests_on(db: Database, selection: Selection) -> dict[str, Any]:
    """What a tuning run over `selection` would rest on."""
    found = preview(db, selection)
    counts = {name: getattr(found, name) for name in ("train", "train_used", "holdout", "holdout_used")}
    return {"counts": counts, "seen": found.seen.sentence()}


def _accepted(parity: Mapping[str, Any]) -> list[str]:
    if parity["passes"]:
        return []
    st.warning(t("tune.locked"))
    return [one["cause"] for one in parity["causes"] if _accepts(one["cause"], one["rows"])]


def _accepts(cause: str, rows: int) -> bool:
    label = t("tune.accept", cause=said_plainly(cause), rows=rows)
    return kept.widget(f"accept {cause}", False, lambda key: st.checkbox(label, key=key))


def _problem(plan: runs.Plan) -> str | None:
    try:
        TuneRequest(
            study=plan.study,
            trials=plan.trials,
            seed=plan.seed,
            noise_cost=plan.noise_cost,
            freeze=plan.freeze,
            sampler=plan.sampler,
            helpful_share=plan.helpful_share,
        )
    except WorkbenchError as error:
        return str(error)
    return None


def cost_line(noise_cost: float) -> str:
    """What the noise cost means, in one sentence."""
    if noise_cost <= 0:
        return t("tune.cost_none")
    if noise_cost >= 1:
        return t("tune.cost_high", helpful=f"{noise_cost:g}")
    return t("tune.cost_low", unhelpful=f"{1 / noise_cost:.3g}")


def progress_line(found: History) -> str:
    """How far a run is, in words."""
    done, asked = len(found.points), found.asked or 0
    if not done:
        return t("tune.reading")
    if done >= asked:
        return t("tune.ending", done=done)
    if found.best is None:
        return t("tune.progress_none", done=done, asked=asked)
    return t("tune.progress", done=done, asked=asked, best=found.best)


@st.fragment(run_every="1s")
def live() -> None:
    """The run that goes on, drawn anew every second; the whole page is, when it is over."""
    path = store_path().absolute()
    run = runs.newest(path)
    if run is None or not runs.is_running(path):
        st.rerun()
    found = history(studies_folder(path), run.plan.study, run.plan.trials)
    st.markdown(t("tune.goes_on", study=run.plan.study))
    bar, button = st.columns([5, 1], vertical_alignment="center")
    bar.progress(found.share, progress_line(found))
    button.button(t("tune.stop"), on_click=runs.stop, args=(path,), icon=":material/stop_circle:", width="stretch")
    course(found, "live")


def unfinished(study: str, running: bool) -> None:
    """A study without a verdict: why, and how to go on."""
    path = store_path().absolute()
    run = runs.planned(path, study)
    found = history(studies_folder(path), study, run.plan.trials if run else None)
    done = len(found.points)
    if run is None:
        st.info(together([t("tune.unfinished", study=study, done=done), t("tune.otherwise", study=study)]))
        return
    key = "stopped" if run.stopped else "unfinished"
    st.warning(_state(key, study, done, run.plan.trials))
    if not run.stopped and (why := runs.complaint(path, study)):
        st.error(said(why))
    judged = runs.Plan(**{**vars(run.plan), "trials": max(done, 1)})
    with st.container(horizontal=True):
        st.button(t("tune.go_on", trials=run.plan.trials), disabled=running, on_click=begin, args=(run.plan, True))
        st.button(t("tune.judge"), disabled=running or not done, on_click=begin, args=(judged, True))
    course(found, "unfinished")


def _state(key: str, study: str, done: int, asked: int) -> str:
    if key == "stopped":
        return t("tune.stopped", study=study, done=done, asked=asked)
    return t("tune.unfinished", study=study, done=done)


def course(found: History, name: str) -> None:
    """The trials of a study as a picture, once there are any."""
    if found.points:
        picture(search_figure(search_info(found)), f"trials-{name}", t("tune.course"))
