"""Recording in bulk is recording one by one: the same log, rows, keys and outcomes, faster."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest

from conftest import Cluster, Urls
from driver import NOW, actor
from engine import Engine, do_as_owner, order, question, task
from everything import EVERYTHING, MODELS, SHOWN, Step, shown_hash
from workindex import WorkIndex
from workindex.cli import bulk
from workindex.domain.conversations import PostMessage
from workindex.domain.errors import CommandRefused, InvalidInput, Unavailable, WorkindexError
from workindex.domain.facts import Event
from workindex.domain.tasks import CompleteTask, GiveTaskInput, StartTask
from workindex.eventlog import failpoints
from workindex.eventlog.database import Database
from workindex.projections import ALL_TABLES
from workindex.projections.bulk import BATCH_COMMANDS_MAX, BulkWriter, Outcome
from workindex.projections.planning import Entry, Order, order_of
from workindex.projections.recording import Clock, Receipt
from workindex.projections.sets import TABLE_OF_KIND
from workindex.service.ndjson import Line

USER = actor("user")


class Bulk(Engine):
    """An engine that records in bulk, too."""

    def __init__(self, database: Database, user_id: str = "ann") -> None:
        super().__init__(database, user_id)
        self.bulk = BulkWriter(database, mapper=self.mapper)

    def each(self, orders: Sequence[Order], now: datetime = NOW) -> list[Outcome]:
        """Record orders in bulk."""
        return self.bulk.write_each(self.user_id, orders, now)

    def one_by_one(self, orders: Iterable[Order], now: datetime = NOW) -> list[Outcome]:
        """Record the same orders, each in an append of its own."""
        outcomes: list[Outcome] = []
        for one in orders:
            try:
                outcomes += self.write([one], now)
            except WorkindexError as refusal:
                outcomes.append(refusal)
        return outcomes


@pytest.fixture
def ann(database: Database) -> Bulk:
    """A user without a log."""
    return Bulk(database)


@pytest.fixture
def pair(cluster: Cluster) -> Iterator[tuple[Bulk, Bulk, Urls, Urls]]:
    """The same user in two fresh databases: one records in bulk, the other one by one."""
    both = cluster.clone(), cluster.clone()
    databases = [Database(urls.app, maint_url=urls.maint) for urls in both]
    yield Bulk(databases[0]), Bulk(databases[1]), *both
    for database, urls in zip(databases, both, strict=True):
        database.close()
        cluster.drop(urls)


def told(outcome: Outcome) -> Any:
    """What an outcome says, but for the ids of its events."""
    if isinstance(outcome, Receipt):
        return outcome.positions, outcome.duplicate, [_without_id(e) for e in outcome.events]
    return outcome.code, outcome.field, str(outcome)


def _without_id(event: Event) -> Event:
    return event._replace(event_id="")


def stored(urls: Urls) -> dict[str, Any]:
    """What a database holds of its users, but for the ids of events and when a worker looks."""
    names = [table.name for table in ALL_TABLES]
    names += ["user_log", "event", "command_key", "projection_progress", "work_due", "catchup_due"]
    found = {}
    for name in names:
        own = "next_at" if name == "catchup_due" else "event_id"
        rows = do_as_owner(urls, f"SELECT to_jsonb(t) - '{own}' FROM {name} t")
        found[name] = sorted(repr(row) for row in rows)
    return found


def appends(urls: Urls) -> int:
    """How many transactions wrote the events."""
    return int(do_as_owner(urls, "SELECT count(DISTINCT xmin::text) FROM event")[0][0])


def shaken(seed: int) -> list[Step]:
    """Every command of the house, some twice, some in another place, some of them in vain."""
    chosen = random.Random(seed)
    steps = list(EVERYTHING)
    for _ in range(len(steps) // 4):
        steps.insert(chosen.randrange(len(steps)), chosen.choice(steps))
        at = chosen.randrange(len(steps) - 1)
        steps[at], steps[at + 1] = steps[at + 1], steps[at]
    return steps


def orders_of(database: Database, steps: Iterable[Step], chosen: random.Random) -> list[Order]:
    """The steps as orders; a key may be used again, for the same command or for another one."""
    orders = []
    for step in steps:
        given = step.command
        if SHOWN in given.values():
            given = {**given, "action_hash": shown_hash(database, "ann", given["approval_id"])}
        key = chosen.choice([None, f"K-{chosen.randrange(60)}", f"K-{given['type']}"])
        version = chosen.choice([None, None, None, None, 0, 1])
        entry = Entry(MODELS[given["type"]].model_validate(given), key, expected_version=version)
        orders.append(order_of(entry, "api", actor(step.by)))
    return orders


@pytest.mark.pg15
@pytest.mark.parametrize("seed", range(6))
def test_equals_recording_one_by_one(pair: tuple[Bulk, Bulk, Urls, Urls], seed: int) -> None:
    """Whatever is sent in whatever portions: both databases hold and tell the same."""
    together, single, bulk_urls, single_urls = pair
    chosen = random.Random(seed)
    steps = shaken(seed)
    now = NOW
    outcomes: list[Outcome] = []
    while steps:
        size = chosen.choice([1, 2, 5, 20, 60])
        portion, steps = steps[:size], steps[size:]
        now += timedelta(minutes=chosen.choice([0, 1, 3]))
        orders = orders_of(single.database, portion, chosen)
        done = together.each(orders, now)
        assert [told(one) for one in done] == [told(one) for one in single.one_by_one(orders, now)]
        outcomes += done
    assert stored(bulk_urls) == stored(single_urls)
    assert together.is_whole()
    refused = sum(isinstance(one, WorkindexError) for one in outcomes)
    assert 10 < refused < len(outcomes) - 40, "the program says too little"
    assert appends(bulk_urls) < appends(single_urls) / 2


def test_refused_line_in_the_middle(ann: Bulk, urls: Urls) -> None:
    """One refused command among good ones: it alone is missing, and later ones see the others."""
    done = ann.each(
        [
            order(task("T-1")),
            order(StartTask(task_id="T-9")),
            order(question("T-1")),
            order(task("T-1")),
            order(GiveTaskInput(task_id="T-1", request_id="R-1", answer="this")),
            order(StartTask(task_id="T-1"), expected_version=7),
            order(CompleteTask(task_id="T-1")),
            order(CompleteTask(task_id="T-1")),
        ]
    )
    codes = {at: one.code for at, one in enumerate(done) if isinstance(one, WorkindexError)}
    assert codes == {1: "unknown_task", 3: "task_exists", 5: "version_conflict"}
    positions = [one.positions for one in done if isinstance(one, Receipt)]
    assert positions == [(1,), (2,), (3,), (4,), ()]
    assert [event.fact.type for event in ann.events()] == [
        "task_created",
        "task_input_requested",
        "task_input_given",
        "task_completed",
    ]
    assert appends(urls) == 1
    assert ann.is_whole()


def test_keys(ann: Bulk, urls: Urls) -> None:
    """A key gives its first result again, within a call and after it; a refusal uses none up."""
    ann.record(task("T-0"), key="old", now=NOW)
    done = ann.each(
        [
            order(task("T-1"), key="a"),
            order(task("T-1"), key="a"),
            order(task("T-2"), key="a"),
            order(task("T-0"), key="old"),
            order(StartTask(task_id="T-3"), key="b"),
            order(task("T-3"), key="c"),
            order(StartTask(task_id="T-3"), key="b"),
            order(StartTask(task_id="T-3"), key="b"),
        ]
    )
    said = [
        one.code if isinstance(one, WorkindexError) else (one.positions, one.duplicate)
        for one in done
    ]
    assert said == [
        ((2,), False),
        ((2,), True),
        "duplicate_key_conflict",
        ((1,), True),
        "unknown_task",
        ((3,), False),
        ((4,), False),
        ((4,), True),
    ]
    again = ann.each([order(task("T-1"), key="a"), order(StartTask(task_id="T-3"), key="b")])
    assert [one.duplicate for one in again if isinstance(one, Receipt)] == [True, True]
    assert len(ann.events()) == 4
    assert appends(urls) == 2


def test_several_in_one_transaction(ann: Bulk, urls: Urls) -> None:
    """A thousand commands are a few appends, and every one of them has its own positions."""
    size = 2 * BATCH_COMMANDS_MAX + 1
    done = ann.each([order(task(f"T-{number}"), key=str(number)) for number in range(size)])
    assert [one.positions for one in done if isinstance(one, Receipt)] == [
        (position,) for position in range(1, size + 1)
    ]
    assert appends(urls) == 3
    assert ann.each([order(task("T-0"), key="0")])[0] == Receipt((1,), duplicate=True)


def test_fold_that_fails_parks_where_it_would_alone(
    pair: tuple[Bulk, Bulk, Urls, Urls], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bug on one event among many parks its member there, and every fact is stored."""
    together, single, bulk_urls, single_urls = pair
    table = TABLE_OF_KIND["message"]
    right = table.fold

    def wrong(row: Any, event: Event) -> Any:
        if "poison" in event.fact.model_dump_json():
            raise KeyError("a bug")
        return right(row, event)

    monkeypatch.setattr(table, "fold", wrong)
    texts = ["good"] * 30 + ["poison"] + ["good"] * 9
    orders = [
        order(
            PostMessage(message_id=f"M-{at}", thread_id="TH", role="user", text=text), key=str(at)
        )
        for at, text in enumerate(texts)
    ]
    assert list(map(told, together.each(orders))) == list(map(told, single.one_by_one(orders)))
    parked = together.progress()["parked"]["conversation"]
    assert (parked["position"], parked["failed_position"]) == (31, 31)
    assert stored(bulk_urls) == stored(single_urls)


