"""For every sequence of commands: states and rows agree, and what must hold of tasks holds.

That a state and its row agree on their shared columns after each event, and that a row survives
JSON, is checked by the driver at every step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from driver import NOW, Driver
from workindex.domain.approval_commands import DenyApproval, GrantApproval, RequestApproval
from workindex.domain.approvals import APPROVALS
from workindex.domain.errors import CommandRefused
from workindex.domain.facts import ActorKind, Command, Fact
from workindex.domain.meetings import MEETINGS, ScheduleMeeting
from workindex.domain.recurrence import Recurrence
from workindex.domain.reminders import REMINDERS, SetReminder
from workindex.domain.task_facts import PlanStep, TaskField
from workindex.domain.tasks import (
    ENDED,
    TASKS,
    BlockTask,
    CompleteTask,
    CreateTask,
    ReopenTask,
    RequestTaskInput,
    StartTask,
    UnblockTask,
)
from workindex.domain.users import USERS
from workindex.projections import approvals, meetings, reminders, tasks, users
from workindex.projections.tasks import is_open

CONCEPTS = (TASKS, MEETINGS, REMINDERS, APPROVALS, USERS)
TABLES = (
    *tasks.TABLES,
    *meetings.TABLES,
    *reminders.TABLES,
    *approvals.TABLES,
    *users.TABLES,
)
IDS = ("A", "B", "C")
INSTANTS = st.integers(-3, 3).map(lambda hours: NOW + timedelta(hours=hours))
WORDS = st.sampled_from(["x", "y", "naïve 你好"])

# How each field is drawn; a field that is not named here keeps its default.
VALUES: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(
        ("task_id", "meeting_id", "reminder_id", "commitment_id"), st.sampled_from(IDS)
    ),
    "request_id": st.sampled_from(["Q1", "Q2"]),
    "artifact_id": st.sampled_from(["F1", "F2"]),
    **dict.fromkeys(("title", "phase", "prompt", "decision", "text", "notes", "summary"), WORDS),
    "name": st.sampled_from(["size", "colour"]),
    **dict.fromkeys(("value", "answer"), st.sampled_from([None, 1, True, "1", [1, {"a": 2}]])),
    "state": st.sampled_from(["mentioned", "confirmed"]),
    "kind": st.sampled_from(["approval", "decision", "input"]),
    **dict.fromkeys(("expires_at", "due_at", "next_at", "end_at"), st.none() | INSTANTS),
    **dict.fromkeys(("scheduled_at", "start_at", "remind_at", "until_at"), INSTANTS),
    **dict.fromkeys(("reason", "assignee", "location", "parent_id"), st.none() | WORDS),
    "parent_id": st.none() | st.sampled_from(IDS),
    "labels": st.lists(WORDS, max_size=2).map(tuple),
    "steps": st.lists(WORDS.map(lambda word: PlanStep(title=word)), max_size=2).map(tuple),
    "fields": st.dictionaries(st.just("size"), st.builds(TaskField, value=WORDS), max_size=1),
    "outcome": st.sampled_from(["succeeded", "failed"]),
    "status": st.sampled_from(["kept", "broken"]),
    "recurrence": st.none() | st.just(Recurrence(rrule="FREQ=DAILY")),
    "blocked_by": st.lists(st.sampled_from(IDS), max_size=2).map(tuple),
}


def example_of(command: type[Command]) -> st.SearchStrategy[Command]:
    """A command whose fields are drawn as above; optional ones may be left out."""
    required: dict[str, st.SearchStrategy[Any]] = {}
    optional: dict[str, st.SearchStrategy[Any]] = {}
    for name, field in command.model_fields.items():
        if name in VALUES:
            is_needed = field.is_required() or name in command.new_ids
            (required if is_needed else optional)[name] = VALUES[name]
    fields = st.fixed_dictionaries(required, optional=optional)
    return fields.map(lambda values: model_or_none(command, values)).filter(bool)


def model_or_none(command: type[Command], values: dict[str, Any]) -> Any:
    try:
        return command.model_validate(values)
    except ValueError:  # null where a text is wanted: no command, nothing to decide
        return None


REQUESTS = st.builds(
    RequestApproval,
    approval_id=st.sampled_from(["P1", "P2"]),
    title=WORDS,
    task_id=st.sampled_from(IDS),
    tool=st.just("pay"),
    arguments=st.fixed_dictionaries({"amount": st.integers(1, 9)}),
    expires_at=INSTANTS,
)
OPENING = tuple(
    command
    for id_ in IDS
    for command in (
        CreateTask(task_id=id_, title=id_),
        ScheduleMeeting(meeting_id=id_, title=id_, start_at=NOW),
        SetReminder(reminder_id=id_, title=id_, remind_at=NOW),
    )
)
# What moves tasks against each other is drawn more often than the rest.
MOVES = (CreateTask, UnblockTask, StartTask, ReopenTask, CompleteTask, RequestTaskInput)
BLOCKING = st.builds(
    BlockTask,
    task_id=st.sampled_from(IDS),
    blocked_by=st.lists(st.sampled_from(IDS), min_size=1, max_size=2).map(tuple),
)
OWN = (*TASKS.commands, *MEETINGS.commands, *REMINDERS.commands)
PARTS: list[st.SearchStrategy[Command]] = [
    *([BLOCKING] * 10),
    *(example_of(command) for command in MOVES for _ in range(3)),
    *(example_of(command) for command in OWN),
    REQUESTS,
    st.sampled_from(["P1", "P2"]).map(lambda id_: DenyApproval(approval_id=id_)),
    st.sampled_from(["P1", "P2"]).map(
        lambda id_: GrantApproval(approval_id=id_, action_hash="0" * 64)
    ),
]
# By place, because a choice among strategies leaves repeated ones out.
COMMANDS = st.integers(0, len(PARTS) - 1).flatmap(PARTS.__getitem__)
ACTORS = st.sampled_from(["user", "user", "user", "agent", "scheduler"])
STEPS = st.lists(st.tuples(COMMANDS, ACTORS, INSTANTS), min_size=25, max_size=60)


@settings(max_examples=150, deadline=None)
@given(steps=STEPS)
def test_what_must_hold_after_any_commands(steps: list[tuple[Command, Any, Any]]) -> None:
    """Refused or not, the rows stay consistent, and folding the log again gives the same rows."""
    driver = Driver(CONCEPTS, TABLES).given(*OPENING)
    for command, kind, now in steps:
        before = len(driver.log)
        facts = outcome(driver, with_hash(driver, command), kind, now)
        assert len(driver.log) == before + len(facts)
        check_tasks([row for ref, row in driver.rows.items() if ref.startswith("task/")])
    assert folded_again(driver) == driver.rows


def outcome(driver: Driver, command: Command, kind: ActorKind, now: datetime) -> Sequence[Fact]:
    """The facts of a command, or of its refusal."""
    try:
        return driver.do(command, by=kind, now=now)
    except CommandRefused as refusal:
        return refusal.facts


def with_hash(driver: Driver, command: Command) -> Command:
    """A grant names the hash that its approval shows, where there is one."""
    row = driver.row(command.stream)
    if isinstance(command, GrantApproval) and row is not None:
        return command.model_copy(update={"action_hash": row.action_hash})
    return command


def folded_again(driver: Driver) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    tables = {table.kind: table for table in TABLES}
    for event in driver.log:
        for ref in event.fact.touches:
            rows[ref] = tables[ref.split("/", 1)[0]].fold(rows.get(ref), event)
    return {ref: row for ref, row in rows.items() if row is not None}


def check_tasks(rows: Iterable[tasks.TaskRow]) -> None:
    """Status, blockers and requests of all tasks fit together."""
    held = {row.task_id: row for row in rows}
    for row in held.values():
        is_ended = row.status in ENDED
        is_held_up = bool(row.blocked_by) or row.blocked_outside
        assert (row.status == "blocked") == (is_held_up and not is_ended)
        assert row.status in (*ENDED, "blocked", row.status_unblocked)
        assert is_ended == (row.ended_at is not None)
        assert not (is_ended and row.requests)
        assert not (is_ended and is_open(row))
        for blocker in row.blocked_by:
            assert held[blocker].status not in ENDED
            assert row.task_id in held[blocker].blocks
        for dependent in row.blocks:
            assert row.task_id in held[dependent].blocked_by
        assert row.task_id not in behind(held, row.task_id)


def behind(held: dict[str, tasks.TaskRow], task_id: str) -> set[str]:
    """Everything that the task waits for, directly or not."""
    seen: set[str] = set()
    queue = list(held[task_id].blocked_by)
    while queue:
        blocker = queue.pop()
        if blocker not in seen:
            seen.add(blocker)
            queue.extend(held[blocker].blocked_by)
    return seen
