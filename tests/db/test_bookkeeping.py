"""What stands beside the log may be pruned, renamed or grow: facts are taken, answers are true."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from conftest import Urls
from driver import NOW
from engine import Engine, do_as_owner, owner, question, task
from workindex.domain.errors import DuplicateKeyConflict, VersionConflict
from workindex.domain.tasks import EnterTaskPhase, GiveTaskInput, StartTask
from workindex.eventlog.database import Database

TABLES = ("event", "user_log", "command_key", "projection_progress", "work_task")


@pytest.fixture
def ann(database: Database) -> Engine:
    """A user with one task that waits for an answer."""
    engine = Engine(database)
    engine.record(task("T-1"), key="first", now=NOW)
    engine.record(question("T-1"), now=NOW)
    return engine


@pytest.mark.parametrize("pruned", ["projection_progress", "command_key", "catchup_due"])
def test_pruned_rows_of_a_quiet_user(urls: Urls, ann: Engine, pruned: str) -> None:
    """Whoever deletes old bookkeeping stops nobody: the next facts are taken, nothing is denied."""
    do_as_owner(urls, f"DELETE FROM {pruned}")
    for now in (NOW, None):
        proof = ann.proof(now=now)
        assert proof.verdict != "proven_empty"
        assert (proof.verdict == "items") or proof.reasons
    ann.record(StartTask(task_id="T-1"), now=NOW)
    ann.record(GiveTaskInput(task_id="T-1", request_id="R-1", answer="x"), now=NOW)
    assert [event.position for event in ann.events()] == [1, 2, 3, 4]
    assert ann.proof(now=NOW, at_position=4).verdict == "proven_empty"
    assert ann.proof(now=NOW).verdict in ("proven_empty", "unproven")
    # Rows that no progress row vouches for belong to nobody, and verify says so.
    fields = {difference.field for difference in ann.verify().differences}
    assert fields == ({"row"} if pruned == "projection_progress" else set())


def test_names_of_constraints_and_indexes_mean_nothing(urls: Urls, ann: Engine) -> None:
    """An operator's tool, or a partition, may name them otherwise: conflicts stay the typed ones,
    told from what the caller gave."""
    with owner(urls) as conn:
        found = conn.execute(
            "SELECT c.conrelid::regclass::text, c.conname FROM pg_constraint c "
            "WHERE c.conrelid::regclass::text = ANY (%s) AND c.contype IN ('p', 'u')",
            (list(TABLES),),
        ).fetchall()
        for number, (table, name) in enumerate(found):
            conn.execute(f"ALTER TABLE {table} RENAME CONSTRAINT {name} TO other_{number}".encode())
        assert len(found) >= len(TABLES)
    with pytest.raises(DuplicateKeyConflict, match="key first of source api"):
        ann.record(task("T-2"), key="first")
    with pytest.raises(VersionConflict, match="task/T-1") as conflict:
        ann.record(StartTask(task_id="T-1"), expected_version=7)
    assert (conflict.value.expected, conflict.value.actual) == (7, 2)

    def race(number: int) -> tuple[object, ...]:
        try:
            ann.record(task("T-race"), expected_version=0, key=f"race-{number}")
        except VersionConflict as lost:
            return ("lost", lost.stream, lost.expected, lost.actual)
        return ("won",)

    with ThreadPoolExecutor(8) as pool:
        outcomes = sorted(pool.map(race, range(50)), key=str)
    assert outcomes == [("lost", "task/T-race", 0, 1)] * 49 + [("won",)]
    with ThreadPoolExecutor(8) as pool:
        same = [pool.submit(ann.record, task("T-same"), key="same") for _ in range(20)]
        receipts = [done.result() for done in same]
    assert {receipt.positions for receipt in receipts} == {(4,)}
    assert sum(not receipt.duplicate for receipt in receipts) == 1
    assert ann.is_whole()


def test_a_thousand_facts_of_one_task(urls: Urls, ann: Engine) -> None:
    """The log grows by one event each and nothing else grows: one row, of a bounded size."""
    sizes = []
    for batch in range(4):
        ann.record_all(
            [EnterTaskPhase(task_id="T-1", phase=f"phase {batch} {n % 7}") for n in range(250)]
        )
        counts = [do_as_owner(urls, f"SELECT count(*) FROM {table}")[0][0] for table in TABLES]
        events = 2 + 250 * (batch + 1)
        assert counts == [events, 1, events, 1, 1]
        sizes.append(do_as_owner(urls, "SELECT length(work_task::text) FROM work_task")[0][0])
    assert max(sizes) - min(sizes) < 20  # numbers of more digits
    assert do_as_owner(
        urls, "SELECT count(*) FROM catchup_due WHERE projection_set = 'inline'"
    ) == [(0,)]
