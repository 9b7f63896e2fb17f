"""What a task's state allows: each command on a task becomes facts or a refusal.

An ended task may still be described, filed, linked, reopened or removed; work on it is refused.
Commands that would change nothing decide nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import assert_never

from workindex.domain.changes import asked_changes, given, plain
from workindex.domain.errors import CommandRefused
from workindex.domain.facts import Fact, World
from workindex.domain.task_commands import (
    AttachTaskOutput,
    BlockTask,
    CancelTask,
    ChangeTask,
    CompleteTask,
    CreateTask,
    EnterTaskPhase,
    FailTask,
    GiveTaskInput,
    RecordAttempt,
    RecordTaskDecision,
    RemoveTask,
    ReopenTask,
    RequestTaskInput,
    ScheduleTask,
    SetTaskField,
    SetTaskPlan,
    StartTask,
    TaskCommands,
    UnblockTask,
    WithdrawTaskInput,
    linked,
)
from workindex.domain.task_endings import (
    block,
    cancel,
    check_blockers,
    complete,
    fail,
    remove,
    reopen,
    unblock,
)
from workindex.domain.task_facts import (
    AttemptRecorded,
    TaskBlocked,
    TaskChanged,
    TaskCreated,
    TaskDecisionRecorded,
    TaskOutputAttached,
    TaskPhaseEntered,
    TaskPlanSet,
    TaskScheduled,
    TaskStarted,
)
from workindex.domain.task_inputs import check_fields, give_input, request_input, set_field
from workindex.domain.task_inputs import withdraw_input as withdraw
from workindex.domain.task_state import CHANGEABLE, TaskState, existing, unended


def decide(world: World, command: TaskCommands, now: datetime) -> list[Fact]:
    """The facts that the command brings about, none where nothing would change."""
    match command:
        case CreateTask():
            return _create(world, command)
        case ChangeTask():
            return _change(world, command)
        case StartTask():
            return _start(world, command)
        case ScheduleTask():
            return _schedule(world, command)
        case EnterTaskPhase() | SetTaskPlan() | RecordTaskDecision():
            return _work(unended(world, command.task_id), command)
        case AttachTaskOutput() | RecordAttempt():
            return _file(existing(world, command.task_id), command)
        case SetTaskField():
            return set_field(world, command)
        case RequestTaskInput():
            return request_input(world, command)
        case GiveTaskInput():
            return give_input(world, command, now)
        case WithdrawTaskInput():
            return withdraw(world, command)
        case BlockTask():
            return block(world, command)
        case UnblockTask():
            return unblock(world, command)
        case CompleteTask():
            return complete(world, command)
        case FailTask():
            return fail(world, command)
        case CancelTask():
            return cancel(world, command)
        case ReopenTask():
            return reopen(world, command)
        case RemoveTask():
            return remove(world, command)
        case _:
            assert_never(command)


def _create(world: World, command: CreateTask) -> list[Fact]:
    assert command.task_id is not None, "the runtime fills new ids"
    if world.get(command.stream, TaskState) is not None:
        raise CommandRefused(
            "task_exists",
            f"task {command.task_id} exists already: give change_task, or choose another id",
            field="task_id",
        )
    check_fields(world, command.fields)
    if command.parent_id is not None:
        _check_parent(world, command.task_id, command.parent_id, ())
    created = TaskCreated(task_id=command.task_id, **given(command, (*CHANGEABLE, "fields")))
    if not command.blocked_by:
        return [created]
    blockers = tuple(dict.fromkeys(command.blocked_by))
    check_blockers(world, command.task_id, blockers)
    return [created, TaskBlocked(task_id=command.task_id, blocked_by=blockers)]


def _change(world: World, command: ChangeTask) -> list[Fact]:
    task = existing(world, command.task_id)
    changes = asked_changes(command, task, CHANGEABLE, never_empty=("title",))
    if "parent_id" in changes:
        ancestors = linked(world, [changes["parent_id"]], lambda held: [held.parent_id or ""])
        _check_parent(world, command.task_id, changes["parent_id"], ancestors)
    return [TaskChanged(task_id=command.task_id, **changes)] if changes else []


def _check_parent(world: World, task_id: str, parent_id: str, ancestors: Iterable[str]) -> None:
    if f"task/{task_id}" in (f"task/{parent_id}", *ancestors):
        raise CommandRefused(
            "parent_cycle",
            f"task {task_id} would be its own ancestor under {parent_id}: choose another parent",
            field="parent_id",
        )
    if world.get(f"task/{parent_id}", TaskState) is None:
        raise CommandRefused(
            "unknown_task",
            f"the parent {parent_id} of task {task_id} does not exist: create it first",
            field="parent_id",
        )


def _start(world: World, command: StartTask) -> list[Fact]:
    task = unended(world, command.task_id)
    if task.status == "blocked":
        waits_for = ", ".join(task.blocked_by) or task.blocked_reason
        raise CommandRefused(
            "task_blocked",
            f"task {task.task_id} waits for {waits_for}: end that, or give unblock_task",
            field="task_id",
        )
    return [] if task.status == "active" else [TaskStarted(task_id=task.task_id)]


def _schedule(world: World, command: ScheduleTask) -> list[Fact]:
    task = unended(world, command.task_id)
    if (task.status_unblocked, task.scheduled_at) == ("scheduled", command.scheduled_at):
        return []
    return [TaskScheduled(task_id=task.task_id, scheduled_at=command.scheduled_at)]


def _work(
    task: TaskState, command: EnterTaskPhase | SetTaskPlan | RecordTaskDecision
) -> list[Fact]:
    match command:
        case EnterTaskPhase(phase=phase, assignee=assignee, again=again):
            is_same = phase == task.phase and assignee in (None, task.assignee)
            if is_same and not again:
                return []
            told = {} if assignee is None else {"assignee": assignee}
            return [TaskPhaseEntered(task_id=task.task_id, phase=phase, **told)]
        case SetTaskPlan():
            return _plan(task, command)
        case RecordTaskDecision(decision_id=decision_id):
            assert decision_id is not None, "the runtime fills new ids"
            recorded = TaskDecisionRecorded(
                task_id=task.task_id,
                decision_id=decision_id,
                decision=command.decision,
                reason=command.reason,
            )
            return [recorded]


def _plan(task: TaskState, command: SetTaskPlan) -> list[Fact]:
    """Steps without an id are named by their place, from 1."""
    steps = tuple(
        step if step.step_id else step.model_copy(update={"step_id": str(place)})
        for place, step in enumerate(command.steps, start=1)
    )
    names = [step.step_id for step in steps]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise CommandRefused(
            "step_twice",
            f"the plan of task {task.task_id} names step {twice} twice: give each its own id",
            field="steps",
        )
    return [] if plain(steps) == task.plan else [TaskPlanSet(task_id=task.task_id, steps=steps)]


def _file(task: TaskState, command: AttachTaskOutput | RecordAttempt) -> list[Fact]:
    match command:
        case AttachTaskOutput(output_id=output_id):
            assert output_id is not None, "the runtime fills new ids"
            attached = TaskOutputAttached(
                task_id=task.task_id,
                output_id=output_id,
                title=command.title,
                artifact_id=command.artifact_id,
                url=command.url,
                summary=command.summary,
            )
            return [attached]
        case RecordAttempt(attempt_id=attempt_id):
            assert attempt_id is not None, "the runtime fills new ids"
            recorded = AttemptRecorded(
                task_id=task.task_id,
                attempt_id=attempt_id,
                summary=command.summary,
                outcome=command.outcome,
                tool=command.tool,
                error=command.error,
            )
            return [recorded]
