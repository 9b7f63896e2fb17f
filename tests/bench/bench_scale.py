"""What does one machine hold? EVENTS events over USERS users, loaded as an operator would.

Everything is recorded through `workindex record - --bulk`, by two processes, then asked, appended
to, verified, rebuilt and searched. Beside it stands a small database of the same server: what grows
with the log is seen as a ratio of the two, measured in turns.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg.conninfo import make_conninfo

from bench.conftest import Bench
from bench.harness import Row, p50_of, ratios, report
from bench.scale_load import log_lines, user_name
from driver import actor
from workindex.domain.conversations import PostMessage
from workindex.domain.tasks import ChangeTask
from workindex.eventlog.database import Database, tenant_transaction
from workindex.eventlog.migrate import bootstrap, upgrade
from workindex.service.client import WorkIndex

EVENTS = int(os.environ.get("WORKINDEX_SCALE_EVENTS", "10000000"))
USERS = int(os.environ.get("WORKINDEX_SCALE_USERS", "100000"))
SMALL_EVENTS = 10_000
JOBS = 2
ROUNDS = 5
CALLS = 200  # of each kind a round
SAMPLE = 100  # users whom the calls are about
TELL_SECONDS = 30.0
GROWTH_MAX = 1.3
PROGRAM = Path(sys.executable).with_name("workindex")
USER = actor("user")


class Place(NamedTuple):
    """One database: its logins, and how many users it has."""

    app: str
    maint: str
    owner: str
    users: int

    @property
    def env(self) -> dict[str, str]:
        """The environment in which the installed command uses it."""
        return {
            **os.environ,
            "WORKINDEX_DATABASE_URL": self.app,
            "WORKINDEX_MAINT_URL": self.maint,
        }


def test_scale(bench: Bench) -> None:
    """Load, append, ask, proof, verify, rebuild and search at EVENTS events."""
    large = Place(bench.app, bench.maint, bench.owner, USERS)
    small = _small(bench, max(1, SMALL_EVENTS * USERS // EVENTS))
    upgrade(bootstrap(small.owner))
    rows = [Row("events", (float(EVENTS),), unit="")]
    _load(small, SMALL_EVENTS)
    seconds = _load(large, EVENTS)
    rows.append(Row(f"bulk, {JOBS} processes", (EVENTS / seconds,), unit="events/s"))
    rows += _sizes(large)
    for place in (small, large):
        with psycopg.connect(place.owner, autocommit=True) as conn:
            conn.execute("VACUUM ANALYZE")
    rows += _calls(small, large)
    report("scale", rows)  # what follows takes long, and may not come to its end
    report("scale", [*rows, *_operations(large)])


def _small(bench: Bench, users: int) -> Place:
    name = {"dbname": "small"}
    return Place(
        make_conninfo(bench.app, **name),
        make_conninfo(bench.maint, **name),
        make_conninfo(bench.owner, **name),
        users,
    )


def _load(place: Place, events: int) -> float:
    """Record the logs of all users; returns the seconds that it took."""
    context = multiprocessing.get_context("forkserver")
    start = time.monotonic()
    loaders = []
    for job in range(JOBS):
        first, last = (place.users * part // JOBS for part in (job, job + 1))
        loader = context.Process(target=_feed, args=(place, first, last, events))
        loader.start()
        loaders.append(loader)
    told = start
    while any(loader.is_alive() for loader in loaders):
        loaders[0].join(1.0)
        if time.monotonic() - told > TELL_SECONDS:
            told = time.monotonic()
            done = _recorded(place)
            print(f"{done:,} events, {done / (told - start):,.0f}/s", flush=True)
    seconds = time.monotonic() - start
    assert [loader.exitcode for loader in loaders] == [0] * JOBS
    assert _recorded(place) == events
    return seconds


def _feed(place: Place, first: int, last: int, events: int) -> None:
    """The life of a loading process: it writes the lines of some users into the command."""
    command = [str(PROGRAM), "record", "-", "-", "--bulk"]
    with subprocess.Popen(
        command, env=place.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as running:
        assert running.stdin is not None
        for number in range(first, last):
            size = events * (number + 1) // place.users - events * number // place.users
            running.stdin.writelines(log_lines(number, size))
        refused, _ = running.communicate()
    sys.exit(running.returncode or bool(refused))


def _recorded(place: Place) -> int:
    return int(_one(place, "SELECT coalesce(sum(head), 0) FROM user_log"))


def _one(place: Place, query: str) -> Any:
    with psycopg.connect(place.owner) as conn:
        row = conn.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def _sizes(place: Place) -> list[Row]:
    """Bytes an event: of everything, of the log alone, and of the rows."""
    log = "pg_total_relation_size('event') + pg_total_relation_size('command_key')"
    sizes = {
        "all tables and indexes": "SELECT pg_database_size(current_database())",
        "log and keys": f"SELECT {log}",
        "events without indexes": "SELECT pg_table_size('event')",
    }
    return [
        Row(f"bytes an event, {name}", (float(_one(place, query)) / EVENTS,), unit="B")
        for name, query in sizes.items()
    ]


def _calls(small: Place, large: Place) -> list[Row]:
    """Calls for users all over each database, in turns."""
    found: dict[str, list[float]] = {}
    with _opened(small) as few, _opened(large) as many:
        acts = {f"{name} small": act for name, act in _acts(few, small.users).items()}
        acts |= {f"{name} large": act for name, act in _acts(many, large.users).items()}
        for _ in range(ROUNDS):
            for name, p50 in p50_of(acts, CALLS).items():
                found.setdefault(name, []).append(p50)
    rows = []
    for name, at_most in (
        ("append, blind", GROWTH_MAX),
        ("append, decided", GROWTH_MAX),
        ("proof", GROWTH_MAX),
        ("ask", None),
        ("ask for open tasks", None),
    ):
        over, under = found[f"{name} large"], found[f"{name} small"]
        rows.append(Row(f"{name}, p50", tuple(p50 * 1e3 for p50 in over), unit="ms"))
        what = f"{name}: at {EVENTS:,} ÷ at {SMALL_EVENTS:,}"
        rows.append(Row(what, ratios(over, under), at_most=at_most))
    return rows


def _acts(work_index: WorkIndex, users: int) -> dict[str, Callable[[], object]]:
    chosen = random.Random(1)
    names = [user_name(chosen.randrange(users)) for _ in range(SAMPLE)]
    scopes = [work_index.user(name) for name in names]
    turns: Iterator[int] = iter(range(1_000_000_000))

    def message() -> object:
        command = PostMessage(thread_id="d1", role="user", text="x" * 100)
        return scopes[next(turns) % SAMPLE].record(command, actor=USER)

    def change() -> object:
        turn = next(turns)
        command = ChangeTask(task_id="t0-7", title=f"Send the offer of turn {turn}")
        return scopes[turn % SAMPLE].record(command, actor=USER)

    def proof() -> object:
        return work_index.reader.read(names[next(turns) % SAMPLE], {"task": "open"})

    def ask(question: str) -> object:
        answer = scopes[next(turns) % SAMPLE].ask(question)
        assert answer is not None
        assert answer.verdict != "unproven", answer.reasons
        return answer

    return {
        "append, blind": message,
        "append, decided": change,
        "proof": proof,
        "ask": lambda: ask("what needs me?"),
        "ask for open tasks": lambda: ask("which tasks are open?"),
    }


@contextmanager
def _opened(place: Place) -> Iterator[WorkIndex]:
    with WorkIndex(Database(place.app, maint_url=place.maint, pool_max=1)) as work_index:
        yield work_index


def _operations(place: Place) -> list[Row]:
    """Verify, rebuild and search, as the operator's commands do them."""
    verified = _command(place, "verify", "projections", "verify")
    rebuilt = _command(place, "rebuild", "projections", "rebuild", "inline", "--jobs", str(JOBS))
    told = [("verify, one process", verified), (f"rebuild, {JOBS} processes", rebuilt)]
    rows = [Row(name, (EVENTS / seconds,), unit="events/s") for name, (seconds, _) in told]
    assert verified[1]["differences"] == []
    stall = float(rebuilt[1]["longest_stall_ms"])
    rows.append(Row("rebuild, longest append stall", (stall,), unit="ms", at_most=100.0))
    for words in (("rebuild", "evidence", "--jobs", str(JOBS)), ("switch", "evidence")):
        _command(place, " ".join(words[:2]), "projections", *words)
    return rows + _search(place)


