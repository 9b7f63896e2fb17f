"""Who follows the logs while others write misses nothing, in whatever order they commit.

A follower keeps one position a user. There is no mark over all users that could be passed, so no
time-out is needed to decide that a gap will stay one.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from threading import Event as Flag
from time import sleep

import pytest

from conftest import Urls
from engine import Engine, do_as_owner, order, task
from workindex import Actor, WorkIndex
from workindex.domain.facts import Command
from workindex.eventlog.database import Connection, Database
from workindex.eventlog.mapper import FactMapper
from workindex.eventlog.recorder import UserRecorder, put_events
from workindex.projections.planning import NothingKnown, Plan
from workindex.projections.sets import INLINE
from workindex.service import client

WRITERS = 16
COMMANDS = 25  # of each writer
USERS = tuple(f"user {number}" for number in range(5))


class Broken(Exception):
    """What a writer's program dies of before its commit."""


@contextmanager
def open_append(database: Database, user_id: str, command: Command) -> Iterator[Connection]:
    """An append whose transaction is open until the block ends."""
    plan = Plan(user_id, datetime.now(UTC), NothingKnown())
    plan.run({0: order(command)}, alone=True)
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
            rows=rows,
            open_delta=delta,
            recorded_at=plan.now,
        )
        yield conn


class Follower:
    """Reads what is new of every user, again and again."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.seen: dict[str, list[tuple[int, str]]] = defaultdict(list)

    def look(self) -> None:
        """One round over all users."""
        for user in USERS:
            recorder = UserRecorder(self._database.connection, user)
            seen = self.seen[user]
            for found in recorder.select_notifications(len(seen) + 1, 1_000):
                seen.append((found.id, str(found.originator_id)))


def test_a_follower_beside_many_writers(urls: Urls) -> None:
    """Sixteen writers who wait, fail and roll back at random: each stored event is seen once, in
    order, and what was rolled back never."""
    stop = Flag()

    def write(number: int) -> list[tuple[str, str]]:
        dice = random.Random(number)
        kept = []
        with closing(Database(urls.app, pool_max=2)) as database:
            for place in range(COMMANDS):
                user, name = dice.choice(USERS), f"T-{number}-{place}"
                try:
                    with open_append(database, user, task(name)):
                        sleep(dice.choice((0, 0, 0.001, 0.004)))
                        if dice.random() < 0.05:
                            raise Broken
                except Broken:
                    continue
                kept.append((user, f"task/{name}"))
        return kept

    with (
        closing(Database(urls.app, maint_url=urls.maint)) as database,
        ThreadPoolExecutor(WRITERS + 1) as pool,
    ):
        follower = Follower(database)

        def follow() -> None:
            while not stop.is_set():
                follower.look()

        following = pool.submit(follow)
        kept = [one for done in pool.map(write, range(WRITERS)) for one in done]
        stop.set()
        following.result(timeout=60)
        follower.look()
        for user in USERS:
            wanted = {stream for who, stream in kept if who == user}
            seen = follower.seen[user]
            assert [position for position, _ in seen] == list(range(1, len(wanted) + 1))
            assert {stream for _, stream in seen} == wanted
            assert not Engine(database, user).verify().differences
        assert len(kept) < WRITERS * COMMANDS, "nobody rolled back"


@pytest.mark.parametrize("order_of_commits", ["first in first out", "last in first out"])
def test_an_open_append_is_waited_for_by_nobody(database: Database, order_of_commits: str) -> None:
    """However long one user's append stays open, others' are seen; its own come when it commits."""
    slow, quick = (Follower(database) for _ in range(2))
    first = open_append(database, USERS[0], task("T-slow"))
    second = open_append(database, USERS[1], task("T-quick"))
    first.__enter__()
    second.__enter__()
    slow.look()
    assert not any(slow.seen.values())
    both = [(first, USERS[0]), (second, USERS[1])]
    for append, user in both if order_of_commits.startswith("first") else reversed(both):
        append.__exit__(None, None, None)
        quick.look()
        assert [position for position, _ in quick.seen[user]] == [1]
        Engine(database, user).record(task("T-next"))
    slow.look()
    quick.look()
    wanted = {USERS[0]: ["task/T-slow", "task/T-next"], USERS[1]: ["task/T-quick", "task/T-next"]}
    for follower in (slow, quick):
        found = {user: [stream for _, stream in seen] for user, seen in follower.seen.items()}
        assert {user: streams for user, streams in found.items() if streams} == wanted


@pytest.mark.parametrize("page", [1, 2, 5, 1_000])
def test_pages_of_small_and_large_events(
    work_index: WorkIndex, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    """Events of one byte between events of nearly a megabyte: the order is that of positions."""
    ann = work_index.user("ann")
    me = Actor(kind="user", id="ann")
    sizes = [1, 1_000_000, 1, 900_000, 9_000, 1, 1, 1_000_000]
    for number, size in enumerate(sizes):
        command = {"type": "create_task", "task_id": f"T-{number}", "title": "x"}
        ann.record({**command, "description": "d" * size}, actor=me)
    monkeypatch.setattr(client, "PAGE_EVENTS", page)
    monkeypatch.setattr("workindex.eventlog.reader.PAGE_EVENTS", page)
    events = list(ann.log())
    assert [event.position for event in events] == list(range(1, len(sizes) + 1))
    found = [event.fact.model_dump()["description"] for event in events]
    assert [len(text) for text in found] == sizes


def test_a_position_of_millions(urls: Urls, database: Database) -> None:
    """One event at position 30,000,000 is damage: named, never walked up to, and no proof."""
    ann = Engine(database)
    ann.record(task("T-1"))
    do_as_owner(urls, "UPDATE event SET position = 30000000")
    do_as_owner(urls, "UPDATE user_log SET head = 30000000")
    assert [event.position for event in ann.events()] == [30_000_000]
    assert ann.proof().verdict == "unproven"
    assert ann.proof(at_position=30_000_000).reasons == ("rows_missing",)
    assert {(fault["position"], fault["fault"]) for fault in ann.verify().log_faults} == {
        (30_000_000, "position 1 is missing"),
        (2, "and all up to 30000000 belong to no command that was recorded"),
    }
