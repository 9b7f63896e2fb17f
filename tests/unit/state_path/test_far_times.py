"""The earliest and the last times that facts may name: every question has an answer over them."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import product

import pytest

from asking import ask
from index_rows import (
    NOW,
    approval,
    commitment,
    connection,
    credit,
    meeting,
    proposal,
    reminder,
    routine,
    source,
    task,
)

EARLIEST = datetime(1900, 1, 1, tzinfo=UTC)
LAST = datetime(9998, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)
TEN_YEARS_SECONDS = 10 * 366 * 86_400
QUESTIONS = (
    "What needs me?",
    "Which tasks are due this week?",
    "Which tasks are overdue?",
    "Which approvals are waiting?",
    "Which reminders do I have?",
    "What meetings do I have today?",
    "What meetings do I have tomorrow?",
    "Are any of my connections broken?",
    "How many credits do I have?",
    "Which proposals are waiting?",
    "现在有什么需要我处理的吗？",
)
ZONES = ("Pacific/Kiritimati", "Etc/GMT+12", "UTC")


@pytest.mark.parametrize("text", QUESTIONS)
def test_every_question_over_far_times(text: str) -> None:
    """No row and no instant within the limits takes a question its answer."""
    for at, now, tz in product((EARLIEST, LAST), (EARLIEST, NOW, LAST), ZONES):
        given = (
            task("T", due_at=at, status_since_at=at, created_at=at),
            approval("A", expires_at=at, requested_at=at),
            approval("E", status="executing", deadline_at=at),
            reminder("R", remind_at=at),
            proposal("P", expires_at=at, made_at=at),
            meeting("M", start_at=at, end_at=at),
            commitment("C", "M", due_at=at),
            routine("O", next_at=at),
            connection("mail", observed_at=at, ttl_seconds=TEN_YEARS_SECONDS),
            credit("mail:me", "1", observed_at=at, ttl_seconds=TEN_YEARS_SECONDS),
            source("mail", observed_through_at=at, fresh_seconds=TEN_YEARS_SECONDS),
        )
        answer = ask(text, *given, tz=tz, now=now)
        assert answer.text
        assert answer.to_json()["certificate"]["as_of"]


def test_a_source_that_saw_the_end_of_time() -> None:
    """Seen 10 years of seconds before the last instant there is, it is fresh ever after."""
    seen = source("mail", observed_through_at=LAST, fresh_seconds=TEN_YEARS_SECONDS)
    assert ask("What needs me?", seen).reasons == ("source_suspect:mail",)
    late = ask("What needs me?", seen, now=LAST)
    assert (late.verdict, late.reasons) == ("proven_empty", ())
    assert late.certificate["valid_until"] == "9999-12-31T23:59:59.999999+00:00"


def test_a_source_that_saw_the_beginning_of_time() -> None:
    """1 January 1900 and an hour: fresh at one o'clock, late a microsecond after it."""
    seen = source("mail", observed_through_at=EARLIEST, fresh_seconds=3600)
    at_one = EARLIEST.replace(hour=1)
    assert ask("What needs me?", seen, now=at_one).verdict == "proven_empty"
    assert ask("What needs me?", seen, now=at_one.replace(microsecond=1)).reasons == (
        "source_stale:mail",
    )
