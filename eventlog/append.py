"""The round trips of the log: read what a decision needs, append, lock.

Each function here is one statement on a connection that the caller holds. Order comes from the
user's head row alone: whoever updates it holds it until commit, so positions are dense and
become visible in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

import orjson
import psycopg

from workindex.domain.errors import CorruptLog, InvalidInput
from workindex.eventlog.database import Connection
from workindex.eventlog.mapper import LogEvent, log_event

Json = dict[str, Any]

EVENT_BYTES_MAX = 1024 * 1024

# jsonb would write the float 1e17 as the digits of an integer, which is read back as one and may
# be another number. It keeps a fraction, so these floats are sent with one; larger ones have no
# 64 bits as an integer and are read back as floats anyway.
_MAYBE_LARGE = re.compile(rb"e\+?1[6-9](?:[,\]}]|\Z)")  # in a text it may be, too; then it is kept
_LARGE_FLOAT = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9.]+e\+?1[6-9]')

# SQLSTATEs of our own functions.
MOVED_ON = "WI001"
OTHER_TENANT = "WI002"
ERASED = "WI004"


class KeyRecord(NamedTuple):
    """What is stored of an earlier command with this key; positions are absolute."""

    payload_hash: str
    first_position: int
    events_count: int

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions of the events that the command appended."""
        return tuple(range(self.first_position, self.first_position + self.events_count))


class NewKey(NamedTuple):
    """A command key to store; `first_offset` counts from 1 within the append."""

    source: str
    key: str
    payload_hash: str
    first_offset: int
    events_count: int


class Snapshot(NamedTuple):
    """One user's log and projection as one statement saw them.

    `head` is 0 for a user without a log. `generation` is None where no generation of the asked
    fold version exists for the user; `is_readable` says that readers may use it, too (it is not
    one that is being built). `rows` maps table names to rows as JSON objects; `skipped` names by
    member the events whose effect an operator had left out of them.
    """

    head: int
    epoch: int
    erased: bool
    generation: int | None
    is_readable: bool
    position: int
    parked: Mapping[str, Json]
    skipped: Mapping[str, Any]
    keys: Mapping[str, KeyRecord]
    versions: Mapping[str, int]
    replay: tuple[LogEvent, ...]
    rows: Mapping[str, list[Json]]

    @property
    def is_behind(self) -> bool:
        """Whether no projection stands at the head of the log: there are no rows to fold onto."""
        return self.head > 0 and self.position != self.head

    def holds(self, member: str, ref: str | None = None) -> bool:
        """Whether a decision may rest on the rows of a member, or on the one of `ref`."""
        if self.head == 0:
            return True
        if self.is_behind or not self.is_readable or member in self.parked:
            return False
        if member not in self.skipped:
            return True
        return ref is not None and not is_left_out(self.skipped[member], ref)


def is_left_out(skips: Any, ref: str) -> bool:
    """Whether the row of a reference may lack an event; also where the marks cannot be read."""
    if not isinstance(skips, list):
        return True
    try:
        return any(ref in one["refs"] for one in skips)
    except (KeyError, TypeError):
        return True


class Wanted(NamedTuple):
    """What to read: row ids by table, streams for their versions, streams to replay, keys."""

    rows: Mapping[str, Sequence[str]]
    streams: Sequence[str] = ()
    replay: Sequence[str] = ()
    source: str = ""
    keys: Sequence[str] = ()


READ = "SELECT wi_read(%s, %s, %s::jsonb, %s::text[], %s::text[], %s, %s::text[])"


def read(conn: Connection, user_id: str, fold_version: int, wanted: Wanted) -> Snapshot:
    """What a decision needs, in one statement (so of one instant)."""
    row = conn.execute(
        READ,
        (
            user_id,
            fold_version,
            json_text(wanted.rows),
            list(wanted.streams),
            list(wanted.replay),
            wanted.source,
            list(wanted.keys),
        ),
    ).fetchone()
    assert row is not None
    found = row[0]
    if found is None:
        none = dict.fromkeys(wanted.streams, 0)
        return Snapshot(0, 0, False, None, False, 0, {}, {}, {}, none, (), {})
    return Snapshot(
        head=found["head"],
        epoch=found["epoch"],
        erased=found["erased"],
        generation=found["generation"],
        is_readable=found["readable"] is True,
        position=found["position"] or 0,
        parked=found["parked"] or {},
        skipped=found["skipped"] or {},
        keys={
            key: KeyRecord(k["payload_hash"], k["first_position"], k["events_count"])
            for key, k in (found["keys"] or {}).items()
        },
        versions=found["versions"] or {},
        replay=tuple(log_event(event) for event in found["replay"] or ()),
        rows={table: rows for table, rows in found["rows"].items() if rows},
    )


