"""What can be asked of a task: the imperative twin of each of its facts.

In ChangeTask a field that is left out stays as it is, and an explicit null empties it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Literal

from pydantic import Field

from workindex.domain.facts import At, Command, Id, Text, Title, World
from workindex.domain.task_facts import (
    AllowedValues,
    Fields,
    FieldState,
    Ids,
    Labels,
    Priority,
    RequestKind,
    Steps,
)
from workindex.domain.task_state import TaskState


class TaskCommand(Command):
    """A command about one task that exists."""

    task_id: Id

    @property
    def stream(self) -> str:
        return f"task/{self.task_id}"


class CreateTask(Command):
    """Only one without parent and blockers is blind: the others must be there."""

    type: Literal["create_task"] = "create_task"
    new_ids: ClassVar[tuple[str, ...]] = ("task_id",)
    task_id: Id | None = None
    title: Title
    description: Text | None = None
    family: Id | None = None
    priority: Priority | None = None
    labels: Labels = ()
    assignee: Id | None = None
    parent_id: Id | None = None
    due_at: At | None = None
    source: Id | None = None
    fields: Fields = Field(default_factory=dict)
    blocked_by: Ids = ()

    @property
    def stream(self) -> str:
        return f"task/{self.task_id}"

    @property
    def is_blind(self) -> bool:
        return self.parent_id is None and not self.blocked_by

    def reads(self, world: World) -> Iterable[str]:
        named = (*self.blocked_by, *([self.parent_id] if self.parent_id else ()))
        return (*super().reads(world), *(f"task/{task_id}" for task_id in named))


class ChangeTask(TaskCommand):
    type: Literal["change_task"] = "change_task"
    title: Title | None = None
    description: Text | None = None
    family: Id | None = None
    priority: Priority | None = None
    labels: Labels | None = None
    assignee: Id | None = None
    parent_id: Id | None = None
    due_at: At | None = None
    source: Id | None = None

    def reads(self, world: World) -> Iterable[str]:
        parent = [self.parent_id] if self.parent_id else []
        return (self.stream, *linked(world, parent, lambda task: [task.parent_id or ""]))


class StartTask(TaskCommand):
    type: Literal["start_task"] = "start_task"


class EnterTaskPhase(TaskCommand):
    """`again` enters the phase anew although the task is in it already."""

    type: Literal["enter_task_phase"] = "enter_task_phase"
    phase: Title
    assignee: Id | None = None
    again: bool = False


class SetTaskPlan(TaskCommand):
    type: Literal["set_task_plan"] = "set_task_plan"
    steps: Steps


class RecordTaskDecision(TaskCommand):
    type: Literal["record_task_decision"] = "record_task_decision"
    new_ids: ClassVar[tuple[str, ...]] = ("decision_id",)
    decision_id: Id | None = None
    decision: Text
    reason: Text | None = None


class SetTaskField(TaskCommand):
    """Left out, `allowed_values` and `required` stay as they were declared."""

    type: Literal["set_task_field"] = "set_task_field"
    name: Id
    value: Any = None
    state: FieldState = "mentioned"
    source_message_id: Id | None = None
    allowed_values: AllowedValues | None = None
    required: bool | None = None


class AttachTaskOutput(TaskCommand):
    type: Literal["attach_task_output"] = "attach_task_output"
    new_ids: ClassVar[tuple[str, ...]] = ("output_id",)
    output_id: Id | None = None
    title: Title
    artifact_id: Id | None = None
    url: Title | None = None
    summary: Text | None = None


class RequestTaskInput(TaskCommand):
    type: Literal["request_task_input"] = "request_task_input"
    new_ids: ClassVar[tuple[str, ...]] = ("request_id",)
    request_id: Id | None = None
    kind: RequestKind = "input"
    prompt: Text
    expires_at: At | None = None


class GiveTaskInput(TaskCommand):
    """An answer of kind approval is a person's; the decision sees to that."""

    type: Literal["give_task_input"] = "give_task_input"
    request_id: Id
    answer: Any


class WithdrawTaskInput(TaskCommand):
    type: Literal["withdraw_task_input"] = "withdraw_task_input"
    request_id: Id
    reason: Text | None = None


class BlockTask(TaskCommand):
    """Adds blockers. With none named it waits for something that is no task: give a reason."""

    type: Literal["block_task"] = "block_task"
    blocked_by: Ids = ()
    reason: Text | None = None

    def reads(self, world: World) -> Iterable[str]:
        return (self.stream, *linked(world, self.blocked_by, lambda task: task.blocked_by))


class UnblockTask(TaskCommand):
    """Removes the named blockers; with null all of them and any wait for something outside.

    An empty list ends only the wait for something outside.
    """

    type: Literal["unblock_task"] = "unblock_task"
    blocked_by: Ids | None = None
    reason: Text | None = None


class ScheduleTask(TaskCommand):
    type: Literal["schedule_task"] = "schedule_task"
    scheduled_at: At


class CompleteTask(TaskCommand):
    type: Literal["complete_task"] = "complete_task"
    outcome: Text | None = None


class FailTask(TaskCommand):
    type: Literal["fail_task"] = "fail_task"
    reason: Text | None = None


class CancelTask(TaskCommand):
    type: Literal["cancel_task"] = "cancel_task"
    reason: Text | None = None


class ReopenTask(TaskCommand):
    type: Literal["reopen_task"] = "reopen_task"
    reason: Text | None = None


class RemoveTask(TaskCommand):
    type: Literal["remove_task"] = "remove_task"
    reason: Text | None = None


class RecordAttempt(TaskCommand):
    type: Literal["record_attempt"] = "record_attempt"
    new_ids: ClassVar[tuple[str, ...]] = ("attempt_id",)
    attempt_id: Id | None = None
    summary: Text
    outcome: Literal["succeeded", "failed", "unknown"]
    tool: Id | None = None
    error: Text | None = None


TaskCommands = (
    CreateTask
    | ChangeTask
    | StartTask
    | EnterTaskPhase
    | SetTaskPlan
    | RecordTaskDecision
    | SetTaskField
    | AttachTaskOutput
    | RequestTaskInput
    | GiveTaskInput
    | WithdrawTaskInput
    | BlockTask
    | UnblockTask
    | ScheduleTask
    | CompleteTask
    | FailTask
    | CancelTask
    | ReopenTask
    | RemoveTask
    | RecordAttempt
)


def linked(
    world: World, first: Iterable[str], links: Callable[[TaskState], Iterable[str]]
) -> tuple[str, ...]:
    """References of the tasks reached from `first` over the links of those already read."""
    seen: dict[str, None] = {}
    queue = [f"task/{task_id}" for task_id in first]
    while queue:
        ref = queue.pop()
        if ref in seen:
            continue
        seen[ref] = None
        task: TaskState | None = world.states.get(ref)
        if task is not None:
            queue.extend(f"task/{task_id}" for task_id in links(task) if task_id)
    return tuple(seen)
