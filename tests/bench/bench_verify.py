"""How fast does one process verify: read, decode, fold and compare, beside reading alone?"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable

from bench.conftest import Bench
from bench.harness import Row, ratios, report
from bench.scale_load import log_lines, user_name
from commands import PROGRAM
from conftest import Urls
from engine import do_as_owner
from workindex.eventlog.database import Database
from workindex.eventlog.mapper import FactMapper
from workindex.projections.awaiting import catch_up_user
from workindex.projections.follower import Follower
from workindex.projections.sets import ALL_SETS, INLINE
from workindex.projections.verify import Verifier
from workindex.projections.verify_log import read_log

ROUNDS = int(os.environ.get("WORKINDEX_BENCH_ROUNDS", "5"))
USERS = int(os.environ.get("WORKINDEX_BENCH_VERIFY_USERS", "100"))
EVENTS = 600  # of each user
FIRST = user_name(0)


def test_verify(bench: Bench) -> None:
    """Events a second of a verification: the inline set, both sets, and reading the logs alone."""
    database = Database(bench.app, maint_url=bench.maint)
    _fill(database, Urls(bench.app, bench.maint, bench.owner))
    inline, whole = Verifier(database, projection_set=INLINE), Verifier(database)
    modes: dict[str, Callable[[], None]] = {
        "read": lambda: _read(database),
        "inline": lambda: _verified(inline),
        "both": lambda: _verified(whole),
    }
    rates: dict[str, list[float]] = {name: [] for name in modes}
    for round_ in range(ROUNDS + 1):
        for name, run in modes.items():
            start = time.perf_counter()
            run()
            if round_:  # the first one warms up
                rates[name].append(USERS * EVENTS / (time.perf_counter() - start))
    database.close()
    report(
        "verify",
        [
            Row("read and decode the logs", tuple(rates["read"]), unit="/s"),
            Row("verify inline, one process", tuple(rates["inline"]), unit="/s", at_least=1e5),
            Row("verify inline and evidence", tuple(rates["both"]), unit="/s"),
            Row("verify inline ÷ reading", ratios(rates["inline"], rates["read"])),
        ],
    )


def _verified(verifier: Verifier) -> None:
    found = verifier.verify()
    assert found.is_clean, found.to_json()
    assert found.events == USERS * EVENTS


def _read(database: Database) -> None:
    mapper = FactMapper()
    with database.maintenance() as conn, conn.transaction():
        users = [user_name(number) for number in range(USERS)]
        assert sum(1 for _ in read_log(conn, mapper, users)) == USERS * EVENTS


def _fill(database: Database, urls: Urls) -> None:
    """One user's log and rows, and copies of both for the others."""
    env = {**os.environ, "WORKINDEX_DATABASE_URL": urls.app, "WORKINDEX_MAINT_URL": urls.maint}
    lines = b"".join(log_lines(0, EVENTS))
    command: list[str] = [str(PROGRAM), "record", "-", "-", "--bulk"]
    subprocess.run(command, input=lines, env=env, capture_output=True, check=True)
    catch_up_user(Follower(database), database, FIRST, timeout_s=60)
    tables = ["user_log", "event", "command_key", "projection_progress", "work_due"]
    tables += [table.name for one in ALL_SETS for table in one.tables if table.searched is None]
    for number in range(1, USERS):
        for table in tables:
            do_as_owner(
                urls,
                f"INSERT INTO {table} SELECT (jsonb_populate_record(t, %s::jsonb)).* "
                f"FROM {table} t WHERE user_id = %s",
                f'{{"user_id": "{user_name(number)}"}}',
                FIRST,
            )
    # Words name the user, so documents are made and not copied.
    do_as_owner(
        urls,
        "UPDATE projection_progress SET position = 0 WHERE projection_set = 'evidence' "
        "AND user_id <> %s",
        FIRST,
    )
    for number in range(1, USERS):
        catch_up_user(Follower(database), database, user_name(number), timeout_s=60)
    do_as_owner(urls, "VACUUM ANALYZE")
