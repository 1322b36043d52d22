"""Tuning: start a run, watch and stop it, read what studies found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import streamlit as st

from workbench.charts.tuning import (
    front_figure,
    front_info,
    gains_figure,
    gains_info,
    importance_figure,
    importance_info,
    paths_figure,
    paths_info,
    search_figure,
    search_info,
    sides_figure,
    sides_info,
)
from workbench.errors import StoreLocked, WorkbenchError
from workbench.params import KEYS, Params
from workbench.tune import TuneRequest, Verdict, load_result, studies_folder
from workbench.tune.history import as_rows, history, importance, kept_studies
from workbench.tune.request import OBJECTIVES
from workbench.ui import runs
from workbench.ui.common import chosen_selection, literal, store
from workbench.ui.draft import load_draft
from workbench.ui.findings import cost_line, ledger_rows, progress_line, result_metrics, setting_rows
from workbench.ui.known import parity_of, preview_of, store_file

TITLE = "Tune"
INTRO = (
    "Searches for better settings on the oldest prompts, then judges the best of them once on prompts that the search "
    "has not seen. Keeping the present settings is a respectable result."
)
SET_UP = "Set up a run"
STUDY = "Name of the study"
STUDY_HELP = "Letters, digits, dot, dash and underscore."
TRIALS = "Trials"
OBJECTIVE = "Objective"
OBJECTIVE_HELP = "Net help a prompt: helpful memories shown, minus noise cost times unhelpful ones shown, by prompts."
COST = "Noise cost"
COST_HELP = "What one unhelpful memory costs, counted in helpful ones."
FREEZE = "Keys to leave as they are"
SEED = "Seed"
SEED_HELP = "The same seed gives the same study."
LOCKED = (
    "Tuning is locked: a replay of the settings in force does not reproduce the log. Accept what you can explain, or "
    "see the command `workbench parity`."
)
NO_SIGNALS = "The store holds no logged signals to tune on; import recall events on the Data page."
ACCEPT = "Accept: {cause} ({rows} rows)"
START, STOP, JUDGE, GO_ON = "Start", "Stop", "Judge the finished trials now", "Go on to {trials} trials"
GOES_ON = "{study} goes on in a process of its own: this page, the tab and the app may be closed."
STOPPED = "{study} was stopped after {done} of {asked} trials. They are kept."
UNFINISHED = "{study} has {done} finished trials and no verdict."
OTHERWISE = "It was started from the command line; go on with it there: workbench tune --study {study} --resume"
STUDIES = "Studies"
NO_STUDIES = "No study yet. Set up a run above and press Start; a first one takes a minute or two."
SHOWN = "Study"
REASONS = "Why"
HELD_OUT = "On held-out prompts"
SETTINGS = "Settings"
NOT_RECOMMENDED = "The present values stay proposed; what the search found best is shown beside them, unrecommended."
LOAD, LOADED = "Try it in What-if", "Loaded; open the page What-if."
SEARCH = "How the search went"
DASHBOARD = "optuna-dashboard reads the same storage: optuna-dashboard {journal}"
DOWNLOAD = "Download the result (JSON)"
ABOVE = "It is being searched; see above."
ALL_STUDIES = "All studies"

_NOTICES = {Verdict.SAFE: st.success, Verdict.TRIAL: st.info, Verdict.KEEP: st.info, Verdict.THIN: st.warning}
_ERROR, _STUDY = "tune_error", "study"


def _begin(plan: runs.Plan, resume: bool = False) -> None:
    try:
        runs.start(store_file(), plan, resume=resume)
        st.session_state[_STUDY] = plan.study
    except StoreLocked:
        pass  # the second click of a double one: the run that goes on is shown
    except WorkbenchError as error:
        st.session_state[_ERROR] = str(error)


def _setup(path: Path, running: bool, wanted: bool) -> None:
    with store() as db:
        selection = chosen_selection(db)
    gate = parity_of(path)
    if not gate["rows"]:
        st.info(NO_SIGNALS)
        return
    with st.expander(SET_UP, expanded=wanted, icon=":material/tune:"):
        left, middle, right = st.columns(3)
        name = left.text_input(
            STUDY, key="tune_study", placeholder=runs.free_name(path), help=STUDY_HELP, persist_state="session"
        )
        trials = middle.number_input(TRIALS, 1, 100_000, 200, 50, key="tune_trials", persist_state="session")
        seed = right.number_input(SEED, 0, None, 1, 1, key="tune_seed", help=SEED_HELP, persist_state="session")
        objective = left.selectbox(
            OBJECTIVE, OBJECTIVES, key="tune_objective", help=OBJECTIVE_HELP, persist_state="session"
        )
        cost = middle.number_input(
            COST, 0.0, 100.0, 0.1, 0.05, "%.4g", key="tune_cost", help=COST_HELP, persist_state="session"
        )
        right.caption(literal(cost_line(cost)))
        freeze = st.multiselect(
            FREEZE, [key.name for key in KEYS.values() if key.replayable], key="tune_freeze", persist_state="session"
        )
        st.caption(literal(preview_of(path, selection).sentence()))
        accept = _accepted(gate)
        plan = runs.Plan(
            name or runs.free_name(path), trials, seed, objective, cost, tuple(freeze), tuple(accept),
            runs.filter_options(selection),
        )  # fmt: skip
        problem = _problem(plan)
        if problem:
            st.error(literal(problem))
        st.button(START, type="primary", disabled=running or bool(problem), on_click=_begin, args=(plan,))


def _accepted(gate: dict[str, Any]) -> list[str]:
    if gate["passes"]:
        return []
    st.warning(literal(LOCKED))
    return [
        one["cause"]
        for one in gate["causes"]
        if st.checkbox(literal(ACCEPT.format(cause=one["cause"], rows=f"{one['rows']:,}")), key=f"tune_{one['cause']}")
    ]


def _problem(plan: runs.Plan) -> str | None:
    try:
        TuneRequest(
            study=plan.study, trials=plan.trials, seed=plan.seed, noise_cost=plan.noise_cost, freeze=plan.freeze
        )
    except WorkbenchError as error:
        return str(error)
    return None


def _live(path: Path) -> None:
    run = runs.newest(path)
    if run is None or not runs.is_running(path):
        st.rerun()
    found = history(studies_folder(path), run.plan.study, run.plan.trials)
    st.markdown(literal(GOES_ON.format(study=run.plan.study)))
    bar, button = st.columns([5, 1], vertical_alignment="center")
    bar.progress(found.share, literal(progress_line(found)))
    button.button(STOP, on_click=runs.stop, args=(path,), icon=":material/stop_circle:", width="stretch")
    if found.points:
        st.plotly_chart(search_figure(search_info(found)), key="live", width="stretch")


def _unfinished(path: Path, study: str, running: bool) -> None:
    run = runs.planned(path, study)
    found = history(studies_folder(path), study, run.plan.trials if run else None)
    done = len(found.points)
    if run is None:
        st.info(literal(UNFINISHED.format(study=study, done=done) + " " + OTHERWISE.format(study=study)))
        return
    said = STOPPED if run.stopped else UNFINISHED
    st.warning(literal(said.format(study=study, done=done, asked=run.plan.trials)))
    if not run.stopped and (why := runs.complaint(path, study)):
        st.error(literal(why))
    left, right, _ = st.columns(3)
    trials = runs.Plan(**{**vars(run.plan), "trials": max(done, 1)})
    left.button(
        GO_ON.format(trials=run.plan.trials), disabled=running, on_click=_begin, args=(run.plan, True), width="stretch"
    )
    right.button(JUDGE, disabled=running or not done, on_click=_begin, args=(trials, True), width="stretch")
    if found.points:
        st.plotly_chart(search_figure(search_info(found)), key="unfinished", width="stretch")


def _result(path: Path, study: str) -> None:
    folder = studies_folder(path)
    result = load_result(folder, study)
    verdict = Verdict(result["verdict"])
    _NOTICES[verdict](f"**{verdict.value.capitalize()}.** {literal(result['reasons'][0])}")
    figures = result_metrics(result)
    for row in (figures[:3], figures[3:]):
        for place, (name, value, meaning) in zip(st.columns(3), row, strict=False):
            place.metric(name, value, help=meaning, border=True)
    for reason in result["reasons"][1:]:
        st.markdown("- " + literal(reason))
    if result["holdout"] is not None:
        _held_out(result)
    st.subheader(SETTINGS)
    if verdict not in (Verdict.SAFE, Verdict.TRIAL) and result.get("best_found", {}).get("changed"):
        st.caption(NOT_RECOMMENDED)
    st.dataframe(setting_rows(result), width="stretch", hide_index=True, height="content")
    for line in result["redundant"]:
        st.caption(literal(line))
    left, right = st.columns(2)
    left.button(LOAD, on_click=_load, args=(study, result), icon=":material/science:")
    right.download_button(
        DOWNLOAD,
        json.dumps(result, ensure_ascii=False, indent=1),
        f"{study}.json",
        "application/json",
        on_click="ignore",
    )
    _search(path, study, result)


def _load(study: str, result: dict[str, Any]) -> None:
    changed = result.get("best_found", {}).get("changed", {})
    load_draft(Params(result["current"]).replace(changed), study)
    st.toast(LOADED)


def _held_out(result: dict[str, Any]) -> None:
    st.subheader(HELD_OUT)
    held_out = result["holdout"]
    ledgers = {name: held_out[name] for name in ("current", "proposed")}
    st.plotly_chart(sides_figure(sides_info(ledgers)), key="sides", width="stretch")
    st.dataframe(ledger_rows(ledgers), width="stretch", hide_index=True, height="content")
    gains = gains_info(result)
    if gains is not None:
        st.plotly_chart(gains_figure(gains), key="gains", width="stretch")
    if result["pareto"]:
        st.plotly_chart(front_figure(front_info(result)), key="front", width="stretch")


def _search(path: Path, study: str, result: dict[str, Any]) -> None:
    folder = studies_folder(path)
    with st.expander(SEARCH, icon=":material/timeline:"):
        found = history(folder, study)
        if not found.points:
            return
        st.plotly_chart(search_figure(search_info(found)), key="search", width="stretch")
        weights = importance(folder, study)
        if weights:
            st.plotly_chart(importance_figure(importance_info(weights)), key="importance", width="stretch")
            paths = paths_info(found, result["current"], list(weights))
            st.plotly_chart(paths_figure(paths), key="paths", width="stretch")
        st.caption(literal(DASHBOARD.format(journal=folder / f"{study}.journal")))


def page() -> None:
    """Draw the page."""
    st.title(TITLE)
    st.caption(INTRO)
    path = store_file()
    running = path.exists() and runs.is_running(path)
    if error := st.session_state.pop(_ERROR, None):
        st.error(literal(error))
    if running:
        with st.container(border=True):
            st.fragment(run_every="1s")(_live)(path)
    kept = {one.name: one for one in kept_studies(studies_folder(path))}
    _setup(path, running, wanted=not running and not kept)
    st.subheader(STUDIES)
    newest = runs.newest(path)
    names = list(dict.fromkeys([*([newest.plan.study] if newest else []), *kept]))
    if not names:
        st.info(NO_STUDIES)
        return
    study = st.selectbox(SHOWN, names, key=_STUDY, bind="query-params")
    if running and newest and newest.plan.study == study:
        st.caption(ABOVE)
    elif study in kept and kept[study].verdict is not None:
        _result(path, study)
    else:
        _unfinished(path, study, running)
    if kept:
        st.subheader(ALL_STUDIES)
        st.dataframe(as_rows(list(kept.values())), width="stretch", hide_index=True)


page()
