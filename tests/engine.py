"""One user's log and Work Index below the public API: commands in, rows and proofs out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import psycopg
from psycopg.rows import dict_row

from conftest import Urls
from driver import actor
from workindex.domain.facts import ActorKind, Command, Event
from workindex.domain.tasks import CreateTask, RequestTaskInput
from workindex.eventlog.database import Database, tenant_transaction
from workindex.eventlog.mapper import FactMapper
from workindex.eventlog.reader import read_events
from workindex.projections.bounds import Part
from workindex.projections.needs import changes_at, needs_you
from workindex.projections.planning import Entry, Order, order_of
from workindex.projections.proof import Proof, Reading, conclude
from workindex.projections.recording import Receipt, Writer
from workindex.projections.sets import INLINE, ProjectionSet
from workindex.projections.verify import Report, Verifier
from workindex.projections.work_index import Reader

# What a question for everything that needs the user reads.
PENDING: Mapping[str, Part] = {
    "task": "open",
    "approval": "open",
    "reminder": "open",
    "proposal": "open",
}


class Engine:
    """Records and reads as one user, with the fold version and the facts that it is given."""

    def __init__(
        self,
        database: Database,
        user_id: str = "ann",
        *,
        projection_set: ProjectionSet = INLINE,
        mapper: FactMapper | None = None,
    ) -> None:
        self.database = database
        self.user_id = user_id
        self.mapper = mapper or FactMapper()
        self.writer = Writer(database, projection_set=projection_set, mapper=self.mapper)
        self.reader = Reader(database, projection_set=projection_set, mapper=self.mapper)
        self.verifier = Verifier(database, projection_set=projection_set, mapper=self.mapper)

    def record(
        self,
        command: Command,
        *,
        by: ActorKind = "user",
        now: datetime | None = None,
        **entry: Any,
    ) -> Receipt:
        """Record one command; `entry` are further fields of an Entry."""
        return self.write([order(command, by=by, **entry)], now)[0]

    def record_all(
        self, entries: Sequence[Command | Entry], *, by: ActorKind = "user"
    ) -> list[Receipt]:
        """Record several commands in one append."""
        whole = [one if isinstance(one, Entry) else Entry(one) for one in entries]
        return self.write([order_of(entry, "api", actor(by)) for entry in whole])

    def write(self, orders: Sequence[Order], now: datetime | None = None) -> list[Receipt]:
        """Record orders."""
        return self.writer.write(self.user_id, orders, now or datetime.now(UTC))

    def read(
        self,
        want: Mapping[str, Part] = PENDING,
        *,
        now: datetime | None = None,
        at_position: int | None = None,
    ) -> Reading:
        """Rows with what stands against trusting them."""
        return self.reader.read(self.user_id, want, now=now, at_position=at_position)

    def proof(self, *, now: datetime | None = None, at_position: int | None = None) -> Proof:
        """The verdict on "what needs me?"."""
        return proof_of(self.read(now=now, at_position=at_position))

    def events(self) -> list[Event]:
        """The log."""
        with self.database.connection() as conn, tenant_transaction(conn, self.user_id):
            return list(read_events(conn, self.user_id, self.mapper))

    def progress(self, generation: int = 1) -> dict[str, Any]:
        """The progress row of one generation: position, parked, open_count."""
        with self.database.maintenance() as conn, conn.cursor(row_factory=dict_row) as cursor:
            row = cursor.execute(
                "SELECT position, parked, open_count FROM projection_progress "
                "WHERE user_id = %s AND projection_set = 'inline' AND generation = %s",
                (self.user_id, generation),
            ).fetchone()
        assert row is not None, f"no progress row of generation {generation}"
        return row

    def verify(self) -> Report:
        """Compare this user's rows with the log."""
        return self.verifier.verify([self.user_id])

    def is_whole(self) -> bool:
        """Whether log and rows are equal; the report is shown where they are not."""
        report = self.verify()
        assert report.is_clean, report.to_json()
        return True


def order(command: Command, *, by: ActorKind = "user", source: str = "api", **entry: Any) -> Order:
    """A complete order for one command."""
    return order_of(Entry(command, **entry), source, actor(by))


def proof_of(reading: Reading) -> Proof:
    """The verdict of a reading on "what needs me?"."""
    items = needs_you(reading.rows, reading.now)
    return conclude(
        reading,
        "pending",
        has_items=bool(items),
        changes_at=changes_at(reading.rows, reading.now),
    )


def task(id_: str, title: str = "A task", **fields: Any) -> CreateTask:
    """A new task that needs nobody."""
    return CreateTask(task_id=id_, title=title, **fields)


def question(task_id: str, request_id: str = "R-1", **fields: Any) -> RequestTaskInput:
    """What makes a task need the user."""
    return RequestTaskInput(
        task_id=task_id, request_id=request_id, kind="input", prompt="Which one?", **fields
    )


def owner(urls: Urls) -> psycopg.Connection[tuple[Any, ...]]:
    """A connection that may do anything; close it."""
    return psycopg.connect(urls.owner, autocommit=True)


def do_as_owner(urls: Urls, statement: str, *binds: Any) -> list[tuple[Any, ...]]:
    """Run one statement behind everybody's back and return its rows."""
    with owner(urls) as conn:
        cursor = conn.execute(statement.encode(), binds or None)
        return cursor.fetchall() if cursor.description else []
