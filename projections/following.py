"""Who is due to be caught up: entries of `catchup_due`, claimed one by one, attempts counted.

An attempt is counted in a transaction of its own before anything is applied, so an event that
ends the process is known by the count. A claim moves the entry into the future: nobody else takes
it meanwhile, and one whose holder died becomes due again. What is claimed is only a hint; every
step takes its own lock before it moves anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final, NamedTuple

from workindex.eventlog.database import Connection, Database, tenant_transaction
from workindex.projections.sets import ProjectionSet

CLAIM_SECONDS: Final = 5
BACK_OFF_SECONDS_MAX: Final = 60
WAITING_SECONDS: Final = 60  # where newer code or a rebuild has to come first

# Binds: sets, their fold versions, limit; runs as maintenance. Reads only.
DUE = """
SELECT d.user_id, d.projection_set, d.generation
FROM catchup_due d
JOIN projection_generation g
  ON g.projection_set = d.projection_set AND g.generation = d.generation
JOIN unnest(%s::text[], %s::integer[]) AS ours(projection_set, fold_version)
  ON ours.projection_set = g.projection_set AND ours.fold_version = g.fold_version
WHERE g.state <> 'retiring' AND d.next_at <= statement_timestamp()
ORDER BY d.next_at LIMIT %s
"""

# Binds: sets, their fold versions, the length of a claim; runs as maintenance. One row.
CLAIMED = """
SELECT EXISTS (
    SELECT FROM catchup_due d
    JOIN projection_generation g
      ON g.projection_set = d.projection_set AND g.generation = d.generation
    JOIN unnest(%s::text[], %s::integer[]) AS ours(projection_set, fold_version)
      ON ours.projection_set = g.projection_set AND ours.fold_version = g.fold_version
    WHERE g.state <> 'retiring' AND d.attempts > 0
      AND d.next_at <= statement_timestamp() + %s)
"""

# Binds: sets, their fold versions; runs as maintenance. Writes one row for each user of a
# generation that stands behind the head without being due, none where all is well.
SCAN = """
INSERT INTO catchup_due (user_id, projection_set, generation, attempts, next_at)
SELECT l.user_id, g.projection_set, g.generation, 0, statement_timestamp()
FROM projection_generation g
JOIN unnest(%s::text[], %s::integer[]) AS ours(projection_set, fold_version)
  ON ours.projection_set = g.projection_set AND ours.fold_version = g.fold_version
CROSS JOIN user_log l
LEFT JOIN projection_progress p ON p.user_id = l.user_id
  AND p.projection_set = g.projection_set AND p.generation = g.generation
LEFT JOIN catchup_due d ON d.user_id = l.user_id
  AND d.projection_set = g.projection_set AND d.generation = g.generation
WHERE l.erased_at IS NULL AND d.user_id IS NULL AND (
    (g.state IN ('live', 'kept') AND coalesce(p.position, 0) < l.head)
    OR (g.state = 'building' AND p.position < l.head))
ON CONFLICT (user_id, projection_set, generation) DO NOTHING
"""

# Binds: user, sets, their fold versions. The generations that a program keeps for the user.
GENERATIONS = """
SELECT g.projection_set, g.generation
FROM projection_generation g
JOIN unnest(%(sets)s::text[], %(versions)s::integer[]) AS ours(projection_set, fold_version)
  ON ours.projection_set = g.projection_set AND ours.fold_version = g.fold_version
WHERE g.state IN ('live', 'kept') OR (g.state = 'building' AND EXISTS (
    SELECT FROM projection_progress p WHERE p.user_id = %(user)s
      AND p.projection_set = g.projection_set AND p.generation = g.generation))
ORDER BY g.projection_set DESC, g.generation
"""

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

# Binds: user, set, generation, seconds until somebody else may take it. One row, none where
# somebody has it or nothing stands behind. An entry that is not there is made.
CLAIM = """
INSERT INTO catchup_due AS d (user_id, projection_set, generation, attempts, next_at)
SELECT l.user_id, g.projection_set, g.generation, 1, statement_timestamp() + %(for)s
FROM user_log l
JOIN projection_generation g ON g.projection_set = %(set)s AND g.generation = %(generation)s
LEFT JOIN projection_progress p ON p.user_id = l.user_id
  AND p.projection_set = g.projection_set AND p.generation = g.generation
WHERE l.user_id = %(user)s AND coalesce(p.position, 0) < l.head
  AND g.state <> 'retiring' AND (g.state <> 'building' OR p.position IS NOT NULL)
