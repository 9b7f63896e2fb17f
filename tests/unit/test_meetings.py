"""Meetings and commitments: what each command brings about in each state."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from driver import NOW, Driver, at
from workindex.domain.facts import EVERY_ACTOR, ActorKind, Command
from workindex.domain.meetings import (
    MEETINGS,
    AttachTranscript,
    CancelMeeting,
    ChangeMeeting,
    CommitmentMade,
    CommitmentSettled,
    EndMeeting,
    MakeCommitment,
    MeetingChanged,
    MeetingStarted,
    ScheduleMeeting,
    SettleCommitment,
    StartMeeting,
    WriteMeetingNotes,
)
from workindex.domain.recurrence import Recurrence
from workindex.projections.meetings import TABLES

TEN, ELEVEN, NOON = at("10:00"), at("11:00"), at("12:00")
REVIEW = ScheduleMeeting(
    meeting_id="M",
    title="Review",
    start_at=TEN,
    end_at=ELEVEN,
    time_zone="Europe/Berlin",
    participants=("Ann", "Bo"),
)
PROMISE = MakeCommitment(meeting_id="M", commitment_id="C", text="Send the numbers", owner="Ann")
ON_ONE: tuple[Command, ...] = (
    ChangeMeeting(meeting_id="M", title="Short review"),
    StartMeeting(meeting_id="M"),
    EndMeeting(meeting_id="M"),
    CancelMeeting(meeting_id="M", reason="ill"),
    WriteMeetingNotes(meeting_id="M", notes="fine"),
    AttachTranscript(meeting_id="M", artifact_id="F", turns=12),
    PROMISE,
    SettleCommitment(meeting_id="M", commitment_id="C0", status="kept"),
)


def named(command: object) -> str:
    return type(command).__name__


@pytest.fixture
def driver() -> Driver:
    return Driver([MEETINGS], TABLES)


@pytest.fixture
def meeting(driver: Driver) -> Driver:
    """A driver whose log holds the meeting M and its commitment C0."""
    promise = MakeCommitment(meeting_id="M", commitment_id="C0", text="Book a room")
    return driver.given(REVIEW, promise)


@pytest.mark.parametrize("command", ON_ONE, ids=named)
def test_a_meeting_that_is_not_there_takes_no_command(driver: Driver, command: Command) -> None:
    """Nothing is scheduled by accident."""
    assert driver.refusal(command) == "unknown_meeting"


# What each command comes to: a number of facts or the refusal.
TABLE: dict[str, dict[str, int | str]] = {
    "started": {"StartMeeting": 0},
    "ended": {
        "StartMeeting": "meeting_ended",
        "EndMeeting": 0,
        "CancelMeeting": "meeting_ended",
    },
    "cancelled": {
        **{named(command): "meeting_cancelled" for command in ON_ONE},
        "CancelMeeting": 0,
    },
}


@pytest.mark.parametrize("status", ["scheduled", "started", "ended", "cancelled"])
@pytest.mark.parametrize("command", ON_ONE, ids=named)
def test_what_a_meeting_takes_in_each_state(meeting: Driver, status: str, command: Command) -> None:
    """One fact, but for the table above."""
    before: dict[str, Command] = {
        "started": StartMeeting(meeting_id="M"),
        "ended": EndMeeting(meeting_id="M"),
        "cancelled": CancelMeeting(meeting_id="M"),
    }
    if status in before:
        meeting.do(before[status])
    assert meeting.row("meeting/M").status == status
    expected = TABLE.get(status, {}).get(named(command), 1)
    if isinstance(expected, str):
        assert meeting.refusal(command) == expected
    else:
        assert len(meeting.do(command)) == expected


@pytest.mark.parametrize("kind", sorted(EVERY_ACTOR))
@pytest.mark.parametrize("command", ON_ONE, ids=named)
def test_every_actor_may_report_on_meetings(
    meeting: Driver, kind: ActorKind, command: Command
) -> None:
    """Who may do what on meetings: everybody everything."""
    assert len(meeting.do(command, by=kind)) == 1


def test_the_row_tells_the_meeting(meeting: Driver) -> None:
    """Times are the world's, the revision is the stream's."""
    meeting.do(StartMeeting(meeting_id="M"), now=at("10:02"))
    meeting.do(WriteMeetingNotes(meeting_id="M", notes="fine"))
    meeting.do(AttachTranscript(meeting_id="M", artifact_id="F"))
    assert meeting.do(AttachTranscript(meeting_id="M", artifact_id="F")) == []
    assert meeting.do(WriteMeetingNotes(meeting_id="M", notes="fine")) == []
    meeting.do(EndMeeting(meeting_id="M"), now=at("10:58"))
    row = meeting.row("meeting/M")
    assert (row.status, row.started_at, row.ended_at) == ("ended", at("10:02"), at("10:58"))
    assert (row.notes, row.transcripts, row.revision) == ("fine", ["F"], 6)
    assert (row.participants, row.time_zone) == (["Ann", "Bo"], "Europe/Berlin")


def test_an_end_is_not_before_the_start(meeting: Driver) -> None:
    """Equal is allowed; a change is judged by what it leaves."""
    early = ScheduleMeeting(meeting_id="N", title="n", start_at=ELEVEN, end_at=TEN)
    assert meeting.refusal(early) == "end_before_start"
    assert meeting.refusal(ChangeMeeting(meeting_id="M", start_at=NOON)) == "end_before_start"
    assert len(meeting.do(ChangeMeeting(meeting_id="M", start_at=ELEVEN))) == 1
    assert meeting.do(ChangeMeeting(meeting_id="M", start_at=NOON, end_at=None)) == [
        MeetingChanged(meeting_id="M", start_at=NOON, cleared=("end_at",))
    ]
    assert meeting.row("meeting/M").end_at is None


def test_a_recurrence_is_kept_as_given(driver: Driver) -> None:
    """No fold expands a rule."""
    rule = Recurrence(rrule="FREQ=WEEKLY;BYDAY=TU", exdates=("20260310T100000",))
    driver.do(ScheduleMeeting(meeting_id="M", title="m", start_at=TEN, recurrence=rule))
    assert driver.row("meeting/M").recurrence == {
        "rrule": "FREQ=WEEKLY;BYDAY=TU",
        "exdates": ["20260310T100000"],
        "rdates": [],
    }
    assert driver.do(ChangeMeeting(meeting_id="M", recurrence=rule)) == []
    assert len(driver.do(ChangeMeeting(meeting_id="M", recurrence=None))) == 1


def test_a_cancelled_meeting_may_be_scheduled_again(meeting: Driver) -> None:
    """It keeps its notes; one that is on is scheduled once."""
    assert meeting.refusal(REVIEW) == "meeting_exists"
    meeting.given(
        WriteMeetingNotes(meeting_id="M", notes="prepare"),
        CancelMeeting(meeting_id="M", reason="ill"),
    )
    row = meeting.row("meeting/M")
    assert (row.status, row.reason, row.ended_at) == ("cancelled", "ill", NOW)
    meeting.do(ScheduleMeeting(meeting_id="M", title="Review 2", start_at=NOON))
    row = meeting.row("meeting/M")
    assert (row.status, row.title, row.end_at, row.notes) == (
        "scheduled",
        "Review 2",
        None,
        "prepare",
    )
    assert (row.reason, row.ended_at, row.participants) == (None, None, [])
    assert meeting.do(StartMeeting(meeting_id="M")) == [MeetingStarted(meeting_id="M")]


def test_a_commitment_is_made_once_and_settled_once(meeting: Driver) -> None:
    """Its row is its own; its facts stand in the meeting's stream."""
    (made,) = meeting.do(PROMISE)
    assert isinstance(made, CommitmentMade)
    assert (made.stream, made.touches) == ("meeting/M", ("meeting/M", "commitment/C"))
    assert meeting.refusal(PROMISE) == "commitment_exists"
    keep = SettleCommitment(meeting_id="M", commitment_id="C", status="kept")
    assert meeting.do(keep, now=NOON) == [
        CommitmentSettled(meeting_id="M", commitment_id="C", status="kept")
    ]
    assert meeting.do(keep) == []
    broken = SettleCommitment(meeting_id="M", commitment_id="C", status="broken")
    assert meeting.refusal(broken) == "commitment_settled"
    row = meeting.row("commitment/C")
    assert (row.owner, row.status, row.made_at, row.settled_at) == ("Ann", "kept", NOW, NOON)


