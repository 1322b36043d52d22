"""Spans of time for a filter: the last hours and the calendar day are different choices."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from workbench.errors import BadInput

Span = tuple[datetime, datetime]


def checked_zone(zone: str) -> ZoneInfo:
    """The time zone with this IANA name; BadInput when there is none."""
    try:
        return ZoneInfo(zone)
    except (KeyError, ValueError, OSError) as error:
        raise BadInput(f"Unknown time zone {zone!r}; use an IANA name such as Europe/Berlin or UTC.") from error


def last_hours(now: datetime, hours: float = 24) -> Span:
    """From `hours` hours before `now` (inclusive) to `now` (exclusive), whatever day that is."""
    return now - timedelta(hours=hours), now


def calendar_day(now: datetime, zone: str) -> Span:
    """The calendar day of `zone` in which `now` lies: from its midnight (inclusive) to the next (exclusive). It has 23
    or 25 hours where clocks change."""
    day = now.astimezone(checked_zone(zone)).date()
    return calendar_days(day, day, zone)


def calendar_days(first: date, last: date, zone: str) -> Span:
    """From the midnight of `zone` that begins the day `first` (inclusive) to the one that ends `last` (exclusive).
    BadInput where `last` comes before `first`."""
    if last < first:
        raise BadInput(f"The last day {last} comes before the first {first}; swap them.")
    place = checked_zone(zone)
    start, end = (datetime.combine(day, time.min, tzinfo=place) for day in (first, last + timedelta(days=1)))
    return start, end
