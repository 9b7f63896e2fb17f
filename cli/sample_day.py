"""One day of one user's agent, written for the demo: what happened, and what was asked when.

Everything is plain data for the public API. Times are those of Ada's wall clock in Berlin.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

ZONE = "Europe/Berlin"
DAY = datetime(2026, 3, 17, tzinfo=ZoneInfo(ZONE))
# Stands where a person grants exactly what was shown: the hash of that approval's action.
SHOWN_HASH = "the hash that was shown"

AGENT, ADA, CLOCK = ("agent", "planner"), ("user", "ada"), ("scheduler", "clock")
CALENDAR, MAIL, BANK = ("import", "calendar"), ("import", "mail"), ("provider", "bank")


class Happening(NamedTuple):
    """Somebody gives a command at an instant."""

    at: datetime
    who: tuple[str, str]
    command: dict[str, Any]


class Question(NamedTuple):
    """Somebody asks at an instant; `note` says what to look at."""

    at: datetime
    text: str
    note: str


def at(clock: str, days: int = 0) -> datetime:
    """`14:30` on the day, or that many days later."""
    hour, minute = map(int, clock.split(":"))
    return (DAY + timedelta(days=days)).replace(hour=hour, minute=minute)


def when(clock: str, days: int = 0) -> str:
    """The same as ISO text, for commands."""
    return at(clock, days).isoformat()


def _do(clock: str, who: tuple[str, str], command: str, **given: Any) -> Happening:
    return Happening(at(clock), who, {"type": command, **given})


def _seen(clock: str, who: tuple[str, str], covers: list[str], fresh_seconds: int) -> Happening:
    return _do(
        clock,
        who,
        "observe_source",
        source=who[1],
        covers=covers,
        fresh_seconds=fresh_seconds,
        observed_through=when(clock),
    )


MORNING: tuple[Happening, ...] = (
    _do("07:00", ADA, "set_preferences", time_zone=ZONE, locale="en"),
    _seen("07:00", MAIL, ["pending", "tasks"], 86_400),
    _seen("07:00", CALENDAR, ["meetings"], 21_600),
    _do(
        "07:01",
        CALENDAR,
        "schedule_meeting",
        meeting_id="M-1",
        title="Stand-up",
        start_at=when("09:00"),
        end_at=when("09:15"),
        source="calendar",
    ),
    _do(
        "07:01",
        CALENDAR,
        "schedule_meeting",
        meeting_id="M-2",
        title="Budget review",
        start_at=when("14:00"),
        end_at=when("15:00"),
        location="Room Elbe",
        participants=["Ada", "Tomas", "Wei"],
        source="calendar",
    ),
    _do(
        "07:02",
        AGENT,
        "create_task",
        task_id="T-1",
        title="Pay the deposit for the venue",
        due_at=when("18:00"),
    ),
    _do(
        "07:02",
        AGENT,
        "create_task",
        task_id="T-2",
        title="Send out the invitations",
        blocked_by=["T-1"],
    ),
    _do(
        "07:03",
        AGENT,
        "create_task",
        task_id="T-3",
        title="Write the quarterly report",
        due_at=when("12:00", 2),
    ),
    _do(
        "07:04",
        ADA,
        "set_reminder",
        reminder_id="R-1",
        title="Call the dentist",
        remind_at=when("09:30"),
        time_zone=ZONE,
    ),
    _do(
        "07:04",
        ADA,
        "set_reminder",
        reminder_id="R-2",
        title="Water the plants",
        remind_at=when("08:00", 1),
        time_zone=ZONE,
    ),
    _do(
        "07:05",
        ADA,
        "define_routine",
        routine_id="fares",
        title="Watch fares to Oslo",
        next_at=when("09:00"),
        cooldown_seconds=43_200,
    ),
    _do(
        "08:40",
        AGENT,
        "request_approval",
        approval_id="A-1",
        task_id="T-1",
        title="Pay 1,200 EUR to Hafen Hall",
        tool="bank.transfer",
        arguments={"amount": "1200.00", "currency": "EUR", "reference": "Deposit 17 March"},
        target="Hafen Hall",
        account="business",
        expires_at=when("16:00"),
    ),
    _do(
        "08:45",
        AGENT,
        "request_approval",
        approval_id="A-2",
        title="Mail the draft to the board",
        tool="mail.send",
        arguments={"to": ["board@example.org"], "subject": "Draft of the quarterly report"},
        target="board@example.org",
        expires_at=when("12:00"),
    ),
    _do("08:50", AGENT, "start_task", task_id="T-3"),
    _do(
        "08:50",
        AGENT,
        "request_task_input",
        task_id="T-3",
        request_id="which-year",
        kind="decision",
        prompt="Compare with last year or plan?",
    ),
    _do("09:00", CALENDAR, "start_meeting", meeting_id="M-1"),
    _do(
        "09:00",
        CLOCK,
        "observe_trigger",
        routine_id="fares",
        trigger_id="fares-1",
        summary="Oslo for 118 EUR, 40 EUR less",
        next_at=when("09:00", 1),
    ),
    _do(
        "09:01",
        AGENT,
        "make_proposal",
        routine_id="fares",
        trigger_id="fares-1",
        proposal_id="P-1",
        title="Book Oslo for 118 EUR",
        expires_at=when("21:00"),
    ),
    _do("09:16", CALENDAR, "end_meeting", meeting_id="M-1"),
    _do("09:30", CLOCK, "mark_reminder_due", reminder_id="R-1"),
)

NOON: tuple[Happening, ...] = (
    _do("09:50", ADA, "grant_approval", approval_id="A-1", action_hash=SHOWN_HASH),
    _do(
        "09:51",
        AGENT,
        "start_execution",
        approval_id="A-1",
        execution_id="X-1",
        action_hash=SHOWN_HASH,
        deadline_at=when("09:56"),
        policy={"decision": "allow", "policy_id": "payments-below-2000"},
    ),
    _do(
        "09:52",
        BANK,
        "succeed_execution",
        approval_id="A-1",
        execution_id="X-1",
        result={"transfer": "TR-88121"},
    ),
    _do("09:52", AGENT, "complete_task", task_id="T-1", outcome="Deposit paid, TR-88121"),
    _do(
        "09:55",
        ADA,
        "give_task_input",
        task_id="T-3",
        request_id="which-year",
        answer="With the plan",
    ),
    _do(
        "10:05",
        AGENT,
        "request_approval",
        approval_id="A-3",
        title="Cancel the Orion subscription",
        tool="subscriptions.cancel",
        arguments={"subscription": "orion-team"},
        target="Orion",
        expires_at=when("20:00"),
    ),
    _seen("12:00", CALENDAR, ["meetings"], 21_600),
    _do("12:00", CLOCK, "expire_approval", approval_id="A-2"),
)

EVENING: tuple[Happening, ...] = (
    _do("14:00", CALENDAR, "start_meeting", meeting_id="M-2"),
    _do("15:05", CALENDAR, "end_meeting", meeting_id="M-2"),
    _do("17:10", ADA, "dismiss_reminder", reminder_id="R-1"),
    _do("17:11", ADA, "deny_approval", approval_id="A-3", reason="We still use it"),
    _do("17:12", ADA, "answer_proposal", proposal_id="P-1", routine_id="fares", answer="declined"),
    _do("17:30", AGENT, "start_task", task_id="T-2"),
)

# What happened, and what was asked after it.
PARTS: tuple[tuple[tuple[Happening, ...], tuple[Question, ...]], ...] = (
    (
        MORNING,
        (
            Question(at("09:40"), "What needs me?", "five ways of waiting, one list"),
            Question(at("09:40"), "现在有什么需要我处理的？", "the same rows, in Chinese"),
            Question(at("09:40"), "What is blocked?", "T-2 waits for another task"),
        ),
    ),
    (
        NOON,
        (
            Question(at("12:10"), "Which approvals are waiting?", "A-2 expired at noon"),
            Question(at("12:10"), "What meetings do I have today?", "the calendar is fresh"),
        ),
    ),
    (
        EVENING,
        (
            Question(at("18:30"), "Does anything need me?", "proved empty, not just not found"),
            Question(
                at("18:30"),
                "What meetings do I have tomorrow?",
                "seen at noon: it cannot say none",
            ),
        ),
    ),
)
