"""Do migrations make what the program expects, whole or not at all, up and down, on full tables?"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

import workindex
from catalog_dump import catalog, rows_of
from conftest import TEMPLATE, Cluster, Urls
from everything import fill
from workindex import WorkIndex
from workindex.domain.errors import NotReady, Unavailable
from workindex.eventlog import migrate
from workindex.eventlog.database import Database
from workindex.eventlog.migrate import bootstrap, downgrade, upgrade
from workindex.eventlog.revision import check_revision, head_revision
from workindex.eventlog.schema import OWNER_ROLE, TENANT_TABLES
from workindex.projections import ALL_TABLES
from workindex.projections.functions import functions_sql
from workindex.projections.schema import fresh_sql
from workindex.projections.sets import INLINE
from workindex.projections.verify import Verifier

VERSION_TABLE = "workindex_revision"
FROZEN = Path(workindex.__file__).parent / "alembic/versions"
TABLES = (*TENANT_TABLES, *(table.name for table in ALL_TABLES), "work_due", "document")
UPGRADE = "import sys; from workindex.eventlog.migrate import upgrade; upgrade(sys.argv[1])"


@pytest.fixture
def empty(cluster: Cluster) -> Iterator[Urls]:
    """A database as `bootstrap` leaves it: roles and rights, no schema."""
    urls = cluster.urls("unmigrated")
    bootstrap(urls.owner)
    yield urls
    cluster.drop(urls)


@pytest.fixture
def populated(database: Database) -> Database:
    """A migrated database in which two users have everything."""
    for user in ("ann", "bob"):
        fill(database, user)
    return database


def superuser(urls: Urls) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(urls.owner, autocommit=True)


def refusal(urls: Urls) -> str:
    """The words with which the program refuses the database's schema."""
    with pytest.raises(NotReady) as refused:
        WorkIndex.open(urls.app)
    return str(refused.value)


@pytest.mark.pg15
def test_a_migrated_database_is_a_fresh_one(cluster: Cluster, empty: Urls) -> None:
    """Tables, columns, constraints, indexes, policies, grants, functions and default privileges
    are the same after all migrations as when made from the definitions at once."""
    with superuser(empty) as conn:
        conn.execute(f"SET ROLE {OWNER_ROLE}".encode())
        conn.execute(fresh_sql(ALL_TABLES, INLINE.fold_version).encode())
        conn.execute("RESET ROLE")
        fresh = catalog(conn, without=VERSION_TABLE)
        fresh_rows = rows_of(conn, "projection_generation")
    with superuser(cluster.urls(TEMPLATE)) as conn:
        migrated = catalog(conn, without=VERSION_TABLE)
        assert rows_of(conn, "projection_generation") == fresh_rows
    assert migrated - fresh == set()
    assert fresh - migrated == set()
    assert {line.split()[1] for line in fresh if line.startswith("table ")} >= set(TABLES)


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE message ADD more text",
        "ALTER TABLE message ALTER thread_id DROP NOT NULL",
        "ALTER TABLE message RESET (fillfactor)",
        "ALTER TABLE message DROP CONSTRAINT message_user_id_check",
        "DROP INDEX work_due_due_at",
        "ALTER POLICY tenant ON message USING (true)",
        "GRANT TRUNCATE ON message TO workindex_app",
        "ALTER FUNCTION wi_proof(text, integer, jsonb) VOLATILE",
        "GRANT EXECUTE ON FUNCTION wi_proof(text, integer, jsonb) TO PUBLIC",
        "ALTER DEFAULT PRIVILEGES FOR ROLE workindex_owner GRANT EXECUTE ON FUNCTIONS TO PUBLIC",
    ],
)
def test_the_comparison_sees_a_change(urls: Urls, change: str) -> None:
    """What the comparison of catalogs would miss, it could not vouch for."""
    with superuser(urls) as conn:
        before = catalog(conn)
        conn.execute(change.encode())
        assert catalog(conn) != before


def test_the_frozen_functions_are_what_the_definitions_give() -> None:
    """A changed definition without a migration fails here; tables are compared above."""
    newest = max(FROZEN.glob("*/functions.sql"))
    assert newest.read_text(encoding="utf-8") == functions_sql(ALL_TABLES)


@pytest.mark.pg15
def test_down_and_up_on_full_tables(cluster: Cluster, urls: Urls, populated: Database) -> None:
    """Down leaves nothing of ours, up makes the same schema again, and it works."""
    with superuser(urls) as conn:
        assert all(rows_of(conn, table) for table in TABLES), "a table is empty"
        before = catalog(conn)
    populated.close()
    downgrade(urls.owner, "base")
    with superuser(urls) as conn:
        left = catalog(conn, without=VERSION_TABLE)
        assert [line for line in left if not line.startswith(("schema ", "extension "))] == []
    upgrade(urls.owner)
    with superuser(urls) as conn:
        assert catalog(conn) == before
    with closing(Database(urls.app)) as again:
        fill(again, "ann")


