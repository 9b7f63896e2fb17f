"""Answers from rows built by hand; NOW is noon UTC on Wednesday, 4 March 2026."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

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
    source,
    task,
)
from workindex.assembler.state_path import NEEDS, StateAnswer, StateQuestion, answer, recognise
from workindex.assembler.state_path.answer import ITEMS_MAX
from workindex.domain.errors import InvalidInput
from workindex.domain.facts import utc
from workindex.projections.proof import Reading

EMPTY = {"en": "Nothing needs you right now.", "zh": "现在没有需要你处理的事。"}
REASONS = (
    "lag",
    "parked",
    "fold_version",
    "rows_missing",
    "source_stale:calendar",
    "source_suspect:mail",
    "source_partial:mail",
    "provider_stale:openai",
    "recurrence:M-1",
    "replica",
    "no_tenant",
    "unknown_user",
    "erased",
    "unavailable",
)


def reading(given: dict[str, list[Any]], **changes: Any) -> Reading:
    """A reading at position 12 that nothing speaks against."""
    whole: dict[str, Any] = {
        "user_id": "ada",
        "position": 12,
        "now": NOW,
        "as_of": NOW,
        "at_position": None,
        "rows": given,
        "reasons": (),
        "live": False,
        "projections": ({"name": "work_index", "generation": 1, "fold_version": 1},),
    }
    return Reading(**(whole | changes))


def ask(
    text: str, *given: Any, tz: str | None = None, locale: str | None = None, **changes: Any
) -> StateAnswer:
    """The answer to a text over the rows."""
    question = recognise(text, locale)
    assert question is not None, text
    return answer(question, reading(rows(*given), **changes), tz=tz, locale=locale)


def asked_for(kind: str) -> dict[str, Any]:
    """One open request of a task."""
    since = utc(at(hours=-20))
    return {"r": {"kind": kind, "prompt": "Which date?", "asked_at": since, "expires_at": None}}


def ids(found: StateAnswer) -> list[str]:
    """The ids of the items in order."""
    return [item.id for item in found.items]


# -- the negative, and what stands in its way


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_nothing_needs_you_is_said_exactly_on_proof(locale: str) -> None:
    """The one negative sentence of kind pending, word for word."""
    found = ask("What needs me?", task("T-1"), approval("A-1", status="granted"), locale=locale)
    assert (found.verdict, found.reasons, found.items, found.total) == ("proven_empty", (), (), 0)
    assert found.text == EMPTY[locale]


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("locale", ["en", "zh"])
@pytest.mark.parametrize("kind", NEEDS)
def test_no_negative_without_proof(kind: Any, locale: str, reason: str) -> None:
    """Each reason alone makes every kind unproven, in words and without a negative."""
    question = StateQuestion(kind)
    found = answer(question, reading(rows(), reasons=(reason,)), locale=locale)
    assert (found.verdict, found.reasons, found.total) == ("unproven", (reason,), 0)
    text = found.text.lower()
    assert "nothing" not in text
    assert not text.startswith(("no ", "没有", "现在没有"))
    assert "could not be confirmed" in text if locale == "en" else "无法确认" in text
    assert reason.partition(":")[2] in found.text


@pytest.mark.parametrize(("locale", "start"), [("en", "At least 1 "), ("zh", "至少有 1 ")])
def test_items_of_an_unproven_answer_begin_with_at_least(locale: str, start: str) -> None:
    """What was seen is told as a lower bound, with what could not be confirmed."""
    given = rows(task("T-1", requests=asked_for("input")))
    question = StateQuestion("pending")
    found = answer(question, reading(given, reasons=("lag",)), locale=locale)
    assert found.verdict == "unproven"
    assert ids(found) == ["T-1"]
    assert found.text.startswith(start)
    assert found.text.endswith(
        "Not confirmed beyond this: the index is behind the log."
        if locale == "en"
        else "除此之外无法确认：索引落后于日志。"
    )


def test_a_late_source_turns_the_negative_off() -> None:
    """A source that covers tasks is required for pending; one that covers credits is not."""
    late = source("calendar", covers=["tasks"], observed_through_at=at(hours=-2))
    other = source("bank", covers=["credits"], observed_through_at=at(hours=-2))
    assert ask("What needs me?", late).reasons == ("source_stale:calendar",)
    assert ask("What needs me?", other).verdict == "proven_empty"


def test_a_reading_that_failed_proves_nothing_and_one_without_rows_is_an_error() -> None:
    """An unreachable database is an answer; a kind that nobody fetched is a programmer's error."""
    question = StateQuestion("pending")
    failed = answer(question, reading({}, reasons=("unavailable",)))
    assert (failed.verdict, failed.total) == ("unproven", 0)
    with pytest.raises(KeyError):
        answer(question, reading({"task": [], "source": [], "user": []}))


