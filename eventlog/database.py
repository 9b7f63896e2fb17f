"""Connections: pools of the two login roles, tenant transactions, and what makes them safe.

The application's pool logs in as a role that can do nothing but what row-level security lets it
do; a login that could do more is refused when the pool opens. A tenant lives in one transaction
only, so a connection goes back to the pool without one.
"""

from __future__ import annotations

import os
import selectors
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import orjson
import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import PGconn, Ping, TransactionStatus
from psycopg.types.json import set_json_loads
from psycopg_pool import ConnectionPool, PoolTimeout

from workindex.domain.errors import InvalidInput, NotReady, Unavailable
from workindex.eventlog.schema import APP_ROLE, MAINT_ROLE
from workindex.eventlog.session import (
    SESSION_OPTIONS,
    Session,
    look_at,
    refuse_unset,
    refuses_options,
)

Connection = psycopg.Connection[tuple[Any, ...]]

# How long a server may be silent, unless the URL says otherwise; over TCP a dead network shows.
PATIENCE = {
    "connect_timeout": "5",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}
POOL_WAIT_S = 30.0
PROBE_AFTER_S = 1.0
RECONNECT_S = 5.0  # then the pool gives up, and whoever wants a connection makes it try anew
_NEXT = "check the database URL, or without one see workindex db status"
_Selector = getattr(selectors, "PollSelector", selectors.SelectSelector)

# Binds: none. One row: what is wrong with who is logged in, all false when it is safe. A login
# that becomes another role at once is judged by what it can go back to.
ROLE_CHECK = """
SELECT session_user, r.rolsuper, r.rolbypassrls,
       EXISTS (SELECT 1 FROM pg_class c
               WHERE c.relowner = r.oid AND c.relnamespace = 'public'::regnamespace),
       ARRAY(SELECT g.rolname::text FROM pg_roles g
             WHERE NOT r.rolsuper AND g.oid <> r.oid AND pg_has_role(r.oid, g.oid, 'MEMBER')
               AND (g.rolname LIKE 'workindex%' OR g.rolsuper OR g.rolbypassrls)
             ORDER BY g.rolname)
FROM pg_roles r WHERE r.rolname = session_user
"""

SNAPSHOT = sql.SQL("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")


class Database:
    """One database: a pool for the application's role and, where asked for, one for maintenance.

    Thread-safe. After a fork the child opens pools of its own and never touches the parent's.

    Raises (from every method): Unavailable where the server does not answer, NotReady where the
    login role is unsafe.
    """

    def __init__(self, app_url: str, *, maint_url: str | None = None, pool_max: int = 16) -> None:
        self.app_url = app_url
        self.maint_url = maint_url
        self._pool_max = pool_max
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._pools: dict[str, ConnectionPool[Connection]] = {}
        self._closed = False
        _databases.add(self)

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A pooled connection of the application's role, in autocommit mode, without a tenant."""
        with unavailable_if_lost(), not_ready_if_changed(), _lent(self._pool("app")) as conn:
            yield conn

    @contextmanager
    def maintenance(self) -> Iterator[Connection]:
        """A pooled connection of the maintenance role, which sees every tenant."""
        if self.maint_url is None:
            raise NotReady(
                "this needs the maintenance role: set WORKINDEX_MAINT_URL to a login as "
                f"{MAINT_ROLE} (the embedded server needs no setting)"
            )
        with unavailable_if_lost(), not_ready_if_changed(), _lent(self._pool("maint")) as conn:
            yield conn

    def close(self) -> None:
        """Close the pools; using the object afterwards is an InvalidInput."""
        with self._lock:
            self._closed = True
            pools, self._pools = self._pools, {}
            if self._pid == os.getpid():
                for pool in pools.values():
                    pool.close()

    def _pool(self, name: str) -> ConnectionPool[Connection]:
        with self._lock:
            if self._closed:
                raise InvalidInput("this database was closed here: open it again")
            if self._pid != os.getpid():
                # Keep the parent's objects alive: collecting them would send its goodbyes.
                _inherited.append(self._pools)
                self._pools = {}
                self._pid = os.getpid()
            if name not in self._pools:
                url = self.app_url if name == "app" else self.maint_url
                assert url is not None
                self._pools[name] = self._open(url, name)
            return self._pools[name]

    def after_fork(self) -> None:
        """In the child: a thread that is not there any more may have held the lock."""
        self._lock = threading.Lock()

    def _open(self, url: str, name: str) -> ConnectionPool[Connection]:
        login = log_in(url, maintenance=name == "maint")
        return ConnectionPool(
            login.conninfo,
            kwargs={"autocommit": True, "prepare_threshold": None if login.is_pooled else 1},
            min_size=1,
            max_size=self._pool_max if name == "app" else 4,
            name=f"workindex-{name}",
            configure=read_json_exactly,
            check=refuse_hung_up,
            reconnect_timeout=RECONNECT_S,
            open=True,
        )


