"""A database that the first release filled is upgraded, read, written to and taken back.

The golden databases were made by the programs of their time (each file says what it holds) and
are never changed; what is expected of them is written down here by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event
from time import monotonic, sleep
from typing import Any

import psycopg
import pytest

from catalog_dump import catalog, rows_of
from commands import Installed
from conftest import TEMPLATE, Cluster, Urls
from driver import NOW
from engine import Engine, do_as_owner, task
from everything import EVERYTHING, give
from workindex import WorkIndex
from workindex.domain.approval_commands import DenyApproval
from workindex.domain.conversations import PostMessage
from workindex.domain.proactive_commands import AnswerProposal
from workindex.domain.reminders import DismissReminder
from workindex.domain.tasks import GiveTaskInput, StartTask
from workindex.eventlog import migrate
from workindex.eventlog.database import Database
from workindex.eventlog.migrate import bootstrap, downgrade, upgrade
from workindex.projections.table import NEED_COLUMNS
from workindex.projections.verify import Verifier

pytestmark = pytest.mark.pg15
DATABASES = Path(__file__).resolve().parents[1] / "golden" / "databases"
FIRST = DATABASES / "0001.sql"
VERSION_TABLE = "workindex_revision"
HEADS = {"ann": 105, "bob": 105, "cem": 54, "dee": 5, "eli": 3}


def minute(number: int) -> datetime:
    """So many minutes after the first event of the golden database."""
    return NOW + timedelta(minutes=number)


def superuser(urls: Urls) -> psycopg.Connection[Any]:
    return psycopg.connect(urls.owner, autocommit=True)


@pytest.fixture
def old(cluster: Cluster) -> Iterator[Urls]:
    """The golden database as the first release left it."""
    urls = cluster.urls("upgraded")
    bootstrap(urls.owner)
    with superuser(urls) as conn:
        conn.execute(FIRST.read_bytes())
    yield urls
    cluster.drop(urls)


@pytest.fixture
def database(old: Urls) -> Iterator[Database]:
    """The golden database after all migrations."""
    upgrade(old.owner)
    with closing(Database(old.app, maint_url=old.maint)) as opened:
        yield opened


def needs(engine: Engine | WorkIndex, user: str, now: datetime) -> tuple[str, list[str]]:
    """The verdict and the ids of what needs the user, most urgent first."""
    work_index = engine if isinstance(engine, WorkIndex) else WorkIndex(engine.database)
    answer = work_index.user(user).ask("What needs me?", now=now)
    assert answer is not None
    assert not answer.reasons, answer.reasons
    return answer.verdict, [item.id for item in answer.items]


def user_tables(conn: psycopg.Connection[Any]) -> list[str]:
    found = conn.execute(
        "SELECT table_name FROM information_schema.columns "
        "WHERE table_schema = 'public' AND column_name = 'user_id' ORDER BY 1"
    )
    return [row[0] for row in found.fetchall()]


def test_the_first_migration_is_as_it_was(cluster: Cluster, old: Urls) -> None:
    """Today's first migration makes, object for object, what the first release had."""
    fresh = cluster.urls("first_again")
    bootstrap(fresh.owner)
    upgrade(fresh.owner, "0001")
    with superuser(fresh) as now, superuser(old) as then:
        assert catalog(now, without=VERSION_TABLE) == catalog(then, without=VERSION_TABLE)
    cluster.drop(fresh)


def test_upgraded_schema_is_a_fresh_one(cluster: Cluster, old: Urls, database: Database) -> None:
    """Tables that held rows come out of the migrations as empty ones do, column for column."""
    with superuser(cluster.urls(TEMPLATE)) as fresh, superuser(old) as upgraded:
        assert catalog(upgraded) == catalog(fresh)


