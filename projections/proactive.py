"""Routines, the triggers they observed, the proposals that wait, the notifications sent."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple, assert_never, cast

from workindex.domain.facts import Event
from workindex.domain.proactive_facts import (
    NotificationAnswered,
    NotificationFacts,
    NotificationSent,
    ProposalAnswered,
    ProposalExpired,
    ProposalFacts,
    ProposalMade,
    RoutineDefined,
    TriggerFacts,
    TriggerObserved,
    routine_columns,
)
from workindex.projections.table import EVER, FOREVER, Need, Table


class RoutineRow(NamedTuple):
    """One routine; `status` is active or paused. `next_at` was worked out by the command.

    `last_notification` is {notification_id, title, sent_at, answer, answered_at}.
    """

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
    """One proposal; `status` is waiting, accepted, declined, dismissed or expired."""

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
    note: str | None


class NotificationRow(NamedTuple):
    """One notification and the person's reaction to it, if any."""

    notification_id: str
    routine_id: str | None
    proposal_id: str | None
    task_id: str | None
    title: str
    body: str | None
    channel: str | None
    sent_at: datetime
    answered_at: datetime | None
    answer: str | None
    note: str | None


def fold_routine(row: RoutineRow | None, event: Event) -> RoutineRow | None:
    """The row of one routine after one more event."""
    columns = routine_columns(row and row.last_notification, event)
    columns |= {"revision": event.stream_version, "updated_at": event.recorded_at}
    if row is None:
        assert isinstance(event.fact, RoutineDefined), event.fact
        return RoutineRow(routine_id=event.fact.routine_id, **columns)
    return row._replace(**columns)


def fold_trigger(row: TriggerRow | None, event: Event) -> TriggerRow | None:
    """The row of one trigger after one more event."""
    fact = cast(TriggerFacts, event.fact)
    match fact:
        case TriggerObserved():
            return TriggerRow(
                trigger_id=fact.trigger_id,
                routine_id=fact.routine_id,
                summary=fact.summary,
                evidence=list(fact.evidence),
                observed_at=event.occurred_at,
                proposal_id=None,
            )
        case ProposalMade(proposal_id=proposal_id):
            assert row is not None, fact
            return row._replace(proposal_id=proposal_id)
        case _:
            assert_never(fact)


def fold_proposal(row: ProposalRow | None, event: Event) -> ProposalRow | None:
    """The row of one proposal after one more event."""
    fact = cast(ProposalFacts, event.fact)
    match fact:
        case ProposalMade():
            return ProposalRow(
                proposal_id=fact.proposal_id,
                routine_id=fact.routine_id,
                trigger_id=fact.trigger_id,
                task_id=fact.task_id,
                title=fact.title,
                body=fact.body,
                status="waiting",
                made_at=event.occurred_at,
                expires_at=fact.expires_at,
                answered_at=None,
                answer=None,
                note=None,
            )
        case ProposalAnswered(answer=answer, note=note):
            assert row is not None, fact
            return row._replace(
                status=answer, answered_at=event.occurred_at, answer=answer, note=note
            )
        case ProposalExpired():
            assert row is not None, fact
            return row._replace(status="expired")
        case _:
            assert_never(fact)


def fold_notification(row: NotificationRow | None, event: Event) -> NotificationRow | None:
    """The row of one notification after one more event."""
    fact = cast(NotificationFacts, event.fact)
    match fact:
        case NotificationSent():
            return NotificationRow(
                notification_id=fact.notification_id,
                routine_id=fact.routine_id,
                proposal_id=fact.proposal_id,
                task_id=fact.task_id,
                title=fact.title,
                body=fact.body,
                channel=fact.channel,
                sent_at=event.occurred_at,
                answered_at=None,
                answer=None,
                note=None,
            )
        case NotificationAnswered(answer=answer, note=note):
            assert row is not None, fact
            return row._replace(answered_at=event.occurred_at, answer=answer, note=note)
        case _:
            assert_never(fact)


def _need(row: ProposalRow) -> Need:
    """Until it expires."""
    until_at = row.expires_at or FOREVER
    return Need(EVER, until_at, until_at, row.expires_at, row.made_at)


WORK_ROUTINE = Table(
    "work_routine",
    kind="routine",
    member="work_index",
    row=RoutineRow,
    fold=fold_routine,
    due_at=lambda row: row.next_at if row.status == "active" else None,
)
WORK_TRIGGER = Table(
    "work_trigger", kind="trigger", member="work_index", row=TriggerRow, fold=fold_trigger
)
WORK_PROPOSAL = Table(
    "work_proposal",
    kind="proposal",
    member="work_index",
    row=ProposalRow,
    fold=fold_proposal,
    is_open=lambda row: row.status == "waiting",
    need=_need,
    due_at=lambda row: row.expires_at if row.status == "waiting" else None,
)
WORK_NOTIFICATION = Table(
    "work_notification",
    kind="notification",
    member="work_index",
    row=NotificationRow,
    fold=fold_notification,
)
TABLES = (WORK_ROUTINE, WORK_TRIGGER, WORK_PROPOSAL, WORK_NOTIFICATION)
