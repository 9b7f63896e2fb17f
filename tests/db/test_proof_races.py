"""The proof beside writers, in threads, and in a process that was forked."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

from driver import actor
from engine import Engine, proof_of, question, task
from workindex import WorkIndex
from workindex.domain.facts import Command
from workindex.domain.tasks import GiveTaskInput
from workindex.eventlog.database import Database
from workindex.projections.planning import Entry

ROUNDS = 120
READS = 1_000


@pytest.mark.pg15
def test_something_always_needs_the_user(database: Database) -> None:
    """A writer asks the next question and answers the last one in one append, again and again.

    Every reading sees exactly one open question, the one of its position, and never proves
    "nothing"; whatever was committed before it began is in it.
    """
    ann = Engine(database)
    ann.record_all([task("T-0"), question("T-0")])
    head = 2
    done = threading.Event()

    def write() -> None:
        nonlocal head
        for number in range(1, ROUNDS):
            answer = GiveTaskInput(task_id=f"T-{number - 1}", request_id="R-1", answer="x")
            batch: list[Command] = [task(f"T-{number}"), question(f"T-{number}"), answer]
            head = ann.record_all(batch)[-1].positions[-1]
        done.set()

    def read() -> int:
        readings = 0
        while readings < READS and not done.is_set():
            committed = head
            reading = ann.read()
            proof = proof_of(reading)
            assert (proof.verdict, proof.reasons) == ("items", ())
            assert reading.position >= committed
            assert (reading.position - 2) % 3 == 0
            (row,) = reading.rows["task"]
            assert row.task_id == f"T-{(reading.position - 2) // 3}"
            readings += 1
        return readings

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read) for _ in range(3)]
        pool.submit(write).result()
        assert sum(reader.result() for reader in readers) > 30
    assert ann.is_whole()


def test_acknowledged_is_seen(database: Database) -> None:
    """Once `record` came back, no reading proves that nothing is there; and so with the answer."""
    users = [Engine(database, f"user {number}") for number in range(6)]

    def live(engine: Engine) -> None:
        engine.record(task("T-1"))
        for number in range(10):
            engine.record(question("T-1", f"R-{number}"))
            assert engine.proof().verdict == "items"
            engine.record(GiveTaskInput(task_id="T-1", request_id=f"R-{number}", answer="x"))
            assert engine.proof().verdict == "proven_empty"

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(live, users))
    assert all(engine.is_whole() for engine in users)


def test_sixteen_threads(work_index: WorkIndex) -> None:
    """One Work Index serves many threads, each its own user and all of them one user."""
    numbers = count(1)

    def work(place: int) -> None:
        own, shared = work_index.user(f"user {place}"), work_index.user("shared")
        for _ in range(5):
            id_ = f"T-{next(numbers)}"
            for scope in (own, shared):
                scope.record_all(
                    [Entry(task(id_)), Entry(question(id_))], actor=actor("user"), key=id_
                )
            answer = own.ask("what needs me?")
            assert answer is not None
            assert answer.verdict == "items"

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(16)))
    for place in range(16):
        index = work_index.user(f"user {place}").index()
        assert (index.position, index.totals["tasks"]) == (10, 5)
    shared = [event.position for event in work_index.user("shared").log()]
    assert shared == list(range(1, 161))


def in_child(work: Callable[[], None]) -> int:
    """Run something in a forked child; its exit status, 0 where it did not raise."""
    with warnings.catch_warnings():
        # Python 3.12 warns of forks beside threads, which is what is tried here.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_fork(work_index: WorkIndex) -> None:
    """A child uses the parent's object with connections of its own; the parent's go on working."""
    ann = work_index.user("ann")
    ann.record(task("T-1"), actor=actor("user"))

    def work() -> None:
        ann.record(question("T-1"), actor=actor("user"))
        answer = ann.ask("what needs me?")
        assert answer is not None
        assert answer.verdict == "items"
        work_index.close()

    assert in_child(work) == 0
    assert ann.record(task("T-2"), actor=actor("user")).positions == (3,)
    assert in_child(lambda: ann.record(task("T-3"), actor=actor("user")) and None) == 0
    assert [event.position for event in ann.log()] == [1, 2, 3, 4]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_fork_while_a_thread_opens_a_pool(database: Database) -> None:
    """A lock that was held at the fork by a thread which the child does not have is free there."""
    ann = Engine(database)
    ann.record(task("T-1"))
    with database._lock:
        assert in_child(lambda: ann.record(task("T-2")) and None) == 0
    assert ann.proof().verdict == "proven_empty"
    assert len(ann.events()) == 2