def _command(place: Place, name: str, *words: str) -> tuple[float, dict[str, Any]]:
    """Run a command with --json; returns its seconds and its document."""
    start = time.monotonic()
    done = subprocess.run(
        [PROGRAM, *words, "--json"], env=place.env, capture_output=True, check=False, text=True
    )
    seconds = time.monotonic() - start
    print(f"{name}: {seconds:.1f} s", flush=True)
    assert done.returncode == 0, (name, done.stdout[-2_000:], done.stderr[-2_000:])
    document: dict[str, Any] = json.loads(done.stdout)
    return seconds, document


def _search(place: Place) -> list[Row]:
    chosen = random.Random(2)
    with _opened(place) as work_index:

        def search() -> object:
            name = user_name(chosen.randrange(place.users))
            with work_index.database.connection() as conn, tenant_transaction(conn, name):
                rows = conn.execute(
                    "SELECT * FROM search_documents(%s, 'spring offer', '{}')", (name,)
                ).fetchall()
            assert rows, f"nothing of {name} was found"
            return rows

        found = [p50_of({"search": search}, CALLS)["search"] * 1e3 for _ in range(ROUNDS)]
    documents = int(_one(place, "SELECT count(*) FROM document"))
    note = f"{documents:,} documents of {place.users:,} users"
    return [Row("full-text search of one user, p50", tuple(found), unit="ms", note=note)]
