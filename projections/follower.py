"""Bringing the generations of this program's fold versions to the head, batch by batch.

One step is one transaction of one user, so a process that dies leaves whole steps behind. The
inline set moves under the user's head, like an append. The evidence set moves under its own
progress row: no append ever moves it, so none has to wait while documents are written. Either way
progress moves only from where it stood when the events were folded.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final, Literal, NamedTuple

import psycopg

from workindex.domain.errors import CorruptEvent, NeedsNewerCode, Unavailable
from workindex.domain.facts import Event
from workindex.eventlog.append import json_text, sqlstate, write_rows
from workindex.eventlog.database import Connection, Database, tenant_transaction
from workindex.eventlog.failpoints import failpoint
from workindex.eventlog.mapper import FactMapper, LogEvent
from workindex.eventlog.reader import read_stored
from workindex.projections.folding import Folding, touched_refs
from workindex.projections.following import (
    NOT_DUE,
    WAITING_SECONDS,
    Due,
    back_off_seconds,
    claim,
    release,
)
from workindex.projections.parking import (
    ATTEMPTS_MAX,
    VALUE_CLASSES,
    attempts_after,
    events_at_once,
    marks_of_a_killer,
    member_subsets,
    park_record,
)
from workindex.projections.rows import load_rows, raise_epoch
from workindex.projections.sets import ALL_SETS, INLINE, ProjectionSet

BATCH_EVENTS: Final = 500
BATCH_CHARS: Final = 1_000_000  # of the texts that one step writes; one event may exceed it
PATIENCE_MS: Final = 500  # how long a step waits for a lock that it missed before
MISSES_MAX: Final = 3

State = Literal["done", "more", "busy", "waiting", "failed"]

# Binds: user, set, generation. How far the generation is, and the next event's type; no lock.
LOOK = """
SELECT l.head, g.state, p.position, e.type, e.schema_version
FROM user_log l
JOIN projection_generation g ON g.projection_set = %(set)s AND g.generation = %(generation)s
LEFT JOIN projection_progress p ON p.user_id = l.user_id
  AND p.projection_set = g.projection_set AND p.generation = g.generation
LEFT JOIN event e ON e.user_id = l.user_id AND e.position = coalesce(p.position, 0) + 1
WHERE l.user_id = %(user)s AND l.erased_at IS NULL AND g.state <> 'retiring'
"""

# Binds: user. Locks the user's head until commit, unless somebody else has it.
HOLD_HEAD = "SELECT head FROM user_log WHERE user_id = %s FOR NO KEY UPDATE"
HEAD = "SELECT head FROM user_log WHERE user_id = %s"
# Binds: user, set, generation. Locks the generation's progress of the user likewise.
HOLD_PROGRESS = """
SELECT position, parked FROM projection_progress
WHERE user_id = %(user)s AND projection_set = %(set)s AND generation = %(generation)s
FOR NO KEY UPDATE"""
SKIPPING = " SKIP LOCKED"

# Binds: user, set, generation. The progress of a user whom nobody has begun with; a generation
# that is being built is begun by its rebuild.
BEGIN = """
INSERT INTO projection_progress (user_id, projection_set, generation, position, parked, skipped,
                                 open_count)
SELECT %(user)s, g.projection_set, g.generation, 0, '{}', '{}', 0 FROM projection_generation g
WHERE g.projection_set = %(set)s AND g.generation = %(generation)s AND g.state IN ('live', 'kept')
ON CONFLICT (user_id, projection_set, generation) DO NOTHING
"""

# Binds: position, marks, change of the open count, user, set, generation, old position. One row.
MOVE = """
UPDATE projection_progress SET position = %(position)s, parked = %(marks)s::jsonb || parked,
       open_count = open_count + %(open)s
WHERE user_id = %(user)s AND projection_set = %(set)s AND generation = %(generation)s
  AND position = %(base)s
