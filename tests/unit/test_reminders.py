"""Reminders: when each comes due, and what answers it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from pydantic import ValidationError

from driver import NOW, Driver, at
from workindex.domain.facts import EVERY_ACTOR, ActorKind, Command
from workindex.domain.recurrence import Recurrence
from workindex.domain.reminders import (
    REMINDERS,
    CancelReminder,
    ChangeReminder,
    DismissReminder,
    MarkReminderDue,
    ReminderDismissed,
    ReminderDue,
    ReminderSnoozed,
    SetReminder,
    SnoozeReminder,
)
from workindex.projections.needs import is_due
from workindex.projections.reminders import TABLES, due_at, is_open

NINE, TEN, ELEVEN = at("09:00"), at("10:00"), at("11:00")
NEXT_DAY, DAY_AFTER = at("2026-03-03 10:00"), at("2026-03-04 10:00")
DAILY = Recurrence(rrule="FREQ=DAILY")
ONCE = SetReminder(reminder_id="R", title="call", remind_at=TEN)
EVERY_DAY = SetReminder(reminder_id="R", title="call", remind_at=TEN, recurrence=DAILY)
ON_ONE: tuple[Command, ...] = (
    ChangeReminder(reminder_id="R", title="write"),
    MarkReminderDue(reminder_id="R", due_at=TEN),
    SnoozeReminder(reminder_id="R", until_at=NEXT_DAY),
    DismissReminder(reminder_id="R"),
    CancelReminder(reminder_id="R"),
)


def named(command: object) -> str:
    return type(command).__name__


@pytest.fixture
def driver() -> Driver:
    return Driver([REMINDERS], TABLES)


def fire(driver: Driver, now: datetime, **fields: Any) -> list[Any]:
    return driver.do(MarkReminderDue(reminder_id="R", **fields), by="scheduler", now=now)


def state(driver: Driver) -> tuple[str, datetime, datetime | None]:
    row = driver.row("reminder/R")
    return row.status, row.remind_at, row.since_at


@pytest.mark.parametrize("command", ON_ONE, ids=named)
def test_a_reminder_that_is_not_there_takes_no_command(driver: Driver, command: Command) -> None:
    """Nothing is set by accident."""
    assert driver.refusal(command, by="scheduler") == "unknown_reminder"


@pytest.mark.parametrize("ending", [DismissReminder, CancelReminder], ids=lambda c: c.__name__)
@pytest.mark.parametrize("command", ON_ONE, ids=named)
def test_an_ended_reminder_takes_no_command(
    driver: Driver, ending: type[Command], command: Command
) -> None:
    """Dismissed and cancelled are ends, and the clock leaves ended ones alone."""
    driver.given(ONCE, ending.model_validate({"reminder_id": "R"}))
    assert driver.refusal(command, by="scheduler", now=ELEVEN) == "reminder_ended"
    row = driver.row("reminder/R")
    assert (is_open(row), due_at(row), row.ended_at) == (False, None, NOW)


@pytest.mark.parametrize("kind", sorted(EVERY_ACTOR))
@pytest.mark.parametrize("command", ON_ONE, ids=named)
def test_who_may_do_what(driver: Driver, kind: ActorKind, command: Command) -> None:
    """Only the clock, an operator and an import say that a reminder came due."""
    driver.given(ONCE)
    is_clock = kind in ("scheduler", "operator", "import")
    if isinstance(command, MarkReminderDue) and not is_clock:
        assert driver.refusal(command, by=kind, now=TEN) == "not_permitted"
    else:
        assert len(driver.do(command, by=kind, now=TEN)) == 1


def test_moving_moves_the_one_there_is(driver: Driver) -> None:
    """Setting it again is refused; a moved one is set anew, even when it was due."""
    driver.given(ONCE)
    assert driver.refusal(ONCE) == "reminder_exists"
    fire(driver, TEN)
    assert state(driver) == ("due", TEN, TEN)
    driver.do(ChangeReminder(reminder_id="R", remind_at=ELEVEN))
    assert state(driver) == ("set", ELEVEN, None)
    assert len(driver.rows) == 1
    assert driver.do(ChangeReminder(reminder_id="R", remind_at=ELEVEN)) == []
    assert driver.refusal(ChangeReminder(reminder_id="R", remind_at=None)) == "field_required"


def test_an_occurrence_comes_due_once(driver: Driver) -> None:
    """A double firing is one fact; a firing before a moved time is none; too early is refused."""
    driver.given(ONCE)
    assert driver.refusal(MarkReminderDue(reminder_id="R"), by="scheduler") == "not_due_yet"
    assert fire(driver, ELEVEN, due_at=TEN, late=True) == [
        ReminderDue(reminder_id="R", due_at=TEN, late=True)
    ]
    assert fire(driver, ELEVEN, due_at=TEN) == []
    assert fire(driver, ELEVEN) == []
    driver.do(SnoozeReminder(reminder_id="R", until_at=NEXT_DAY))
    assert fire(driver, ELEVEN, due_at=TEN) == []


def test_the_clock_looks_again_at_the_next_occurrence(driver: Driver) -> None:
    """A due and unanswered recurring reminder waits for its next time too."""
    driver.given(EVERY_DAY)
    assert due_at(driver.row("reminder/R")) == TEN
    fire(driver, TEN, next_at=NEXT_DAY)
    assert state(driver) == ("due", NEXT_DAY, TEN)
    assert due_at(driver.row("reminder/R")) == NEXT_DAY
    assert fire(driver, ELEVEN, due_at=TEN, next_at=NEXT_DAY) == []
    fire(driver, NEXT_DAY)
    assert state(driver) == ("due", NEXT_DAY, NEXT_DAY)
    assert due_at(driver.row("reminder/R")) is None
    assert is_open(driver.row("reminder/R"))


def test_dismissing_goes_on_where_the_next_is_known(driver: Driver) -> None:
    """From the command or from ReminderDue."""
    driver.given(EVERY_DAY)
    fire(driver, TEN, next_at=NEXT_DAY)
    assert driver.do(DismissReminder(reminder_id="R")) == [
        ReminderDismissed(reminder_id="R", next_at=NEXT_DAY)
    ]
    assert state(driver) == ("set", NEXT_DAY, None)
    driver.do(DismissReminder(reminder_id="R", next_at=DAY_AFTER))
    assert state(driver) == ("set", DAY_AFTER, None)


def test_answering_one_occurrence_does_not_end_the_series(driver: Driver) -> None:
    """Where the next is not known the dismissal is refused, whatever came before: it stays due."""
    for before in (
        (),
        (MarkReminderDue(reminder_id="R"),),
        (SnoozeReminder(reminder_id="R", until_at=ELEVEN),),
        (
            MarkReminderDue(reminder_id="R", next_at=NEXT_DAY),
            ChangeReminder(reminder_id="R", recurrence=Recurrence(rrule="FREQ=WEEKLY")),
        ),
    ):
        fresh = Driver([REMINDERS], TABLES)
        fresh.do(EVERY_DAY)
        for command in before:
            fresh.do(command, by="scheduler", now=TEN)
        assert fresh.refusal(DismissReminder(reminder_id="R"), now=ELEVEN) == "next_unknown"
        assert is_due(fresh.row("reminder/R"), ELEVEN)
        assert fresh.do(DismissReminder(reminder_id="R", next_at=DAY_AFTER), now=ELEVEN)
        assert not is_due(fresh.row("reminder/R"), NEXT_DAY)
        assert is_due(fresh.row("reminder/R"), DAY_AFTER)
        over = DismissReminder(reminder_id="R", is_last=True)
        both = over.model_copy(update={"next_at": at("2026-03-05 10:00")})
        assert fresh.refusal(both, now=ELEVEN) == "next_after_last"
        assert fresh.do(over, now=ELEVEN)
        assert fresh.row("reminder/R").status == "dismissed"
    driver.do(ONCE)
    driver.do(DismissReminder(reminder_id="R"))
    assert driver.row("reminder/R").status == "dismissed"


def test_a_snooze_keeps_the_next_occurrence(driver: Driver) -> None:
    """Snoozing one occurrence and dismissing it does not end the series."""
    driver.given(EVERY_DAY)
    fire(driver, TEN, next_at=NEXT_DAY)
    snooze = SnoozeReminder(reminder_id="R", until_at=ELEVEN)
    assert driver.do(snooze, now=TEN) == [ReminderSnoozed(reminder_id="R", until_at=ELEVEN)]
    assert driver.do(snooze, now=TEN) == []
    assert state(driver) == ("snoozed", ELEVEN, None)
    fire(driver, ELEVEN)
    assert state(driver) == ("due", NEXT_DAY, ELEVEN)
    driver.do(DismissReminder(reminder_id="R"))
    assert state(driver) == ("set", NEXT_DAY, None)


def test_times_to_come_lie_ahead(driver: Driver) -> None:
    """A snooze until now is none; a next occurrence follows the one before and needs a rule."""
    driver.given(ONCE)
    for until in (NINE, at("08:00")):
        late = SnoozeReminder(reminder_id="R", until_at=until)
        assert driver.refusal(late, now=NINE) == "not_in_future"
    again = DismissReminder(reminder_id="R", next_at=NEXT_DAY)
    assert driver.refusal(again) == "not_recurring"
    driver.do(ChangeReminder(reminder_id="R", recurrence=DAILY))
    assert driver.refusal(again, now=NEXT_DAY) == "not_in_future"
    due = MarkReminderDue(reminder_id="R", next_at=TEN)
    assert driver.refusal(due, by="scheduler", now=TEN) == "not_in_future"
    assert len(driver.do(again)) == 1


def test_a_rule_that_goes_takes_the_next_occurrence_along(driver: Driver) -> None:
    """The occurrence that waits is then the last one."""
    driver.given(EVERY_DAY)
    fire(driver, TEN, next_at=NEXT_DAY)
    driver.do(ChangeReminder(reminder_id="R", recurrence=None))
    assert state(driver) == ("due", TEN, TEN)
    assert due_at(driver.row("reminder/R")) is None
    driver.do(DismissReminder(reminder_id="R"))
    assert driver.row("reminder/R").status == "dismissed"


@pytest.mark.parametrize(
    "fields",
    [
        {"time_zone": "Mars/Olympus"},
        {"recurrence": {"rrule": "every day"}},
        {"recurrence": {"rrule": "FREQ=OFTEN"}},
        {"recurrence": {"rrule": "BYDAY=MO"}},
        {"remind_at": "2026-03-02T10:00:00"},
    ],
)
def test_malformed_reminders(fields: dict[str, Any]) -> None:
    """Zones exist, rules have a frequency, times have a zone."""
    with pytest.raises(ValidationError):
        SetReminder.model_validate({"title": "t", "remind_at": TEN, **fields})
