"""Correctness rests on the head's lock and the position compare, never on a session.

Behind a transaction pooler, after a restart or a fail-over, somebody may go on who believes to be
alone. What he brings is then compared with where the projection stands, and does nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
import pytest

from conftest import Urls
from engine import Engine, do_as_owner
from workindex.domain.tasks import CompleteTask, CreateTask, RequestTaskInput, StartTask
from workindex.eventlog.append import Projected, Wanted, lock, project, read
from workindex.eventlog.database import Connection, Database, tenant_transaction, with_options
from workindex.projections.catch_up import catch_up_if_near
from workindex.projections.sets import INLINE

pytestmark = pytest.mark.pg15

FORGOTTEN = "UPDATE projection_progress SET position = 0, open_count = 0"
TABLES = [table.name for table in INLINE.tables]


@pytest.fixture
def engine(database: Database) -> Engine:
    """A user with four events: one task waits, one is done."""
    engine = Engine(database)
    engine.record(CreateTask(task_id="T-1", title="waits"))
    engine.record(RequestTaskInput(task_id="T-1", request_id="Q", kind="input", prompt="?"))
    engine.record(CreateTask(task_id="T-2", title="done"))
    engine.record(CompleteTask(task_id="T-2"))
    return engine


def forget(urls: Urls) -> None:
    """Set the projection back to before the first event."""
    for table in [*TABLES, "work_due"]:
        do_as_owner(urls, f"DELETE FROM {table}")
    do_as_owner(urls, FORGOTTEN)


@contextmanager
def pooled_transaction(database: Database, user_id: str) -> Iterator[Connection]:
    """A transaction on a session of its own, so that nothing of another session is there."""
    with (
        psycopg.connect(with_options(database.app_url), autocommit=True) as conn,
        tenant_transaction(conn, user_id),
    ):
        yield conn


def test_several_projectors_apply_each_event_once(
    urls: Urls, database: Database, engine: Engine
) -> None:
    """Six catch up one user at once through sessions that keep nothing: the rows are the fold."""
    forget(urls)

    def catch_up(_: int) -> None:
        with pooled_transaction(database, engine.user_id) as conn:
            lock(conn, engine.user_id)
            snapshot = read(conn, engine.user_id, INLINE.fold_version, Wanted({}))
            catch_up_if_near(conn, engine.user_id, INLINE, engine.mapper, snapshot)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(catch_up, range(6)))
    assert engine.progress() == {"position": 4, "parked": {}, "open_count": 1}
    assert engine.is_whole()


def test_a_stale_projector_moves_nothing(database: Database, engine: Engine) -> None:
    """Rows folded from a position that is past, or not reached yet, are not written."""
    drop = {"work_task": {"put": [], "drop": ["T-1"]}}
    before = engine.read().rows
    for base in (0, 3, 5):
        with pooled_transaction(database, engine.user_id) as conn:
            lock(conn, engine.user_id)
            folded = Projected(base, 4, drop, -1, {})
            project(conn, engine.user_id, INLINE.fold_version, folded)
        assert engine.progress() == {"position": 4, "parked": {}, "open_count": 1}
        assert engine.read().rows == before
    assert engine.is_whole()


def test_a_writer_that_was_overtaken_decides_again(database: Database, engine: Engine) -> None:
    """Two writers through sessions that keep nothing: what both read before is compared again."""
    other = Engine(database)

    def start(engine: Engine) -> int:
        return len(engine.record(StartTask(task_id="T-1")).positions)

    with ThreadPoolExecutor(8) as pool:
        started = list(pool.map(start, [engine, other] * 8))
    assert sum(started) == 1
    assert [event.fact.type for event in engine.events()].count("task_started") == 1
    assert engine.is_whole()
