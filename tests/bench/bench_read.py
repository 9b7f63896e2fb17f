"""What does an answer with its proof cost, and does it stay so when the log grows?

Everything is measured beside `SELECT 1` through the same connection of the same pool. The large
user's log is recorded in bulk: WORKINDEX_BENCH_EVENTS events (default 1,000,000, as the target
says, which takes some minutes).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import psycopg

from bench.conftest import Bench
from bench.harness import Row, p50_of, ratios, report
from driver import actor
from workindex.assembler.state_path import NEEDS
from workindex.domain.conversations import PostMessage
from workindex.eventlog.database import Database
from workindex.projections.needs import changes_at, needs_you
from workindex.projections.planning import Entry
from workindex.projections.proof import Proof, conclude
from workindex.projections.recording import Receipt
from workindex.service.client import UserScope, WorkIndex
from workindex.service.parsing import parse_command

ROUNDS = int(os.environ.get("WORKINDEX_BENCH_ROUNDS", "5"))
READS = 400  # of each kind a round
SMALL_EVENTS = 1_000
LARGE_EVENTS = int(os.environ.get("WORKINDEX_BENCH_EVENTS", "1000000"))
TARGET_EVENTS = 1_000_000
SLICE = 10_000
TASKS = 50
WAITING = 3
QUESTION = "what needs me?"
USER = actor("user")


def test_answers(bench: Bench) -> None:
    """Proof and answer ÷ SELECT 1, and the answer for a long log ÷ a short one."""
    with WorkIndex(Database(bench.app, pool_max=1)) as work_index:
        small, empty, large = (work_index.user(name) for name in ("small", "empty", "large"))
        _fill(small, WAITING)
        _fill(empty, 0)
        _fill(large, WAITING)
        _go_on(large, LARGE_EVENTS)
        with psycopg.connect(bench.owner, autocommit=True) as conn:
            conn.execute("VACUUM ANALYZE")
        found: dict[str, list[float]] = {}
        for _ in range(ROUNDS):
            for name, p50 in p50_of(_operations(work_index, small, empty, large), READS).items():
                found.setdefault(name, []).append(p50)
    report("read", _rows(found))


def _operations(
    work_index: WorkIndex, small: UserScope, empty: UserScope, large: UserScope
) -> dict[str, Callable[[], object]]:
    def select_1() -> object:
        with work_index.database.connection() as conn:
            return conn.execute("SELECT 1").fetchone()

    return {
        "select": select_1,
        "proof": lambda: _proof(work_index, "small"),
        "proof of nothing": lambda: _proof(work_index, "empty"),
        "answer": lambda: small.ask(QUESTION),
        "answer nothing": lambda: empty.ask(QUESTION),
        "answer large": lambda: large.ask(QUESTION),
    }


def _proof(work_index: WorkIndex, user_id: str) -> Proof:
    reading = work_index.reader.read(user_id, NEEDS["pending"])
    return conclude(
        reading,
        "pending",
        has_items=bool(needs_you(reading.rows, reading.now)),
        changes_at=changes_at(reading.rows, reading.now),
    )


def _rows(found: dict[str, list[float]]) -> list[Row]:
    def over_select(name: str, at_most: float | None = None) -> Row:
        what = f"{name} ÷ SELECT 1 (p50)"
        return Row(what, ratios(found[name], found["select"]), at_most=at_most)

    return [
        Row("SELECT 1 (p50)", tuple(p50 * 1e6 for p50 in found["select"]), unit="us"),
        over_select("proof", 2.5),
        over_select("proof of nothing"),
        over_select("answer", 3.5),
        over_select("answer nothing"),
        Row(
            f"answer for {LARGE_EVENTS:,} events ÷ for {SMALL_EVENTS:,} (p50)",
            ratios(found["answer large"], found["answer"]),
            at_most=1.2,
            note="" if LARGE_EVENTS >= TARGET_EVENTS else f"(scaled down from {TARGET_EVENTS:,})",
        ),
    ]


def _fill(scope: UserScope, waiting: int) -> None:
    """Tasks, of which some wait for the user, a due reminder, and messages up to 1,000 events."""
    tasks: list[dict[str, str]] = [
        {"type": "create_task", "task_id": f"t{n}", "title": f"Task {n}"} for n in range(TASKS)
    ]
    requests = [
        {"type": "request_task_input", "task_id": f"t{n}", "request_id": "r", "prompt": "Which?"}
        for n in range(waiting)
    ]
    past = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    reminder = {"type": "set_reminder", "reminder_id": "m", "title": "Call", "remind_at": past}
    given = [*tasks, *requests, *([reminder] if waiting else [])]
    messages = [_message(number) for number in range(SMALL_EVENTS - len(given))]
    scope.record_all([*(Entry(parse_command(one)) for one in given), *messages], actor=USER)


def _message(number: int) -> Entry:
    text = "x" * 100
    return Entry(PostMessage(message_id=f"n{number}", thread_id="main", role="user", text=text))


def _go_on(scope: UserScope, events: int) -> None:
    """Let the user go on talking, in bulk, until the log has so many events."""
    for first in range(SMALL_EVENTS, events, SLICE):
        numbers = range(first, min(first + SLICE, events))
        outcomes = scope.record_bulk([_message(number) for number in numbers], actor=USER)
        assert all(isinstance(outcome, Receipt) for outcome in outcomes), outcomes
