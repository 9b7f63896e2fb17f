"""Rebuild = live: every log folded into a new generation gives the rows that appends have kept."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from conftest import Urls
from engine import Engine, do_as_owner, owner, question, task
from everything import SECRET, fill
from generations import OPERATOR, copy_user, noted, states, stored
from next_program import MARK, NEXT, NEXT_MAPPER
from workindex.domain.errors import InvalidInput
from workindex.domain.tasks import GiveTaskInput
from workindex.eventlog.database import Database, tenant_transaction
from workindex.projections import advancing, rebuild_batches
from workindex.projections.generations import switch
from workindex.projections.rebuild import Outcome, Progress, Rebuilder
from workindex.projections.retire import retire
from workindex.projections.sets import EVIDENCE, INLINE
from workindex.projections.verify import Verifier

pytestmark = pytest.mark.pg15


def rebuild(database: Database, **given: Any) -> Outcome:
    """One run."""
    return Rebuilder(database, **given).rebuild(OPERATOR)


def is_clean(database: Database, **given: Any) -> bool:
    """Whether log and rows of every generation of the program agree; shown where they do not."""
    report = Verifier(database, **given).verify()
    found = (report.differences, report.parked, report.log_faults)
    assert not any(found), found
    return True


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches and chunks of a few users and events."""
    monkeypatch.setattr(rebuild_batches, "BATCH_USERS_MAX", 3)
    monkeypatch.setattr(rebuild_batches, "LONG_LOG_EVENTS", 40)
    monkeypatch.setattr(advancing, "CHUNK_EVENTS", 7)
    monkeypatch.setattr(advancing, "TAIL_EVENTS_MAX", 5)


def test_rebuilt_rows_are_the_live_rows(urls: Urls, database: Database) -> None:
    """A log that holds everything: each table, column and count is that of the live generation."""
    fill(database, "ann")
    bob = Engine(database, "bob")
    bob.record_all([task("T-1"), question("T-1"), task("T-2")])
    outcome = rebuild(database)
    live, built = stored(urls, 1), stored(urls, 2)
    assert built == live
    assert not [name for name, rows in built.items() if not rows]
    assert outcome.is_whole
    assert (outcome.done.users, outcome.done.events) == (2, len(Engine(database).events()) + 3)
    beside = len(live["progress"]) + len(live["work_due"])
    assert outcome.done.rows == sum(map(len, live.values())) - beside
    assert states(urls) == {1: "live", 2: "building"}
    assert noted(urls) == [("projections rebuild", "begun"), ("projections rebuild", "done")]
    assert is_clean(database)


def test_nothing_to_rebuild(database: Database) -> None:
    """Without a user a run ends at once, whole."""
    outcome = rebuild(database)
    assert outcome.is_whole
    assert (outcome.done.users, outcome.done.events) == (0, 0)


def test_other_folds_give_other_rows(urls: Urls, database: Database) -> None:
    """The next program's generation holds what its own folds make, the live one what it held."""
    ann = Engine(database)
    ann.record_all([task("T-1", "tea"), question("T-1")])
    live = stored(urls, 1)
    outcome = rebuild(database, projection_set=NEXT)
    assert (outcome.generation.generation, outcome.generation.fold_version) == (2, 2)
    assert [row["title"] for row in stored(urls, 2)["work_task"]] == ["tea" + MARK]
    assert stored(urls, 1) == live
    assert is_clean(database)
    assert is_clean(database, projection_set=NEXT)


def test_a_second_run_goes_on(urls: Urls, database: Database, small: None) -> None:
    """The generation of the same version is taken up: what is built stays, what lags is folded."""
    ann = Engine(database)
    ann.record_all([task("T-1"), question("T-1")])
    copy_user(urls, "ann", [f"u-{number}" for number in range(7)])
    first = rebuild(database, projection_set=NEXT)
    # Another program's appends: nothing of them is in the generation of the next one.
    ann.record(GiveTaskInput(task_id="T-1", request_id="R-1", answer="x"))
    Engine(database, "new").record(task("T-9"))
    second = rebuild(database, projection_set=NEXT)
    assert (first.is_resumed, second.is_resumed) == (False, True)
    assert first.generation == second.generation
    assert (first.done.users, second.done.users) == (8, 2)
    assert is_clean(database, projection_set=NEXT)
    assert [row["open"] for row in stored(urls, 2)["work_task"]] == [False] + [False] + [True] * 7


