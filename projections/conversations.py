"""Conversations: messages, corrections, checkpoints and summaries of threads."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple, cast

from workindex.domain.changes import plain
from workindex.domain.conversation_facts import (
    AnyMessageFact,
    AnyThreadFact,
    CheckpointRecorded,
    MessagePosted,
    SummaryRecorded,
    message_columns,
    thread_columns,
)
from workindex.domain.facts import Event
from workindex.projections.table import Table


class ThreadRow(NamedTuple):
    """One thread: its latest checkpoint and summary, and the latest 200 corrections.

    A correction is {correction_id, text, message_id, corrects, task_id, corrected_at}.
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


def fold_message(row: MessageRow | None, event: Event) -> MessageRow | None:
    """The row of one message after one more event."""
    fact = cast(AnyMessageFact, event.fact)
    columns = message_columns(fact)
    if isinstance(fact, MessagePosted):
        return MessageRow(message_id=fact.message_id, posted_at=event.occurred_at, **columns)
    assert row is not None, fact
    return row._replace(**columns)


def fold_thread(row: ThreadRow | None, event: Event) -> ThreadRow | None:
    """The row of one thread after one more event."""
    at = event.recorded_at
    fact = cast(AnyThreadFact, event.fact)
    before = row or ThreadRow(fact.thread_id, None, None, [], at)
    return before._replace(**thread_columns(before.corrections, event), updated_at=at)


def fold_checkpoint(row: CheckpointRow | None, event: Event) -> CheckpointRow | None:
    """The row of one checkpoint."""
    fact = cast(CheckpointRecorded, event.fact)
    return CheckpointRow(
        checkpoint_id=fact.checkpoint_id,
        thread_id=fact.thread_id,
        task_id=fact.task_id,
        body=plain(fact.body),
        recorded_at=event.recorded_at,
    )


def fold_summary(row: SummaryRow | None, event: Event) -> SummaryRow | None:
    """The row of one summary."""
    fact = cast(SummaryRecorded, event.fact)
    return SummaryRow(
        summary_id=fact.summary_id,
        thread_id=fact.thread_id,
        sentences=plain(fact.sentences),
        recorded_at=event.recorded_at,
    )


THREAD = Table("thread", kind="thread", member="conversation", row=ThreadRow, fold=fold_thread)
MESSAGE = Table(
    "message",
    kind="message",
    member="conversation",
    row=MessageRow,
    fold=fold_message,
    indexes=(("thread_id", "created_position"),),
)
CHECKPOINT = Table(
    "checkpoint",
    kind="checkpoint",
    member="conversation",
    row=CheckpointRow,
    fold=fold_checkpoint,
)
SUMMARY = Table("summary", kind="summary", member="conversation", row=SummaryRow, fold=fold_summary)
TABLES = (THREAD, MESSAGE, CHECKPOINT, SUMMARY)