@pytest.mark.parametrize("text", ["What needs me?", "my tasks", "meetings today", "有审批吗"])
@pytest.mark.parametrize("given", [(), (task("T-1", due_at=at(hours=1)), approval("A-1"))])
def test_an_earlier_position_is_named_and_is_never_now(text: str, given: tuple[Any, ...]) -> None:
    """The past is told as the past."""
    found = ask(text, *given, at_position=12)
    assert found.text.startswith(("At position 12 ", "在位置 12，"))
    assert "right now" not in found.text
    assert "现在" not in found.text


# -- what is listed


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


def test_approvals_lists_also_those_that_a_task_tells() -> None:
    """Pending shows one item, kind approvals every open approval."""
    named = {"A-1": {"title": "Pay", "status": "requested", "expires_at": utc(at(hours=1))}}
    given = (task("T-1", approvals=named), approval("A-1", task_id="T-1"), approval("A-2"))
    pending = ask("What needs me?", *given)
    assert [(item.kind, item.id) for item in pending.items] == [
        ("approval", "A-2"),
        ("task", "T-1"),
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
    "a past series may meet tomorrow": (at(days=-7), "FREQ=DAILY", "Any meetings tomorrow?", True),
    "a series of later does not": (at(days=3), "FREQ=DAILY", "Any meetings tomorrow?", False),
    "an ended one does not": (
        at(days=-70),
        "FREQ=DAILY;UNTIL=20260101T000000Z",
        "Any meetings tomorrow?",
        False,
    ),
    "it may be on now": (at(days=-7), "FREQ=DAILY", "Am I in a meeting right now?", True),
}


@pytest.mark.parametrize(("start_at", "rule", "text", "doubted"), SERIES.values(), ids=SERIES)
def test_a_series_is_no_negative(start_at: datetime, rule: str, text: str, doubted: bool) -> None:
    """Dates of a rule are not worked out here, so they are never denied."""
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


# -- one thing by its id


def test_an_id_is_exact_whatever_the_state_of_its_row() -> None:
    """Ended things are shown to who names them; an expired request is told as expired."""
    given = (
        task("T-12", "Move", status="blocked", blocked_by=["T-3"], blocked_reason="Keys"),
        task("T-13", status="done"),
        approval("A12", expires_at=NOW),
    )
    assert ask("status of task T-12", *given).text == (
        "Task T-12 “Move”: blocked by T-3: “Keys”; since 2026-03-02 12:00 UTC."
    )
    assert ids(ask("Is task T-13 done?", *given)) == ["T-13"]
    expired = ask("Is approval A12 still pending?", *given)
    assert expired.items[0].value == {"status": "expired"}
    assert "expired before anybody decided" in expired.text


def test_an_unknown_id_is_denied_only_with_proof() -> None:
    """The log is searched whole; without a proof it cannot say no."""
    known = ask("status of task T-9", task("T-1"))
    assert (known.verdict, known.text) == ("proven_empty", "There is no task T-9 in this log.")
    doubted = ask("status of task T-9", reasons=("lag",))
    assert doubted.text == (
        "Whether there is a task T-9 could not be confirmed: the index is behind the log."
    )


# -- form and limits


