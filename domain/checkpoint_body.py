"""What a checkpoint of a thread holds, so that work can go on without the turns before it.

Everything in it is checked against the Work Index before it is used; it never overrides state.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, StringConstraints

from workindex.domain.facts import Frozen, Id

Line = Annotated[str, StringConstraints(min_length=1, max_length=20_000)]


class PlanStep(Frozen):
    """One step of the plan."""

    text: Line
    status: Literal["planned", "doing", "done", "dropped"] = "planned"


class Decision(Frozen):
    """Something that was settled, and why."""

    text: Line
    reason: Line | None = None


class Blocker(Frozen):
    """What stands in the way and is not solved."""

    text: Line
    task_id: Id | None = None


class PendingInput(Frozen):
    """What somebody was asked and has not answered."""

    prompt: Line
    task_id: Id | None = None
    request_id: Id | None = None
    approval_id: Id | None = None


class Output(Frozen):
    """A result so far: a value or an artifact."""

    name: Line
    value: JsonValue = None
    artifact_id: Id | None = None


class Attempt(Frozen):
    """What was tried, and how it ended."""

    text: Line
    outcome: Literal["succeeded", "failed", "unknown"]
    error: Line | None = None


class Correction(Frozen):
    """What the person put right."""

    text: Line
    correction_id: Id | None = None


class CheckpointBody(Frozen):
    """Where a thread stands; `through_message_id` is the last message that it covers."""

    goal: Line | None = None
    plan: Annotated[tuple[PlanStep, ...], Field(max_length=200)] = ()
    decisions: Annotated[tuple[Decision, ...], Field(max_length=200)] = ()
    blockers: Annotated[tuple[Blocker, ...], Field(max_length=200)] = ()
    pending_input: Annotated[tuple[PendingInput, ...], Field(max_length=200)] = ()
    outputs: Annotated[tuple[Output, ...], Field(max_length=200)] = ()
    attempts: Annotated[tuple[Attempt, ...], Field(max_length=200)] = ()
    corrections: Annotated[tuple[Correction, ...], Field(max_length=200)] = ()
    artifact_ids: Annotated[tuple[Id, ...], Field(max_length=500)] = ()
    active_tool_groups: Annotated[tuple[Id, ...], Field(max_length=50)] = ()
    through_message_id: Id | None = None
