"""What a task asks of a person, and the fields of its form: asked, answered, confirmed.

Only the user confirms a field; only a person answers a request of kind approval; nobody answers
one that has expired.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from workindex.domain.changes import plain
from workindex.domain.errors import CommandRefused, NotPermitted
from workindex.domain.facts import PEOPLE, Fact, World, utc
from workindex.domain.task_commands import (
    GiveTaskInput,
    RequestTaskInput,
    SetTaskField,
    WithdrawTaskInput,
)
from workindex.domain.task_facts import (
    TaskField,
    TaskFieldSet,
    TaskInputGiven,
    TaskInputRequested,
    TaskInputWithdrawn,
)
from workindex.domain.task_state import TaskState, refuse_more, unended


def request_input(world: World, command: RequestTaskInput) -> list[Fact]:
    """Asks; the same request again changes nothing, another under its id is refused."""
    assert command.request_id is not None, "the runtime fills new ids"
    task = unended(world, command.task_id)
    held = task.requests.get(command.request_id)
    if held is not None:
        asked = (command.kind, command.prompt, command.expires_at and utc(command.expires_at))
        if asked == (held["kind"], held["prompt"], held["expires_at"]):
            return []
        raise CommandRefused(
            "request_exists",
            f"task {task.task_id} has an open request {command.request_id} that differs: "
            f"withdraw it first, or choose another request_id",
            field="request_id",
        )
    refuse_more(task, len(task.requests) + 1, "open requests", "request_id")
    requested = TaskInputRequested(
        task_id=task.task_id,
        request_id=command.request_id,
        kind=command.kind,
        prompt=command.prompt,
        expires_at=command.expires_at,
    )
    return [requested]


def give_input(world: World, command: GiveTaskInput, now: datetime) -> list[Fact]:
    """Answers an open request that has not expired."""
    task = unended(world, command.task_id)
    request = _open_request(task, command.request_id)
    if request["kind"] == "approval" and world.actor.kind not in PEOPLE:
        raise NotPermitted(
            f"request {command.request_id} of task {task.task_id} asks for an approval: "
            f"a person answers it, not {world.actor.kind} {world.actor.id}"
        )
    expires_at = request["expires_at"]
    if expires_at is not None and datetime.fromisoformat(expires_at) <= now:
        raise CommandRefused(
            "request_expired",
            f"request {command.request_id} of task {task.task_id} expired at {expires_at}: "
            f"ask again with request_task_input",
            field="request_id",
        )
    given = TaskInputGiven(
        task_id=task.task_id, request_id=command.request_id, answer=command.answer
    )
    return [given]


def withdraw_input(world: World, command: WithdrawTaskInput) -> list[Fact]:
    """Takes an open request back, expired or not."""
    task = unended(world, command.task_id)
    _open_request(task, command.request_id)
    withdrawn = TaskInputWithdrawn(
        task_id=task.task_id, request_id=command.request_id, reason=command.reason
    )
    return [withdrawn]


def _open_request(task: TaskState, request_id: str) -> dict[str, Any]:
    if request_id not in task.requests:
        names = ", ".join(sorted(task.requests)) or "none"
        raise CommandRefused(
            "unknown_request",
            f"task {task.task_id} has no open request {request_id} (open: {names})",
            field="request_id",
        )
    return task.requests[request_id]


def set_field(world: World, command: SetTaskField) -> list[Fact]:
    """Sets one field; a mentioned value never replaces a confirmed one."""
    task = unended(world, command.task_id)
    held = task.fields.get(command.name, {})
    field = _resolved(command, held)
    check_fields(world, {command.name: field})
    is_same_value = _same(field.value, held.get("value"))
    if held.get("state") == "confirmed" and field.state == "mentioned":
        if is_same_value:
            return []
        raise CommandRefused(
            "field_confirmed",
            f"field {command.name} of task {task.task_id} is confirmed as {held['value']!r}: "
            f"only the user changes it, by confirming another value",
            field="value",
        )
    if held and is_same_value and _same(plain(field), held):
        return []
    return [TaskFieldSet(task_id=task.task_id, name=command.name, **dict(field))]


def _resolved(command: SetTaskField, held: dict[str, Any]) -> TaskField:
    """The field as it will be: what the command leaves out stays as it was declared."""
    if command.state == "confirmed" and command.value is None:
        raise CommandRefused(
            "field_required",
            f"field {command.name} has no value to confirm: give value",
            field="value",
        )
    allowed, required = command.allowed_values, command.required
    return TaskField(
        value=command.value,
        state=command.state,
        source_message_id=command.source_message_id,
        allowed_values=held.get("allowed_values") if allowed is None else allowed,
        required=held.get("required", False) if required is None else required,
    )


def check_fields(world: World, fields: Mapping[str, TaskField]) -> None:
    """Raises: NotPermitted, CommandRefused (value_not_allowed)."""
    for name, field in fields.items():
        if field.state == "confirmed" and world.actor.kind != "user":
            raise NotPermitted(
                f"field {name} is confirmed by the user only, not by {world.actor.kind} "
                f"{world.actor.id}: set it with state mentioned"
            )
        allowed = field.allowed_values
        if field.value is None or allowed is None:
            continue
        if not any(_same(field.value, value) for value in allowed):
            choices = ", ".join(map(repr, allowed[:20]))
            raise CommandRefused(
                "value_not_allowed",
                f"{field.value!r} is not allowed for field {name}: choose one of {choices}",
                field="value",
            )


def _same(one: Any, other: Any) -> bool:
    """Equality of JSON values: 1, 1.0 and true are three values."""
    return json.dumps(plain(one), sort_keys=True) == json.dumps(plain(other), sort_keys=True)
