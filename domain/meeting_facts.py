"""What can happen to a meeting and to the commitments made in it, and what decisions remember.

A commitment is an entity of its own, but its facts stand in the stream of its meeting.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple, Protocol, assert_never, cast

from pydantic import Field

from workindex.domain.changes import changed_columns, plain
from workindex.domain.facts import At, Event, Fact, Id, Text, Title
from workindex.domain.recurrence import Recurrence
from workindex.domain.users import ZoneName

CHANGEABLE = (
    "title",
    "start_at",
    "end_at",
    "time_zone",
    "location",
    "participants",
    "agenda",
    "recurrence",
    "source",
)
Participants = Annotated[tuple[Title, ...], Field(max_length=2_000)]
Cleared = Annotated[tuple[Id, ...], Field(max_length=50)]
Settlement = Literal["kept", "broken", "withdrawn"]


class MeetingFact(Fact):
    """A fact in a meeting's stream."""

    meeting_id: Id

    @property
    def stream(self) -> str:
        return f"meeting/{self.meeting_id}"


class MeetingScheduled(MeetingFact):
    """The meeting is to take place; a cancelled one may be scheduled again."""

    type: Literal["meeting_scheduled"] = "meeting_scheduled"
    title: Title
    start_at: At
    end_at: At | None = None
    time_zone: ZoneName | None = None
    location: Title | None = None
    participants: Participants = ()
    agenda: Text | None = None
    recurrence: Recurrence | None = None
    source: Id | None = None


class MeetingChanged(MeetingFact):
    """Some of its descriptive fields changed; null means unchanged, `cleared` names the emptied."""

    type: Literal["meeting_changed"] = "meeting_changed"
    title: Title | None = None
    start_at: At | None = None
    end_at: At | None = None
    time_zone: ZoneName | None = None
    location: Title | None = None
    participants: Participants | None = None
    agenda: Text | None = None
    recurrence: Recurrence | None = None
    source: Id | None = None
    cleared: Cleared = ()


class MeetingStarted(MeetingFact):
    type: Literal["meeting_started"] = "meeting_started"


class MeetingEnded(MeetingFact):
    type: Literal["meeting_ended"] = "meeting_ended"


class MeetingCancelled(MeetingFact):
    type: Literal["meeting_cancelled"] = "meeting_cancelled"
    reason: Text | None = None


class MeetingNotesWritten(MeetingFact):
    """The whole notes, replacing those before."""

    type: Literal["meeting_notes_written"] = "meeting_notes_written"
    notes: Text


class TranscriptAttached(MeetingFact):
    """A transcript was stored as an artifact; `turns` is how many turns it has."""

    type: Literal["transcript_attached"] = "transcript_attached"
    artifact_id: Id
    turns: Annotated[int, Field(ge=0, le=10_000_000)] | None = None


class CommitmentFact(MeetingFact):
    """A fact about a commitment made in the meeting."""

    commitment_id: Id

    @property
    def touches(self) -> tuple[str, ...]:
        return (self.stream, f"commitment/{self.commitment_id}")


class CommitmentMade(CommitmentFact):
    """Somebody promised something; `task_id` names the task that keeps it, if there is one."""

    type: Literal["commitment_made"] = "commitment_made"
    text: Text
    owner: Title | None = None
    due_at: At | None = None
    task_id: Id | None = None


class CommitmentSettled(CommitmentFact):
    type: Literal["commitment_settled"] = "commitment_settled"
    status: Settlement
    reason: Text | None = None


MeetingFacts = (
    MeetingScheduled
    | MeetingChanged
    | MeetingStarted
    | MeetingEnded
    | MeetingCancelled
    | MeetingNotesWritten
    | TranscriptAttached
    | CommitmentMade
    | CommitmentSettled
)


class MeetingState(NamedTuple):
    """One meeting as decisions see it; every field is a column of its row."""

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


class CommitmentState(NamedTuple):
    """One commitment as decisions see it."""

    commitment_id: str
    meeting_id: str
    status: str


class MeetingColumns(Protocol):
    """What `consequences` reads: a MeetingState or a row of the Work Index."""

    @property
    def transcripts(self) -> list[str]: ...


def evolve(state: MeetingState | None, event: Event) -> MeetingState:
    """The meeting after the event."""
    if state is None:
        assert isinstance(event.fact, MeetingScheduled), event.fact
        return MeetingState(**first_columns(event.fact))
    return state._replace(**consequences(state, event))


def first_columns(fact: MeetingScheduled) -> dict[str, Any]:
    """The shared columns of a fresh meeting."""
    return {
        "meeting_id": fact.meeting_id,
        **scheduled_columns(fact),
        "notes": None,
        "transcripts": [],
    }


def scheduled_columns(fact: MeetingScheduled) -> dict[str, Any]:
    """The columns that scheduling sets, the first time and after a cancellation."""
    return {
        **{name: plain(getattr(fact, name)) for name in CHANGEABLE},
        "status": "scheduled",
    }


def consequences(meeting: MeetingColumns, event: Event) -> dict[str, Any]:
    """The shared columns that the event changes, with their new values."""
    fact = cast(MeetingFacts, event.fact)
    match fact:
        case MeetingScheduled():
            return scheduled_columns(fact)
        case MeetingChanged():
            return changed_columns(fact, CHANGEABLE)
        case MeetingStarted():
            return {"status": "started"}
        case MeetingEnded():
            return {"status": "ended"}
        case MeetingCancelled():
            return {"status": "cancelled"}
        case MeetingNotesWritten():
            return {"notes": fact.notes}
        case TranscriptAttached():
            return {"transcripts": [*meeting.transcripts, fact.artifact_id]}
        case CommitmentMade() | CommitmentSettled():
            return {}
        case _:
            assert_never(fact)


def evolve_commitment(state: CommitmentState | None, event: Event) -> CommitmentState:
    """The commitment after the event."""
    fact = cast(CommitmentMade | CommitmentSettled, event.fact)
    match fact:
        case CommitmentMade():
            return CommitmentState(fact.commitment_id, fact.meeting_id, "open")
        case CommitmentSettled():
            assert state is not None, fact
            return state._replace(status=fact.status)
        case _:
            assert_never(fact)
