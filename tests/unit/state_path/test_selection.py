"""What each kind of question lists, by hand; NOW is noon UTC on Wednesday, 4 March 2026."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from asking import ask, asked_for, ids, reading
from index_rows import (
    NOW,
    approval,
    at,
    commitment,
    connection,
    credit,
    meeting,
    proposal,
    reminder,
    routine,
    rows,
    settings,
    task,
)
from workindex.assembler.state_path import StateQuestion, answer
from workindex.domain.facts import utc


def test_pending_lists_every_kind_of_waiting_most_urgent_first() -> None:
    """Each line: what, title, why, since when, until when."""
    found = ask(
        "What needs me?",
        task("T-1", "Sign the lease", due_at=at(hours=5), requests=asked_for("decision")),
        task("T-2", "Old", status="done", requests=asked_for("decision")),
        approval("A-1", "Pay rent"),
        approval("A-2", "Wire", status="executing", deadline_at=at(hours=-1), task_id="T-9"),
        reminder("R-1", "Call Bob", remind_at=at(minutes=-5)),
        proposal("P-1", "Book a table", body="For two, at eight"),
    )
    assert found.text.splitlines() == [
        "5 things need you:",
        "- Approval A-2 “Wire”: was started, but no result came by its deadline (task T-9); "
        "since today 11:00 UTC; deadline today 11:00 UTC",
        "- Reminder R-1 “Call Bob”: is due; since today 11:55 UTC",
        "- Approval A-1 “Pay rent”: waits for your approval; since today 11:00 UTC; "
        "expires today 13:00 UTC",
        "- Task T-1 “Sign the lease”: waits for your decision: “Which date?”; "
        "since yesterday 16:00 UTC; due today 17:00 UTC",
        "- Proposal P-1 “Book a table”: waits for your answer: “For two, at eight”; "
        "since today 09:00 UTC",
    ]


WAITING = (
    task("T-1", requests=asked_for("decision"), due_at=at(hours=5)),
    approval("A-1", expires_at=at(days=1)),
    proposal("P-1"),
    reminder("R-1", remind_at=at(hours=2)),
    reminder("R-2", remind_at=at(days=1)),
    reminder("R-3", remind_at=at(hours=-1)),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What needs me?", ["R-3", "T-1", "A-1", "P-1"]),
        ("What needs me today?", ["R-3", "R-1", "T-1", "A-1", "P-1"]),
        ("What needs me this week?", ["R-3", "R-1", "T-1", "A-1", "R-2", "P-1"]),
        ("What needs me tomorrow?", ["A-1", "R-2"]),
        ("What needs me on 2026-03-05?", ["A-1", "R-2"]),
        ("What overdue things need me?", ["R-3"]),
        ("What needs me next?", ["R-3"]),
        ("Does T-1 need me?", ["T-1"]),
        ("Does R-2 need me?", []),
        ("Any approvals due today?", []),
        ("Any approvals today?", ["A-1"]),
        ("Any approvals due tomorrow?", ["A-1"]),
        ("Which reminders are scheduled?", ["R-1", "R-2"]),
    ],
)
def test_times_of_what_waits(text: str, expected: list[str]) -> None:
    """Today lists all that waits now and what comes later; another day what is due on it."""
    assert ids(ask(text, *WAITING)) == expected


def test_what_a_day_leaves_out_is_counted() -> None:
    """Nobody takes "nothing is due tomorrow" for "nothing waits"."""
    assert ask("What needs me tomorrow?", *WAITING[:1]).text == (
        "Nothing that needs you is due tomorrow. Beside these: 1 waiting."
    )


def test_approvals_lists_also_those_that_a_task_tells() -> None:
    """Pending shows one item, kind approvals every open approval."""
    named = {"A-1": {"title": "Pay", "status": "requested", "expires_at": utc(at(hours=1))}}
    given = (task("T-1", approvals=named), approval("A-1", task_id="T-1"), approval("A-2"))
    pending = ask("What needs me?", *given)
    assert [(item.kind, item.id) for item in pending.items] == [
        ("task", "T-1"),
        ("approval", "A-2"),
    ]
    assert "(A-1)" in pending.text
    assert ids(ask("any approvals waiting?", *given)) == ["A-1", "A-2"]


def test_tasks_are_never_padded_with_ended_ones() -> None:
    """Done is shown only to who asks for it."""
    given = [task(f"D-{n}", status="done") for n in range(300)]
    given.append(task("T-old", status_since_at=at(days=-90), requests=asked_for("input")))
    assert ids(ask("What are my tasks?", *given)) == ["T-old"]
    assert ids(ask("What needs me?", *given)) == ["T-old"]
    assert ask("Which tasks are done?", *given).total == 300


TASK_FILTERS = {
    "Which tasks are blocked?": ["T-blocked"],
    "Which tasks are active?": ["T-active"],
    "Are any of my tasks overdue?": ["T-overdue"],
    "What tasks are due today?": ["T-overdue", "T-today"],
    "Which tasks are due tomorrow?": ["T-tomorrow"],
    "tasks due this week": ["T-overdue", "T-today", "T-tomorrow", "T-sunday"],
    "Which tasks are due on 2026-03-08?": ["T-sunday"],
    "What's my next task?": ["T-today"],
    "show cancelled tasks": ["T-cancelled"],
    "show task T-today": ["T-today"],
}


@pytest.mark.parametrize(("text", "expected"), TASK_FILTERS.items())
def test_task_filters(text: str, expected: list[str]) -> None:
    """Status, day and id select exactly; every other task stays out."""
    given = (
        task("T-plain"),
        task("T-blocked", status="blocked"),
        task("T-active", status="active"),
        task("T-cancelled", status="cancelled", due_at=at(hours=1)),
        task("T-overdue", due_at=at(hours=-1)),
        task("T-today", due_at=at(hours=2)),
        task("T-tomorrow", scheduled_at=at(days=1)),
        task("T-sunday", due_at=at(days=4)),
        task("T-monday", due_at=at(days=5)),
    )
    if text == "show task T-today":  # ids hold a digit in text; here the filter itself is tried
        question = StateQuestion("tasks", (("id", "T-today"),))
        assert ids(answer(question, reading(rows(*given)))) == expected
        return
    assert sorted(ids(ask(text, *given))) == sorted(expected)


def test_the_status_open_is_exact_and_says_what_stands_beside_it() -> None:
    """Many people say "open" for whatever has not ended: the others are counted."""
    given = (task("T-1"), task("T-2", status="active"), task("T-3", status="blocked"))
    assert ids(ask("open tasks", *given)) == ["T-1"]
    assert ask("open tasks", *given[1:]).text == (
        "No tasks are open. Beside these: 1 active and 1 blocked."
    )
    assert ask("open tasks").text == "No tasks are open."


MEETING_FILTERS = {
    "Do I have any meetings?": ["M-now", "M-later", "M-night", "M-tomorrow"],
    "Do I have any meetings today?": ["M-early", "M-now", "M-later", "M-night"],
    "Do I have meetings tomorrow?": ["M-night", "M-tomorrow"],
    "What's my next meeting?": ["M-later"],
    "Am I in a meeting right now?": ["M-now"],
    "Which meetings are cancelled?": ["M-off"],
    "Do I have any meetings on 2026-03-05?": ["M-night", "M-tomorrow"],
    "What meetings do I have this week?": ["M-early", "M-now", "M-later", "M-night", "M-tomorrow"],
}


@pytest.mark.parametrize(("text", "expected"), MEETING_FILTERS.items())
def test_meeting_filters(text: str, expected: list[str]) -> None:
    """A day is shown whole, a meeting over midnight on both; else what is over is left out."""
    given = (
        meeting("M-early", start_at=at(hours=-4)),
        meeting("M-now", start_at=at(minutes=-30)),
        meeting("M-off", start_at=at(hours=1), status="cancelled"),
        meeting("M-later", start_at=at(hours=2)),
        meeting("M-night", start_at=at(hours=11, minutes=30)),
        meeting("M-tomorrow", start_at=at(days=1)),
    )
    assert ids(ask(text, *given)) == expected


def test_days_are_the_users() -> None:
    """23:30 UTC is today in UTC and tomorrow in Berlin; the option goes before the setting."""
    night = meeting("M-1", start_at=datetime(2026, 3, 4, 23, 30, tzinfo=UTC))
    berlin = settings(time_zone="Europe/Berlin")
    assert ids(ask("meetings today", night)) == ["M-1"]
    assert ids(ask("meetings today", night, berlin)) == []
    assert ids(ask("meetings tomorrow", night, berlin)) == ["M-1"]
    assert ids(ask("meetings today", night, berlin, tz="UTC")) == ["M-1"]
    assert ask("meetings tomorrow", night, berlin).text.splitlines()[1] == (
        "- M-1 “Meeting M-1”: tomorrow 00:30–01:30"
    )


def test_a_day_may_have_23_hours() -> None:
    """The night of summer time: 29 March 2026 ends in Berlin 23 hours after it began."""
    last = meeting("M-1", start_at=datetime(2026, 3, 29, 21, 59, tzinfo=UTC))
    after = meeting("M-2", start_at=datetime(2026, 3, 29, 22, 0, tzinfo=UTC))
    found = ask("any meetings on 2026-03-29", last, after, tz="Europe/Berlin")
    assert ids(found) == ["M-1"]


REMINDER_FILTERS = {
    "Do I have any reminders?": ["R-due", "R-soon", "R-tomorrow"],
    "Which reminders are due?": ["R-due"],
    "Any reminders today?": ["R-due", "R-soon"],
    "Do I have any reminders tomorrow?": ["R-tomorrow"],
    "What's my next reminder?": ["R-soon"],
}


@pytest.mark.parametrize(("text", "expected"), REMINDER_FILTERS.items())
def test_reminder_filters(text: str, expected: list[str]) -> None:
    """Live reminders by their time; one that still waits belongs to today."""
    given = (
        reminder("R-due", remind_at=at(days=-1)),
        reminder("R-soon", remind_at=at(hours=1)),
        reminder("R-tomorrow", remind_at=at(days=1)),
        reminder("R-gone", status="dismissed", remind_at=at(hours=1)),
    )
    assert ids(ask(text, *given)) == expected


SERIES = {
    "a past series may meet tomorrow": (
        at(days=-7),
        "RSCALE=HEBREW;FREQ=DAILY",
        "Any meetings tomorrow?",
        True,
    ),
    "a series of later does not": (
        at(days=3),
        "RSCALE=HEBREW;FREQ=DAILY",
        "Any meetings tomorrow?",
        False,
    ),
    "an ended one does not": (
        at(days=-70),
        "RSCALE=HEBREW;FREQ=DAILY;UNTIL=20260101T000000Z",
        "Any meetings tomorrow?",
        False,
    ),
    "it may be on now": (
        at(days=-7),
        "RSCALE=HEBREW;FREQ=DAILY",
        "Am I in a meeting right now?",
        True,
    ),
}


@pytest.mark.parametrize(("start_at", "rule", "text", "doubted"), SERIES.values(), ids=SERIES)
def test_a_series_is_no_negative(start_at: datetime, rule: str, text: str, doubted: bool) -> None:
    """Dates of a rule that nobody here works out are never denied."""
    found = ask(text, meeting("M-1", start_at=start_at, recurrence={"rrule": rule}))
    assert found.reasons == (("recurrence:M-1",) if doubted else ())
    assert found.verdict == ("unproven" if doubted else "proven_empty")


def test_connections_and_credits_carry_their_age() -> None:
    """Fresh and stale state says "as of"; stale state is not proved."""
    fresh = ask("How many credits do I have left?", credit("main", "12.50", provider="openai"))
    assert fresh.text.splitlines()[1] == ("- main “openai main”: 12.50 USD, as of today 11:50 UTC")
    assert fresh.items[0].value == {"amount": 12.5, "unit": "USD"}
    stale = ask("credits left?", credit("main", "12", observed_at=at(hours=-3)))
    assert stale.verdict == "unproven"
    assert stale.reasons == ("provider_stale:main",)
    assert stale.text.startswith("At least 1 credit balance is known:")
    assert "12 USD, as of today 09:00 UTC (older than 1 hour)" in stale.text


def test_another_providers_age_does_not_matter() -> None:
    """The question about github rests on github alone; a family name finds its services."""
    given = (connection("github"), connection("google_calendar", observed_at=at(hours=-3)))
    assert ask("Is GitHub connected?", *given).verdict == "items"
    assert ask("Is Google connected?", *given).reasons == ("provider_stale:google_calendar:me",)
    none = ask("Is Slack connected?", *given)
    assert (none.verdict, none.text) == ("proven_empty", "No connections to slack are known.")


def test_proposals_and_routines_are_asked_for_apart() -> None:
    """Both are kind proactive; the certificate says which one was meant."""
    given = (proposal("P-1"), proposal("P-2", expires_at=NOW), routine("RT-1"))
    assert ids(ask("any suggestions for me?", *given)) == ["P-1"]
    routines = ask("What routines do I have?", *given)
    assert ids(routines) == ["RT-1"]
    assert routines.certificate["subject"] == "routine"
    paused = (routine("RT-1", status="paused"), routine("RT-2"))
    assert ids(ask("Which routines are active?", *paused)) == ["RT-2"]


@pytest.mark.parametrize("status", ["waiting", "expired"])
def test_a_proposal_past_its_time_expired(status: str) -> None:
    """Whether the clock has said so or not, it reads the same, and is asked of nobody."""
    past = proposal("P-1", "Book a table", status=status, expires_at=at(hours=-1))
    found = ask("What is the status of proposal P-1?", past)
    assert found.text == (
        "Proposal P-1 “Book a table”: expired without an answer; since today 11:00 UTC."
    )
    assert [item.value for item in found.items] == [{"status": "expired"}]
    assert ask("any suggestions for me?", past).verdict == "proven_empty"
    assert ask("What needs me?", past).verdict == "proven_empty"


def test_meetings_count_their_open_commitments() -> None:
    """A commitment is told with its meeting."""
    given = (
        meeting("M-1", location="Room 1"),
        commitment("C-1", "M-1"),
        commitment("C-2", "M-1", status="kept"),
    )
    assert ask("my next meeting", *given).text.endswith(
        "today 14:00–15:00 UTC, at “Room 1”, 1 open commitment"
    )
