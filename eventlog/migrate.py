"""The schema's life: roles, the database, migrations, and whether a database fits this program.

Only these functions use the owner's login. Everything they create belongs to the owner role,
which nobody logs in as.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import psycopg
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from sqlalchemy import create_engine
from sqlalchemy.engine import Connection as SqlAlchemyConnection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from workindex.domain.errors import NotReady, Unavailable
from workindex.eventlog.database import Connection, unavailable_if_lost
from workindex.eventlog.revision import VERSION_TABLE, head_revision, migrations
from workindex.eventlog.schema import APP_ROLE, MAINT_ROLE, OWNER_ROLE, SEARCH_ROLE
from workindex.eventlog.session import SESSION_SETTINGS, refuse_pooler

DATABASE_NAME = "workindex"
# Whoever appends queues up behind a migration that waits for a table, so it waits for moments
# only, gives up with nothing done, and tries again a little later.
MIGRATION_LOCK_TIMEOUT_MS = 500
MIGRATION_TRIES_MAX = 20
_PAUSE_S = 0.5
# Whoever sets up the same server or database at the same time waits here for its turn.
TURN = 0x776F726B
TURN_TIMEOUT_MS = 120_000
# Alembic keeps the running migration in module globals, one a process.
_one_at_a_time = threading.Lock()


class Logins(NamedTuple):
    """Passwords of the two login roles; None where the server knows them otherwise (peer)."""

    app_password: str | None = None
    maint_password: str | None = None


def bootstrap(owner_url: str, logins: Logins = Logins()) -> str:  # noqa: B008 - a constant value
    """Create what is missing of the roles and the database; safe to repeat.

    `owner_url` is a login that may create roles. Its database is created if it does not exist.
    Returns the URL of that database for the same login.

    Raises: Unavailable; NotReady where the login may not create roles, or a pooler is in between.
    """
    given = conninfo_to_dict(owner_url)
    name = str(given.get("dbname") or DATABASE_NAME)
    target = make_conninfo("", **{**given, "dbname": name})
    try:
        with (
            unavailable_if_lost(),
            psycopg.connect(
                make_conninfo("", **{**given, "dbname": "postgres"}), autocommit=True
            ) as conn,
        ):
            refuse_pooler(conn)
            _take_turn_of_session(conn)
            _create_roles(conn, logins)
            _create_database(conn, name)
            with psycopg.connect(target, autocommit=True) as inside:
                # Turns are taken in one database: that one's migrations grant on its schema too.
                _take_turn_of_session(inside)
                _own_database(inside, name)
    except psycopg.errors.InsufficientPrivilege as error:
        raise NotReady(
            f"the owner login may not create roles or databases ({error}): use a login with "
            "CREATEROLE and CREATEDB"
        ) from error
    return target


def _take_turn_of_session(conn: Connection) -> None:
    """Held until the connection closes: two grants at once on one object are an error."""
    conn.execute(f"SET lock_timeout = {TURN_TIMEOUT_MS}")
    conn.execute("SELECT pg_advisory_lock(%s)", (TURN,))


def _create_roles(conn: Connection, logins: Logins) -> None:
    wanted: dict[str, tuple[str, str | None]] = {
        OWNER_ROLE: ("NOLOGIN", None),
        SEARCH_ROLE: ("NOLOGIN", None),
        APP_ROLE: ("LOGIN", logins.app_password),
        MAINT_ROLE: ("LOGIN", logins.maint_password),
    }
    for role, (login, password) in wanted.items():
        name = sql.Identifier(role)
        known = conn.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone()
        if known is None:
            conn.execute(
                sql.SQL("CREATE ROLE {} {} NOSUPERUSER NOBYPASSRLS").format(name, sql.SQL(login))
            )
        if password is not None:
            conn.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(name, sql.Literal(password)))
        if login == "LOGIN":
            _set_defaults(conn, role)
    # Since PostgreSQL 16 who creates a role is a member of it, but may not become it.
    needed = "SET" if conn.info.server_version >= 160_000 else "MEMBER"
    allowed = conn.execute(
        "SELECT pg_has_role(current_user, %s, %s)", (OWNER_ROLE, needed)
    ).fetchone()
    if allowed != (True,):
        conn.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(sql.Identifier(OWNER_ROLE)))
    _let_owner_become_search(conn)


def _let_owner_become_search(conn: Connection) -> None:
    """The owner gives that role the one function that it has.

    It inherits nothing from it; PostgreSQL 15 cannot say so for one membership.
    """
    member = conn.execute("SELECT pg_has_role(%s, %s, 'MEMBER')", (OWNER_ROLE, SEARCH_ROLE))
    if member.fetchone() != (True,):
        only_become = conn.info.server_version >= 160_000
        conn.execute(
            sql.SQL("GRANT {} TO {} {}").format(
                sql.Identifier(SEARCH_ROLE),
                sql.Identifier(OWNER_ROLE),
                sql.SQL("WITH INHERIT FALSE, SET TRUE" if only_become else ""),
            )
        )


def _set_defaults(conn: Connection, role: str) -> None:
    """What each session of a login starts with, also where a pooler opens it."""
    row = conn.execute("SELECT rolconfig FROM pg_roles WHERE rolname = %s", (role,)).fetchone()
    assert row is not None
    has = {chosen.partition("=")[0].lower() for chosen in row[0] or ()}
    for setting, value in SESSION_SETTINGS.items():
        if setting not in has:
            conn.execute(
                sql.SQL("ALTER ROLE {} SET {} = {}").format(
                    sql.Identifier(role), sql.Identifier(setting), sql.Literal(value)
                )
            )


def _create_database(conn: Connection, name: str) -> None:
    known = conn.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone()
    if known is None:
        conn.execute(
            sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE template0 ENCODING 'UTF8'").format(
                sql.Identifier(name), sql.Identifier(OWNER_ROLE)
            )
        )


def _own_database(conn: Connection, name: str) -> None:
    for statement in (
        "GRANT CONNECT ON DATABASE {database} TO {app}, {maint}",
        "REVOKE CREATE, TEMPORARY ON DATABASE {database} FROM PUBLIC",
        "GRANT CREATE, USAGE ON SCHEMA public TO {owner} WITH GRANT OPTION",
        "GRANT USAGE ON SCHEMA public TO {app}, {maint}, {search}",
    ):
        conn.execute(
            sql.SQL(statement).format(
                database=sql.Identifier(name),
                owner=sql.Identifier(OWNER_ROLE),
                app=sql.Identifier(APP_ROLE),
                maint=sql.Identifier(MAINT_ROLE),
                search=sql.Identifier(SEARCH_ROLE),
            )
        )


def upgrade(owner_url: str, revision: str = "head") -> None:
    """Migrate the database to a revision, in one transaction, also beside writers.

    Two at once are two in a row. Raises: Unavailable, also where a table stays locked;
    NotReady where the login may not become the owner, the schema is newer than this program, or
    something of another program stands in the way.
    """
    _migrate(owner_url, command.upgrade, head_revision() if revision == "head" else revision)


def downgrade(owner_url: str, revision: str) -> None:
    """Migrate back to an older revision (`base` for none), in one transaction.

    Everything that the newer schema alone can hold is lost. Raises: as `upgrade`.
    """
    _migrate(owner_url, command.downgrade, revision)


def _migrate(owner_url: str, run: Callable[[Config, str], None], revision: str) -> None:
    """One transaction that does all of it, or nothing and again: see the lock time-out above."""
    for tries_left in range(MIGRATION_TRIES_MAX - 1, -1, -1):
        try:
            with _migration(owner_url, revision) as config:
                run(config, revision)
            return
        except Unavailable as error:
            if tries_left == 0 or not _is_in_the_way(error.__cause__):
                raise
        time.sleep(_PAUSE_S * random.uniform(0.5, 1.5))


def _is_in_the_way(cause: BaseException | None) -> bool:
    """Whether it was somebody else's transaction that stopped a migration, not the server."""
    while isinstance(cause, Unavailable):
        cause = cause.__cause__
    return isinstance(cause, (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected))


