"""Bringing the generations of this program's fold versions to the head, batch by batch.

One step is one transaction of one user, so a process that dies leaves whole steps behind. The
inline set moves under the user's head, like an append. The evidence set moves under its own
progress row: no append ever moves it, so none has to wait while documents are written. Either way
progress moves only from where it stood when the events were folded.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, NamedTuple

import psycopg
from psycopg.rows import dict_row

from workindex.domain.errors import CorruptEvent, NeedsNewerCode, Unavailable
from workindex.domain.facts import Event
from workindex.eventlog.append import json_text, sqlstate, write_rows
from workindex.eventlog.database import Connection, Database, tenant_transaction
from workindex.eventlog.failpoints import failpoint
from workindex.eventlog.mapper import FactMapper, LogEvent, log_event
from workindex.eventlog.reader import EVENTS, POSITION_MAX
from workindex.projections.folding import Folding, touched_refs
from workindex.projections.following import (
    RELEASE,
    SETTLE,
    WAITING_SECONDS,
    Due,
    Look,
    back_off_seconds,
    look_and_claim,
    release,
    settle,
)
from workindex.projections.parking import (
    ATTEMPTS_MAX,
    VALUE_CLASSES,
    attempts_after,
    events_at_once,
    marks_of_a_killer,
    park_record,
    write_what_fits,
)
from workindex.projections.rows import load_rows, raise_epoch
from workindex.projections.sets import ALL_SETS, INLINE, ProjectionSet

BATCH_EVENTS: Final = 500
BATCH_CHARS: Final = 1_000_000  # of the texts that one step writes; one event may exceed it
PATIENCE_MS: Final = 500  # how long a step waits for a lock that it missed before
MISSES_MAX: Final = 3

State = Literal["done", "more", "busy", "waiting", "failed"]

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
            if due in self._owed:
                release(conn, due, self._owed.pop(due))
            look, attempts = look_and_claim(conn, due)
            if look is None:
                settle(conn, due, None)
                return Step("done")
            if attempts is None:
                return _unclaimed(conn, due, look)
            try:
                return self._claimed(conn, due, look, attempts)
            except psycopg.Error as error:
                return self._failed(conn, due, attempts, error)
            except BaseException:
                self._owed[due] = attempts
                raise

    def _claimed(self, conn: Connection, due: Due, look: Look, attempts: int) -> Step:
        """One batch, by who has the entry; gives it back in every case that a process survives."""
        done = Step("waiting", look.position or 0, look.head)
        if self._mapper.knows(look.next_type or "", look.next_version or 0):
            is_patient = self._misses.get(due, 0) >= MISSES_MAX
            one = _Step(conn, due, self._by_name[due.projection_set], self._mapper, attempts)
            failpoint("catchup.claimed")
            done = one.run(look.position, patient=is_patient)
            failpoint("catchup.committed")
        if done.state == "busy":
            self._misses[due] = self._misses.get(due, 0) + 1
            release(conn, due, attempts)
        elif done.state == "waiting":
            release(conn, due, attempts, after_seconds=WAITING_SECONDS)
        else:
            self._misses.pop(due, None)
            self._failures.pop(due, None)
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


def _unclaimed(conn: Connection, due: Due, look: Look) -> Step:
    """What an entry comes to that nobody could claim."""
    if look.position == look.head:
        settle(conn, due, look.position)  # where an append holds the head, it is seen again
        return Step("done", look.head, look.head)
    if look.position is None and look.state == "building":
        release(conn, due, 0, after_seconds=WAITING_SECONDS)
        return Step("waiting", 0, look.head)
    return Step("busy", look.position or 0, look.head)


class _Step:
    """One transaction of one user: events read, folded, written, progress moved.

    Four round trips where nothing is out of the ordinary.
    """

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
        self._is_inline = projection_set.name == INLINE.name

    def run(self, base: int | None, *, patient: bool) -> Step:
        """Apply a batch from the position that was seen; `done` where that reached the head."""
        try:
            try:
                return self._in_one_transaction(base, patient=patient, careful=False)
            except psycopg.Error as refusal:
                if sqlstate(refusal)[:2] not in VALUE_CLASSES:
                    raise
            return self._in_one_transaction(base, patient=patient, careful=True)
        except psycopg.errors.LockNotAvailable:
            return Step("busy")

    def _in_one_transaction(self, base: int | None, *, patient: bool, careful: bool) -> Step:
        """`careful`: the database refuses a value, so find out whose it is."""
        conn, due = self._conn, self._due
        with conn.pipeline(), tenant_transaction(conn, due.user_id):
            held = self._hold(base or 0, patient=patient, begin=base is None)
            if held is None:
                return Step("busy")
            head, parked, stored = held
            now = datetime.now(UTC)
            events, marks, position = self._decoded(stored, now)
            if position == (base or 0):
                return Step("waiting", position, head)
            failpoint("catchup.folding")
            folding = Folding(without={*parked, *marks}, projection_set=self._set)
            refs = touched_refs([one.fact for one in events if not self._is_first(one)])
            load_rows(conn, due.user_id, due.generation, self._set, folding, refs)
            failures = folding.apply_all([(event, event.position) for event in events])
            for member, failure in failures.items():
                marks[member] = park_record((base or 0) + 1, failure.event.position, failure, now)
            if careful:
                marks |= self._write_carefully(folding, base or 0, position, marks, now)
            else:
                self._write(folding, base or 0, position, marks)
            settled = self._hand_on(position, parked=bool(marks))
            failpoint("catchup.applied")
        new = tuple(sorted(marks.keys() - parked.keys()))
        state: State = "done" if settled.rowcount > 0 else "more"
        return Step(state, position, head, position - (base or 0), new)

    def _hold(
        self, base: int, *, patient: bool, begin: bool
    ) -> tuple[int, dict[str, Any], list[LogEvent]] | None:
        """Take the lock; head, what is parked and the next events, None where somebody has it."""
        conn, due = self._conn, self._due
        wait = "" if patient else SKIPPING
        if patient:
            conn.execute(f"SET LOCAL lock_timeout = {PATIENCE_MS}".encode())
        if self._is_inline:
            first = conn.execute(f"{HOLD_HEAD}{wait}".encode(), (due.user_id,))
        else:
            conn.execute("SET LOCAL synchronous_commit = off")  # whole or not at all, all the same
            first = conn.execute(HEAD, (due.user_id,))
        if begin:
            conn.execute(BEGIN, due.binds())
        second = conn.execute(f"{HOLD_PROGRESS}{wait}".encode(), due.binds())
        limit = events_at_once(self._attempts, BATCH_EVENTS)
        third = conn.cursor(row_factory=dict_row)
        third.execute(
            EVENTS,
            {
                "user": due.user_id, "first": base + 1, "last": POSITION_MAX,
                "stream": None, "limit": limit,
            },
        )  # fmt: skip
        head, held, rows = first.fetchone(), second.fetchone(), third.fetchall()
        if head is None or held is None or held[0] != base:
            return None
        # What came after the look at the head is for the next step.
        stored = [log_event(row) for row in rows if row["position"] <= head[0]]
        return (head[0], held[1], stored) if stored else None

    def _is_first(self, event: Event) -> bool:
        """Whether the event makes its rows, so that none can be there: nothing is loaded."""
        return event.stream_version == 1 and not self._is_inline

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

    def _write(self, folding: Folding, base: int, position: int, marks: dict[str, Any]) -> None:
        """Move from the base, with rows."""
        due = self._due
        rows, opened = folding.changes(base=0)
        bound = due.binds(position=position, base=base, open=opened, marks=json_text(marks))
        self._conn.execute(MOVE, bound)  # the row is held at the base: it does move
        if rows:
            generations = {member: [due.generation] for member in self._set.members}
            write_rows(self._conn, due.user_id, generations, rows)

    def _write_carefully(
        self, folding: Folding, base: int, position: int, marks: dict[str, Any], now: datetime
    ) -> dict[str, Any]:
        """As `_write`, without the fewest members whose rows are refused; returns their marks."""

        def attempt(refused: dict[str, Any]) -> None:
            self._write(folding, base, position, marks | refused)

        _, left_out = write_what_fits(
            self._conn, folding, self._set.members, (base + 1, now), attempt
        )
        return left_out

    def _hand_on(self, position: int, *, parked: bool) -> psycopg.Cursor[Any]:
        """The entry goes if the head is reached, else it is due again."""
        conn, due = self._conn, self._due
        if self._is_inline:
            raise_epoch(conn, due.user_id)
        settled = conn.execute(SETTLE, due.binds(position=position))
        left = attempts_after(self._attempts, parked=parked)
        conn.execute(RELEASE, due.binds(attempts=left, **{"for": timedelta(0)}))
        return settled