def test_one_command_of_many_events(ann: Bulk) -> None:
    """Batches whose commands come to more events than an append holds become smaller ones."""
    count = 300
    blockers = [f"B-{number}" for number in range(20)]
    ann.each([order(task(name)) for name in blockers])
    ann.each([order(task(f"T-{number}", blocked_by=blockers)) for number in range(count)])
    done = ann.each([order(CompleteTask(task_id=name)) for name in blockers])
    assert all(isinstance(one, Receipt) for one in done), done
    events = ann.events()
    # A task that waits is created and blocked; each blocker is completed and frees every task.
    assert len(events) == 20 + 2 * count + 20 * (1 + count)
    assert [event.position for event in events] == list(range(1, len(events) + 1))
    assert ann.is_whole()


def test_beside_other_writers(ann: Bulk, urls: Urls) -> None:
    """Two that record in bulk and one that does not: all is there once, in each one's order."""
    size = 400

    def together(name: str) -> list[Outcome]:
        orders = [order(task(f"{name}-{n}"), key=f"{name}-{n}") for n in range(size)]
        return Bulk(ann.database).each(orders)

    def single() -> list[Outcome]:
        return Bulk(ann.database).one_by_one(order(task(f"s-{n}")) for n in range(50))

    with ThreadPoolExecutor(3) as pool:
        runs = [pool.submit(together, "a"), pool.submit(together, "b"), pool.submit(single)]
        done = [run.result() for run in runs]
    for outcomes in done:
        positions = [one.positions[0] for one in outcomes if isinstance(one, Receipt)]
        assert len(positions) == len(outcomes)
        assert positions == sorted(positions)
    events = ann.events()
    assert [event.position for event in events] == list(range(1, 2 * size + 51))
    assert len({event.stream for event in events}) == len(events)
    assert ann.is_whole()


