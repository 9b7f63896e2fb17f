"""Does what follows the log get there, once, in order, whoever dies and whoever writes?"""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from commands import PROGRAM
from conftest import Urls
from engine import Engine, do_as_owner, owner, task
from workindex import WorkIndex
from workindex.domain.conversations import PostMessage
from workindex.domain.errors import StillBehind
from workindex.eventlog.database import Database, tenant_transaction
from workindex.eventlog.mapper import MODELS, FactMapper
from workindex.projections.follower import BATCH_EVENTS, MISSES_MAX, Follower
from workindex.projections.following import Due, find_due, scan
from workindex.projections.functions import UNAPPLIED_EVENTS_MAX
from workindex.projections.sets import ALL_SETS, EVIDENCE, INLINE
from workindex.service.worker import Worker

EVIDENCE_OF_ANN = Due("ann", "evidence", 1)
INLINE_OF_ANN = Due("ann", "inline", 1)
WORKER = [str(PROGRAM), "worker"]


def said(number: int, thread: str = "TH-1") -> PostMessage:
    """One message with words of its own."""
    return PostMessage(
        message_id=f"M-{number}", thread_id=thread, role="user", text=f"word{number} budget"
    )


def documents(urls: Urls, user_id: str = "ann") -> list[str]:
    """The ids of a user's documents, in the order of their events."""
    rows = do_as_owner(
        urls, "SELECT id FROM document WHERE user_id = %s ORDER BY source_position, id", user_id
    )
    return [row[0] for row in rows]


def stands_at(urls: Urls, due: Due = EVIDENCE_OF_ANN) -> int | None:
    """How far a generation is."""
    rows = do_as_owner(
        urls,
        "SELECT position FROM projection_progress "
        "WHERE user_id = %s AND projection_set = %s AND generation = %s",
        *due,
    )
    return rows[0][0] if rows else None


def due_rows(urls: Urls) -> list[tuple[Any, ...]]:
    """What is due, with its attempts."""
    return do_as_owner(
        urls, "SELECT user_id, projection_set, generation, attempts FROM catchup_due ORDER BY 1, 2"
    )


def lag_behind(urls: Urls, ann: Engine, count: int) -> None:
    """Append events that no inline projection follows, as a program of another version would."""
    do_as_owner(
        urls, "UPDATE projection_generation SET fold_version = 99 WHERE projection_set = 'inline'"
    )
    for first in range(0, count, 500):
        ann.record_all([task(f"L-{n}") for n in range(first, min(count, first + 500))])
    do_as_owner(
        urls,
        "UPDATE projection_generation SET fold_version = %s WHERE projection_set = 'inline'",
        INLINE.fold_version,
    )


@contextmanager
def running(urls: Urls, *more: str, **env: str) -> Iterator[subprocess.Popen[str]]:
    """A worker as a process of its own; killed at the end if it is still there."""
    process = subprocess.Popen(
        [*WORKER, *more], env=urls.env | env, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=30)


@pytest.fixture
def ann(database: Database) -> Engine:
    return Engine(database)


@pytest.fixture
def follower(database: Database) -> Follower:
    return Follower(database)


@pytest.mark.pg15
def test_an_append_never_writes_documents(urls: Urls, ann: Engine, follower: Follower) -> None:
    """It leaves an entry; a step applies everything, takes the entry away, and is idempotent."""
    for number in range(3):
        ann.record(said(number))
    assert documents(urls) == []
    assert stands_at(urls) is None
    assert due_rows(urls) == [("ann", "evidence", 1, 0)]
    step = follower.step(EVIDENCE_OF_ANN)
    assert (step.state, step.position, step.head, step.events) == ("done", 3, 3, 3)
    assert documents(urls) == [f"message/M-{n}" for n in range(3)]
    assert due_rows(urls) == []
    assert follower.step(EVIDENCE_OF_ANN).state == "done"
    assert ann.is_whole()


