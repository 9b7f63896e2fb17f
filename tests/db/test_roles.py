"""Who may log in as what: unsafe logins are refused, and the right ones are made, by anybody who
may create roles, as often as they like.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from conftest import Cluster, Urls
from workindex.domain.errors import NotReady, Unavailable
from workindex.eventlog.database import Database
from workindex.eventlog.migrate import TURN, Logins, bootstrap, upgrade
from workindex.eventlog.revision import check_revision

ROLES = ("workindex_owner", "workindex_app", "workindex_maint", "workindex_search")
WITH_PASSWORD = "t_password"
# Words: a login that may create roles. Prints nothing; an error is a traceback and exit code 1.
SET_UP = """
import sys
from workindex.eventlog.migrate import bootstrap, upgrade
upgrade(bootstrap(sys.argv[1]))
"""


def run(url: str, *statements: str) -> None:
    """Give statements as the superuser."""
    with psycopg.connect(url, autocommit=True) as conn:
        for statement in statements:
            conn.execute(statement.encode())


def rows(url: str, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url, autocommit=True) as conn:
        return conn.execute(query.encode()).fetchall()


@pytest.fixture(scope="module")
def hba(cluster: Cluster) -> Iterator[None]:
    """Lets roles of tests log in over the socket, and asks for passwords in one database."""
    ((path,),) = rows(cluster.admin, "SHOW hba_file")
    before = Path(path).read_text()
    mine = f"local {WITH_PASSWORD} workindex_app,workindex_maint scram-sha-256\n"
    mine += "local all t_1,t_2,t_admin trust\n"
    Path(path).write_text(mine + before)
    run(cluster.admin, "SELECT pg_reload_conf()")
    deadline = time.monotonic() + 10
    while "does not exist" not in refused_login(cluster):
        assert time.monotonic() < deadline, "the server does not take the new rules"
        time.sleep(0.02)
    yield
    Path(path).write_text(before)
    run(cluster.admin, "SELECT pg_reload_conf()")


def refused_login(cluster: Cluster) -> str:
    with pytest.raises(psycopg.OperationalError) as refused:
        psycopg.connect(login(cluster.urls("postgres"), "t_1"))
    return str(refused.value)


@pytest.fixture
def logins(cluster: Cluster, hba: None) -> Iterator[Cluster]:
    """The server; databases and roles that the test makes (their names begin with t_) go."""
    yield cluster
    for (name,) in rows(cluster.admin, "SELECT datname FROM pg_database WHERE datname ~ '^t_'"):
        run(cluster.admin, f"DROP DATABASE {name} WITH (FORCE)")
    for (name,) in rows(cluster.admin, "SELECT rolname FROM pg_roles WHERE rolname ~ '^t_'"):
        run(cluster.admin, f"DROP ROLE {name}")


@pytest.fixture
def bare(logins: Cluster) -> Iterator[Cluster]:
    """The server as if none of our roles were there."""
    for role in ROLES:
        run(logins.admin, f"ALTER ROLE {role} RENAME TO kept_{role}")
    yield logins
    for (name,) in rows(logins.admin, "SELECT datname FROM pg_database WHERE datname ~ '^t_'"):
        run(logins.admin, f"DROP DATABASE {name} WITH (FORCE)")
    for role in ROLES:
        run(logins.admin, f"DROP ROLE IF EXISTS {role}", f"ALTER ROLE kept_{role} RENAME TO {role}")


def login(urls: Urls, role: str, **options: str) -> str:
    """The URL of another login into the same database."""
    return make_conninfo("", **{**conninfo_to_dict(urls.app), "user": role, **options})


def assert_usable(urls: Urls) -> None:
    """Both pools open, and the schema is that of this program."""
    database = Database(urls.app, maint_url=urls.maint)
    try:
        with database.connection() as app, database.maintenance() as maint:
            check_revision(app)
            check_revision(maint)
    finally:
        database.close()


def refusal(url: str, *, maint: bool = False) -> str:
    """The words with which the pool refuses a login."""
    database = Database("", maint_url=url) if maint else Database(url)
    with (
        pytest.raises(NotReady) as refused,
        database._pool("maint" if maint else "app").connection(),
    ):
        pass
    return str(refused.value)


@pytest.mark.pg15
@pytest.mark.parametrize(
    ("made", "fault"),
    [
        ("CREATE ROLE t_1 LOGIN SUPERUSER", "is a superuser"),
        ("CREATE ROLE t_1 LOGIN BYPASSRLS", "bypasses row-level security"),
        ("CREATE ROLE t_1 LOGIN IN ROLE workindex_maint", "is a member of workindex_maint"),
        ("CREATE ROLE t_1 LOGIN IN ROLE workindex_owner", "is a member of workindex_owner"),
        ("CREATE ROLE t_1 LOGIN IN ROLE workindex_app", "is a member of workindex_app"),
        ("CREATE ROLE t_1 LOGIN IN ROLE workindex_search", "is a member of workindex_search"),
        (
            "CREATE ROLE t_2 IN ROLE workindex_maint; CREATE ROLE t_1 LOGIN NOINHERIT IN ROLE t_2",
            "is a member of workindex_maint",
        ),
        (
            "CREATE ROLE t_2 BYPASSRLS; CREATE ROLE t_1 LOGIN IN ROLE t_2",
            "is a member of t_2",
        ),
        ("CREATE ROLE t_1 LOGIN", "is not workindex_app"),
    ],
)
def test_the_pool_refuses_a_login_that_could_see_more(
    logins: Cluster, urls: Urls, made: str, fault: str
) -> None:
    """A login that row-level security would not hold back is refused, with what to do."""
    run(logins.admin, *made.split("; "))
    words = refusal(login(urls, "t_1"))
    assert fault in words
    assert "t_1" in words
    assert "log in as workindex_app (workindex db init --owner-url URL creates it)" in words


@pytest.mark.pg15
def test_the_pool_refuses_the_owner_of_a_table(logins: Cluster, urls: Urls) -> None:
    """Whoever owns a table can drop its policies."""
    run(urls.owner, "CREATE ROLE t_1 LOGIN", "ALTER TABLE message OWNER TO t_1")
    assert "owns tables of ours" in refusal(login(urls, "t_1"))
    run(urls.owner, "ALTER TABLE message OWNER TO workindex_owner")


@pytest.mark.pg15
def test_the_pool_refuses_a_login_that_only_plays_the_application(
    logins: Cluster, urls: Urls
) -> None:
    """A role set at the start can be left again, so the login itself is judged."""
    run(logins.admin, "CREATE ROLE t_1 LOGIN SUPERUSER")
    assert "is a superuser" in refusal(login(urls, "t_1", options="-c role=workindex_app"))


@pytest.mark.pg15
def test_the_pool_refuses_the_other_login(cluster: Cluster, urls: Urls) -> None:
    """Neither login does in the place of the other, and the message names the right one."""
    assert "is not workindex_app" in refusal(urls.maint)
    assert "log in as workindex_maint" in refusal(urls.app, maint=True)
    assert "is a superuser" in refusal(urls.owner, maint=True)


@pytest.mark.pg15
def test_the_pool_refuses_the_right_login_with_too_much(logins: Cluster, urls: Urls) -> None:
    """The application's own role is refused too while it can do more than it should."""
    run(logins.admin, "ALTER ROLE workindex_app BYPASSRLS")
    try:
        assert "take that away from workindex_app" in refusal(urls.app)
    finally:
        run(logins.admin, "ALTER ROLE workindex_app NOBYPASSRLS")
    run(logins.admin, "GRANT workindex_maint TO workindex_app")
    try:
        assert "is a member of workindex_maint" in refusal(urls.app)
    finally:
        run(logins.admin, "REVOKE workindex_maint FROM workindex_app")
    assert_usable(urls)


