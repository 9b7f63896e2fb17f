"""Meetings and the commitments made in them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, NamedTuple, assert_never, cast

from workindex.domain.facts import Event
from workindex.domain.meeting_facts import consequences, first_columns
from workindex.domain.meetings import (
    CommitmentMade,
    CommitmentSettled,
    MeetingCancelled,
    MeetingEnded,
    MeetingScheduled,
    MeetingStarted,
)
from workindex.projections.table import Table


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


def fold_meeting(row: MeetingRow | None, event: Event) -> MeetingRow:
    """The meeting's row after the event; `consequences` is closed over its facts."""
    told = {**_told(event), "revision": event.stream_version, "updated_at": event.occurred_at}
    if row is not None:
        return row._replace(**consequences(row, event), **told)
    fact = event.fact
    assert isinstance(fact, MeetingScheduled), f"{fact.type} without {fact.stream}"
    return MeetingRow(**first_columns(fact), **told)


def _told(event: Event) -> dict[str, Any]:
    """The columns that only readers use, where the event changes any."""
    match event.fact:
        case MeetingScheduled():
            return {"started_at": None, "ended_at": None, "reason": None}
        case MeetingStarted():
            return {"started_at": event.occurred_at}
        case MeetingEnded():
            return {"ended_at": event.occurred_at}
        case MeetingCancelled(reason=reason):
            return {"ended_at": event.occurred_at, "reason": reason}
        case _:
            return {}


def fold_commitment(row: CommitmentRow | None, event: Event) -> CommitmentRow:
    """The commitment's row after the event."""
    fact = cast(CommitmentMade | CommitmentSettled, event.fact)
    match fact:
        case CommitmentMade():
            assert row is None, f"commitment {fact.commitment_id} is made twice"
            return CommitmentRow(
                commitment_id=fact.commitment_id,
                meeting_id=fact.meeting_id,
                text=fact.text,
                owner=fact.owner,
                status="open",
                due_at=fact.due_at,
                task_id=fact.task_id,
                made_at=event.occurred_at,
                settled_at=None,
            )
        case CommitmentSettled():
            assert row is not None, f"commitment {fact.commitment_id} was never made"
            return row._replace(status=fact.status, settled_at=event.occurred_at)
        case _:
            assert_never(fact)


# A meeting without an end is taken to last so long, until it is reported started or ended.
ASSUMED_LENGTH = timedelta(hours=1)
# Days are the user's, whatever the zone: two more on both sides. Without a window what is over
# counts while its week lasts.
_MARGIN = "interval '2 days'"
_WEEK = "interval '9 days'"
_END = f"coalesce(t.end_at, t.start_at + interval '{ASSUMED_LENGTH.seconds} seconds')"
WORK_MEETING = Table(
    "work_meeting",
    kind="meeting",
    member="work_index",
    row=MeetingRow,
    fold=fold_meeting,
    timely=f"""(t.recurrence IS NOT NULL OR t.status = 'started'
                   OR ({_END} >= coalesce(v_from - {_MARGIN}, v_now - {_WEEK})
                       AND (v_to IS NULL OR t.start_at < v_to + {_MARGIN})))""",
)
WORK_COMMITMENT = Table(
    "work_commitment",
    kind="commitment",
    member="work_index",
    row=CommitmentRow,
    fold=fold_commitment,
    timely="CASE WHEN v_id IS NULL THEN t.status = 'open' ELSE t.meeting_id = v_id END",
)
TABLES = (WORK_MEETING, WORK_COMMITMENT)
