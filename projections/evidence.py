"""Evidence: documents that can be searched, out of messages, claims, artifacts and transcripts.

The set `evidence` follows the log behind the append. One event of the log makes or ends many
documents, so before the fold it is told apart into one event a document (`Told`), which carries
the document's text: the bodies of artifacts lie outside the log, and a fold reads nothing. Which
documents a source has follows from its first fact alone, so that its end removes exactly them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any, Final, NamedTuple, cast

import orjson

from workindex.domain.artifacts import ArtifactForgotten, ArtifactStored
from workindex.domain.conversations import MessagePosted, MessageRedacted
from workindex.domain.facts import Event, Fact
from workindex.domain.meetings import TranscriptAttached
from workindex.domain.memory import ClaimRecorded, ClaimSuperseded, ClaimWithdrawn
from workindex.eventlog.transcripts import Turn, turns_per_part
from workindex.projections.table import Table

SEGMENT_CHARS: Final = 2_000
SEGMENT_TURNS: Final = 10
# What lies further back in a source is not searched.
SEGMENTS_MAX: Final = 2_000
BORDER_CHARS: Final = 300  # how far before its place a cut may look for a space
_SPACE = re.compile(r"\s")
_TEXT_TYPE = re.compile(
    r"text/.+|application/(?:.+\+)?(?:json|xml|yaml|x-ndjson|x-yaml|toml|markdown)", re.IGNORECASE
)

Origin = MessagePosted | ClaimRecorded | ArtifactStored
ORIGINS: Final = (MessagePosted, ClaimRecorded, ArtifactStored)
ENDINGS: Final = (MessageRedacted, ClaimSuperseded, ClaimWithdrawn, ArtifactForgotten)
Body = str | Sequence[Turn] | None


class DocumentRow(NamedTuple):
    """One document: a whole source or one segment of it.

    `source_kind` is message, claim, artifact or transcript; `source_id` is the id of the message,
    the claim or the artifact. `source` names the import that it came by. Segment 0 of an artifact
    holds its title and summary. Turns count from 0, both ends included.
    """

    id: str
    text: str
    source_kind: str
    source_id: str
    segment: int
    first_turn: int | None
    last_turn: int | None
    thread_id: str | None
    meeting_id: str | None
    task_id: str | None
    subject: str | None
    role: str | None
    source: str | None
    sensitivity: str
    occurred_at: datetime
    expires_at: datetime | None


@dataclass(frozen=True)
class Told:
    """What one event means for one document; it stands in for the event's fact.

    `origin` is the first fact of the source; `text` is the document's, None where the event gives
    it none.
    """

    fact: Fact
    origin: Origin
    segment: int
    text: str | None = None

    @property
    def type(self) -> str:
        """The type of the fact."""
        return self.fact.type

    @property
    def stream(self) -> str:
        """The stream of the fact."""
        return self.fact.stream

    @property
    def id(self) -> str:
        """The document's id: `message/M-1`, `artifact/F-1#3`."""
        place = f"#{self.segment}" if self.segment else ""
        return f"{self.origin.stream}{place}"

    @property
    def touches(self) -> tuple[str, ...]:
        """The one row that this changes."""
        return (f"document/{self.id}",)


def source_stream(fact: Fact) -> str | None:
    """The stream of the source whose documents the fact changes, None where it changes none."""
    if isinstance(fact, TranscriptAttached):
        return f"artifact/{fact.artifact_id}"
    return fact.stream if isinstance(fact, ORIGINS + ENDINGS) else None


def has_body(origin: Origin) -> bool:
    """Whether documents are made out of the body that the fact names."""
    return isinstance(origin, ArtifactStored) and segments_of(origin) > 1


def tell(event: Event, origin: Origin, body: Body) -> list[Event]:
    """The event once for each document of its source; `body` is that of an artifact, if it is
    there. Its turns may be missing at the end."""
    count = segments_of(origin)
    texts: Sequence[str] = ()
    if event.fact is origin:
        texts = _texts(origin, body, count)
    told = []
    for segment in range(count):
        text = texts[segment] if segment < len(texts) else None
        fact = Told(event.fact, origin, segment, text if text and text.strip() else None)
        told.append(event._replace(fact=cast(Fact, fact)))
    return told


