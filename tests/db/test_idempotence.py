"""A command sent again gives its first result, whatever happened to the first answer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest

from conftest import Cluster, Urls
from engine import Engine, do_as_owner, order, owner, task
from workindex.domain.approval_commands import GrantApproval, RequestApproval
from workindex.domain.errors import (
    BatchRefused,
    CommandRefused,
    DuplicateKeyConflict,
    Unavailable,
    VersionConflict,
)
from workindex.domain.proactive_commands import MakeProposal
from workindex.domain.tasks import ChangeTask, CompleteTask, CreateTask, StartTask
from workindex.eventlog import failpoints
from workindex.eventlog.append import lock
from workindex.eventlog.database import Database, tenant_transaction
from workindex.projections.planning import Entry


@pytest.fixture
def ann(database: Database) -> Engine:
    """A user with one task."""
    engine = Engine(database)
    engine.record(task("T-1"))
    return engine


def test_first_result_again(ann: Engine) -> None:
    """The same key and command: the first positions, marked as a duplicate, nothing stored."""
    first = ann.record(task("T-2"), key="X")
    ann.record(task("T-3"), key="Y")
    again = ann.record(task("T-2"), key="X")
    assert (first.positions, first.duplicate) == ((2,), False)
    assert (again.positions, again.duplicate) == ((2,), True)
    # An expectation that no longer holds does not matter: the command was recorded.
    assert ann.record(task("T-2"), key="X", expected_version=9).positions == (2,)
    assert len(ann.events()) == 3


@pytest.mark.parametrize("together", [False, True], ids=["alone", "in a batch"])
def test_first_result_again_after_its_time(ann: Engine, together: bool) -> None:
    """A command whose time is over is not refused where it was recorded in time, although it is
    one that is decided without reading anything."""
    now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    proposal = MakeProposal(
        proposal_id="P-1", title="Tidy up?", expires_at=now + timedelta(minutes=1)
    )
    orders = [order(proposal, key="X")]
    if together:
        orders.append(order(task("T-2"), key="Y"))
    first = ann.write(orders, now)
    again = ann.write(orders, now + timedelta(days=1))
    assert [receipt.positions for receipt in again] == [receipt.positions for receipt in first]
    assert all(receipt.duplicate for receipt in again)


def test_generated_ids_do_not_make_another_command(ann: Engine) -> None:
    """Ids, times and defaults that the runtime fills are no part of what was sent."""
    first = ann.record(CreateTask(title="x"), key="X")
    again = ann.record(CreateTask(title="x"), key="X", now=datetime(2030, 1, 1, tzinfo=UTC))
    assert again.positions == first.positions
    assert again.duplicate


def test_command_that_decided_nothing(ann: Engine) -> None:
    """No events is a result, too: the same command later changes nothing, whatever the state."""
    nothing = ann.record(ChangeTask(task_id="T-1", title="A task"), key="X")
    assert (nothing.positions, nothing.duplicate) == ((), False)
    ann.record(ChangeTask(task_id="T-1", title="Another title"))
    again = ann.record(ChangeTask(task_id="T-1", title="A task"), key="X")
    assert (again.positions, again.duplicate) == ((), True)
    assert len(ann.events()) == 2
    with pytest.raises(DuplicateKeyConflict):
        ann.record(ChangeTask(task_id="T-1", title="Other"), key="X")


def test_key_of_another_command(ann: Engine) -> None:
    """A key stands for one command of one source of one user."""
    ann.record(task("T-2"), key="X")
    for other in (task("T-2", title="Other"), StartTask(task_id="T-1")):
        with pytest.raises(DuplicateKeyConflict) as caught:
            ann.record(other, key="X")
        assert caught.value.field == "key"
    ann.write([order(task("T-4"), key="X", source="mail")])
    Engine(ann.database, "bob").record(task("T-4"), key="X")
    assert len(ann.events()) == 3


def test_refusal_is_not_stored(ann: Engine) -> None:
    """A refused command may be sent again with its key once the state allows it."""
    with pytest.raises(CommandRefused) as caught:
        ann.record(StartTask(task_id="T-2"), key="X")
    assert caught.value.code == "unknown_task"
    with pytest.raises(VersionConflict):
        ann.record(StartTask(task_id="T-1"), key="Y", expected_version=5)
    ann.record(task("T-2"))
    assert ann.record(StartTask(task_id="T-2"), key="X").positions == (3,)
    assert ann.record(StartTask(task_id="T-1"), key="Y").positions == (4,)


def test_batch_again(ann: Engine) -> None:
    """A whole batch, a part of it and a longer one: each entry has its first result."""
    batch = [
        Entry(task("T-2"), "A"),
        Entry(StartTask(task_id="T-2"), "B"),
        Entry(StartTask(task_id="T-2"), "C"),
    ]
    first = ann.record_all(batch)
    assert [r.positions for r in first] == [(2,), (3,), ()]
    assert [(r.positions, r.duplicate) for r in ann.record_all(batch)] == [
        ((2,), True),
        ((3,), True),
        ((), True),
    ]
    longer = [*batch, Entry(CompleteTask(task_id="T-2"), "D"), Entry(task("T-3"), "E")]
    assert [(r.positions, r.duplicate) for r in ann.record_all([*longer[3:], *longer[:2]])] == [
        ((4,), False),
        ((5,), False),
        ((2,), True),
        ((3,), True),
    ]
    assert ann.record(CompleteTask(task_id="T-2"), key="D").positions == (4,)
    assert ann.is_whole()


def test_key_twice_in_one_batch(ann: Engine) -> None:
    """The second entry of a key is a duplicate of the first; another command is refused."""
    receipts = ann.record_all([Entry(task("T-2"), "A"), Entry(task("T-2"), "A")])
    assert [(r.positions, r.duplicate) for r in receipts] == [((2,), False), ((2,), True)]
    with pytest.raises(BatchRefused) as caught:
        ann.record_all([Entry(task("T-3"), "B"), Entry(task("T-4"), "B")])
    assert (caught.value.index, caught.value.code) == (1, "duplicate_key_conflict")
    assert len(ann.events()) == 2


def test_one_key_at_once(ann: Engine) -> None:
    """Twenty appends with one key at once: one is stored, nineteen get its position."""
    for number, command in enumerate((task("T-2"), StartTask(task_id="T-1"))):
        with ThreadPoolExecutor(20) as writers:
            receipts = list(
                writers.map(lambda _, c=command: ann.record(c, key=str(c.type)), range(20))
            )
        assert {r.positions for r in receipts} == {(2 + number,)}
        assert sorted(r.duplicate for r in receipts) == [False] + [True] * 19
    assert len(ann.events()) == 3
    assert ann.is_whole()


@pytest.mark.parametrize("key", ["K", None], ids=["own key", "made key"])
@pytest.mark.parametrize("place", ["append.done", "locked.committed"])
def test_connection_lost_after_commit(
    ann: Engine, monkeypatch: pytest.MonkeyPatch, place: str, key: str | None
) -> None:
    """A commit whose answer got lost resolves itself: one event, and its position comes back."""
    monkeypatch.setenv(failpoints.VARIABLE, f"{place}:raise")
    if place == "locked.committed":
        _go_locked(ann)
    assert ann.record(StartTask(task_id="T-1"), key=key).positions == (2,)
    assert [e.fact.type for e in ann.events()] == ["task_created", "task_started"]
    assert ann.is_whole()


def _go_locked(engine: Engine) -> None:
    """Let the projection lag, so that the next append takes the locked path."""
    with engine.database.maintenance() as conn:
        conn.execute("DELETE FROM work_task")
        conn.execute("UPDATE projection_progress SET position = 0")


@contextmanager
def nobody_to_copy_to(cluster: Cluster) -> Iterator[None]:
    """Commits wait for a standby that does not exist, after they are made."""
    with owner(cluster.urls("postgres")) as conn:
        conn.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        conn.execute("SELECT pg_reload_conf()")
        try:
            yield
        finally:
            conn.execute("ALTER SYSTEM RESET synchronous_standby_names")
            conn.execute("SELECT pg_reload_conf()")


def test_connection_killed_during_commit(cluster: Cluster, urls: Urls, ann: Engine) -> None:
    """A backend that is terminated in the middle of its commit: stored once, found again."""
    with ThreadPoolExecutor(1) as other:
        with nobody_to_copy_to(cluster):
            waiting = other.submit(ann.record, StartTask(task_id="T-1"))
            assert _terminate(urls, "wait_event = 'SyncRep'") == 1
        receipt = waiting.result(timeout=20)
    assert (receipt.positions, receipt.duplicate) == ((2,), True)
    assert len(ann.events()) == 2
    assert ann.is_whole()


def test_connection_killed_before_commit(
    urls: Urls, ann: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A backend that is terminated while the append is open: tried again, stored once."""
    monkeypatch.setenv(failpoints.VARIABLE, "locked.appended:sleep:1")
    _go_locked(ann)
    with ThreadPoolExecutor(1) as other:
        waiting = other.submit(ann.record, StartTask(task_id="T-1"))
        time.sleep(0.3)
        monkeypatch.delenv(failpoints.VARIABLE)
        assert _terminate(urls, "state = 'idle in transaction'") == 1
        receipt = waiting.result(timeout=20)
    assert (receipt.positions, receipt.duplicate) == ((2,), False)
    assert ann.is_whole()


