"""How do an office's tables become commands? The pure plan: what a row says and its task does not.

The tables of one kind are the whole state of the source: what they do not name any more is
removed (a task) or cancelled (a meeting). Mails are only added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from workindex.domain.conversations import PostMessage
from workindex.domain.facts import Command
from workindex.domain.meetings import CancelMeeting, ChangeMeeting, ScheduleMeeting
from workindex.domain.tasks import (
    ENDED,
    ChangeTask,
    CompleteTask,
    CreateTask,
    EnterTaskPhase,
    RemoveTask,
    ReopenTask,
    StartTask,
)
from workindex.service.importers.session import key_of
from workindex.service.importers.workbench_files import Mail, Meeting, Task

Row = Mapping[str, Any]


def plan_meeting(meeting: Meeting, row: Row | None, source: str) -> Iterator[Command]:
    """The commands that bring a meeting's row to what the calendar says."""
    if row is None or row["status"] == "cancelled":
        yield ScheduleMeeting.model_validate(
            {"meeting_id": meeting.id, **meeting.columns, "source": source}
        )
        return
    if changes := _changes(meeting.columns, row):
        yield ChangeMeeting.model_validate({"meeting_id": meeting.id, **changes})


def plan_task(task: Task, row: Row | None, source: str) -> Iterator[Command]:
    """The commands that bring a task's row to what its board says."""
    if row is None:
        given = {name: value for name, value in task.columns.items() if value}
        yield CreateTask.model_validate({"task_id": task.id, **given, "source": source})
    elif changes := _changes(task.columns, row):
        yield ChangeTask.model_validate({"task_id": task.id, **changes})
    status = "open" if row is None else row["status"]
    if task.status == "done":
        if status in ENDED - {"done"}:
            yield ReopenTask(task_id=task.id)
        if status != "done":
            yield CompleteTask(task_id=task.id)
        return
    resting = "open" if row is None else row["status_unblocked"]
    if status in ENDED or (task.status == "open" and resting == "active"):
        yield ReopenTask(task_id=task.id)
        resting = "open"
    # What waits for something here is left waiting: it starts with a later import.
    if task.status == "active" and resting != "active" and status != "blocked":
        yield StartTask(task_id=task.id)
    if row is None or row["phase"] != task.phase:
        yield EnterTaskPhase(task_id=task.id, phase=task.phase)


def plan_mail(mail: Mail) -> tuple[str, PostMessage]:
    """A mail's message, with the key by which it is known again."""
    posted = PostMessage(
        message_id=mail.id, thread_id=mail.thread_id, role=mail.role, text=mail.text
    )
    content = f"{mail.thread_id}\x1f{mail.role}\x1f{mail.text}"
    return key_of("mail", mail.id, sha256(content.encode()).hexdigest()[:20]), posted


def plan_removals(kind: str, rows: Mapping[str, Row], named: set[str]) -> list[Command]:
    """Commands for what the tables name no longer."""
    gone = [row for id_, row in rows.items() if id_ not in named]
    if kind == "tasks":
        return [RemoveTask(task_id=row["task_id"]) for row in gone]
    reason = "gone from the calendar"
    return [
        CancelMeeting(meeting_id=row["meeting_id"], reason=reason)
        for row in gone
        if row["status"] == "scheduled"
    ]


def _changes(columns: Mapping[str, Any], row: Row) -> dict[str, Any]:
    return {name: value for name, value in columns.items() if _plain(value) != row[name]}


def _plain(value: Any) -> Any:
    """The value as the document of a row holds it."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return list(value) if isinstance(value, tuple) else value
