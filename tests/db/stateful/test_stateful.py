"""Any program on any number of processes: the log, the rows, the answers and their proofs.

WORKINDEX_STATEFUL_STEPS=N plays about N steps of programs that were not played before;
WORKINDEX_STATEFUL_PROGRAM=FILE plays one program that a failure printed.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from conftest import Urls
from db.stateful.crew import Crew
from db.stateful.play import Play
from db.stateful.programs import WORKERS, Step, program
from db.stateful.shrinking import shrink
from workindex.eventlog.database import Database
from workindex.eventlog.failpoints import NAMES

STEPS = int(os.environ.get("WORKINDEX_STATEFUL_STEPS", "0"))
PROGRAMS = 40  # without STEPS: the same ones each time
FOUND = """{error}
It is the program of seed {seed}, shortened; save it to a file and play it again with
WORKINDEX_STATEFUL_PROGRAM=FILE:
{program}"""


@pytest.fixture
def crew(urls: Urls) -> Iterator[Crew]:
    """Worker processes on a fresh database."""
    made = Crew(urls.app, WORKERS)
    yield made
    made.close()


def _programs() -> Iterator[tuple[int, list[Step]]]:
    seeds = count(time.time_ns()) if STEPS else range(PROGRAMS)
    played = 0
    for seed in seeds:
        yield seed, program(seed)
        played += len(program(seed))
        if STEPS and played >= STEPS:
            return


def test_any_program_keeps_every_promise(crew: Crew, database: Database) -> None:
    """P1, P3, P5: dense positions, each acknowledged command once, rows = fold of the log,
    replay = inline, the index is the oracle's, and nothing is proved that is not so."""
    names = (f"u{number}" for number in count(1))
    outcomes: Counter[tuple[str, str]] = Counter()

    def failure(steps: list[Step]) -> AssertionError | None:
        run = Play(crew, database, next(names))
        try:
            run.run(steps)
        except AssertionError as error:
            return error
        outcomes.update(run.outcomes)
        return None

    for seed, steps in _programs():
        error = failure(steps)
        if error is not None:
            shorter = shrink(steps, lambda one: failure(one) is not None)
            told = failure(shorter) or error
            raise AssertionError(
                FOUND.format(error=told, seed=seed, program=json.dumps(shorter))
            ) from told
    kinds = Counter(kind for _, kind in outcomes.elements())
    counted = f"{kinds.total()} operations {dict(kinds)}, {crew.killed} processes killed"
    sys.stdout.write(f"\n{counted}\n{sorted(outcomes.items())}\n")
    assert {"done", "nothing", "refused", "conflict"} <= set(kinds)
    assert crew.killed


@pytest.mark.parametrize("name", NAMES)
def test_a_kill_between_any_two_round_trips_loses_and_doubles_nothing(
    crew: Crew, database: Database, name: str
) -> None:
    """Whoever is killed anywhere and tries again with the same key gets it stored once."""
    task = {"type": "create_task", "task_id": "t1", "title": "one", "blocked_by": []}
    ask = {
        "type": "request_task_input",
        "task_id": "t1",
        "request_id": "r1",
        "kind": "input",
        "prompt": "which?",
        "expires_at": None,
    }
    plain: dict[str, Any] = {
        "worker": 0,
        "user": "ann",
        "actor": "user",
        "fail": None,
        "locked": name.startswith("locked"),
        "twin": False,
    }
    died = {**plain, "fail": name}
    steps = [
        {"seconds": 0, "ops": [{**died, "commands": [task]}]},
        {
            "seconds": 1,
            "ops": [
                {**died, "commands": [ask], "worker": 1},
                {**plain, "commands": [ask], "worker": 2},
            ],
        },
    ]
    Play(crew, database, "kill").run(steps)
    assert crew.killed == 2


@pytest.mark.skipif(
    "WORKINDEX_STATEFUL_PROGRAM" not in os.environ, reason="no program was given to play again"
)
def test_a_given_program(crew: Crew, database: Database) -> None:
    """A program that a failure printed, once more."""
    steps = json.loads(Path(os.environ["WORKINDEX_STATEFUL_PROGRAM"]).read_text())
    Play(crew, database, "again").run(steps)