def test_nothing_is_lost_or_made_up(old: Urls, database: Database) -> None:
    """Every event is there, whole and decodable, and every row is what its events fold to."""
    for user, head in HEADS.items():
        events = Engine(database, user).events()
        assert [event.position for event in events] == list(range(1, head + 1))
    report = Verifier(database).verify()
    assert (report.users, report.events) == (len(HEADS), sum(HEADS.values()))
    assert (report.differences, report.log_faults) == ([], [])
    assert [user["user_id"] for user in report.parked] == ["dee"]
    assert [user["user_id"] for user in report.behind] == ["eli"]


def test_whole_log_reads_as_it_was_given(database: Database) -> None:
    """Every entity of the whole log stands where its last command left it."""
    index = WorkIndex(database).user("bob").index(now=minute(30)).to_json()

    def statuses(section: str, id_: str, status: str = "status") -> dict[str, str]:
        return {row[id_]: row[status] for row in index[section]}

    assert statuses("tasks", "task_id") == {
        "T-1": "active", "T-2": "blocked", "T-3": "scheduled", "T-5": "failed"
    }  # fmt: skip
    assert statuses("meetings", "meeting_id") == {"M-1": "ended", "M-2": "cancelled"}
    assert statuses("commitments", "commitment_id") == {"C-1": "open", "C-2": "kept"}
    assert statuses("approvals", "approval_id") == {
        "A-1": "requested", "A-2": "executed", "A-3": "denied", "A-4": "expired",
        "A-5": "granted_not_executed", "A-6": "withdrawn", "A-7": "moot", "A-8": "failed",
        "A-9": "outcome_unknown",
    }  # fmt: skip
    assert statuses("reminders", "reminder_id") == {
        "RE-1": "snoozed", "RE-2": "dismissed", "RE-3": "cancelled"
    }  # fmt: skip
    assert statuses("routines", "routine_id") == {"R-1": "active"}
    assert statuses("connections", "connection_id") == {"mail:ACC-1": "connected"}
    assert statuses("credits", "account", "amount") == {"ACC-2": "12.5"}
    assert statuses("sources", "source", "state") == {"SRC-1": "whole"}
    assert [row["pending"] for row in index["tasks"]] == ["approval", "none", "none", "none"]


@pytest.mark.parametrize("user", ["ann", "bob"])
def test_what_needs_the_whole_log(database: Database, user: str) -> None:
    """The approval of T-1 is told by T-1; a snoozed reminder joins at its hour."""
    engine = Engine(database, user)
    assert needs(engine, user, minute(59)) == ("items", ["A-9", "T-1", "PR-1"])
    assert needs(engine, user, minute(60)) == ("items", ["RE-1", "A-9", "T-1", "PR-1"])


# What the first release stored decides, at every instant, who is asked: expired requests fall out,
# an execution past its deadline and a reminder whose time has come join. Ended tasks (N-4),
# answered (N-7) and never asked ones (N-8), used and unused grants (V-4, V-7), the denied (V-8),
# the dismissed (B-4) and the accepted (P-3) never do.
CEM = {
    30: "B-2 V-2 P-2 N-2 N-3 N-6 V-1 V-6 P-1 N-1 N-5 N-9",
    59: "B-2 V-2 P-2 N-2 N-3 N-6 V-1 V-6 P-1 N-1 N-5 N-9",
    60: "B-2 V-5 B-1 B-3 N-6 V-1 N-3 V-6 P-1 N-1 N-5 N-9",
    120: "B-2 V-5 B-1 B-3 N-3 V-6 P-1 N-1 N-5 N-9",
    240: "B-2 V-5 B-1 B-3 V-6 P-1 N-1 N-5 N-9",
    600: "B-2 V-5 B-1 B-3 V-6 B-5 P-1 N-1 N-5 N-9",
}


@pytest.mark.parametrize("at", CEM)
def test_old_rows_at_every_instant(database: Database, at: int) -> None:
    """Rows that the first release wrote are found by what the newest one asks for."""
    assert needs(Engine(database), "cem", minute(at)) == ("items", CEM[at].split())