def test_rebuilding_again_and_again(urls: Urls, database: Database) -> None:
    """Rebuild, switch, append, rebuild: each generation is what its log folds to."""
    fill(database, "ann")
    ann = Engine(database)
    for generation in (2, 3, 4):
        assert rebuild(database).generation.generation == generation
        switch(database, OPERATOR)
        ann.record(task(f"T-new-{generation}"))
        assert stored(urls, generation) == stored(urls, 1)
    assert states(urls) == {1: "kept", 2: "kept", 3: "kept", 4: "live"}
    assert is_clean(database)


def test_users_who_come_meanwhile(urls: Urls, database: Database, small: None) -> None:
    """A run repeats until no user is without a progress row, whoever made the last one."""
    Engine(database, "m").record(task("T-1"))
    copy_user(urls, "m", [f"m-{number}" for number in range(8)])
    names = iter(["a-new", "z-new", "b-new", "m-3-new"])

    def write(_: Progress) -> None:
        for name in names:
            Engine(database, name).record_all([task("T-1"), question("T-1")])
            return

    outcome = Rebuilder(database, projection_set=NEXT).rebuild(OPERATOR, write)
    assert outcome.done.users == 13
    assert len(stored(urls, 2)["progress"]) == 13
    assert switch(database, OPERATOR, projection_set=NEXT).live == 2
    assert is_clean(database, projection_set=NEXT)


def test_a_long_log_in_chunks(urls: Urls, database: Database, small: None) -> None:
    """Its rows become those of the live generation; until the tail the head is not held."""
    fill(database, "ann")
    head = len(Engine(database).events())
    with owner(urls) as conn, ThreadPoolExecutor() as pool:
        with conn.transaction():
            conn.execute("SELECT head FROM user_log WHERE user_id = 'ann' FOR NO KEY UPDATE")
            run = pool.submit(rebuild, database)
            while not (at := stored(urls, 2)["progress"]) or at[0]["position"] < head - 9:
                assert not run.done(), run.result()
                time.sleep(0.01)
        outcome = run.result()
    assert stored(urls, 2) == stored(urls, 1)
    assert (outcome.done.users, outcome.done.events) == (1, head)
    assert is_clean(database)


def test_rows_that_nobody_keeps_are_removed(urls: Urls, database: Database, small: None) -> None:
    """Rows that stand in the generation without a progress row do not survive the rebuild."""
    fill(database, "long")
    for name in ("ann", "bob"):
        Engine(database, name).record_all([task("T-1"), task("T-2"), question("T-2")])
    for name in ("work_task", "work_reminder", "message", "work_due"):
        columns = ", ".join(
            row[0]
            for row in do_as_owner(
                urls,
                "SELECT attname FROM pg_attribute WHERE attrelid = %s::text::regclass "
                "AND attnum > 0 AND attname NOT IN ('user_id', 'generation')",
                name,
            )
        )
        for user_id in ("ann", "long"):
            do_as_owner(
                urls,
                f"INSERT INTO {name} (user_id, generation, {columns}) SELECT %s, 2, {columns} "
                f"FROM {name} WHERE user_id = 'long'",
                user_id,
            )
    rebuild(database)
    assert stored(urls, 2) == stored(urls, 1)


def test_two_runs_at_once(urls: Urls, database: Database, small: None) -> None:
    """Two operators rebuild at the same time: one generation, every user once."""
    fill(database, "ann")
    copy_user(urls, "ann", ["long-1", "long-2"])
    Engine(database, "m").record(task("T-1"))
    copy_user(urls, "m", [f"m-{number}" for number in range(20)])
    with ThreadPoolExecutor() as pool:
        outcomes = [run.result() for run in [pool.submit(rebuild, database) for _ in range(3)]]
    assert {one.generation.generation for one in outcomes} == {2}
    assert len(stored(urls, 2)["progress"]) == 24
    assert is_clean(database)


