"""The rows and the progress of one user in one generation, for what names a generation.

Appends and catch-up move whatever stands at their base; retry, skip and repair mean one
generation. All of it runs while the user's head is held.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

import orjson
from psycopg.rows import namedtuple_row

from workindex.eventlog.append import write_rows
from workindex.eventlog.database import Connection
from workindex.projections.folding import Folding, split_ref
from workindex.projections.sets import ProjectionSet
from workindex.projections.table import Table

ROWS_AT_ONCE: Final = 1_000

# Binds: user. One row a generation that is not being retired; locks them until commit.
PROGRESS = """
SELECT p.projection_set, p.generation, g.fold_version, g.state, p.position, p.parked, p.skipped,
       p.open_count
FROM projection_progress p
JOIN projection_generation g
  ON g.projection_set = p.projection_set AND g.generation = p.generation
WHERE p.user_id = %s AND g.state <> 'retiring'
ORDER BY p.projection_set, p.generation FOR NO KEY UPDATE OF p
"""

# Binds: position, parked, skipped, open_count, user, set, generation.
MOVE = """
UPDATE projection_progress
SET position = %s, parked = %s::jsonb, skipped = %s::jsonb, open_count = %s
WHERE user_id = %s AND projection_set = %s AND generation = %s
"""


class Progress(NamedTuple):
    """Where one generation of one user stands, and what stands against its members."""

    projection_set: str
    generation: int
    fold_version: int
    state: str
    position: int
    parked: dict[str, Any]
    skipped: dict[str, Any]
    open_count: int


def progress_of(conn: Connection, user_id: str) -> list[Progress]:
    """The user's generations, also those of other fold versions."""
    with conn.cursor(row_factory=namedtuple_row) as cursor:
        return [Progress(*row) for row in cursor.execute(PROGRESS, (user_id,))]


def store_progress(conn: Connection, user_id: str, progress: Progress) -> None:
    """Store where a generation stands now."""
    marks = (orjson.dumps(one).decode() for one in (progress.parked, progress.skipped))
    where = (user_id, progress.projection_set, progress.generation)
    conn.execute(MOVE, (progress.position, *marks, progress.open_count, *where))


def raise_epoch(conn: Connection, *user_ids: str) -> None:
    """Have every append for these users refused that rests on rows which were read before."""
    conn.execute(
        "UPDATE user_log SET epoch = epoch + 1 WHERE user_id = ANY (%s)", (list(user_ids),)
    )


def load_rows(
    conn: Connection,
    user_id: str,
    generation: int,
    projection_set: ProjectionSet,
    folding: Folding,
    refs: Iterable[str],
) -> None:
    """Load the rows of the references that the folding does not hold yet."""
    missing: dict[str, list[str]] = {}
    for ref in refs:
        kind, id_ = split_ref(ref)
        if ref not in folding.after and (
            projection_set.table_of_kind[kind].member not in folding.without
        ):
            folding.load(ref, None)
            missing.setdefault(kind, []).append(id_)
    for kind, ids in missing.items():
        table = projection_set.table_of_kind[kind]
        # One by one (LATERAL, which OFFSET 0 keeps): a kept plan must not read the whole table.
        rows = conn.execute(
            f"SELECT x.found FROM unnest(%s::text[]) AS w(id), LATERAL ("
            f"SELECT to_jsonb(t) AS found FROM {table.name} t WHERE t.user_id = %s "
            f"AND t.generation = %s AND t.{table.id_column} = w.id OFFSET 0) AS x".encode(),
            (ids, user_id, generation),
        )
        for (stored,) in rows.fetchall():
            folding.load_stored(table, stored)


def write_folded(
    conn: Connection,
    user_id: str,
    generation: int,
    projection_set: ProjectionSet,
    folding: Folding,
) -> int:
    """Write what the folding changed into the generation; returns how many rows that were.

    The events were applied with their absolute positions.
    """
    changed, _ = folding.changes(base=0)
    generations = {member: [generation] for member in projection_set.members}
    written = 0
    for name, part in changed.items():
        for action in ("put", "drop"):
            for some in _batches(part[action]):
                rows = {name: {"put": [], "drop": [], action: some}}
                write_rows(conn, user_id, generations, rows)
                written += len(some)
    return written


def delete_rows(
    conn: Connection, user_id: str, generation: int, tables: Sequence[Table[Any]]
) -> None:
    """Delete every row of the user in these tables of the generation, and what is due of them."""
    for table in tables:
        conn.execute(
            f"DELETE FROM {table.name} WHERE user_id = %s AND generation = %s".encode(),
            (user_id, generation),
        )
    kinds = [table.kind for table in tables]
    conn.execute(
        "DELETE FROM work_due WHERE user_id = %s AND generation = %s AND kind = ANY (%s)",
        (user_id, generation, kinds),
    )


def count_open(
    conn: Connection, user_id: str, generation: int, projection_set: ProjectionSet
) -> int:
    """How many open rows are stored."""
    total = 0
    for table in projection_set.tables:
        if table.is_open is not None:
            row = conn.execute(
                f"SELECT count(*) FROM {table.name} "
                f"WHERE user_id = %s AND generation = %s AND open".encode(),
                (user_id, generation),
            ).fetchone()
            assert row is not None
            total += row[0]
    return total


def _batches(rows: list[Any]) -> Iterator[list[Any]]:
    left = iter(rows)
    while some := list(islice(left, ROWS_AT_ONCE)):
        yield some
