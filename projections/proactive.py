"""Routines, the triggers they observed and the proposals that wait for an answer."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple


class RoutineRow(NamedTuple):
    """One routine; `status` is active or paused. `next_at` was worked out by the command."""

    routine_id: str
    title: str
    status: str
    schedule: dict[str, Any] | None
    next_at: datetime | None
    cooldown_seconds: int | None
    cooldown_until_at: datetime | None
    instructions: str | None
    last_notification: dict[str, Any] | None
    revision: int
    updated_at: datetime


class TriggerRow(NamedTuple):
    """One observed trigger and the evidence for it."""

    trigger_id: str
    routine_id: str | None
    summary: str
    evidence: list[dict[str, Any]]
    observed_at: datetime
    proposal_id: str | None


class ProposalRow(NamedTuple):
    """One proposal; `status` is waiting, accepted, declined or dismissed."""

    proposal_id: str
    routine_id: str | None
    trigger_id: str | None
    task_id: str | None
    title: str
    body: str | None
    status: str
    made_at: datetime
    expires_at: datetime | None
    answered_at: datetime | None
    answer: str | None
