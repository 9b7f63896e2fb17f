"""What a fold of documents needs beside the event: the source's first fact, and its body.

Reads only; the fold that follows is pure. Works for the application inside its tenant and for
maintenance alike, because every statement names the user.
"""

from __future__ import annotations

from typing import Final

from workindex.domain.artifacts import ArtifactStored
from workindex.domain.facts import Event
from workindex.eventlog.content import read_start
from workindex.eventlog.database import Connection
from workindex.eventlog.mapper import FactMapper
from workindex.eventlog.reader import read_events
from workindex.eventlog.transcripts import turns_in, turns_per_part
from workindex.projections.evidence import (
    ORIGINS,
    SEGMENT_CHARS,
    SEGMENTS_MAX,
    Body,
    Origin,
    has_body,
    source_stream,
    tell,
)

BODY_BYTES_MAX: Final = 2 * SEGMENT_CHARS * SEGMENTS_MAX


def told_apart(conn: Connection, user_id: str, mapper: FactMapper, event: Event) -> list[Event]:
    """The event once for each document that it changes, none where it changes none.

    The connection belongs to the user's tenant or to maintenance.

    Raises: CorruptEvent, NeedsNewerCode of the source's first event.
    """
    stream = source_stream(event.fact)
    if stream is None:
        return []
    if isinstance(event.fact, ORIGINS):
        return tell(event, event.fact, _body(conn, user_id, event.fact))
    origin = _origin(conn, user_id, mapper, stream)
    return [] if origin is None else tell(event, origin, None)


def _origin(conn: Connection, user_id: str, mapper: FactMapper, stream: str) -> Origin | None:
    """The first fact of a source, None where the log does not hold it."""
    first = next(read_events(conn, user_id, mapper, stream=stream, limit=1), None)
    if first is None or not isinstance(first.fact, ORIGINS):
        return None
    return first.fact


def _body(conn: Connection, user_id: str, origin: Origin) -> Body:
    """The beginning of an artifact's body, None where it is not there or is no text."""
    if not isinstance(origin, ArtifactStored) or not has_body(origin):
        return None
    found = read_start(conn, user_id, origin.sha256, BODY_BYTES_MAX)
    if found is None:
        return None
    if turns_per_part(origin.media_type) is not None:
        return turns_in(found)
    return found.decode("utf-8-sig", errors="replace")
