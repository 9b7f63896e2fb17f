"""Tasks in the Work Index: what is open, active, blocked, scheduled or ended, and what waits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal, NamedTuple

from workindex.domain.approval_facts import ApprovalFact
from workindex.domain.changes import replaced
from workindex.domain.facts import Event, Fact, utc
from workindex.domain.task_facts import TaskFact
from workindex.domain.task_state import (
    ENDED,
    consequences,
    created_columns,
)
from workindex.domain.tasks import (
    AttemptRecorded,
    TaskCancelled,
    TaskCompleted,
    TaskCreated,
    TaskDecisionRecorded,
    TaskFailed,
    TaskOutputAttached,
    TaskRemoved,
    TaskReopened,
    TaskStarted,
)
from workindex.projections.table import EVER, FOREVER, NEEDLESS, Need, Table

Pending = Literal["none", "approval", "decision", "input"]
PRECEDENCE: tuple[Pending, ...] = ("approval", "decision", "input")
FILED_KEPT = 200
# The facts that set columns which only readers use; a look-up is faster than a failed match.
TOLD = frozenset(
    {
        TaskStarted,
        TaskCompleted,
        TaskFailed,
        TaskCancelled,
        TaskReopened,
        TaskDecisionRecorded,
        TaskOutputAttached,
        AttemptRecorded,
    }
)


class TaskRow(NamedTuple):
    """One task.

    `requests` maps each open input request to {kind: approval|decision|input, prompt, asked_at,
    expires_at (or null)}; `approvals` maps each open approval that names the task to
    {title, status, expires_at}. Times inside both are UTC ISO text. `revision` is the version
    of the task's stream; `status_since_at` is when it entered its status, `status_unblocked` the
    one it has or would have without blockers (open, active, scheduled). `blocked_outside` says
    that it waits for something that is no task. `decisions`, `outputs` and `attempts` hold the
    newest `FILED_KEPT`; the log holds all.
    """

    task_id: str
    title: str
    description: str | None
    status: str
    status_since_at: datetime
    status_unblocked: str
    family: str | None
    revision: int
    priority: int | None
    labels: list[str]
    assignee: str | None
    parent_id: str | None
    source: str | None
    due_at: datetime | None
    scheduled_at: datetime | None
    phase: str | None
    plan: list[dict[str, Any]]
    decisions: list[dict[str, Any]]
    fields: dict[str, dict[str, Any]]
    outputs: list[dict[str, Any]]
    requests: dict[str, dict[str, Any]]
    approvals: dict[str, dict[str, Any]]
    blocked_by: list[str]
    blocked_reason: str | None
    blocked_outside: bool
    blocks: list[str]
    attempts: list[dict[str, Any]]
    outcome: str | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    updated_at: datetime


def fold_task(row: TaskRow | None, event: Event) -> TaskRow | None:
    """The task's row after the event.

    The columns that decisions read follow `consequences`, which is closed over every fact that
    can touch a task; the others belong to readers and follow `_told`.
    """
    fact = event.fact
    if isinstance(fact, TaskCreated):
        assert row is None, f"{fact.stream} is created twice"
        return _fresh(fact, event)
    if row is None:
        assert isinstance(fact, ApprovalFact), f"{fact.type} without {fact.stream}"
        return None
    if isinstance(fact, TaskRemoved):
        return None
    columns = consequences(row, event)
    if columns.get("status", row.status) != row.status:
        columns["status_since_at"] = event.occurred_at
    if isinstance(fact, TaskFact) and fact.task_id == row.task_id:
        columns["revision"] = event.stream_version
        columns["updated_at"] = event.occurred_at
        if type(fact) in TOLD:
            columns |= _told(row, event)
    return replaced(row, columns)


def _fresh(fact: TaskCreated, event: Event) -> TaskRow:
    return TaskRow(
        **created_columns(fact),
        status_since_at=event.occurred_at,
        revision=event.stream_version,
        decisions=[],
        outputs=[],
        attempts=[],
        outcome=None,
        created_at=event.occurred_at,
        started_at=None,
        ended_at=None,
        updated_at=event.occurred_at,
    )


def _told(row: TaskRow, event: Event) -> dict[str, Any]:
    """The columns that only readers use, for the facts in `TOLD`."""
    match event.fact:
        case TaskStarted():
            return {"started_at": event.occurred_at}
        case TaskCompleted(outcome=outcome):
            return {"outcome": outcome, "ended_at": event.occurred_at}
        case TaskFailed(reason=reason) | TaskCancelled(reason=reason):
            return {"outcome": reason, "ended_at": event.occurred_at}
        case TaskReopened():
            return {"outcome": None, "ended_at": None}
        case TaskDecisionRecorded() as fact:
            return {"decisions": _filed(row.decisions, fact, event)}
        case TaskOutputAttached() as fact:
            return {"outputs": _filed(row.outputs, fact, event)}
        case AttemptRecorded() as fact:
            return {"attempts": _filed(row.attempts, fact, event)}
        case _:
            raise AssertionError(f"{event.fact.type} is not told")


def _filed(entries: list[dict[str, Any]], fact: Fact, event: Event) -> list[dict[str, Any]]:
    """The entries with one more, the newest `FILED_KEPT` of them."""
    entry = fact.model_dump(mode="json", exclude={"type", "schema_version", "task_id"})
    return [*entries, {**entry, "at": utc(event.occurred_at)}][-FILED_KEPT:]


def is_open(row: TaskRow) -> bool:
    """Whether it could need the user: it is not ended and a request or an approval is open."""
    return row.status not in ENDED and bool(row.requests or row.approvals)


class Wait(NamedTuple):
    """One thing that a task waits for from the user: an open request, a requested approval."""

    id: str
    kind: str
    prompt: str | None
    asked_at: datetime | None
    expires_at: datetime | None


def waits_of(row: TaskRow) -> list[Wait]:
    """What the task waits for, expired or not, requests before approvals."""
    waits = [
        Wait(id_, held["kind"], held.get("prompt"), told_at(held, "asked_at"), expiry(held))
        for id_, held in row.requests.items()
    ]
    waits += [
        Wait(id_, "approval", None, None, ends)
        for id_, ends, status in (
            (id_, expiry(held), held["status"]) for id_, held in row.approvals.items()
        )
        if status == "requested"
    ]
    return waits


def pending_of_waits(waits: Iterable[Wait]) -> Pending:
    """Approval before decision before input."""
    kinds = {wait.kind for wait in waits}
    return next((pending for pending in PRECEDENCE if pending in kinds), "none")


def need(row: TaskRow) -> Need:
    """While one of the things that it waits for has not expired.

    `since_at` leaves out when its approvals were requested, which stands in their rows.
    """
    waits = waits_of(row)
    if not waits:
        return NEEDLESS
    pending = pending_of_waits(waits)
    ends = [wait.expires_at or FOREVER for wait in waits]
    dues = [at for at in (*ends, row.due_at) if at is not None and at != FOREVER]
    asked = [wait.asked_at for wait in waits if wait.kind == pending and wait.asked_at is not None]
    since_at = min(asked, default=row.status_since_at)
    return Need(EVER, min(ends), max(ends), min(dues, default=None), since_at)


def expiry(held: Mapping[str, Any]) -> datetime | None:
    """When an open request or approval ends, None where it does not."""
    return told_at(held, "expires_at")


def told_at(held: Mapping[str, Any], name: str) -> datetime | None:
    """An instant out of a row's JSON.

    Raises: ValueError, TypeError where somebody else than a fold wrote there.
    """
    text = held.get(name)
    if text is None:
        return None
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(f"the time {text} has no zone")
    return at


# The clock has nothing to do on a task: readers leave expired requests out by themselves, and an
# approval that expires is due in its own table.
WORK_TASK = Table(
    "work_task",
    kind="task",
    member="work_index",
    row=TaskRow,
    fold=fold_task,
    is_open=is_open,
    need=need,
)

TABLES = (WORK_TASK,)
