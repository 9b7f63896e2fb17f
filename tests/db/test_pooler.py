"""The log through a connection pooler in transaction mode: nothing of a session is ours there.

pgbouncer stands in front of the test's server with one server connection a role, so that every
transaction meets what others left behind. Where it is not installed these tests are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from bouncer import bouncer
from commands import Command
from conftest import Urls
from driver import actor
from engine import Engine, do_as_owner, question, task
from workindex import WorkIndex
from workindex.domain.errors import DuplicateKeyConflict, NotReady, Unavailable, VersionConflict
from workindex.domain.tasks import GiveTaskInput, StartTask
from workindex.eventlog import session
from workindex.eventlog.database import Database, log_in, with_options
from workindex.eventlog.migrate import bootstrap, upgrade
from workindex.eventlog.session import SESSION_SETTINGS, look_at
from workindex.projections.planning import Entry

WAYS: dict[str, dict[str, str]] = {
    "refuses options": {},
    "ignores options": {"ignore_startup_parameters": "options"},
}


@pytest.fixture(params=WAYS)
def pooled(request: pytest.FixtureRequest, urls: Urls) -> Iterator[Urls]:
    """The logins by way of a pooler that refuses settings at the start, or takes no notice."""
    with bouncer(urls, **WAYS[request.param]) as running:
        yield running.through(urls)


@pytest.fixture
def ann(pooled: Urls) -> Iterator[Engine]:
    """A user behind the pooler whose task waits for an answer."""
    with closing(Database(pooled.app, maint_url=pooled.maint)) as database:
        engine = Engine(database)
        engine.record(task("T-1"))
        engine.record(question("T-1"))
        yield engine


@pytest.mark.pg15
def test_settings_hold_in_every_session(pooled: Urls) -> None:
    """The pooler is noticed, nothing is prepared, and each setting is that of a direct session."""
    with closing(Database(pooled.app, maint_url=pooled.maint)) as database:
        for lend in (database.connection, database.maintenance):
            with lend() as conn:
                assert conn.prepare_threshold is None
                assert look_at(conn) == (True, ())
                for name, value in SESSION_SETTINGS.items():
                    row = conn.execute(
                        "SELECT setting FROM pg_settings WHERE lower(name) = %s", (name,)
                    ).fetchone()
                    assert row == (value,)


def test_a_direct_connection_is_none(urls: Urls) -> None:
    """Without a pooler statements are prepared, and the settings come along as it starts."""
    login = log_in(urls.app)
    assert not login.is_pooled
    with closing(Database(urls.app)) as database, database.connection() as conn:
        assert conn.prepare_threshold == 1


def test_a_dead_network_shows() -> None:
    """A connection over TCP asks whether the other end is there, as often as the URL says."""
    given = conninfo_to_dict(with_options("postgresql://db.example/w?keepalives_idle=7"))
    assert given["keepalives_idle"] == "7"
    assert (given["keepalives_interval"], given["keepalives_count"]) == ("10", "3")
    assert (given["connect_timeout"], given["tcp_user_timeout"]) == ("5", "60000")


@pytest.mark.pg15
def test_append_ask_and_keys(ann: Engine) -> None:
    """Many times the same statements on one lent connection: each append is there once."""
    for number in range(20):
        receipt = ann.record(task(f"N-{number}"), key=f"K-{number}")
        assert receipt.positions == (3 + number,)
        assert ann.record(task(f"N-{number}"), key=f"K-{number}").duplicate
        assert ann.proof().verdict == "items"
    with pytest.raises(DuplicateKeyConflict):
        ann.record(task("N-99"), key="K-1")
    with pytest.raises(VersionConflict):
        ann.record(StartTask(task_id="T-1"), expected_version=9)
    ann.record(GiveTaskInput(task_id="T-1", request_id="R-1", answer="red"))
    assert ann.proof().verdict == "proven_empty"
    assert [event.position for event in ann.events()] == list(range(1, 24))
    assert ann.is_whole()


@pytest.mark.pg15
def test_racing_writers(pooled: Urls, ann: Engine) -> None:
    """Sixteen writers of one user over one lent connection: dense positions, nothing twice."""

    def write(number: int) -> int:
        command = StartTask(task_id="T-1") if number % 2 else task(f"N-{number}")
        receipts = ann.record_all([Entry(command, f"K-{number}"), Entry(task(f"M-{number}"))])
        return len(receipts[0].positions) + len(receipts[1].positions)

    with ThreadPoolExecutor(16) as writers:
        appended = sum(writers.map(write, range(48)))
    assert [event.position for event in ann.events()] == list(range(1, 2 + appended + 1))
    # 24 new tasks, one start that did something, 48 more tasks.
    assert appended == 73
    assert ann.is_whole()


@pytest.mark.pg15
def test_tenants_on_one_lent_connection(pooled: Urls, ann: Engine) -> None:
    """The user of one transaction is nobody in the next one, on whosever connection it runs."""
    work_index = WorkIndex(ann.database)

    def live(name: str) -> list[str]:
        user, me = work_index.user(name), actor("user")
        for number in range(8):
            user.record({"type": "create_task", "task_id": f"T-{number}", "title": name}, actor=me)
        titles = {row["title"] for row in user.index().to_json()["tasks"]}
        return [] if titles == {name} and len(list(user.log())) == 8 else [name]

    with ThreadPoolExecutor(8) as users:
        assert list(users.map(live, [f"user-{n}" for n in range(8)])) == [[]] * 8
    with psycopg.connect(pooled.app, autocommit=True, prepare_threshold=None) as conn:
        for table in ("event", "user_log", "work_task", "command_key"):
            assert conn.execute(f"SELECT count(*) FROM {table}".encode()).fetchone() == (0,)
    with ann.database.maintenance() as conn:
        assert conn.execute("SELECT count(*) FROM user_log").fetchone() == (9,)


def test_the_command_line(pooled: Urls, urls: Urls) -> None:
    """Recording, asking, verifying and the readiness probe do through a pooler what they do."""
    workindex = Command({**pooled.env, "WORKINDEX_OWNER_URL": urls.owner})
    workindex("record", "bob", input='{"type": "create_task", "title": "Call Ann"}\n')
    assert workindex("ask", "bob", "what needs me?").out == "Nothing needs you right now.\n"
    assert workindex("projections", "verify", "--json").document["differences"] == []
    (server,) = [
        check
        for check in workindex("doctor", "--json", code=None).document["checks"]
        if check["name"] == "server"
    ]
    assert server["ok"]
    assert server["detail"].endswith(", through a connection pooler")


def forget_settings(urls: Urls) -> None:
    """The logins as a program made them that knew of no pooler."""
    for role in ("workindex_app", "workindex_maint"):
        do_as_owner(urls, f"ALTER ROLE {role} RESET ALL")


@pytest.mark.pg15
def test_a_login_without_settings_of_its_own_is_refused(urls: Urls) -> None:
    """Where the pooler would pass on no limit, opening says which, and each way out it names
    helps: `db init`, or the statements, which the login itself may give."""
    forget_settings(urls)
    try:
        with bouncer(urls) as running:
            pooled = running.through(urls)
            with (
                closing(Database(pooled.app)) as database,
                pytest.raises(NotReady) as refused,
                database.connection(),
            ):
                pass
            told = str(refused.value)
            assert "plan_cache_mode, enable_seqscan, lock_timeout, statement_timeout" in told
            with psycopg.connect(urls.app, autocommit=True) as conn:
                for statement in told.partition("as workindex_app: ")[2].split("; ")[:-1]:
                    conn.execute(statement.encode())
            running.connect_anew()
            with closing(Database(pooled.app, maint_url=pooled.maint)) as database:
                with database.connection() as conn:
                    assert look_at(conn).unset == ()
                with pytest.raises(NotReady, match="workindex_maint"), database.maintenance():
                    pass
            bootstrap(urls.owner)
            running.connect_anew()
            with (
                closing(Database(pooled.app, maint_url=pooled.maint)) as database,
                database.maintenance() as conn,
            ):
                assert look_at(conn).unset == ()
    finally:
        bootstrap(urls.owner)


def test_setting_up_keeps_what_an_operator_chose(urls: Urls) -> None:
    """A limit of the operator's own stays when the roles are looked at again."""
    do_as_owner(urls, "ALTER ROLE workindex_app SET lock_timeout = '7s'")
    try:
        bootstrap(urls.owner)
        with (
            bouncer(urls) as running,
            closing(Database(running.through(urls).app)) as database,
            database.connection() as conn,
        ):
            assert conn.execute("SHOW lock_timeout").fetchone() == ("7s",)
    finally:
        forget_settings(urls)
        bootstrap(urls.owner)


