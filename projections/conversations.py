"""Conversations: messages, corrections, checkpoints and summaries of threads."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple


class ThreadRow(NamedTuple):
    """One thread: its latest checkpoint and summary, and the user's corrections.

    Written by CheckpointRecorded, SummaryRecorded and CorrectionRecorded only; the last messages
    are read from `message`.
    """

    thread_id: str
    checkpoint_id: str | None
    summary_id: str | None
    corrections: list[dict[str, Any]]
    updated_at: datetime


class MessageRow(NamedTuple):
    """One message; a redacted one keeps its place and loses its text."""

    message_id: str
    thread_id: str
    role: str
    text: str | None
    posted_at: datetime
    reply_to: str | None
    shown_approvals: list[dict[str, Any]]
    attachments: list[str]
    sensitivity: str
    redacted: bool


class CheckpointRow(NamedTuple):
    """One structured checkpoint of a thread."""

    checkpoint_id: str
    thread_id: str
    task_id: str | None
    body: dict[str, Any]
    recorded_at: datetime


class SummaryRow(NamedTuple):
    """One summary; every sentence points to the messages it rests on."""

    summary_id: str
    thread_id: str
    sentences: list[dict[str, Any]]
    recorded_at: datetime