def _terminate(urls: Urls, where: str) -> int:
    """Terminate the application's backends that are so, once there are any."""
    for _ in range(100):
        found = do_as_owner(
            urls,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = "
            f"'workindex_app' AND datname = current_database() AND {where}",
        )
        if found:
            return len(found)
        time.sleep(0.05)
    return 0


def test_hang_and_retry(ann: Engine, urls: Urls, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that waits too long gives up once, typed; the retry has exactly one result."""
    monkeypatch.setattr(
        "workindex.eventlog.database.SESSION_OPTIONS", "-c timezone=UTC -c lock_timeout=300"
    )
    hurried = Engine(Database(urls.app))
    with ann.database.connection() as conn, tenant_transaction(conn, "ann"):
        lock(conn, "ann")
        started = time.monotonic()
        with pytest.raises(Unavailable, match="lock timeout"):
            hurried.record(StartTask(task_id="T-1"), key="K")
        assert time.monotonic() - started < 2
    assert hurried.record(StartTask(task_id="T-1"), key="K").positions == (2,)
    assert hurried.record(StartTask(task_id="T-1"), key="K").positions == (2,)
    assert len(ann.events()) == 2
    hurried.database.close()


def test_late_grant(ann: Engine) -> None:
    """A grant after the expiry: the expiry is recorded once, without the key; always refused."""
    now = datetime(2026, 3, 2, 9, tzinfo=UTC)
    request = RequestApproval(
        approval_id="A-1",
        title="Pay",
        task_id="T-1",
        tool="bank",
        arguments={"amount": "10"},
        expires_at=now + timedelta(hours=1),
    )
    ann.record(request, by="agent", now=now)
    (row,) = ann.read(now=now).rows["approval"]
    grant = GrantApproval(approval_id="A-1", action_hash=row.action_hash)
    late = now + timedelta(hours=1)
    for _ in range(2):
        with pytest.raises(CommandRefused) as caught:
            ann.record(grant, now=late, key="K")
        assert caught.value.code == "approval_expired"
        assert [e.fact.type for e in ann.events()] == [
            "task_created",
            "approval_requested",
            "approval_expired",
        ]
    assert do_keys(ann) == set()
    assert ann.proof(now=late).verdict == "proven_empty"
    assert ann.is_whole()


def do_keys(engine: Engine) -> set[str]:
    """The keys of the user's own choice."""
    with engine.database.connection() as conn, tenant_transaction(conn, engine.user_id):
        rows = conn.execute("SELECT key FROM command_key").fetchall()
    return {key for (key,) in rows if not key.startswith("auto-")}
