"""The parts of the page Export: what is exported, into a file, onto a server and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import streamlit as st

from workbench.apply import Change, SettingsApi, apply, differences, records_folder, rollback
from workbench.apply.records import records
from workbench.apply.run import newest
from workbench.check import forecast
from workbench.errors import WorkbenchError
from workbench.export import Proposal, export_into, planned_into, proposal_of, toml_text
from workbench.params import KEYS, Params, Value
from workbench.replay.lint import lint
from workbench.replay.run import Settings
from workbench.replay.selection import Selection
from workbench.store import Database
from workbench.text import shown
from workbench.tune import load_result, studies_folder
from workbench.ui import kept
from workbench.ui.cached import cached, store_path
from workbench.ui.common import kept_choice
from workbench.ui.configurations import STUDY, called, in_force, proposals_first, resolved
from workbench.ui.findings import number
from workbench.ui.tables import Column, table
from workbench.ui.texts import plain, t
from workbench.ui.texts.said import said, said_plainly

_PLAN, _DONE, _PROBLEM = "planned change", "done", "export problem"


def chosen_proposal() -> tuple[str, Proposal]:
    """The configuration that is exported, by name, and what the commands would export of it."""
    named = kept_choice("source", t("export.source"), proposals_first(), called)
    if kept.widget(
        "inverse", False, lambda key: st.toggle(t("export.inverse"), key=key, help=t("export.inverse_help"))
    ):
        return named, _proposal(named).inverse
    return named, _proposal(named)


def _proposal(named: str) -> Proposal:
    kind, _, name = named.partition(" ")
    if kind == STUDY:
        return proposal_of(load_result(studies_folder(store_path()), name))
    return Proposal(resolved(named), in_force())


def draw_difference(proposal: Proposal) -> None:
    """The keys that change, and what is valid in the configuration and yet hardly meant."""
    changed = proposal.changed
    if not changed:
        st.info(t("export.nothing"))
    else:
        change_table([Change(name, proposal.current[name], proposal.params[name]) for name in changed], "changes")
    for doubt in lint(proposal.params, proposal.current):
        st.warning(said(doubt))


def change_table(changes: Sequence[Change], name: str) -> None:
    """Keys with their values before and after."""
    columns = [
        Column("key", plain("ledger.key"), width="medium"), Column("before", plain("ledger.present")),
        Column("after", plain("export.new")), Column("step", plain("ledger.step")),
    ]  # fmt: skip
    table([_row(one) for one in changes], columns, name)


def _row(change: Change) -> dict[str, str]:
    return {
        "key": change.key,
        "before": number(change.key, change.before),
        "after": number(change.key, change.after),
        "step": f"{KEYS[change.key].step:g} {said_plainly(KEYS[change.key].unit)}",
    }


def draw_toml(proposal: Proposal) -> None:
    """The file as `workbench export --out` writes it, to read and to take along."""
    only = kept.widget("changed_only", False, lambda key: st.toggle(t("export.changed_only"), key=key))
    text = toml_text(proposal, only)
    st.download_button(
        t("export.download"), text.encode(), "recall.toml", "application/toml", on_click="ignore", type="primary",
        icon=":material/download:",
    )  # fmt: skip
    st.code(text, language="toml", height=360, wrap_lines=True)


def draw_into(proposal: Proposal) -> None:
    """The changed keys set in a file that exists: its difference first, then a typed confirmation."""
    st.caption(t("export.into_help"))
    place = kept.widget("into", "", lambda key: st.text_input(t("export.file"), key=key, placeholder="/…/recall.toml"))
    if not place:
        return
    file = Path(place)
    try:
        edit = planned_into(proposal, file)
    except WorkbenchError as error:
        st.error(said(str(error)))
        return
    if not edit.changed:
        st.info(t("export.same_file", file=file.name))
        return
    st.code(edit.difference(shown(file.name)), language="diff")
    _confirmed(file.name, "export.write", _write, (proposal, file))


def _write(proposal: Proposal, file: Path) -> None:
    changed = export_into(proposal, file)
    st.session_state[_DONE] = t("export.written", count=len(changed), file=str(file))


def _confirmed(word: str, label: str, act: Any, arguments: tuple[Any, ...]) -> None:
    """A button that acts once `word` is typed."""
    labels = {"export.write": t("export.write"), "export.put": t("export.put"), "export.back": t("export.back")}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed = st.text_input(t("export.confirm", word=word), key=f"confirm {label}")
        st.button(
            labels[label], disabled=typed.strip() != word, on_click=_acted, args=(act, arguments, f"confirm {label}"),
            key=f"act {label}",
        )  # fmt: skip


def _acted(act: Any, arguments: tuple[Any, ...], typed: str) -> None:
    """Act; what became of it is said when the page is drawn."""
    st.session_state[typed] = ""
    st.session_state.pop(_PLAN, None)
    try:
        act(*arguments)
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = str(error)


def say_what_became() -> None:
    """What the last confirmed act did, once."""
    if done := st.session_state.pop(_DONE, None):
        st.success(done)
    if problem := st.session_state.pop(_PROBLEM, None):
        st.error(said(problem))


def draw_server(named: str, proposal: Proposal) -> None:
    """Apply to a server and take back: each shows its difference first and asks for a typed confirmation."""
    st.caption(t("export.server_help"))
    address = kept.widget("server", "", lambda key: st.text_input(
        t("export.server"), key=key, placeholder="http://localhost:18901"
    ))  # fmt: skip
    with st.container(horizontal=True):
        looked = st.button(t("export.look"), disabled=not address)
        looked_back = st.button(t("export.look_back"), disabled=not address)
    if looked or looked_back:
        _plan("apply" if looked else "rollback", address, proposal)
    plan = st.session_state.get(_PLAN)
    if plan is None or plan["address"] != address or plan["params"] not in (None, proposal.params):
        return
    changes: list[Change] = plan["changes"]
    if not changes:
        st.info(t("export.runs_already", server=plan["server"]))
        return
    change_table(changes, "server-changes")
    if plan["kind"] == "apply":
        _confirmed(plan["server"], "export.put", _apply, (address, changes, proposal, called(named)))
    else:
        st.caption(t("export.back_help", number=plan["number"]))
        _confirmed(plan["server"], "export.back", _roll_back, (address,))


def _plan(kind: str, address: str, proposal: Proposal) -> None:
    """Ask the server what it runs with."""
    st.session_state.pop(_PLAN, None)
    try:
        with closing(SettingsApi.from_environment(address)) as api:
            plan: dict[str, Any] = {"kind": kind, "address": address, "server": api.shown, "params": None}
            plan |= _planned_apply(api, proposal) if kind == "apply" else _planned_rollback(api)
    except WorkbenchError as error:
        st.error(said(str(error)))
    else:
        st.session_state[_PLAN] = plan


def _planned_apply(api: SettingsApi, proposal: Proposal) -> dict[str, Any]:
    return {"changes": differences(api, proposal.params, proposal.changed), "params": proposal.params}


def _planned_rollback(api: SettingsApi) -> dict[str, Any]:
    record = newest(records_folder(store_path()), api.shown)
    back = in_force().replace(record.before)
    return {"changes": differences(api, back, record.before), "number": record.number}


def _apply(address: str, changes: Sequence[Change], proposal: Proposal, source: str) -> None:
    with closing(SettingsApi.from_environment(address)) as api:
        if differences(api, proposal.params, proposal.changed) != list(changes):
            st.session_state[_PROBLEM] = "The server has other values by now; look at the difference again."
            return
        forecasted = _forecast(dict(proposal.params.as_flat()))
        record = apply(api, changes, records_folder(store_path()), source, forecasted)
    st.session_state[_DONE] = t("export.applied", count=len(changes), server=api.shown, number=record.number)


def _roll_back(address: str) -> None:
    with closing(SettingsApi.from_environment(address)) as api:
        record, since = rollback(api, records_folder(store_path()))
    left = t("export.left", keys=", ".join(since)) if since else ""
    st.session_state[_DONE] = " ".join([t("export.rolled", server=api.shown, number=record.number), left]).strip()


@cached
def _forecast(db: Database, flat: Mapping[str, Value]) -> dict[str, Any]:
    """What the configuration would have given on the log, to be held against what it does give."""
    return forecast(db, Settings(Params(flat), in_force()), Selection())


def draw_records() -> None:
    """What was applied from this store, newest first."""
    rows = [one.as_json() for one in reversed(records(records_folder(store_path())))]
    if not rows:
        st.caption(t("export.no_records"))
        return
    columns = [
        Column("number", plain("export.number"), "count", "small"), Column("at", plain("tune.written"), "time"),
        Column("server", plain("export.server")), Column("source", plain("export.source")),
        Column("state", plain("export.state"), said=lambda one: plain(f"export.state_{one}")),
    ]  # fmt: skip
    table(rows, columns, "applied")
