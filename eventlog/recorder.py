"""The library's recorder port over our log, bound to one user.

A notification id is the user's position. Every append of the product goes through
`UserRecorder.insert_events`, by way of the library's EventStore.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from typing import Any, Never, cast
from uuid import UUID

import psycopg
import uuid_utils
from eventsourcing.persistence import (
    ApplicationRecorder,
    EventStore,
    IntegrityError,
    Notification,
    StoredEvent,
)

from workindex.domain.facts import Event
from workindex.eventlog.append import Batch, NewKey, append
from workindex.eventlog.database import Connection, tenant_transaction
from workindex.eventlog.mapper import FactMapper, LogEvent
from workindex.eventlog.reader import POSITION_MAX, read_stored

Connect = Callable[[], AbstractContextManager[Connection]]


class UserRecorder(ApplicationRecorder):
    """Stores and reads the events of one user.

    `connect` gives the connection of the unit of work; `fold_version` names the projections that
    an append moves (0: none, they catch up later).
    """

    def __init__(self, connect: Connect, user_id: str, *, fold_version: int = 0) -> None:
        self._connect = connect
        self._user_id = user_id
        self._fold_version = fold_version

    def insert_events(
        self,
        stored_events: Sequence[StoredEvent],
        *,
        expected: tuple[int, int] | None = None,
        keys: Sequence[NewKey] = (),
        rows: Mapping[str, Any] | None = None,
        open_delta: int = 0,
        parked: Mapping[str, Any] | None = None,
        recorded_at: datetime | None = None,
        **unknown: Any,
    ) -> Sequence[int]:
        """Append events with the rows that they fold to; returns their positions.

        `expected` is (head, epoch), None for whatever stands there.

        Raises: IntegrityError where a stream version or a key exists; the driver's error else.
        """
        assert not unknown, f"insert_events does not know {sorted(unknown)}"
        now = recorded_at or datetime.now(UTC)
        events = [self._log_event(event, now) for event in stored_events]
        batch = Batch(events, keys, rows or {}, open_delta, parked or {}, now)
        with self._connect() as conn:
            try:
                head = append(conn, self._user_id, self._fold_version, batch, expected=expected)
            except psycopg.errors.UniqueViolation as error:
                raise IntegrityError(error) from error
        return list(range(head - len(events) + 1, head + 1))

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """The events of one stream by version."""
        with self._connect() as conn, tenant_transaction(conn, self._user_id):
            found = [
                event
                for event in read_stored(conn, self._user_id, stream=str(originator_id))
                if (gt is None or event.originator_version > gt)
                and (lte is None or event.originator_version <= lte)
            ]
        if desc:
            found.reverse()
        return found[:limit]

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        """The user's events by position."""
        first = 1 if start is None else start + (0 if inclusive_of_start else 1)
        last = POSITION_MAX if stop is None else stop
        with self._connect() as conn, tenant_transaction(conn, self._user_id):
            found: list[Notification] = []
            stored = read_stored(conn, self._user_id, from_position=first, to_position=last)
            for event in stored:
                if not topics or event.topic in topics:
                    found.append(_notification(event))
                if len(found) == limit:
                    break
        return found

    def max_notification_id(self) -> int | None:
        """The user's head, None for a user without events."""
        with self._connect() as conn, tenant_transaction(conn, self._user_id):
            row = conn.execute(
                "SELECT nullif(head, 0) FROM user_log WHERE user_id = %s", (self._user_id,)
            ).fetchone()
        return row[0] if row else None

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> Never:
        """Not offered: readers poll by position, which never misses an event."""
        raise NotImplementedError("the log has no subscriptions: poll select_notifications")

    def _log_event(self, event: StoredEvent, now: datetime) -> LogEvent:
        if isinstance(event, LogEvent):
            return event
        return LogEvent(
            originator_id=str(event.originator_id),
            originator_version=event.originator_version,
            topic=event.topic,
            state=event.state,
            schema_version=1,
            event_id=str(uuid_utils.uuid7()),
            metadata={},
            occurred_at=now,
            recorded_at=now,
        )


class Taken(Exception):
    """A key or a stream version that the append took for new is in the log already."""


def put_events(
    conn: Connection,
    user_id: str,
    mapper: FactMapper,
    events: Sequence[Event],
    *,
    fold_version: int,
    **parts: Any,
) -> int | None:
    """Append events on this connection through the library's event store.

    `parts` are the keyword arguments of `insert_events`. Returns the new head, None where there
    were no events.

    Raises: Taken; the driver's error.
    """
    recorder = UserRecorder(lambda: nullcontext(conn), user_id, fold_version=fold_version)
    try:
        recordings = EventStore(mapper, recorder).put(cast(Any, events), **parts)
    except IntegrityError as error:
        raise Taken from error
    return recordings[-1].notification.id if recordings else None


def _notification(event: LogEvent) -> Notification:
    return Notification(
        originator_id=event.originator_id,
        originator_version=event.originator_version,
        topic=event.topic,
        state=event.state,
        id=event.position,
    )
