"""Building the users of a range, many at a time: read and fold without a lock, write under it.

Heads are held only while rows are written. A head that somebody else holds is passed over and
taken alone at the end, so one slow append holds nobody else up. What is not plain (a long log, a
park, a fact that needs newer code) is left to `advance`, one user at a time.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Final, NamedTuple

import psycopg

from workindex.eventlog.append import sqlstate
from workindex.eventlog.database import Connection
from workindex.eventlog.failpoints import failpoint
from workindex.projections.advancing import (
    TAIL_EVENTS_MAX,
    Step,
    Target,
    advance,
    fold_log,
)
from workindex.projections.folding import Folding
from workindex.projections.log_reading import Log, read_logs
from workindex.projections.parking import VALUE_CLASSES
from workindex.projections.row_writing import Prepared, RowWriter, changed_rows, clear
from workindex.projections.rows import raise_epoch

BATCH_USERS_MAX: Final = 50
BATCH_EVENTS_MAX: Final = 2_500
LONG_LOG_EVENTS: Final = 5_000

# Binds: set, generation, the user after whom the page begins, the last one or NULL, size.
UNBUILT = """
SELECT l.user_id, l.head FROM user_log l
WHERE l.user_id > %(after)s AND (%(last)s::text IS NULL OR l.user_id <= %(last)s)
  AND l.erased_at IS NULL
  AND NOT EXISTS (SELECT FROM projection_progress p WHERE p.user_id = l.user_id
                  AND p.projection_set = %(set)s AND p.generation = %(generation)s)
ORDER BY l.user_id LIMIT %(limit)s
"""

# Binds: user. Locks the head until commit; no row where somebody else holds it.
HOLD = "SELECT head FROM user_log WHERE user_id = %s FOR NO KEY UPDATE SKIP LOCKED"
HOLD_WAITING = "SELECT head FROM user_log WHERE user_id = %s FOR NO KEY UPDATE"

# Binds: users, set, generation.
BUILT = """
SELECT user_id FROM projection_progress
WHERE user_id = ANY (%s) AND projection_set = %s AND generation = %s
"""

# Binds: set, generation, users, positions, open counts; the lists go together.
BEGIN_ALL = """
INSERT INTO projection_progress
    (user_id, projection_set, generation, position, parked, skipped, open_count)
