"""Bringing one user's generation to the head: a long log in chunks, then the tail under the lock.

A chunk moves the user's progress only from where it stood when its events were folded, so whoever
else moves it meanwhile, another rebuild or an append of this fold version, is never overwritten.
Until the last step no append waits: a chunk stops before the last event that it saw. Nobody reads
or moves a projection that is not at the head, and only who holds the head may bring it there: an
append that found it behind brings no rows, so it must not find it at the head a moment later.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from workindex.domain.errors import CorruptEvent, NeedsNewerCode, Unavailable
from workindex.eventlog.append import json_text, lock
from workindex.eventlog.database import Connection
from workindex.eventlog.failpoints import failpoint
from workindex.eventlog.mapper import FactMapper
from workindex.projections.folding import Folding
from workindex.projections.log_reading import Log, read_logs
from workindex.projections.parking import park_record, write_what_fits
from workindex.projections.row_writing import RowWriter, changed_rows, clear
from workindex.projections.rows import raise_epoch
from workindex.projections.sets import ProjectionSet

CHUNK_EVENTS: Final = 2_000
ATTEMPTS_MAX: Final = 6
TAIL_EVENTS_MAX: Final = 200  # what may be left when the head is locked

# Binds: user, set, generation.
PROGRESS = """
SELECT position, parked FROM projection_progress
WHERE user_id = %s AND projection_set = %s AND generation = %s
"""

# Binds: user, set, generation. One row, none where there is one already.
BEGIN = """
INSERT INTO projection_progress
    (user_id, projection_set, generation, position, parked, skipped, open_count)
