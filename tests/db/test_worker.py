"""Do workers and waiters get there, whoever dies, whoever writes, and idle without a write?"""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from conftest import Urls
from engine import Engine, do_as_owner
from followed import (
    EVIDENCE_OF_ANN,
    documents,
    due_rows,
    running,
    said,
    stands_at,
    transactions,
    write_many,
)
from workindex import WorkIndex
from workindex.domain.errors import StillBehind
from workindex.eventlog.database import Database
from workindex.projections.follower import Follower
from workindex.projections.following import find_due, scan
from workindex.projections.sets import ALL_SETS
from workindex.service.worker import Worker


@pytest.fixture
def ann(database: Database) -> Engine:
    return Engine(database)


@pytest.fixture
def follower(database: Database) -> Follower:
    return Follower(database)


def test_what_nobody_noted_is_found(urls: Urls, ann: Engine, database: Database) -> None:
    """The full scan makes due what stands behind, and writes nothing where nothing does."""
    ann.record(said(1))
    do_as_owner(urls, "DELETE FROM catchup_due")
    assert find_due(database, ALL_SETS, 10) == []
    assert scan(database, ALL_SETS) == 1
    assert find_due(database, ALL_SETS, 10) == [EVIDENCE_OF_ANN]
    WorkIndex(database).catch_up()
    assert scan(database, ALL_SETS) == 0


def test_an_idle_worker_writes_nothing(urls: Urls, database: Database, ann: Engine) -> None:
    """Looks and full scans take no transaction id, and none is given without one to a write.

    The server's own housekeeping may take one; then the next looks show it.
    """
    ann.record(said(1))
    work_index = WorkIndex(database)
    work_index.catch_up()
    for _ in range(10):
        before = transactions(urls)
        for _ in range(30):
            work_index.catch_up()
        if transactions(urls) == before:
            return
    raise AssertionError("each of ten times something was written")


def test_writers_at_full_speed_beside_two_workers(urls: Urls, database: Database) -> None:
    """Two processes, four users who write all the time: every document is there once, in order."""
    users = [f"user-{n}" for n in range(4)]
    with running(urls), running(urls):
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda user: write_many(database, user, 60), users))
        work_index = WorkIndex(database)
        for user in users:
            work_index.user(user).wait_for(60, timeout=60)
    for user in users:
        assert documents(urls, user) == [f"message/M-{n}" for n in range(60)]
        assert Engine(database, user).is_whole()


@pytest.mark.parametrize(
    "place", ["catchup.claimed", "catchup.folding", "catchup.applied", "catchup.committed"]
)
def test_a_worker_that_is_killed_leaves_whole_steps(
    urls: Urls, ann: Engine, database: Database, place: str
) -> None:
    """Wherever it dies, the next one goes on; every document is there once, and nobody parks."""
    for number in range(20):
        ann.record(said(number))
    with running(urls, WORKINDEX_FAILPOINT=place) as process:
        assert process.wait(timeout=60) == -signal.SIGKILL
    is_done = place == "catchup.committed"
    assert stands_at(urls) == (20 if is_done else None)
    assert due_rows(urls) == ([] if is_done else [("ann", "evidence", 1, 1)])
    do_as_owner(urls, "UPDATE catchup_due SET next_at = now()")
    done = WorkIndex(database).catch_up()
    assert (done.events, done.parked) == (0 if is_done else 20, [])
    assert documents(urls) == [f"message/M-{n}" for n in range(20)]
    assert due_rows(urls) == []
    assert ann.is_whole()


def test_waiting_for_a_position(urls: Urls, ann: Engine, database: Database) -> None:
    """It returns once the projection is there; else it says where it is and what to look at."""
    scope = WorkIndex(database).user("ann")
    ann.record(said(1))
    scope.wait_for(1, "inline")
    scope.wait_for(1, "conversation")
    scope.wait_for(0)
    with pytest.raises(StillBehind, match=r"stands at 0 .* position 1 .*workindex worker") as late:
        scope.wait_for(1, timeout=0.05)
    assert late.value.position is None
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(scope.wait_for, 1, timeout=30)
        scope.catch_up()
        assert waiting.result(timeout=30) is None
    do_as_owner(
        urls, "UPDATE projection_progress SET parked = '{\"evidence\": {}}' "
        "WHERE projection_set = 'evidence'",
    )  # fmt: skip
    with pytest.raises(StillBehind, match="parked"):
        scope.wait_for(2, timeout=30)


def test_a_worker_ends_after_its_step(urls: Urls, ann: Engine) -> None:
    """SIGTERM and Ctrl-C are an ordinary end: exit code 0, and what it did on stderr."""
    ann.record(said(1))
    for name in (signal.SIGTERM, signal.SIGINT):
        with running(urls) as process:
            assert process.stderr is not None
            assert "worker started" in process.stderr.readline()
            WorkIndex(ann.database).user("ann").wait_for(1, timeout=60)
            process.send_signal(name)
            _, told = process.communicate(timeout=60)
        assert process.returncode == 0, told
        assert "caught up" in told


def test_stop_ends_a_waiting_worker(database: Database) -> None:
    """Also one with nothing to do, at once."""
    worker = Worker(database, Follower(database), poll_s=60)
    with ThreadPoolExecutor(1) as pool:
        running_ = pool.submit(worker.run)
        worker.stop()
        assert running_.result(timeout=30).events == 0


def test_the_application_alone_catches_a_user_up(urls: Urls, ann: Engine) -> None:
    """In-process catch-up needs no maintenance login, and sees nobody else's log."""
    ann.record(said(1))
    Engine(ann.database, "bob").record(said(1))
    app_only = Database(urls.app)
    try:
        caught = WorkIndex(app_only).user("ann").catch_up()
    finally:
        app_only.close()
    assert [(one.projection_set, one.state, one.events) for one in caught] == [
        ("inline", "done", 0),
        ("evidence", "done", 1),
    ]
    assert documents(urls, "bob") == []
