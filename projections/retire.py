"""Retire: take a generation away, while programs of its fold version may still be writing.

It is marked first, so that no append that begins from then on writes into it; those that began
before are waited for. Then every user's progress and rows go, under the head, until a scan finds
none, and the registration last. What was ended anywhere is gone on with by the next run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from workindex.domain.errors import CommandRefused, InvalidInput, Unavailable
from workindex.domain.facts import Actor
from workindex.eventlog.audit import note_action
from workindex.eventlog.database import Connection, Database
from workindex.eventlog.failpoints import failpoint
from workindex.projections.generations import SET_STATE, Generation, registered
from workindex.projections.rebuild_batches import BATCH_USERS_MAX, HOLD, HOLD_WAITING
from workindex.projections.row_writing import clear
from workindex.projections.sets import INLINE, ProjectionSet

WAIT_SECONDS_MAX: Final = 150.0  # longer than any statement and any idle transaction may last
LOOK_AGAIN_S: Final = 0.01

# Binds: none. Transactions of others that are writing progress, in this database. Whoever chose
# the generations that it moves before these were marked has this lock already.
WRITERS = """
SELECT l.virtualtransaction, l.pid FROM pg_locks l JOIN pg_database d ON d.oid = l.database
WHERE d.datname = current_database() AND l.relation = 'projection_progress'::regclass
  AND l.mode = 'RowExclusiveLock' AND l.granted AND l.pid <> pg_backend_pid()
