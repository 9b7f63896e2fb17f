"""Does a step of catch-up apply what is due, once, and park nobody who can go on?"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from conftest import Urls
from engine import Engine, do_as_owner, owner, task
from followed import (
    EVIDENCE_OF_ANN,
    INLINE_OF_ANN,
    documents,
    due_rows,
    lag_behind,
    said,
    stands_at,
    wait_until_locked,
)
from workindex import WorkIndex
from workindex.eventlog.database import Database, tenant_transaction
from workindex.eventlog.mapper import MODELS, FactMapper
from workindex.projections.follower import BATCH_EVENTS, MISSES_MAX, Follower
from workindex.projections.following import Due, find_due
from workindex.projections.functions import UNAPPLIED_EVENTS_MAX
from workindex.projections.parking import ALONE_AFTER, ATTEMPTS_MAX
from workindex.projections.sets import ALL_SETS, EVIDENCE


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
    states: list[str] = []
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


def test_reading_for_a_step_needs_the_tenant(urls: Urls, ann: Engine, database: Database) -> None:
    """The entries of others are as hidden as their logs."""
    ann.record(said(1))
    with database.connection() as conn:
        assert conn.execute("SELECT count(*) FROM catchup_due").fetchone() == (0,)
        with tenant_transaction(conn, "bob"):
            gone = conn.execute("DELETE FROM catchup_due").rowcount
    assert gone == 0
    assert due_rows(urls) == [("ann", "evidence", 1, 0)]


def test_an_event_that_ended_the_process_too_often_parks(
    urls: Urls, ann: Engine, follower: Follower
) -> None:
    """The attempts are counted before anything is applied: after the last one the event is not
    folded again, its member stands still there, and the set moves on."""
    for number in range(3):
        ann.record(said(number))
    do_as_owner(urls, "UPDATE catchup_due SET attempts = %s", ATTEMPTS_MAX)
    step = follower.step(EVIDENCE_OF_ANN)
    assert (step.state, step.position, step.parked) == ("more", 1, ("evidence",))
    assert due_rows(urls) == [("ann", "evidence", 1, 0)]
    assert follower.step(EVIDENCE_OF_ANN).state == "done"
    parked = do_as_owner(
        urls, "SELECT parked FROM projection_progress WHERE projection_set = 'evidence'"
    )[0][0]
    assert parked["evidence"]["failed_position"] == 1
    assert documents(urls) == []


def test_after_attempts_that_ended_in_nothing_one_event_is_applied_at_a_time(
    urls: Urls, ann: Engine, follower: Follower
) -> None:
    """So that it is known which one ends the process; whoever gets through is not blamed."""
    for number in range(3):
        ann.record(said(number))
    do_as_owner(urls, "UPDATE catchup_due SET attempts = %s", ALONE_AFTER)
    assert [follower.step(EVIDENCE_OF_ANN).position for _ in range(3)] == [1, 2, 3]
    assert due_rows(urls) == []
    assert documents(urls) == [f"message/M-{n}" for n in range(3)]
