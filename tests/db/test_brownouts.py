"""Trouble of the server, made for real: it parks nobody and counts against nobody.

Each trouble meets a writer, a worker's step and a retry in the middle of their transaction: the
row that they want to write is held by somebody else, and then it happens.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from os import kill
from typing import Any

import pytest

from conftest import Cluster, Urls
from driver import NOW
from engine import Engine, do_as_owner, owner, task
from generations import OPERATOR
from private import Load, private_server, urls_of
from workindex.domain.errors import Unavailable
from workindex.domain.tasks import StartTask
from workindex.eventlog.database import Database
from workindex.eventlog.session import SESSION_OPTIONS
from workindex.projections.follower import Follower
from workindex.projections.following import Due
from workindex.projections.parked import Unparker
from workindex.service.worker import Worker

pytestmark = pytest.mark.faults

DUE = Due("ann", "inline", 1)
Act = Callable[[], object]


def writer(urls: Urls, ann: Engine) -> Act:
    """A command that changes the row."""
    return lambda: ann.record(StartTask(task_id="T-1"), now=NOW, key="K")


def step(urls: Urls, ann: Engine) -> Act:
    """A worker's step over an event that no projection saw."""
    do_as_owner(urls, "UPDATE projection_generation SET fold_version = 99")
    ann.record(StartTask(task_id="T-1"), now=NOW)
    do_as_owner(urls, "UPDATE projection_generation SET fold_version = 1")
    follower = Follower(ann.database)

    def act() -> object:
        do_as_owner(urls, "UPDATE catchup_due SET next_at = now()")
        return follower.step(DUE)

    return act


def retry(urls: Urls, ann: Engine) -> Act:
    """A retry of a member that stands still before an event."""
    ann.writer.let_stand(["work_index"])
    ann.record(StartTask(task_id="T-1"), now=NOW)
    ann.writer.let_stand([])
    unparker = Unparker(ann.database, OPERATOR)
    return lambda: unparker.retry("ann")


ACTS = (writer, step, retry)


