"""The log under many writers: dense positions, visible in commit order, nobody else in the way."""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from datetime import UTC, datetime

import psycopg
import pytest

from conftest import Cluster, Urls
from engine import Engine, do_as_owner, order, owner, question, task
from workindex.domain.errors import CommandRefused, Unavailable, VersionConflict
from workindex.domain.facts import Command
from workindex.domain.tasks import CreateTask, EnterTaskPhase, StartTask
from workindex.eventlog.append import NewKey
from workindex.eventlog.database import Connection, Database
from workindex.eventlog.mapper import FactMapper
from workindex.eventlog.recorder import put_events
from workindex.projections.loading import Stale
from workindex.projections.planning import NothingKnown, Plan
from workindex.projections.recording import Receipt, Writer
from workindex.projections.sets import INLINE

pytestmark = pytest.mark.pg15


@contextmanager
def open_append(database: Database, user_id: str, command: Command) -> Iterator[Connection]:
    """An append whose transaction is open until the block ends."""
    plan = Plan(user_id, datetime.now(UTC), NothingKnown())
    given = order(command)
    plan.run({0: given}, alone=True)
    key = NewKey(given.source, given.key, given.payload_hash, 1, len(plan.events))
    folding = plan.fold()
    folding.apply_all([(event, place) for place, event in enumerate(plan.events, 1)])
    rows, delta = folding.changes(base=None)
    with database.connection() as conn, conn.transaction():
        put_events(
            conn,
            user_id,
            FactMapper(),
            plan.events,
            fold_version=INLINE.fold_version,
            keys=[key],
            rows=rows,
            open_delta=delta,
            recorded_at=plan.now,
        )
        yield conn


def test_commit_order_is_position_order(database: Database) -> None:
    """A small append behind a big open one of the same user waits for it and comes second."""
    ann = Engine(database)
    with ThreadPoolExecutor(1) as other:
        with open_append(database, "ann", task("big", description="x" * 1_000_000)):
            small = other.submit(ann.record, task("small"))
            assert wait([small], timeout=0.3).not_done
            assert ann.events() == []
        assert small.result().positions == (2,)
    assert [(e.position, e.fact.stream) for e in ann.events()] == [
        (1, "task/big"),
        (2, "task/small"),
    ]
    assert ann.is_whole()


def test_rollback_leaves_no_hole(database: Database) -> None:
    """An append that does not commit takes no position and leaves no trace."""
    ann = Engine(database)
    ann.record(task("T-1"))
    with (
        pytest.raises(ZeroDivisionError),
        open_append(database, "ann", task("never")),
    ):
        raise ZeroDivisionError
    assert ann.record(task("T-2")).positions == (2,)
    assert ann.is_whole()


def test_other_users_are_not_blocked(database: Database) -> None:
    """While one user's append is open, others append and read; that user has no news until then.

    A reader that keeps a position per user sees every event exactly once.
    """
    ann, bob = Engine(database, "ann"), Engine(database, "bob")
    seen: list[tuple[str, int]] = []

    def poll() -> None:
        for engine in (ann, bob):
            last = max((p for user, p in seen if user == engine.user_id), default=0)
            seen.extend((engine.user_id, e.position) for e in engine.events()[last:])

    with open_append(database, "ann", task("T-1")):
        for number in range(5):
            assert bob.record(task(f"T-{number}")).positions == (number + 1,)
        poll()
        assert seen == [("bob", n) for n in range(1, 6)]
    poll()
    assert sorted(seen) == [("ann", 1), *(("bob", n) for n in range(1, 6))]


def test_open_write_in_another_database_hides_nothing(cluster: Cluster, database: Database) -> None:
    """No transaction id is a watermark: an event is readable at once whatever else is open."""
    elsewhere = cluster.clone()
    ann = Engine(database)
    with owner(elsewhere) as conn, conn.transaction():
        conn.execute("CREATE TABLE unrelated (n int)")
        conn.execute("INSERT INTO unrelated VALUES (1)")
        ann.record(task("T-1"))
        ann.record(question("T-1"))
        assert [e.position for e in ann.events()] == [1, 2]
        assert ann.proof().verdict == "items"
    cluster.drop(elsewhere)