def test_a_long_list_becomes_counts_and_keeps_its_ids() -> None:
    """More than ten lines help nobody; the structured answer holds every id."""
    given = [task(f"T-{n:02}", requests=asked_for("input")) for n in range(8)]
    given += [approval(f"A-{n}") for n in range(3)]  # type: ignore[misc]
    found = ask("What needs me?", *given)
    assert found.text == "11 things need you: 8 tasks and 3 approvals."
    assert (len(found.items), found.total, found.truncated) == (11, 11, False)


def test_the_total_is_exact_where_the_items_are_cut() -> None:
    """Items are bounded; the count is not."""
    given = [task(f"T-{n:05}", requests=asked_for("input")) for n in range(ITEMS_MAX + 1)]
    found = ask("What needs me?", *given)
    assert (len(found.items), found.total, found.truncated) == (ITEMS_MAX, ITEMS_MAX + 1, True)


def test_a_number_asked_for_is_given_as_a_number() -> None:
    """How many: the headline alone."""
    assert ask("How many approvals are waiting?", approval("A-1")).text == "1 approval is waiting."


def test_titles_cannot_break_out_of_their_line() -> None:
    """Titles are data: one line, invisible signs written out, marks that do not close, bounded."""
    evil = "Pay”: ok\n- Task T-2 “\u202egnihtoN\x07" + "x" * 500
    found = ask("What needs me?", approval("A-1", evil))
    (line,) = found.text.splitlines()[1:]
    assert line.startswith("- Approval A-1 “Pay’: ok - Task T-2 \u2018\\u202egnihtoN\\u0007xxx")
    assert line.count("“") == line.count("”") == 1
    assert len(line) < 300
    assert found.items[0].title == evil


def test_the_document_has_the_shape_of_the_contract() -> None:
    """Field names in their order, JSON values only, zero tokens."""
    found = ask("What needs me?", approval("A-1", "Pay rent"))
    document = found.to_json()
    assert list(document) == [
        "kind",
        "filters",
        "verdict",
        "reasons",
        "text",
        "items",
        "total",
        "truncated",
        "certificate",
        "tokens",
    ]
    assert document["items"] == [
        {
            "kind": "approval",
            "id": "A-1",
            "title": "Pay rent",
            "why": "waits for your approval",
            "since_at": "2026-03-04T11:00:00+00:00",
            "due_at": "2026-03-04T13:00:00+00:00",
            "value": {"status": "requested"},
        }
    ]
    assert document["tokens"] == 0
    assert document["certificate"]["valid_until"] == "2026-03-04T13:00:00+00:00"
    assert orjson.loads(orjson.dumps(document)) == document


VALID_UNTIL = {
    "What needs me?": at(minutes=30),
    "Which tasks are overdue?": at(hours=3),
    "What tasks are due today?": at(hours=12),
    "any approvals?": at(minutes=40),
    "my reminders": at(minutes=30),
    "my meetings": at(hours=2),
    "meetings today": at(hours=2),
    "credits left?": at(minutes=50, microseconds=1),
    "any suggestions for me?": at(minutes=50),
}


@pytest.mark.parametrize(("text", "until"), VALID_UNTIL.items())
def test_the_certificate_ends_when_time_alone_may_change_the_answer(
    text: str, until: datetime
) -> None:
    """Expiry, reminder, start, midnight or age, whichever comes first for the kind."""
    found = ask(
        text,
        task("T-1", due_at=at(hours=3)),
        approval("A-1", expires_at=at(minutes=40)),
        reminder("R-1", remind_at=at(minutes=30)),
        meeting("M-1"),
        credit("main", "1"),
        proposal("P-1", expires_at=at(minutes=50)),
    )
    assert found.certificate["valid_until"] == utc(until)


def test_an_unknown_zone_or_locale_is_refused() -> None:
    """A wrong option is an error and never another day or language."""
    with pytest.raises(InvalidInput, match="Mars/Base"):
        ask("meetings today", tz="Mars/Base")
    with pytest.raises(InvalidInput, match="'fr'"):
        answer(StateQuestion("pending"), reading(rows()), locale="fr")
