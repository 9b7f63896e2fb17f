"""How do meetings with transcripts get into the log? Body first, then the facts that name it.

The commands of a meeting are the difference between its row and its file, stored together; so an
import that was cut off goes on where it was, and one that is run again changes nothing. The
transcript is named by its content: another one of the same meeting is attached beside the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from workindex.domain.artifacts import StoreArtifact
from workindex.domain.errors import InvalidInput, Unavailable, WorkindexError
from workindex.domain.facts import Command
from workindex.domain.meetings import (
    AttachTranscript,
    ChangeMeeting,
    EndMeeting,
    ScheduleMeeting,
)
from workindex.eventlog.content import Body, body_of
from workindex.projections.planning import Entry
from workindex.service.client import UserScope
from workindex.service.importers.files import files_of
from workindex.service.importers.qmsum_files import Transcript, read_transcript
from workindex.service.importers.report import Account, FileCount, Report
from workindex.service.importers.session import Group, Item, Order, Session, Told

COVERS = frozenset({"meetings"})
ENDINGS = (".json", ".json.gz")
# The files do not say when their meetings were: a time that nobody takes for a real one.
UNKNOWN_AT = datetime(1970, 1, 1, tzinfo=UTC)
Row = Mapping[str, Any]


class Found(NamedTuple):
    """One file's meeting, its body and the commands that bring it in."""

    transcript: Transcript
    body: Body
    commands: list[Command]


def import_qmsum(
    scope: UserScope,
    order: Order,
    held_at: datetime | None = None,
    told: Told = lambda _: None,
) -> Report:
    """Brings the meetings of the files, one each, with their transcripts.

    Raises: InvalidInput where the paths name no files; NotReady where the user's rows cannot be
    trusted; Unavailable.
    """
    session = Session(scope, order, COVERS)
    meetings = session.begin().sections["meetings"]
    rows = {row["meeting_id"]: row for row in meetings if row["source"] == order.source}
    account = Account(session)
    found: list[Found] = []
    for path in files_of(order.paths, ENDINGS):
        try:
            transcript = read_transcript(path)
            _check_twin(transcript, found)
            session.check_owner(f"meeting/{transcript.name}", transcript.place)
            body = body_of(transcript.parts)
            row = rows.get(transcript.name)
            commands = list(plan_meeting(transcript, body, row, order.source, held_at))
            if any(isinstance(command, StoreArtifact) for command in commands):
                scope.bodies.store(transcript.parts, transcript.media_type)
        except Unavailable:
            raise
        except WorkindexError as error:
            session.reject(str(path), error)
            account.files.append(FileCount(str(path), {"meetings": 0}, 0, 0, rejected=1))
        else:
            # The parts are stored; from here on the hash stands for them.
            found.append(Found(transcript._replace(parts=[]), body, commands))
    groups = [_group(one, held_at) for one in found if one.commands]
    stored = session.record_groups(groups, told)
    for one in found:
        account.files.append(_count(one, stored[one.transcript.name]))
    session.end()
    return account.report()


def _check_twin(transcript: Transcript, found: list[Found]) -> None:
    twin = next((one for one in found if one.transcript.name == transcript.name), None)
    if twin is not None:
        raise InvalidInput(
            f"{transcript.place}: meeting {transcript.name} stands twice, first in "
            f"{twin.transcript.place}: rename one of the files"
        )


def plan_meeting(
    transcript: Transcript, body: Body, row: Row | None, source: str, held_at: datetime | None
) -> Iterator[Command]:
    """What the meeting's file says that its row does not; one that was cancelled here stays so."""
    name, speakers = transcript.name, transcript.speakers
    if row is None:
        yield ScheduleMeeting(
            meeting_id=name,
            title=name,
            start_at=held_at or UNKNOWN_AT,
            participants=speakers,
            source=source,
        )
    elif row["status"] == "cancelled":
        return
    else:
        changes: dict[str, Any] = {}
        if tuple(row["participants"]) != speakers:
            changes["participants"] = speakers
        if held_at is not None and datetime.fromisoformat(row["start_at"]) != held_at:
            changes["start_at"] = held_at
        if changes:
            yield ChangeMeeting(meeting_id=name, **changes)
    if row is None or row["status"] != "ended":
        yield EndMeeting(meeting_id=name)
    artifact_id = artifact_id_of(transcript, body)
    if row is None or artifact_id not in row["transcripts"]:
        yield StoreArtifact(
            artifact_id=artifact_id,
            title=f"Transcript of {name}",
            media_type=transcript.media_type,
            summary=f"{transcript.turns} turns of {len(speakers)} speakers",
            meeting_id=name,
            source=source,
            **body._asdict(),
        )
        yield AttachTranscript(meeting_id=name, artifact_id=artifact_id, turns=transcript.turns)


def artifact_id_of(transcript: Transcript, body: Body) -> str:
    """The id of the transcript's artifact: it holds its content's hash."""
    return f"{transcript.name[:150]}-transcript-{body.sha256[:16]}"


def _group(found: Found, held_at: datetime | None) -> Group:
    at = held_at or UNKNOWN_AT
    place = found.transcript.place
    return Group(
        found.transcript.name,
        [
            Item(place, Entry(command, occurred_at=_happened(command, at)))
            for command in found.commands
        ],
    )


def _happened(command: Command, held_at: datetime) -> datetime | None:
    """A meeting ended when it was held; what else is told happens with the import."""
    return held_at if isinstance(command, EndMeeting) else None


def _count(found: Found, stored: int) -> FileCount:
    transcript = found.transcript
    counts = {"meetings": 1, "speakers": len(transcript.speakers), "turns": transcript.turns}
    is_refused = bool(found.commands) and not stored
    return FileCount(
        file=transcript.place,
        found=counts,
        new=stored,
        already=0 if found.commands else 1,
        rejected=int(is_refused),
    )
