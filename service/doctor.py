"""Could this program serve from this database now? One check after the other, none of them writes.

The checks go from the ground up, so the first that fails is the one to mend; those that need what
failed are not tried.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from workindex.domain.errors import NotReady, Unavailable, WorkindexError
from workindex.eventlog.database import Connection, Database
from workindex.eventlog.embedded import EmbeddedServer
from workindex.eventlog.revision import check_revision, head_revision
from workindex.eventlog.session import look_at
from workindex.projections.sets import ALL_SETS
from workindex.service.client import DATABASE_URL, MAINT_URL

SERVER_VERSION_MIN = 150_000
# Without these a commit that was reported could be lost.
DURABLE = {"fsync": "on", "full_page_writes": "on"}

# Binds: none. One row a setting.
SETTINGS = """
SELECT name, setting FROM pg_settings
WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit')
"""

# Binds: set names. One row for each live generation.
LIVE = """
SELECT projection_set, generation, fold_version FROM projection_generation
WHERE state = 'live' AND projection_set = ANY (%s)
"""


class Check(NamedTuple):
    """One thing that has to hold, and what was found."""

    name: str
    ok: bool
    detail: str


def examine(url: str | None = None) -> list[Check]:
    """Every check, in order; those after a failed server or schema are left out."""
    try:
        database = _database(url or os.environ.get(DATABASE_URL))
    except WorkindexError as error:
        return [Check("server", False, str(error))]
    checks: list[Check] = []
    try:
        with database.connection() as conn:
            for name, look in CHECKS:
                checks.append(_check(name, look, conn))
                if not checks[-1].ok and name in ("server", "schema"):
                    return checks
        checks.append(_maintenance(database))
    except WorkindexError as error:
        # The pool refuses a login that row-level security would not hold back.
        name = "server" if not isinstance(error, NotReady) else "roles"
        checks.append(Check(name, False, str(error)))
    finally:
        database.close()
    return checks


@contextmanager
def opened(url: str | None = None) -> Iterator[Database | None]:
    """The database that `examine` looks at, None where there is none to open; it starts nothing."""
    try:
        database = _database(url or os.environ.get(DATABASE_URL))
    except WorkindexError:  # `examine` says why
        yield None
        return
    try:
        yield database
    finally:
        database.close()


def _database(url: str | None) -> Database:
    if url:
        return Database(url, maint_url=os.environ.get(MAINT_URL) or None)
    server = EmbeddedServer()
    status = server.status()
    if status.state != "running":
        raise Unavailable(
            f"the embedded server in {status.data_dir} is {status.state}: run workindex db start"
        )
    return Database(server.url("app"), maint_url=server.url("maint"))


def _check(name: str, look: Callable[[Connection], str], conn: Connection) -> Check:
    try:
        return Check(name, True, look(conn))
    except WorkindexError as error:
        return Check(name, False, str(error))


def _server(conn: Connection) -> str:
    version = conn.info.server_version
    if version < SERVER_VERSION_MIN:
        raise NotReady(f"PostgreSQL {version // 10_000} is too old: 15 or newer is needed")
    (standby,) = _row(conn, "SELECT pg_is_in_recovery()")
    if standby:
        raise NotReady("the server is a standby: connect to the primary")
    through = ", through a connection pooler" if look_at(conn).is_pooled else ""
    return f"PostgreSQL {version // 10_000}.{version % 10_000}{through}"


def _durability(conn: Connection) -> str:
    found: dict[str, str] = dict(conn.execute(SETTINGS).fetchall())
    wrong = [f"{name} = {found[name]}" for name, value in DURABLE.items() if found[name] != value]
    if found["synchronous_commit"] == "off":
        wrong.append("synchronous_commit = off")
    if wrong:
        raise NotReady(f"a reported commit could be lost: {', '.join(wrong)}; set them to on")
    return ", ".join(f"{name} = {value}" for name, value in sorted(found.items()))


def _roles(conn: Connection) -> str:
    (role,) = _row(conn, "SELECT current_user")
    return f"logged in as {role}, held back by row-level security"


def _schema(conn: Connection) -> str:
    check_revision(conn)
    return f"revision {head_revision()}"


def _generations(conn: Connection) -> str:
    wanted = {one.name: one.fold_version for one in ALL_SETS}
    live = {row[0]: row[1:] for row in conn.execute(LIVE, (list(wanted),)).fetchall()}
    told = []
    for name, version in wanted.items():
        if name not in live:
            raise NotReady(f"no live generation of {name}: run workindex db upgrade")
        generation, found = live[name]
        if found != version:
            raise NotReady(
                f"the live generation {generation} of {name} has fold version {found}, this "
                f"program folds with {version}: run the program that fits, or rebuild {name}"
            )
        told.append(f"{name} generation {generation}, fold version {version}")
    return "; ".join(told)


def _maintenance(database: Database) -> Check:
    if database.maint_url is None:
        return Check("maintenance", True, f"{MAINT_URL} is not set: verify is not possible here")
    try:
        with database.maintenance() as conn:
            (role,) = _row(conn, "SELECT current_user")
    except WorkindexError as error:
        return Check("maintenance", False, str(error))
    return Check("maintenance", True, f"logs in as {role}")


def _row(conn: Connection, statement: str) -> tuple[Any, ...]:
    row = conn.execute(statement.encode()).fetchone()
    assert row is not None
    return row


CHECKS: tuple[tuple[str, Callable[[Connection], str]], ...] = (
    ("server", _server),
    ("durability", _durability),
    ("roles", _roles),
    ("schema", _schema),
    ("generations", _generations),
)