def test_lost_race_burns_no_position(database: Database) -> None:
    """A refused append leaves positions dense."""
    ann = Engine(database)
    ann.record(task("T-1"))
    for _ in range(3):
        with pytest.raises(VersionConflict):
            ann.record(StartTask(task_id="T-1"), expected_version=7)
    assert ann.record(StartTask(task_id="T-1"), expected_version=1).positions == (2,)


def test_first_question_of_a_process(urls: Urls, database: Database) -> None:
    """There is nothing to learn first: the first question sees what is there."""
    ann = Engine(database)
    for number in range(3):
        ann.record(task(f"T-{number}"))
        ann.record(question(f"T-{number}"))
    fresh = Database(urls.app)
    try:
        reading = Engine(fresh).read()
        assert len(reading.rows["task"]) == 3
        assert reading.reasons == ()
    finally:
        fresh.close()


def test_order_does_not_come_from_the_table(urls: Urls, database: Database) -> None:
    """Reading is ordered by position, however the rows lie on disk."""
    ann = Engine(database)
    ann.record_all([task(f"T-{number}") for number in range(300)])
    with owner(urls) as conn:
        conn.execute("CREATE INDEX backwards ON event (user_id, position DESC)")
        conn.execute("CLUSTER event USING backwards")
        lies = conn.execute("SELECT position FROM event").fetchall()
        assert lies[0] == (300,)
        assert [e.position for e in ann.events()] == list(range(1, 301))
        conn.execute("DROP INDEX backwards")
        conn.execute("VACUUM FULL event")
    assert [e.position for e in ann.events()] == list(range(1, 301))


def test_expected_version_of_a_new_stream(database: Database) -> None:
    """A stream that does not exist is at version 0, and the error says all three things."""
    ann = Engine(database)
    with pytest.raises(VersionConflict) as caught:
        ann.record(task("T-1"), expected_version=3)
    conflict = caught.value
    assert (conflict.stream, conflict.expected, conflict.actual) == ("task/T-1", 3, 0)
    assert "stream task/T-1 is at version 0, expected 3" in str(conflict)
    assert ann.events() == []
    ann.record(task("T-1"), expected_version=0)


def test_same_expected_version_at_once(database: Database) -> None:
    """Of fifty writers that expect one version one wins; each other gets the typed conflict."""
    ann = Engine(database)
    ann.record(task("T-1"))

    def enter(number: int) -> Receipt | VersionConflict:
        try:
            return ann.record(
                EnterTaskPhase(task_id="T-1", phase=f"phase {number}"), expected_version=1
            )
        except VersionConflict as conflict:
            return conflict

    with ThreadPoolExecutor(50) as writers:
        results = list(writers.map(enter, range(50)))
    won = [result for result in results if isinstance(result, Receipt)]
    assert [receipt.positions for receipt in won] == [(2,)]
    assert all(r.actual == 2 for r in results if isinstance(r, VersionConflict))
    assert ann.is_whole()


def test_one_stream_at_once(database: Database) -> None:
    """Fifty writers on one stream all come in, each at a position and version of its own."""
    ann = Engine(database)
    ann.record(task("T-1"))
    with ThreadPoolExecutor(50) as writers:
        receipts = list(
            writers.map(
                lambda n: ann.record(EnterTaskPhase(task_id="T-1", phase=f"phase {n}")), range(50)
            )
        )
    assert sorted(p for r in receipts for p in r.positions) == list(range(2, 52))
    assert [e.stream_version for e in ann.events()] == list(range(1, 52))
    assert ann.is_whole()


