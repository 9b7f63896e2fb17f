"""A log that is dumped and restored into a fresh cluster goes on where it stood.

Nothing of the old cluster's transaction ids or sequences is part of an order, so history stays
visible and new events come after it.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from conftest import Cluster, Urls
from engine import Engine
from everything import fill
from workindex.domain.tasks import CreateTask, RequestTaskInput
from workindex.eventlog.database import Database
from workindex.eventlog.embedded import EmbeddedServer
from workindex.eventlog.migrate import bootstrap


@pytest.fixture
def fresh_cluster(cluster: Cluster) -> Iterator[EmbeddedServer]:
    """A second server of the same binaries, with roles and without a schema."""
    home = Path(tempfile.mkdtemp(prefix="wi", dir="/tmp"))
    home.chmod(0o755)
    server = EmbeddedServer(home / "s", bin_dir=cluster.server.status().bin_dir)
    try:
        server.ensure_running()
        bootstrap(server.url("owner"))
        yield server
    finally:
        server.stop()
        shutil.rmtree(home)


def dump_and_restore(old: Urls, server: EmbeddedServer, file: Path) -> None:
    """Move a database by the tools that its operator would use."""
    bin_dir = server.status().bin_dir
    assert bin_dir is not None
    for command in (
        [bin_dir / "pg_dump", "--format=custom", f"--file={file}", old.owner],
        [bin_dir / "pg_restore", "--exit-on-error", f"--dbname={server.url('owner')}", file],
    ):
        subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True)


@pytest.mark.pg15
def test_history_and_future_after_a_restore(
    urls: Urls, fresh_cluster: EmbeddedServer, tmp_path: Path
) -> None:
    """Positions, rows and verdicts are those of before; the next event comes next, once."""
    with closing(Database(urls.app, maint_url=urls.maint)) as database:
        fill(database, "ann")
        before = Engine(database)
        before.record(CreateTask(task_id="T-last", title="last"), now=None)
        before.record(
            RequestTaskInput(task_id="T-last", request_id="Q", kind="input", prompt="?"),
        )
        history = before.events()
        waiting = before.read()
        # Many transactions of other databases make the old cluster's ids larger than the new's.
        with psycopg.connect(urls.owner, autocommit=True) as conn:
            for _ in range(200):
                conn.execute("SELECT pg_current_xact_id()")
    dump_and_restore(urls, fresh_cluster, tmp_path / "log.dump")
    with closing(
        Database(fresh_cluster.url("app"), maint_url=fresh_cluster.url("maint"))
    ) as database:
        after = Engine(database)
        assert after.events() == history
        assert after.read(now=waiting.now).rows == waiting.rows
        assert after.read().reasons == waiting.reasons
        assert after.is_whole()
        receipt = after.record(CreateTask(task_id="T-new", title="new"))
        assert receipt.positions == (len(history) + 1,)
        assert [event.position for event in after.events()] == list(range(1, len(history) + 2))
        assert after.is_whole()
        # Who is nobody there sees nothing there either.
        with database.connection() as conn:
            assert conn.execute("SELECT count(*) FROM event").fetchone() == (0,)
