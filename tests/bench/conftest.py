"""A durable server for the benchmarks, with a migrated database and room for the stock recorder."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest

from bench.harness import overall
from workindex.eventlog.embedded import EmbeddedServer
from workindex.eventlog.migrate import bootstrap, upgrade

# Under this folder: a memory file system would make every flush free.
HOME = Path(os.environ.get("WORKINDEX_BENCH_HOME", "/var/tmp"))


@pytest.fixture(scope="session", autouse=True)
def table() -> Iterator[None]:
    """At the end of a run over several files, all targets in one table."""
    yield
    overall()


class Bench(NamedTuple):
    """The logins of the product's database and of a scratch one with the stock tables."""

    app: str
    maint: str
    owner: str
    scratch: str

    def flush(self, microseconds: int) -> None:
        """Let every flush wait: 0 for the disk as it is, 2,000 for a slower one."""
        with psycopg.connect(self.owner, autocommit=True) as conn:
            conn.execute(f"ALTER SYSTEM SET commit_delay = {microseconds:d}")
            conn.execute("ALTER SYSTEM SET commit_siblings = 0")
            conn.execute("SELECT pg_reload_conf()")


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    """A server of its own for each file, with the settings that users get: durable."""
    home = Path(tempfile.mkdtemp(prefix="wib", dir=HOME))
    home.chmod(0o755)
    server = EmbeddedServer(home / "s")
    try:
        server.ensure_running()
        upgrade(bootstrap(server.url("owner")))
        with psycopg.connect(server.url("owner", database="postgres"), autocommit=True) as conn:
            conn.execute("CREATE DATABASE stock")
        yield Bench(
            server.url("app"),
            server.url("maint"),
            server.url("owner"),
            server.url("owner", database="stock"),
        )
    finally:
        server.stop()
        shutil.rmtree(home, ignore_errors=True)
