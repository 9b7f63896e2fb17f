"""Writing rows of one generation for many users at once, as the maintenance role.

The columns are those that the database has, so a column that is kept beside a row is written
without being named here. Rows that are there already are replaced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
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


class Prepared:
    """Changed rows as the database takes them; made before anybody waits for a lock.

    `opened` is the change of the open count of each user.
    """

    def __init__(
        self,
        table_of_kind: Mapping[str, AnyTable],
        changed: Iterable[Changed],
        without: Collection[str],
    ) -> None:
        self.opened: Counter[str] = Counter()
        self.drops: dict[AnyTable, tuple[list[str], list[str]]] = {}
        self.idle: tuple[list[str], list[str], list[str]] = ([], [], [])
        self._due: list[dict[str, Any]] = []
        puts: dict[AnyTable, list[dict[str, Any]]] = {}
        for one in changed:
            kind, id_ = split_ref(one.ref)
            table = table_of_kind[kind]
            if table.member in without:
                continue
            if one.kept is not None:
                puts.setdefault(table, []).append(self._document(table, one.user_id, one.kept))
            elif one.before is not None:
                for column, value in zip(
                    self.drops.setdefault(table, ([], [])), (one.user_id, id_), strict=True
                ):
                    column.append(value)
            if one.before is not None and table.is_open is not None:
                self.opened[one.user_id] -= table.is_open(one.before.row)
            if table.due_at is not None:
                self._look_at(table.due_at, one, kind, id_)
        self.rows = sum(map(len, puts.values()))
        self.puts = {table: json_text(documents) for table, documents in puts.items()}
        self.due = json_text(self._due) if self._due else None

    def _document(self, table: AnyTable, user_id: str, kept: Kept) -> dict[str, Any]:
        document = table.dump(kept.row)
        self.opened[user_id] += document.get("open", False)
        document["user_id"] = user_id
        document["created_position"] = kept.created_position
        document["source_position"] = kept.source_position
        return document

    def _look_at(
        self, due_at: Callable[[Any], datetime | None], one: Changed, kind: str, id_: str
    ) -> None:
        """When the clock has to look at the row, or that it has not to any more."""
        at = None if one.kept is None else due_at(one.kept.row)
        if at is not None:
            due = {"user_id": one.user_id, "kind": kind, "id": id_, "due_at": utc(at)}
            self._due.append(due)
        elif one.before is not None:
            for column, value in zip(self.idle, (one.user_id, kind, id_), strict=True):
                column.append(value)


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
        prepared = self.prepare(changed, without=without)
        self.send(prepared)
        return Written(prepared.rows, prepared.opened)

    def prepare(
        self, changed: Iterable[Changed], *, without: Collection[str] = frozenset()
    ) -> Prepared:
        """The rows as `send` takes them."""
        return Prepared(self._table_of_kind, changed, without)

    def send(self, prepared: Prepared) -> None:
        """Write what was prepared.

        Raises: the driver's error.
        """
        with self._conn.pipeline():
            for table, documents in prepared.puts.items():
                self._conn.execute(self._puts[table.name], (self._generation, documents))
            for table, (users, ids) in prepared.drops.items():
                statement = DROP.format(table=table.name, id=table.id_column)
                self._conn.execute(statement.encode(), (users, ids, self._generation))
            if prepared.due is not None:
                self._conn.execute(PUT_DUE, (self._generation, prepared.due))
            if prepared.idle[0]:
                self._conn.execute(DROP_DUE, (*prepared.idle, self._generation))


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
