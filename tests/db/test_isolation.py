"""Does a connection ever show one tenant to another, whoever used it before and however?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import cycle
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from conftest import Cluster, Urls
from engine import Engine, task
from everything import SECRET, fill
from isolation_check import ANN, BOB, TABLES
from workindex._links import FOLDERS
from workindex.eventlog.append import OTHER_TENANT, lock, sqlstate
from workindex.eventlog.database import Connection, Database, tenant_transaction
from workindex.projections.sets import INLINE
from workindex.projections.work_index import EVERYTHING, Reader

pytestmark = pytest.mark.pg15

FORGED = (
    "",
    " ",
    "'",
    "ann'",
    "'ann'",
    '"ann"',
    "ann' OR '1'='1",
    "ann'; RESET ROLE; --",
    "' OR true --",
    "a%",
    "a__",
    "%",
    "ANN",
    "ann ",
    " ann",
    "ann\n",
    "ann,bob",
    "{ann}",
    "$$ann$$",
    "user_id",
    "NULL",
    "workindex_maint",
    "\u0430nn",  # the first letter is Cyrillic
)


ROOT = Path(__file__).parents[2]
SETTING = re.compile(
    r"SET\s+(?:\w+\s+)?workindex\.user_id|set_config\(\s*'workindex[^)]*\)", re.IGNORECASE
)


@pytest.fixture(scope="module")
def full(cluster: Cluster) -> Iterator[Urls]:
    """A database in which ann and bob have everything."""
    urls = cluster.clone()
    with closing(Database(urls.app)) as database:
        for user in (ANN, BOB):
            fill(database, user)
    yield urls
    cluster.drop(urls)


@pytest.fixture
def database(full: Urls) -> Iterator[Database]:
    """Pools of that database; its connections are few, so that they are used again."""
    opened = Database(full.app, maint_url=full.maint, pool_max=3)
    yield opened
    opened.close()


def visible(conn: Connection) -> dict[str, set[str]]:
    """Whose rows the connection sees, by table; empty tables are left out."""
    found: dict[str, set[str]] = {}
    for table in TABLES:
        users = conn.execute(f"SELECT DISTINCT user_id FROM {table}".encode()).fetchall()
        if users:
            found[table] = {row[0] for row in users}
    return found


def only(user_id: str) -> dict[str, set[str]]:
    """What one tenant sees: his own rows in every table."""
    return {table: {user_id} for table in TABLES}


def tenant_of(conn: Connection) -> str | None:
    row = conn.execute("SELECT nullif(current_setting('workindex.user_id', true), '')").fetchone()
    assert row is not None
    tenant: str | None = row[0]
    return tenant


def test_without_a_tenant_there_are_no_rows_and_no_proof(database: Database) -> None:
    """Zero rows in every table, and the reader says why that proves nothing (J4, H7)."""
    reader = Reader(database)
    with database.connection() as conn:
        assert visible(conn) == {}
        reading = reader.read_without_tenant(conn, ANN, EVERYTHING)
        assert reading.reasons == ("no_tenant",)
        assert not any(reading.rows.values())
        found = conn.execute("SELECT wi_proof(%s, 1, '{}')", (ANN,)).fetchone()
    assert found is not None
    assert found[0]["tenant"] is None
    assert found[0]["head"] is None


def test_with_another_tenant_there_is_no_proof_either(database: Database) -> None:
    """A proof about ann in a transaction of bob is none, and shows nothing of her."""
    reader = Reader(database)
    with database.connection() as conn, tenant_transaction(conn, BOB):
        reading = reader.read_without_tenant(conn, ANN, EVERYTHING)
    assert reading.reasons == ("no_tenant",)
    assert not any(reading.rows.values())


@pytest.mark.parametrize("forged", FORGED)
def test_a_forged_tenant_is_just_a_stranger(database: Database, forged: str) -> None:
    """The setting is compared, never read as SQL or as a pattern, for sessions too."""
    with database.connection() as conn:
        with tenant_transaction(conn, forged):
            assert visible(conn) == {}
        setting = sql.SQL("SET workindex.user_id = {}").format(sql.Literal(forged))
        conn.execute(setting, prepare=False)
        assert visible(conn) == {}
        assert Reader(database).read_without_tenant(conn, ANN, {}).reasons == ("no_tenant",)
        if forged:
            with pytest.raises(psycopg.Error) as refused:
                lock(conn, ANN)
            assert sqlstate(refused.value) == OTHER_TENANT
        conn.execute("RESET workindex.user_id")


@pytest.mark.parametrize("given", [None, ""])
@pytest.mark.parametrize("function", ["wi_enter(%s)", "wi_lock(%s)", "wi_state(%s, 1, '{}')"])
def test_a_function_without_a_user_is_refused(
    database: Database, function: str, given: str | None
) -> None:
    """No scope is never taken for every scope (H6)."""
    with database.connection() as conn, pytest.raises(psycopg.Error) as refused:
        conn.execute(f"SELECT {function}".encode(), (given,))
    assert sqlstate(refused.value) == OTHER_TENANT


# Every function that takes a user, called for one whom the transaction does not belong to.
CALLS = (
    "wi_enter(%s)",
    "wi_lock(%s)",
    "wi_state(%s, 1, '{}')",
    "wi_read(%s, 1, '{}', '{}', '{}', '', '{}')",
    "wi_append(%s, NULL, NULL, 1, '[]', '[]', '{}', 0, '{}', now())",
    "wi_project(%s, 1, 0, 0, '{}', 0, '{}')",
    "wi_write_rows(%s, '{1}', '{}', '{}', '{}', 0, '{}')",
    "search_documents(%s, 'hush', '{}')",
)


def test_every_function_that_enters_is_called_here(database: Database) -> None:
    """A new function of the log gets a line above; wi_proof never enters."""
    with database.connection() as conn:
        found = conn.execute(
            "SELECT proname::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
        ).fetchall()
    pure = {"wi_words", "wi_owner"}
    assert {row[0] for row in found} - {"wi_proof"} - pure == {c.split("(")[0] for c in CALLS}


@pytest.mark.parametrize("call", CALLS)
def test_a_transaction_keeps_its_tenant(database: Database, call: str) -> None:
    """Another user in one outer transaction is refused (WI002), by words that name nobody."""
    with database.connection() as conn:
        with pytest.raises(psycopg.Error) as refused, tenant_transaction(conn, BOB):
            conn.execute(f"SELECT {call}".encode(), (ANN,))
        assert sqlstate(refused.value) == OTHER_TENANT
        assert ANN not in str(refused.value)
        assert BOB not in str(refused.value)
        assert tenant_of(conn) is None


def test_two_tenants_in_one_outer_transaction_are_refused(database: Database) -> None:
    """Nested transactions of one tenant are fine; of two, the inner one does not begin."""
    with database.connection() as conn, tenant_transaction(conn, ANN):
        with tenant_transaction(conn, ANN):
            assert visible(conn) == only(ANN)
        with pytest.raises(psycopg.Error) as refused, tenant_transaction(conn, BOB):
            pytest.fail("the transaction of another tenant began")
        assert sqlstate(refused.value) == OTHER_TENANT
        assert visible(conn) == only(ANN)
    with database.connection() as conn, conn.transaction():
        with tenant_transaction(conn, BOB):
            assert visible(conn) == only(BOB)
        with pytest.raises(psycopg.Error), tenant_transaction(conn, ANN):
            pytest.fail("the transaction of another tenant began")


def _commit(conn: Connection, user: str) -> None:
    with tenant_transaction(conn, user):
        assert tenant_of(conn) == user


def _roll_back(conn: Connection, user: str) -> None:
    with conn.transaction(force_rollback=True), tenant_transaction(conn, user):
        lock(conn, user)


def _fail(conn: Connection, user: str) -> None:
    with pytest.raises(ZeroDivisionError), tenant_transaction(conn, user):
        raise ZeroDivisionError


def _fail_in_the_database(conn: Connection, user: str) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero), tenant_transaction(conn, user):
        conn.execute("SELECT 1/0")


def _enter_in_one_statement(conn: Connection, user: str) -> None:
    assert conn.execute("SELECT wi_state(%s, 1, '{}')", (user,)).fetchone() is not None


def _fail_in_a_savepoint(conn: Connection, user: str) -> None:
    with tenant_transaction(conn, user):
        with pytest.raises(psycopg.errors.DivisionByZero), conn.transaction():
            conn.execute("SELECT 1/0")
        assert tenant_of(conn) == user


def _discard_all(conn: Connection, user: str) -> None:
    _commit(conn, user)
    conn.execute("DISCARD ALL")


def _roll_back_by_hand(conn: Connection, user: str) -> None:
    conn.execute("BEGIN")
    conn.execute("SELECT wi_enter(%s)", (user,))
    conn.execute("ROLLBACK")


def _leave_open(conn: Connection, user: str) -> None:
    conn.execute("BEGIN")
    conn.execute("SELECT wi_enter(%s)", (user,))


USES = (
    _commit,
    _roll_back,
    _fail,
    _fail_in_the_database,
    _enter_in_one_statement,
    _fail_in_a_savepoint,
    _discard_all,
    _roll_back_by_hand,
)


def test_no_code_of_ours_sets_a_tenant_for_longer_than_a_transaction() -> None:
    """`SET LOCAL` or `set_config(…, true)`, nothing else, in Python and in SQL (J5)."""
    sources = [
        path
        for folder in FOLDERS
        for pattern in ("**/*.py", "**/*.sql")
        for path in (ROOT / folder).glob(pattern)
    ]
    found = [
        " ".join(match.split())
        for path in sources
        for match in SETTING.findall(path.read_text(encoding="utf-8"))
    ]
    assert set(found) == {
        "SET LOCAL workindex.user_id",
        "set_config('workindex.user_id', p_user, true)",
    }


def test_a_connection_goes_back_without_a_tenant(database: Database) -> None:
    """A hundred checkouts, however each one ended: the next one starts with nobody (J5, H7)."""
    backends = set()
    uses = cycle(USES)
    for turn in range(100):
        with database.connection() as conn:
            backends.add(conn.info.backend_pid)
            assert tenant_of(conn) is None
            assert conn.execute("SELECT count(*) FROM event").fetchone() == (0,)
            next(uses)(conn, (ANN, BOB)[turn % 2])
    with database.connection() as conn:
        assert visible(conn) == {}
    assert len(backends) <= 3, "the connections were not used again"


@pytest.mark.filterwarnings("ignore:.*rolling back.*")
def test_a_transaction_left_open_ends_with_the_checkout(database: Database) -> None:
    """The pool rolls it back, and its tenant with it."""
    for _ in range(10):
        with database.connection() as conn:
            assert tenant_of(conn) is None
            _leave_open(conn, ANN)


def test_tenants_at_the_same_time(database: Database) -> None:
    """Eight threads on three connections: everybody reads and writes his own, all the time."""

    def live(user: str) -> list[Any]:
        engine = Engine(database, user)
        wrong: list[Any] = []
        for number in range(12):
            engine.record(task(f"T-{number}", f"{user} {number}"))
            rows = engine.read({"task": "all"}).rows["task"]
            titles = {row.title for row in rows}
            if titles != {f"{user} {n}" for n in range(number + 1)}:
                wrong.append(titles)
            with database.connection() as conn, tenant_transaction(conn, user):
                wrong += [seen for seen in visible(conn).values() if seen != {user}]
        return wrong

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(live, [f"thread-{n}" for n in range(8)])) == [[]] * 8


def test_maintenance_reads_all_but_enters_one(database: Database) -> None:
    """The maintenance role sees every tenant, and still writes in one tenant's name at a time."""
    with database.maintenance() as conn:
        assert all({ANN, BOB} <= users for users in visible(conn).values())
        with pytest.raises(psycopg.Error) as refused, tenant_transaction(conn, BOB):
            lock(conn, ANN)
        assert sqlstate(refused.value) == OTHER_TENANT


def test_a_plan_made_for_one_tenant_serves_the_next(database: Database) -> None:
    """One prepared, generic plan, two tenants: the policy is asked anew each time."""
    reader = Reader(database)
    with database.connection() as conn:
        for user in (ANN, BOB) * 4:
            with tenant_transaction(conn, user):
                assert conn.execute("SELECT DISTINCT user_id FROM message").fetchall() == [(user,)]
    for user in (ANN, BOB) * 4:
        reading = reader.read(user, EVERYTHING)
        assert (reading.user_id, reading.reasons) == (user, ())
        assert SECRET in repr(reading.rows)
    assert INLINE.fold_version == reading.projections[0]["fold_version"]
