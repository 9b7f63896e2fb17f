"""Meetings and the commitments made in them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple


class MeetingRow(NamedTuple):
    """One meeting; `status` is scheduled, started, ended or cancelled."""

    meeting_id: str
    title: str
    status: str
    start_at: datetime
    end_at: datetime | None
    time_zone: str | None
    location: str | None
    participants: list[str]
    agenda: str | None
    notes: str | None
    transcripts: list[str]
    recurrence: dict[str, Any] | None
    source: str | None
    reason: str | None
    revision: int
    started_at: datetime | None
    ended_at: datetime | None
    updated_at: datetime


class CommitmentRow(NamedTuple):
    """One commitment; `status` is open, kept, broken or withdrawn."""

    commitment_id: str
    meeting_id: str
    text: str
    owner: str | None
    status: str
    due_at: datetime | None
    task_id: str | None
    made_at: datetime
    settled_at: datetime | None