@pytest.mark.pg15
def test_an_inline_projection_that_fell_far_behind(
    urls: Urls, ann: Engine, follower: Follower
) -> None:
    """More events than an append folds forward are caught up in batches; each raises the epoch,
    and the rows are those of the log."""
    count = BATCH_EVENTS + UNAPPLIED_EVENTS_MAX + 1
    ann.record(task("T-0"))
    lag_behind(urls, ann, count)
    ann.record(said(1))
    assert stands_at(urls, INLINE_OF_ANN) == 1
    epoch = do_as_owner(urls, "SELECT epoch FROM user_log")[0][0]
    states = []
    while not states or states[-1] == "more":
        states.append(follower.step(INLINE_OF_ANN).state)
    assert states == ["more", "done"]
    assert stands_at(urls, INLINE_OF_ANN) == count + 2
    assert do_as_owner(urls, "SELECT epoch FROM user_log")[0][0] == epoch + 2
    assert not [row for row in due_rows(urls) if row[1] == "inline"]
    ann.record(said(2))
    assert stands_at(urls, INLINE_OF_ANN) == count + 3
    WorkIndex(ann.database).user("ann").catch_up()
    assert ann.is_whole()


def test_a_user_whom_another_version_began(urls: Urls, ann: Engine, follower: Follower) -> None:
    """Without a progress row a live generation is begun at the start of the log."""
    lag_behind(urls, ann, 5)
    assert stands_at(urls, INLINE_OF_ANN) is None
    assert follower.step(INLINE_OF_ANN).state == "done"
    assert stands_at(urls, INLINE_OF_ANN) == 5
    follower.step(EVIDENCE_OF_ANN)
    assert ann.is_whole()


def test_a_generation_in_building_waits_for_its_rebuild(
    urls: Urls, ann: Engine, follower: Follower
) -> None:
    """Nobody begins it but the rebuild; once begun it is kept."""
    do_as_owner(
        urls, "INSERT INTO projection_generation VALUES ('evidence', 2, %s, 'building')",
        EVIDENCE.fold_version,
    )  # fmt: skip
    ann.record(said(1))
    second = Due("ann", "evidence", 2)
    assert follower.step(second).state == "waiting"
    assert stands_at(urls, second) is None
    do_as_owner(
        urls,
        "INSERT INTO projection_progress VALUES ('ann', 'evidence', 2, 0, '{}', 0, '{}')",
    )
    do_as_owner(urls, "UPDATE catchup_due SET next_at = now()")
    assert follower.step(second).state == "done"
    assert stands_at(urls, second) == 1


def test_what_nobody_noted_is_found(urls: Urls, ann: Engine, database: Database) -> None:
    """The full scan makes due what stands behind, and writes nothing where nothing does."""
    ann.record(said(1))
    do_as_owner(urls, "DELETE FROM catchup_due")
    assert find_due(database, ALL_SETS, 10) == []
    assert scan(database, ALL_SETS) == 1
    assert find_due(database, ALL_SETS, 10) == [EVIDENCE_OF_ANN]
    WorkIndex(database).catch_up()
    assert scan(database, ALL_SETS) == 0


def transactions(urls: Urls) -> str:
    """The next transaction id of the server."""
    found = do_as_owner(urls, "SELECT pg_snapshot_xmax(pg_current_snapshot())::text")
    return str(found[0][0])


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


@pytest.mark.parametrize("due", [EVIDENCE_OF_ANN, INLINE_OF_ANN])
def test_an_unknown_fact_waits_for_newer_code(
    urls: Urls, ann: Engine, database: Database, due: Due
) -> None:
    """Nothing moves, no attempt is counted, nobody parks; newer code goes on where it stood."""
    ann.record(said(1))
    older = FactMapper(models={k: v for k, v in MODELS.items() if k[0] != "message_posted"})
    do_as_owner(urls, "UPDATE projection_progress SET position = 0")
    do_as_owner(urls, "DELETE FROM message")
    for _ in range(3):
        do_as_owner(urls, "UPDATE catchup_due SET next_at = now()")
        assert Follower(database, mapper=older).step(due).state == "waiting"
    assert [row[3] for row in due_rows(urls) if row[1] == due.projection_set] == [0]
    do_as_owner(urls, "UPDATE catchup_due SET next_at = now()")
    assert Follower(database).step(due).state == "done"
    assert stands_at(urls, due) == 1


def test_a_claim_keeps_others_away(urls: Urls, ann: Engine, database: Database) -> None:
    """While one has an entry nobody else applies it; once its time is over anybody may."""
    ann.record(said(1))
    do_as_owner(urls, "UPDATE catchup_due SET attempts = 1, next_at = now() + interval '1 minute'")
    assert Follower(database).step(EVIDENCE_OF_ANN).state == "busy"
    assert due_rows(urls) == [("ann", "evidence", 1, 1)]
    do_as_owner(urls, "UPDATE catchup_due SET next_at = now()")
    assert Follower(database).step(EVIDENCE_OF_ANN).state == "done"