"""

# Binds: set, generation, the user after whom the page begins, size.
KEPT_USERS = """
SELECT user_id FROM projection_progress
WHERE projection_set = %s AND generation = %s AND user_id > %s ORDER BY user_id LIMIT %s
"""

# Binds: set, generation, users.
FORGET = """
DELETE FROM {table} WHERE projection_set = %s AND generation = %s AND user_id = ANY (%s)
"""


class Retired(NamedTuple):
    """What was taken away, and how long heads were held at most."""

    projection_set: str
    generation: Generation
    users: int
    rows: int
    stall_seconds: float

    def to_json(self) -> dict[str, Any]:
        """The document of `workindex projections retire --json`."""
        return {
            "set": self.projection_set,
            "generation": self.generation.generation,
            "fold_version": self.generation.fold_version,
            "users": self.users,
            "rows": self.rows,
            "longest_stall_ms": round(self.stall_seconds * 1_000, 1),
        }


Watch = Callable[[int], None]


def retire(
    database: Database,
    who: Actor,
    *,
    projection_set: ProjectionSet = INLINE,
    generation: int | None = None,
    watch: Watch | None = None,
) -> Retired:
    """Take one generation away; without a number the one that is being retired, else the kept one.

    `watch` is told how many users are gone.

    Raises: CommandRefused where it is live, or none or several are kept; Unavailable where an
    older transaction does not end; NotReady without a maintenance login.
    """
    name = projection_set.name
    with database.maintenance() as conn:
        with conn.transaction():
            chosen = _chosen(name, registered(conn, name), generation)
            conn.execute(SET_STATE, ("retiring", name, chosen.generation))
            told = {"set": name, "generation": chosen.generation}
            note_action(conn, who, "projections retire", told, outcome="begun")
        failpoint("retire.marked")
        _wait_for_writers(conn)
        run = _Run(conn, projection_set, chosen.generation)
        while run.delete_pass():
            if watch is not None:
                watch(run.users)
        failpoint("retire.emptied")
        with conn.transaction():
            registered(conn, name)
            conn.execute(
                "DELETE FROM projection_generation WHERE projection_set = %s AND generation = %s",
                (name, chosen.generation),
            )
            told |= {"users": run.users, "rows": run.rows}
            note_action(conn, who, "projections retire", told, outcome="done")
    return Retired(name, chosen, run.users, run.rows, run.stall_seconds)


def _chosen(name: str, found: Sequence[Generation], number: int | None) -> Generation:
    if number is not None:
        chosen = [one for one in found if one.generation == number]
        if not chosen:
            raise InvalidInput(
                f"{name} has no generation {number}: see workindex projections list",
                field="generation",
            )
        if chosen[0].state == "live":
            raise CommandRefused(
                "live_generation",
                f"generation {number} of {name} is live: workindex projections switch {name} or "
                f"rollback {name} makes another one live first",
            )
        return chosen[0]
    for state in ("retiring", "kept"):
        of_state = [one for one in found if one.state == state]
        if len(of_state) == 1:
            return of_state[0]
        if of_state:
            numbers = ", ".join(str(one.generation) for one in of_state)
            raise CommandRefused(
                "several_generations",
                f"the generations {numbers} of {name} are {state}: say which with --generation",
            )
    raise CommandRefused(
        "no_generation",
        f"no older generation of {name} is kept: see workindex projections list, and name one "
        "that is being built with --generation",
    )


def _wait_for_writers(conn: Connection) -> None:
    """Wait until every transaction has ended that may have chosen its generations before.

    Raises: Unavailable.
    """
    waited_for = set(conn.execute(WRITERS).fetchall())
    until = time.monotonic() + WAIT_SECONDS_MAX
    while waited_for:
        if time.monotonic() > until:
            pids = ", ".join(str(pid) for _, pid in sorted(waited_for))
            raise Unavailable(
                f"a transaction that writes progress has not ended in {WAIT_SECONDS_MAX:.0f} s "
                f"(server process {pids}): end it, then run workindex projections retire again"
            )
        time.sleep(LOOK_AGAIN_S)
        waited_for &= set(conn.execute(WRITERS).fetchall())


class _Run:
    """Deletes users' rows, batch by batch."""

    def __init__(self, conn: Connection, projection_set: ProjectionSet, generation: int) -> None:
        self._conn = conn
        self._set = projection_set
        self._generation = generation
        self.users = 0
        self.rows = 0
        self.stall_seconds = 0.0

    def delete_pass(self) -> bool:
        """Delete what one scan finds; whether it found anything."""
        found = False
        for users in self._found():
            found = True
            for user_id in self._delete(users):
                self._delete([user_id], waits=True)
        return found

    def _found(self) -> Iterator[list[str]]:
        """Users with progress in the generation, then those with anything else of it."""
        key = (self._set.name, self._generation)
        after = ""
        while True:
            page = self._conn.execute(KEPT_USERS, (*key, after, BATCH_USERS_MAX)).fetchall()
            if not page:
                break
            yield [user_id for (user_id,) in page]
            after = page[-1][0]
        others: list[tuple[str, tuple[str | int, ...]]] = [
            (f"{name} WHERE generation = %s", key[1:]) for name in self._set.table_names
        ]
        others.append(("catchup_due WHERE projection_set = %s AND generation = %s", key))
        for where, binds in others:
            statement = f"SELECT DISTINCT user_id FROM {where} LIMIT {BATCH_USERS_MAX}".encode()
            while page := self._conn.execute(statement, binds).fetchall():
                yield sorted(user_id for (user_id,) in page)

    def _delete(self, users: Sequence[str], *, waits: bool = False) -> list[str]:
        """Delete the users whose heads are free; returns the others. One that is waited for is."""
        key = (self._set.name, self._generation)
        with self._conn.transaction():
            begun = time.perf_counter()
            hold = HOLD_WAITING if waits else HOLD
            held = [self._conn.execute(hold, (one,)).fetchone() for one in users]
            free = [one for one, row in zip(users, held, strict=True) if row or waits]
            gone = self._conn.execute(FORGET.format(table="projection_progress"), (*key, free))
            self.users += gone.rowcount
            self.rows += clear(self._conn, self._set.table_names, free, self._generation)
            self._conn.execute(FORGET.format(table="catchup_due"), (*key, free))
            failpoint("retire.deleted")
        self.stall_seconds = max(self.stall_seconds, time.perf_counter() - begun)
        failpoint("retire.committed")
        return [one for one in users if one not in free]
