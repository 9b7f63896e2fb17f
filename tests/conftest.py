"""A real PostgreSQL for every test that needs one: one server a process, one clone a test.

Tests that never see the URLs of their database cannot change its schema: they take turns in one
clone, emptied after each. Tests marked `pg15` run a second time on PostgreSQL 15 where its
binaries are installed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import psycopg
import pytest

from workindex.eventlog.database import Database
from workindex.eventlog.embedded import EmbeddedServer
from workindex.eventlog.migrate import bootstrap, upgrade

if TYPE_CHECKING:
    from workindex import UserScope, WorkIndex
    from workindex.projections.recording import Clock

PG15_BIN = Path("/usr/lib/postgresql/15/bin")
SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
TEMPLATE = "workindex_template"
# Rows that a migrated database has from the beginning, and a table that no test writes.
SEEDED = "projection_generation"
REVISION = "workindex_revision"

# Clones come and go, and the write-ahead log takes a gigabyte: of six servers at most.
MEMORY_BYTES_MIN = 8 * 2**30


class Urls(NamedTuple):
    """The logins of one database."""

    app: str
    maint: str
    owner: str

    @property
    def env(self) -> dict[str, str]:
        """The environment in which the installed command uses this database."""
        return {
            **os.environ,
            "WORKINDEX_DATABASE_URL": self.app,
            "WORKINDEX_MAINT_URL": self.maint,
            "WORKINDEX_OWNER_URL": self.owner,
        }


class Cluster:
    """One running server with a migrated template database."""

    def __init__(self, server: EmbeddedServer) -> None:
        self.server = server
        self._numbers = count(1)
        self.admin = server.url("owner", database="postgres")
        upgrade(bootstrap(server.url("owner", database=TEMPLATE)))
        self._kept: Urls | None = None
        self._pools: Database | None = None
        url = self.urls(TEMPLATE).owner
        with psycopg.connect(url) as conn, conn.cursor().copy(f"COPY {SEEDED} TO STDOUT") as copy:
            self._seeds = b"".join(copy)

    def urls(self, name: str) -> Urls:
        """The logins of a database of this server."""
        url = self.server.url
        return Urls(
            url("app", database=name), url("maint", database=name), url("owner", database=name)
        )

    def clone(self, template: str = TEMPLATE) -> Urls:
        """A fresh copy of a database."""
        name = f"clone_{next(self._numbers)}"
        with psycopg.connect(self.admin, autocommit=True) as conn:
            conn.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY wal_log")
            conn.execute(f"GRANT CONNECT ON DATABASE {name} TO workindex_app, workindex_maint")
        return self.urls(name)

    @property
    def kept(self) -> Urls:
        """The clone in which tests take turns."""
        if self._kept is None:
            self._kept = self.clone()
        return self._kept

    @property
    def pools(self) -> Database:
        """The pools of the kept clone, opened anew where a test closed them."""
        if self._pools is None or self._pools._closed:
            self._pools = Database(self.kept.app, maint_url=self.kept.maint)
        return self._pools

    def empty(self) -> None:
        """Make the kept clone what it was at first; whoever still holds rows of it is an error."""
        with psycopg.connect(self.kept.owner, autocommit=True) as conn, conn.transaction():
            conn.execute("SET LOCAL lock_timeout = '10s'")
            conn.execute(f"""DO $$ BEGIN EXECUTE (
                SELECT string_agg('DELETE FROM ' || oid::regclass::text, '; ') FROM pg_class
                WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
                  AND relname <> '{REVISION}'); END $$""")
            with conn.cursor().copy(f"COPY {SEEDED} FROM STDIN") as copy:
                copy.write(self._seeds)

    def close(self) -> None:
        """Close the pools of the kept clone, if a test had them."""
        if self._pools is not None:
            self._pools.close()

    def drop(self, urls: Urls) -> None:
        """Remove a clone, whoever is still connected."""
        name = psycopg.conninfo.conninfo_to_dict(urls.app)["dbname"]
        with psycopg.connect(self.admin, autocommit=True) as conn:
            conn.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _folder() -> str:
    """Where a database is cloned fastest: in memory, where there is enough of it."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK) or shutil.disk_usage(memory).free < MEMORY_BYTES_MIN:
        return "/tmp"
    return str(memory)


def _cluster(bin_dir: Path | None) -> Iterator[Cluster]:
    home = Path(tempfile.mkdtemp(prefix="wi", dir=_folder()))
    home.chmod(0o755)
    server = EmbeddedServer(home / "s", bin_dir=bin_dir)
    try:
        server.ensure_running()
        with psycopg.connect(server.url("owner", database="postgres"), autocommit=True) as conn:
            # Tests that need durability start servers of their own.
            conn.execute("ALTER SYSTEM SET fsync = off")
            conn.execute("SELECT pg_reload_conf()")
        cluster = Cluster(server)
        yield cluster
        cluster.close()
    finally:
        server.stop()
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def embedded_cluster() -> Iterator[Cluster]:
    """A server of the embedded binaries."""
    yield from _cluster(None)


@pytest.fixture(scope="session")
def pg15_cluster() -> Iterator[Cluster]:
    """A server of the machine's PostgreSQL 15."""
    yield from _cluster(PG15_BIN)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests marked `pg15` on both servers; the second run is marked `older`."""
    if "cluster" not in metafunc.fixturenames:
        return
    names: list[Any] = ["embedded_cluster"]
    if metafunc.definition.get_closest_marker("pg15") and PG15_BIN.exists():
        names.append(pytest.param("pg15_cluster", marks=pytest.mark.older))
    metafunc.parametrize("cluster", names, indirect=True, scope="session")


@pytest.fixture(scope="session")
def cluster(request: pytest.FixtureRequest) -> Cluster:
    """The server that the test runs on."""
    found: Cluster = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def urls(cluster: Cluster) -> Iterator[Urls]:
    """A fresh, migrated, empty database."""
    made = cluster.clone()
    yield made
    cluster.drop(made)


@pytest.fixture
def database(request: pytest.FixtureRequest, cluster: Cluster) -> Iterator[Database]:
    """The pools of a fresh database: that of `urls` where the test sees those too."""
    if "urls" in request.fixturenames:
        urls: Urls = request.getfixturevalue("urls")
        opened = Database(urls.app, maint_url=urls.maint)
        yield opened
        opened.close()
    else:
        yield cluster.pools
        cluster.empty()


@pytest.fixture
def clock() -> Clock | None:
    """The clock of `work_index`: the machine's, unless a file has another one."""
    return None


@pytest.fixture
def work_index(database: Database, clock: Clock | None) -> WorkIndex:
    """A Work Index on a fresh database."""
    from workindex import WorkIndex

    return WorkIndex(database, clock)


@pytest.fixture
def ann(work_index: WorkIndex) -> UserScope:
    """A user of whom nothing is known yet."""
    return work_index.user("ann")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data, which is not part of the repository."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"the real data is not here: {SHARED_DATA} does not exist")
    return SHARED_DATA