@contextmanager
def _lent(pool: ConnectionPool[Connection]) -> Iterator[Connection]:
    """A connection of the pool; where none gets free soon, see first whether a server is there."""
    try:
        conn = pool.getconn(timeout=PROBE_AFTER_S)
    except PoolTimeout:
        if PGconn.ping(str(pool.conninfo).encode()) == Ping.NO_RESPONSE:
            raise Unavailable(f"the database does not answer: {_NEXT}") from None
        conn = pool.getconn(timeout=POOL_WAIT_S)
    try:
        with conn:
            yield conn
    finally:
        pool.putconn(conn)


def refuse_hung_up(conn: Connection) -> None:
    """Find a pooled connection that the server has closed, without a round trip.

    An idle connection has nothing to read. One that has is asked; if it is gone, that raises.
    """
    with _Selector() as selector:
        selector.register(conn.fileno(), selectors.EVENT_READ)
        if selector.select(0):
            ConnectionPool.check_connection(conn)


def read_json_exactly(conn: Connection) -> None:
    """jsonb writes the float 1e67 as digits; orjson reads what has no 64 bits as that float."""
    set_json_loads(orjson.loads, conn)


_inherited: list[object] = []
_databases: weakref.WeakSet[Database] = weakref.WeakSet()


def _free_locks() -> None:
    for database in _databases:
        database.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_locks)


def with_options(url: str, options: str | None = None) -> str:
    """The connection text with the session settings that the log relies on, or with others."""
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # What the driver says quotes the text, and with it a password.
        raise InvalidInput(
            "the database URL cannot be read: write postgresql://user@host/database"
        ) from None
    ours = SESSION_OPTIONS if options is None else options
    given = {**PATIENCE, **given}
    return make_conninfo("", **{**given, "options": f"{given.get('options', '')} {ours}".strip()})


class Login(NamedTuple):
    """A login that was tried: how to connect as it, and whether a pooler is in between."""

    conninfo: str
    is_pooled: bool


def log_in(url: str, *, maintenance: bool = False) -> Login:
    """Try a login, with our settings at its start, or without where a pooler refuses those.

    Raises: NotReady where row-level security would not hold the login back, naming the role, what
    is wrong with it and the command that makes a right one, and where a pooler does not pass on
    what the log relies on; Unavailable; InvalidInput for a text that is no URL.
    """
    conninfo = with_options(url)
    with unavailable_if_lost():
        try:
            row, session = _look(conninfo)
        except psycopg.OperationalError as error:
            if not refuses_options(error):
                raise
            conninfo = with_options(url, "")
            row, session = _look(conninfo)
    check_login(row, maintenance=maintenance)
    refuse_unset(session, MAINT_ROLE if maintenance else APP_ROLE)
    return Login(conninfo, session.is_pooled)