def test_first_appends_at_once(database: Database) -> None:
    """Twenty writers that all believe to be the user's first give a whole log."""
    ann = Engine(database)
    ids = [f"T-{number}" for number in range(20)]
    with ThreadPoolExecutor(20) as writers:
        receipts = list(writers.map(lambda id_: ann.record(task(id_)), ids))
    assert sorted(p for r in receipts for p in r.positions) == list(range(1, 21))
    assert ann.is_whole()


def test_create_one_task_at_once(database: Database) -> None:
    """Of ten writers that create one task with different titles one wins, typed refusals else."""
    ann = Engine(database)

    def create(number: int) -> str:
        try:
            ann.record(CreateTask(task_id="T-1", title=f"title {number}"))
        except CommandRefused as refusal:
            return refusal.code
        return "created"

    with ThreadPoolExecutor(10) as writers:
        results = sorted(writers.map(create, range(10)))
    assert results == ["created"] + ["task_exists"] * 9
    assert len(ann.events()) == 1


def test_many_users_and_rollbacks(database: Database) -> None:
    """Interleaved users with appends that fail in between: everybody's positions are dense."""
    seed = random.Random(7)
    jobs = [(f"user {n % 4}", n, seed.random() < 0.2) for n in range(80)]

    def run(job: tuple[str, int, bool]) -> None:
        user_id, number, fails = job
        try:
            with open_append(database, user_id, task(f"T-{number}")):
                assert not fails
        except AssertionError:
            assert fails

    with ThreadPoolExecutor(8) as writers:
        list(writers.map(run, jobs))
    for user in range(4):
        engine = Engine(database, f"user {user}")
        kept = [n for user_id, n, fails in jobs if user_id == engine.user_id and not fails]
        events = engine.events()
        assert [e.position for e in events] == list(range(1, len(kept) + 1))
        assert sorted(e.fact.stream for e in events) == sorted(f"task/T-{n}" for n in kept)
        assert engine.is_whole()


class Outrun(Writer):
    """A writer that finds the log changed whenever it looks."""

    def _fast(self, *_: object) -> list[Receipt]:
        raise Stale

    def _locked(self, *_: object) -> list[Receipt]:
        raise Stale


def test_a_log_that_never_stands_still(database: Database) -> None:
    """A writer that others outrun at every attempt says so, and that trying again is safe."""
    with pytest.raises(Unavailable, match="at each of 6 attempts: try again"):
        Outrun(database).write("ann", [order(task("T-1"))], datetime.now(UTC))


def test_equal_times(database: Database) -> None:
    """Two appends of one instant are both taken: order is the position, never the clock."""
    ann = Engine(database)
    now = datetime(2026, 3, 2, 9, tzinfo=UTC)
    ann.record(task("T-1"), now=now, expected_version=0)
    ann.record(StartTask(task_id="T-1"), now=now, expected_version=1)
    ann.record(EnterTaskPhase(task_id="T-1", phase="late"), now=now.replace(year=2020))
    assert [e.fact.type for e in ann.events()] == [
        "task_created",
        "task_started",
        "task_phase_entered",
    ]


def test_a_log_without_a_tenant(urls: Urls, database: Database) -> None:
    """The functions refuse an empty tenant and the change of tenants in one transaction."""
    Engine(database).record(task("T-1"))
    with psycopg.connect(urls.app, autocommit=True) as conn:
        for statement in ("SELECT wi_lock('')", "SELECT wi_lock(NULL)"):
            with pytest.raises(psycopg.Error) as caught:
                conn.execute(statement.encode())
            assert caught.value.sqlstate == "WI002"
        with conn.transaction(force_rollback=True):
            conn.execute("SELECT wi_lock('ann')")
            with pytest.raises(psycopg.Error) as caught:
                conn.execute("SELECT wi_lock('bob')")
        assert caught.value.sqlstate == "WI002"
    assert do_as_owner(urls, "SELECT count(*) FROM user_log") == [(1,)]
