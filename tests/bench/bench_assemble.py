"""How long does it take to assemble a turn, and does it grow with the conversation?

One user with 50 tasks and 200 messages, one with the same tasks and 100,000 messages, beside
`SELECT 1` through the same connection. The requests name a task, ask by words, or only go on.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from functools import partial

import psycopg

from bench.conftest import Bench
from bench.harness import Row, p50_of, ratios, report
from driver import actor
from workindex.eventlog.database import Database
from workindex.service.client import UserScope, WorkIndex

ROUNDS = int(os.environ.get("WORKINDEX_BENCH_ROUNDS", "5"))
TURNS = 40  # of each kind a round
TASKS = 50
FEW, MANY = 200, 100_000
BATCH = 1_000
USER = actor("user")
VOCABULARY = 5_000
WORDS = 20  # a message
REQUESTS = (
    "What is left to do for t7, and who waits for it?",
    "What did we say about the offer for the spring order?",
    "Please go on.",
)


def test_assemble(bench: Bench) -> None:
    """p50 of `user.assemble`, everything included."""
    with WorkIndex(Database(bench.app, maint_url=bench.maint, pool_max=1)) as work_index:
        few, many = work_index.user("few"), work_index.user("many")
        for scope, messages in ((few, FEW), (many, MANY)):
            _fill(scope, messages)
        work_index.catch_up()
        with psycopg.connect(bench.owner, autocommit=True) as conn:
            conn.execute("VACUUM ANALYZE")

        def select_1() -> object:
            with work_index.database.connection() as conn:
                return conn.execute("SELECT 1").fetchone()

        acts: dict[str, Callable[[], object]] = {"select": select_1}
        for name, scope in (("few", few), ("many", many)):
            acts |= {f"{name} {at}": partial(_turn, scope, at) for at in range(len(REQUESTS))}
        found: dict[str, list[float]] = {}
        for _ in range(ROUNDS):
            for name, p50 in p50_of(acts, TURNS).items():
                found.setdefault(name, []).append(p50)
    rows = [Row("SELECT 1 (p50)", tuple(p50 * 1e6 for p50 in found["select"]), unit="us")]
    for at, text in enumerate(REQUESTS):
        few_p50, many_p50 = found[f"few {at}"], found[f"many {at}"]
        told = f"“{text[:28]}…”"
        rows += [
            Row(f"{told} (p50)", tuple(p50 * 1e3 for p50 in few_p50), unit="ms", at_most=8.0),
            Row(f"{told} ÷ SELECT 1", ratios(few_p50, found["select"])),
            Row(f"{told}: {MANY:,} ÷ {FEW} messages", ratios(many_p50, few_p50), at_most=1.3),
        ]
    report("assemble", rows)


def _turn(scope: UserScope, at: int) -> object:
    return scope.assemble({"text": REQUESTS[at], "thread_id": "main", "message_id": "m3"})


def _fill(scope: UserScope, messages: int) -> None:
    """Tasks, every tenth of them waiting, and one long conversation of many words."""
    drawn = random.Random(11)
    words = [f"w{number}" for number in range(VOCABULARY)]
    told: list[dict[str, str]] = []
    for n in range(TASKS):
        due_at = f"2027-03-{1 + n % 28:02}T{n % 24:02}:00:00Z"
        title = f"Send part {n} of the offer"
        task = {"type": "create_task", "task_id": f"t{n}", "title": title, "due_at": due_at}
        told.append(task)
    for n in range(0, TASKS, 10):
        asked = {"task_id": f"t{n}", "request_id": "r", "prompt": "Which colour?"}
        told.append({"type": "request_task_input", **asked})
    for n in range(messages):
        text = " ".join(drawn.choices(words, k=WORDS))
        if n % 100 == 0:
            text = f"The offer for the spring order: {text}"
        role = "assistant" if n % 2 else "user"
        message = {"message_id": f"m{n}", "thread_id": "main", "role": role, "text": text}
        told.append({"type": "post_message", **message})
    for first in range(0, len(told), BATCH):
        scope.record_all(told[first : first + BATCH], actor=USER)
