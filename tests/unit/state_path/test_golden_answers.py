"""Answers as people read them: every kind in every situation and two languages.

The files in tests/golden/answers/ were read line by line before they were committed. After a
wanted change of words run this file with WORKINDEX_GOLDEN=write and read the difference.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

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
from workindex.assembler.state_path import NEEDS, StateQuestion, answer
from workindex.domain.facts import QuestionKind, utc
from workindex.projections.proof import Reading

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "answers"
BERLIN = settings(time_zone="Europe/Berlin")


class Case(NamedTuple):
    """One kind of question with rows for one and for many items."""

    question: StateQuestion
    one: tuple[Any, ...]
    many: tuple[Any, ...]


def asked(kind: str, prompt: str) -> dict[str, Any]:
    """One open request of a task, an hour old, without an expiry."""
    since = utc(at(hours=-1))
    return {"r": {"kind": kind, "prompt": prompt, "asked_at": since, "expires_at": None}}


LEASE = task(
    "T-1", "Sign the lease", due_at=at(hours=5), requests=asked("decision", "Which start date?")
)
TASKS = (
    task("T-2", "Move in", status="blocked", blocked_by=["T-1"], blocked_reason="No keys yet"),
    task("T-3", "Find a plumber", status="active", due_at=at(days=-1)),
    task("T-4", "Old lamp", status="done"),
)
LONG = tuple(
    task(f"T-{n}", f"Box {n}", requests=asked("input", "Where to?")) for n in range(20, 30)
)
WEEK = (
    LEASE,
    approval("A-1", "Pay rent", expires_at=at(hours=1)),
    approval("A-3", "Sell bike", expires_at=at(days=1)),
    reminder("R-1", "Call Bob", status="due", since_at=at(minutes=-30)),
    reminder("R-2", "Water plants", remind_at=at(hours=4)),
    reminder("R-3", "Stretch", remind_at=at(days=1, hours=2)),
    proposal("P-1", "Book the mover", expires_at=at(days=3)),
)
CASES = {
    "pending": Case(
        StateQuestion("pending"),
        (LEASE,),
        (
            LEASE,
            *TASKS,
            approval("A-1", "Pay rent", expires_at=at(hours=1)),
            approval("A-2", "Wire deposit", status="outcome_unknown", task_id="T-1"),
            reminder("R-1", "Call Bob", status="due", since_at=at(minutes=-30)),
            proposal("P-1", "Book the mover", body="Saturday is free", expires_at=at(days=3)),
        ),
    ),
    "pending_long": Case(
        StateQuestion("pending"), (approval("A-1", "Pay rent"),), (*LONG, approval("A-1"))
    ),
    "pending_today": Case(StateQuestion("pending", (("when", "today"),)), (LEASE,), WEEK),
    "pending_tomorrow": Case(StateQuestion("pending", (("when", "tomorrow"),)), (LEASE,), WEEK),
    "pending_overdue": Case(
        StateQuestion("pending", (("when", "overdue"),)),
        (reminder("R-1", "Call Bob", status="due", since_at=at(minutes=-30)),),
        WEEK,
    ),
    "pending_next": Case(StateQuestion("pending", (("when", "next"),)), (LEASE,), WEEK),
    "pending_by_id": Case(StateQuestion("pending", (("id", "T-1"),)), (LEASE,), WEEK),
    "approvals_due_tomorrow": Case(
        StateQuestion("approvals", (("when", "tomorrow"),), subject="due"),
        (approval("A-3", "Sell bike", expires_at=at(days=1)),),
        WEEK,
    ),
    "tasks": Case(StateQuestion("tasks"), (LEASE,), (LEASE, *TASKS)),
    "tasks_blocked_today": Case(
        StateQuestion("tasks", (("status", "blocked"), ("when", "today"))),
        (task("T-2", "Move in", status="blocked", due_at=at(hours=3)),),
        (
            task("T-2", "Move in", status="blocked", due_at=at(hours=3)),
            task("T-5", "Unpack", status="blocked", due_at=at(hours=4), blocked_by=["T-2", "T-3"]),
        ),
    ),
    "task_by_id": Case(StateQuestion("tasks", (("id", "T-1"),)), (LEASE,), (LEASE, *TASKS)),
    "approvals": Case(
        StateQuestion("approvals"),
        (approval("A-1", "Pay rent"),),
        (
            approval("A-1", "Pay rent"),
            approval("A-2", "Wire deposit", status="executing", deadline_at=at(minutes=-5)),
            approval("A-3", "Cancel gym", status="outcome_unknown", task_id="T-1"),
            approval("A-4", "Sell bike", status="denied"),
        ),
    ),
    "reminders": Case(
        StateQuestion("reminders"),
        (reminder("R-1", "Call Bob"),),
        (
            reminder("R-1", "Call Bob"),
            reminder("R-2", "Water plants", remind_at=at(days=-1)),
            reminder("R-3", "Stretch", status="snoozed", remind_at=at(minutes=20)),
        ),
    ),
    "meetings_today": Case(
        StateQuestion("meetings", (("when", "today"),)),
        (meeting("M-1", "Flat viewing", location="Main St 1"),),
        (
            meeting("M-1", "Flat viewing", location="Main St 1"),
            meeting("M-2", "Stand-up", start_at=at(hours=-3), status="ended"),
            meeting("M-3", "Budget", start_at=at(minutes=-30), status="started"),
            meeting("M-4", "Off", start_at=at(hours=3), status="cancelled"),
            commitment("C-1", "M-3"),
        ),
    ),
    "meetings_next": Case(
        StateQuestion("meetings", (("when", "next"),)),
        (meeting("M-1", "Flat viewing"),),
        (meeting("M-1", "Flat viewing"), meeting("M-5", "Call", end_at=None)),
    ),
    "credits": Case(
        StateQuestion("credits"),
        (credit("main", "12.50", provider="openai"),),
        (credit("main", "12.50", provider="openai"), credit("team", "300", unit="credits")),
    ),
    "connections": Case(
        StateQuestion("connections"),
        (connection("github"),),
        (
            connection("github"),
            connection("gmail", "ada", status="expired", detail="Sign in again"),
        ),
    ),
    "proposals_tomorrow": Case(
        StateQuestion("proactive", (("when", "tomorrow"),), subject="proposal"),
        (proposal("P-2", "Buy tape", expires_at=at(days=1)),),
        (proposal("P-1", "Book the mover"), proposal("P-2", "Buy tape", expires_at=at(days=1))),
    ),
    "reminders_scheduled": Case(
        StateQuestion("reminders", (("status", "scheduled"),)),
        (reminder("R-2", "Water plants", remind_at=at(hours=4)),),
        WEEK,
    ),
    "proactive": Case(
        StateQuestion("proactive", subject="proposal"),
        (proposal("P-1", "Book the mover"),),
        (proposal("P-1", "Book the mover"), proposal("P-2", "Buy tape", expires_at=at(days=1))),
    ),
    "routines": Case(
        StateQuestion("proactive", subject="routine"),
        (routine("RT-1", "Check fares", next_at=at(days=1)),),
        (
            routine("RT-1", "Check fares", next_at=at(days=1)),
            routine("RT-2", "Weekly review", status="paused"),
        ),
    ),
}

# Of each sort a question for a list that is too long to be told, and one for the number alone.
EACH: dict[str, tuple[StateQuestion, Callable[[int], Any]]] = {
    "tasks": (StateQuestion("tasks"), lambda n: task(f"T-{n:02}", f"Box {n}")),
    "approvals": (StateQuestion("approvals"), lambda n: approval(f"A-{n:02}", f"Bill {n}")),
    "reminders": (StateQuestion("reminders"), lambda n: reminder(f"R-{n:02}", f"Call {n}")),
    "meetings": (
        StateQuestion("meetings", (("when", "today"),)),
        lambda n: meeting(f"M-{n:02}", f"Talk {n}"),
    ),
    "credits": (StateQuestion("credits"), lambda n: credit(f"account-{n:02}", f"{n}.50")),
    "connections": (StateQuestion("connections"), lambda n: connection("github", f"user-{n:02}")),
    "proactive": (
        StateQuestion("proactive", subject="proposal"),
        lambda n: proposal(f"P-{n:02}", f"Offer {n}"),
    ),
    "routines": (
        StateQuestion("proactive", subject="routine"),
        lambda n: routine(f"RT-{n:02}", f"Check {n}", next_at=at(days=1)),
    ),
}
for _name, (_question, _make) in EACH.items():
    _rows = tuple(map(_make, range(1, 13)))
    CASES[f"{_name}_long"] = Case(_question, _rows[:1], _rows)
    CASES[f"{_name}_count"] = Case(_question._replace(form="count"), _rows[:1], _rows)
CASES["pending_count"] = Case(StateQuestion("pending", form="count"), (LEASE,), WEEK)
_kind: QuestionKind
for _kind, _id, _rows in (
    ("approvals", "A-1", (approval("A-1", "Pay rent"),)),
    ("reminders", "R-1", (reminder("R-1", "Call Bob"),)),
    ("meetings", "M-1", (meeting("M-1", "Flat viewing", location="Main St 1"),)),
):
    CASES[f"{_kind}_by_id"] = Case(StateQuestion(_kind, (("id", _id),)), _rows, (*_rows, *WEEK[2:]))
for _kind, _rows in (
    ("credits", (credit("main", "12.50", provider="openai"), credit("team", "300"))),
    ("connections", (connection("openai"), connection("gmail", "ada", status="expired"))),
):
    CASES[f"{_kind}_of_provider"] = Case(
        StateQuestion(_kind, (("provider", "openai"),)), _rows[:1], _rows
    )


def texts(case: Case, locale: str) -> dict[str, str]:
    """The answers of one case."""
    covers = ["pending", "tasks", "approvals", "reminders", "meetings", "credits", "connections"]
    late = source("calendar", covers=[*covers, "proactive"], observed_through_at=at(hours=-2))
    old = [
        row._replace(observed_at=at(hours=-3)) if hasattr(row, "ttl_seconds") else row
        for row in case.one
    ]
    return {
        "empty": told(case, locale, BERLIN),
        "one": told(case, locale, *case.one, BERLIN),
        "many": told(case, locale, *case.many, BERLIN),
        "unproven, empty": told(case, locale, BERLIN, reasons=("lag", "parked")),
        "unproven, many": told(case, locale, *case.many, BERLIN, reasons=("rows_missing",)),
        "stale": told(case, locale, *old, late, BERLIN),
        "stale, empty": told(case, locale, late, BERLIN),
        "at position 12, empty": told(case, locale, BERLIN, at_position=12),
        "at position 12, many": told(case, locale, *case.many, BERLIN, at_position=12),
        "at position 12, unproven": told(
            case, locale, BERLIN, at_position=12, reasons=("unknown_user",)
        ),
        "zone unknown": told(case, locale, *case.one),
    }


def told(case: Case, locale: str, *given: Any, **changes: Any) -> str:
    """Verdict and text of one answer."""
    whole: dict[str, Any] = {
        "user_id": "ada",
        "position": 12,
        "now": NOW,
        "as_of": NOW,
        "at_position": None,
        "rows": rows(*given),
        "reasons": (),
        "live": False,
        "projections": (),
    }
    found = answer(case.question, Reading(**(whole | changes)), locale=locale)
    return f"[{found.verdict}]\n{found.text}"


@pytest.mark.parametrize("locale", ["en", "zh"])
@pytest.mark.parametrize("name", CASES)
def test_answers_read_as_they_were_read(name: str, locale: str) -> None:
    """No word of an answer changes unnoticed."""
    told_now = texts(CASES[name], locale)
    page = "\n\n".join(f"# {situation}\n{text}" for situation, text in told_now.items()) + "\n"
    path = GOLDEN / f"{name}.{locale}.txt"
    if os.environ.get("WORKINDEX_GOLDEN") == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, "utf-8")
    assert path.read_text("utf-8") == page


def test_every_kind_has_its_pages() -> None:
    """A new kind of question comes with answers that somebody has read; no page is left over."""
    assert {case.question.kind for case in CASES.values()} == set(NEEDS)
    pages = {f"{name}.{locale}.txt" for name in CASES for locale in ("en", "zh")}
    assert {path.name for path in GOLDEN.iterdir()} == pages
