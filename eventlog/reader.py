"""Reading the log of one user: always in the order of positions, by pages, decoded once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from psycopg.rows import dict_row

from workindex.domain.facts import Event
from workindex.eventlog.database import Connection, tenant_transaction
from workindex.eventlog.mapper import FactMapper, LogEvent, log_event

PAGE_EVENTS = 1_000
PAGE_KEYS = 10_000

# Binds: user, first position, last position, stream or NULL, limit. Rows in order of position.
EVENTS = """
SELECT position, event_id, stream, stream_version, type, schema_version, data::text AS data,
       metadata, occurred_at, recorded_at
FROM event
WHERE user_id = %(user)s AND position BETWEEN %(first)s AND %(last)s
  AND (%(stream)s::text IS NULL OR stream = %(stream)s)
ORDER BY position LIMIT %(limit)s
"""

POSITION_MAX = 2**62


def read_stored(
    conn: Connection,
    user_id: str,
    *,
    from_position: int = 1,
    to_position: int = POSITION_MAX,
    stream: str | None = None,
    limit: int | None = None,
) -> Iterator[LogEvent]:
    """Stored events of one user in order, both ends included, a page at a time.

    The connection must have its tenant set (or belong to the maintenance role) for the whole
    iteration.
    """
    left = POSITION_MAX if limit is None else limit
    first = from_position
    while left > 0:
        binds: dict[str, Any] = {
            "user": user_id,
            "first": first,
            "last": to_position,
            "stream": stream,
            "limit": min(PAGE_EVENTS, left),
        }
        with conn.cursor(row_factory=dict_row) as cursor:
            rows = cursor.execute(EVENTS, binds).fetchall()
        yield from map(log_event, rows)
        if len(rows) < binds["limit"]:
            return
        left -= len(rows)
        first = rows[-1]["position"] + 1


def read_events(
    conn: Connection,
    user_id: str,
    mapper: FactMapper,
    *,
    from_position: int = 1,
    to_position: int = POSITION_MAX,
    stream: str | None = None,
    limit: int | None = None,
) -> Iterator[Event]:
    """As `read_stored`, decoded.

    Raises: NeedsNewerCode, CorruptEvent at the event that cannot be decoded.
    """
    stored = read_stored(
        conn,
        user_id,
        from_position=from_position,
        to_position=to_position,
        stream=stream,
        limit=limit,
    )
    for event in stored:
        decoded: Event = mapper.to_domain_event(event)
        yield decoded


# Binds: user, source, keys. Those of the keys that a command was recorded with.
KNOWN_KEYS = """
SELECT key FROM command_key WHERE user_id = %s AND source = %s AND key = ANY(%s)
"""


def known_keys(conn: Connection, user_id: str, source: str, keys: Sequence[str]) -> set[str]:
    """The keys under which this source has recorded a command of the user."""
    found: set[str] = set()
    with tenant_transaction(conn, user_id):
        for first in range(0, len(keys), PAGE_KEYS):
            page = list(keys[first : first + PAGE_KEYS])
            found.update(key for (key,) in conn.execute(KNOWN_KEYS, (user_id, source, page)))
    return found
