"""Reminders: when each comes due next, and what became of it when it did.

Moving a reminder changes the one there is and never makes a second one. Dismissing answers one
occurrence where the next is known, else it ends the reminder; cancelling always ends it. A task
or meeting that it names need not exist. The facts stand in reminder_facts.py and are named here
again, so that `domain.reminders` is the one place to import them from.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal, assert_never

from workindex.domain.changes import asked_changes, given
from workindex.domain.errors import CommandRefused
from workindex.domain.facts import (
    CLOCK,
    At,
    Command,
    Concept,
    Entity,
    Fact,
    Id,
    Text,
    Title,
    World,
)
from workindex.domain.recurrence import Recurrence
from workindex.domain.reminder_facts import (
    CHANGEABLE,
    ENDED,
    ReminderCancelled,
    ReminderChanged,
    ReminderDismissed,
    ReminderDue,
    ReminderSet,
    ReminderSnoozed,
    ReminderState,
    evolve,
)
from workindex.domain.users import KnownZone

__all__ = [
    "ENDED",
    "REMINDERS",
    "CancelReminder",
    "ChangeReminder",
    "DismissReminder",
    "MarkReminderDue",
    "ReminderCancelled",
    "ReminderChanged",
    "ReminderDismissed",
    "ReminderDue",
    "ReminderSet",
    "ReminderSnoozed",
    "ReminderState",
    "SetReminder",
    "SnoozeReminder",
    "evolve",
]


class ReminderCommand(Command):
    """A command about one reminder that exists."""

    reminder_id: Id

    @property
    def stream(self) -> str:
        return f"reminder/{self.reminder_id}"


class SetReminder(Command):
    type: Literal["set_reminder"] = "set_reminder"
    new_ids: ClassVar[tuple[str, ...]] = ("reminder_id",)
    reminder_id: Id | None = None
    title: Title
    remind_at: At
    time_zone: KnownZone | None = None
    recurrence: Recurrence | None = None
    task_id: Id | None = None
    meeting_id: Id | None = None
    source: Id | None = None

    @property
    def stream(self) -> str:
        return f"reminder/{self.reminder_id}"

    @property
    def is_blind(self) -> bool:
        return True


class ChangeReminder(ReminderCommand):
    type: Literal["change_reminder"] = "change_reminder"
    title: Title | None = None
    remind_at: At | None = None
    time_zone: KnownZone | None = None
    recurrence: Recurrence | None = None
    task_id: Id | None = None
    meeting_id: Id | None = None
    source: Id | None = None


class MarkReminderDue(ReminderCommand):
    """`due_at` is the occurrence that came due, by default the one it is set to."""

    type: Literal["mark_reminder_due"] = "mark_reminder_due"
    allowed_actors: ClassVar[frozenset[str]] = CLOCK
    due_at: At | None = None
    late: bool = False
    next_at: At | None = None


class SnoozeReminder(ReminderCommand):
    type: Literal["snooze_reminder"] = "snooze_reminder"
    until_at: At


class DismissReminder(ReminderCommand):
    """`next_at` is the next occurrence, by default the one that ReminderDue named.

    One that repeats needs either, or the word `is_last`: nobody must lose the occurrences to come
    by answering one of them.
    """

    type: Literal["dismiss_reminder"] = "dismiss_reminder"
    next_at: At | None = None
    is_last: bool = False


class CancelReminder(ReminderCommand):
    type: Literal["cancel_reminder"] = "cancel_reminder"
    reason: Text | None = None


ReminderCommands = (
    SetReminder
    | ChangeReminder
    | MarkReminderDue
    | SnoozeReminder
    | DismissReminder
    | CancelReminder
)


def decide(world: World, command: ReminderCommands, now: datetime) -> list[Fact]:
    """The facts that the command brings about, none where nothing would change."""
    if isinstance(command, SetReminder):
        return _set(world, command)
    reminder = _current(world, command)
    match command:
        case ChangeReminder():
            changes = asked_changes(
                command, reminder, CHANGEABLE, never_empty=("title", "remind_at")
            )
            changed = ReminderChanged(reminder_id=command.reminder_id, **changes)
            return [changed] if changes else []
        case MarkReminderDue():
            return _mark_due(reminder, command, now)
        case SnoozeReminder(until_at=until_at):
            _check_future(command.stream, "until_at", until_at, now)
            if (reminder.status, reminder.remind_at) == ("snoozed", until_at):
                return []
            return [ReminderSnoozed(reminder_id=command.reminder_id, until_at=until_at)]
        case DismissReminder(next_at=next_at):
            if next_at is not None:
                _check_recurring(reminder)
                _check_future(command.stream, "next_at", next_at, now)
            if next_at is not None and command.is_last:
                raise CommandRefused(
                    "next_after_last",
                    f"the last occurrence of reminder {reminder.reminder_id} has none after it: "
                    f"leave out next_at or is_last",
                    field="is_last",
                )
            goes_on = None if command.is_last else next_at or reminder.next_at
            if goes_on is None and reminder.recurrence is not None and not command.is_last:
                raise CommandRefused(
                    "next_unknown",
                    f"reminder {reminder.reminder_id} repeats, and when it comes next is not "
                    f"known: give next_at, or is_last where it does not come again",
                    field="next_at",
                )
            return [ReminderDismissed(reminder_id=command.reminder_id, next_at=goes_on)]
        case CancelReminder():
            cancelled = ReminderCancelled(reminder_id=command.reminder_id, reason=command.reason)
            return [cancelled]
        case _:
            assert_never(command)


def _set(world: World, command: SetReminder) -> list[Fact]:
    assert command.reminder_id is not None, "the runtime fills new ids"
    if world.get(command.stream, ReminderState) is not None:
        raise CommandRefused(
            "reminder_exists",
            f"reminder {command.reminder_id} exists already: move it with change_reminder",
            field="reminder_id",
        )
    return [ReminderSet(reminder_id=command.reminder_id, **given(command, CHANGEABLE))]


def _current(world: World, command: ReminderCommand) -> ReminderState:
    reminder = world.get(command.stream, ReminderState)
    if reminder is None:
        raise CommandRefused(
            "unknown_reminder",
            f"there is no reminder {command.reminder_id}: set it first",
            field="reminder_id",
        )
    if reminder.status in ENDED:
        raise CommandRefused(
            "reminder_ended",
            f"reminder {command.reminder_id} is {reminder.status}: set a new one",
            field="reminder_id",
        )
    return reminder


def _mark_due(reminder: ReminderState, command: MarkReminderDue, now: datetime) -> list[Fact]:
    """An occurrence comes due once; one that was moved away does not come due at all."""
    due_at = command.due_at or reminder.remind_at
    answered_by = reminder.since_at
    is_marked = answered_by is not None and reminder.remind_at <= answered_by
    if is_marked or due_at < reminder.remind_at:
        return []
    if due_at > now:
        raise CommandRefused(
            "not_due_yet",
            f"{command.stream} comes due at {due_at}, now is {now}: wait until then",
            field="due_at",
        )
    if command.next_at is not None:
        _check_recurring(reminder)
        _check_future(command.stream, "next_at", command.next_at, due_at)
    due = ReminderDue(
        reminder_id=reminder.reminder_id,
        due_at=due_at,
        late=command.late,
        next_at=command.next_at,
    )
    return [due]


def _check_recurring(reminder: ReminderState) -> None:
    if reminder.recurrence is None:
        raise CommandRefused(
            "not_recurring",
            f"reminder {reminder.reminder_id} does not repeat, so it has no next_at: "
            f"leave it out, or move the reminder with change_reminder",
            field="next_at",
        )


def _check_future(stream: str, field: str, instant: datetime, after: datetime) -> None:
    if instant <= after:
        raise CommandRefused(
            "not_in_future",
            f"{field} {instant} of {stream} is not after {after}: give a later time",
            field=field,
        )


REMINDERS = Concept(
    "reminders",
    facts=(
        ReminderSet,
        ReminderChanged,
        ReminderDue,
        ReminderSnoozed,
        ReminderDismissed,
        ReminderCancelled,
    ),
    commands=(
        SetReminder,
        ChangeReminder,
        MarkReminderDue,
        SnoozeReminder,
        DismissReminder,
        CancelReminder,
    ),
    entities=(Entity("reminder", ReminderState, evolve),),
    decide=decide,
)
