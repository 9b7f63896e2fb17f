"""Two programs of different folds side by side, each a process of its own, on one database."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import next_program
from conftest import Urls
from engine import Engine, do_as_owner, task
from generations import OPERATOR, states, stored
from next_program import MARK, NEXT, NEXT_MAPPER
from workindex.eventlog.database import Database
from workindex.projections.generations import switch
from workindex.projections.retire import retire
from workindex.projections.verify import Verifier

pytestmark = pytest.mark.faults


class Program:
    """A running program of one version; it answers a line at a time."""

    def __init__(self, urls: Urls, version: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, Path(next_program.__file__), str(version), urls.app, urls.maint],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, **line: Any) -> dict[str, Any]:
        """What it answers."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(line) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def record(self, user: str, type_: str, **given: Any) -> dict[str, Any]:
        """Record a command of a user."""
        return self(user=user, command={"type": type_, **given})

    def need(self, user: str, task_id: str) -> None:
        """A new task that needs the user."""
        self.record(user, "create_task", task_id=task_id, title=task_id)
        asked = {"request_id": "R", "kind": "input", "prompt": "Which one?"}
        assert "positions" in self.record(user, "request_task_input", task_id=task_id, **asked)

    def end(self) -> None:
        """Let it end by itself."""
        self._process.communicate(timeout=30)


@pytest.fixture
def programs(urls: Urls) -> Iterator[tuple[Program, Program]]:
    """This program and the next one."""
    both = Program(urls, 1), Program(urls, 2)
    yield both
    for program in both:
        program.end()


def titles(program: Program, user: str) -> tuple[str, list[str], int | None]:
    """The verdict, the titles of what needs the user, and the generation that was read."""
    answer = program(user=user)
    return answer["verdict"], answer["titles"], answer["projection"]["generation"]


def test_a_whole_deployment(
    urls: Urls, database: Database, programs: tuple[Program, Program]
) -> None:
    """Rebuild, switch, both write, rollback, retire: each answers from its own rows, and truly."""
    old, new = programs
    old.need("ann", "a")
    assert titles(old, "ann") == ("items", ["a"], 1)
    # Nothing of its version exists: the next program folds the log, and answers all the same.
    assert titles(new, "ann") == ("items", ["a" + MARK], None)
    new.need("ann", "b")
    assert [one["generation"] for one in list_progress(urls)] == [1]
    assert titles(old, "ann") == ("items", ["a", "b"], 1)

    assert new(rebuild=True)["generation"] == 2
    new.need("bob", "c")  # kept from his first event on, though nobody reads it yet
    old.need("ann", "d")
    assert titles(new, "ann") == ("items", ["a!", "b!", "d!"], None)
    assert new(rebuild=True)["resumed"] is True
    switch(database, OPERATOR, projection_set=NEXT)
    assert titles(new, "ann") == ("items", ["a!", "b!", "d!"], 2)
    assert titles(old, "ann") == ("items", ["a", "b", "d"], 1)
    assert titles(old, "bob") == ("items", ["c"], None)

    new.need("ann", "e")
    assert titles(old, "ann") == ("items", ["a", "b", "d", "e"], 1)  # its rows and the tail
    assert titles(new, "ann") == ("items", ["a!", "b!", "d!", "e!"], 2)
    old.need("ann", "f")  # folds its own forward first
    assert {row["title"] for row in stored(urls, 1)["work_task"]} == set("abdef")
    assert {row["title"] for row in stored(urls, 2)["work_task"]} == {"a!", "b!", "c!", "d!", "e!"}

    retire(database, OPERATOR)
    old.need("ann", "g")
    assert titles(old, "ann") == ("items", list("abdefg"), None)
    assert states(urls) == {2: "live"}
    new.need("ann", "h")
    assert titles(new, "ann") == ("items", [f"{name}!" for name in "abdefgh"], 2)
    assert not Verifier(database, projection_set=NEXT, mapper=NEXT_MAPPER).verify().differences


def list_progress(urls: Urls) -> list[dict[str, Any]]:
    """Every progress row of the inline set."""
    rows = do_as_owner(
        urls,
        "SELECT to_jsonb(p) FROM projection_progress p WHERE projection_set = 'inline' "
        "ORDER BY user_id, generation",
    )
    return [row[0] for row in rows]


def test_both_write_for_the_same_users(
    urls: Urls, database: Database, programs: tuple[Program, Program]
) -> None:
    """By turns and at once: neither ever writes a row, a count or a position of the other."""
    old, new = programs
    users = [f"u-{number}" for number in range(4)]
    for user in users:
        old.need(user, "first")
    new(rebuild=True)
    switch(database, OPERATOR, projection_set=NEXT)

    def write(program: Program, name: str) -> None:
        for number in range(12):
            program.need(users[number % len(users)], f"{name}-{number}")

    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(write, old, "old"), pool.submit(write, new, "new")]
        for one in done:
            one.result()
    wrong = {
        generation: [
            row["title"]
            for row in stored(urls, generation)["work_task"]
            if row["title"].endswith(MARK) is not (generation == 2)
        ]
        for generation in (1, 2)
    }
    assert wrong == {1: [], 2: []}
    for user in users:
        mine, theirs = titles(old, user), titles(new, user)
        assert (mine[0], theirs[0]) == ("items", "items")
        assert [title + MARK for title in mine[1]] == theirs[1]
        assert len(mine[1]) == 7
    # The last appends of the one leave the other's projection behind; the next one folds it.
    for user in users:
        old.need(user, "last")
        new.need(user, "very last")
        old.record(user, "post_message", message_id="M", thread_id="T", role="user", text="x")
    assert not Verifier(database).verify().differences
    assert not Verifier(database, projection_set=NEXT, mapper=NEXT_MAPPER).verify().differences


def test_a_fact_that_only_the_next_program_knows(
    urls: Urls, database: Database, programs: tuple[Program, Program]
) -> None:
    """The old one stops for that user, says so and stores nothing; newer code clears it."""
    old, new = programs
    old.need("ann", "a")
    old.need("bob", "b")
    new(rebuild=True)
    new.record("ann", "start_task", task_id="a")
    do_as_owner(urls, "UPDATE event SET schema_version = 2 WHERE type = 'task_started'")
    before = list_progress(urls)
    for _ in range(2):
        refused = old.record("ann", "complete_task", task_id="a")
        assert refused["error"] == "needs_newer_code"
        assert "task_started version 2" in refused["message"]
    answer = old(user="ann")
    assert (answer["verdict"], answer["reasons"]) == ("unproven", ["fold_version"])
    assert list_progress(urls) == before
    assert [one["parked"] for one in before] == [{}] * 4
    # A thing that rests on nothing is stored all the same, and moves nothing of the old program.
    said = {"message_id": "M", "thread_id": "T", "role": "user", "text": "x"}
    assert old.record("ann", "post_message", **said)["positions"] == [4]
    assert [one["position"] for one in list_progress(urls)][:2] == [2, 3]
    assert titles(old, "bob") == ("items", ["b"], 1)
    # The next program answers, and folds what the old one stored.
    assert new(user="ann")["verdict"] == "items"
    new.record("ann", "complete_task", task_id="a")
    assert new(user="ann")["verdict"] == "proven_empty"
    # The old folds with the new facts go on from where they stood.
    mended = Engine(database, mapper=NEXT_MAPPER)
    mended.record(task("T-9"))
    assert mended.progress(1) == {"position": 6, "parked": {}, "open_count": 0}
    assert mended.proof().certificate["projections"][0]["generation"] == 1
    assert mended.is_whole()