def test_lost_connection_after_the_commit(ann: Bulk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody knows whether the append was stored: the keys find out, and nothing is there twice."""
    monkeypatch.setenv(failpoints.VARIABLE, "append.done:raise")
    done = ann.each([order(task(f"T-{number}")) for number in range(20)])
    assert [one.positions for one in done if isinstance(one, Receipt)] == [
        (position,) for position in range(1, 21)
    ]
    assert len(ann.events()) == 20


def test_projection_that_lags(ann: Bulk, urls: Urls) -> None:
    """The first command folds the projection forward, and the others go together again."""
    ann.each([order(task(f"T-{number}")) for number in range(50)])
    do_as_owner(urls, "DELETE FROM work_task")
    do_as_owner(urls, "UPDATE projection_progress SET position = 0, open_count = 0")
    before = appends(urls)
    ann.each([order(StartTask(task_id=f"T-{number}")) for number in range(50)])
    assert ann.is_whole()
    assert appends(urls) - before < 20


class Leaving(BulkWriter):
    """A writer whose server goes away before one of its calls."""

    left = 2

    def write_each(
        self, user_id: str, orders: Sequence[Order], now: datetime | Clock
    ) -> list[Outcome]:
        self.left -= 1
        if self.left < 0:
            raise Unavailable("the server is away")
        return super().write_each(user_id, orders, now)


def test_results_before_a_break_are_told(
    work_index: WorkIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was recorded until the server went away is told line by line, and it is in the log."""
    monkeypatch.setattr(bulk, "SLICE_COMMANDS", 3)
    work_index.writer = Leaving(work_index.database)
    commands = [
        {"type": "create_task", "task_id": f"T-{number}", "title": "x", "user_id": user}
        for user in ("ann", "bob")
        for number in range(5)
    ]
    lines = [Line(number, command) for number, command in enumerate(commands, start=1)]
    results: list[Any] = []
    with pytest.raises(Unavailable):
        bulk.record_window(
            work_index, bulk.BY_LINE, lines, actor=USER, source="cli", tell=results.append
        )
    assert [(one["line"], one["positions"]) for one in results] == [
        (number, [number]) for number in range(1, 6)
    ]
    assert len(list(work_index.user("ann").log())) == 5
    assert list(work_index.user("bob").log()) == []


def test_public_call(work_index: WorkIndex) -> None:
    """Good entries are recorded, each bad one is an error in its place."""
    ann = work_index.user("ann")
    done = ann.record_bulk(
        [
            {"type": "create_task", "task_id": "T-1", "title": "Book the train"},
            {"type": "create_task", "titel": "x"},
            Entry(StartTask(task_id="T-1"), "k", occurred_at=NOW),
            {"type": "start_task", "task_id": "T-7"},
            Entry(StartTask(task_id="T-1"), "\x07"),
        ],
        actor=USER,
    )
    assert [type(one) for one in done] == [
        Receipt,
        InvalidInput,
        Receipt,
        CommandRefused,
        InvalidInput,
    ]
    assert [event.fact.type for event in ann.log()] == ["task_created", "task_started"]
    assert ann.record_bulk([], actor=USER) == []
