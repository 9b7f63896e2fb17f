"""Writer processes for the append benchmark: each runs one kind of append as fast as it can.

A process keeps its connections over all modes and rounds. It is told a mode, the user it writes
for and an instant to begin at, and gives back how many appends it finished and how long each took.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import count
from multiprocessing.connection import Connection as Pipe
from typing import Any, NamedTuple, Self

import orjson
import uuid_utils
from eventsourcing.persistence import StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from psycopg.conninfo import conninfo_to_dict

from workindex.domain.conversations import MessagePosted, PostMessage
from workindex.domain.facts import Actor, Command, Event
from workindex.domain.tasks import CreateTask, GiveTaskInput, RequestTaskInput
from workindex.eventlog.append import NewKey
from workindex.eventlog.database import Database
from workindex.eventlog.mapper import FactMapper, LogEvent
from workindex.eventlog.recorder import UserRecorder
from workindex.projections.folding import Folding
from workindex.projections.planning import Entry, order_of
from workindex.projections.recording import Writer
from workindex.projections.sets import INLINE

USER = Actor(kind="user", id="bench")
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
BEGIN_SECONDS = 0.15  # time for every process to hear of the round before it begins
Act = Callable[[], object]


class Round(NamedTuple):
    """What a process shall do."""

    mode: str
    user_id: str
    seconds: float


class Spans(NamedTuple):
    """What came of a round: appends a second over all processes, and seconds of each append."""

    rate: float
    seconds: list[float]

    def quantile(self, part: float) -> float:
        """The span that `part` of the appends did not exceed."""
        return sorted(self.seconds)[int(part * (len(self.seconds) - 1))]


def stock_recorder(url: str) -> PostgresApplicationRecorder:
    """The library's own recorder: events only, one table for everybody."""
    given = conninfo_to_dict(url)
    datastore = PostgresDatastore(
        dbname=str(given["dbname"]),
        host=str(given["host"]),
        port=str(given["port"]),
        user=str(given["user"]),
        password="",
        pool_size=1,
        originator_id_type="text",
    )
    return PostgresApplicationRecorder(datastore)


class _Appends:
    """Every kind of append, each an endless line of acts for one user."""

    def __init__(self, app_url: str, scratch_url: str) -> None:
        self._stock = stock_recorder(scratch_url)
        self._database = Database(app_url, pool_max=1)
        self._writer = Writer(self._database)

    def stock(self, _: str) -> Iterator[Act]:
        """The library's recorder."""
        state = orjson.dumps({"message_id": "m", "thread_id": "main", "text": "x" * 100})
        while True:
            event = StoredEvent(str(uuid_utils.uuid7()), 1, "message_posted", state)
            yield partial(self._stock.insert_events, [event])

    def recorder(self, user_id: str) -> Iterator[Act]:
        """Our recorder: a message with its row and its key, made beforehand."""
        version = INLINE.fold_version
        own = UserRecorder(self._database.connection, user_id, fold_version=version)
        while True:
            event, row = _message_with_row()
            key = NewKey("bench", event.event_id, "0" * 64, 1, 1)
            parts: dict[str, Any] = {"rows": row, "keys": [key], "recorded_at": NOW}
            yield partial(own.insert_events, [event], **parts)

    def message(self, user_id: str) -> Iterator[Act]:
        """A whole command: post a message."""
        while True:
            command = PostMessage(thread_id="main", role="user", text="x" * 100)
            yield partial(self._write, user_id, command)

    def task(self, user_id: str) -> Iterator[Act]:
        """A whole command: create a task."""
        while True:
            yield partial(self._write, user_id, CreateTask(title="Send the offer to the customer"))

    def decide(self, user_id: str) -> Iterator[Act]:
        """Whole commands that read: ask for an input and give it, in turn."""
        name = str(uuid_utils.uuid7())
        self._write(user_id, CreateTask(task_id=name, title="Send the offer"))
        for number in count():
            asked = {"task_id": name, "request_id": f"r-{number}"}
            yield partial(self._write, user_id, RequestTaskInput(**asked, prompt="Which one?"))
            yield partial(self._write, user_id, GiveTaskInput(**asked, answer="this"))

    def _write(self, user_id: str, command: Command) -> object:
        order = order_of(Entry(command), "bench", USER)
        return self._writer.write(user_id, [order], datetime.now(UTC))


def _message_with_row() -> tuple[LogEvent, dict[str, Any]]:
    """A message as our recorder takes it: the stored event and the row that it folds to."""
    name = str(uuid_utils.uuid7())
    fact = MessagePosted(message_id=name, thread_id="main", role="user", text="x" * 100)
    event = Event(fact, 1, NOW, NOW, USER, event_id=name)
    folding = Folding()
    folding.apply(event, 1)
    return FactMapper().to_stored_event(event), folding.changes(base=None)[0]


def run(pipe: Pipe, app_url: str, scratch_url: str) -> None:
    """The life of a writer process: a round for each order, until it is ended."""
    appends = _Appends(app_url, scratch_url)
    ready: dict[tuple[str, str], Iterator[Act]] = {}
    while True:
        told: Round = pipe.recv()
        key = (told.mode, told.user_id)
        if key not in ready:
            ready[key] = getattr(appends, told.mode)(told.user_id)
            next(ready[key])()  # connects and prepares
        pipe.send(None)
        begin: float = pipe.recv()
        spans = []
        time.sleep(max(0.0, begin - time.monotonic()))
        end = begin + told.seconds
        for append in ready[key]:
            start = time.monotonic()
            append()
            now = time.monotonic()
            spans.append(now - start)
            if now >= end:
                break
        pipe.send(spans)


class Writers:
    """Some writer processes."""

    def __init__(self, app_url: str, scratch_url: str, size: int) -> None:
        stock_recorder(scratch_url).create_table()
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["pytest", "workindex.projections.recording"])
        self._pipes: list[Pipe] = []
        self._processes: list[Any] = []
        for _ in range(size):
            ours, theirs = context.Pipe()
            process = context.Process(target=run, args=(theirs, app_url, scratch_url), daemon=True)
            process.start()
            theirs.close()
            self._pipes.append(ours)
            self._processes.append(process)

    def round(self, mode: str, users: Sequence[str], seconds: float) -> Spans:
        """Let one process for each user append at the same time."""
        pipes = self._pipes[: len(users)]
        for pipe, user_id in zip(pipes, users, strict=True):
            pipe.send(Round(mode, user_id, seconds))
        for pipe in pipes:
            pipe.recv()
        begin = time.monotonic() + BEGIN_SECONDS
        for pipe in pipes:
            pipe.send(begin)
        spans: list[list[float]] = [pipe.recv() for pipe in pipes]
        rate = sum(len(own) / sum(own) for own in spans if own)
        return Spans(rate, [span for own in spans for span in own])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        for process in self._processes:
            process.terminate()
            process.join()