def _look(conninfo: str) -> tuple[tuple[Any, ...], Session]:
    with psycopg.connect(conninfo, autocommit=True) as conn:
        row = conn.execute(ROLE_CHECK).fetchone()
        assert row is not None
        return row, look_at(conn)


def check_login(row: tuple[Any, ...], *, maintenance: bool) -> None:
    """Refuse a login that row-level security would not hold back, by the row of ROLE_CHECK."""
    role, superuser, bypasses, owns_tables, groups = row
    wanted = MAINT_ROLE if maintenance else APP_ROLE
    excess = set(groups) - ({MAINT_ROLE} if maintenance else set())
    faults = [
        text
        for fault, text in (
            (superuser, "is a superuser"),
            (bypasses, "bypasses row-level security"),
            (owns_tables, "owns tables of ours"),
            (excess, f"is a member of {', '.join(sorted(excess))}"),
            (role != wanted and not groups, f"is not {wanted}"),
        )
        if fault
    ]
    if not faults:
        return
    remedy = (
        f"take that away from {role}"
        if role == wanted
        else f"log in as {wanted} (workindex db init --owner-url URL creates it)"
    )
    raise NotReady(
        f"the login role {role} {' and '.join(faults)}, so tenants would not be separated: {remedy}"
    )


@contextmanager
def tenant_transaction(
    conn: Connection, user_id: str, *, snapshot: bool = False, statement_ms: int | None = None
) -> Iterator[Connection]:
    """A transaction of one tenant; `snapshot` makes it REPEATABLE READ, read only.

    `statement_ms` is what each of its statements may take, waiting for locks included.

    Raises: the driver's error with SQLSTATE WI002 inside a transaction of another tenant.
    """
    is_nested = conn.info.transaction_status is not TransactionStatus.IDLE
    with conn.transaction():
        if is_nested:
            conn.execute("SELECT wi_enter(%s)", (user_id,))
            yield conn
            return
        user = sql.SQL("SET LOCAL workindex.user_id = {}").format(sql.Literal(user_id))
        settings: list[sql.Composable] = [user]
        if statement_ms is not None:
            settings.append(sql.SQL("SET LOCAL statement_timeout = {}").format(statement_ms))
        if snapshot:
            settings.insert(0, SNAPSHOT)
        conn.execute(sql.SQL("; ").join(settings), prepare=False)
        yield conn


@contextmanager
def not_ready_if_changed() -> Iterator[None]:
    """Raises: NotReady where a migration replaced what this running program calls."""
    try:
        yield
    except (
        psycopg.errors.UndefinedFunction,
        psycopg.errors.UndefinedTable,
        psycopg.errors.UndefinedColumn,
    ) as error:
        raise NotReady(
            "the schema is no longer the one that this program opened "
            f"({error.diag.message_primary}): restart it, with the version that fits it"
        ) from error


@contextmanager
def unavailable_if_lost() -> Iterator[None]:
    """Turn the driver's ways of saying "no server" into Unavailable; keep every other error.

    Raises: InvalidInput for values that are too large for the server; NotReady for a write on a
    standby.
    """
    try:
        yield
    except PoolTimeout as error:
        raise Unavailable(
            f"no database connection within {POOL_WAIT_S:.0f} s ({error}): {_NEXT}"
        ) from error
    except psycopg.errors.ReadOnlySqlTransaction as error:
        raise NotReady(
            "the database takes no writes (it is a standby or read-only): give the primary's URL"
        ) from error
    except psycopg.errors.ProgramLimitExceeded as error:
        raise InvalidInput(f"the database cannot hold a value this large: {error}") from error
    except psycopg.errors.DiskFull as error:
        raise Unavailable(
            f"the database has no room left ({' '.join(str(error).split())}): make room on its "
            "disk, then send the same again with its key"
        ) from error
    except psycopg.OperationalError as error:
        raise Unavailable(
            f"the database does not answer ({' '.join(str(error).split())}): {_NEXT}"
        ) from error
