"""What holds a task up and what ends it, with the effects on other tasks and on approvals.

An end (done, failed, cancelled, removed) unblocks the tasks that waited for it in the same
batch. Cancelling and removing moot requested and granted approvals, never an executing one;
completing and failing leave approvals to the people who decide them. Reopening blocks nobody
again. Who blocks a task outlives its end, so that a reopened task is still held up.
"""

from __future__ import annotations

from workindex.domain.approval_facts import ApprovalMooted
from workindex.domain.errors import CommandRefused
from workindex.domain.facts import Fact, World
from workindex.domain.task_commands import (
    BlockTask,
    CancelTask,
    CompleteTask,
    FailTask,
    RemoveTask,
    ReopenTask,
    UnblockTask,
    linked,
)
from workindex.domain.task_facts import (
    TaskBlocked,
    TaskCancelled,
    TaskCompleted,
    TaskFailed,
    TaskRemoved,
    TaskReopened,
    TaskUnblocked,
)
from workindex.domain.task_state import TaskState, existing, refuse_more, unended

MOOTABLE = frozenset({"requested", "granted"})


def block(world: World, command: BlockTask) -> list[Fact]:
    """Adds blockers or a wait for something outside."""
    if not command.blocked_by:
        return _block_outside(unended(world, command.task_id), command.reason)
    task = existing(world, command.task_id)
    new = tuple(b for b in dict.fromkeys(command.blocked_by) if b not in task.blocked_by)
    check_blockers(world, task.task_id, new)
    refuse_more(task, len(task.blocked_by) + len(new), "blockers", "blocked_by")
    same_reason = command.reason is None or task.is_ended or command.reason == task.blocked_reason
    if not new and same_reason:
        return []
    reason = None if task.is_ended else command.reason
    blockers = new or tuple(dict.fromkeys(command.blocked_by))
    return [TaskBlocked(task_id=task.task_id, blocked_by=blockers, reason=reason)]


def _block_outside(task: TaskState, reason: str | None) -> list[Fact]:
    if reason is None:
        raise CommandRefused(
            "reason_missing",
            f"task {task.task_id} would wait for nothing: give blocked_by or a reason",
            field="reason",
        )
    if task.blocked_outside and task.blocked_reason == reason:
        return []
    return [TaskBlocked(task_id=task.task_id, reason=reason)]


def check_blockers(world: World, task_id: str, blockers: tuple[str, ...]) -> None:
    """Raises: CommandRefused (block_cycle, unknown_task, blocker_ended, too_many)."""
    for blocker in blockers:
        behind = linked(world, [blocker], lambda task: task.blocked_by)
        if f"task/{task_id}" in behind:
            raise CommandRefused(
                "block_cycle",
                f"task {task_id} cannot wait for {blocker}, which waits for it: "
                f"unblock one of them first",
                field="blocked_by",
            )
        held = world.get(f"task/{blocker}", TaskState)
        if held is None:
            raise CommandRefused(
                "unknown_task",
                f"the blocker {blocker} of task {task_id} does not exist: create it first",
                field="blocked_by",
            )
        if held.is_ended:
            raise CommandRefused(
                "blocker_ended",
                f"the blocker {blocker} of task {task_id} is {held.status} already: leave it out",
                field="blocked_by",
            )
        refuse_more(held, len(held.blocks) + 1, "tasks that wait for it", "blocked_by")


def unblock(world: World, command: UnblockTask) -> list[Fact]:
    """Removes the named blockers, or all that holds the task up."""
    task = existing(world, command.task_id)
    named = task.blocked_by if command.blocked_by is None else command.blocked_by
    gone = tuple(blocker for blocker in task.blocked_by if blocker in named)
    outside = task.blocked_outside and not command.blocked_by
    if not gone and not outside:
        return []
    unblocked = TaskUnblocked(
        task_id=task.task_id, blocked_by=gone, outside=outside, reason=command.reason
    )
    return [unblocked]


def complete(world: World, command: CompleteTask) -> list[Fact]:
    """The task is done, whatever its state was."""
    if existing(world, command.task_id).status == "done":
        return []
    task = unended(world, command.task_id)
    done = TaskCompleted(task_id=task.task_id, outcome=command.outcome)
    return [done, *_freed(task, "done")]


def fail(world: World, command: FailTask) -> list[Fact]:
    """The task came to nothing."""
    if existing(world, command.task_id).status == "failed":
        return []
    task = unended(world, command.task_id)
    failed = TaskFailed(task_id=task.task_id, reason=command.reason)
    return [failed, *_freed(task, "failed")]


def cancel(world: World, command: CancelTask) -> list[Fact]:
    """The task is no longer wanted."""
    if existing(world, command.task_id).status == "cancelled":
        return []
    task = unended(world, command.task_id)
    cancelled = TaskCancelled(task_id=task.task_id, reason=command.reason)
    return [cancelled, *_freed(task, "cancelled"), *_mooted(task, "task_cancelled")]


def remove(world: World, command: RemoveTask) -> list[Fact]:
    """The task leaves the world and every list of blockers with it."""
    task = existing(world, command.task_id)
    facts: list[Fact] = [*_freed(task, "removed"), *_mooted(task, "task_removed")]
    if task.blocked_by:
        blockers = tuple(task.blocked_by)
        facts.append(TaskUnblocked(task_id=task.task_id, blocked_by=blockers))
    return [*facts, TaskRemoved(task_id=task.task_id, reason=command.reason)]


def reopen(world: World, command: ReopenTask) -> list[Fact]:
    """An ended or active task is open again, or blocked where a blocker is left."""
    task = existing(world, command.task_id)
    if not task.is_ended and task.status_unblocked != "active":
        return []
    return [TaskReopened(task_id=task.task_id, reason=command.reason)]


def _freed(task: TaskState, status: str) -> list[Fact]:
    """The tasks that waited for this one wait for it no longer."""
    reason = f"{task.task_id} is {status}"
    return [
        TaskUnblocked(task_id=dependent, blocked_by=(task.task_id,), reason=reason)
        for dependent in task.blocks
    ]


def _mooted(task: TaskState, reason_code: str) -> list[Fact]:
    return [
        ApprovalMooted(approval_id=approval_id, task_id=task.task_id, reason_code=reason_code)
        for approval_id, approval in sorted(task.approvals.items())
        if approval["status"] in MOOTABLE
    ]