def segments_of(origin: Origin) -> int:
    """How many documents the source has at most, by its first fact alone."""
    match origin:
        case MessagePosted(text=text):
            count = _pieces(len(text))
        case ClaimRecorded():
            count = _pieces(len(_claim_text(origin)))
        case ArtifactStored(media_type=media, parts=parts, size_bytes=size):
            count = 1
            if (each := turns_per_part(media)) is not None:
                count += ceil(parts * each / SEGMENT_TURNS)
            elif _TEXT_TYPE.fullmatch(media.partition(";")[0]):
                count += ceil(size / SEGMENT_CHARS)  # a character takes at least one byte
    return min(count, SEGMENTS_MAX)


def cut(text: str) -> list[str]:
    """The text in segments of about SEGMENT_CHARS, as many as its length says, none lost.

    A cut moves back to a space, if there is one nearby.
    """
    borders = [0]
    for place in range(SEGMENT_CHARS, len(text), SEGMENT_CHARS):
        near = [m.end() for m in _SPACE.finditer(text, place - BORDER_CHARS, place)]
        borders.append(near[-1] if near else place)
    return [text[a:b] for a, b in zip(borders, [*borders[1:], len(text)], strict=True)]


def fold_document(row: DocumentRow | None, event: Event) -> DocumentRow | None:
    """The row of one document after one more event."""
    told = cast(Told, event.fact)
    match told.fact:
        case MessagePosted() | ClaimRecorded() | ArtifactStored():
            return None if told.text is None else _made(told, told.text, event)
        case TranscriptAttached(meeting_id=meeting_id):
            if row is None or row.meeting_id is not None:
                return row
            return row._replace(meeting_id=meeting_id)
        case MessageRedacted() | ClaimSuperseded() | ClaimWithdrawn() | ArtifactForgotten():
            return None
        case _:
            raise AssertionError(f"{told.type} makes no document")


def _made(told: Told, text: str, event: Event) -> DocumentRow:
    """The document of a first fact."""
    kind, _, source_id = told.origin.stream.partition("/")
    row = DocumentRow(
        id=told.id,
        text=text,
        source_kind=kind,
        source_id=source_id,
        segment=told.segment,
        first_turn=None,
        last_turn=None,
        thread_id=None,
        meeting_id=None,
        task_id=None,
        subject=None,
        role=None,
        source=None,
        sensitivity=told.origin.sensitivity,
        occurred_at=event.occurred_at,
        expires_at=None,
    )
    return row._replace(**_details(told))


def _details(told: Told) -> dict[str, Any]:
    """What only one kind of source has."""
    match told.origin:
        case MessagePosted() as posted:
            return {"thread_id": posted.thread_id, "role": posted.role}
        case ClaimRecorded() as claim:
            return {"subject": claim.subject, "expires_at": claim.expires_at}
        case ArtifactStored() as artifact:
            found = {name: getattr(artifact, name) for name in ("meeting_id", "task_id", "source")}
            if told.segment and turns_per_part(artifact.media_type) is not None:
                first = (told.segment - 1) * SEGMENT_TURNS
                last = first + SEGMENT_TURNS - 1
                found |= {"source_kind": "transcript", "first_turn": first, "last_turn": last}
            return found


def _texts(origin: Origin, body: Body, count: int) -> list[str]:
    match origin:
        case MessagePosted(text=text):
            return cut(text)[:count]
        case ClaimRecorded():
            return cut(_claim_text(origin))[:count]
        case ArtifactStored(title=title, summary=summary):
            told = [title if summary is None else f"{title}\n{summary}"]
            if isinstance(body, str):
                told += cut(body)
            elif body is not None:
                told += _spoken(body, count - 1)
            return [text.replace("\0", " ") for text in told[:count]]


def _spoken(turns: Sequence[Turn], count: int) -> Iterator[str]:
    """What was said in each run of SEGMENT_TURNS turns."""
    said: list[list[str]] = [[] for _ in range(count)]
    for turn in turns:
        place = turn.number // SEGMENT_TURNS
        if 0 <= place < count:
            said[place].append(f"{turn.speaker}: {turn.text}")
    return ("\n".join(lines) for lines in said)


def _pieces(chars: int) -> int:
    return max(1, ceil(chars / SEGMENT_CHARS))


def _claim_text(claim: ClaimRecorded) -> str:
    value = claim.value if isinstance(claim.value, str) else orjson.dumps(claim.value).decode()
    return f"{claim.subject} {claim.attribute}: {value}"


DOCUMENT = Table(
    "document",
    kind="document",
    member="evidence",
    row=DocumentRow,
    fold=fold_document,
    indexes=(("source_id",), ("thread_id",), ("meeting_id",), ("task_id",)),
    searched="text",
)
TABLES = (DOCUMENT,)