@pytest.mark.pg15
def test_setting_up_twice_changes_nothing(logins: Cluster) -> None:
    """Roles, database, grants and schema are the same after the second time."""
    url = logins.urls("t_twice").owner
    upgrade(bootstrap(url))
    before = access(url)
    upgrade(bootstrap(url))
    assert access(url) == before


def access(url: str) -> list[list[tuple[Any, ...]]]:
    """Roles, memberships and who may do what with database and schema."""
    return [
        rows(url, query)
        for query in (
            "SELECT rolname, rolsuper, rolcanlogin, rolbypassrls FROM pg_roles ORDER BY 1",
            "SELECT roleid::regrole::text, member::regrole::text FROM pg_auth_members"
            " ORDER BY 1, 2",
            "SELECT datdba::regrole::text, datacl::text FROM pg_database"
            " WHERE datname = current_database()",
            "SELECT nspacl::text FROM pg_namespace WHERE nspname = 'public'",
            "SELECT version_num FROM workindex_revision",
        )
    ]


@pytest.mark.pg15
def test_the_database_gives_nobody_else_anything(logins: Cluster) -> None:
    """Nobody but the owner creates objects, and the public makes no temporary tables."""
    url = logins.urls("t_closed").owner
    bootstrap(url)
    owner = "SELECT datdba::regrole::text FROM pg_database WHERE datname = current_database()"
    assert rows(url, owner) == [("workindex_owner",)]
    for role in ("workindex_app", "workindex_maint", "workindex_search", "public"):
        allowed = rows(
            url,
            f"SELECT has_database_privilege('{role}', current_database(), 'CREATE'),"
            f" has_database_privilege('{role}', current_database(), 'TEMPORARY'),"
            f" has_schema_privilege('{role}', 'public', 'CREATE')",
        )
        assert allowed == [(False, False, False)], role


