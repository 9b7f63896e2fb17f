"""Any program on any number of processes: the log, the rows, the answers and their proofs.

WORKINDEX_STATEFUL_STEPS=N plays about N steps of fresh programs; WORKINDEX_STATEFUL_PROGRAM=FILE
plays one program that a failure printed.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from conftest import Urls
from db.stateful.crew import Crew
from db.stateful.play import Play
from db.stateful.programs import WORKERS, Step, programs
from workindex.eventlog.database import Database
from workindex.eventlog.failpoints import NAMES

STEPS = int(os.environ.get("WORKINDEX_STATEFUL_STEPS", "0"))
PROGRAM_STEPS = 12  # about what a program has
PROGRAMS = STEPS // PROGRAM_STEPS if STEPS else 40


@pytest.fixture
def crew(urls: Urls) -> Iterator[Crew]:
    """Worker processes on a fresh database."""
    made = Crew(urls.app, WORKERS)
    yield made
    made.close()


def test_any_program_keeps_every_promise(crew: Crew, database: Database) -> None:
    """P1, P3, P5: dense positions, each acknowledged command once, rows = fold of the log,
    replay = inline, the index is the oracle's, and nothing is proved that is not so."""
    names = (f"u{number}" for number in count(1))
    outcomes: Counter[tuple[str, str]] = Counter()

    @settings(
        max_examples=PROGRAMS,
        derandomize=not STEPS,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(programs())
    def play(program: list[Step]) -> None:
        run = Play(crew, database, next(names))
        run.run(program)
        outcomes.update(run.outcomes)

    play()
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
    program = [
        {"seconds": 0, "ops": [{**died, "commands": [task]}]},
        {
            "seconds": 1,
            "ops": [
                {**died, "commands": [ask], "worker": 1},
                {**plain, "commands": [ask], "worker": 2},
            ],
        },
    ]
    Play(crew, database, "kill").run(program)
    assert crew.killed == 2


@pytest.mark.skipif(
    "WORKINDEX_STATEFUL_PROGRAM" not in os.environ, reason="no program was given to play again"
)
def test_a_given_program(crew: Crew, database: Database) -> None:
    """A program that a failure printed, once more."""
    program = json.loads(Path(os.environ["WORKINDEX_STATEFUL_PROGRAM"]).read_text())
    Play(crew, database, "again").run(program)
