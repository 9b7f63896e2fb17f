"""The public API: open a Work Index, record what happened, ask what needs the user.

Sync, thread-safe and fork-safe; an async backend calls it through `asyncio.to_thread`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self, Unpack

from pydantic import TypeAdapter, ValidationError

from workindex.assembler.state_path import StateAnswer, answer, read_for, recognise
from workindex.domain.errors import BatchRefused, InvalidInput, WorkindexError
from workindex.domain.facts import Actor, Command, Event, Id
from workindex.domain.names import check_name
from workindex.eventlog.database import Database, tenant_transaction
from workindex.eventlog.embedded import EmbeddedServer
from workindex.eventlog.mapper import FactMapper
from workindex.eventlog.reader import PAGE_EVENTS, POSITION_MAX, known_keys, read_events
from workindex.eventlog.revision import check_revision
from workindex.projections.bounds import ITEMS_MAX, Bounds, Want
from workindex.projections.bulk import BulkWriter, Outcome
from workindex.projections.follower import Follower
from workindex.projections.index import Index, index_of
from workindex.projections.planning import Entry, Order, order_of
from workindex.projections.proof import Reading
from workindex.projections.recording import Clock, Receipt
from workindex.projections.sets import EVIDENCE, INLINE, ProjectionSet
from workindex.projections.users import consents_at
from workindex.projections.work_index import EVERYTHING, Reader
from workindex.service.bodies import Bodies
from workindex.service.checkpointing import Checkpoints
from workindex.service.evidence import Evidence
from workindex.service.parsing import parse_command
from workindex.service.tool_sessions import ToolSessions
from workindex.service.worker import Done, Worker

if TYPE_CHECKING:  # the tokenizers and tables behind it load with the first working set
    from workindex.assembler.envelope import ContextEnvelope, UserRequest
    from workindex.service.assembling import AssembleSettings

Recordable = Command | Mapping[str, Any] | Entry

DATABASE_URL = "WORKINDEX_DATABASE_URL"
MAINT_URL = "WORKINDEX_MAINT_URL"

_USER_ID: TypeAdapter[str] = TypeAdapter(Id)


def _utc_now() -> datetime:
    return datetime.now(UTC)


class WorkIndex:
    """One database of logs and their Work Index. Use `open`; close it, or use it in a `with`.

    `clock` tells the time of what is recorded and asked. Without one that is this machine's for
    facts, and the database's own for answers. `projection_set` and `mapper` are the folds, their
    version and the facts of this program; others are those of a program that is yet to come.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock | None = None,
        *,
        projection_set: ProjectionSet = INLINE,
        mapper: FactMapper | None = None,
    ) -> None:
        self.database = database
        self.clock = clock
        self.projection_set = projection_set
        self.mapper = mapper or FactMapper()
        self.writer = BulkWriter(database, projection_set=projection_set, mapper=self.mapper)
        self.reader = Reader(database, projection_set=projection_set, mapper=self.mapper)
        self.follower = Follower(database, sets=(projection_set, EVIDENCE), mapper=self.mapper)

    @classmethod
    def open(cls, url: str | None = None, *, clock: Clock | None = None) -> Self:
        """Open the database at `url`, else at WORKINDEX_DATABASE_URL, else the embedded one.

        The embedded server is created, started and migrated as needed. With a URL the login must
        be the application's role and the schema that of this program.

        Raises: NotReady naming the command that helps; Unavailable; InvalidInput for a bad URL.
        """
        url = url or os.environ.get(DATABASE_URL)
        if not url:  # a variable that is set to nothing names no database
            return cls(open_embedded(), clock)
        database = Database(url, maint_url=os.environ.get(MAINT_URL) or None)
        try:
            with database.connection() as conn:
                check_revision(conn)
        except BaseException:
            database.close()
            raise
        return cls(database, clock)

    def user(self, user_id: str) -> UserScope:
        """The scope of one user; nothing of another user is reachable through it.

        Raises: InvalidInput where the id is not 1 to 200 printable characters.
        """
        return UserScope(self, checked_user_id(user_id))

    def catch_up(self) -> Done:
        """Bring every user's projections to the head, in this process, and say what was done.

        Raises: NotReady without the maintenance login; Unavailable.
        """
        return Worker(self.database, self.follower).drain()

    def close(self) -> None:
        """Close the connections; an embedded server keeps running."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def open_embedded() -> Database:
    """The embedded server's database, created, started and migrated as needed."""
    server = EmbeddedServer()
    server.ensure_running()
    database = Database(server.url("app"), maint_url=server.url("maint"))
    try:
        with database.connection() as conn:
            check_revision(conn)
    except WorkindexError:
        # Loaded here, because opening a database that is ready needs no migration library.
        from workindex.eventlog.migrate import bootstrap, upgrade

        database.close()
        upgrade(bootstrap(server.url("owner")))
        database = Database(server.url("app"), maint_url=server.url("maint"))
    return database


