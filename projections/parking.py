"""When a projection cannot follow: the facts are stored, the member stands still.

Only an error of the fold itself or of the values of its rows parks (SQLSTATE classes 22 and 23);
everything else aborts the append and is tried again or raised. An event that ends the process
parks after `ATTEMPTS_MAX` attempts of a worker, which counts each one before it begins.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import combinations
from typing import Any, Final, TypeVar

import psycopg

from workindex.domain.errors import CorruptEvent
from workindex.domain.facts import Event, Fact
from workindex.eventlog.append import sqlstate
from workindex.eventlog.database import Connection
from workindex.eventlog.mapper import FactMapper, LogEvent
from workindex.projections.folding import Folding, split_ref
from workindex.projections.marks import park_record as park_record
from workindex.projections.planning import Plan
from workindex.projections.sets import ProjectionSet

T = TypeVar("T")
Send = Callable[[Mapping[str, Any], int, Mapping[str, Any]], int]
VALUE_CLASSES = ("22", "23")
STANDING = "parked in another generation"
BY_HAND = "parked by hand, so that the facts could be stored"
# Attempts to apply that ended in nothing: after how many one event is applied at a time, and after
# how many in all the event to blame parks.
ALONE_AFTER: Final = 2
ATTEMPTS_MAX: Final = 5


def append_parking(
    conn: Connection,
    plan: Plan,
    head: int,
    without: Collection[str],
    standing: Collection[str],
    send: Send,
    *,
    by_hand: Collection[str] = (),
) -> int:
    """Append the plan's events with the rows of every member that can take them.

    Members of `without` get no rows because no projection will move; those of `standing` are
    parked already, those of `by_hand` park before their folds see the events.
    `send(rows, open_delta, parked)` does the append inside the caller's transaction. Returns the
    new head.
    """
    folding = plan.fold(without=(*without, *standing, *by_hand))
    numbered = [(event, offset) for offset, event in enumerate(plan.events, start=1)]
    # The first record of a park stays; this one is for a generation that would move without rows.
    parked = {
        member: park_record(head + 1, head + 1, BY_HAND, plan.now, attempts=0) for member in by_hand
    }
    parked |= {member: park_record(head + 1, head + 1, STANDING, plan.now) for member in standing}
    for member, failure in folding.apply_all(numbered).items():
        at = head + _offset(failure.event, numbered)
        parked[member] = park_record(head + 1, at, failure, plan.now)

    def attempt(refused: dict[str, Any]) -> int:
        rows, open_delta = folding.changes(base=None)
        return send(rows, open_delta, parked | refused)

    head_after, _ = write_what_fits(
        conn, folding, plan.projection_set.members, (head + 1, plan.now), attempt
    )
    return head_after


def write_what_fits(
    conn: Connection,
    folding: Folding,
    members: Iterable[str],
    since: tuple[int, datetime],
    attempt: Callable[[dict[str, Any]], T],
) -> tuple[T, dict[str, Any]]:
    """Write with every member, else without the fewest whose rows the database refuses.

    `attempt(marks)` writes in a transaction of its own, with the marks of those left out; `since`
    is the first event that they do not hold, and the time. Returns what it gave, and the marks.
    Raises: the database's refusal where nothing fits, and every error that is no refusal at once.
    """
    position, now = since
    error: psycopg.Error | None = None
    for refused in _subsets([one for one in members if one not in folding.without]):
        folding.without.update(refused)
        marks = {one: park_record(position, position, error or "", now) for one in refused}
        try:
            with conn.transaction():
                return attempt(marks), marks
        except psycopg.Error as refusal:
            if sqlstate(refusal)[:2] not in VALUE_CLASSES:
                raise
            error = refusal
            folding.without.difference_update(refused)
    assert error is not None
    raise error


def events_at_once(attempts: int, batch: int) -> int:
    """How many events to apply in one transaction after so many attempts that ended in nothing.

    After `ALONE_AFTER` it is one, so that it is known which event ends the process.
    """
    return batch if attempts < ALONE_AFTER else 1


def attempts_after(attempts: int, *, parked: bool = False) -> int:
    """What the count of attempts becomes once events were applied, or their members parked.

    It stays high enough to go on one event at a time: the event to blame may be among the next.
    """
    return 0 if parked else min(attempts, ALONE_AFTER)


def marks_of_a_killer(
    event: LogEvent,
    projection_set: ProjectionSet,
    mapper: FactMapper,
    *,
    attempts: int,
    now: datetime,
) -> dict[str, dict[str, Any]]:
    """The marks of the members that stand still before an event which ended the process.

    Nobody knows whose fold it was, so all park that the event touches; `retry` lets the innocent
    go on. An event that cannot be decoded touches every member.

    Raises: NeedsNewerCode.
    """
    reason = (
        f"the process ended each of {attempts} times while it folded {event.topic} of "
        f"{event.originator_id} (version {event.originator_version})"
    )
    try:
        members = members_touched(mapper.to_domain_event(event).fact, projection_set)
    except CorruptEvent as corrupt:
        members, reason = projection_set.members, str(corrupt)
    at = event.position
    return {member: park_record(at, at, reason, now, attempts=attempts) for member in members}


def members_touched(fact: Fact, projection_set: ProjectionSet) -> tuple[str, ...]:
    """The members of a set whose rows a fact touches, in the set's order.

    All of a set whose folds take other events than the log's: nobody knows before they are told.
    """
    if projection_set.tell is not None:
        return projection_set.members
    kinds = {split_ref(ref)[0] for ref in fact.touches}
    tables = [table for table in projection_set.tables if table.kind in kinds]
    return tuple(dict.fromkeys(table.member for table in tables))


def _offset(event: Event, numbered: list[tuple[Event, int]]) -> int:
    return next(offset for candidate, offset in numbered if candidate is event)


def _subsets(members: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Which members to leave out, fewest first; none at first."""
    names = list(members)
    for size in range(len(names) + 1):
        yield from combinations(names, size)