@pytest.mark.pg15
def test_setting_up_through_a_pooler(pooled: Urls, urls: Urls) -> None:
    """Roles are not made through a pooler; a migration runs in one transaction, so it may be."""
    with pytest.raises(NotReady, match="owner URL leads to a connection pooler"):
        bootstrap(pooled.owner)
    for _ in range(2):
        upgrade(pooled.owner)
    held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
    assert do_as_owner(urls, held) == [(0,)]


def test_lent_connections_that_end(urls: Urls, ann: Engine) -> None:
    """Server connections that are terminated under the pooler cost attempts and no append."""
    for number in range(3, 8):
        do_as_owner(
            urls,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND usename = 'workindex_app'",
        )
        assert ann.record(task(f"T-{number}"), key=f"K-{number}").positions == (number,)
    assert ann.is_whole()


def test_the_pooler_goes(urls: Urls) -> None:
    """A pooler that is gone is Unavailable, and no answer says that nothing is there."""
    with bouncer(urls) as running, closing(Database(running.through(urls).app)) as database:
        bob = WorkIndex(database).user("bob")
        bob.record({"type": "create_task", "title": "Call"}, actor=actor("user"))
        running.process.kill()
        running.process.wait()
        answer = bob.ask("what needs me?")
        assert answer is not None
        assert (answer.verdict, answer.reasons) == ("unproven", ("unavailable",))
        with pytest.raises(Unavailable):
            bob.record({"type": "create_task", "title": "Call"}, actor=actor("user"))


def test_nothing_of_a_session_in_the_code() -> None:
    """No statement of the log changes or holds anything beyond its transaction."""
    beyond = re.compile(
        r"\"SET (?!LOCAL|TRANSACTION)|pg_(try_)?advisory_(un)?lock|\"LISTEN|WITH HOLD|CREATE TEMP|"
        r"set_config\([^)]*false\)"
    )
    found = [
        f"{path.name}: {line.strip()}"
        for folder in ("eventlog", "projections", "service")
        for path in sorted((Path(session.__file__).parents[1] / folder).rglob("*.py"))
        if path.name not in ("migrate.py", "session.py")  # the owner's own connection; a message
        for line in path.read_text(encoding="utf-8").splitlines()
        if beyond.search(line)
    ]
    assert found == []
