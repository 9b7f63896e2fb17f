"""Writers who meet: each one's command is stored whole and once, or refused with its type.

Checked against a model of keys where one writes, and against the log where fifty do, as threads of
one process and as processes of their own.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from threading import Barrier
from typing import Any, NamedTuple

import pytest

from conftest import Urls
from driver import actor
from engine import Engine, task
from workindex import WorkIndex, retrying
from workindex.domain.errors import BatchRefused, VersionConflict, WorkindexError
from workindex.domain.facts import Command
from workindex.domain.tasks import ChangeTask, StartTask
from workindex.eventlog.database import Database
from workindex.projections.planning import Entry
from workindex.projections.recording import Receipt

WRITERS = 50
TITLES = ("red", "green", "blue")

# Words: the URL, the user, how many, on what they meet. Forks the writers one by one, each opens
# the database, all are let go at once, and a line of JSON comes out for each.
PROCESSES = """
import json, os, signal, sys
from workindex import Actor, WorkIndex, WorkindexError
from workindex.eventlog.database import Database

url, user, writers, kind = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]

def write(number):
    if kind == "stream":
        command = {"type": "change_task", "task_id": "T-0", "title": f"title {number}"}
        more = {"expected_version": 1}
    else:
        command = {"type": "create_task", "task_id": f"P-{number}", "title": "x"}
        more = {}
    with WorkIndex(Database(url, pool_max=1)) as work_index:
        work_index.user(user).index()
        print("ready", flush=True)
        sys.stdin.readline()
        try:
            me = Actor(kind="agent", id=str(number))
            receipt = work_index.user(user).record(command, actor=me, key=f"P-{number}", **more)
            return {"positions": receipt.positions}
        except WorkindexError as error:
            return {"code": error.code}

gates = []
for number in range(writers):
    out_r, out_w = os.pipe()
    in_r, in_w = os.pipe()
    if os.fork() == 0:
        os.dup2(out_w, 1)
        os.dup2(in_r, 0)
        print(json.dumps(write(number)), flush=True)
        os._exit(0)
    os.close(out_w)
    os.close(in_r)
    gates.append((os.fdopen(out_r), in_w))
    if gates[-1][0].readline() != "ready\\n":
        os.killpg(0, signal.SIGKILL)
for _, gate in gates:
    os.write(gate, b"go\\n")
for answers, _ in gates:
    print(answers.readline(), end="")
"""


@pytest.fixture
def ann(database: Database) -> Engine:
    """A user with one task at version 1."""
    engine = Engine(database)
    engine.record(task("T-0", title="red"))
    return engine


class Keyed(NamedTuple):
    """A command with the key that it is sent with."""

    key: str
    command: Command


def drawn(chance: random.Random) -> list[Keyed]:
    """A batch out of a few keys: some stand twice in it, and some for another command."""
    batch = []
    for _ in range(chance.randint(1, 5)):
        number = chance.randint(0, 9)
        other = chance.random() < 0.1
        if number < 6:
            new = task(f"T-{number + 1}", title="other" if other else "new")
            batch.append(Keyed(f"C-{number}", new))
        else:
            title = TITLES[(number + other) % len(TITLES)]
            batch.append(Keyed(f"H-{number}", ChangeTask(task_id="T-0", title=title)))
    return batch


def send(engine: Engine, batch: Sequence[Keyed]) -> list[Receipt] | WorkindexError:
    """The receipts, or what the batch was refused with."""
    try:
        return engine.record_all([Entry(one.command, one.key) for one in batch])
    except WorkindexError as error:
        return error


class Model:
    """What a log of keyed commands should answer: the first result of a key, for ever."""

    def __init__(self) -> None:
        self.head = 1
        self.title = "red"
        self.seen: dict[str, tuple[Command, tuple[int, ...]]] = {}

    def send(self, batch: Sequence[Keyed]) -> list[tuple[tuple[int, ...], bool]] | int:
        """The positions and whether it is a repetition, of each; or the place that is refused."""
        first: dict[str, Command] = {key: command for key, (command, _) in self.seen.items()}
        for place, (key, command) in enumerate(batch):
            if first.setdefault(key, command) != command:
                return place
        answers = []
        for key, command in batch:
            is_known = key in self.seen
            if not is_known:
                self.seen[key] = (command, self._append(command))
            answers.append((self.seen[key][1], is_known))
        return answers

    def _append(self, command: Command) -> tuple[int, ...]:
        if isinstance(command, ChangeTask):
            if command.title == self.title:
                return ()
            self.title = str(command.title)
        self.head += 1
        return (self.head,)


@pytest.mark.parametrize("seed", range(6))
def test_batches_with_keys_seen_and_doubled(ann: Engine, seed: int) -> None:
    """Whatever part of a batch is known, doubled or in conflict: the model's answer, each time."""
    chance, model = random.Random(seed), Model()
    for _ in range(25):
        batch = drawn(chance)
        expected, found = model.send(batch), send(ann, batch)
        if isinstance(expected, int):
            assert isinstance(found, WorkindexError)
            assert found.code == "duplicate_key_conflict"
            assert getattr(found, "index", 0) == expected
            assert isinstance(found, BatchRefused) == (len(batch) > 1)
        else:
            assert not isinstance(found, WorkindexError), found
            assert [(one.positions, one.duplicate) for one in found] == expected
    assert [event.position for event in ann.events()] == list(range(1, model.head + 1))
    assert ann.is_whole()


