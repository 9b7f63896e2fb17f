"""What decisions know of a task, and how each event changes it.

`consequences` is the one place that says so for the columns that the state shares with the row
of the Work Index: `evolve` and the projection's fold both apply it. Status is derived in a fixed
order: an ended task stays ended; else it is blocked while anything blocks it; else it is what it
would be without blockers (`status_unblocked`).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple, Protocol, assert_never, cast

from workindex.domain.approval_facts import (
    STATUS_AFTER,
    ApprovalFact,
    ApprovalGranted,
    ApprovalRequested,
    ExecutionOutcomeUnknown,
    ExecutionStarted,
    PolicyDecided,
)
from workindex.domain.changes import changed_columns, plain, replaced
from workindex.domain.errors import CommandRefused
from workindex.domain.facts import Event, World, utc
from workindex.domain.task_facts import (
    AttemptRecorded,
    TaskBlocked,
    TaskCancelled,
    TaskChanged,
    TaskCompleted,
    TaskCreated,
    TaskDecisionRecorded,
    TaskFacts,
    TaskFailed,
    TaskFieldSet,
    TaskInputGiven,
    TaskInputRequested,
    TaskInputWithdrawn,
    TaskOutputAttached,
    TaskPhaseEntered,
    TaskPlanSet,
    TaskRemoved,
    TaskReopened,
    TaskScheduled,
    TaskStarted,
    TaskUnblocked,
)

ENDED = frozenset({"done", "failed", "cancelled"})
HELD_MAX = 2_000
CHANGEABLE = (
    "title",
    "description",
    "family",
    "priority",
    "labels",
    "assignee",
    "parent_id",
    "due_at",
    "source",
)
FIELD_PARTS = {"value", "state", "source_message_id", "allowed_values", "required"}


class TaskState(NamedTuple):
    """One task as decisions see it; every field is a column of the row with the same meaning."""

    task_id: str
    title: str
    description: str | None
    status: str
    status_unblocked: str
    family: str | None
    priority: int | None
    labels: list[str]
    assignee: str | None
    parent_id: str | None
    source: str | None
    due_at: datetime | None
    scheduled_at: datetime | None
    phase: str | None
    plan: list[dict[str, Any]]
    fields: dict[str, dict[str, Any]]
    requests: dict[str, dict[str, Any]]
    approvals: dict[str, dict[str, Any]]
    blocked_by: list[str]
    blocked_reason: str | None
    blocked_outside: bool
    blocks: list[str]

    @property
    def is_ended(self) -> bool:
        return self.status in ENDED


class TaskColumns(Protocol):
    """What `consequences` reads: a TaskState or a row of the Work Index."""

    @property
    def task_id(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def status_unblocked(self) -> str: ...
    @property
    def fields(self) -> dict[str, dict[str, Any]]: ...
    @property
    def requests(self) -> dict[str, dict[str, Any]]: ...
    @property
    def approvals(self) -> dict[str, dict[str, Any]]: ...
    @property
    def blocked_by(self) -> list[str]: ...
    @property
    def blocked_reason(self) -> str | None: ...
    @property
    def blocked_outside(self) -> bool: ...
    @property
    def blocks(self) -> list[str]: ...


def evolve(state: TaskState | None, event: Event) -> TaskState | None:
    """The task after the event, None once it is removed."""
    match event.fact:
        case TaskCreated() as fact:
            return TaskState(**created_columns(fact))
        case TaskRemoved():
            return None
    if state is None:
        assert isinstance(event.fact, ApprovalFact), event.fact
        return None
    return replaced(state, consequences(state, event))


def existing(world: World, task_id: str) -> TaskState:
    """The task. Raises: CommandRefused (unknown_task)."""
    task = world.get(f"task/{task_id}", TaskState)
    if task is None:
        raise CommandRefused(
            "unknown_task",
            f"there is no task {task_id}: create it first, or look the id up in the index",
            field="task_id",
        )
    return task


def unended(world: World, task_id: str) -> TaskState:
    """The task, which still can be worked on. Raises: CommandRefused (task_ended)."""
    task = existing(world, task_id)
    if task.is_ended:
        raise CommandRefused(
            "task_ended",
            f"task {task_id} is {task.status}: give reopen_task first if it shall go on",
            field="task_id",
        )
    return task


def refuse_more(task: TaskState, held: int, what: str, field: str) -> None:
    """Keep what hangs on one task so few that one append can always end the task.

    Raises: CommandRefused (too_many).
    """
    if held > HELD_MAX:
        raise CommandRefused(
            "too_many",
            f"task {task.task_id} would have {held} {what} and {HELD_MAX} is the limit: settle "
            f"some of them first",
            field=field,
        )


def created_columns(fact: TaskCreated) -> dict[str, Any]:
    """The shared columns of a fresh task."""
    return {
        "task_id": fact.task_id,
        "title": fact.title,
        "description": fact.description,
        "family": fact.family,
        "priority": fact.priority,
        "labels": list(fact.labels),
        "assignee": fact.assignee,
        "parent_id": fact.parent_id,
        "due_at": fact.due_at,
        "source": fact.source,
        "status": "open",
        "status_unblocked": "open",
        "scheduled_at": None,
        "phase": None,
        "plan": [],
        "fields": plain(fact.fields),
        "requests": {},
        "approvals": {},
        "blocked_by": [],
        "blocked_reason": None,
        "blocked_outside": False,
        "blocks": [],
    }


def consequences(task: TaskColumns, event: Event) -> dict[str, Any]:
    """The shared columns that the event changes, with their new values."""
    if isinstance(event.fact, ApprovalFact):
        return {"approvals": _approvals(task.approvals, event.fact)}
    fact = cast(TaskFacts, event.fact)
    match fact:  # the most frequent first
        case TaskPhaseEntered():
            if fact.assignee is None:
                return {"phase": fact.phase}
            return {"phase": fact.phase, "assignee": fact.assignee}
        case TaskStarted():
            return _resting(task, "active")
        case TaskCompleted():
            return _ended("done")
        case TaskChanged():
            return changed_columns(fact, CHANGEABLE)
        case TaskUnblocked():
            return _unblocked(task, fact)
        case TaskBlocked():
            return _blocked(task, fact)
        case TaskInputRequested():
            return {"requests": {**task.requests, fact.request_id: _request(fact, event)}}
        case TaskInputGiven() | TaskInputWithdrawn():
            return {"requests": without(task.requests, fact.request_id)}
        case TaskPlanSet():
            return {"plan": plain(fact.steps)}
        case TaskFieldSet():
            field = fact.model_dump(mode="json", include=FIELD_PARTS)
            return {"fields": {**task.fields, fact.name: field}}
        case TaskScheduled():
            return {"scheduled_at": fact.scheduled_at, **_resting(task, "scheduled")}
        case TaskReopened():
            return {"scheduled_at": None, **_resting(task, "open")}
        case TaskFailed():
            return _ended("failed")
        case TaskCancelled():
            return _ended("cancelled")
        case TaskDecisionRecorded() | TaskOutputAttached() | AttemptRecorded():
            return {}
        case TaskCreated() | TaskRemoved():
            raise AssertionError("these begin and end the task")
        case _:
            assert_never(fact)


def without(entries: dict[str, dict[str, Any]], key: str) -> dict[str, dict[str, Any]]:
    """The map without one entry, which need not be there."""
    return {name: entry for name, entry in entries.items() if name != key}


def _approvals(
    approvals: dict[str, dict[str, Any]], fact: ApprovalFact
) -> dict[str, dict[str, Any]]:
    """The open approvals that name the task; each leaves with its ending.

    One that the map does not hold was opened for an earlier task of the same id.
    """
    approval_id = fact.approval_id
    match fact:
        case ApprovalRequested():
            shown = {"title": fact.title, "status": "requested", "expires_at": utc(fact.expires_at)}
            return {**approvals, approval_id: shown}
        case PolicyDecided():
            return approvals
        case ApprovalGranted() | ExecutionStarted() | ExecutionOutcomeUnknown():
            if approval_id not in approvals:
                return approvals
            shown = {**approvals[approval_id], "status": STATUS_AFTER[type(fact)]}
            return {**approvals, approval_id: shown}
        case _:
            return without(approvals, approval_id)


def _request(fact: TaskInputRequested, event: Event) -> dict[str, Any]:
    return {
        "kind": fact.kind,
        "prompt": fact.prompt,
        "asked_at": utc(event.occurred_at),
        "expires_at": fact.expires_at and utc(fact.expires_at),
    }


def _resting(task: TaskColumns, status: str) -> dict[str, Any]:
    is_blocked = task.blocked_by or task.blocked_outside
    return {"status_unblocked": status, "status": "blocked" if is_blocked else status}


def _blocked(task: TaskColumns, fact: TaskBlocked) -> dict[str, Any]:
    if fact.task_id != task.task_id:
        return {"blocks": _added(task.blocks, [fact.task_id])}
    return {
        "status": task.status if task.status in ENDED else "blocked",
        "blocked_by": _added(task.blocked_by, fact.blocked_by),
        "blocked_reason": task.blocked_reason if fact.reason is None else fact.reason,
        "blocked_outside": task.blocked_outside or not fact.blocked_by,
    }


def _unblocked(task: TaskColumns, fact: TaskUnblocked) -> dict[str, Any]:
    if fact.task_id != task.task_id:
        return {"blocks": [dependent for dependent in task.blocks if dependent != fact.task_id]}
    blocked_by = [blocker for blocker in task.blocked_by if blocker not in fact.blocked_by]
    outside = task.blocked_outside and not fact.outside
    still = bool(blocked_by) or outside
    return {
        "status": task.status if still or task.status in ENDED else task.status_unblocked,
        "blocked_by": blocked_by,
        "blocked_reason": task.blocked_reason if still else None,
        "blocked_outside": outside,
    }


def _ended(status: str) -> dict[str, Any]:
    """Open requests go with the end, and so does a wait for something outside."""
    return {"status": status, "requests": {}, "blocked_reason": None, "blocked_outside": False}


def _added(held: list[str], more: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([*held, *more]))
