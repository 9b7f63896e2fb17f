"""Waiting until a projection has reached a position, and catching a user up in this process."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final, NamedTuple

from workindex.domain.errors import InvalidInput, StillBehind, Unavailable
from workindex.eventlog.database import Connection, Database, tenant_transaction
from workindex.projections.follower import Follower, State
from workindex.projections.following import generations_of
from workindex.projections.sets import ALL_SETS, ProjectionSet

FIRST_POLL_S: Final = 0.0005
POLL_MAX_S: Final = 0.01

# Binds: user, set, its fold version. Where readers of this version find the user: the furthest.
POSITION = """
SELECT p.position, p.parked FROM projection_progress p
JOIN projection_generation g
  ON g.projection_set = p.projection_set AND g.generation = p.generation
WHERE p.user_id = %s AND p.projection_set = %s AND g.fold_version = %s
  AND g.state IN ('live', 'kept')
ORDER BY p.position DESC LIMIT 1
"""


class Caught(NamedTuple):
    """How far one generation of one user is now, and what was done for it."""

    projection_set: str
    generation: int
    state: State
    position: int
    events: int
    parked: tuple[str, ...]


def set_of(
    projection: str, sets: Sequence[ProjectionSet] = ALL_SETS
) -> tuple[ProjectionSet, tuple[str, ...]]:
    """The set that a name means, a set's or one of its members, and the members meant.

    Raises: InvalidInput for any other name.
    """
    for one in sets:
        if projection == one.name:
            return one, one.members
        if projection in one.members:
            return one, (projection,)
    known = sorted({name for one in sets for name in (one.name, *one.members)})
    raise InvalidInput(
        f"there is no projection {projection!r}: it is one of {', '.join(known)}",
        field="projection",
    )


def wait_for(
    database: Database,
    user_id: str,
    position: int,
    *,
    projection: str,
    timeout_s: float,
    sets: Sequence[ProjectionSet] = ALL_SETS,
) -> None:
    """Return once the projection holds the user's log up to the position.

    Polls, so it holds no lock and no connection while it waits. Raises: StillBehind after the
    time, and at once where the projection is parked: nothing will move it but an operator.
    """
    wanted, members = set_of(projection, sets)
    if type(position) is not int or position < 0:
        raise InvalidInput(f"position {position!r} is no position of a log", field="position")
    deadline = time.monotonic() + timeout_s
    pause_s = FIRST_POLL_S
    while True:
        with database.connection() as conn:
            reached, parked = _position(conn, user_id, wanted)
        standing = sorted(set(members) & set(parked))
        if standing:
            raise StillBehind(
                f"{', '.join(standing)} of user {user_id} is parked, so position {position} will "
                "not be reached: see workindex projections parked",
                position=reached,
            )
        if (reached or 0) >= position:
            return
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            raise StillBehind(
                f"{wanted.name} of user {user_id} stands at {reached or 0} and did not reach "
                f"position {position} within {timeout_s:g} s: is workindex worker running?",
                position=reached,
            )
        time.sleep(min(pause_s, left_s))
        pause_s = min(pause_s * 1.2, POLL_MAX_S)


def catch_up_user(
    follower: Follower, database: Database, user_id: str, *, timeout_s: float
) -> list[Caught]:
    """Bring every generation of this program's fold versions to the head of one user's log.

    Takes the application's login only. Raises: Unavailable where others hold the user all the
    time, or the database refuses until the time is over.
    """
    with database.connection() as conn:
        entries = generations_of(conn, user_id, follower.sets)
    deadline = time.monotonic() + timeout_s
    caught = []
    for due in entries:
        events = 0
        parked: tuple[str, ...] = ()
        while True:
            step = follower.step(due)
            events += step.events
            parked += step.parked
            if step.state in ("done", "waiting"):
                break
            if step.state != "more":
                if time.monotonic() >= deadline:
                    raise Unavailable(
                        f"{due.projection_set} of user {user_id} could not be caught up within "
                        f"{timeout_s:g} s ({step.error or 'others hold it'}): try again"
                    ) from step.error
                time.sleep(POLL_MAX_S)
        caught.append(
            Caught(due.projection_set, due.generation, step.state, step.position, events, parked)
        )
    return caught


def _position(
    conn: Connection, user_id: str, wanted: ProjectionSet
) -> tuple[int | None, dict[str, object]]:
    with tenant_transaction(conn, user_id):
        row = conn.execute(POSITION, (user_id, wanted.name, wanted.fold_version)).fetchone()
    return (None, {}) if row is None else (row[0], row[1])