@contextmanager
def _migration(owner_url: str, revision: str) -> Iterator[Config]:
    given: dict[str, Any] = conninfo_to_dict(owner_url)
    given.setdefault("dbname", DATABASE_NAME)
    engine = create_engine(
        "postgresql+psycopg://",
        # Nothing prepared: a pooler would find it again on another's connection.
        creator=lambda: psycopg.connect(make_conninfo("", **given), prepare_threshold=None),
        poolclass=NullPool,
    )
    config = _config()
    with _one_at_a_time, _typed_refusals(), engine.connect() as connection, connection.begin():
        _take_turn(connection)
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {MIGRATION_LOCK_TIMEOUT_MS}")
        connection.exec_driver_sql(f"SET LOCAL ROLE {OWNER_ROLE}")
        found = _known_revisions(connection)
        if found and found != {revision}:
            # Writers and readers come by this table first: none of them holds another one then.
            connection.exec_driver_sql("LOCK TABLE user_log IN ACCESS EXCLUSIVE MODE")
        config.attributes["connection"] = connection
        config.attributes["version_table"] = VERSION_TABLE
        yield config


def _take_turn(connection: SqlAlchemyConnection) -> None:
    """Raises: Unavailable where another migration runs for too long; it is not tried again."""
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = {TURN_TIMEOUT_MS}")
    try:
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({TURN})")
    except DBAPIError as error:
        if not isinstance(error.orig, psycopg.errors.LockNotAvailable):
            raise
        raise Unavailable(
            f"another migration of this server runs for {TURN_TIMEOUT_MS // 1_000} s already: "
            "wait for it, then run workindex db upgrade again"
        ) from None


@contextmanager
def _typed_refusals() -> Iterator[None]:
    """Undo SQLAlchemy's wrapping, and name what the operator can do about it."""
    try:
        with unavailable_if_lost():
            try:
                yield
            except DBAPIError as error:
                if error.orig is None:
                    raise
                raise error.orig from error
    except Unavailable as error:
        if not isinstance(error.__cause__, psycopg.errors.LockNotAvailable):
            raise
        raise Unavailable(
            "another connection holds what the migration has to change, so nothing was changed: "
            "end long transactions and run workindex db upgrade again"
        ) from error
    except (
        psycopg.errors.InsufficientPrivilege,
        psycopg.errors.InvalidParameterValue,
        psycopg.errors.UndefinedObject,
    ) as error:
        raise NotReady(
            f"the owner login cannot migrate as {OWNER_ROLE} ({error}): run "
            "workindex db init --owner-url URL with a login that may create roles"
        ) from error
    except (psycopg.errors.DuplicateTable, psycopg.errors.DuplicateFunction) as error:
        raise NotReady(
            f"the database holds things that no migration of workindex made ({error}), so nothing "
            "was changed: give an empty database, or another WORKINDEX_HOME to the embedded server"
        ) from error


def _known_revisions(connection: SqlAlchemyConnection) -> set[str]:
    """Where the database stands, empty for one without a schema. Raises: NotReady."""
    known = {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}
    migrated = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    found = set(migrated.get_current_heads())
    if not found <= known:
        raise NotReady(
            f"the database has schema {', '.join(sorted(found))}, this program knows "
            f"{head_revision()}: run a newer workindex"
        )
    return found


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(migrations()))
    return config
