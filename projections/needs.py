"""What needs the user at one instant: the one definition, computed from rows and a clock.

Needs you = tasks with pending ≠ none + approvals requested and unexpired + executions past their
deadline or of unknown outcome + reminders due and unanswered + proposals awaiting an answer. What
has reached its time (`at <= now`) has expired, is due, is past. No clock, no I/O: rows and `now`
come in. Every kind that is needed must be among the rows, so that a kind nobody fetched is a
KeyError and never reads as "none".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from workindex.domain.tasks import ENDED
from workindex.projections.approvals import ApprovalRow
from workindex.projections.proactive import ProposalRow
from workindex.projections.reminders import ReminderRow
from workindex.projections.tasks import (
    Pending,
    TaskRow,
    Wait,
    expiry,
    pending_of_waits,
    waits_of,
)

Rows = Mapping[str, Sequence[Any]]


class Why(NamedTuple):
    """Why an item is listed, for a renderer to put into words.

    `reason` is a machine token; `text` are words of the row itself (a prompt, a cause); `refs`
    are the ids that the reason names, in the order of the row.
    """

    reason: str
    text: str | None = None
    refs: tuple[str, ...] = ()


class Item(NamedTuple):
    """One thing in an answer.

    `kind` is task, approval, reminder, proposal, meeting, commitment, credits, connection,
    routine or trigger. `due_at` is the first instant by which the user should act. `waits_from`
    orders items that are due alike where that is not `since_at`: a database that orders rows
    knows of one row alone.
    """

    kind: str
    id: str
    title: str
    why: Why
    since_at: datetime | None
    due_at: datetime | None
    value: dict[str, Any] | None
    waits_from: datetime | None = None


def pending_of(task: TaskRow, now: datetime) -> Pending:
    """What the task waits for from the user: approval before decision before input."""
    return pending_of_waits(_waits(task, now))


def needs_you(rows: Rows, now: datetime) -> list[Item]:
    """Everything that needs the user at `now`, most urgent first (see `urgency`).

    `rows` holds at least the open rows of task, approval, reminder and proposal.
    """
    requested = [row for row in rows["approval"] if is_requested(row, now)]
    of_task: dict[str, list[ApprovalRow]] = {}
    for row in requested:
        if row.task_id is not None:
            of_task.setdefault(row.task_id, []).append(row)
    items = []
    told: set[str] = set()
    for task in rows["task"]:
        naming = of_task.get(task.task_id, ())
        item = task_need(task, naming, now)
        if item is not None:
            items.append(item)
            if item.why.reason == "approval":
                told.update(row.approval_id for row in naming)
    items += [approval_item(row) for row in requested if row.approval_id not in told]
    items += [approval_item(row) for row in rows["approval"] if needs_settling(row, now)]
    items += [reminder_item(row) for row in rows["reminder"] if is_due(row, now)]
    items += [proposal_item(row) for row in rows["proposal"] if is_waiting(row, now)]
    return sorted(items, key=urgency)


def changes_at(rows: Rows, now: datetime) -> datetime | None:
    """The earliest instant after `now` at which `needs_you` could change by time alone."""
    return min((at for at in _instants(rows) if at > now), default=None)


def urgency(item: Item) -> tuple[Any, ...]:
    """The order of every list: by due time (overdue first, none last), then the longest waiting.

    Kind and id break ties, so that the order never depends on how rows were read.
    """
    waits_from = item.waits_from or item.since_at
    return (_sortable(item.due_at), _sortable(waits_from), item.kind, item.id)


def task_need(task: TaskRow, approvals: Sequence[ApprovalRow], now: datetime) -> Item | None:
    """The task as an item if it waits for the user; `approvals` are the requested ones naming it.

    An approval row naming a task that waits for an approval is told by the task's `why`.
    """
    waits = _waits(task, now)
    pending = pending_of_waits(waits)
    if pending == "none":
        return None
    counted = [wait for wait in waits if wait.kind == pending]
    refs = tuple(wait.id for wait in counted)
    since = [wait.asked_at for wait in counted if wait.asked_at is not None]
    due = [wait.expires_at for wait in waits if wait.expires_at is not None]
    waits_from = None
    if pending == "approval":
        waits_from = min(since, default=task.status_since_at)
        refs += tuple(row.approval_id for row in approvals if row.approval_id not in refs)
        since += [row.requested_at for row in approvals]
        due += [row.expires_at for row in approvals]
    if task.due_at is not None:
        due.append(task.due_at)
    oldest = min(counted, key=lambda wait: (_sortable(wait.asked_at), wait.id))
    return Item(
        kind="task",
        id=task.task_id,
        title=task.title,
        why=Why(pending, oldest.prompt, refs),
        since_at=min(since, default=task.status_since_at),
        due_at=min(due, default=None),
        value={"status": task.status},
        waits_from=waits_from,
    )


def is_requested(row: ApprovalRow, now: datetime) -> bool:
    """Whether the approval still waits for a person's decision."""
    return row.status == "requested" and row.expires_at > now


