"""Tasks in the Work Index: what is open, active, blocked, scheduled or ended, and what waits."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple


class TaskRow(NamedTuple):
    """One task.

    `requests` maps each open input request to {kind: approval|decision|input, prompt, asked_at,
    expires_at (or null)}; `approvals` maps each open approval that names the task to
    {title, status, expires_at}. Times inside both are UTC ISO text. `revision` is the version
    of the task's stream; `status_since_at` is when it entered its status.
    """

    task_id: str
    title: str
    description: str | None
    status: str
    status_since_at: datetime
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
    blocks: list[str]
    attempts: list[dict[str, Any]]
    outcome: str | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    updated_at: datetime
