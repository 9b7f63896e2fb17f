"""A process killed at any place of an append leaves log and rows equal, and a retry one result."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Urls
from engine import Engine, do_as_owner, order, proof_of, question, task
from workindex.domain.errors import InvalidInput
from workindex.domain.tasks import GiveTaskInput, StartTask
from workindex.eventlog import failpoints
from workindex.eventlog.append import lock
from workindex.eventlog.database import Database, tenant_transaction

# Records one command as the application would, in a process of its own.
CHILD = """
import sys
from datetime import UTC, datetime
from workindex.domain.facts import Actor
from workindex.domain.tasks import GiveTaskInput
from workindex.eventlog.database import Database
from workindex.projections.planning import Entry, order_of
from workindex.projections.recording import Writer

answer = GiveTaskInput(task_id="T-1", request_id="R-1", answer="the red one")
order = order_of(Entry(answer, "K"), "api", Actor(kind="user", id="ann"))
Writer(Database(sys.argv[1])).write("ann", [order], datetime.now(UTC))
"""
ANSWER = GiveTaskInput(task_id="T-1", request_id="R-1", answer="the red one")
# What is in the log when the process dies there: nothing of the command, or all of it.
STORED = {"append.done", "locked.committed"}


@pytest.fixture
def ann(database: Database) -> Engine:
    """A user whose task waits for an answer."""
    engine = Engine(database)
    engine.record(task("T-1"))
    engine.record(question("T-1"))
    return engine


def die_at(urls: Urls, place: str) -> None:
    """Run the child until it is killed at a place."""
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        failpoints.VARIABLE: place,
    }
    child = [sys.executable, "-c", CHILD, urls.app]
    killed = subprocess.run(child, env=env, capture_output=True, text=True, timeout=60)
    assert killed.returncode == -signal.SIGKILL, killed.stderr


@pytest.mark.parametrize("place", failpoints.NAMES)
def test_killed_there(urls: Urls, ann: Engine, place: str) -> None:
    """All of the command or nothing: the answer, the row and the count of open rows agree."""
    if place.startswith("locked."):
        # A projection that lags sends the append onto the locked path.
        do_as_owner(urls, "DELETE FROM work_task")
        do_as_owner(urls, "UPDATE projection_progress SET position = 0, open_count = 0")
    die_at(urls, place)

    reading = ann.read()
    assert len(ann.events()) == (3 if place in STORED else 2)
    assert proof_of(reading).verdict == ("proven_empty" if place in STORED else "items")

    receipt = ann.record(ANSWER, key="K")
    assert (receipt.positions, receipt.duplicate) == ((3,), place in STORED)
    events = ann.events()
    assert [e.fact.type for e in events].count("task_input_given") == 1
    assert [e.position for e in events] == [1, 2, 3]
    assert ann.is_whole()
    assert ann.proof().verdict == "proven_empty"
    assert do_as_owner(urls, "SELECT first_position, events_count FROM command_key "
                             "WHERE key = 'K'") == [(3, 1)]  # fmt: skip


def test_lock_of_a_killed_writer_is_free(urls: Urls, ann: Engine) -> None:
    """Nobody waits for the head that a dead process held."""
    do_as_owner(urls, "DELETE FROM work_task")
    do_as_owner(urls, "UPDATE projection_progress SET position = 0, open_count = 0")
    die_at(urls, "locked.appended")
    with ann.database.connection() as conn, tenant_transaction(conn, "ann"):
        conn.execute("SET LOCAL lock_timeout = '2s'")
        lock(conn, "ann")
    assert ann.record(StartTask(task_id="T-1")).positions == (3,)
    assert ann.is_whole()


def test_unknown_name(ann: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failpoint that does not exist is an error and never silently without effect."""
    monkeypatch.setenv(failpoints.VARIABLE, "append.doen")
    with pytest.raises(InvalidInput, match=r"append\.doen, the failpoints are read\.done, "):
        ann.write([order(StartTask(task_id="T-1"))])


def test_every_name_is_in_the_code() -> None:
    """The list of failpoints and the places in the code are the same."""
    source = Path(failpoints.__file__).parents[1] / "projections" / "recording.py"
    text = source.read_text(encoding="utf-8")
    found = [line.split('"')[1] for line in text.splitlines() if 'failpoint("' in line]
    assert sorted(found) == sorted(failpoints.NAMES)
