"""Everything that one turn reads of one user, as of one position."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple

from psycopg.errors import InsufficientPrivilege

from workindex.domain.errors import NotReady
from workindex.eventlog import content
from workindex.eventlog.database import Connection, tenant_transaction
from workindex.eventlog.transcripts import Turn, read_turns, turns_per_part
from workindex.projections.artifacts import ArtifactRow
from workindex.projections.bounds import Bounds, Want
from workindex.projections.conversations import MessageRow
from workindex.projections.foremost import Foremost, Wanted, foremost_of, select_foremost
from workindex.projections.memory import ClaimRow
from workindex.projections.proof import Reading
from workindex.projections.search import Filters, Hits, search_in
from workindex.projections.sets import TABLE_OF_KIND
from workindex.projections.work_index import Reader

# Binds: user, generation and the ids, subjects or thread. `{table}` is a name of our own tables.
NAMED = """
SELECT to_json(t) FROM unnest(%s::text[]) AS w(id), LATERAL (
    SELECT * FROM {table} t WHERE t.user_id = %s AND t.generation = %s AND t.{id} = w.id OFFSET 0
) t
"""
# The same of one of several kinds, with its name.
NAMED_OF = """
SELECT '{kind}', to_json(t) FROM unnest(%(ids)s::text[]) AS w(id), LATERAL (
    SELECT * FROM {table} t
    WHERE t.user_id = %(user)s AND t.generation = %(generation)s AND t.{id} = w.id OFFSET 0
) t
"""
# Binds: user, generation, thread, how many; the newest first.
RECENT_MESSAGES = b"""
SELECT to_json(t) FROM message t WHERE t.user_id = %s AND t.generation = %s AND t.thread_id = %s
ORDER BY t.created_position DESC LIMIT %s
"""
# Binds: the ids, user, generation; no text is read.
MARKS = b"""
SELECT json_build_array(t.message_id, t.redacted, t.sensitivity)
FROM unnest(%s::text[]) AS w(id), LATERAL (
    SELECT m.message_id, m.redacted, m.sensitivity FROM message m
    WHERE m.user_id = %s AND m.generation = %s AND m.message_id = w.id OFFSET 0
) t
"""
# Binds: user, generation, how many; the newest first.
CURRENT_CLAIMS = b"""
SELECT to_json(t) FROM claim t
WHERE t.user_id = %s AND t.generation = %s AND t.status = 'current'
ORDER BY t.created_position DESC LIMIT %s
"""
# Binds: user, generation, task or NULL, meeting or NULL, how many; the newest first.
ARTIFACTS_OF = b"""
SELECT to_json(t) FROM artifact t
WHERE t.user_id = %s AND t.generation = %s AND (t.task_id = %s OR t.meeting_id = %s)
ORDER BY t.created_position DESC LIMIT %s
"""


# Looks rows up by kind and exact id; answers for the one user alone.
Find = Callable[[str, Sequence[str]], Sequence[Any]]


class Mark(NamedTuple):
    """What decides whether a message may be seen."""

    message_id: str
    redacted: bool
    sensitivity: str


class Snapshot:
    """One user's rows, read one after the other as of one position.

    Where the rows lag behind the log they are folded on; a reading whose reasons name no doubt
    holds all that it was asked for. Nothing changes within a snapshot, so a row, a thread's tail
    and a kind that was folded are read once, however many stages ask.
    """

    def __init__(self, reader: Reader, conn: Connection, user_id: str) -> None:
        self._reader = reader
        self._conn = conn
        self.user_id = user_id
        self._marks: dict[str, Any] | None = None
        self._rows: dict[tuple[str, str], Any] = {}
        self._tails: dict[tuple[str, int], list[MessageRow]] = {}
        self._whole: dict[str, list[Any]] = {}

    def read(
        self, want: Want, *, now: datetime | None = None, bounds: Bounds | None = None
    ) -> Reading:
        """Rows of the wanted kinds with what stands against trusting them."""
        return self._reader.read_in(self._conn, self.user_id, want, now=now, bounds=bounds)

    def doubts(self, kind: str) -> tuple[str, ...]:
        """What stands against trusting the rows of a kind, such as lag or parked."""
        if self._marks is None:
            self._marks = self._reader.marks_in(self._conn, self.user_id)
        return self._reader.doubts_in(self._conn, self.user_id, kind, self._marks)

    def named(self, base: Reading, kind: str, ids: Iterable[str]) -> list[Any]:
        """The rows of these ids that there are, in the order of the ids; `base` read before."""
        wanted = list(dict.fromkeys(ids))
        if not base.projections:
            return []
        if unread := [id_ for id_ in wanted if (kind, id_) not in self._rows]:
            found = {row[0]: row for row in self._looked_up(base, kind, unread)}
            self._rows |= {(kind, id_): found.get(id_) for id_ in unread}
        rows = (self._rows[kind, id_] for id_ in wanted)
        return [row for row in rows if row is not None]

    def look_for(self, base: Reading, kinds: Sequence[str], ids: Iterable[str]) -> None:
        """Read at once what several kinds have by these ids, so that `named` finds it read."""
        wanted = list(dict.fromkeys(ids))
        if not wanted or not base.projections or base.live:
            return
        tables = {kind: TABLE_OF_KIND[kind] for kind in kinds}
        statements = [
            NAMED_OF.format(kind=kind, table=table.name, id=table.id_column)
            for kind, table in tables.items()
        ]
        binds = {"ids": wanted, "user": self.user_id, "generation": _generation(base)}
        self._rows |= {(kind, id_): None for kind in kinds for id_ in wanted}
        for kind, stored in self._conn.execute(" UNION ALL ".join(statements).encode(), binds):
            row = tables[kind].load(stored)
            self._rows[kind, row[0]] = row

    def _looked_up(self, base: Reading, kind: str, ids: list[str]) -> list[Any]:
        if base.live:
            return [row for row in self._folded(kind) if row[0] in ids]
        table = TABLE_OF_KIND[kind]
        statement = NAMED.format(table=table.name, id=table.id_column)
        found = self._select(statement.encode(), ids, self.user_id, _generation(base))
        return [table.load(row) for row in found]

    def message_marks(self, base: Reading, ids: Iterable[str]) -> list[Mark]:
        """The marks of the messages of these ids that there are: many, without their texts."""
        wanted = list(dict.fromkeys(ids))
        if not base.projections or not wanted:
            return []
        if base.live:
            rows = self.named(base, "message", wanted)
            return [Mark(row.message_id, row.redacted, row.sensitivity) for row in rows]
        found = self._select(MARKS, wanted, self.user_id, _generation(base))
        return [Mark(*one) for one in found]

    def recent_messages(self, base: Reading, thread_id: str, limit: int) -> list[MessageRow]:
        """The thread's newest messages, the oldest of them first."""
        if not base.projections:
            return []
        if (thread_id, limit) not in self._tails:
            self._tails[thread_id, limit] = self._tail(base, thread_id, limit)
        return self._tails[thread_id, limit]

    def _tail(self, base: Reading, thread_id: str, limit: int) -> list[MessageRow]:
        if base.live:
            rows = [row for row in self._folded("message") if row.thread_id == thread_id]
            return sorted(rows, key=lambda row: (row.posted_at, row.message_id))[-limit:]
        found = self._select(RECENT_MESSAGES, self.user_id, _generation(base), thread_id, limit)
        table = TABLE_OF_KIND["message"]
        return [table.load(row) for row in reversed(found)]

    def current_claims(self, base: Reading, limit: int) -> list[ClaimRow]:
        """What is claimed now, the newest first."""
        if not base.projections:
            return []
        if base.live:
            current = [row for row in self._folded("claim") if row.status == "current"]
            return sorted(current, key=lambda row: row.recorded_at, reverse=True)[:limit]
        found = self._select(CURRENT_CLAIMS, self.user_id, _generation(base), limit)
        table = TABLE_OF_KIND["claim"]
        return [table.load(row) for row in found]

    def artifacts_of(
        self, base: Reading, task_id: str | None, meeting_id: str | None, limit: int
    ) -> list[ArtifactRow]:
        """The artifacts of a task or a meeting, the newest first."""
        if not base.projections or (task_id is None and meeting_id is None):
            return []
        if base.live:
            rows = [
                row
                for row in self._folded("artifact")
                if (task_id is not None and row.task_id == task_id)
                or (meeting_id is not None and row.meeting_id == meeting_id)
            ]
            return sorted(rows, key=lambda row: row.stored_at, reverse=True)[:limit]
        binds = (self.user_id, _generation(base), task_id, meeting_id, limit)
        table = TABLE_OF_KIND["artifact"]
        return [table.load(row) for row in self._select(ARTIFACTS_OF, *binds)]

    def foremost(self, base: Reading, kind: str, wanted: Wanted) -> Foremost:
        """The rows of a kind that are wanted most; of claims the current ones."""
        if not base.projections:
            return Foremost([], 0)
        if base.live:
            return foremost_of(self._folded(kind), kind, wanted)
        return select_foremost(self._conn, self.user_id, _generation(base), kind, wanted)

    def turns(self, row: ArtifactRow, first: int, last: int) -> list[Turn]:
        """Turns of a transcript, both ends included; none of a body that is no transcript."""
        if turns_per_part(row.media_type) is None:
            return []
        return read_turns(self._conn, self.user_id, row.sha256, row.media_type, first, last)

    def parts(self, row: ArtifactRow, first: int, last: int) -> list[bytes]:
        """Parts of an artifact's body, from 0, both ends included, as far as it has them."""
        return content.read(self._conn, self.user_id, row.sha256, first, last)

    def search(self, query: str, filters: Filters, *, limit: int, now: datetime) -> Hits:
        """Documents that hold the words of a query; they may follow the log at a distance."""
        inline = self._reader.projection_set
        return search_in(
            self._conn, self.user_id, query, filters, limit=limit, now=now, inline=inline
        )

    def _folded(self, kind: str) -> list[Any]:
        if kind not in self._whole:
            self._whole[kind] = self.read({kind: "all"}).rows[kind]
        return self._whole[kind]

    def _select(self, statement: bytes, *binds: Any) -> list[Any]:
        return [row for (row,) in self._conn.execute(statement, binds).fetchall()]


@contextmanager
def snapshot(
    reader: Reader, user_id: str, *, statement_seconds: float | None = None
) -> Iterator[Snapshot]:
    """Several readings of one user as of one position.

    `statement_seconds` is what one statement may take, waiting for locks included.

    Raises: Unavailable, also on the way; NotReady where the login may not read what it must.
    """
    limit_ms = None if statement_seconds is None else max(1, int(statement_seconds * 1e3))
    try:
        with (
            reader.database.connection() as conn,
            tenant_transaction(conn, user_id, snapshot=True, statement_ms=limit_ms),
        ):
            yield Snapshot(reader, conn, user_id)
    except InsufficientPrivilege as error:
        raise NotReady(
            f"the login may not read what it must ({error.diag.message_primary}): "
            "workindex db upgrade gives the roles their rights"
        ) from error


def _generation(base: Reading) -> Any:
    return base.projections[0]["generation"]