"""


class Step(NamedTuple):
    """What one step did. `waiting` is for newer code or a rebuild, `busy` for somebody else.

    `failed` says that the database refused for now; `error` is why.
    """

    state: State
    position: int = 0
    head: int = 0
    events: int = 0
    parked: tuple[str, ...] = ()
    error: Exception | None = None


class Follower:
    """Catches up what stands behind; thread-safe as far as its database is."""

    def __init__(
        self,
        database: Database,
        *,
        sets: Sequence[ProjectionSet] = ALL_SETS,
        mapper: FactMapper | None = None,
    ) -> None:
        self._database = database
        self.sets = tuple(sets)
        self._by_name = {one.name: one for one in sets}
        self._mapper = mapper or FactMapper()
        self._misses: dict[Due, int] = {}
        self._failures: dict[Due, int] = {}
        self._owed: dict[Due, int] = {}  # counts that could not be given back

    def step(self, due: Due) -> Step:
        """Apply one batch, or park what ended a process too often.

        Raises: Unavailable where the database cannot be reached.
        """
        with self._database.connection() as conn:
            looked = self._look(conn, due)
            if looked is not None:
                return looked
            if due in self._owed:
                release(conn, due, self._owed.pop(due))
            attempts = claim(conn, due)
            if attempts is None:
                return Step("busy")
            try:
                return self._claimed(conn, due, attempts)
            except psycopg.Error as error:
                return self._failed(conn, due, attempts, error)
            except BaseException:
                self._owed[due] = attempts
                raise

    def _look(self, conn: Connection, due: Due) -> Step | None:
        """What can be said without a claim; None where there is something to apply."""
        with tenant_transaction(conn, due.user_id):
            row = conn.execute(LOOK, due.binds()).fetchone()
            if row is None:
                conn.execute(NOT_DUE, due.binds())
                return Step("done")
            head, state, position, type_, version = row
            if position == head:
                return self._settle(conn, due, position)
        is_waiting = position is None and state == "building"
        if is_waiting or (type_ is not None and not self._mapper.knows(type_, version)):
            release(conn, due, 0, after_seconds=WAITING_SECONDS)
            return Step("waiting", position or 0, head)
        return None

    def _settle(self, conn: Connection, due: Due, position: int) -> Step:
        """Take the entry away if nothing came since: who holds the head knows."""
        held = conn.execute(f"{HOLD_HEAD}{SKIPPING}".encode(), (due.user_id,)).fetchone()
        if held is None:
            return Step("busy", position, position)
        if held[0] != position:
            return Step("more", position, held[0])
        conn.execute(NOT_DUE, due.binds())
        return Step("done", position, position)

    def _claimed(self, conn: Connection, due: Due, attempts: int) -> Step:
        """One batch, by who has the entry; gives it back in every case that a process survives."""
        is_patient = self._misses.get(due, 0) >= MISSES_MAX
        step = _Step(conn, due, self._by_name[due.projection_set], self._mapper, attempts)
        failpoint("catchup.claimed")
        with tenant_transaction(conn, due.user_id):
            done = step.run(patient=is_patient)
            if done.state == "more":
                done = self._handed_on(conn, due, done, attempts)
        failpoint("catchup.committed")
        if done.state == "busy":
            self._misses[due] = self._misses.get(due, 0) + 1
            release(conn, due, attempts)
        elif done.state == "waiting":
            release(conn, due, 0, after_seconds=WAITING_SECONDS)
        else:
            self._misses.pop(due, None)
            self._failures.pop(due, None)
        return done

    def _handed_on(self, conn: Connection, due: Due, done: Step, attempts: int) -> Step:
        """In the step's own transaction: the entry goes if the head is reached, else is due."""
        if done.position == done.head:
            settled = self._settle(conn, due, done.position)
            if settled.state == "done":
                return done._replace(state="done")
        left = attempts_after(attempts, parked=bool(done.parked))
        bound = due.binds(attempts=left)
        conn.execute(
            "UPDATE catchup_due SET attempts = %(attempts)s, next_at = statement_timestamp() "
            "WHERE user_id = %(user)s AND projection_set = %(set)s "
            "AND generation = %(generation)s",
            bound,
        )
        return done

    def _failed(self, conn: Connection, due: Due, attempts: int, error: psycopg.Error) -> Step:
        """The process lives, so the attempt does not count; the entry is due again later."""
        failures = self._failures[due] = self._failures.get(due, 0) + 1
        try:
            release(conn, due, attempts, after_seconds=back_off_seconds(failures))
        except psycopg.Error:
            self._owed[due] = attempts  # the connection is gone: given back with the next one
            raise Unavailable(f"the database does not answer ({error})") from error
        return Step("failed", error=error)


