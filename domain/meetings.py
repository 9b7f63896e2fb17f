"""Meetings: when they are, what was said and promised, and how each promise came out.

A recurring meeting is one meeting with its rule as given. The facts stand in meeting_facts.py
and are named here again, so that `domain.meetings` is the one place to import them from.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, assert_never

from pydantic import Field

from workindex.domain.changes import asked_changes, given
from workindex.domain.errors import CommandRefused
from workindex.domain.facts import At, Command, Concept, Entity, Fact, Id, Text, Title, World
from workindex.domain.meeting_facts import (
    CHANGEABLE,
    CommitmentMade,
    CommitmentSettled,
    CommitmentState,
    MeetingCancelled,
    MeetingChanged,
    MeetingEnded,
    MeetingNotesWritten,
    MeetingScheduled,
    MeetingStarted,
    MeetingState,
    Participants,
    Settlement,
    TranscriptAttached,
    evolve,
    evolve_commitment,
)
from workindex.domain.recurrence import Recurrence
from workindex.domain.users import KnownZone

__all__ = [
    "MEETINGS",
    "AttachTranscript",
    "CancelMeeting",
    "ChangeMeeting",
    "CommitmentMade",
    "CommitmentSettled",
    "CommitmentState",
    "EndMeeting",
    "MakeCommitment",
    "MeetingCancelled",
    "MeetingChanged",
    "MeetingEnded",
    "MeetingNotesWritten",
    "MeetingScheduled",
    "MeetingStarted",
    "MeetingState",
    "ScheduleMeeting",
    "SettleCommitment",
    "StartMeeting",
    "TranscriptAttached",
    "WriteMeetingNotes",
]


class MeetingCommand(Command):
    """A command about one meeting that exists."""

    meeting_id: Id

    @property
    def stream(self) -> str:
        return f"meeting/{self.meeting_id}"


class ScheduleMeeting(Command):
    type: Literal["schedule_meeting"] = "schedule_meeting"
    new_ids: ClassVar[tuple[str, ...]] = ("meeting_id",)
    meeting_id: Id | None = None
    title: Title
    start_at: At
    end_at: At | None = None
    time_zone: KnownZone | None = None
    location: Title | None = None
    participants: Participants = ()
    agenda: Text | None = None
    recurrence: Recurrence | None = None
    source: Id | None = None

    @property
    def stream(self) -> str:
        return f"meeting/{self.meeting_id}"

    @property
    def is_blind(self) -> bool:
        return True


class ChangeMeeting(MeetingCommand):
    type: Literal["change_meeting"] = "change_meeting"
    title: Title | None = None
    start_at: At | None = None
    end_at: At | None = None
    time_zone: KnownZone | None = None
    location: Title | None = None
    participants: Participants | None = None
    agenda: Text | None = None
    recurrence: Recurrence | None = None
    source: Id | None = None


class StartMeeting(MeetingCommand):
    type: Literal["start_meeting"] = "start_meeting"


class EndMeeting(MeetingCommand):
    type: Literal["end_meeting"] = "end_meeting"


class CancelMeeting(MeetingCommand):
    type: Literal["cancel_meeting"] = "cancel_meeting"
    reason: Text | None = None


class WriteMeetingNotes(MeetingCommand):
    type: Literal["write_meeting_notes"] = "write_meeting_notes"
    notes: Text


class AttachTranscript(MeetingCommand):
    type: Literal["attach_transcript"] = "attach_transcript"
    artifact_id: Id
    turns: Annotated[int, Field(ge=0, le=10_000_000)] | None = None


class MakeCommitment(MeetingCommand):
    type: Literal["make_commitment"] = "make_commitment"
    new_ids: ClassVar[tuple[str, ...]] = ("commitment_id",)
    commitment_id: Id | None = None
    text: Text
    owner: Title | None = None
    due_at: At | None = None
    task_id: Id | None = None

    def reads(self, world: World) -> Iterable[str]:
        return (*super().reads(world), f"commitment/{self.commitment_id}")


class SettleCommitment(MeetingCommand):
    type: Literal["settle_commitment"] = "settle_commitment"
    commitment_id: Id
    status: Settlement
    reason: Text | None = None

    def reads(self, world: World) -> Iterable[str]:
        return (*super().reads(world), f"commitment/{self.commitment_id}")


MeetingCommands = (
    ScheduleMeeting
    | ChangeMeeting
    | StartMeeting
    | EndMeeting
    | CancelMeeting
    | WriteMeetingNotes
    | AttachTranscript
    | MakeCommitment
    | SettleCommitment
)


def decide(world: World, command: MeetingCommands, now: datetime) -> list[Fact]:
    """The facts that the command brings about, none where nothing would change."""
    meeting_id = command.meeting_id
    assert meeting_id is not None, "the runtime fills new ids"
    meeting = world.get(command.stream, MeetingState)
    if isinstance(command, ScheduleMeeting):
        return _schedule(meeting, meeting_id, command)
    if meeting is None:
        raise CommandRefused(
            "unknown_meeting",
            f"there is no meeting {meeting_id}: schedule it first",
            field="meeting_id",
        )
    match command:
        case CancelMeeting():
            return _cancel(meeting, command)
        case _ if meeting.status == "cancelled":
            raise CommandRefused(
                "meeting_cancelled",
                f"meeting {meeting_id} is cancelled: give schedule_meeting to hold it after all",
                field="meeting_id",
            )
        case ChangeMeeting():
            return _change(meeting, command)
        case StartMeeting():
            return _start(meeting)
        case EndMeeting():
            is_over = meeting.status == "ended"
            return [] if is_over else [MeetingEnded(meeting_id=meeting_id)]
        case WriteMeetingNotes(notes=notes):
            is_same = notes == meeting.notes
            return [] if is_same else [MeetingNotesWritten(meeting_id=meeting_id, notes=notes)]
        case AttachTranscript():
            return _attach(meeting, command)
        case MakeCommitment():
            return _commit(world, command)
        case SettleCommitment():
            return _settle(world, command)
        case _:
            assert_never(command)


def _schedule(
    meeting: MeetingState | None, meeting_id: str, command: ScheduleMeeting
) -> list[Fact]:
    if meeting is not None and meeting.status != "cancelled":
        raise CommandRefused(
            "meeting_exists",
            f"meeting {meeting_id} exists already: move it with change_meeting",
            field="meeting_id",
        )
    _check_end(meeting_id, command.start_at, command.end_at)
    return [MeetingScheduled(meeting_id=meeting_id, **given(command, CHANGEABLE))]


def _check_end(meeting_id: str, start_at: datetime, end_at: datetime | None) -> None:
    if end_at is not None and end_at < start_at:
        raise CommandRefused(
            "end_before_start",
            f"meeting {meeting_id} would end at {end_at}, before it starts at {start_at}: "
            f"give an end_at that is not earlier",
            field="end_at",
        )


def _change(meeting: MeetingState, command: ChangeMeeting) -> list[Fact]:
    changes: dict[str, Any] = asked_changes(
        command, meeting, CHANGEABLE, never_empty=("title", "start_at")
    )
    if not changes:
        return []
    ends = None if "end_at" in changes["cleared"] else changes.get("end_at", meeting.end_at)
    _check_end(meeting.meeting_id, changes.get("start_at", meeting.start_at), ends)
    return [MeetingChanged(meeting_id=meeting.meeting_id, **changes)]


def _start(meeting: MeetingState) -> list[Fact]:
    if meeting.status == "ended":
        raise _ended(meeting)
    is_running = meeting.status == "started"
    return [] if is_running else [MeetingStarted(meeting_id=meeting.meeting_id)]


def _cancel(meeting: MeetingState, command: CancelMeeting) -> list[Fact]:
    if meeting.status == "ended":
        raise _ended(meeting)
    if meeting.status == "cancelled":
        return []
    return [MeetingCancelled(meeting_id=meeting.meeting_id, reason=command.reason)]


def _ended(meeting: MeetingState) -> CommandRefused:
    return CommandRefused(
        "meeting_ended",
        f"meeting {meeting.meeting_id} has ended: schedule another one",
        field="meeting_id",
    )


def _attach(meeting: MeetingState, command: AttachTranscript) -> list[Fact]:
    if command.artifact_id in meeting.transcripts:
        return []
    attached = TranscriptAttached(
        meeting_id=meeting.meeting_id, artifact_id=command.artifact_id, turns=command.turns
    )
    return [attached]


def _commit(world: World, command: MakeCommitment) -> list[Fact]:
    commitment_id = command.commitment_id
    assert commitment_id is not None, "the runtime fills new ids"
    held = world.get(f"commitment/{commitment_id}", CommitmentState)
    if held is not None:
        raise CommandRefused(
            "commitment_exists",
            f"commitment {commitment_id} was made in meeting {held.meeting_id}: "
            f"choose another commitment_id",
            field="commitment_id",
        )
    made = CommitmentMade(
        meeting_id=command.meeting_id,
        commitment_id=commitment_id,
        text=command.text,
        owner=command.owner,
        due_at=command.due_at,
        task_id=command.task_id,
    )
    return [made]


def _settle(world: World, command: SettleCommitment) -> list[Fact]:
    held = world.get(f"commitment/{command.commitment_id}", CommitmentState)
    if held is None or held.meeting_id != command.meeting_id:
        raise CommandRefused(
            "unknown_commitment",
            f"meeting {command.meeting_id} has no commitment {command.commitment_id}: "
            f"look the id up in the index",
            field="commitment_id",
        )
    if held.status == command.status:
        return []
    if held.status != "open":
        raise CommandRefused(
            "commitment_settled",
            f"commitment {command.commitment_id} is {held.status} already: make a new one",
            field="commitment_id",
        )
    settled = CommitmentSettled(
        meeting_id=command.meeting_id,
        commitment_id=command.commitment_id,
        status=command.status,
        reason=command.reason,
    )
    return [settled]


MEETINGS = Concept(
    "meetings",
    facts=(
        MeetingScheduled,
        MeetingChanged,
        MeetingStarted,
        MeetingEnded,
        MeetingCancelled,
        MeetingNotesWritten,
        TranscriptAttached,
        CommitmentMade,
        CommitmentSettled,
    ),
    commands=(
        ScheduleMeeting,
        ChangeMeeting,
        StartMeeting,
        EndMeeting,
        CancelMeeting,
        WriteMeetingNotes,
        AttachTranscript,
        MakeCommitment,
        SettleCommitment,
    ),
    entities=(
        Entity("meeting", MeetingState, evolve),
        Entity("commitment", CommitmentState, evolve_commitment),
    ),
    decide=decide,
)
