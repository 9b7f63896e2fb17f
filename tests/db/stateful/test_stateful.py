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
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from conftest import Urls
from db.stateful.crew import Crew
from db.stateful.play import Play
from db.stateful.programs import WORKERS, Step, operated_program, program
from db.stateful.shrinking import shrink
from workindex.eventlog.database import Database
from workindex.eventlog.failpoints import NAMES

STEPS = int(os.environ.get("WORKINDEX_STATEFUL_STEPS", "0"))
PROGRAMS = 24  # without STEPS: the same ones each time
OPERATED_PROGRAMS = 6
FOUND = """{error}
It is the program of seed {seed}, shortened; save it to a file and play it again with
WORKINDEX_STATEFUL_PROGRAM=FILE:
{program}"""


@pytest.fixture
def crew(urls: Urls) -> Iterator[Crew]:
    """Worker processes on a fresh database."""
    made = Crew(urls.app, [1] * WORKERS)
    yield made
    made.close()


@pytest.fixture
def mixed_crew(urls: Urls) -> Iterator[Crew]:
    """Workers of this program and one of the next, with an operator for each of the two."""
    made = Crew(urls.app, [1] * (WORKERS - 1) + [2], maint_url=urls.maint)
    yield made
    made.close()


def _programs(make: Callable[[int], list[Step]], programs: int) -> Iterator[tuple[int, list[Step]]]:
    seeds = count(time.time_ns()) if STEPS else range(programs)
    played = 0
    for seed in seeds:
        steps = make(seed)
        yield seed, steps
        played += len(steps)
        if STEPS and played >= STEPS:
            return


def _play_all(
    crew: Crew, database: Database, programs: Iterator[tuple[int, list[Step]]]
) -> Counter[tuple[str, str]]:
    """Play every program; what came of the operations.

    Raises: AssertionError with a shortened program that fails.
    """
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

    for seed, steps in programs:
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
    assert crew.killed
    return outcomes


def test_any_program_keeps_every_promise(crew: Crew, database: Database) -> None:
    """P1, P3, P5: dense positions, each acknowledged command once, rows = fold of the log,
    replay = inline, the index is the oracle's, and nothing is proved that is not so."""
    outcomes = _play_all(crew, database, _programs(program, PROGRAMS))
    assert {"done", "nothing", "refused", "conflict"} <= {kind for _, kind in outcomes}


def test_two_fold_versions_keep_every_promise(mixed_crew: Crew, database: Database) -> None:
    """P1, P3, P4, P5 by the same oracle, while two programs of different folds write and read and
    operators rebuild, switch, go back and retire in flight, and are killed at it."""
    outcomes = _play_all(mixed_crew, database, _programs(operated_program, OPERATED_PROGRAMS))
    done = {what for what, kind in outcomes if kind == "done"}
    assert {"rebuild 2", "switch 2", "rollback 2", "retire 2"} <= done


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
def test_a_given_program(urls: Urls, database: Database) -> None:
    """A program that a failure printed, once more."""
    steps = json.loads(Path(os.environ["WORKINDEX_STATEFUL_PROGRAM"]).read_text())
    is_operated = any("operator" in step for step in steps)
    versions = [1] * (WORKERS - 1) + [2] if is_operated else [1] * WORKERS
    crew = Crew(urls.app, versions, maint_url=urls.maint if is_operated else None)
    try:
        Play(crew, database, "again").run(steps)
    finally:
        crew.close()
