"""Which generations of each projection set exist, how far they are, and which one is read.

The register holds one row a generation, and whoever changes it holds the rows of its set, so
operators take turns. Readers look at the register inside the one statement that they read with:
they see the state before a change or the one after it, never both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import psycopg
from psycopg.rows import dict_row

from workindex.domain.errors import CommandRefused, InvalidInput
from workindex.domain.facts import Actor
from workindex.eventlog.audit import note_action
from workindex.eventlog.database import Connection, Database
from workindex.eventlog.failpoints import failpoint
from workindex.projections.functions import UNAPPLIED_EVENTS_MAX
from workindex.projections.lag import lag_of
from workindex.projections.sets import ALL_SETS, INLINE, ProjectionSet

State = Literal["building", "live", "kept", "retiring"]
NAMED_MAX = 5  # users that a refusal names

# Binds: none; runs as the maintenance role. One row a generation.
GENERATIONS = """
SELECT g.projection_set, g.generation, g.fold_version, g.state,
       count(p.user_id) AS users,
       count(p.user_id) FILTER (WHERE p.position < l.head) AS behind,
       count(p.user_id) FILTER (WHERE p.parked <> '{}'::jsonb) AS parked
FROM projection_generation g
LEFT JOIN projection_progress p
  ON p.projection_set = g.projection_set AND p.generation = g.generation
LEFT JOIN user_log l ON l.user_id = p.user_id
GROUP BY g.projection_set, g.generation, g.fold_version, g.state
ORDER BY g.projection_set, g.generation
"""

# Binds: set. Locks the set's rows of the register until commit. What stands in it is read by a
# statement of its own: this one returns rows as they were before it waited.
HOLD = "SELECT 1 FROM projection_generation WHERE projection_set = %s FOR UPDATE"

# Binds: set. One row a generation, in order.
REGISTERED = """
SELECT generation, fold_version, state FROM projection_generation
WHERE projection_set = %s ORDER BY generation
"""

# Binds: set. The highest number that a generation ever had: numbers are not used twice.
HIGHEST = """
SELECT greatest(
    (SELECT max(generation) FROM projection_generation WHERE projection_set = %(set)s),
    (SELECT max((arguments ->> 'generation')::integer) FROM operator_action
     WHERE command = 'projections rebuild' AND arguments ->> 'set' = %(set)s))
"""

# What keeps a generation from being live, user by user: the condition and what is said of it.
FAULTS = (
    ("p.user_id IS NULL", "not built: workindex projections rebuild {set}"),
    ("p.parked <> '{}'::jsonb", "parked: workindex projections parked"),
    (
        f"l.head - p.position > {UNAPPLIED_EVENTS_MAX}",
        f"more than {UNAPPLIED_EVENTS_MAX} events behind: workindex worker, or rebuild {{set}}",
    ),
)
# Binds: set, generation. The users that one fault is found with.
FAULTY = """
FROM user_log l LEFT JOIN projection_progress p
  ON p.user_id = l.user_id AND p.projection_set = %s AND p.generation = %s