def test_an_append_in_flight_is_waited_for(urls: Urls, database: Database) -> None:
    """An event whose transaction is open when the rebuild begins is in the rows that it makes."""
    ann = Engine(database)
    ann.record(task("T-1"))
    copy_user(urls, "ann", ["bob"])
    with owner(urls) as conn, ThreadPoolExecutor() as pool:
        with conn.transaction():
            conn.execute("SELECT head FROM user_log WHERE user_id = 'ann' FOR NO KEY UPDATE")
            conn.execute(
                "INSERT INTO event SELECT user_id, 2, event_id, 'task/T-2', 1, type, "
                "schema_version, jsonb_set(data, '{task_id}', '\"T-2\"'), metadata, key_id, "
                "occurred_at, recorded_at FROM event WHERE user_id = 'ann'"
            )
            conn.execute("UPDATE user_log SET head = 2 WHERE user_id = 'ann'")
            run = pool.submit(rebuild, database)
            while not [row for row in stored(urls, 2)["progress"] if row["user_id"] == "bob"]:
                time.sleep(0.01)  # the others are not held up
        run.result()
    rows = {(row["user_id"], row["task_id"]) for row in stored(urls, 2)["work_task"]}
    assert rows == {("ann", "T-1"), ("ann", "T-2"), ("bob", "T-1")}


@pytest.mark.parametrize("jobs", [1, 2])
def test_evidence_is_rebuilt(urls: Urls, database: Database, jobs: int) -> None:
    """The asynchronous set is built as the inline one is, and is found after the switch."""
    fill(database, "ann")
    live = stored(urls, 1, EVIDENCE)
    assert live["document"]
    outcome = rebuild(database, projection_set=EVIDENCE, jobs=jobs)
    assert outcome.is_whole
    assert stored(urls, 2, EVIDENCE) == live
    assert states(urls) == {1: "live"}
    assert switch(database, OPERATOR, projection_set=EVIDENCE).live == 2
    retire(database, OPERATOR, projection_set=EVIDENCE)
    assert stored(urls, 2, EVIDENCE) == live
    with database.connection() as conn, tenant_transaction(conn, "ann"):
        found = conn.execute("SELECT count(*) FROM search_documents('ann', %s, '{}')", (SECRET,))
        assert found.fetchall()[0][0] > 0


def test_jobs_share_the_users(urls: Urls, database: Database) -> None:
    """Two processes build what one builds; a set that they cannot know is refused."""
    fill(database, "ann")
    copy_user(urls, "ann", [f"u-{number}" for number in range(30)])
    outcome = rebuild(database, jobs=2)
    assert (outcome.done.users, outcome.jobs) == (31, 2)
    ours = {name: rows for name, rows in stored(urls, 2).items() if name != "progress"}
    for name, rows in ours.items():
        mine = [row for row in rows if row["user_id"] == "ann"]
        assert mine == stored(urls, 1)[name]
        assert len(rows) == 31 * len(mine)
    assert is_clean(database)
    with pytest.raises(InvalidInput, match="rebuild it with one job"):
        rebuild(database, projection_set=NEXT, jobs=2)


def test_writers_go_on(urls: Urls, database: Database, small: None) -> None:
    """Sixteen threads of this program and the next append while a rebuild runs: nothing is lost."""
    users = [f"u-{number}" for number in range(8)]
    for user_id in users:
        Engine(database, user_id).record_all([task("T-1"), question("T-1")])
    copy_user(urls, "u-0", [f"z-{number}" for number in range(30)])
    stop = Event()

    def write(number: int) -> int:
        is_next = number % 2 == 1
        engine = Engine(
            database,
            users[number // 2],
            projection_set=NEXT if is_next else INLINE,
            mapper=NEXT_MAPPER if is_next else None,
        )
        done = 0
        while not stop.is_set():
            engine.record(task(f"T-{number}-{done}"))
            engine.record(question(f"T-{number}-{done}"))
            done += 1
        return done

    with ThreadPoolExecutor(16) as pool:
        writers = [pool.submit(write, number) for number in range(16)]
        try:
            outcomes = [rebuild(database, projection_set=NEXT) for _ in range(3)]
        finally:
            stop.set()
        written = sum(writer.result() for writer in writers)
    assert [one.parked or one.unknown for one in outcomes] == [()] * 3
    rebuild(database, projection_set=NEXT)
    assert switch(database, OPERATOR, projection_set=NEXT).live == 2
    assert is_clean(database)
    assert is_clean(database, projection_set=NEXT)
    assert len(stored(urls, 2)["work_task"]) == 38 + written
    heads = dict(do_as_owner(urls, "SELECT user_id, head FROM user_log"))
    assert {p["user_id"]: p["position"] for p in stored(urls, 2)["progress"]} == heads
