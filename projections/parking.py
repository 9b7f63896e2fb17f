"""Appending when a projection cannot follow: the facts are stored, the member stands still.

Only an error of the fold itself or of the values of its rows parks (SQLSTATE classes 22 and 23);
everything else aborts the append and is tried again or raised.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import combinations
from typing import Any

import psycopg

from workindex.domain.facts import Event, utc
from workindex.eventlog.append import sqlstate
from workindex.eventlog.database import Connection
from workindex.projections.folding import FoldFailed
from workindex.projections.planning import Plan
from workindex.projections.sets import INLINE

Send = Callable[[Mapping[str, Any], int, Mapping[str, Any]], int]
VALUE_CLASSES = ("22", "23")
STANDING = "parked in another generation"


def append_parking(
    conn: Connection,
    plan: Plan,
    head: int,
    without: Collection[str],
    standing: Collection[str],
    send: Send,
) -> int:
    """Append the plan's events with the rows of every member that can take them.

    Members of `without` get no rows because no projection will move; those of `standing` are
    parked already. `send(rows, open_delta, parked)` does the append inside the caller's
    transaction. Returns the new head.
    """
    folding = plan.fold(without=(*without, *standing))
    numbered = [(event, offset) for offset, event in enumerate(plan.events, start=1)]
    # The first record of a park stays; this one is for a generation that would move without rows.
    parked = {member: park_record(head + 1, head + 1, STANDING, plan.now) for member in standing}
    for member, failure in folding.apply_all(numbered).items():
        at = head + _offset(failure.event, numbered)
        parked[member] = park_record(head + 1, at, failure, plan.now)
    error: psycopg.Error | None = None
    for refused in _subsets(m for m in INLINE.members if m not in folding.without):
        folding.without.update(refused)
        rows, open_delta = folding.changes(base=None)
        marks = parked | {
            member: park_record(head + 1, head + 1, error or "", plan.now) for member in refused
        }
        try:
            with conn.transaction():
                return send(rows, open_delta, marks)
        except psycopg.Error as refusal:
            if sqlstate(refusal)[:2] not in VALUE_CLASSES:
                raise
            error = refusal
            folding.without.difference_update(refused)
    assert error is not None
    raise error


def park_record(
    position: int, failed_position: int, reason: FoldFailed | Exception | str, at: datetime
) -> dict[str, Any]:
    """What `projection_progress.parked` keeps of a member.

    `position` is the first event that the member's rows do not hold; `failed_position` names the
    event to blame.
    """
    return {
        "position": position,
        "failed_position": failed_position,
        "reason": " ".join(str(reason).split())[:500],
        "at": utc(at),
    }


def _offset(event: Event, numbered: list[tuple[Event, int]]) -> int:
    return next(offset for candidate, offset in numbered if candidate is event)


def _subsets(members: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Which members to leave out, fewest first; none at first."""
    names = list(members)
    for size in range(len(names) + 1):
        yield from combinations(names, size)
