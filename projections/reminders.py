"""Reminders: when each comes next, and which are due and unanswered."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple


class ReminderRow(NamedTuple):
    """One reminder.

    `status` is set, due, snoozed, dismissed or cancelled; `remind_at` is the next instant at
    which it comes due (a snooze moves it). A set or snoozed reminder whose `remind_at` has
    passed counts as due for every reader, whether or not ReminderDue was recorded. `since_at`
    is when the unanswered occurrence came due.
    """

    reminder_id: str
    title: str
    status: str
    remind_at: datetime
    since_at: datetime | None
    time_zone: str | None
    recurrence: dict[str, Any] | None
    task_id: str | None
    meeting_id: str | None
    source: str | None
    set_at: datetime
    ended_at: datetime | None
    updated_at: datetime