def test_up_again_changes_nothing_on_full_tables(urls: Urls, populated: Database) -> None:
    """A database at head is left alone: no row, no object moves."""
    with superuser(urls) as conn:
        before = catalog(conn), {table: rows_of(conn, table) for table in TABLES}
        upgrade(urls.owner)
        assert (catalog(conn), {table: rows_of(conn, table) for table in TABLES}) == before
    report = Verifier(populated).verify()
    assert report.users == 2
    assert report.is_clean, report


@pytest.mark.parametrize(
    "obstacle",
    [
        "CREATE TABLE work_due (n integer)",
        "CREATE FUNCTION wi_state(text, integer, jsonb) RETURNS void LANGUAGE sql AS ''",
    ],
)
def test_a_migration_that_fails_leaves_nothing(empty: Urls, obstacle: str) -> None:
    """All of it is one transaction: what came before the failure is gone with it."""
    with superuser(empty) as conn:
        conn.execute(obstacle.encode())
        before = catalog(conn)
        with pytest.raises(NotReady, match=r"already exists.*give an empty database"):
            upgrade(empty.owner)
        assert catalog(conn) == before


def test_a_migration_does_not_wait_for_ever(urls: Urls, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where somebody holds a table it gives up within its lock time-out, and changes nothing."""
    monkeypatch.setattr(migrate, "MIGRATION_LOCK_TIMEOUT_MS", 50)
    monkeypatch.setattr(migrate, "MIGRATION_TRIES_MAX", 2)
    with superuser(urls) as conn, superuser(urls) as holder, holder.transaction():
        before = catalog(conn)
        holder.execute("LOCK TABLE message IN ROW EXCLUSIVE MODE")
        with pytest.raises(Unavailable, match=r"nothing was changed.*workindex db upgrade again"):
            downgrade(urls.owner, "base")
        assert catalog(conn) == before


def test_two_processes_migrate_at_once(empty: Urls) -> None:
    """Both succeed: one migrates, the other finds it done."""
    started = [
        subprocess.Popen([sys.executable, "-c", UPGRADE, empty.owner], stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    errors = [process.communicate(timeout=60)[1] for process in started]
    assert [process.returncode for process in started] == [0, 0], errors
    with superuser(empty) as conn:
        check_revision(conn)


def test_threads_migrate_at_once(cluster: Cluster, empty: Urls) -> None:
    """Also in one process, one database or two."""
    other = cluster.urls("unmigrated_too")
    bootstrap(other.owner)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(upgrade, [empty.owner, other.owner] * 2)) == [None] * 4
    for urls in (empty, other):
        with superuser(urls) as conn:
            check_revision(conn)
    cluster.drop(other)


def test_who_migrates_second_waits_for_the_first(empty: Urls) -> None:
    """The second one begins when the first has ended, and sees what it did."""
    with ThreadPoolExecutor(1) as pool, superuser(empty) as first:
        with first.transaction():
            first.execute("SELECT pg_advisory_xact_lock(%s)", (migrate.TURN,))
            second = pool.submit(upgrade, empty.owner)
            deadline = time.monotonic() + 10
            waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            while first.execute(waiting).fetchone() is None:
                assert time.monotonic() < deadline, "nobody waits"
                time.sleep(0.01)
            assert not [line for line in catalog(first) if line.startswith("table ")]
        assert second.result(timeout=30) is None
        check_revision(first)


@pytest.mark.parametrize("found", [None, "0000"])
def test_an_older_schema_is_refused(urls: Urls, found: str | None) -> None:
    """The message names both revisions and the command that helps."""
    with superuser(urls) as conn:
        if found is None:
            conn.execute("DROP TABLE workindex_revision")
        else:
            conn.execute("UPDATE workindex_revision SET version_num = %s", (found,))
    words = refusal(urls)
    assert f"has schema {found or 'none'}" in words
    assert head_revision() in words
    assert "run workindex db upgrade" in words


def test_a_newer_schema_is_refused_and_left_alone(urls: Urls) -> None:
    """An old program neither uses nor migrates what a newer one made."""
    with superuser(urls) as conn:
        conn.execute("UPDATE workindex_revision SET version_num = '9999'")
        before = catalog(conn)
        assert "run a newer workindex" in refusal(urls)
        for migration in (upgrade, lambda url: downgrade(url, "base")):
            with pytest.raises(NotReady, match=r"schema 9999.*run a newer workindex"):
                migration(urls.owner)
        assert catalog(conn) == before


def test_no_server_is_unavailable(urls: Urls) -> None:
    """No raw error of a library where the server is not there."""
    with pytest.raises(Unavailable, match="does not answer"):
        upgrade("postgresql://postgres@/workindex?host=/nowhere")
