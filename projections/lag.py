"""How far behind the log is each generation, in positions and in seconds, and what is due?

Read by operators and by whoever scrapes metrics; nothing decides by it. Runs as maintenance.
"""

from __future__ import annotations

from typing import NamedTuple

from workindex.eventlog.database import Connection

# Binds: none. One row a generation; a user whom nobody has begun counts from 0, except where the
# generation is being built. The seconds are the age of the oldest event that is not applied.
LAG = """
SELECT g.projection_set, g.generation,
       count(*) FILTER (WHERE s.behind > 0) AS users,
       coalesce(sum(s.behind), 0)::bigint AS positions,
       coalesce(max(s.behind), 0)::bigint AS positions_max,
       greatest(coalesce(extract(epoch FROM statement_timestamp() - min(e.recorded_at)), 0), 0)
FROM projection_generation g
LEFT JOIN LATERAL (
    SELECT l.user_id, coalesce(p.position, 0) AS position,
           l.head - coalesce(p.position, 0) AS behind
    FROM user_log l
    LEFT JOIN projection_progress p ON p.user_id = l.user_id
      AND p.projection_set = g.projection_set AND p.generation = g.generation
    WHERE l.erased_at IS NULL AND l.head > coalesce(p.position, 0)
      AND (p.user_id IS NOT NULL OR g.state IN ('live', 'kept'))
) s ON true
LEFT JOIN LATERAL (
    SELECT x.recorded_at FROM event x
    WHERE x.user_id = s.user_id AND x.position = s.position + 1
) e ON true
GROUP BY g.projection_set, g.generation
ORDER BY g.projection_set, g.generation
"""

# Binds: none. One row a set: entries, the age of the oldest that is due, the most attempts.
DUE = """
SELECT projection_set, count(*),
       greatest(extract(epoch FROM statement_timestamp() - min(next_at)), 0), max(attempts)
FROM catchup_due GROUP BY projection_set ORDER BY projection_set
"""


class Lag(NamedTuple):
    """What one generation has not applied yet: of how many users, how much, since when."""

    projection_set: str
    generation: int
    users: int
    positions: int
    positions_max: int
    seconds: float


class Waiting(NamedTuple):
    """What is due of one set."""

    projection_set: str
    entries: int
    oldest_seconds: float
    attempts_max: int


def lag_of(conn: Connection) -> list[Lag]:
    """The lag of every generation, in the order of sets and generations."""
    return [Lag(*row)._replace(seconds=float(row[5])) for row in conn.execute(LAG).fetchall()]


def due_of(conn: Connection) -> list[Waiting]:
    """What is due, by set; none where nothing is."""
    return [Waiting(n, c, float(s), a) for n, c, s, a in conn.execute(DUE).fetchall()]
