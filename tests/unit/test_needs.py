"""What needs the user, by values worked out by hand; NOW is noon UTC on 4 March 2026."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from index_rows import NOW, approval, at, proposal, reminder, rows, task
from workindex.domain.facts import utc
from workindex.projections.needs import Item, Why, changes_at, needs_you, pending_of


def asked(kind: str, *, expires: datetime | None = None, prompt: str = "?", **columns: Any) -> Any:
    """One open request as a task's row holds it."""
    held = {"kind": kind, "prompt": prompt, "asked_at": utc(at(hours=-5)), **columns}
    return held | {"expires_at": None if expires is None else utc(expires)}


def held(status: str = "requested", *, expires: datetime) -> dict[str, str]:
    """One approval as the row of the task that it names holds it."""
    return {"title": "Pay", "status": status, "expires_at": utc(expires)}


JUST_AFTER = at(microseconds=1)

PENDING = {
    "no request": ({}, {}, "none"),
    "input": ({"r": asked("input")}, {}, "input"),
    "decision": ({"r": asked("decision")}, {}, "decision"),
    "approval request": ({"r": asked("approval")}, {}, "approval"),
    "approval over decision": ({"a": asked("decision"), "b": asked("approval")}, {}, "approval"),
    "decision over input": ({"a": asked("input"), "b": asked("decision")}, {}, "decision"),
    "expired exactly now": ({"r": asked("input", expires=NOW)}, {}, "none"),
    "expires a moment later": ({"r": asked("input", expires=JUST_AFTER)}, {}, "input"),
    "an expired approval leaves the input": (
        {"a": asked("approval", expires=NOW), "b": asked("input")},
        {},
        "input",
    ),
    "named by a requested approval": ({}, {"A": held(expires=at(hours=1))}, "approval"),
    "named by one expired exactly now": ({}, {"A": held(expires=NOW)}, "none"),
    "named by a granted one": ({}, {"A": held("granted", expires=at(hours=1))}, "none"),
    "named by an executing one": ({}, {"A": held("executing", expires=at(hours=1))}, "none"),
    "named approval over decision": (
        {"r": asked("decision")},
        {"A": held(expires=at(hours=1))},
        "approval",
    ),
}


@pytest.mark.parametrize(("requests", "approvals", "expected"), PENDING.values(), ids=PENDING)
def test_pending_follows_precedence_and_the_clock(
    requests: dict[str, Any], approvals: dict[str, Any], expected: str
) -> None:
    """Expired requests never count, and approval goes before decision before input."""
    assert pending_of(task("T", requests=requests, approvals=approvals), NOW) == expected


@pytest.mark.parametrize("status", ["open", "active", "blocked", "scheduled"])
def test_every_unended_task_can_be_pending(status: str) -> None:
    """A task waits for the user whatever else it does, until it has ended."""
    assert pending_of(task("T", status=status, requests={"r": asked("input")}), NOW) == "input"


@pytest.mark.parametrize("status", ["done", "failed", "cancelled"])
def test_an_ended_task_is_never_pending(status: str) -> None:
    """Requests left over on an ended task need nobody."""
    ended = task("T", status=status, requests={"r": asked("approval")})
    assert pending_of(ended, NOW) == "none"
    assert needs_you(rows(ended), NOW) == []


BOUNDARIES = {
    "approval, a moment before expiry": (approval("A", expires_at=JUST_AFTER), True),
    "approval, at expiry": (approval("A", expires_at=NOW), False),
    "approval granted": (approval("A", status="granted"), False),
    "approval denied": (approval("A", status="denied"), False),
    "execution, before its deadline": (
        approval("A", status="executing", deadline_at=JUST_AFTER),
        False,
    ),
    "execution, at its deadline": (approval("A", status="executing", deadline_at=NOW), True),
    "execution of unknown outcome": (approval("A", status="outcome_unknown"), True),
    "execution done": (approval("A", status="executed"), False),
    "reminder, a moment before": (reminder("R", remind_at=JUST_AFTER), False),
    "reminder, at its time": (reminder("R", remind_at=NOW), True),
    "reminder recorded as due": (reminder("R", status="due", remind_at=at(days=1)), True),
    "reminder snoozed, still asleep": (
        reminder("R", status="snoozed", remind_at=JUST_AFTER),
        False,
    ),
    "reminder snoozed, awake": (reminder("R", status="snoozed", remind_at=NOW), True),
    "reminder dismissed": (reminder("R", status="dismissed", remind_at=NOW), False),
    "reminder cancelled": (reminder("R", status="cancelled", remind_at=NOW), False),
    "proposal without expiry": (proposal("P"), True),
    "proposal, a moment before expiry": (proposal("P", expires_at=JUST_AFTER), True),
    "proposal, at expiry": (proposal("P", expires_at=NOW), False),
    "proposal accepted": (proposal("P", status="accepted"), False),
    "proposal declined": (proposal("P", status="declined"), False),
}


@pytest.mark.parametrize(("row", "needs"), BOUNDARIES.values(), ids=BOUNDARIES)
def test_what_has_reached_its_time_counts_at_that_instant(row: Any, needs: bool) -> None:
    """Expiry at exactly now is expired; a deadline or a reminder at exactly now has come."""
    assert bool(needs_you(rows(row), NOW)) is needs


def test_a_task_item_says_why_since_when_and_until_when() -> None:
    """The oldest request of the pending kind gives reason and since; due is the earliest limit."""
    waiting = task(
        "T-1",
        "Sign the lease",
        status="active",
        due_at=at(days=3),
        requests={
            "late": asked("decision", prompt="Which date?", asked_at=utc(at(hours=-1))),
            "early": asked(
                "decision", prompt="Which flat?", asked_at=utc(at(hours=-9)), expires=at(days=1)
            ),
            "other": asked("input", prompt="Name?", asked_at=utc(at(hours=-20))),
        },
    )
    assert needs_you(rows(waiting), NOW) == [
        Item(
            kind="task",
            id="T-1",
            title="Sign the lease",
            why=Why("decision", "Which flat?", ("late", "early")),
            since_at=at(hours=-9),
            due_at=at(days=1),
            value={"status": "active"},
        )
    ]