ON CONFLICT (user_id, projection_set, generation) DO UPDATE
SET attempts = d.attempts + 1, next_at = excluded.next_at
WHERE d.next_at <= statement_timestamp()
RETURNING attempts
"""

# Binds: attempts, seconds until it is due again, user, set, generation.
RELEASE = """
UPDATE catchup_due SET attempts = %(attempts)s, next_at = statement_timestamp() + %(for)s
WHERE user_id = %(user)s AND projection_set = %(set)s AND generation = %(generation)s
"""

# Binds: user, set, generation, position. Takes the entry away if the head is there and nobody
# else holds it: then nothing can have come since. One row where it did.
SETTLE = """
WITH held AS (SELECT head FROM user_log WHERE user_id = %(user)s FOR NO KEY UPDATE SKIP LOCKED)
DELETE FROM catchup_due d USING held
WHERE held.head = %(position)s AND d.user_id = %(user)s AND d.projection_set = %(set)s
  AND d.generation = %(generation)s
"""

# Binds: user, set, generation. For generations that are gone.
NOT_DUE = """
DELETE FROM catchup_due
WHERE user_id = %(user)s AND projection_set = %(set)s AND generation = %(generation)s
"""


class Due(NamedTuple):
    """One generation of one user that stands behind."""

    user_id: str
    projection_set: str
    generation: int

    def binds(self, **more: object) -> dict[str, object]:
        """The entry as named binds, with others."""
        named = {"user": self.user_id, "set": self.projection_set, "generation": self.generation}
        return named | more


def ours(sets: Sequence[ProjectionSet]) -> tuple[list[str], list[int]]:
    """The sets that a program folds, and with which versions."""
    return [one.name for one in sets], [one.fold_version for one in sets]


def find_due(database: Database, sets: Sequence[ProjectionSet], limit: int) -> list[Due]:
    """Entries of these sets' fold versions whose time has come, the oldest first."""
    with database.maintenance() as conn:
        return [Due(*row) for row in conn.execute(DUE, (*ours(sets), limit)).fetchall()]


def are_claimed(database: Database, sets: Sequence[ProjectionSet]) -> bool:
    """Whether somebody has entries of these sets that become due soon, done or not."""
    with database.maintenance() as conn:
        row = conn.execute(CLAIMED, (*ours(sets), timedelta(seconds=CLAIM_SECONDS))).fetchone()
    assert row is not None
    return bool(row[0])


def scan(database: Database, sets: Sequence[ProjectionSet]) -> int:
    """Make due what stands behind and is not due; returns how many that were."""
    with database.maintenance() as conn:
        return conn.execute(SCAN, ours(sets)).rowcount


def generations_of(conn: Connection, user_id: str, sets: Sequence[ProjectionSet]) -> list[Due]:
    """The generations of these sets' fold versions that are kept for a user."""
    names, versions = ours(sets)
    binds = {"user": user_id, "sets": names, "versions": versions}
    with tenant_transaction(conn, user_id):
        rows = conn.execute(GENERATIONS, binds).fetchall()
    return [Due(user_id, *row) for row in rows]


class Look(NamedTuple):
    """How far a generation of a user is, and what comes next; `position` None: not begun."""

    head: int
    state: str
    position: int | None
    next_type: str | None
    next_version: int | None


def look_and_claim(conn: Connection, due: Due) -> tuple[Look | None, int | None]:
    """Where the entry stands (None: the generation or the log is gone), and the attempts before.

    Counts an attempt and keeps others away, if something stands behind and nobody has it: else
    the attempts are None. Committed at once, without waiting for the disk: the count is for
    processes that die.
    """
    bound = due.binds(**{"for": timedelta(seconds=CLAIM_SECONDS)})
    with conn.pipeline(), tenant_transaction(conn, due.user_id):
        conn.execute("SET LOCAL synchronous_commit = off")
        looked = conn.execute(LOOK, bound)
        claimed = conn.execute(CLAIM, bound)
    found, counted = looked.fetchone(), claimed.fetchone()
    return (
        None if found is None else Look(*found),
        None if counted is None else counted[0] - 1,
    )


def settle(conn: Connection, due: Due, position: int | None) -> bool:
    """Take the entry away where it is not due: at this position, or (None) ever again."""
    with conn.pipeline(), tenant_transaction(conn, due.user_id):
        conn.execute("SET LOCAL synchronous_commit = off")
        statement = NOT_DUE if position is None else SETTLE
        done = conn.execute(statement, due.binds(position=position))
    return done.rowcount > 0


def release(conn: Connection, due: Due, attempts: int, *, after_seconds: float = 0) -> None:
    """Give the entry back with this count, to be due after so long."""
    bound = due.binds(attempts=attempts, **{"for": timedelta(seconds=after_seconds)})
    with conn.pipeline(), tenant_transaction(conn, due.user_id):
        conn.execute("SET LOCAL synchronous_commit = off")
        conn.execute(RELEASE, bound)


def back_off_seconds(failures: int) -> float:
    """How long to leave an entry alone after so many failures in a row."""
    return float(min(2**failures, BACK_OFF_SECONDS_MAX))