def test_the_first_set_up_by_three_processes_at_once(bare: Cluster) -> None:
    """Whoever comes first makes it, and nobody fails: an embedded server's cold start."""
    url = bare.urls("t_three").owner
    started = [
        subprocess.Popen([sys.executable, "-c", SET_UP, url], stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    errors = [process.communicate(timeout=60)[1] for process in started]
    assert [process.returncode for process in started] == [0] * 3, errors
    assert_usable(bare.urls("t_three"))


@pytest.mark.pg15
def test_a_set_up_beside_a_migration(logins: Cluster) -> None:
    """A migration grants on the schema as the set-up does: whoever is second waits and succeeds."""
    url = logins.urls("t_beside").owner
    bootstrap(url)
    with psycopg.connect(url) as migration, ThreadPoolExecutor() as pool:
        migration.execute("SELECT pg_advisory_xact_lock(%s)", (TURN,))
        migration.execute("GRANT CREATE ON SCHEMA public TO workindex_search")
        second = pool.submit(bootstrap, url)
        waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid()"
        while not rows(url, waiting):
            assert not second.done(), second.result()
            time.sleep(0.01)
        migration.execute("REVOKE CREATE ON SCHEMA public FROM workindex_search")
        migration.commit()
        assert second.result()


@pytest.mark.pg15
@pytest.mark.parametrize("inherits", ["INHERIT", "NOINHERIT"])
def test_a_login_that_is_no_superuser_sets_everything_up(bare: Cluster, inherits: str) -> None:
    """CREATEROLE and CREATEDB are enough (a managed server gives no more), also twice."""
    run(bare.admin, f"CREATE ROLE t_admin LOGIN CREATEROLE CREATEDB {inherits}")
    urls = bare.urls("t_managed")
    url = login(urls, "t_admin")
    for _ in range(2):
        upgrade(bootstrap(url))
    owners = rows(urls.owner, "SELECT DISTINCT relowner::regrole::text FROM pg_class"
                              " WHERE relnamespace = 'public'::regnamespace")  # fmt: skip
    assert owners == [("workindex_owner",)]
    assert_usable(urls)


@pytest.mark.pg15
def test_a_database_that_the_login_owns_already_is_taken(bare: Cluster) -> None:
    """A managed server often comes with its one database; ours goes into that."""
    run(bare.admin, "CREATE ROLE t_admin LOGIN CREATEROLE CREATEDB")
    run(bare.admin, "CREATE DATABASE t_given OWNER t_admin")
    urls = bare.urls("t_given")
    upgrade(bootstrap(login(urls, "t_admin")))
    assert_usable(urls)


@pytest.mark.pg15
def test_a_login_that_may_create_no_role_is_told_what_is_missing(bare: Cluster) -> None:
    """The message names the two rights, and nothing is left behind."""
    run(bare.admin, "CREATE ROLE t_admin LOGIN")
    with pytest.raises(NotReady, match="CREATEROLE and CREATEDB"):
        bootstrap(login(bare.urls("t_none"), "t_admin"))
    assert rows(bare.admin, "SELECT rolname FROM pg_roles WHERE rolname ~ '^workindex'") == []


@pytest.mark.pg15
def test_a_login_that_may_not_become_the_owner_is_sent_to_init(logins: Cluster, urls: Urls) -> None:
    """Migrating takes the owner role; the message names the command that grants it."""
    run(logins.admin, "CREATE ROLE t_admin LOGIN CREATEROLE CREATEDB")
    with pytest.raises(NotReady, match="workindex db init --owner-url"):
        upgrade(login(urls, "t_admin"))


@pytest.mark.pg15
def test_migrating_before_the_roles_exist_is_sent_to_init(bare: Cluster) -> None:
    """The same where nobody ever set the server up."""
    run(bare.admin, "CREATE DATABASE t_raw")
    with pytest.raises(NotReady, match="workindex db init --owner-url"):
        upgrade(bare.urls("t_raw").owner)


@pytest.mark.pg15
def test_logins_with_passwords(bare: Cluster) -> None:
    """Passwords are set at the first and changed at a later time; a wrong one is Unavailable."""
    urls = bare.urls(WITH_PASSWORD)
    for word in ("first 'quoted\"", "second"):
        upgrade(bootstrap(urls.owner, Logins(app_password=word, maint_password=f"{word}-m")))
        app = login(urls, "workindex_app", password=word)
        maint = login(urls, "workindex_maint", password=f"{word}-m")
        assert_usable(urls._replace(app=app, maint=maint))
    with pytest.raises(Unavailable, match="password authentication failed"):
        assert_usable(urls._replace(app=login(urls, "workindex_app", password="first")))