def test_an_approval_that_names_a_waiting_task_is_told_by_the_task() -> None:
    """Task and approval are one item, and its why names the approvals."""
    waiting = task(
        "T-1",
        approvals={"A-1": held(expires=at(hours=1)), "A-2": held(expires=at(hours=2))},
    )
    given = rows(
        waiting,
        approval("A-1", task_id="T-1", requested_at=at(hours=-4)),
        approval("A-2", task_id="T-1", expires_at=at(hours=2)),
    )
    (item,) = needs_you(given, NOW)
    assert item.kind == "task"
    assert item.why == Why("approval", None, ("A-1", "A-2"))
    assert item.since_at == at(hours=-4)
    assert item.due_at == at(hours=1)


def test_an_approval_is_its_own_item_where_its_task_does_not_tell_it() -> None:
    """No task, a missing task, an ended one, or one that holds no live approval."""
    given = rows(
        task("T-2", status="done"),
        task("T-3"),
        approval("A-0"),
        approval("A-1", task_id="T-missing"),
        approval("A-2", task_id="T-2"),
        approval("A-3", task_id="T-3"),
    )
    assert [item.id for item in needs_you(given, NOW)] == ["A-0", "A-1", "A-2", "A-3"]


def test_a_request_id_never_hides_an_approval_of_the_same_id() -> None:
    """Ids of requests and of approvals are names of different things."""
    given = rows(task("T-1", requests={"A-1": asked("approval")}), approval("A-1"))
    assert [item.kind for item in needs_you(given, NOW)] == ["approval", "task"]


def test_an_overdue_execution_is_an_item_beside_its_task() -> None:
    """A lost execution is no request, so the task that waits does not tell it."""
    given = rows(
        task("T-1", approvals={"A-2": held(expires=at(hours=1))}),
        approval("A-1", task_id="T-1", status="executing", deadline_at=at(hours=-1)),
        approval("A-2", task_id="T-1"),
    )
    assert [(i.kind, i.why.reason) for i in needs_you(given, NOW)] == [
        ("approval", "approval_executing"),
        ("task", "approval"),
    ]


def test_three_requests_of_one_batch_are_three_items_in_stable_order() -> None:
    """Context case A11: none of several requests of the same instant is lost."""
    given = rows(approval("A-3"), approval("A-1"), approval("A-2"))
    assert [item.id for item in needs_you(given, NOW)] == ["A-1", "A-2", "A-3"]


def test_most_urgent_first() -> None:
    """Overdue, then due soonest, then without a due time by the longest wait, ids last."""
    given = rows(
        task("T-none-new", requests={"r": asked("input", asked_at=utc(at(hours=-1)))}),
        task("T-none-old", requests={"r": asked("input", asked_at=utc(at(hours=-8)))}),
        task("T-soon", due_at=at(minutes=30), requests={"r": asked("input")}),
        task("T-over", due_at=at(days=-1), requests={"r": asked("input")}),
        reminder("R-due", remind_at=at(minutes=-5)),
        approval("A-hour", expires_at=at(hours=1)),
        proposal("P-old", made_at=at(hours=-8)),
    )
    assert [item.id for item in needs_you(given, NOW)] == [
        "T-over",
        "R-due",
        "T-soon",
        "A-hour",
        "P-old",
        "T-none-old",
        "T-none-new",
    ]


def test_the_order_of_the_rows_does_not_matter() -> None:
    """Two readers that fetch in another order show the same list."""
    given = rows(*(approval(f"A-{n}") for n in range(9)), reminder("R", remind_at=NOW))
    turned = {kind: list(reversed(some)) for kind, some in given.items()}
    assert needs_you(given, NOW) == needs_you(turned, NOW)


def test_the_next_change_is_the_earliest_instant_still_ahead() -> None:
    """Expiries, deadlines and reminder times ahead of now; what has passed changes nothing."""
    given = rows(
        task("T-1", requests={"r": asked("input", expires=at(hours=6))}),
        task("T-2", approvals={"A": held(expires=at(hours=5))}),
        task("T-3", status="done", requests={"r": asked("input", expires=at(minutes=1))}),
        approval("A-1", expires_at=at(hours=4)),
        approval("A-2", status="executing", deadline_at=at(hours=3)),
        approval("A-3", status="denied", expires_at=at(minutes=1)),
        reminder("R-1", remind_at=at(hours=2)),
        reminder("R-2", status="dismissed", remind_at=at(minutes=1)),
        proposal("P-1", expires_at=at(hours=7)),
        proposal("P-2", status="accepted", expires_at=at(minutes=1)),
    )
    expected = [2, 3, 4, 5, 6, 7]
    now = NOW
    seen = []
    while (change := changes_at(given, now)) is not None:
        seen.append(change)
        now = change
    assert seen == [at(hours=hours) for hours in expected]


def test_nothing_changes_where_nothing_is_timed() -> None:
    """No row, or rows without times, never change by time alone."""
    assert changes_at(rows(), NOW) is None
    assert changes_at(rows(proposal("P"), task("T", requests={"r": asked("input")})), NOW) is None


def test_a_kind_that_was_not_fetched_is_an_error_and_not_an_empty_list() -> None:
    """A reading without approvals must never read as "no approvals"."""
    incomplete = rows()
    del incomplete["approval"]
    with pytest.raises(KeyError):
        needs_you(incomplete, NOW)
