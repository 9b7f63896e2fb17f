"""Twenty times the events cost an append, a question and a proof no more pages.

Counted are the pages of tables and indexes that the real calls touch, in memory or not, as
PostgreSQL counts them for each table (`pg_statio_user_tables`); no time is measured. An index may
be one level deeper, so every descent into one may touch one page more.

The database grows by copies made inside it; they differ from recorded logs in nothing that a call
looks at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from functools import partial
from itertools import count
from typing import Any, LiteralString, NamedTuple

import psycopg
import pytest
from psycopg import sql

from bench.scale_load import START, log_lines, user_name
from conftest import Urls
from driver import actor
from workindex import WorkIndex
from workindex.domain.facts import Command
from workindex.eventlog.database import Database
from workindex.eventlog.schema import TENANT_TABLES
from workindex.projections import ALL_TABLES
from workindex.projections.planning import Entry
from workindex.projections.recording import Receipt
from workindex.service.client import UserScope
from workindex.service.ndjson import parse_object
from workindex.service.parsing import parse_command

pytestmark = pytest.mark.long

EVENTS_OF_USER = 200
SMALL_EVENTS = 10_000
LARGE_EVENTS = 200_000
ROUNDS = 5
USER = actor("user")
NOW = START + timedelta(days=30)

# Binds: none. Pages touched, and descents into indexes, so far.
TOUCHED = """
SELECT (SELECT sum(heap_blks_hit + heap_blks_read
                   + coalesce(idx_blks_hit, 0) + coalesce(idx_blks_read, 0)
                   + coalesce(toast_blks_hit, 0) + coalesce(toast_blks_read, 0)
                   + coalesce(tidx_blks_hit, 0) + coalesce(tidx_blks_read, 0))
        FROM pg_statio_user_tables),
       (SELECT sum(idx_scan) FROM pg_stat_user_indexes)
       + (SELECT sum(n_tup_ins * (SELECT count(*) FROM pg_index i WHERE i.indrelid = t.relid)
                     + (n_tup_upd - n_tup_hot_upd)
                       * (SELECT count(*) FROM pg_index i WHERE i.indrelid = t.relid))
          FROM pg_stat_user_tables t)