@pytest.mark.parametrize(("at", "until"), [(30, 60), (60, 120), (120, 240), (240, 600)])
def test_old_rows_bound_a_certificate(database: Database, at: int, until: int) -> None:
    """A certificate over old rows ends when the first of them changes the answer."""
    answer = WorkIndex(database).user("cem").ask("What needs me?", now=minute(at))
    assert answer is not None
    assert answer.certificate["valid_until"] == minute(until).isoformat()
    assert answer.certificate["live"] is False


def test_old_rows_are_appended_to(database: Database) -> None:
    """Each kind of old row takes its next event, and drops out of what needs the user."""
    cem = Engine(database, "cem")
    for command in (
        GiveTaskInput(task_id="N-1", request_id="R-1", answer="x"),
        GiveTaskInput(task_id="N-3", request_id="R-3", answer="x"),
        DenyApproval(approval_id="V-1"),
        DismissReminder(reminder_id="B-2"),
        AnswerProposal(proposal_id="P-1", answer="declined"),
    ):
        cem.record(command, now=minute(30))
    left = ["V-2", "P-2", "N-2", "N-6", "N-3", "V-6", "N-5", "N-9"]  # N-3 waits until one o'clock
    assert needs(cem, "cem", minute(30)) == ("items", left)
    assert cem.is_whole()


def test_old_keys_are_known(database: Database) -> None:
    """What was recorded before the upgrade is not recorded again after it."""
    before = Engine(database, "bob").events()
    for place, step in enumerate(EVERYTHING[:40]):
        receipt = give(database, "bob", step, key=f"K-{place}")
        assert receipt.duplicate
        assert {before[at - 1].fact.type for at in receipt.positions}
    assert Engine(database, "bob").events() == before


def test_an_old_park_stands_and_hides_nothing_else(old: Urls, database: Database) -> None:
    """What was parked stays parked with its reason; the other members answer and move on."""
    dee = Engine(database, "dee")
    assert dee.read({"message": "all"}).reasons == ("parked",)
    assert dee.progress()["parked"]["conversation"]["failed_position"] == 3
    assert needs(dee, "dee", minute(30)) == ("items", ["D-1"])
    dee.record(PostMessage(thread_id="TH", message_id="ME-4", role="user", text="later"))
    dee.record(GiveTaskInput(task_id="D-1", request_id="R-1", answer="this one"))
    assert needs(dee, "dee", minute(30)) == ("proven_empty", [])
    assert dee.progress()["parked"]["conversation"]["position"] == 3
    assert not dee.verify().differences


def test_rows_behind_the_log_catch_up(database: Database) -> None:
    """Events that the rows do not hold yet are folded on reading, and by the next append."""
    eli = Engine(database, "eli")
    assert needs(eli, "eli", minute(30)) == ("items", ["E-1"])
    assert eli.proof(now=minute(30)).certificate["live"] is True
    eli.record(GiveTaskInput(task_id="E-1", request_id="R-1", answer="x"))
    assert needs(eli, "eli", minute(30)) == ("items", ["E-1"])
    eli.record(GiveTaskInput(task_id="E-1", request_id="R-2", answer="y"))
    assert needs(eli, "eli", minute(30)) == ("proven_empty", [])
    assert eli.proof(now=minute(30)).certificate["live"] is False
    assert eli.is_whole()


# Binds: none. Whether anybody waits for a table that he would change.
WAITING = """
SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND locktype = 'relation' AND NOT granted
"""


def until(holds: Callable[[], bool]) -> None:
    """Wait until it holds."""
    deadline = monotonic() + 60
    while not holds():
        assert monotonic() < deadline
        sleep(0.005)


class Writers:
    """Four users, each with a writer who never waits for the others, until the block ends."""

    def __init__(self, urls: Urls) -> None:
        self._urls = urls
        self._stop = Event()
        self.written = dict.fromkeys(("w1", "w2", "w3", "w4"), 0)

    def __enter__(self) -> Writers:
        self._pool = ThreadPoolExecutor(len(self.written))
        self._done = [self._pool.submit(self._write, user) for user in self.written]
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._pool.shutdown()
        for done in self._done:
            done.result()

    def _write(self, user: str) -> None:
        with closing(Database(self._urls.app)) as database:
            engine = Engine(database, user)
            while not self._stop.is_set():
                engine.record(task(f"T-{self.written[user]}"))
                self.written[user] += 1

    def wait_for(self, more: int) -> None:
        """Until each of them has written so many more."""
        wanted = {user: count + more for user, count in self.written.items()}
        until(lambda: all(self.written[user] >= count for user, count in wanted.items()))


