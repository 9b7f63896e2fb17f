"""Reading many logs at once, for a rebuild: one statement, each event decoded once.

What is read without a lock is the beginning of a log and stays it: positions are dense, become
visible in order and never change.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import orjson

from workindex.domain.errors import CorruptEvent, NeedsNewerCode
from workindex.domain.facts import Actor, Event
from workindex.eventlog.database import Connection
from workindex.eventlog.mapper import FactMapper, actor_of

# Binds: users, the position of each after which its events are wanted, how many at most of each.
# Rows by user, in order of position.
LOGS = """
SELECT u.place, e.position, e.stream_version, e.type, e.schema_version, e.data::text,
       e.metadata::text, e.occurred_at, e.recorded_at, e.event_id::text
FROM unnest(%s::text[], %s::bigint[]) WITH ORDINALITY AS u(user_id, after, place),
LATERAL (SELECT * FROM event e
         WHERE e.user_id = u.user_id AND e.position > u.after
         ORDER BY e.position LIMIT %s) AS e
ORDER BY u.place, e.position
"""


class Log(NamedTuple):
    """Events of one user after a position, in order.

    `problem` is what ended the reading at `problem_position`: an event that cannot be decoded, a
    position that is missing, or a fact that needs newer code; None where all could be read.
    """

    user_id: str
    after: int
    events: list[Event]
    problem: CorruptEvent | NeedsNewerCode | None = None

    @property
    def last(self) -> int:
        """The position of the last event, or the one after which nothing was found."""
        return self.after + len(self.events)

    @property
    def problem_position(self) -> int:
        """The position of the event that is to blame where there is a problem."""
        return self.last + 1


class _Cause(NamedTuple):
    actor: Actor
    correlation_id: str | None
    causation_id: str | None
    trace_id: str | None


def read_logs(
    conn: Connection, mapper: FactMapper, wanted: Sequence[tuple[str, int]], *, limit: int
) -> list[Log]:
    """The events of each user after a position, at most `limit` each, in the order given.

    The connection belongs to the maintenance role.
    """
    with conn.cursor(binary=True) as cursor:
        binds = ([user_id for user_id, _ in wanted], [after for _, after in wanted], limit)
        rows = cursor.execute(LOGS, binds).fetchall()
    found = {place: list(of_user) for place, of_user in groupby(rows, key=itemgetter(0))}
    return [
        _decoded(mapper, Log(user_id, after, []), found.get(place, ()))
        for place, (user_id, after) in enumerate(wanted, start=1)
    ]


def _decoded(mapper: FactMapper, log: Log, rows: Sequence[tuple[Any, ...]]) -> Log:
    """The log with the events of its rows, up to the first that there is a problem with."""
    expected, events = log.after, log.events
    try:
        for _, position, version, type_, schema_version, data, metadata, *at in rows:
            expected += 1
            if position != expected:
                raise CorruptEvent(f"position {expected} is missing from the log")
            fact = mapper.decode(type_, schema_version, data.encode(), position)
            cause = _cause(metadata)
            if cause is None:
                raise CorruptEvent(
                    f"event {position} of type {type_} names no actor in its metadata"
                )
            occurred_at, recorded_at, event_id = at
            actor, *ids = cause
            events.append(
                Event(fact, version, occurred_at, recorded_at, actor, position, event_id, *ids)
            )
    except (CorruptEvent, NeedsNewerCode) as problem:
        return log._replace(problem=problem)
    return log


@lru_cache(maxsize=10_000)
def _cause(metadata: str) -> _Cause | None:
    """Who caused an event, None where that is damaged: most of a log has the same few causes."""
    told = orjson.loads(metadata)
    names = ("correlation_id", "causation_id", "trace_id")
    try:
        return _Cause(actor_of(**told["actor"]), *(told.get(name) for name in names))
    except (KeyError, TypeError):
        return None
