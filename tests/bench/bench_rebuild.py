"""How fast is every log folded again, and how long does it hold up an append?

Ours locks heads, folds all rows of a user and writes them in bulk; the library's own runner takes
one transaction an event, and changes one row in it. The rate is that between the first batch and
the last one, so that the start of processes is left out.
"""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from typing import Any

import psycopg

from bench import stock_projection
from bench.conftest import Bench
from bench.harness import Row, ratios, report
from workindex import WorkIndex
from workindex.domain.facts import Actor
from workindex.eventlog.database import Database
from workindex.projections.rebuild import Outcome, Progress, Rebuilder
from workindex.projections.retire import retire

ROUNDS = int(os.environ.get("WORKINDEX_BENCH_ROUNDS", "3"))
USERS = int(os.environ.get("WORKINDEX_BENCH_USERS", "1500"))
TASKS = 9  # a user
ASKED = 5  # requests a task, each answered
LONG_TASKS = 2_000  # of one user more
STOCK_TASKS = 100
JOBS = 2
STALL_MS = 100.0
USER = Actor(kind="user", id="bench")
OPERATOR = Actor(kind="operator", id="bench")
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def test_rebuild(bench: Bench) -> None:
    """One process ÷ the library's runner, two processes ÷ one, and the longest stall."""
    stock_events = stock_projection.load(bench.scratch, STOCK_TASKS, ASKED)
    database = Database(bench.app, maint_url=bench.maint)
    _load(bench, database)
    rates: dict[str, list[float]] = {"stock": [], "one": [], "two": []}
    stalls: list[float] = []
    for round_ in range(ROUNDS):
        rates["stock"].append(
            stock_projection.project(bench.scratch, stock_events, STOCK_TASKS, f"view{round_}")
        )
        for name, jobs in (("one", 1), ("two", JOBS)):
            rate, outcome = _rebuild(database, jobs)
            rates[name].append(rate)
            stalls.append(outcome.done.stall_seconds * 1e3)
    database.close()
    report(
        "rebuild",
        [
            Row("stock ProjectionRunner", tuple(rates["stock"]), unit="/s"),
            Row("rebuild, one process", tuple(rates["one"]), unit="/s", at_least=100_000),
            Row(
                "rebuild, one process ÷ stock ProjectionRunner",
                ratios(rates["one"], rates["stock"]),
                at_least=60,
            ),
            Row(
                f"rebuild, {JOBS} processes ÷ one",
                ratios(rates["two"], rates["one"]),
                at_least=1.7,
            ),
            Row("rebuild, longest append stall", tuple(stalls), unit="ms", at_most=STALL_MS),
        ],
    )


def _load(bench: Bench, database: Database) -> None:
    """Users with the same tasks, and one with a long log, all without a projection to rebuild."""
    work_index = WorkIndex(database, lambda: NOW)
    for name, tasks in (("a-user", TASKS), ("long-user", LONG_TASKS)):
        scope = work_index.user(name)
        for number in range(tasks):
            scope.record_all(_task(f"T-{number}"), actor=USER)
    with psycopg.connect(bench.owner, autocommit=True) as conn:
        conn.execute(
            "INSERT INTO user_log SELECT 'u' || lpad(g::text, 6, '0'), head, 0 "
            "FROM user_log, generate_series(1, %s) AS g WHERE user_id = 'a-user'",
            (USERS,),
        )
        conn.execute(
            "INSERT INTO event SELECT 'u' || lpad(g::text, 6, '0'), position, event_id, stream, "
            "stream_version, type, schema_version, data, metadata, key_id, occurred_at, "
            "recorded_at FROM generate_series(1, %s) AS g, event WHERE user_id = 'a-user'",
            (USERS,),
        )
        conn.execute("VACUUM ANALYZE")


def _task(task_id: str) -> list[dict[str, Any]]:
    """A task with requests, each answered."""
    commands: list[dict[str, Any]] = [
        {"type": "create_task", "task_id": task_id, "title": "Book the venue"}
    ]
    for request in range(ASKED):
        named = {"task_id": task_id, "request_id": f"R-{request}"}
        prompt = "Which of the three offers do you like best?"
        asked = {"type": "request_task_input", **named, "kind": "input", "prompt": prompt}
        commands += [asked, {"type": "give_task_input", **named, "answer": "the second one"}]
    return commands


def _rebuild(database: Database, jobs: int) -> tuple[float, Outcome]:
    """A rebuild into a generation that is taken away again; events a second, and what it was."""
    seen: list[tuple[float, int]] = []

    def watch(progress: Progress) -> None:
        seen.append((time.perf_counter(), progress.done.events))

    outcome = Rebuilder(database, jobs=jobs).rebuild(OPERATOR, watch)
    assert outcome.is_whole
    (first_at, first), (last_at, last) = seen[jobs - 1], seen[-1]
    retire(database, OPERATOR, generation=outcome.generation.generation)
    return (last - first) / (last_at - first_at), outcome
