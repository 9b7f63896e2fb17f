"""What does an answer cost where one user has thousands of things open?

One user with 100,000 events, 10,000 tasks and 5,000 of them waiting, beside one with three, and
beside `SELECT 1` through the same connection.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import psycopg

from bench.conftest import Bench
from bench.harness import Row, p50_of, ratios, report
from driver import actor
from workindex.eventlog.database import Database
from workindex.service.client import UserScope, WorkIndex

ROUNDS = int(os.environ.get("WORKINDEX_BENCH_ROUNDS", "5"))
READS = 40  # of each kind a round
EVENTS, TASKS, WAITING = 100_000, 10_000, 5_000
BATCH = 500
USER = actor("user")
QUESTIONS = {
    "What needs me?": WAITING,
    "What are my tasks?": TASKS,
    "Which tasks are due tomorrow?": None,
    "Which tasks are overdue?": None,
}


def test_answers_of_a_user_with_thousands_open(bench: Bench) -> None:
    """Exact totals of bounded answers, at a cost that is told."""
    with WorkIndex(Database(bench.app, pool_max=1)) as work_index:
        few, many = work_index.user("few"), work_index.user("many")
        _fill(few, 50, 3, 1_000)
        _fill(many, TASKS, WAITING, EVENTS)
        with psycopg.connect(bench.owner, autocommit=True) as conn:
            conn.execute("VACUUM ANALYZE")
        found: dict[str, list[float]] = {}
        for _ in range(ROUNDS):
            for name, p50 in p50_of(_operations(work_index, few, many), READS).items():
                found.setdefault(name, []).append(p50)
    rows = [Row("SELECT 1 (p50)", tuple(p50 * 1e6 for p50 in found["select"]), unit="us")]
    for text in QUESTIONS:
        asked = found[f"many {text}"]
        at_most = 3.5 if text == "What needs me?" else None
        rows += [
            Row(f"{text} (p50)", tuple(p50 * 1e6 for p50 in asked), unit="us"),
            Row(f"{text} ÷ SELECT 1", ratios(asked, found["select"]), at_most=at_most),
            Row(f"{text} ÷ with 3 of 50 tasks waiting", ratios(asked, found[f"few {text}"])),
        ]
    report("many_needs", rows)


def _operations(
    work_index: WorkIndex, few: UserScope, many: UserScope
) -> dict[str, Callable[[], object]]:
    def select_1() -> object:
        with work_index.database.connection() as conn:
            return conn.execute("SELECT 1").fetchone()

    found: dict[str, Callable[[], object]] = {"select": select_1}
    for text, total in QUESTIONS.items():
        told = many.ask(text)
        assert told is not None, text
        assert total in (None, told.total), (text, told.total)
        assert len(told.items) == min(told.total, 200)
        found[f"many {text}"] = lambda text=text: many.ask(text)  # type: ignore[misc]
        found[f"few {text}"] = lambda text=text: few.ask(text)  # type: ignore[misc]
    return found


def _fill(scope: UserScope, tasks: int, waiting: int, events: int) -> None:
    """Tasks with due times over four weeks, every other one waiting, and messages."""
    told: list[dict[str, str]] = []
    for n in range(tasks):
        due_at = f"2027-03-{1 + n % 28:02}T{n % 24:02}:00:00Z"
        task = {"type": "create_task", "task_id": f"t{n}", "title": f"Task {n}", "due_at": due_at}
        told.append(task)
    for n in range(waiting):
        asked = {"task_id": f"t{n * tasks // waiting}", "request_id": "r", "prompt": "Which?"}
        told.append({"type": "request_task_input", **asked})
    message = {"type": "post_message", "thread_id": "main", "role": "user", "text": "x" * 100}
    told += [{**message, "message_id": f"n{n}"} for n in range(events - len(told))]
    for first in range(0, len(told), BATCH):
        scope.record_all(told[first : first + BATCH], actor=USER)