def checked_user_id(given: object) -> str:
    """The user id, if it can be one.

    Raises: InvalidInput where it is not 1 to 200 printable characters.
    """
    try:
        user_id = _USER_ID.validate_python(given, strict=True)
    except ValidationError as error:
        raise InvalidInput(
            f"the user id {given!r} is not usable: it takes 1 to 200 printable characters",
            field="user_id",
        ) from error
    check_name(user_id, "user_id")
    return user_id


class UserScope(Evidence, Checkpoints, ToolSessions):
    """Everything that one user's log and Work Index offer."""

    def __init__(self, work_index: WorkIndex, user_id: str) -> None:
        self.user_id = user_id
        self._work_index = work_index

    def record(
        self,
        command: Command | Mapping[str, Any],
        *,
        actor: Actor,
        source: str = "api",
        key: str | None = None,
        expected_version: int | None = None,
        occurred_at: datetime | None = None,
        correlation_id: str | None = None,
        causation_id: str | None = None,
    ) -> Receipt:
        """Decide a command and append its facts; the Work Index follows in the same transaction.

        `key` makes it safe to send again: the same source, key and command give the first
        result. `expected_version` is the version that the command's stream must have.
        `occurred_at` is the world's time of it, by default now.

        Raises: CommandRefused (NotPermitted, NotBuilt), VersionConflict, DuplicateKeyConflict,
        InvalidInput, Unavailable. Nothing is stored then, except the facts of a refusal.
        """
        entry = Entry(
            self._command(command),
            key,
            None,
            expected_version,
            occurred_at,
            correlation_id,
            causation_id,
        )
        return self._write([order_of(entry, source, actor)])[0]

    def record_all(
        self,
        entries: Sequence[Recordable],
        *,
        actor: Actor,
        source: str = "api",
        key: str | None = None,
        correlation_id: str | None = None,
    ) -> list[Receipt]:
        """Record several commands in one transaction: all of them or none.

        Each decision sees what the ones before it did. With `key` the entries without a key of
        their own get `key:0`, `key:1`, … Entries that were recorded before are not repeated.

        Raises: BatchRefused naming the entry (its `code` is that of the entry's own error), and
        what `record` raises.
        """
        orders: list[Order] = []
        for place, given in enumerate(entries):
            try:
                entry = given if isinstance(given, Entry) else Entry(self._command(given))
                if entry.key is None and key is not None:
                    entry = entry._replace(key=f"{key}:{place}")
                if entry.correlation_id is None:
                    entry = entry._replace(correlation_id=correlation_id)
                entry = entry._replace(command=self._command(entry.command))
                orders.append(order_of(entry, source, actor))
            except WorkindexError as error:
                raise BatchRefused(place, error) from error
        return self._write(orders) if orders else []

    def record_bulk(
        self, entries: Sequence[Recordable], *, actor: Actor, source: str = "api"
    ) -> list[Outcome]:
        """Record many commands as `record` would one by one, several in one transaction.

        Each command is one unit: what refuses it is its outcome (a WorkindexError in the place of
        its Receipt), and the others go on. Sent again after a break, entries with a key give their
        first results.

        Raises: Unavailable; what was recorded until then stays.
        """
        outcomes: list[Outcome | None] = []
        orders: list[Order] = []
        for given in entries:
            try:
                entry = given if isinstance(given, Entry) else Entry(self._command(given))
                orders.append(
                    order_of(entry._replace(command=self._command(entry.command)), source, actor)
                )
                outcomes.append(None)
            except WorkindexError as error:
                outcomes.append(error)
        clock = self._work_index.clock or _utc_now
        written = iter(self._work_index.writer.write_each(self.user_id, orders, clock))
        return [outcome or next(written) for outcome in outcomes]

    def ask(
        self,
        text: str,
        now: datetime | None = None,
        tz: str | None = None,
        locale: str | None = None,
        at_position: int | None = None,
        limit: int = ITEMS_MAX,
    ) -> StateAnswer | None:
        """Answer a canonical question about the user's own state, with a proof and no model.

        None where the text is not exactly such a question: that is for the assembler. `tz` is a
        zone name for "today" (default: the user's), `locale` the answer's language, en or zh
        (default: the question's); `limit` bounds the items, most urgent first, not the total.

        Raises: InvalidInput for an unknown zone or locale, a limit below 1, a `now` without a zone
        or outside the years 1900 to 9998, or a position outside the log. An unreachable database
        is an unproven answer, not an error.
        """
        if limit < 1:
            raise InvalidInput(f"limit {limit} is below 1: give at least 1", field="limit")
        question = recognise(text, locale)
        if question is None:
            return None

        def read(want: Want, bounds: Bounds, at: datetime | None) -> Reading:
            return self._read(want, at, at_position, bounds)

        reading = read_for(question, read, now, tz, limit)
        return answer(question, reading, now=reading.now, tz=tz, locale=locale, limit=limit)

    def assemble(
        self, request: UserRequest | Mapping[str, Any], **settings: Unpack[AssembleSettings]
    ) -> ContextEnvelope:
        """The working set of one turn: current state, recent history and evidence, bounded.

        Everything is read as of one position. `settings` are those of `service.assembling`:
        the policy and the counter by name, what the caller may see, the ports.

        Raises: InvalidInput; UnknownRecord for an id that names nothing of this user's;
        ContextBudgetExceeded where what may not be cut is too large; Unavailable.
        """
        from workindex.service.assembling import assembled

        reader, clock = self._work_index.reader, self._work_index.clock
        return assembled(self, reader, self.user_id, request, clock, **settings)

    def index(
        self,
        now: datetime | None = None,
        at_position: int | None = None,
        limit: int | None = None,
    ) -> Index:
        """Every row of the Work Index, ended ones too, with the proof for what needs the user.

        `limit` bounds each list; `totals` keeps the true counts.
        """
        reading = self._read(EVERYTHING, now, at_position)
        return index_of(reading, limit)

    def log(
        self,
        from_position: int = 1,
        to_position: int | None = None,
        stream: str | None = None,
        limit: int | None = None,
    ) -> Iterator[Event]:
        """The user's events in order of position, both ends included.

        Read a page at a time; no connection is held between pages, so the caller may take as
        long as it likes, and events that are appended meanwhile are seen.
        """
        first = from_position
        last = POSITION_MAX if to_position is None else to_position
        left = POSITION_MAX if limit is None else limit
        while left > 0:
            page = self._page(first, last, stream, min(left, PAGE_EVENTS))
            yield from page
            if len(page) < PAGE_EVENTS:
                return
            first = page[-1].position + 1
            left -= len(page)

    def _page(self, first: int, last: int, stream: str | None, limit: int) -> list[Event]:
        with (
            self._work_index.database.connection() as conn,
            tenant_transaction(conn, self.user_id),
        ):
            events = read_events(
                conn,
                self.user_id,
                self._work_index.mapper,
                from_position=first,
                to_position=last,
                stream=stream,
                limit=limit,
            )
            return list(events)

    @property
    def bodies(self) -> Bodies:
        """The bodies of the user's artifacts."""
        work_index = self._work_index
        return Bodies(work_index.database, work_index.reader, self.user_id)

    @property
    def time_zone(self) -> str | None:
        """The name of the zone in the user's settings, None where it is not set."""
        rows = self._read({}, None, None).rows["user"]
        return next((row.time_zone for row in rows), None)

    @property
    def consents(self) -> dict[str, dict[str, Any]]:
        """The user's consents that are in force now, by name."""
        reading = self._read({}, None, None)
        return next((consents_at(row, reading.now) for row in reading.rows["user"]), {})

    def known_keys(self, source: str, keys: Sequence[str]) -> set[str]:
        """Those of the keys with which this source has recorded a command before."""
        with self._work_index.database.connection() as conn:
            return known_keys(conn, self.user_id, source, keys)

    def _write(self, orders: Sequence[Order]) -> list[Receipt]:
        clock = self._work_index.clock or _utc_now
        return self._work_index.writer.write(self.user_id, orders, clock)

    def _read(
        self,
        want: Want,
        now: datetime | None,
        at_position: int | None,
        bounds: Bounds | None = None,
    ) -> Reading:
        if now is None and self._work_index.clock is not None:
            now = self._work_index.clock()
        reader = self._work_index.reader
        return reader.read(self.user_id, want, now=now, at_position=at_position, bounds=bounds)

    def _command(self, given: Command | Mapping[str, Any]) -> Command:
        return given if isinstance(given, Command) else parse_command(given)
