"""Transcripts as bodies: one JSON object a turn, so many turns a part, any range read back.

A turn's number counts from 0. How many turns a part holds stands in the body's media type, so a
range is read from the parts that hold it and no others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

import orjson

from workindex.domain.errors import InvalidInput
from workindex.eventlog import content
from workindex.eventlog.database import Connection

TURNS_PER_PART = 50
_MEDIA_TYPE = re.compile(r"application/x-ndjson; ?turns-per-part=([1-9][0-9]{0,5})")


class Turn(NamedTuple):
    """What one speaker said, exactly."""

    number: int
    speaker: str
    text: str


def media_type(turns_per_part: int = TURNS_PER_PART) -> str:
    """The media type of a transcript that is cut so."""
    return f"application/x-ndjson; turns-per-part={turns_per_part}"


def to_parts(turns: Iterable[Turn], turns_per_part: int = TURNS_PER_PART) -> list[bytes]:
    """The body of a transcript; the turns are numbered from 0 without a gap.

    Raises: InvalidInput where a text is not Unicode.
    """
    left = iter(turns)
    parts: list[bytes] = []
    while some := list(islice(left, turns_per_part)):
        assert some[0].number == len(parts) * turns_per_part, some[0]
        parts.append(b"".join(map(_line, some)))
    return parts or [b""]


def turns_per_part(media: str) -> int | None:
    """How many turns a part of a transcript holds, None where the media type is none."""
    found = _MEDIA_TYPE.fullmatch(media)
    return int(found[1]) if found is not None else None


def turns_in(body: bytes) -> list[Turn]:
    """The turns of a body's beginning, in order; it ends at the first line that is no turn."""
    turns = []
    for line in body.splitlines():
        try:
            turn = _turn(line)
        except (orjson.JSONDecodeError, TypeError):
            break  # cut off there, or not written by us
        if not isinstance(turn.number, int) or not isinstance(turn.text, str):
            break
        turns.append(turn)
    return turns


def read_turns(
    conn: Connection, user_id: str, sha256: str, media: str, first: int, last: int
) -> list[Turn]:
    """Turns `first` to `last`, both included, as far as the transcript has them.

    Raises: InvalidInput where the media type is not that of a transcript.
    """
    each = turns_per_part(media)
    if each is None:
        raise InvalidInput(f"{media} is not a transcript in turns", field="media_type")
    if not 0 <= first <= last:
        return []
    parts = content.read(conn, user_id, sha256, first // each, last // each)
    turns = [_turn(line) for part in parts for line in part.splitlines()]
    return [turn for turn in turns if first <= turn.number <= last]


def _line(turn: Turn) -> bytes:
    try:
        return orjson.dumps(turn._asdict(), option=orjson.OPT_APPEND_NEWLINE)
    except TypeError as error:
        raise InvalidInput(f"turn {turn.number} is not text: {error}") from error


def _turn(line: bytes) -> Turn:
    return Turn(**orjson.loads(line))
