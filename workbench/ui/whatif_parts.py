"""The parts of the page What-if: load and save, what a draft would have done, curves, sweep, distribution, reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from workbench.charts import reach_figure, reach_info
from workbench.charts.tuning import sides_figure, sides_info
from workbench.charts.whatif import curve_figure, curve_info, spread_figure, spread_info, sweep_figure, sweep_info
from workbench.errors import WorkbenchError
from workbench.params import KEYS, THRESHOLD, Params, Value
from workbench.params.drafts import save_draft
from workbench.replay.reach import MOST_PRIORITY, Reachability, reachability
from workbench.replay.run import Settings
from workbench.replay.selection import Selection
from workbench.store import Database
from workbench.text import shown
from workbench.ui import desks, draft, kept
from workbench.ui.bar import client_name
from workbench.ui.cached import cached, store_path
from workbench.ui.common import kept_choice
from workbench.ui.configurations import PRESENT, called, configurations, resolved, resolved_or_present
from workbench.ui.findings import LEDGER, ledger_changes, ledger_columns, ledger_rows, number
from workbench.ui.links import go
from workbench.ui.pictures import picture, word
from workbench.ui.tables import Column, pick, table
from workbench.ui.texts import plain, t
from workbench.ui.texts.said import said
from workbench.whatif import MOST_FLIPS, sweep_columns, sweep_rows

_NO_MORE = "none"
SECTIONS = (_NO_MORE, "spread", "sweep", "reach")


def load_or_keep() -> str | None:
    """Another configuration to load, and a name to keep the draft under; returns the name when it is to be kept."""
    source = kept_choice("load", t("whatif.source"), configurations(at_hand=False), called)
    if st.button(t("whatif.load"), width="stretch", icon=":material/tune:"):
        _load(source)
    with st.popover(t("whatif.save"), width="stretch", icon=":material/save:"):
        name = st.text_input(t("whatif.name"), help=t("tune.study_help"))
        return name if st.button(t("whatif.keep"), disabled=not name) and name else None


def difference_line(params: Params) -> str:
    """Whether the draft is what it was loaded from, or by which keys it differs; as Markdown."""
    known = configurations(at_hand=False)
    named = kept.value(draft.FROM, PRESENT, lambda one: one in known)
    changed = params.changed_from(resolved_or_present(named))
    if not changed:
        return t("whatif.same", name=called(named))
    keys = "; ".join(f"{key.removeprefix('recall.')} = {number(key, value)}" for key, value in changed.items())
    return t("whatif.differs", name=called(named), count=len(changed), keys=keys)


def _load(named: str) -> None:
    try:
        draft.load(resolved(named), named)
    except WorkbenchError as error:
        st.error(said(str(error)))


def keep_draft(name: str, params: Params) -> None:
    """Keep the draft under `name` and say where."""
    try:
        file = save_draft(store_path(), name, params, plain("whatif.comment"))
    except WorkbenchError as error:
        st.error(said(str(error)))
    else:
        kept.put(draft.FROM, f"draft {name}")
        st.success(t("whatif.saved", file=str(file)))


def draw_ledger(before: Mapping[str, int], after: Mapping[str, int]) -> None:
    """The ledgers of the present configuration and of the draft: figures with their change, bars, a table."""
    figures = ledger_changes(before, after)
    for place, (name, value, change, better) in zip(st.columns(len(figures)), figures, strict=True):
        place.metric(name, value, change, delta_color=better, border=True)  # type: ignore[arg-type]
    names = {"current": plain("ledger.current"), "draft": plain("configurations.at_hand")}
    ledgers = {"current": before, "draft": after}
    bars = sides_figure(sides_info({names[one]: ledger for one, ledger in ledgers.items()}))
    picture(bars, "sides", t("tune.sides"))
    with st.expander(t("overview.as_table")):
        table(ledger_rows(ledgers), ledger_columns(names), "what-if-ledger")


def draw_curve(selection: Selection, params: Params, curve: Sequence[tuple[float, Mapping[str, int]]]) -> None:
    """The counts over the threshold (Desk.curve); a click on a point lists the memories that flip there."""
    threshold = float(params[THRESHOLD])
    figure = curve_figure(curve_info(curve, threshold))
    event = picture(figure, "curve", t("whatif.curve"), on_select="rerun", selection_mode="points")
    points = event.selection.points if event else []
    if not points:
        st.caption(t("whatif.click"))
        return
    _flips(selection, params, threshold, float(points[0]["x"]))


def _flips(selection: Selection, params: Params, threshold: float, other: float) -> None:
    rows = desks.flips(selection, params, threshold, other)
    ends = {"one": number(THRESHOLD, threshold), "other": number(THRESHOLD, other)}
    if not rows:
        st.caption(t("whatif.no_flips", **ends))
        return
    total = rows[0]["total"]
    st.markdown(plain("whatif.vanish" if other > threshold else "whatif.appear", count=total, **ends))
    if total > MOST_FLIPS:
        st.caption(t("whatif.first", count=MOST_FLIPS))
    columns = [
        Column("query_text", plain("prompt.prompt"), width="large", said=lambda text: shown(text, 200)),
        Column("uri", plain("prompt.memory"), width="medium"),
        Column("label", plain("prompt.used"), said=label_name),
        Column("reach", plain("prompt.score"), "score"),
        Column("client", plain("bar.client"), width=100, said=client_name),
        Column("now", plain("prompts.time"), "time"),
    ]
    query_id = pick(rows, columns, "flips", "query_id")
    if query_id is not None:
        go("prompt", query_id=query_id)


def label_name(label: int | str | None) -> str:
    """What is known of a memory, by its label."""
    names = {1: "used", "used": "used", 0: "unused", "shown_unused": "unused", 2: "helpful", -2: "unhelpful"}
    return plain(f"labels.{names.get(label if label is not None else '', 'unknown')}")


def section_choice() -> str:
    """Which further look is taken; each is computed only when it is."""
    names = {one: plain(f"whatif.{one}") for one in SECTIONS}
    return kept.widget("look", _NO_MORE, lambda key: st.segmented_control(
        t("whatif.more"), SECTIONS, key=key, format_func=names.__getitem__
    ), lambda one: one in SECTIONS)  # fmt: skip


def draw_section(section: str, selection: Selection, params: Params, in_force: Params) -> None:
    """The chosen further look."""
    if section == "spread":
        info = spread_info(desks.terms(selection, params))
        spoken = replace(info, terms=[word(term) for term in info.terms])
        picture(spread_figure(spoken), "spread", t("whatif.spread_title"))
        st.caption(" · ".join(f"{word(group.replace('_', ' '))}: {count:,}" for group, count in info.counts.items()))
    elif section == "sweep":
        _sweep(selection, params)
    elif section == "reach":
        _reach(params, in_force)


def _sweep(selection: Selection, params: Params) -> None:
    keys = [name for name, key in KEYS.items() if key.replayable and name != THRESHOLD]
    parts = {one: plain(f"ledger.{one}") for one in LEDGER if one != "prompts"}
    with st.container(horizontal=True):
        key = kept_choice("sweep", t("whatif.sweep_key"), keys)
        part = kept_choice("count", t("whatif.sweep_count"), list(parts), parts.__getitem__)
    swept = desks.sweep(selection, params, key, sweep_rows(key, params[key]), sweep_columns(float(params[THRESHOLD])))
    picture(sweep_figure(sweep_info(swept, key, part)), "sweep", parts[part])


@cached
def _reachable(db: Database, flat: dict[str, Value], in_force: dict[str, Value], tokens: int) -> Reachability:
    return reachability(db, Settings(Params(flat), Params(in_force)), tokens)


def _reach(params: Params, in_force: Params) -> None:
    with st.container(horizontal=True):
        priority = int(kept_choice("priority", t("prompt.priority"), [str(one) for one in range(MOST_PRIORITY + 1)]))
        tokens = kept.widget("tokens", 8, lambda key: st.number_input(
            t("whatif.tokens"), 1, 60, key=key, width=180
        ), lambda one: 1 <= one <= 60)  # fmt: skip
    found = _reachable(dict(params.as_flat()), dict(in_force.as_flat()), tokens)
    info = reach_info(found, priority)
    info = replace(info, columns=[word(one) for one in info.columns], rows=[word(one) for one in info.rows])
    title = t("prompt.best", priority=priority, tokens=tokens, threshold=found.threshold)
    picture(reach_figure(info), "reach", title)
    st.caption(t("prompt.reach_means"))