class Held:
    """The task's row in the hands of somebody else, and the one who waits for it."""

    def __init__(self, urls: Urls) -> None:
        self.urls = urls
        self.conn = owner(urls)
        self.conn.execute("SET deadlock_timeout = '60s'")
        self.conn.execute("BEGIN")
        self.conn.execute("SELECT 1 FROM work_task WHERE task_id = 'T-1' FOR UPDATE")

    def waiting(self) -> int:
        """The server's process that waits for the row, once there is one."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            found = do_as_owner(
                self.urls,
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database() "
                "AND usename LIKE 'workindex%%' AND wait_event_type = 'Lock'",
            )
            if found:
                return int(found[0][0])
            time.sleep(0.01)
        raise AssertionError("nobody came to wait")

    def let_go(self) -> None:
        self.conn.close()  # which ends its transaction


def deadlock(held: Held) -> None:
    """The holder wants the head, which the one who waits has: the server ends the waiting."""
    held.waiting()
    held.conn.execute("UPDATE user_log SET epoch = epoch WHERE user_id = 'ann'")


def terminated(held: Held) -> None:
    """An administrator ends the connection."""
    do_as_owner(held.urls, "SELECT pg_terminate_backend(%s)", held.waiting())
    time.sleep(0.2)


def cancelled(held: Held) -> None:
    """An administrator cancels the statement."""
    do_as_owner(held.urls, "SELECT pg_cancel_backend(%s)", held.waiting())
    time.sleep(0.2)


def timed_out(held: Held) -> None:
    """A limit of the session ends the waiting."""
    held.waiting()
    time.sleep(1.0)


def changed(held: Held) -> None:
    """The holder has changed the row: in a snapshot it cannot be changed again."""
    held.waiting()
    held.conn.execute("UPDATE work_task SET title = title WHERE task_id = 'T-1'")
    held.conn.execute("COMMIT")


# What the server says, how it comes about, and what the sessions are given.
TROUBLES: dict[str, tuple[Callable[[Held], None], dict[str, str]]] = {
    "40P01 deadlock": (deadlock, {}),
    "57P01 terminated": (terminated, {}),
    "57014 cancelled": (cancelled, {}),
    "57014 statement timeout": (timed_out, {"statement_timeout": "400"}),
    "55P03 lock timeout": (timed_out, {"lock_timeout": "400"}),
    "40001 serialization": (changed, {"default_transaction_isolation": "repeatable\\ read"}),
}


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.__name__)
@pytest.mark.parametrize("trouble", TROUBLES)
def test_in_the_middle_of_it(
    urls: Urls,
    monkeypatch: pytest.MonkeyPatch,
    trouble: str,
    act: Callable[[Urls, Engine], Act],
) -> None:
    """It is done after all, or told as a passing failure; nobody parks, no attempt counts, and
    done again it is whole."""
    make, settings = TROUBLES[trouble]
    more = " ".join(f"-c {name}={value}" for name, value in settings.items())
    options = f"{SESSION_OPTIONS} {more}"
    with closing(Database(urls.app, maint_url=urls.maint)) as calm:
        Engine(calm).record(task("T-1"), now=NOW)
    monkeypatch.setattr("workindex.eventlog.database.SESSION_OPTIONS", options)
    with closing(Database(urls.app, maint_url=urls.maint)) as database:
        ann = Engine(database)
        doing = act(urls, ann)
        before = ann.progress()["parked"]
        held = Held(urls)
        outcome: list[Any] = []
        thread = threading.Thread(target=lambda: outcome.append(told(doing)))
        thread.start()
        make(held)
        held.let_go()
        thread.join(60)
        assert not thread.is_alive()
        (result,) = outcome
        assert not isinstance(result, Exception) or isinstance(result, Unavailable), result
        if act is not retry:
            assert ann.progress()["parked"] == {}
        else:
            assert ann.progress()["parked"] in (before, {})
        if act is not retry or ann.progress()["parked"]:
            doing()  # a worker whose connection was cut gives its attempt back with the next one
        assert do_as_owner(urls, "SELECT attempts FROM catchup_due WHERE attempts > 0") == []
        assert ann.is_whole()
        assert ann.progress()["position"] == len(ann.events()) == 2


def told(doing: Act) -> object:
    """What it returned or raised."""
    try:
        return doing()
    except Exception as error:  # noqa: BLE001 - the test looks at it
        return error


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.__name__)
def test_no_connection_is_left(urls: Urls, act: Callable[[Urls, Engine], Act]) -> None:
    """53300: too many connections are Unavailable, and nothing is held against anybody."""
    name = do_as_owner(urls, "SELECT current_database()")[0][0]
    with closing(Database(urls.app, maint_url=urls.maint)) as calm:
        Engine(calm).record(task("T-1"), now=NOW)
        act(urls, Engine(calm))
        before = Engine(calm).progress()
    with closing(Database(urls.app, maint_url=urls.maint)) as database:
        ann = Engine(database)
        works: dict[Any, Act] = {
            writer: lambda: ann.record(StartTask(task_id="T-1"), now=NOW, key="K"),
            step: lambda: Follower(database).step(DUE),
            retry: lambda: Unparker(database, OPERATOR).retry("ann"),
        }
        do_as_owner(urls, f"ALTER DATABASE {name} CONNECTION LIMIT 0")
        try:
            with pytest.raises(Unavailable, match="too many connections"):
                works[act]()
        finally:
            do_as_owner(urls, f"ALTER DATABASE {name} CONNECTION LIMIT -1")
        assert ann.progress() == before
        do_as_owner(urls, "UPDATE catchup_due SET next_at = now()")
        assert do_as_owner(urls, "SELECT attempts FROM catchup_due WHERE attempts > 0") == []
        works[act]()
        assert ann.is_whole()


@pytest.fixture
def stopped(cluster: Cluster) -> Iterator[tuple[Urls, Callable[[], None], Callable[[], None]]]:
    """A server of its own: its logins, how to stop it at once, and how to start it again."""
    with private_server(cluster) as server:

        def stop() -> None:
            pid = server.status().pid
            assert pid is not None
            kill(pid, signal.SIGQUIT)  # pg_ctl stop -m immediate

        yield urls_of(server), stop, server.ensure_running


def test_server_stopped_under_writers_and_worker(
    stopped: tuple[Urls, Callable[[], None], Callable[[], None]],
) -> None:
    """Stopped at once, twice, while sixteen write and a worker follows: when it is back the same
    worker goes on, nobody stands still, and everything is whole."""
    urls, stop, start = stopped
    with closing(Database(urls.app, maint_url=urls.maint)) as database:
        running = Worker(database, Follower(database))
        thread = threading.Thread(target=running.run)
        thread.start()
        try:
            for round_ in ("first", "second"):
                load = Load(urls, round_)
                load.run()
                stop()
                load.end()
                start()
                load.check()
            deadline = time.monotonic() + 120
            while do_as_owner(urls, "SELECT 1 FROM catchup_due LIMIT 1"):
                assert time.monotonic() < deadline, do_as_owner(urls, "SELECT * FROM catchup_due")
                time.sleep(0.1)
        finally:
            running.stop()
            thread.join(60)
        assert not thread.is_alive()
        assert running.done.parked == []
    marked = "SELECT 1 FROM projection_progress WHERE parked <> '{}'"
    assert do_as_owner(urls, marked) == []
    lagging = (
        "SELECT p.* FROM projection_progress p JOIN user_log l USING (user_id) "
        "WHERE p.position <> l.head"
    )
    assert do_as_owner(urls, lagging) == []