VALUES (%s, %s, %s, 0, '{}', '{}', 0) ON CONFLICT DO NOTHING RETURNING position
"""

# Binds: user, set, generation. Locks the user's progress row until commit.
HOLD = f"{PROGRESS.rstrip()} FOR NO KEY UPDATE"

# Binds: position, parked, change of the open count, user, set, generation; the row is held.
MOVE = """
UPDATE projection_progress
SET position = %s, parked = %s::jsonb || parked, open_count = open_count + %s
WHERE user_id = %s AND projection_set = %s AND generation = %s
"""

# Binds: user, set, generation.
NOT_DUE = """
DELETE FROM catchup_due WHERE user_id = %s AND projection_set = %s AND generation = %s
"""


class Park(NamedTuple):
    """A member of one user that stands still; `position` is the first event it does not hold."""

    user_id: str
    member: str
    position: int
    failed_position: int
    reason: str


class Unknown(NamedTuple):
    """An event that this program is too old for."""

    user_id: str
    position: int
    reason: str


class Step(NamedTuple):
    """What was done: users that reached the head, events and rows, and how long heads were held."""

    users: int = 0
    events: int = 0
    rows: int = 0
    stall_seconds: float = 0.0
    parked: tuple[Park, ...] = ()
    unknown: tuple[Unknown, ...] = ()

    def plus(self, other: Step) -> Step:
        """Both together; of the stalls the longer one."""
        return Step(
            self.users + other.users,
            self.events + other.events,
            self.rows + other.rows,
            max(self.stall_seconds, other.stall_seconds),
            self.parked + other.parked,
            self.unknown + other.unknown,
        )


class _Outrun(Exception):
    """Somebody else moved the progress."""


class Target(NamedTuple):
    """What is built, and with which code."""

    projection_set: ProjectionSet
    generation: int
    mapper: FactMapper


def advance(conn: Connection, target: Target, writer: RowWriter, user_id: str) -> Step:
    """Bring one user's generation to the head, and park what cannot follow.

    The connection is one of the maintenance role, outside a transaction; the user has a log.
    A fact that needs newer code ends this where it stands.

    Raises: Unavailable where others outran every attempt, and the driver's errors.
    """
    for attempt in range(ATTEMPTS_MAX):
        one = _Advance(conn, target, writer, user_id)
        try:
            one.load()
            # Whoever was outrun looks under the lock first: others may have brought it there.
            while not (one.finish() if attempt else one.go_on()):
                attempt = 0
        except _Outrun:
            continue
        return one.step
    raise Unavailable(
        f"others moved generation {target.generation} of {user_id} at each of {ATTEMPTS_MAX} "
        "attempts: run the command again, it goes on where it stopped"
    )


class _Advance:
    """One attempt: rows in memory, written chunk by chunk."""

    def __init__(self, conn: Connection, target: Target, writer: RowWriter, user_id: str) -> None:
        self._conn = conn
        self._target = target
        self._writer = writer
        self._user_id = user_id
        self._key = (user_id, target.projection_set.name, target.generation)
        self._folding = Folding()
        self._base: int | None = None  # None: there is no progress row yet
        self.step = Step()

    def load(self) -> None:
        """Go on from where the user stands."""
        self._folding = Folding(projection_set=self._target.projection_set)
        found = self._conn.execute(PROGRESS, self._key).fetchone()
        if found is None:
            return
        self._base, parked = found
        self._folding.without.update(parked)
        for table in self._target.projection_set.tables:
            rows = self._conn.execute(
                f"SELECT to_jsonb(t) FROM {table.name} t "
                "WHERE user_id = %s AND generation = %s".encode(),
                (self._user_id, self._target.generation),
            )
            for (row,) in rows:
                self._folding.load_stored(table, row)

    def go_on(self) -> bool:
        """Take a chunk, or the tail under the lock; whether the user is done."""
        log = self._read(CHUNK_EVENTS + 1)
        if isinstance(log.problem, NeedsNewerCode):
            unknown = Unknown(self._user_id, log.problem_position, str(log.problem))
            self.step = self.step.plus(Step(unknown=(unknown,)))
            return True
        if log.problem is None and len(log.events) > TAIL_EVENTS_MAX:
            with self._conn.transaction():
                self._store(log._replace(events=log.events[:-1]), log.last - 1)
                failpoint("rebuild.chunk.written")
            failpoint("rebuild.chunk.committed")
            return False
        return self.finish()

    def finish(self) -> bool:
        """Take what is left under the lock; False where that is too much."""
        with self._conn.transaction():
            lock(self._conn, self._user_id)
            begun = time.perf_counter()
            failpoint("rebuild.locked")
            head = head_of(self._conn, self._user_id)
            found = self._conn.execute(PROGRESS, self._key).fetchone()
            if found is None or found[0] != head:
                if found is not None and found[0] != self._base:
                    self.load()
                log = self._read(TAIL_EVENTS_MAX + 1)
                if isinstance(log.problem, NeedsNewerCode):
                    return False  # it came this moment: the next look tells of it
                if log.problem is None and log.last != head:
                    return False  # more came meanwhile: another chunk first
                self._store(log, head)
            self._conn.execute(NOT_DUE, self._key)
            raise_epoch(self._conn, self._user_id)
            failpoint("rebuild.written")
        stall = time.perf_counter() - begun
        failpoint("rebuild.committed")
        self.step = self.step.plus(Step(users=1, stall_seconds=stall))
        return True

    def _read(self, limit: int) -> Log:
        wanted = [(self._user_id, self._base or 0)]
        return read_logs(self._conn, self._target.mapper, wanted, limit=limit)[0]

    def _store(self, log: Log, position: int) -> None:
        """Fold the events and move to the position, inside the caller's transaction."""
        self._hold()
        base = self._base or 0
        now = datetime.now(UTC)
        parked = fold_log(self._conn, self._target, log, self._folding, now)

        def attempt(refused: dict[str, Any]) -> int:
            return self._write(frozenset(self._folding.without), position, parked | refused)

        rows, left_out = write_what_fits(
            self._conn, self._folding, self._target.projection_set.members, (base + 1, now), attempt
        )
        marks = parked | left_out
        self._folding.without.update(marks)
        self._folding.before = dict(self._folding.after)
        self._base = position
        parks = tuple(
            Park(self._user_id, m, r["position"], r["failed_position"], r["reason"])
            for m, r in marks.items()
        )
        self.step = self.step.plus(Step(events=len(log.events), rows=rows, parked=parks))

    def _hold(self) -> None:
        """Hold the progress where it stood when the events were read, or begin it.

        Raises: _Outrun.
        """
        if self._base is not None:
            held = self._conn.execute(HOLD, self._key).fetchone()
            if held is None or held[0] != self._base:
                raise _Outrun
            return
        if self._conn.execute(BEGIN, self._key).fetchone() is None:
            raise _Outrun
        # Rows without progress are nobody's.
        tables = self._target.projection_set.table_names
        clear(self._conn, tables, [self._user_id], self._target.generation)

    def _write(self, without: frozenset[str], position: int, marks: dict[str, Any]) -> int:
        """Rows and progress; returns how many rows."""
        changed = changed_rows(self._user_id, self._folding)
        rows, opened = self._writer.write(changed, without=without)
        delta = opened[self._user_id]
        self._conn.execute(MOVE, (position, json_text(marks), delta, *self._key))
        return rows


def fold_log(
    conn: Connection, target: Target, log: Log, folding: Folding, now: datetime
) -> dict[str, Any]:
    """Fold the events of a log; returns the marks of the members that could not follow.

    An event that cannot be decoded parks every member. Raises: NeedsNewerCode where what belongs
    to an event does.
    """
    projection_set, mapper = target.projection_set, target.mapper
    problem: tuple[int, CorruptEvent] | None = None
    if isinstance(log.problem, CorruptEvent):
        problem = (log.problem_position, log.problem)
    events = log.events
    if projection_set.tell is not None and problem is None:
        events = []
        for event in log.events:
            try:
                events += projection_set.told(conn, log.user_id, mapper, event)
            except CorruptEvent as corrupt:
                problem = (event.position, corrupt)
                break
    if problem is not None:
        record = park_record(log.after + 1, problem[0], problem[1], now)
        marks: dict[str, Any] = dict.fromkeys(
            (m for m in projection_set.members if m not in folding.without), record
        )
        folding.without.update(marks)
        return marks
    failures = folding.apply_all([(event, event.position) for event in events])
    return {
        member: park_record(log.after + 1, failure.event.position, failure, now)
        for member, failure in failures.items()
    }


def head_of(conn: Connection, user_id: str) -> int:
    """The head of a user's log."""
    found = conn.execute("SELECT head FROM user_log WHERE user_id = %s", (user_id,)).fetchone()
    return found[0] if found is not None else 0