class _Step:
    """One transaction of one user: events read, folded, written, progress moved."""

    def __init__(
        self,
        conn: Connection,
        due: Due,
        projection_set: ProjectionSet,
        mapper: FactMapper,
        attempts: int,
    ) -> None:
        self._conn = conn
        self._due = due
        self._set = projection_set
        self._mapper = mapper
        self._attempts = attempts

    def run(self, *, patient: bool) -> Step:
        """Apply a batch; `more` where it did, whether or not the head is reached."""
        conn, due = self._conn, self._due
        held = self._hold(patient)
        if held is None:
            return Step("busy")
        head, base, parked = held
        if base >= head:
            return Step("more", base, head)
        stored = list(
            read_stored(
                conn,
                due.user_id,
                from_position=base + 1,
                to_position=min(head, base + events_at_once(self._attempts, BATCH_EVENTS)),
            )
        )
        now = datetime.now(UTC)
        events, marks, position = self._decoded(stored, now)
        if position == base:
            return Step("waiting", base, head)
        failpoint("catchup.folding")
        folding = Folding(without={*parked, *marks}, projection_set=self._set)
        load_rows(
            conn, due.user_id, due.generation, self._set, folding,
            touched_refs([event.fact for event in events]),
        )  # fmt: skip
        failures = folding.apply_all([(event, event.position) for event in events])
        for member, failure in failures.items():
            marks[member] = park_record(base + 1, failure.event.position, failure, now)
        marks |= self._write(folding, base, position, marks, now)
        if self._set.name == INLINE.name:
            raise_epoch(conn, due.user_id)
        failpoint("catchup.applied")
        return Step("more", position, head, position - base, tuple(marks.keys() - parked.keys()))

    def _hold(self, patient: bool) -> tuple[int, int, dict[str, Any]] | None:
        """Take the lock; head, position and what is parked, None where somebody has it."""
        conn, due = self._conn, self._due
        wait = "" if patient else SKIPPING
        if patient:
            conn.execute(f"SET LOCAL lock_timeout = {PATIENCE_MS}".encode())
        is_inline = self._set.name == INLINE.name
        try:
            with conn.transaction():
                if is_inline:
                    head = conn.execute(f"{HOLD_HEAD}{wait}".encode(), (due.user_id,)).fetchone()
                    if head is None:
                        return None
                conn.execute(BEGIN, due.binds())
                held = conn.execute(f"{HOLD_PROGRESS}{wait}".encode(), due.binds()).fetchone()
                if held is None:
                    return None
        except psycopg.errors.LockNotAvailable:
            return None
        if not is_inline:
            conn.execute("SET LOCAL synchronous_commit = off")  # whole or not at all, all the same
            head = conn.execute(HEAD, (due.user_id,)).fetchone()
        assert head is not None
        return head[0], held[0], held[1]

    def _decoded(
        self, stored: Sequence[LogEvent], now: datetime
    ) -> tuple[list[Event], dict[str, Any], int]:
        """The events that the folds take, members to park, and the position that is reached.

        Ends before an event that cannot be applied; stands that one first, it parks, or nothing
        is reached where newer code has to come.
        """
        if self._attempts >= ATTEMPTS_MAX:
            marks = marks_of_a_killer(
                stored[0], self._set, self._mapper, attempts=self._attempts, now=now
            )
            return [], marks, stored[0].position
        events: list[Event] = []
        reached = stored[0].position - 1
        chars = 0
        for one in stored:
            try:
                told = self._told(one)
            except NeedsNewerCode:
                break
            except CorruptEvent as corrupt:
                if reached >= stored[0].position:
                    break
                record = park_record(one.position, one.position, corrupt, now)
                return [], dict.fromkeys(self._set.members, record), one.position
            events += told
            reached = one.position
            chars += sum(len(getattr(event.fact, "text", None) or "") for event in told)
            if chars > BATCH_CHARS:
                break
        return events, {}, reached

    def _told(self, stored: LogEvent) -> list[Event]:
        event = self._mapper.to_domain_event(stored)
        return self._set.told(self._conn, self._due.user_id, self._mapper, event)

    def _write(
        self, folding: Folding, base: int, position: int, marks: dict[str, Any], now: datetime
    ) -> dict[str, Any]:
        """Write the rows and move; returns the marks of members whose rows are refused."""
        due = self._due
        generations = {member: [due.generation] for member in self._set.members}
        left = [member for member in self._set.members if member not in folding.without]
        error: psycopg.Error | None = None
        for refused in member_subsets(left):
            folding.without.update(refused)
            rows, opened = folding.changes(base=0)
            more = {m: park_record(base + 1, base + 1, error or "", now) for m in refused}
            bound = due.binds(
                position=position, base=base, open=opened, marks=json_text(marks | more)
            )
            try:
                with self._conn.transaction():
                    moved = self._conn.execute(MOVE, bound).rowcount
                    assert moved == 1, "progress moved although it was held"
                    write_rows(self._conn, due.user_id, generations, rows)
                return more
            except psycopg.Error as refusal:
                if sqlstate(refusal)[:2] not in VALUE_CLASSES:
                    raise
                error = refusal
                folding.without.difference_update(refused)
        assert error is not None
        raise error