def test_upgrade_beside_writers(old: Urls) -> None:
    """Writers of both schemas go on, none is refused, and nothing of theirs is lost.

    Somebody reads a table for longer than the migration waits: it gives up, lets the writers
    that stood behind it pass, and tries again. It never waits for as long as a second.
    """
    assert migrate.MIGRATION_LOCK_TIMEOUT_MS < 1_000
    with Writers(old) as writers, superuser(old) as reader, ThreadPoolExecutor(1) as operator:
        writers.wait_for(5)
        with reader.transaction():
            reader.execute("SELECT count(*) FROM work_task")
            upgraded = operator.submit(upgrade, old.owner)
            until(lambda: reader.execute(WAITING).fetchone() is not None)
            until(lambda: reader.execute(WAITING).fetchone() is None)  # it gave up
            assert not upgraded.done()
        upgraded.result(timeout=60)
        writers.wait_for(5)
    with closing(Database(old.app, maint_url=old.maint)) as database:
        for user, count in writers.written.items():
            engine = Engine(database, user)
            assert [e.stream for e in engine.events()] == [f"task/T-{n}" for n in range(count)]
            assert engine.is_whole()


def test_rows_of_old_programs_that_go_on(old: Urls, database: Database) -> None:
    """What an old process writes after the upgrade lacks what is kept beside rows now: it is read
    all the same, and verify names what it lacks."""
    for table in ("work_task", "work_approval", "work_proposal", "work_reminder"):
        columns = ", ".join(f"{column} = NULL" for column in NEED_COLUMNS)
        do_as_owner(old, f"UPDATE {table} SET {columns}")
    for at, ids in CEM.items():
        assert needs(Engine(database), "cem", minute(at)) == ("items", ids.split())
    lacking = {difference.field for difference in Engine(database, "cem").verify().differences}
    assert lacking <= set(NEED_COLUMNS)
    assert "need_from_at" in lacking


def test_back_to_the_first_schema(old: Urls) -> None:
    """Down again, every row of every table is what the first release wrote, and so is the
    schema."""
    with superuser(old) as conn:
        tables = user_tables(conn)
        before = catalog(conn), {table: rows_of(conn, table) for table in tables}
        upgrade(old.owner)
        downgrade(old.owner, "0001")
        assert catalog(conn) == before[0]
        assert {table: rows_of(conn, table) for table in tables} == before[1]


def test_back_and_up_again_with_new_events(old: Urls, database: Database) -> None:
    """What was recorded between an upgrade and a downgrade is still there after the next one."""
    cem = Engine(database, "cem")
    cem.record(StartTask(task_id="N-8"), now=minute(30))
    cem.record(GiveTaskInput(task_id="N-1", request_id="R-1", answer="x"), now=minute(30))
    database.close()
    downgrade(old.owner, "0001")
    upgrade(old.owner)
    with closing(Database(old.app, maint_url=old.maint)) as again:
        assert not Verifier(again).verify().differences
        assert [e.position for e in Engine(again, "cem").events()] == list(range(1, 57))
        assert needs(Engine(again), "cem", minute(60)) == (
            "items",
            [id_ for id_ in CEM[60].split() if id_ != "N-1"],
        )


def test_an_operator_upgrades(old: Urls) -> None:
    """The command refuses the old schema by naming the command that helps, which then helps."""
    workindex = Installed(old.env)
    refused = workindex("ask", "eli", "What needs me?", code=4)
    assert "schema 0001" in refused.err
    assert "workindex db upgrade" in refused.err
    workindex("db", "upgrade")
    answer = workindex("ask", "eli", "What needs me?", "--json").document
    assert [item["id"] for item in answer["items"]] == ["E-1"]