"""


# What differs in the copies of a user's last messages. Binds of the whole: the user, how many
# events to copy, how often.
COPIED: Mapping[str, Mapping[str, LiteralString]] = {
    "event": {
        "position": "position + %(size)s::bigint * n",
        "stream": "stream || '-' || n",
        "data": "data || jsonb_build_object('message_id', (data ->> 'message_id') || '-' || n)",
    },
    "message": {
        "message_id": "message_id || '-' || n",
        "created_position": "created_position + %(size)s::bigint * n",
        "source_position": "source_position + %(size)s::bigint * n",
    },
}
LAST = "(SELECT head FROM user_log WHERE user_id = %(user)s) - %(size)s"
MOVE = (
    "UPDATE user_log SET head = head + %(size)s::bigint * %(times)s WHERE user_id = %(user)s",
    "UPDATE projection_progress SET position = position + %(size)s::bigint * %(times)s "
    "WHERE user_id = %(user)s AND projection_set = 'inline'",
)


# Binds: none. Statements that keep what happens now and then out of the counts.
NO_AUTOVACUUM = """
SELECT format('ALTER TABLE %I SET (autovacuum_enabled = off)', relname)
FROM pg_stat_user_tables WHERE schemaname = 'public'
"""


class Touched(NamedTuple):
    """What a call touched: pages, and how often it went down an index."""

    pages: int
    descents: int


class Scale:
    """A database of many users with the same log, that grows by copies of one of them."""

    def __init__(self, urls: Urls) -> None:
        self.urls = urls
        self.users = 1
        with psycopg.connect(urls.owner, autocommit=True) as conn:
            for (statement,) in conn.execute(NO_AUTOVACUUM).fetchall():
                conn.execute(statement)
        # One connection: its plans are made when the tables are empty, and kept.
        self.work_index = WorkIndex(Database(urls.app, pool_max=1), lambda: NOW)
        first = self.user(0)
        entries = [_entry(line) for line in log_lines(0, EVENTS_OF_USER)]
        self._numbers = count()
        outcomes = first.record_bulk(entries, actor=USER)
        assert [one.positions for one in outcomes if isinstance(one, Receipt)] == [
            (position,) for position in range(1, EVENTS_OF_USER + 1)
        ]

    def user(self, number: int) -> UserScope:
        """One of the users."""
        return self.work_index.user(user_name(number))

    def grow_users(self, events: int) -> None:
        """Copy the first user's log and rows until all logs have so many events."""
        users = events // EVENTS_OF_USER
        with psycopg.connect(self.urls.owner, autocommit=True) as conn:
            for table in (*TENANT_TABLES, "work_due", *(table.name for table in ALL_TABLES)):
                copies = _insert_copies(
                    conn, table, {"user_id": "'user-' || lpad(n::text, 6, '0')"}
                )
                conn.execute(
                    copies
                    + sql.SQL(
                        "FROM generate_series(%s::integer, %s::integer) AS n, {} WHERE user_id = %s"
                    ).format(sql.Identifier(table)),
                    (self.users, users - 1, user_name(0)),
                )
            conn.execute("ANALYZE")
        self.users = users

    def grow_one(self, events: int) -> None:
        """Let the first user go on talking until the log has so many events."""
        scope = self.user(0)
        texts = [self._new("post_message", "message_id") for _ in range(EVENTS_OF_USER)]
        scope.record_all([Entry(text) for text in texts], actor=USER)
        times = (events - self.events()) // EVENTS_OF_USER
        binds = {"user": user_name(0), "size": EVENTS_OF_USER, "times": times}
        with psycopg.connect(self.urls.owner, autocommit=True) as conn:
            for table, changed in COPIED.items():
                place = "position" if table == "event" else "source_position"
                conn.execute(
                    _insert_copies(conn, table, changed)
                    + sql.SQL(
                        "FROM {}, generate_series(1, %(times)s::integer) AS n "
                        "WHERE user_id = %(user)s AND {} > " + LAST
                    ).format(sql.Identifier(table), sql.Identifier(place)),
                    binds,
                )
            for statement in MOVE:
                conn.execute(statement, binds)
            conn.execute("ANALYZE")

    def events(self) -> int:
        """How many events there are."""
        with psycopg.connect(self.urls.owner) as conn:
            row = conn.execute("SELECT count(*) FROM event").fetchone()
        assert row is not None
        return int(row[0])

    def least_touched(self) -> dict[str, Touched]:
        """What each call touches when no page happens to be full."""
        rounds = [
            {name: self._touched_by(act) for name, act in self.calls().items()}
            for _ in range(ROUNDS)
        ]
        return {name: min(one[name] for one in rounds) for name in rounds[0]}

    def _touched_by(self, act: Callable[[], object]) -> Touched:
        before = self._touched()
        act()
        after = self._touched()
        return Touched(after.pages - before.pages, after.descents - before.descents)

    def _touched(self) -> Touched:
        with self.work_index.database.connection() as conn:
            conn.execute("SELECT pg_stat_force_next_flush()")
        with psycopg.connect(self.urls.owner) as conn:
            row = conn.execute(TOUCHED).fetchone()
        assert row is not None
        return Touched(int(row[0]), int(row[1]))

    def calls(self) -> dict[str, Callable[[], object]]:
        """What a backend does for a user all day, for one in the middle of all."""
        scope = self.user(self.users // 2)
        return {
            "proof and answer": partial(_ask, scope, "what needs me?"),
            "question about tasks": partial(_ask, scope, "which tasks are open?"),
            "message": partial(_record, scope, self._new("post_message", "message_id")),
            "new task": partial(_record, scope, self._new("create_task", "task_id")),
            "request": partial(_record, scope, self._request()),
        }

    def _new(self, type_: str, id_field: str) -> Command:
        texts = {"post_message": {"thread_id": "d1", "role": "user", "text": "hello"}}
        given = texts.get(type_, {"title": "Send the offer"})
        return parse_command({"type": type_, id_field: f"new-{next(self._numbers)}", **given})

    def _request(self) -> Command:
        request_id = f"q-{next(self._numbers)}"
        given = {"task_id": "t3-7", "request_id": request_id, "prompt": "Which one?"}
        return parse_command({"type": "request_task_input", **given})


def _ask(scope: UserScope, question: str) -> None:
    answer = scope.ask(question)
    assert answer is not None
    assert answer.verdict == "items", answer


def _record(scope: UserScope, command: Command) -> None:
    assert scope.record(command, actor=USER).positions


def _entry(line: bytes) -> Entry:
    given = parse_object(line)
    key = given.pop("key")
    for name in ("user_id", "occurred_at", "actor"):
        given.pop(name, None)
    return Entry(parse_command(given), key)


def _insert_copies(conn: Any, table: str, changed: Mapping[str, LiteralString]) -> sql.Composed:
    """INSERT INTO … SELECT every column as it is, but for some; FROM has to follow."""
    found = conn.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 "
        "AND NOT attisdropped AND attgenerated = '' ORDER BY attnum",
        (table,),
    )
    names = [name for (name,) in found]
    values = [sql.SQL(changed[name]) if name in changed else sql.Identifier(name) for name in names]
    return sql.SQL("INSERT INTO {} ({}) SELECT {} ").format(
        sql.Identifier(table),
        sql.SQL(", ").join(map(sql.Identifier, names)),
        sql.SQL(", ").join(values),
    )


@pytest.fixture
def scale(urls: Urls) -> Iterator[Scale]:
    """A database with the events of one user."""
    made = Scale(urls)
    yield made
    made.work_index.close()


@pytest.mark.parametrize("grow", [Scale.grow_users, Scale.grow_one], ids=["users", "one user"])
def test_calls_touch_no_more_pages(scale: Scale, grow: Callable[[Scale, int], None]) -> None:
    """At 200,000 events, of all or of one user, a call touches the pages that it does at 10,000."""
    scale.user(0).ask("what needs me?")  # its plan is made now and kept, as those of the appends
    found: dict[int, dict[str, Touched]] = {}
    for events in (SMALL_EVENTS, LARGE_EVENTS):
        grow(scale, events)
        assert abs(scale.events() - events) <= EVENTS_OF_USER
        for act in scale.calls().values():
            act()
        found[events] = scale.least_touched()
    small, large = found[SMALL_EVENTS], found[LARGE_EVENTS]
    more = {
        name: (small[name], large[name])
        for name in small
        if large[name].pages > small[name].pages + large[name].descents
    }
    assert more == {}
