"""Which meeting does a QMSum file hold? Its turns, in order, and who speaks in them.

One JSON object a file; read is its list `meeting_transcripts` of {speaker, content}. Questions,
topics and summaries in it are what people wrote about the meeting later, and are left alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workindex.domain.errors import InvalidInput
from workindex.domain.facts import Id, Title
from workindex.domain.facts import Text as Body
from workindex.eventlog.content import PART_BYTES_MAX
from workindex.eventlog.transcripts import TURNS_PER_PART, Turn, media_type, to_parts
from workindex.service.importers.files import chunks
from workindex.service.ndjson import parse_object

FILE_BYTES_MAX = 256 * 1024 * 1024
TURNS_MAX = 1_000_000


class _Said(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    speaker: Title
    content: Body


class _Meeting(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    name: Id
    meeting_transcripts: Annotated[tuple[_Said, ...], Field(max_length=TURNS_MAX)]


class Transcript(NamedTuple):
    """One meeting; `name` is the file's, `parts` is the body that its turns are stored as."""

    place: str
    name: str
    speakers: tuple[str, ...]
    turns: int
    media_type: str
    parts: list[bytes]


def read_transcript(path: Path) -> Transcript:
    """The meeting of one file.

    Raises: InvalidInput naming the file, the turn and the field.
    """
    raw = b"".join(chunks(path, FILE_BYTES_MAX))
    try:
        found = parse_object(raw, first=True)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}", field=error.field) from None
    found["name"] = path.name.removesuffix(".gz").removesuffix(".json")
    try:
        meeting = _Meeting.model_validate(found)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        field = ".".join(map(str, problem["loc"]))
        raise InvalidInput(f"{path}: {field}: {problem['msg']}", field=field) from None
    said = meeting.meeting_transcripts
    turns = [Turn(number, one.speaker, one.content) for number, one in enumerate(said)]
    each, parts = _cut(turns)
    return Transcript(
        place=str(path),
        name=meeting.name,
        speakers=tuple(dict.fromkeys(one.speaker for one in said)),
        turns=len(turns),
        media_type=media_type(each),
        parts=parts,
    )


def _cut(turns: list[Turn]) -> tuple[int, list[bytes]]:
    """As many turns a part as usual, fewer where they are so long that a part would not fit."""
    for each in (TURNS_PER_PART, TURNS_PER_PART // 10):
        parts = to_parts(turns, each)
        if max(map(len, parts)) <= PART_BYTES_MAX:
            return each, parts
    return 1, to_parts(turns, 1)
