"""Which generations of each projection set exist, and how far they are."""

from __future__ import annotations

from typing import Any

from psycopg.rows import dict_row

from workindex.eventlog.database import Database
from workindex.projections.sets import INLINE

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


def list_generations(database: Database) -> list[dict[str, Any]]:
    """Every registered generation with its set's members and counts of users.

    Raises: NotReady without a maintenance login.
    """
    with database.maintenance() as conn, conn.cursor(row_factory=dict_row) as cursor:
        found = cursor.execute(GENERATIONS).fetchall()
    members = {INLINE.name: list(INLINE.members)}
    return [{**one, "members": members.get(one["projection_set"], [])} for one in found]