@pytest.mark.pg15
def test_fifty_writers_of_the_same_keys(ann: Engine) -> None:
    """At once: a key has one first result that everybody gets, or a typed conflict."""
    together = Barrier(WRITERS)

    def write(seed: int) -> list[tuple[list[Keyed], Any]]:
        chance = random.Random(1_000 + seed)
        together.wait(60)
        return [(batch, send(ann, batch)) for batch in (drawn(chance), drawn(chance))]

    with ThreadPoolExecutor(WRITERS) as writers:
        answers = [answer for many in writers.map(write, range(WRITERS)) for answer in many]
    results: dict[str, set[tuple[int, ...]]] = {}
    firsts: Counter[str] = Counter()
    for batch, answer in answers:
        if isinstance(answer, WorkindexError):
            assert answer.code == "duplicate_key_conflict", answer
            continue
        for one, receipt in zip(batch, answer, strict=True):
            results.setdefault(one.key, set()).add(receipt.positions)
            firsts[one.key] += not receipt.duplicate
    assert all(len(positions) == 1 for positions in results.values()), results
    assert set(firsts.values()) == {1}
    claimed = sorted(p for positions in results.values() for one in positions for p in one)
    assert [event.position for event in ann.events()] == [1, *claimed]
    assert claimed == list(range(2, 2 + len(claimed)))
    assert ann.is_whole()


@pytest.mark.pg15
def test_fifty_threads_on_one_stream(ann: Engine) -> None:
    """All expect version 1 of one task: one has it, forty-nine are told the version that is."""
    together = Barrier(WRITERS)

    def write(number: int) -> Receipt | VersionConflict:
        together.wait(60)
        try:
            return ann.record(
                ChangeTask(task_id="T-0", title=f"title {number}"), expected_version=1
            )
        except VersionConflict as conflict:
            return conflict

    with ThreadPoolExecutor(WRITERS) as writers:
        answers = list(writers.map(write, range(WRITERS)))
    won = [answer for answer in answers if isinstance(answer, Receipt)]
    lost = [answer for answer in answers if isinstance(answer, VersionConflict)]
    assert [one.positions for one in won] == [(2,)]
    assert {(one.stream, one.expected, one.actual) for one in lost} == {("task/T-0", 1, 2)}
    assert len(lost) == WRITERS - 1
    assert len(ann.events()) == 2
    assert ann.is_whole()


