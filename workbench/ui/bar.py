"""The filter bar: one filter with the same meaning on every page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.metrics.report import calendar_day, calendar_days, last_hours
from workbench.replay.selection import TRAFFIC, Selection, clients, log_span
from workbench.store import Database
from workbench.ui import kept
from workbench.ui.cached import cached
from workbench.ui.texts import LANGUAGES, browser_language, plain, t

UTC = "UTC"
TYPED = ["prompt"]
# How queries without a client are called in an address, as in the option --client.
NO_CLIENT = "none"
BETWEEN = "between"
_HOURS = {"24h": 24, "7d": 7 * 24, "28d": 28 * 24}
TIMES = ("all", "day", *_HOURS, BETWEEN)
_CHOSEN = "chosen filter"
_DEFAULTS: Mapping[str, Any] = {
    "traffic": TYPED, "client": [], "time": "all", "from": "", "until": "", "text": "",
}  # fmt: skip


@dataclass(frozen=True)
class Filter:
    """Which queries a page is about, and the time zone of its days."""

    selection: Selection = Selection()  # noqa: RUF009
    zone: str = UTC


@dataclass(frozen=True)
class Log:
    """What the bar needs to know of a log: its clients, and the times of its first and last query."""

    clients: tuple[str, ...] = ()
    first: datetime | None = None
    last: datetime | None = None


def chosen() -> Filter:
    """The filter as the bar of this run has it."""
    found: Filter = st.session_state.get(_CHOSEN, Filter())
    return found


def draw_language() -> None:
    """The switch of the language."""
    kept.widget(
        kept.LANGUAGE,
        browser_language(),
        lambda key: st.segmented_control(
            "Language / 语言", list(LANGUAGES), key=key, format_func=LANGUAGES.__getitem__, label_visibility="collapsed"
        ),
        lambda one: one in LANGUAGES,
    )


def draw_filter() -> None:
    """The bar; a choice that makes no sense is said beside it, and everything passes."""
    try:
        log = _log()
    except WorkbenchError:  # no store yet: the page says so
        log = Log()
    with st.container(horizontal=True, vertical_alignment="bottom", key="filter"):
        traffic = _traffic()
        chosen_clients = _clients(log)
        which = _time()
        days = [_day("from", log.first), _day("until", log.last)] if which == BETWEEN else []
        text = kept.widget("text", "", lambda key: st.text_input(
            t("bar.text"), key=key, width=170, placeholder=plain("bar.any_text"), help=t("bar.text_help")
        ))  # fmt: skip
        zone = _zone()
    span = _span(log, which, days, zone)
    selection = Selection(
        traffic=tuple(traffic) or None,
        clients=tuple("" if name == NO_CLIENT else name for name in chosen_clients) or None,
        text=text or None,
        since=span and span[0],
        until=span and span[1],
    )
    st.session_state[_CHOSEN] = Filter(selection, zone)


def clear() -> None:
    """Let everything typed pass; the zone stays."""
    for name, default in _DEFAULTS.items():
        kept.put(name, default)


@cached
def _log(db: Database) -> Log:
    return Log(tuple(clients(db)), *log_span(db))


def _traffic() -> list[str]:
    names = {one: plain(f"bar.traffic_{one}") for one in TRAFFIC}
    return kept.widget(
        "traffic",
        TYPED,
        lambda key: st.multiselect(
            t("bar.traffic"), TRAFFIC, key=key, format_func=names.__getitem__, width=215,
            placeholder=plain("bar.all"), help=t("bar.traffic_help"),
        ),
        lambda held: set(held) <= set(TRAFFIC),
    )  # fmt: skip


def _clients(log: Log) -> list[str]:
    known = {name or NO_CLIENT: client_name(name) for name in log.clients}
    return kept.widget(
        "client",
        list[str](),
        lambda key: st.multiselect(
            t("bar.client"),
            list(known),
            key=key,
            format_func=known.__getitem__,
            width=170,
            placeholder=plain("bar.all"),
        ),
        lambda held: set(held) <= set(known),
    )


def client_name(name: str) -> str:
    """How a client type is called on a page."""
    return plain("bar.no_client") if name in ("", NO_CLIENT) else name


def _time() -> str:
    names = {one: plain(f"bar.time_{one}") for one in TIMES}
    return kept.widget(
        "time",
        "all",
        lambda key: st.selectbox(
            t("bar.time"), TIMES, key=key, format_func=names.__getitem__, width=180,
            help=t("bar.time_help"),
        ),
        lambda held: held in TIMES,
    )  # fmt: skip


def _day(name: str, own: datetime | None) -> date | None:
    """A day that is asked for; that of `own` where none is given."""
    default = None if own is None else own.astimezone(ZoneInfo(_kept_zone())).date()
    held = kept.widget(
        name,
        "",
        lambda key: _iso(st.date_input(t(f"bar.{name}"), key=key, format="YYYY-MM-DD", width=140)),
        seed=lambda one: _date(one) or default,
    )
    return _date(held) or default


def _span(log: Log, which: str, days: list[date | None], zone: str) -> tuple[datetime, datetime] | None:
    """The chosen time: since (inclusive) and until (exclusive); None for all. It is counted from the newest query, so
    that an address means the same tomorrow."""
    if log.last is None:
        return None
    if which == "day":
        return calendar_day(log.last, zone)
    if which in _HOURS:
        return last_hours(log.last + timedelta(microseconds=1), _HOURS[which])
    first, last = days or (None, None)
    if first is None or last is None:
        return None
    if last < first:
        st.error(t("bar.swapped", first=str(first), last=str(last)))
        return None
    return calendar_days(first, last, zone)


def _iso(day: Any) -> str:
    return day.isoformat() if isinstance(day, date) else ""


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _kept_zone() -> str:
    return kept.value("zone", UTC, lambda one: one in available_timezones())


def _zone() -> str:
    own, zones = st.context.timezone, available_timezones()
    first = [UTC, *([own] if own in zones and own != UTC else [])]
    kept.widget(
        "zone",
        UTC,
        lambda key: st.selectbox(
            t("bar.zone"), [*first, *sorted(zones - set(first))], key=key, width=150, help=t("bar.zone_help")
        ),
        lambda one: one in zones,
    )
    return _kept_zone()
