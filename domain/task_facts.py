"""What can happen to a task. The facts live in `task/<id>`; a blocker's row changes with them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from workindex.domain.facts import At, Fact, Frozen, Id, Text, Title

RequestKind = Literal["approval", "decision", "input"]
FieldState = Literal["mentioned", "confirmed"]
Ids = Annotated[tuple[Id, ...], Field(max_length=1_000)]
Labels = Annotated[tuple[Id, ...], Field(max_length=100)]
Priority = Annotated[int, Field(ge=-1_000, le=1_000)]
Cleared = Annotated[tuple[Id, ...], Field(max_length=50)]
AllowedValues = Annotated[tuple[Any, ...], Field(min_length=1, max_length=1_000)]


class TaskField(Frozen):
    """One field of a task's form: its value, how sure it is, and what it may be."""

    value: Any = None
    state: FieldState = "mentioned"
    source_message_id: Id | None = None
    allowed_values: AllowedValues | None = None
    required: bool = False

    @model_validator(mode="after")
    def _value_to_confirm(self) -> Self:
        if self.state == "confirmed" and self.value is None:
            raise ValueError("a confirmed field has a value")
        return self


Fields = Annotated[dict[Id, TaskField], Field(max_length=200)]


class PlanStep(Frozen):
    """One step of a plan; a finished step never closes the task."""

    step_id: Id | None = None
    title: Title
    status: Literal["pending", "active", "done", "failed", "skipped"] = "pending"


Steps = Annotated[tuple[PlanStep, ...], Field(max_length=200)]


class TaskFact(Fact):
    """A fact in a task's own stream."""

    task_id: Id

    @property
    def stream(self) -> str:
        return f"task/{self.task_id}"


class TaskCreated(TaskFact):
    """The task exists. After TaskRemoved the same stream may go on with it."""

    type: Literal["task_created"] = "task_created"
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


class TaskChanged(TaskFact):
    """Some of its descriptive fields changed; null means unchanged, `cleared` names the emptied."""

    type: Literal["task_changed"] = "task_changed"
    title: Title | None = None
    description: Text | None = None
    family: Id | None = None
    priority: Priority | None = None
    labels: Labels | None = None
    assignee: Id | None = None
    parent_id: Id | None = None
    due_at: At | None = None
    source: Id | None = None
    cleared: Cleared = ()


class TaskStarted(TaskFact):
    type: Literal["task_started"] = "task_started"


class TaskPhaseEntered(TaskFact):
    """The phase began; `assignee`, where given, has the task from here on."""

    type: Literal["task_phase_entered"] = "task_phase_entered"
    schema_version: int = 2
    phase: Title
    assignee: Id | None = None


class TaskPlanSet(TaskFact):
    """The whole plan, replacing the one before."""

    type: Literal["task_plan_set"] = "task_plan_set"
    steps: Steps


class TaskDecisionRecorded(TaskFact):
    type: Literal["task_decision_recorded"] = "task_decision_recorded"
    decision_id: Id
    decision: Text
    reason: Text | None = None


class TaskFieldSet(TaskFact):
    """The whole state of one field of the form."""

    type: Literal["task_field_set"] = "task_field_set"
    name: Id
    value: Any = None
    state: FieldState = "mentioned"
    source_message_id: Id | None = None
    allowed_values: AllowedValues | None = None
    required: bool = False


class TaskOutputAttached(TaskFact):
    type: Literal["task_output_attached"] = "task_output_attached"
    output_id: Id
    title: Title
    artifact_id: Id | None = None
    url: Title | None = None
    summary: Text | None = None


class TaskInputRequested(TaskFact):
    """The task waits for a person: an approval, a decision or a piece of information."""

    type: Literal["task_input_requested"] = "task_input_requested"
    request_id: Id
    kind: RequestKind
    prompt: Text
    expires_at: At | None = None


class TaskInputGiven(TaskFact):
    type: Literal["task_input_given"] = "task_input_given"
    request_id: Id
    answer: Any


class TaskInputWithdrawn(TaskFact):
    type: Literal["task_input_withdrawn"] = "task_input_withdrawn"
    request_id: Id
    reason: Text | None = None


class TaskBlocked(TaskFact):
    """It waits for these tasks too or, with none named, for something that is no task."""

    type: Literal["task_blocked"] = "task_blocked"
    blocked_by: Ids = ()
    reason: Text | None = None

    @property
    def touches(self) -> tuple[str, ...]:
        return (self.stream, *(f"task/{blocker}" for blocker in self.blocked_by))


class TaskUnblocked(TaskFact):
    """These tasks no longer block it; `outside`: nor does what is no task."""

    type: Literal["task_unblocked"] = "task_unblocked"
    blocked_by: Ids = ()
    outside: bool = False
    reason: Text | None = None

    @property
    def touches(self) -> tuple[str, ...]:
        return (self.stream, *(f"task/{blocker}" for blocker in self.blocked_by))


class TaskScheduled(TaskFact):
    type: Literal["task_scheduled"] = "task_scheduled"
    scheduled_at: At


class TaskCompleted(TaskFact):
    type: Literal["task_completed"] = "task_completed"
    outcome: Text | None = None


class TaskFailed(TaskFact):
    type: Literal["task_failed"] = "task_failed"
    reason: Text | None = None


class TaskCancelled(TaskFact):
    type: Literal["task_cancelled"] = "task_cancelled"
    reason: Text | None = None


class TaskReopened(TaskFact):
    type: Literal["task_reopened"] = "task_reopened"
    reason: Text | None = None


class TaskRemoved(TaskFact):
    """The task is no longer part of the world; its row goes."""

    type: Literal["task_removed"] = "task_removed"
    reason: Text | None = None


class AttemptRecorded(TaskFact):
    """One try at the work and what came of it."""

    type: Literal["attempt_recorded"] = "attempt_recorded"
    attempt_id: Id
    summary: Text
    outcome: Literal["succeeded", "failed", "unknown"]
    tool: Id | None = None
    error: Text | None = None


TaskFacts = (
    TaskCreated
    | TaskChanged
    | TaskStarted
    | TaskPhaseEntered
    | TaskPlanSet
    | TaskDecisionRecorded
    | TaskFieldSet
    | TaskOutputAttached
    | TaskInputRequested
    | TaskInputGiven
    | TaskInputWithdrawn
    | TaskBlocked
    | TaskUnblocked
    | TaskScheduled
    | TaskCompleted
    | TaskFailed
    | TaskCancelled
    | TaskReopened
    | TaskRemoved
    | AttemptRecorded
)