@pytest.mark.pg15
def test_fifty_threads_on_one_user(ann: Engine) -> None:
    """New tasks, changes of one task and batches of both at once: all stored, each once."""
    together = Barrier(WRITERS)

    def write(number: int) -> list[tuple[int, ...]]:
        change = ChangeTask(task_id="T-0", title=f"title {number}")
        one = Entry(change if number % 2 else task(f"N-{number}"), f"K-{number}")
        more = [Entry(task(f"M-{number}"), f"M-{number}")] if number % 3 == 0 else []
        together.wait(60)
        return [receipt.positions for receipt in ann.record_all([one, *more])]

    with ThreadPoolExecutor(WRITERS) as writers:
        answers = list(writers.map(write, range(WRITERS)))
    # 50 of the first kind, and 17 second entries of a batch (0, 3, … 48).
    assert sorted(p for many in answers for one in many for p in one) == list(range(2, 69))
    assert [event.position for event in ann.events()] == list(range(1, 69))
    for many in answers:
        assert [len(one) for one in many] == [1] * len(many)
        assert len(many) == 1 or many[1][0] == many[0][0] + 1
    assert ann.is_whole()


@pytest.mark.parametrize("kind", ["stream", "user"])
def test_fifty_processes(ann: Engine, urls: Urls, kind: str) -> None:
    """Fifty programs at once: on a stream one is first and the others are told so, on a user all
    are stored, and each one's positions are those of its own facts."""
    with subprocess.Popen(
        [sys.executable, "-c", PROCESSES, urls.app, "ann", str(WRITERS), kind],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as started:
        try:
            out, err = started.communicate(timeout=120)
        finally:
            with suppress(ProcessLookupError):  # all of them ended
                os.killpg(started.pid, signal.SIGKILL)
    answers = [json.loads(line) for line in out.splitlines()]
    assert len(answers) == WRITERS, err
    events = ann.events()
    if kind == "stream":
        assert sorted(map(str, answers)) == sorted(
            [*[str({"code": "version_conflict"})] * (WRITERS - 1), str({"positions": [2]})]
        )
        assert len(events) == 2
    else:
        assert sorted(one["positions"][0] for one in answers) == list(range(2, 2 + WRITERS))
        for number, answer in enumerate(answers):
            event = events[answer["positions"][0] - 1]
            assert (event.fact.stream, event.actor.id) == (f"task/P-{number}", str(number))
        assert len(events) == 1 + WRITERS
    assert ann.is_whole()


def test_retrying_loses_no_decision(ann: Engine) -> None:
    """Sixteen writers who each add one to what they read: with `retrying`, sixteen is reached."""
    user, me = WorkIndex(ann.database).user("ann"), actor("agent")
    runs = count()

    def add_one(key: str) -> int:
        next(runs)
        events = list(user.log(stream="task/T-0"))
        told = [getattr(event.fact, "value", None) for event in events]
        value = max((one for one in told if isinstance(one, int)), default=0) + 1
        user.record(
            {"type": "set_task_field", "task_id": "T-0", "name": "n", "value": value},
            actor=me,
            key=key,
            expected_version=len(events),
        )
        return value

    def write(number: int) -> int:
        return retrying(add_one, key=f"K-{number}", attempts_max=200, longest_wait_s=0.5)

    with ThreadPoolExecutor(16) as writers:
        assert sorted(writers.map(write, range(16))) == list(range(1, 17))
    assert next(runs) > 16, "nobody was overtaken: this shows nothing"
    assert len(ann.events()) == 17
    assert ann.is_whole()


def test_retrying_leaves_a_refusal_alone(ann: Engine) -> None:
    """What the state forbids is said at once, and nothing is stored."""
    runs = count()

    def start(key: str) -> Receipt:
        next(runs)
        return ann.record(StartTask(task_id="T-9"), key=key)

    with pytest.raises(WorkindexError) as refused:
        retrying(start)
    assert refused.value.code == "unknown_task"
    assert next(runs) == 1
    assert len(ann.events()) == 1
