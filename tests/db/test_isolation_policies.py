"""Does every policy hold its table, and would a test fail without it?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest

from conftest import Cluster
from everything import fill
from isolation_check import ANN, BOB, TABLES, Conn, assert_isolated
from workindex.eventlog.database import Database

pytestmark = pytest.mark.pg15

POLICIES = [(table, policy) for table in TABLES for policy in ("tenant", "maintenance")]


@pytest.fixture(scope="module")
def full(cluster: Cluster) -> Iterator[Conn]:
    """A superuser's connection to a database in which two users have everything."""
    urls = cluster.clone()
    with closing(Database(urls.app)) as database:
        for user in (ANN, BOB):
            fill(database, user)
    with psycopg.connect(urls.owner, autocommit=True) as conn:
        yield conn
    cluster.drop(urls)


def test_the_list_of_policies_is_whole(full: Conn) -> None:
    """No table with a tenant and no policy is missing here."""
    found = full.execute("SELECT tablename::text, policyname::text FROM pg_policies").fetchall()
    assert sorted(found) == sorted([*POLICIES, ("document", "search")])
    tables = full.execute(
        "SELECT table_name::text FROM information_schema.columns"
        " WHERE table_schema = 'public' AND column_name = 'user_id'"
    ).fetchall()
    assert sorted(tables) == sorted((table,) for table in TABLES)


@pytest.mark.parametrize("table", TABLES)
def test_a_table_shows_and_takes_rows_of_its_tenant_only(full: Conn, table: str) -> None:
    """Both users have the same ids in it (J2); a role with all rights but one's own sees none."""
    assert_isolated(full, table)


@pytest.mark.parametrize(("table", "policy"), POLICIES)
def test_a_policy_that_is_dropped_is_missed(full: Conn, table: str, policy: str) -> None:
    """Each of them carries its part."""
    with full.transaction(force_rollback=True):
        full.execute(f"DROP POLICY {policy} ON {table}".encode())
        with pytest.raises(AssertionError, match=table):
            assert_isolated(full, table)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("change", ["USING (true)", "WITH CHECK (true)", "TO public"])
def test_a_policy_that_is_loosened_is_noticed(full: Conn, table: str, change: str) -> None:
    """Seeing too much, writing too much, and maintenance for everybody."""
    policy = "maintenance" if change == "TO public" else "tenant"
    with full.transaction(force_rollback=True):
        full.execute(f"ALTER POLICY {policy} ON {table} {change}".encode())
        with pytest.raises(AssertionError, match=table):
            assert_isolated(full, table)


@pytest.mark.parametrize("table", TABLES)
def test_row_security_that_is_not_forced_is_noticed(full: Conn, table: str) -> None:
    """An owner without it would see every row (J4)."""
    if table == "document" and full.info.server_version < 160_000:
        pytest.skip("before PostgreSQL 16 the owner reads documents as a member of the search role")
    with full.transaction(force_rollback=True):
        full.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY".encode())
        with pytest.raises(AssertionError, match="to its owner"):
            assert_isolated(full, table)