def test_a_commitment_belongs_to_its_meeting(meeting: Driver) -> None:
    """Another meeting neither settles it nor makes one of the same id."""
    meeting.do(ScheduleMeeting(meeting_id="N", title="n", start_at=TEN))
    other = SettleCommitment(meeting_id="N", commitment_id="C0", status="kept")
    assert meeting.refusal(other) == "unknown_commitment"
    unknown = SettleCommitment(meeting_id="M", commitment_id="X", status="kept")
    assert meeting.refusal(unknown) == "unknown_commitment"
    again = MakeCommitment(meeting_id="N", commitment_id="C0", text="x")
    assert meeting.refusal(again) == "commitment_exists"


@pytest.mark.parametrize(
    "fields",
    [
        {"time_zone": "Europe/Nowhere"},
        {"recurrence": {"rrule": "FREQ=WEEKLY;BYDAY"}},
        {"start_at": "2026-03-02T10:00:00"},
        {"start_at": "1066-10-14T10:00:00Z"},
        {"participants": ["x"] * 2_001},
    ],
)
def test_malformed_meetings(fields: dict[str, Any]) -> None:
    """Zones exist, rules are rules, times have a zone and a sensible year, lists have an end."""
    with pytest.raises(ValidationError):
        ScheduleMeeting.model_validate({"title": "t", "start_at": TEN, **fields})