SELECT user_id, %s, %s, position, '{}', '{}', open_count
FROM unnest(%s::text[], %s::bigint[], %s::bigint[]) AS u(user_id, position, open_count)
"""

# Binds: set, generation, users.
NONE_DUE = """
DELETE FROM catchup_due WHERE projection_set = %s AND generation = %s AND user_id = ANY (%s)
"""


class Range(NamedTuple):
    """The users after one id up to another, None for the end."""

    after: str
    last: str | None


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the collector of cycles: nothing of a batch is one, and looking takes a third."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _Folded(NamedTuple):
    log: Log
    folding: Folding


def build_range(conn: Connection, target: Target, span: Range) -> Iterator[Step]:
    """Build every user of the range who has no progress row; tells of each batch.

    The connection is one of the maintenance role, outside a transaction.

    Raises: Unavailable, and the driver's errors.
    """
    writer = RowWriter(conn, target.projection_set, target.generation)
    after, busy = span.after, list[str]()
    while True:
        binds = {
            "set": target.projection_set.name,
            "generation": target.generation,
            "after": after,
            "last": span.last,
            "limit": BATCH_USERS_MAX,
        }
        users = conn.execute(UNBUILT, binds).fetchall()
        if not users:
            break
        batch = _batch(users)
        after = batch[-1] if batch else users[0][0]
        alone = [] if batch else [after]
        if batch:
            built = _Batch(conn, target, writer, batch)
            yield built.build()
            alone = built.alone
            busy += built.busy
        for user_id in alone:
            yield advance(conn, target, writer, user_id)
    for user_id in busy:
        yield advance(conn, target, writer, user_id)


def _batch(users: Sequence[tuple[str, int]]) -> list[str]:
    """The first users whose logs are a batch together; none where the first log is a long one."""
    batch: list[str] = []
    events = 0
    for user_id, head in users:
        events += head
        if head > LONG_LOG_EVENTS or (batch and events > BATCH_EVENTS_MAX):
            break
        batch.append(user_id)
    return batch


class _Batch:
    """A batch: afterwards `alone` are users for `advance`, `busy` those to come back to."""

    def __init__(
        self, conn: Connection, target: Target, writer: RowWriter, users: Sequence[str]
    ) -> None:
        self._conn = conn
        self._target = target
        self._writer = writer
        self._key = (target.projection_set.name, target.generation)
        self._users = users
        self.alone: list[str] = []
        self.busy: list[str] = []

    def build(self) -> Step:
        """Read, fold, lock, write. Where the database refuses a value each user is done alone."""
        with _uncollected():
            return self._build()

    def _build(self) -> Step:
        logs = read_logs(
            self._conn,
            self._target.mapper,
            [(user_id, 0) for user_id in self._users],
            limit=2 * LONG_LOG_EVENTS,
        )
        failpoint("rebuild.read")
        folded = [one for log in logs for one in self._fold(log)]
        leftovers = self._leftovers()
        try:
            return self._store(folded, leftovers)
        except psycopg.Error as refusal:
            if sqlstate(refusal)[:2] not in VALUE_CLASSES:
                raise
            self.alone, self.busy = list(self._users), []
            return Step()

    def _fold(self, log: Log) -> Iterator[_Folded]:
        folding = Folding(projection_set=self._target.projection_set)
        if log.problem is not None or fold_log(
            self._conn, self._target, log, folding, datetime.now(UTC)
        ):
            self.alone.append(log.user_id)
        else:
            yield _Folded(log, folding)

    def _store(self, folded: Sequence[_Folded], leftovers: Sequence[str]) -> Step:
        prepared = self._prepared(folded)
        with self._conn.transaction():
            begun = time.perf_counter()
            heads = self._hold([one.log.user_id for one in folded])
            failpoint("rebuild.locked")
            ready = [done for one in folded for done in self._with_tail(one, heads)]
            if ready != list(folded):  # somebody appended or is at it
                prepared = self._prepared(ready)
            names = [one.log.user_id for one in ready]
            clear(self._conn, leftovers, names, self._target.generation)
            self._writer.send(prepared)
            positions = [one.log.last for one in ready]
            counts = [prepared.opened[name] for name in names]
            with self._conn.pipeline():
                self._conn.execute(BEGIN_ALL, (*self._key, names, positions, counts))
                self._conn.execute(NONE_DUE, (*self._key, names))
                raise_epoch(self._conn, *names)
            failpoint("rebuild.written")
        stall = time.perf_counter() - begun
        failpoint("rebuild.committed")
        return Step(len(ready), sum(positions), prepared.rows, stall)

    def _prepared(self, folded: Sequence[_Folded]) -> Prepared:
        """The rows of these users as the database takes them."""
        return self._writer.prepare(
            change for one in folded for change in changed_rows(one.log.user_id, one.folding)
        )

    def _hold(self, users: Sequence[str]) -> dict[str, int]:
        """The heads that are held now, by user, without those that are built by now."""
        with self._conn.pipeline():
            found = [self._conn.execute(HOLD, (user_id,)) for user_id in users]
            built = self._conn.execute(BUILT, (list(users), *self._key))
        heads = {}
        for user_id, cursor in zip(users, found, strict=True):
            row = cursor.fetchone()
            if row is None:
                self.busy.append(user_id)
            else:
                heads[user_id] = row[0]
        for (user_id,) in built.fetchall():
            heads.pop(user_id, None)
        return heads

    def _with_tail(self, one: _Folded, heads: dict[str, int]) -> Iterator[_Folded]:
        """The user with what was appended since the log was read; none where that is too much."""
        user_id, log = one.log.user_id, one.log
        if user_id not in heads:
            return
        if heads[user_id] == log.last:
            yield one
            return
        wanted = [(user_id, log.last)]
        tail = read_logs(self._conn, self._target.mapper, wanted, limit=TAIL_EVENTS_MAX)[0]
        whole = log._replace(events=log.events + tail.events)
        folding = Folding(projection_set=self._target.projection_set)
        is_whole = tail.problem is None and tail.last == heads[user_id]
        if is_whole and not fold_log(self._conn, self._target, whole, folding, datetime.now(UTC)):
            yield _Folded(whole, folding)
        else:
            self.alone.append(user_id)

    def _leftovers(self) -> list[str]:
        """Tables with rows of these users in a generation in which they have no progress."""
        union = " UNION ALL ".join(
            f"SELECT '{name}' WHERE EXISTS (SELECT FROM {name} WHERE user_id = ANY (%(users)s) "
            "AND generation = %(generation)s)"
            for name in self._target.projection_set.table_names
        )
        binds = {"users": list(self._users), "generation": self._target.generation}
        return [name for (name,) in self._conn.execute(union.encode(), binds).fetchall()]