def test_evidence_waits_for_no_append_and_none_for_it(
    urls: Urls, ann: Engine, follower: Follower
) -> None:
    """Documents are written while an append holds the head; the entry stays until it is over."""
    ann.record(said(1))
    with owner(urls) as conn, conn.transaction():
        conn.execute("SELECT head FROM user_log FOR UPDATE")
        step = follower.step(EVIDENCE_OF_ANN)
        assert (step.state, step.position) == ("more", 1)
        assert documents(urls) == ["message/M-1"]
    assert follower.step(EVIDENCE_OF_ANN).state == "done"
    assert due_rows(urls) == []


def test_a_writer_who_never_stops_does_not_starve_a_projection(
    urls: Urls, ann: Engine, follower: Follower
) -> None:
    """A step that missed the head so often waits in the queue for it, and is no attempt."""
    ann.record(task("T-0"))
    lag_behind(urls, ann, UNAPPLIED_EVENTS_MAX + 1)
    with owner(urls) as conn, conn.transaction():
        conn.execute("SELECT head FROM user_log FOR UPDATE")
        for _ in range(MISSES_MAX):
            assert follower.step(INLINE_OF_ANN).state == "busy"
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(follower.step, INLINE_OF_ANN)
            wait_until_locked(urls)
            assert not waiting.done()
            conn.execute("COMMIT")
            assert waiting.result(timeout=30).state == "done"
            conn.execute("BEGIN")
    assert stands_at(urls, INLINE_OF_ANN) == UNAPPLIED_EVENTS_MAX + 2


def wait_until_locked(urls: Urls) -> None:
    """Until somebody waits for a lock of a row."""
    deadline = time.monotonic() + 30
    while not do_as_owner(urls, "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"):
        assert time.monotonic() < deadline, "nobody waits"
        time.sleep(0.005)


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


def write_many(database: Database, user: str, count: int) -> None:
    engine = Engine(database, user)
    for number in range(count):
        engine.record(said(number))


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


def test_a_brown_out_counts_no_attempt(
    urls: Urls, ann: Engine, database: Database, follower: Follower
) -> None:
    """What the database refuses for now is tried again later, and parks nobody however often."""
    ann.record(said(1))
    with owner(urls) as conn:
        conn.execute("ALTER TABLE document ADD CONSTRAINT bad CHECK (id <> '') NOT VALID")
        conn.execute("REVOKE INSERT ON document FROM workindex_app")
        for _ in range(8):
            step = follower.step(EVIDENCE_OF_ANN)
            assert (step.state, type(step.error)) == (
                "failed",
                psycopg.errors.InsufficientPrivilege,
            )
            assert due_rows(urls) == [("ann", "evidence", 1, 0)]
            assert find_due(database, ALL_SETS, 9) == []  # left alone for a while
            conn.execute("UPDATE catchup_due SET next_at = now()")
        conn.execute("GRANT INSERT ON document TO workindex_app")
    assert follower.step(EVIDENCE_OF_ANN).state == "done"
    assert documents(urls) == ["message/M-1"]


def test_rows_that_the_database_refuses_park_their_member(
    urls: Urls, ann: Engine, follower: Follower
) -> None:
    """The facts stay, the set moves on, the mark says from where and why."""
    ann.record(said(1))
    do_as_owner(urls, "ALTER TABLE document ADD CONSTRAINT bad CHECK (source_id <> 'M-1')")
    step = follower.step(EVIDENCE_OF_ANN)
    assert (step.state, step.parked) == ("done", ("evidence",))
    ann.record(said(2))
    step = follower.step(EVIDENCE_OF_ANN)
    assert (step.state, step.parked) == ("done", ())
    parked = do_as_owner(
        urls, "SELECT parked FROM projection_progress WHERE projection_set = 'evidence'"
    )[0][0]
    assert parked["evidence"]["position"] == 1
    assert "bad" in parked["evidence"]["reason"]
    assert documents(urls) == []


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


def test_reading_for_a_step_needs_the_tenant(urls: Urls, ann: Engine, database: Database) -> None:
    """The entries of others are as hidden as their logs."""
    ann.record(said(1))
    with database.connection() as conn:
        assert conn.execute("SELECT count(*) FROM catchup_due").fetchone() == (0,)
        with tenant_transaction(conn, "bob"):
            gone = conn.execute("DELETE FROM catchup_due").rowcount
    assert gone == 0
    assert due_rows(urls) == [("ann", "evidence", 1, 0)]