WHERE l.erased_at IS NULL AND """

SET_STATE = """
UPDATE projection_generation SET state = %s WHERE projection_set = %s AND generation = %s
"""


class Generation(NamedTuple):
    """One row of the register."""

    generation: int
    fold_version: int
    state: State


class Switched(NamedTuple):
    """What a switch or a rollback did: the generation that is live now and the one before it.

    `faults` are those that were overruled, empty where nothing was forced.
    """

    projection_set: str
    live: int
    before: int | None
    faults: list[str]

    def to_json(self) -> dict[str, Any]:
        """The document of `workindex projections switch --json`."""
        return self._asdict()


def list_generations(database: Database) -> list[dict[str, Any]]:
    """Every registered generation with its set's members and counts of users.

    Raises: NotReady without a maintenance login.
    """
    with database.maintenance() as conn, conn.cursor(row_factory=dict_row) as cursor:
        found = cursor.execute(GENERATIONS).fetchall()
        lags = {(one.projection_set, one.generation): one for one in lag_of(conn)}
    members = {one.name: list(one.members) for one in ALL_SETS}
    listed = []
    for one in found:
        lag = lags.get((one["projection_set"], one["generation"]))
        listed.append(
            {
                **one,
                "behind": lag.users if lag else 0,
                "lag_positions": lag.positions_max if lag else 0,
                "lag_seconds": round(lag.seconds, 3) if lag else 0.0,
                "members": members.get(one["projection_set"], []),
            }
        )
    return listed


def registered(conn: Connection, set_name: str) -> list[Generation]:
    """The generations of a set in order; they are held until the transaction ends."""
    conn.execute(HOLD, (set_name,))
    return [Generation(*row) for row in conn.execute(REGISTERED, (set_name,)).fetchall()]


def begin_building(
    database: Database, who: Actor, projection_set: ProjectionSet = INLINE
) -> tuple[Generation, bool]:
    """The generation to build under the set's fold version, and whether it was begun before.

    Raises: NotReady without a maintenance login, Unavailable.
    """
    while True:
        try:
            with database.maintenance() as conn, conn.transaction():
                return _begin_building(conn, who, projection_set)
        except psycopg.errors.UniqueViolation:
            continue  # somebody else registered it a moment ago: theirs is resumed


def _begin_building(
    conn: Connection, who: Actor, projection_set: ProjectionSet
) -> tuple[Generation, bool]:
    name, version = projection_set.name, projection_set.fold_version
    building = [
        one
        for one in registered(conn, name)
        if one.state == "building" and one.fold_version == version
    ]
    if building:
        generation, is_resumed = building[-1], True
    else:
        highest = conn.execute(HIGHEST, {"set": name}).fetchone()
        assert highest is not None
        generation, is_resumed = Generation((highest[0] or 0) + 1, version, "building"), False
        conn.execute(
            "INSERT INTO projection_generation (projection_set, generation, fold_version, state) "
            "VALUES (%s, %s, %s, %s)",
            (name, *generation),
        )
    told = {"set": name, "generation": generation.generation, "fold_version": version}
    outcome = "goes on" if is_resumed else "begun"
    note_action(conn, who, "projections rebuild", told, outcome=outcome)
    return generation, is_resumed


def switch(
    database: Database,
    who: Actor,
    *,
    projection_set: ProjectionSet = INLINE,
    generation: int | None = None,
    force: str | None = None,
) -> Switched:
    """Make the generation that was built the live one, the live one a kept one.

    Without a number the newest one in building. `force` is the reason for which a generation
    that is not ready is taken all the same.

    Raises: CommandRefused where nothing is built, or it is not ready; NotReady, Unavailable.
    """
    name = projection_set.name
    with database.maintenance() as conn, conn.transaction():
        found = registered(conn, name)
        target = _chosen(name, found, "building", generation)
        if target.fold_version != projection_set.fold_version:
            raise CommandRefused(
                "fold_version",
                f"generation {target.generation} of {name} was built with fold version "
                f"{target.fold_version}, this program has {projection_set.fold_version}: switch "
                "with the program that built it",
            )
        switched = _make_live(conn, who, "projections switch", name, found, target, force)
    failpoint("switch.committed")
    return switched


def rollback(
    database: Database,
    who: Actor,
    *,
    projection_set: ProjectionSet = INLINE,
    generation: int | None = None,
    force: str | None = None,
) -> Switched:
    """Make a kept generation live again: without a number the newest one before the live one.

    It may be of another fold version: the programs of that version have kept it. `force` as in
    `switch`.

    Raises: CommandRefused where none is kept, or it is not ready; NotReady, Unavailable.
    """
    name = projection_set.name
    with database.maintenance() as conn, conn.transaction():
        found = registered(conn, name)
        live = next((one.generation for one in found if one.state == "live"), 0)
        if generation is None:
            kept = [one.generation for one in found if one.state == "kept"]
            before = [number for number in kept if number < live]
            generation = max(before or kept, default=None)
        target = _chosen(name, found, "kept", generation)
        switched = _make_live(conn, who, "projections rollback", name, found, target, force)
    failpoint("switch.committed")
    return switched


def _chosen(name: str, found: Sequence[Generation], state: State, number: int | None) -> Generation:
    """The generation of that number, or the newest one of the state.

    Raises: CommandRefused where there is none in that state.
    """
    if number is None:
        of_state = [one for one in found if one.state == state]
        if of_state:
            return of_state[-1]
        told = {
            "building": f"nothing of {name} is being built: workindex projections rebuild {name}",
            "kept": f"no older generation of {name} is kept: see workindex projections list",
        }[state]
        raise CommandRefused("no_generation", told)
    chosen = next((one for one in found if one.generation == number), None)
    if chosen is None:
        raise InvalidInput(
            f"{name} has no generation {number}: see workindex projections list",
            field="generation",
        )
    if chosen.state != state:
        raise CommandRefused(
            "wrong_state",
            f"generation {number} of {name} is {chosen.state}, not {state}: see workindex "
            "projections list",
        )
    return chosen


def _make_live(
    conn: Connection,
    who: Actor,
    command: str,
    name: str,
    found: Sequence[Generation],
    target: Generation,
    force: str | None,
) -> Switched:
    faults = unready(conn, name, target.generation)
    if faults and force is None:
        raise CommandRefused(
            "not_ready",
            f"generation {target.generation} of {name} is not ready: {'; '.join(faults)}",
        )
    failpoint("switch.checked")
    live = next((one.generation for one in found if one.state == "live"), None)
    if live is not None:
        conn.execute(SET_STATE, ("kept", name, live))
    conn.execute(SET_STATE, ("live", name, target.generation))
    told = {"set": name, "generation": target.generation, "before": live}
    if force is not None:
        told |= {"force": True, "overruled": faults}
    note_action(conn, who, command, told, outcome="done", reason=force)
    return Switched(name, target.generation, live, faults)


def unready(conn: Connection, set_name: str, generation: int) -> list[str]:
    """What keeps a generation from being live, each with a few users and the next command."""
    faults = []
    for condition, told in FAULTS:
        faulty = f"{FAULTY}{condition}"
        binds = (set_name, generation)
        (count,) = conn.execute(f"SELECT count(*) {faulty}".encode(), binds).fetchall()[0]
        if count:
            some = f"SELECT l.user_id {faulty} ORDER BY l.user_id LIMIT {NAMED_MAX}"
            named = ", ".join(row[0] for row in conn.execute(some.encode(), binds).fetchall())
            more = ", …" if count > NAMED_MAX else ""
            users = f"{count:,} user{'' if count == 1 else 's'} ({named}{more})"
            faults.append(f"{users} {told.format(set=set_name)}")
    return faults
