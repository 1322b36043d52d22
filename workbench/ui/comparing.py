"""The parts of the page Compare: which configurations, their ledgers, differences, flips, and clients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from workbench.charts import TERMS
from workbench.charts.tuning import sides_figure, sides_info
from workbench.compare import compare, moved_most
from workbench.compare.estimated import estimated_alone
from workbench.params import Params, Value
from workbench.replay.logged import settings_in_force
from workbench.replay.selection import SELECTED, Selection, prompt_of
from workbench.store import Database
from workbench.text import shown
from workbench.ui import kept
from workbench.ui.bar import client_name
from workbench.ui.cached import cached
from workbench.ui.common import kept_choice
from workbench.ui.configurations import AT_HAND, PRESENT, STUDY, called, configurations, resolved
from workbench.ui.findings import ledger_columns, ledger_rows, number
from workbench.ui.links import go
from workbench.ui.literal import literal
from workbench.ui.pictures import picture, word
from workbench.ui.replays import replay_held
from workbench.ui.tables import Column, pick, table
from workbench.ui.texts import plain, t
from workbench.ui.texts.said import said, said_plainly
from workbench.ui.whatif_parts import label_name

_WAYS = ("all", "lost", "won")
_OF_CLIENTS = ("prompts", "shown", "used_kept", "used_lost", "removed", "newly_shown", "silent_prompts")


def chosen_configurations() -> list[str]:
    """The configurations that are compared, the measure first."""
    known = {one: called(one) for one in configurations()}
    wanted = next((one for one in known if one.startswith(f"{STUDY} ")), AT_HAND)
    return kept.widget(
        "configs",
        [PRESENT, wanted],
        lambda key: st.multiselect(
            t("compare.configurations"), list(known), key=key, format_func=known.__getitem__,
            placeholder=plain("tune.no_key"), help=t("compare.configurations_help"),
        ),
        lambda held: set(held) <= set(known),
    )  # fmt: skip


def compared(selection: Selection, names: Sequence[str]) -> dict[str, Any]:
    """The configurations held against the first of them, as `workbench compare --json` without the estimate, with
    the text of each prompt that flips."""
    found: dict[str, Any] = _compared(selection, {name: dict(resolved(name).as_flat()) for name in names})
    return found


@cached
def _compared(db: Database, selection: Selection, named: dict[str, dict[str, Value]]) -> dict[str, Any]:
    selection.for_replay().materialise(db)
    configured = {name: Params(values) for name, values in named.items()}
    found = compare(db, configured, settings_in_force(db).params, SELECTED, estimated=False, replay=replay_held)
    for flip in (flip for pair in found["pairs"] for flip in pair["flips"]):
        prompt = prompt_of(db, flip["query_id"])
        flip["query_text"] = prompt[2] if prompt else ""
    return found


def draw_ledgers(found: Mapping[str, Any]) -> None:
    """The ledgers of all configurations, as bars and as a table."""
    names = {name: called(name) for name in found["ledgers"]}
    bars = sides_figure(sides_info({names[one]: ledger for one, ledger in found["ledgers"].items()}))
    picture(bars, "sides", t("tune.sides"))
    table(ledger_rows(found["ledgers"]), ledger_columns(names), "ledgers")


def chosen_pair(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """The configuration that is held against the first one."""
    pairs: dict[str, Mapping[str, Any]] = {pair["config"]: pair for pair in found["pairs"]}
    chosen = kept_choice("against", t("compare.against"), list(pairs), called)
    return pairs[chosen]


def changes_line(found: Mapping[str, Any], pair: Mapping[str, Any]) -> str:
    """The keys in which both differ, as Markdown."""
    changed = found["changed"][pair["config"]]
    if not changed:
        return t("compare.alike")
    first = found["configs"][found["against"]]
    keys = "; ".join(f"{key}: {number(key, first[key])} → {number(key, value)}" for key, value in changed.items())
    return t("compare.changed", keys=keys)


def draw_differences(found: Mapping[str, Any], pair: Mapping[str, Any]) -> None:
    """The figures of both, their difference and its interval, and the test on used memories."""
    won, lost, p = pair["used_won"], pair["used_lost"], pair["sign_test"]
    if p is None:
        st.markdown(t("compare.no_test"))
    else:
        st.markdown(t("compare.test", won=won, lost=lost, p=f"{p:.3g}", adjusted=f"{pair['sign_test_holm']:.3g}"))
    rows = [
        {"figure": said_plainly(name.replace("_", " ")), **one, "interval": _span(one["interval"])}
        for name, one in pair["differences"].items()
    ]
    columns = [
        Column("figure", plain("compare.figure"), width="medium"),
        Column("first", called(found["against"]), said=_rounded),
        Column("second", called(pair["config"]), said=_rounded),
        Column("effect", plain("compare.difference"), said=lambda one: f"{one:+.4f}"),
        Column("interval", plain("compare.interval")),
    ]  # fmt: skip
    table(rows, columns, "differences")


def _rounded(figure: float) -> str:
    return f"{figure:.4f}"


def _span(interval: Sequence[float] | None) -> str | None:
    return None if interval is None else f"{interval[0]:+.4f} … {interval[1]:+.4f}"


def draw_flips(pair: Mapping[str, Any]) -> None:
    """The memories that only one of both shows, with the cause; regret in either direction."""
    st.caption(t("compare.flips", count=pair["flips_total"], listed=len(pair["flips"])))
    if not pair["flips"]:
        return
    most = "; ".join(f"{key} ({count:,})" for key, count in moved_most(pair["flips"]))
    if most:
        st.caption(t("compare.moved", keys=most))
    names = {one: plain(f"compare.{one}") for one in _WAYS}
    way = kept.widget("regret", "all", lambda key: st.segmented_control(
        t("compare.which"), _WAYS, key=key, format_func=names.__getitem__
    ), lambda one: one in _WAYS)  # fmt: skip
    rows = [_flip(one) for one in pair["flips"] if _belongs(one, way)]
    if not rows:
        st.info(t("compare.no_regret"))
        return
    query_id = pick(rows, _flip_columns(), f"flips-{way}", "query_id")
    if query_id is not None:
        go("prompt", query_id=query_id)


def _belongs(flip: Mapping[str, Any], way: str) -> bool:
    """`lost`: a used memory that only the first shows; `won`: one that only the second shows."""
    return way == "all" or (flip["label"] in ("used", "helpful") and (flip["second_place"] is None) is (way == "lost"))


def _flip(flip: Mapping[str, Any]) -> dict[str, Any]:
    keys = "; ".join(f"{key.removeprefix('recall.')} {moved:+.4f}" for key, moved in flip.get("keys", {}).items())
    return {**flip, "shown_by": "second" if flip["first_place"] is None else "first", "keys": keys}


def _cause(english: str) -> str:
    """The cause of a flip: a term with how far it moved, or else a sentence."""
    term, _, moved = english.rpartition(" ")
    return f"{word(term.replace('_', ' '))} {moved}" if term in TERMS else said_plainly(english)


def _flip_columns() -> list[Column]:
    return [
        Column("query_text", plain("prompt.prompt"), width=250, said=lambda text: shown(text, 200)),
        Column("uri", plain("prompt.memory"), width="medium"),
        Column("label", plain("prompt.used"), said=label_name),
        Column("shown_by", plain("compare.shown_by"), said=lambda one: plain(f"compare.{one}")),
        Column("first_score", plain("compare.first_score"), "score"),
        Column("second_score", plain("compare.second_score"), "score"),
        Column("cause", plain("compare.cause"), width="small", said=_cause),
        Column("keys", plain("compare.keys"), width="large"),
    ]


def draw_estimate(selection: Selection, found: Mapping[str, Any]) -> None:
    """What a model says of newly shown memories, apart from all else; only when somebody wants to know, as fitting it
    takes its time. Nothing where no configuration shows a new one."""
    if not any(ledger["newly_shown"] for ledger in found["ledgers"].values()):
        return
    st.subheader(t("tune.estimate"), help=t("tune.estimate_help"))
    wanted = kept.widget("model", False, lambda key: st.toggle(t("compare.estimate"), key=key))
    if not wanted:
        return
    with st.spinner(t("compare.estimating")):
        estimate = _estimated(selection, found["configs"])
    st.markdown(said(estimate["model"]["said"]))
    newly = {name: one for name, one in estimate["configs"].items() if one["newly_shown"]}
    if estimate["model"]["usable"]:
        table([_estimate_row(name, one) for name, one in newly.items()], _estimate_columns(), "estimate")
    for name, one in newly.items():
        st.markdown("- " + plain("frame.named", name=literal(called(name)), what=said(one["said"])))


@cached
def _estimated(db: Database, selection: Selection, named: dict[str, dict[str, Value]]) -> dict[str, Any]:
    selection.for_replay().materialise(db)
    configured = {name: Params(values) for name, values in named.items()}
    return estimated_alone(db, configured, settings_in_force(db).params, SELECTED)


def _estimate_row(name: str, one: Mapping[str, Any]) -> dict[str, Any]:
    added = one["adds_to_net_help"]
    return {
        "config": called(name),
        "newly_shown": one["newly_shown"],
        "helpful": one["helpful"],
        "interval": one["interval"],
        "adds": added["estimated"],
        "adds_interval": _span(added["interval"]),
        "bounds": _span([added["all_bad"], added["all_good"]]),
    }


def _estimate_columns() -> list[Column]:
    return [
        Column("config", plain("export.source"), width="medium"),
        Column("newly_shown", plain("compare.newly_shown"), "count"),
        Column("helpful", plain("compare.would_be_used"), said=lambda count: f"{count:.1f}"),
        Column("interval", plain("overview.interval_95"), said=lambda ends: f"{ends[0]:.0f} … {ends[1]:.0f}"),
        Column("adds", plain("compare.adds"), said=lambda one: f"{one:+.4f}"),
        Column("adds_interval", plain("compare.adds_interval")),
        Column("bounds", plain("compare.bounds")),
    ]


def draw_clients(found: Mapping[str, Any]) -> None:
    """The ledgers by client."""
    rows = [
        {"client": client, "config": called(name), **ledger}
        for name, by in found["clients"].items()
        for client, ledger in by.items()
    ]
    columns = [
        Column("client", plain("bar.client"), said=client_name),
        Column("config", plain("export.source"), width="medium"),
        *(Column(part, plain(f"ledger.{part}"), "count") for part in _OF_CLIENTS),
    ]
    table(sorted(rows, key=lambda row: str(row["client"])), columns, "clients")
