"""What can happen to a reminder, and what decisions remember of it.

The next occurrence of a recurring reminder is worked out by whoever gives the command and is
stored in the fact; nothing here expands a rule.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple, Protocol, assert_never, cast

from pydantic import Field

from workindex.domain.changes import changed_columns, plain
from workindex.domain.facts import At, Event, Fact, Id, Text, Title
from workindex.domain.recurrence import Recurrence
from workindex.domain.users import ZoneName

CHANGEABLE = ("title", "remind_at", "time_zone", "recurrence", "task_id", "meeting_id", "source")
ENDED = frozenset({"dismissed", "cancelled"})
Cleared = Annotated[tuple[Id, ...], Field(max_length=50)]


class ReminderFact(Fact):
    """A fact in a reminder's stream."""

    reminder_id: Id

    @property
    def stream(self) -> str:
        return f"reminder/{self.reminder_id}"


class ReminderSet(ReminderFact):
    type: Literal["reminder_set"] = "reminder_set"
    title: Title
    remind_at: At
    time_zone: ZoneName | None = None
    recurrence: Recurrence | None = None
    task_id: Id | None = None
    meeting_id: Id | None = None
    source: Id | None = None


class ReminderChanged(ReminderFact):
    """A new `remind_at` sets it anew; null means unchanged, `cleared` names the emptied."""

    type: Literal["reminder_changed"] = "reminder_changed"
    title: Title | None = None
    remind_at: At | None = None
    time_zone: ZoneName | None = None
    recurrence: Recurrence | None = None
    task_id: Id | None = None
    meeting_id: Id | None = None
    source: Id | None = None
    cleared: Cleared = ()


class ReminderDue(ReminderFact):
    """It came due; `late` if the clock was not there in time, `next_at` the occurrence after."""

    type: Literal["reminder_due"] = "reminder_due"
    due_at: At
    late: bool = False
    next_at: At | None = None


class ReminderSnoozed(ReminderFact):
    type: Literal["reminder_snoozed"] = "reminder_snoozed"
    until_at: At


class ReminderDismissed(ReminderFact):
    """Answered: it goes on at `next_at`, or is over where there is none."""

    type: Literal["reminder_dismissed"] = "reminder_dismissed"
    next_at: At | None = None


class ReminderCancelled(ReminderFact):
    type: Literal["reminder_cancelled"] = "reminder_cancelled"
    reason: Text | None = None


ReminderFacts = (
    ReminderSet
    | ReminderChanged
    | ReminderDue
    | ReminderSnoozed
    | ReminderDismissed
    | ReminderCancelled
)


class ReminderState(NamedTuple):
    """One reminder as decisions see it; every field is a column of its row."""

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


class ReminderColumns(Protocol):
    """What `consequences` reads: a ReminderState or a row of the Work Index."""

    @property
    def status(self) -> str: ...
    @property
    def remind_at(self) -> datetime: ...
    @property
    def since_at(self) -> datetime | None: ...
    @property
    def next_at(self) -> datetime | None: ...


def evolve(state: ReminderState | None, event: Event) -> ReminderState:
    """The reminder after the event."""
    if isinstance(event.fact, ReminderSet):
        return ReminderState(**set_columns(event.fact))
    assert state is not None, event.fact
    return state._replace(**consequences(state, event))


def set_columns(fact: ReminderSet) -> dict[str, Any]:
    """The shared columns of a fresh reminder."""
    return {
        "reminder_id": fact.reminder_id,
        **{name: plain(getattr(fact, name)) for name in CHANGEABLE},
        "status": "set",
        "since_at": None,
        "next_at": None,
    }


def consequences(reminder: ReminderColumns, event: Event) -> dict[str, Any]:
    """The shared columns that the event changes, with their new values."""
    fact = cast(ReminderFacts, event.fact)
    match fact:
        case ReminderChanged():
            return _changed(reminder, fact)
        case ReminderDue():
            next_at = fact.next_at or _after(fact.due_at, reminder.next_at)
            moved = {} if next_at is None else {"remind_at": next_at}
            return {"status": "due", "since_at": fact.due_at, "next_at": next_at, **moved}
        case ReminderSnoozed():
            return {"status": "snoozed", "remind_at": fact.until_at, "since_at": None}
        case ReminderDismissed(next_at=None):
            return {"status": "dismissed", "since_at": None, "next_at": None}
        case ReminderDismissed(next_at=next_at):
            return {"status": "set", "remind_at": next_at, "since_at": None, "next_at": None}
        case ReminderCancelled():
            return {"status": "cancelled", "since_at": None, "next_at": None}
        case ReminderSet():
            raise AssertionError("it begins the reminder")
        case _:
            assert_never(fact)


def _changed(reminder: ReminderColumns, fact: ReminderChanged) -> dict[str, Any]:
    columns = changed_columns(fact, CHANGEABLE)
    if "remind_at" in columns:
        columns |= {"status": "set", "since_at": None, "next_at": None}
    elif "recurrence" in columns:
        columns["next_at"] = None
        if reminder.since_at is not None:  # the occurrence that waits is the last one known
            columns["remind_at"] = reminder.since_at
    return columns


def _after(instant: datetime, next_at: datetime | None) -> datetime | None:
    return next_at if next_at is not None and next_at > instant else None