def needs_settling(row: ApprovalRow, now: datetime) -> bool:
    """Whether an execution ran past its deadline or ended with an unknown outcome."""
    overdue = row.status == "executing" and row.deadline_at is not None and row.deadline_at <= now
    return overdue or row.status == "outcome_unknown"


def is_due(row: ReminderRow, now: datetime) -> bool:
    """Whether the reminder has come due and nobody answered it, recorded as due or not."""
    return row.status == "due" or (row.status in ("set", "snoozed") and row.remind_at <= now)


def is_waiting(row: ProposalRow, now: datetime) -> bool:
    """Whether the proposal still awaits an answer."""
    return row.status == "waiting" and (row.expires_at is None or row.expires_at > now)


def approval_item(row: ApprovalRow) -> Item:
    """The approval as an item, whatever its status; only an open one has a due time."""
    due = {"requested": row.expires_at, "executing": row.deadline_at, "granted": row.redeem_by}
    return Item(
        kind="approval",
        id=row.approval_id,
        title=row.title,
        why=Why(f"approval_{row.status}", row.reason, (row.task_id,) if row.task_id else ()),
        since_at=row.requested_at if row.status == "requested" else row.status_since_at,
        due_at=row.deadline_at if row.status == "outcome_unknown" else due.get(row.status),
        value={"status": row.status},
    )


def reminder_item(row: ReminderRow) -> Item:
    """A due reminder as an item: it is due since it came due."""
    since = row.since_at or row.remind_at
    return Item(
        kind="reminder",
        id=row.reminder_id,
        title=row.title,
        why=Why("reminder_due"),
        since_at=since,
        due_at=since,
        value={"status": "due"},
    )


def proposal_item(row: ProposalRow) -> Item:
    """A waiting proposal as an item."""
    return Item(
        kind="proposal",
        id=row.proposal_id,
        title=row.title,
        why=Why("proposal_waiting", row.body),
        since_at=row.made_at,
        due_at=row.expires_at,
        value={"status": row.status},
    )


def task_instants(task: TaskRow) -> Iterator[datetime]:
    """When time alone can change what an unended task waits for."""
    if task.status not in ENDED:
        held = (*task.requests.values(), *task.approvals.values())
        yield from (at for one in held if (at := expiry(one)) is not None)


def approval_instants(row: ApprovalRow) -> Iterator[datetime]:
    """When time alone can change whether an approval needs the user."""
    if row.status == "requested":
        yield row.expires_at
    elif row.status == "executing" and row.deadline_at is not None:
        yield row.deadline_at


def _waits(task: TaskRow, now: datetime) -> list[Wait]:
    if task.status in ENDED:
        return []
    return [wait for wait in waits_of(task) if wait.expires_at is None or wait.expires_at > now]


def _instants(rows: Rows) -> Iterator[datetime]:
    for task in rows["task"]:
        yield from task_instants(task)
    for row in rows["approval"]:
        yield from approval_instants(row)
    for row in rows["reminder"]:
        if row.status in ("set", "snoozed"):
            yield row.remind_at
    for row in rows["proposal"]:
        if row.status == "waiting" and row.expires_at is not None:
            yield row.expires_at


def _sortable(at: datetime | None) -> tuple[bool, datetime]:
    return (at is None, at or datetime.max.replace(tzinfo=UTC))
