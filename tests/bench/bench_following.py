"""How fast is a projection caught up, and how soon does a document follow its append?

Ours applies a log in batches under the user's head; the library's own runner takes one
transaction an event, and changes one row in it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psycopg

from bench import stock_projection
from bench.bench_rebuild import ASKED, NOW, USER, _task
from bench.conftest import Bench
from bench.harness import Row, ratios, report
from workindex import WorkIndex
from workindex.eventlog.database import Database
from workindex.projections.sets import INLINE

ROUNDS = int(os.environ.get("WORKINDEX_BENCH_ROUNDS", "3"))
USERS = 8
TASKS = 60  # a user
STOCK_TASKS = 100
APPENDS = 200
PROGRAM = Path(sys.executable).with_name("workindex")


def test_catch_up(bench: Bench) -> None:
    """Events a second ÷ the library's runner, and the time from an append to its document."""
    stock_events = stock_projection.load(bench.scratch, STOCK_TASKS, ASKED)
    database = Database(bench.app, maint_url=bench.maint)
    work_index = WorkIndex(database, lambda: NOW)
    for user in range(USERS):
        for number in range(TASKS):
            work_index.user(f"f{user}").record_all(_task(f"T-{number}"), actor=USER)
    work_index.catch_up()
    stock: list[float] = []
    ours: list[float] = []
    for round_ in range(ROUNDS):
        stock.append(
            stock_projection.project(bench.scratch, stock_events, STOCK_TASKS, f"follow{round_}")
        )
        _fall_behind(bench)
        start = time.perf_counter()
        events = work_index.catch_up().events
        ours.append(events / (time.perf_counter() - start))
        assert events == USERS * TASKS * (1 + 2 * ASKED)
    waits = _waits(bench, work_index)
    database.close()
    report(
        "catch_up",
        [
            Row("stock ProjectionRunner", tuple(stock), unit="/s"),
            Row("catch-up in batches", tuple(ours), unit="/s"),
            Row("catch-up in batches ÷ stock ProjectionRunner", ratios(ours, stock), at_least=15),
            Row("append → document, a worker running, p50", waits, unit="ms", at_most=5),
        ],
    )


def _fall_behind(bench: Bench) -> None:
    """As after a change of code: nothing of the inline set is there."""
    with psycopg.connect(bench.owner, autocommit=True) as conn:
        for table in INLINE.table_names:
            conn.execute(f"DELETE FROM {table} WHERE user_id ~ '^f[0-9]'".encode())
        conn.execute(
            "DELETE FROM projection_progress WHERE user_id ~ '^f[0-9]' "
            "AND projection_set = 'inline'"
        )
        conn.execute("VACUUM ANALYZE")


def _waits(bench: Bench, work_index: WorkIndex) -> tuple[float, ...]:
    """Milliseconds from the end of each append until `wait_for` returns."""
    logins = {"WORKINDEX_DATABASE_URL": bench.app, "WORKINDEX_MAINT_URL": bench.maint}
    worker = subprocess.Popen(
        [PROGRAM, "worker"], env=os.environ | logins, stderr=subprocess.DEVNULL
    )
    scope = work_index.user("w")
    spans = []
    try:
        for number in range(APPENDS):
            said: dict[str, Any] = {
                "type": "post_message",
                "thread_id": "TH-1",
                "role": "user",
                "text": f"message {number} about the venue",
            }
            receipt = scope.record(said, actor=USER)
            start = time.perf_counter()
            scope.wait_for(receipt.positions[-1], timeout=60)
            spans.append((time.perf_counter() - start) * 1e3)
    finally:
        worker.terminate()
        worker.wait(timeout=60)
    return tuple(spans[APPENDS // 10 :])