class Batch(NamedTuple):
    """One append: events in order, their keys, and the rows that they fold to."""

    events: Sequence[LogEvent]
    keys: Sequence[NewKey]
    rows: Mapping[str, Json]
    open_delta: int
    parked: Mapping[str, Json]
    recorded_at: datetime


APPEND = "SELECT wi_append(%s, %s, %s, %s, %s::jsonb, %s::jsonb, %s::jsonb, %s, %s::jsonb, %s)"


def append(
    conn: Connection,
    user_id: str,
    fold_version: int,
    batch: Batch,
    *,
    expected: tuple[int, int] | None,
) -> int:
    """Append a batch and return the new head. `expected` is (head, epoch), None for blind.

    Raises: InvalidInput for an event that is too large; the driver's error, whose SQLSTATE is
    MOVED_ON where somebody else appended first.
    """
    for event in batch.events:
        if len(event.state) > EVENT_BYTES_MAX:
            raise InvalidInput(
                f"the event {event.topic} of {event.originator_id} takes {len(event.state)} bytes, "
                f"at most {EVENT_BYTES_MAX}: store the large part as an artifact"
            )
    head, epoch = expected if expected is not None else (None, None)
    row = conn.execute(
        APPEND,
        (
            user_id,
            head,
            epoch,
            fold_version,
            json_text([key._asdict() for key in batch.keys]),
            _events_json(batch.events),
            json_text(batch.rows),
            batch.open_delta,
            json_text(batch.parked),
            batch.recorded_at,
        ),
    ).fetchone()
    assert row is not None
    return int(row[0])


# Many who wait for one row wake up in any order. This makes them a queue, nothing rests on it:
# the longest wait halves.
QUEUE_UP = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
LOCK = "SELECT wi_lock(%s)"


def lock(conn: Connection, user_id: str) -> None:
    """Hold the user's head until this transaction ends."""
    conn.execute(QUEUE_UP, (user_id,))
    conn.execute(LOCK, (user_id,))


def refuse_past_head(conn: Connection, user_id: str, head: int) -> None:
    """Say why an append finds its position taken while it holds the head.

    Raises: CorruptLog where events stand past the head.
    """
    row = conn.execute("SELECT max(position) FROM event WHERE user_id = %s", (user_id,)).fetchone()
    last = row[0] if row else None
    if last is not None and last > head:
        raise CorruptLog(
            f"the log of user {user_id} has events up to {last}, its head says {head}: nothing is "
            f"added to it; see workindex projections verify --user {user_id}, and restore the log"
        )


class Projected(NamedTuple):
    """Rows folded from the events after `base` up to `position`."""

    base: int
    position: int
    rows: Mapping[str, Json]
    open_delta: int
    parked: Mapping[str, Json]


def project(conn: Connection, user_id: str, fold_version: int, folded: Projected) -> None:
    """Move the projections that stand at `base`; the caller holds the head."""
    conn.execute(
        "SELECT wi_project(%s, %s, %s, %s, %s::jsonb, %s, %s::jsonb)",
        (
            user_id,
            fold_version,
            folded.base,
            folded.position,
            json_text(folded.rows),
            folded.open_delta,
            json_text(folded.parked),
        ),
    )


def write_rows(
    conn: Connection,
    user_id: str,
    generations: Mapping[Any, Sequence[int]],
    rows: Mapping[str, Json],
) -> None:
    """Write rows with absolute positions into generations by member; the caller holds the head."""
    order = ("work_index", "conversation", "memory", "evidence")
    members = [list(generations.get(member, ())) for member in order]
    conn.execute(
        "SELECT wi_write_rows(%s, %s::int[], %s::int[], %s::int[], %s::int[], 0, %s::jsonb)",
        (user_id, *members, json_text(rows)),
    )


def sqlstate(error: psycopg.Error) -> str:
    """The five characters that say what happened, empty where the server said nothing."""
    return error.sqlstate or ""


def json_text(value: Any) -> str:
    """The value as the JSON text that jsonb keeps exactly."""
    text = orjson.dumps(value)
    if _MAYBE_LARGE.search(text):
        text = _LARGE_FLOAT.sub(_with_fraction, text)
    return text.decode()


def _with_fraction(found: re.Match[bytes]) -> bytes:
    text = found[0]
    return text if text.startswith(b'"') else f"{Decimal(text.decode()):f}.0".encode()


def _events_json(events: Iterable[LogEvent]) -> str:
    return json_text(
        [
            {
                "event_id": event.event_id,
                "stream": event.originator_id,
                "stream_version": event.originator_version,
                "type": event.topic,
                "schema_version": event.schema_version,
                "data": orjson.Fragment(event.state),
                "metadata": event.metadata,
                "occurred_at": event.occurred_at,
            }
            for event in events
        ]
    )
