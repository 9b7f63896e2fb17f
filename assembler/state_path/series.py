"""Which instances of repeating meetings and reminders does a question mean?

A row of a series stands for all of its instances; here they are worked out for the time that is
asked about, each as a row of its own with what was changed in it. A series that cannot be worked
out stays as its row says, and the answer carries the doubt `recurrence:<id>`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from workindex.assembler.state_path.days import Window
from workindex.projections.meetings import ASSUMED_LENGTH, MeetingRow
from workindex.projections.recurrence import Instance, Series, coming, instances
from workindex.projections.reminders import ReminderRow
from workindex.projections.rules import NotExpandable

# People start before the hour and report the end after it.
_EARLY = timedelta(minutes=15)
_LATE = timedelta(hours=1)
_UNTIL = re.compile(r"UNTIL=(\d{4})(\d{2})(\d{2})", re.IGNORECASE)


class Shown(NamedTuple):
    """A meeting as it takes place once; `instance_at` names the instance of a series."""

    row: MeetingRow
    instance_at: datetime | None = None


class Found(NamedTuple):
    """What a question may choose from, and when a series that it leaves out comes in.

    `doubts` names the series whose instances are not known.
    """

    shown: list[Shown]
    instants: list[datetime]
    doubts: tuple[str, ...]


def meetings_in(meetings: list[MeetingRow], window: Window) -> Found:
    """Every meeting and every instance of a series in a span of time."""
    found = Found([Shown(row) for row in meetings if row.recurrence is None], [], ())
    for row in meetings:
        if row.recurrence is None:
            continue
        try:
            met = instances(series_of(row), window.start_at, window.end_at)
        except NotExpandable:
            found = _doubted(found, row, window)
        else:
            found.shown.extend(_shown(row, one) for one in met)
    return found


def meetings_coming(meetings: list[MeetingRow], now: datetime) -> Found:
    """Every meeting, and of each series what goes on, what comes next, and what was called off."""
    found = Found([Shown(row) for row in meetings if row.recurrence is None], [], ())
    for row in meetings:
        if row.recurrence is None:
            continue
        try:
            shown, instants = _coming(row, now)
        except NotExpandable:
            found = _doubted(found, row, Window(now, now))
        else:
            found.shown.extend(shown)
            found.instants.extend(instants)
    return found


def _coming(row: MeetingRow, now: datetime) -> tuple[list[Shown], list[datetime]]:
    series = series_of(row)
    first = coming(series, now, assumed=ASSUMED_LENGTH)
    later = coming(series, now, offset=timedelta())
    chosen = {one.at: one for one in (first, later) if one is not None}
    if row.status == "started" and row.started_at is not None:
        met = instances(series, row.started_at, row.started_at + _EARLY)
        chosen.update((one.at, one) for one in met if _is_meant(one, row))
    called_off = [
        Instance(at, at, None, override)
        for override in (row.recurrence or {}).get("overrides", ())
        if override.get("cancelled") and (at := datetime.fromisoformat(override["at"])) > now
    ]
    shown = [_shown(row, one) for one in (*chosen.values(), *called_off)]
    return shown, [] if later is None else [later.start_at]


def series_of(row: MeetingRow) -> Series:
    """The series that the meeting's row holds."""
    assert row.recurrence is not None
    return Series(row.recurrence, row.start_at, row.end_at, row.time_zone)


def _shown(row: MeetingRow, one: Instance) -> Shown:
    """The instance as a row: its own words where it has any, and its own status."""
    told: Mapping[str, Any] = one.override or {}
    words: dict[str, Any] = {
        name: told[name] for name in ("title", "location", "agenda") if name in told
    }
    if "participants" in told:
        words["participants"] = list(told["participants"])
    status = row.status
    if one.is_cancelled:
        status = "cancelled"
    elif status in ("started", "ended") and not _is_meant(one, row):
        status = "scheduled"
    moved = row._replace(start_at=one.start_at, end_at=one.end_at, status=status)
    return Shown(moved._replace(**words), one.at)


def _is_meant(one: Instance, row: MeetingRow) -> bool:
    """Whether this instance is the one that was reported as started or ended."""
    end_at = one.end_at or one.start_at + ASSUMED_LENGTH
    if row.status == "started":
        return row.started_at is not None and one.start_at - _EARLY <= row.started_at < end_at
    return row.ended_at is not None and one.start_at <= row.ended_at < end_at + _LATE


def _doubted(found: Found, row: MeetingRow, window: Window) -> Found:
    """The series as its row says, with a doubt where it may have other dates in the window."""
    found.shown.append(Shown(row))
    assert row.recurrence is not None
    is_past = has_ended_before(row.recurrence, window.start_at)
    if row.status == "cancelled" or is_past or row.start_at > window.end_at:
        return found
    return found._replace(doubts=(*found.doubts, f"recurrence:{row.meeting_id}"))


class Times(NamedTuple):
    """When a repeating reminder comes; None where that is not known."""

    at: list[datetime]
    is_known: bool


def times_of(row: ReminderRow, window: Window) -> Times:
    """The later times of a repeating reminder in a span: those after the one it is set to."""
    if row.recurrence is None:
        return Times([], True)
    if _has_lost_its_start(row):
        return Times([], has_ended_before(row.recurrence, window.start_at))
    offset = _offset(row)
    try:
        met = instances(reminder_series(row), window.start_at - offset, window.end_at - offset)
    except NotExpandable:
        return Times([], has_ended_before(row.recurrence, window.start_at))
    times = (one.start_at + offset for one in met if not one.is_cancelled)
    return Times([at for at in times if at > row.remind_at and window.holds(at)], True)


def next_time(row: ReminderRow, now: datetime) -> datetime | None:
    """When a repeating reminder that is due comes again.

    Raises: NotExpandable.
    """
    if _has_lost_its_start(row):
        raise NotExpandable(f"nobody knows where the rule of reminder {row.reminder_id} begins")
    offset = _offset(row)
    one = coming(reminder_series(row), now, offset=offset)
    return None if one is None else one.start_at + offset


def reminder_series(row: ReminderRow) -> Series:
    """What the reminder repeats with: the instances, each `offset_seconds` before its time."""
    assert row.recurrence is not None
    return Series(row.recurrence, row.remind_at, None, row.time_zone)


def _offset(row: ReminderRow) -> timedelta:
    assert row.recurrence is not None
    return timedelta(seconds=row.recurrence.get("offset_seconds") or 0)


def _has_lost_its_start(row: ReminderRow) -> bool:
    """Whether the rule counts from a start that the reminder has moved away from."""
    recurrence = row.recurrence or {}
    counts = "COUNT=" in (recurrence.get("rrule") or "").upper()
    return counts and "start_at" not in recurrence and row.updated_at != row.set_at


def has_ended_before(recurrence: Mapping[str, Any], at: datetime) -> bool:
    """Whether a rule that cannot be worked out surely has no date from `at` on.

    Its UNTIL lies two days or more before, and nothing was added beside it.
    """
    found = _UNTIL.search(recurrence.get("rrule") or "")
    if found is None or recurrence.get("rdates") or recurrence.get("overrides"):
        return False
    try:
        until = datetime(int(found[1]), int(found[2]), int(found[3]), tzinfo=UTC)
    except ValueError:
        return False  # no such day, so the rule says nothing
    return until + timedelta(days=2) <= at
