"""The lower half of the page Tune: what a finished study found."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
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
    sides_figure,
    sides_info,
)
from workbench.errors import WorkbenchError
from workbench.params import Params
from workbench.tune import Verdict, best_changes, load_result, studies_folder
from workbench.tune.history import EVALUATOR, KeptStudy, history, importance
from workbench.ui import draft
from workbench.ui.cached import store_path
from workbench.ui.findings import ledger_columns, ledger_rows, result_metrics, setting_columns, setting_rows
from workbench.ui.links import go, has_page
from workbench.ui.pictures import picture, word
from workbench.ui.studies import address, judged, shared
from workbench.ui.tables import Column, table
from workbench.ui.texts import plain, t
from workbench.ui.texts.said import said, together
from workbench.ui.tune_setup import course

_NOTICES = {Verdict.SAFE: st.success, Verdict.TRIAL: st.info, Verdict.KEEP: st.info, Verdict.THIN: st.warning}


def verdict_name(verdict: str | None) -> str:
    """A verdict in the language of the session; of None, that there is none."""
    return plain("tune.pending") if verdict is None else plain(f"tune.{Verdict(verdict).name.lower()}")


def draw_result(study: str) -> None:
    """Everything that the study found, the verdict first."""
    result = load_result(studies_folder(store_path()), study)
    verdict = Verdict(result["verdict"])
    _NOTICES[verdict](plain("tune.notice", verdict=verdict_name(verdict), why=said(result["reasons"][0])))
    figures = result_metrics(result)
    with st.container(key="figures"):
        for row in (figures[:3], figures[3:]):
            for place, (name, value, meaning) in zip(st.columns(3), row, strict=False):
                place.metric(name, value, help=meaning, border=True, height="stretch")
    _lines(result["reasons"][1:])
    if result["holdout"] is not None:
        _held_out(result)
        _beside(result)
    st.subheader(t("tune.settings"))
    if verdict not in (Verdict.SAFE, Verdict.TRIAL) and best_changes(result):
        st.caption(t("tune.not_recommended"))
    table(setting_rows(result), setting_columns(), "settings")
    for line in result["redundant"]:
        st.caption(said(line))
    _ways_on(study, result)
    with st.expander(t("tune.search"), icon=":material/timeline:"):
        _search(study, result)


def _ways_on(study: str, result: dict[str, Any]) -> None:
    with st.container(horizontal=True):
        if has_page("whatif") and st.button(t("tune.load"), icon=":material/science:"):
            draft.load(Params(result["current"]).replace(best_changes(result)), f"best {study}")
            go("whatif")
        if has_page("export") and st.button(t("tune.export"), icon=":material/upload:"):
            go("export", source=f"study {study}")
        st.download_button(
            t("tune.download"), json.dumps(result, ensure_ascii=False, indent=1), f"{study}.json", "application/json",
            on_click="ignore",
        )  # fmt: skip


def _held_out(result: dict[str, Any]) -> None:
    st.subheader(t("tune.held_out"))
    held_out = result["holdout"]
    names = {name: plain(f"ledger.{name}") for name in ("current", "proposed")}
    picture(
        sides_figure(sides_info({label: held_out[name] for name, label in names.items()})), "sides", t("tune.sides")
    )
    table(ledger_rows({name: held_out[name] for name in names}), ledger_columns(names), "ledger")
    gains = gains_info(result)
    if gains is not None:
        spoken = replace(gains, labels=[word(label) for label in gains.labels], chance=word(gains.chance))
        picture(gains_figure(spoken), "gains", t("tune.gains"))
    if result["pareto"]:
        picture(front_figure(front_info(result)), "front", t("tune.front"))


def _beside(result: Mapping[str, Any]) -> None:
    """What a model says, apart from all that is known, and what would settle the verdict."""
    estimate = result.get("estimate")
    if estimate:
        st.subheader(t("tune.estimate"), help=t("tune.estimate_help"))
        _lines([estimate["model"]["said"], estimate["judged"]["said"]])
        alone = estimate["by_model_alone"]
        if alone:
            keys = ", ".join(f"{name} = {value}" for name, value in alone["changed"].items())
            st.info(together([t("tune.by_model_alone", keys=keys), said(alone["said"])]))
            _lines([alone["probe"]["labels"]["said"], alone["probe"]["canary"]["said"]])
    if result.get("settle", {}).get("said"):
        st.subheader(t("tune.settle"))
        _lines(result["settle"]["said"])


def _lines(sentences: Sequence[str]) -> None:
    for one in sentences:
        st.markdown("- " + said(one))


def _search(study: str, result: dict[str, Any]) -> None:
    folder = studies_folder(store_path())
    found = history(folder, study)
    if not found.points:
        st.caption(t("tune.elsewhere"))
        return
    course(found, study)
    weights = importance(folder, study)
    if weights:
        title = t("tune.importance", evaluator=EVALUATOR)
        picture(importance_figure(importance_info(weights)), "importance", title)
        picture(paths_figure(paths_info(found, result["current"], list(weights))), "paths", t("tune.paths"))
    st.caption(t("tune.dashboard", journal=str(folder / f"{study}.journal")))


def study_table(kept: Sequence[KeptStudy], name: str = "studies") -> None:
    """A list of studies."""
    columns = [
        Column("study", plain("tune.shown")),
        Column("verdict", plain("tune.verdict"), said=lambda verdict: verdict_name(verdict or None)),
        Column("trials", plain("tune.trials"), "count"),
        Column("at", plain("tune.written"), "time"),
    ]
    rows = [{"study": one.name, "verdict": one.verdict or "", "trials": one.trials, "at": one.at} for one in kept]
    table(rows, columns, name)


def draw_shared(folder: Path) -> None:
    """The studies of the shared database, where the operator has named one; else how to see them."""
    named = address()
    if named is None:
        st.caption(t("tune.shared_how"))
        return
    st.subheader(t("tune.shared"))
    try:
        found = shared(named, folder)
    except WorkbenchError as error:
        st.error(said(str(error)))
        return
    st.caption(t("tune.shared_is"))
    own = {one.name: one for one in judged(folder)}
    rows = [replace(one, verdict=own[one.name].verdict) if one.name in own else one for one in found]
    study_table(rows, "shared-studies")
