"""A rebuild and an append of its fold version that meet: each is stopped everywhere in turn.

Whoever is stopped goes on once the other one is done or waits for a lock, so that every order in
which their transactions can fall is played, for logs that end before, at and after a chunk.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from threading import Event, current_thread
from types import ModuleType
from typing import Any

import pytest

from conftest import Urls
from engine import Engine, do_as_owner, question, task
from generations import OPERATOR
from next_program import NEXT, NEXT_MAPPER
from workindex.eventlog.database import Database
from workindex.projections import advancing, rebuild_batches, recording
from workindex.projections.rebuild import Rebuilder
from workindex.projections.verify import Verifier

CHUNK = 3
LENGTHS = (CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 1)
WRITING = ("read.done", "append.sent", "locked.held", "locked.read", "locked.appended")
BUILDING = ("rebuild.read", "rebuild.locked", "rebuild.written", "rebuild.committed")
IN_CHUNKS = ("rebuild.locked", "rebuild.chunk.written", "rebuild.chunk.committed")
# Binds none. Backends of this database that wait for somebody else's lock.
BLOCKED = """
SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


class Stop:
    """One place at which the first thread that comes by waits to be let go."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._thread: object = None
        self.is_there = Event()
        self.goes_on = Event()

    def __call__(self, name: str) -> None:
        if name != self._place or self._thread not in (None, current_thread()):
            return
        self._thread = current_thread()
        self.is_there.set()
        assert self.goes_on.wait(30)


def until(is_so: Callable[[], object]) -> None:
    """Wait for it, for half a minute at most."""
    deadline = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.002)


@contextmanager
def stopped(
    monkeypatch: pytest.MonkeyPatch, modules: tuple[ModuleType, ...], place: str
) -> Iterator[Stop]:
    """The modules with one failpoint at which their first thread waits."""
    stop = Stop(place)
    with monkeypatch.context() as patched:
        for module in modules:
            patched.setattr(module, "failpoint", stop)
        yield stop


def meet(urls: Urls, stop: Stop, first: Callable[[], Any], second: Callable[[], Any]) -> bool:
    """The first one up to its stop, then the second one as far as it gets, then both.

    Whether the first one came by its stop at all.
    """
    with ThreadPoolExecutor() as pool:
        one: Future[Any] = pool.submit(first)
        until(lambda: stop.is_there.is_set() or one.done())
        two: Future[Any] = pool.submit(second)
        until(lambda: two.done() or do_as_owner(urls, BLOCKED))
        stop.goes_on.set()
        one.result()
        two.result()
    return stop.is_there.is_set()


def log_of(database: Database, user_id: str, length: int) -> None:
    """A log of so many events by this program; its last task is there to be asked about."""
    ann = Engine(database, user_id)
    ann.record_all([task(f"T-{number}") for number in range(1, length + 1)])


def append(database: Database, user_id: str) -> None:
    """What the next program writes: about a task that is there, and a new one."""
    ann = Engine(database, user_id, projection_set=NEXT, mapper=NEXT_MAPPER)
    ann.record(question("T-1"))
    ann.record(task("T-new"))
    ann.record(question("T-new"))


def build(database: Database) -> None:
    """Build the next program's generation of whoever is not built."""
    assert Rebuilder(database, projection_set=NEXT).rebuild(OPERATOR).is_whole


def assert_clean(database: Database) -> None:
    """Rows of both programs are what the logs fold to."""
    verifiers = Verifier(database), Verifier(database, projection_set=NEXT, mapper=NEXT_MAPPER)
    for report in [verifier.verify() for verifier in verifiers]:
        found = (report.differences, report.parked, report.log_faults)
        assert not any(found), found


@pytest.fixture(params=["in batches", "in chunks"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How users are built: together, or each alone and a few events at a time."""
    monkeypatch.setattr(advancing, "CHUNK_EVENTS", CHUNK)
    monkeypatch.setattr(advancing, "TAIL_EVENTS_MAX", CHUNK - 1)
    if request.param == "in chunks":
        monkeypatch.setattr(rebuild_batches, "LONG_LOG_EVENTS", 0)
    return str(request.param)


def test_an_append_that_stops(
    urls: Urls, database: Database, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """Wherever an append stands while the rebuild comes by, no event is left out of the rows."""
    met = set[str]()
    for place in WRITING:
        for length in LENGTHS:
            user_id = f"u-{place}-{length}"
            log_of(database, user_id, length)
            with stopped(monkeypatch, (recording,), place) as stop:
                writing = partial(append, database, user_id)
                if meet(urls, stop, writing, partial(build, database)):
                    met.add(place)
            build(database)
    assert met == set(WRITING)
    assert_clean(database)


def test_a_rebuild_that_stops(
    urls: Urls, database: Database, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """Wherever a rebuild stands while an append comes by, no event is left out of the rows."""
    places = BUILDING if way == "in batches" else IN_CHUNKS
    met = set[str]()
    for place in places:
        for length in LENGTHS:
            user_id = f"u-{place}-{length}"
            log_of(database, user_id, length)
            with stopped(monkeypatch, (advancing, rebuild_batches), place) as stop:
                writing = partial(append, database, user_id)
                if meet(urls, stop, partial(build, database), writing):
                    met.add(place)
            build(database)
    assert met == set(places)
    assert_clean(database)
