"""Writing rows of one generation for many users at once, as the maintenance role.

The columns are those that the database has, so a column that is kept beside a row is written
without being named here. Rows that are there already are replaced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from workindex.domain.facts import utc
from workindex.eventlog.append import json_text
from workindex.eventlog.database import Connection
from workindex.projections.evidence_functions import words_of
from workindex.projections.folding import Folding, Kept, split_ref
from workindex.projections.sets import ProjectionSet
from workindex.projections.table import AnyTable

# Binds: table. The columns that are written, in order: those that the database does not make.
COLUMNS = """
SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute
WHERE attrelid = %s::text::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
"""

# Binds: generation, rows. Rows expected: one a document.
PUT = """
INSERT INTO {table} (generation, {columns})
SELECT g.generation, {values}
FROM (SELECT %s::integer AS generation) g
CROSS JOIN jsonb_populate_recordset(NULL::{table}, %s::jsonb) r
ON CONFLICT (user_id, generation, {id}) DO UPDATE SET {updates}
"""

# Binds: generation, users, ids; both lists go together.
DROP = """
DELETE FROM {table} t USING unnest(%s::text[], %s::text[]) AS d(user_id, id)
WHERE t.user_id = d.user_id AND t.generation = %s AND t.{id} = d.id
"""

# Binds: generation, due rows.
PUT_DUE: Final = """
INSERT INTO work_due (user_id, generation, kind, id, due_at)
SELECT user_id, %s, kind, id, due_at FROM jsonb_populate_recordset(NULL::work_due, %s::jsonb)
ON CONFLICT (user_id, generation, kind, id) DO UPDATE SET due_at = excluded.due_at
"""

# Binds: users, kinds, ids, generation; the lists go together.
DROP_DUE: Final = """
DELETE FROM work_due w USING unnest(%s::text[], %s::text[], %s::text[]) AS d(user_id, kind, id)
WHERE w.user_id = d.user_id AND w.generation = %s AND w.kind = d.kind AND w.id = d.id
"""


class Changed(NamedTuple):
    """A row as a folding left it, None where it is gone, and as it was stored before."""

    user_id: str
    ref: str
    kept: Kept | None
    before: Kept | None


class Written(NamedTuple):
    """How many rows were written, and the change of the open count of each user."""

    rows: int
    opened: Counter[str]


def changed_rows(user_id: str, folding: Folding) -> Iterator[Changed]:
    """What a folding made of one user's rows."""
    for ref, kept in folding.after.items():
        before = folding.before.get(ref)
        if kept is not before:
            yield Changed(user_id, ref, kept, before)


class RowWriter:
    """Writes into one generation of a set, on one connection."""

    def __init__(self, conn: Connection, projection_set: ProjectionSet, generation: int) -> None:
        self._conn = conn
        self._generation = generation
        self._table_of_kind = projection_set.table_of_kind
        self._puts = {table.name: _put(conn, table) for table in projection_set.tables}

    def write(
        self, changed: Iterable[Changed], *, without: Collection[str] = frozenset()
    ) -> Written:
        """Write rows and drop those that are gone; members of `without` are left alone.

        Raises: the driver's error.
        """
        puts: dict[str, list[dict[str, Any]]] = {}
        drops: dict[str, tuple[list[str], list[str]]] = {}
        due: list[dict[str, Any]] = []
        idle: tuple[list[str], list[str], list[str]] = ([], [], [])
        opened: Counter[str] = Counter()
        for user_id, ref, kept, before in changed:
            kind, id_ = split_ref(ref)
            table = self._table_of_kind[kind]
            if table.member in without:
                continue
            due_at = None
            if kept is not None:
                document = table.dump(kept.row)
                opened[user_id] += document.get("open", False)
                document["user_id"] = user_id
                document["created_position"] = kept.created_position
                document["source_position"] = kept.source_position
                puts.setdefault(table.name, []).append(document)
                due_at = None if table.due_at is None else table.due_at(kept.row)
            elif before is not None:
                for column, value in zip(
                    drops.setdefault(table.name, ([], [])), (user_id, id_), strict=True
                ):
                    column.append(value)
            if before is not None and table.is_open is not None:
                opened[user_id] -= table.is_open(before.row)
            if due_at is not None:
                due.append({"user_id": user_id, "kind": kind, "id": id_, "due_at": utc(due_at)})
            elif table.due_at is not None and before is not None:
                for column, value in zip(idle, (user_id, kind, id_), strict=True):
                    column.append(value)
        self._send(puts, drops, due, idle)
        return Written(sum(map(len, puts.values())), opened)

    def _send(
        self,
        puts: dict[str, list[dict[str, Any]]],
        drops: dict[str, tuple[list[str], list[str]]],
        due: list[dict[str, Any]],
        idle: Sequence[list[str]],
    ) -> None:
        tables = {table.name: table for table in self._table_of_kind.values()}
        with self._conn.pipeline():
            for name, documents in puts.items():
                self._conn.execute(self._puts[name], (self._generation, json_text(documents)))
            for name, (users, ids) in drops.items():
                statement = DROP.format(table=name, id=tables[name].id_column)
                self._conn.execute(statement.encode(), (users, ids, self._generation))
            if due:
                self._conn.execute(PUT_DUE, (self._generation, json_text(due)))
            if idle[0]:
                self._conn.execute(DROP_DUE, (*idle, self._generation))


def _put(conn: Connection, table: AnyTable) -> bytes:
    found = conn.execute(COLUMNS, (table.name,)).fetchone()
    assert found is not None
    columns = [name for name in found[0] if name != "generation"]
    values = {name: f"r.{name}" for name in columns}
    if table.searched is not None:
        values["words"] = words_of(f"r.{table.searched}", "r.user_id")
    key = ("user_id", table.id_column)
    updates = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in key)
    return PUT.format(
        table=table.name,
        columns=", ".join(columns),
        values=", ".join(values.values()),
        id=table.id_column,
        updates=updates,
    ).encode()


def clear(conn: Connection, tables: Iterable[str], users: Sequence[str], generation: int) -> int:
    """Delete every row of the users in one generation of the tables; returns how many."""
    with conn.pipeline():
        deleted = [
            conn.execute(
                f"DELETE FROM {name} WHERE user_id = ANY (%s) AND generation = %s".encode(),
                (list(users), generation),
            )
            for name in tables
        ]
    return sum(cursor.rowcount for cursor in deleted)
