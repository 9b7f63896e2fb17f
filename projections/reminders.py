"""Reminders: when each comes next, and which are due and unanswered."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from workindex.domain.facts import Event
from workindex.domain.reminder_facts import ENDED, ReminderSet, consequences, set_columns
from workindex.projections.table import EVER, FOREVER, Need, Table


class ReminderRow(NamedTuple):
    """One reminder.

    `status` is set, due, snoozed, dismissed or cancelled; `remind_at` is the next instant at
    which it comes due (a snooze moves it). A set or snoozed reminder whose `remind_at` has
    passed counts as due for every reader, whether or not ReminderDue was recorded. `since_at`
    is when the unanswered occurrence came due; `next_at` the occurrence after it, if it is known.
    """

    reminder_id: str
    title: str
    status: str
    remind_at: datetime
    since_at: datetime | None
    next_at: datetime | None
    time_zone: str | None
    recurrence: dict[str, Any] | None
    task_id: str | None
    meeting_id: str | None
    source: str | None
    set_at: datetime
    ended_at: datetime | None
    updated_at: datetime


def fold_reminder(row: ReminderRow | None, event: Event) -> ReminderRow:
    """The reminder's row after the event; `consequences` is closed over its facts."""
    at = event.occurred_at
    if isinstance(event.fact, ReminderSet):
        assert row is None, f"{event.fact.stream} is set twice"
        return ReminderRow(**set_columns(event.fact), set_at=at, ended_at=None, updated_at=at)
    assert row is not None, f"{event.fact.type} without {event.fact.stream}"
    shared = consequences(row, event)
    ended_at = at if shared.get("status", row.status) in ENDED else None
    return row._replace(**shared, ended_at=ended_at, updated_at=at)


def is_open(row: ReminderRow) -> bool:
    """Whether it could need the user: it has not ended."""
    return row.status not in ENDED


def need(row: ReminderRow) -> Need:
    """From when it comes due until somebody answers."""
    since_at = row.since_at or row.remind_at
    from_at = EVER if row.status == "due" else row.remind_at
    return Need(from_at, FOREVER, FOREVER, since_at, since_at)


def due_at(row: ReminderRow) -> datetime | None:
    """When the clock has to look: at the next occurrence, an unanswered one notwithstanding."""
    is_marked = row.since_at is not None and row.remind_at <= row.since_at
    return row.remind_at if is_open(row) and not is_marked else None


WORK_REMINDER = Table(
    "work_reminder",
    kind="reminder",
    member="work_index",
    row=ReminderRow,
    fold=fold_reminder,
    is_open=is_open,
    need=need,
    due_at=due_at,
)
TABLES = (WORK_REMINDER,)
