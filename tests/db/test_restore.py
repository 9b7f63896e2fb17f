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

from commands import Command
from conftest import Cluster, Urls
from engine import Engine, do_as_owner
from everything import fill
from workindex import WorkIndex
from workindex.domain.conversations import PostMessage
from workindex.domain.tasks import CreateTask, RequestTaskInput
from workindex.eventlog.database import Database
from workindex.eventlog.embedded import EmbeddedServer
from workindex.eventlog.migrate import bootstrap
from workindex.projections import ALL_TABLES
from workindex.projections.sets import INLINE


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


@pytest.mark.faults
@pytest.mark.pg15
def test_what_stood_behind_goes_on_after_a_restore(
    urls: Urls, fresh_cluster: EmbeddedServer, tmp_path: Path
) -> None:
    """A projection that was behind when the dump was made catches up there, new events are taken
    in too, and log and rows of every set are equal."""
    with closing(Database(urls.app, maint_url=urls.maint)) as database:
        fill(database, "ann")
        fill(database, "bob")
        done = WorkIndex(database).catch_up()
        assert (done.parked, done.failures) == ([], 0)
        lags = Engine(database).record(said("M-1", "the boat on the lake"))
        do_as_owner(urls, "UPDATE projection_progress SET position = 0, open_count = 0 "
                          "WHERE user_id = 'bob' AND projection_set = 'inline'")  # fmt: skip
        for table in ALL_TABLES:
            if table.member in INLINE.members:
                do_as_owner(urls, f"DELETE FROM {table.name} WHERE user_id = 'bob'")
        do_as_owner(urls, "DELETE FROM work_due WHERE user_id = 'bob'")
    dump_and_restore(urls, fresh_cluster, tmp_path / "log.dump")
    new = Urls(fresh_cluster.url("app"), fresh_cluster.url("maint"), fresh_cluster.url("owner"))
    with closing(Database(new.app, maint_url=new.maint)) as database:
        next_ = Engine(database).record(said("M-2", "the boat is booked"))
        assert next_.positions == (lags.positions[0] + 1,)
        done = WorkIndex(database).catch_up()
        assert (done.parked, done.failures, done.users) == ([], 0, {"ann", "bob"})
    report = Command(new.env)("projections", "verify", "--json").document
    assert (report["users"], report["differences"]) == (2, [])
    found = Command(new.env)("search", "ann", "boat", "--json").document
    assert {f"message/M-{n}" for n in (1, 2)} == {one["id"] for one in found["hits"]}


def said(message_id: str, text: str) -> PostMessage:
    """A message of the user's."""
    return PostMessage(message_id=message_id, thread_id="TH", role="user", text=text)


@pytest.mark.faults
@pytest.mark.pg15
def test_who_can_make_a_dump(urls: Urls, cluster: Cluster) -> None:
    """The maintenance login dumps every user's rows; the application's is refused, and sees no
    row where row-level security is let do its work."""
    with closing(Database(urls.app, maint_url=urls.maint)) as database:
        fill(database, "ann")
        fill(database, "bob")
    bin_dir = cluster.server.status().bin_dir
    assert bin_dir is not None

    def dump(url: str, *options: str) -> subprocess.CompletedProcess[str]:
        command = [bin_dir / "pg_dump", "--data-only", "--inserts", *options, url]
        return subprocess.run(list(map(str, command)), check=False, capture_output=True, text=True)

    def rows(done: subprocess.CompletedProcess[str]) -> list[str]:
        assert done.returncode == 0, done.stderr
        return sorted(line for line in done.stdout.splitlines() if "INSERT" in line)

    whole = rows(dump(urls.owner))
    assert any("'bob'" in row for row in whole)
    assert rows(dump(urls.maint, "--enable-row-security")) == whole
    shared = "--exclude-table=operator_action"  # which the application may write only
    for url in (urls.maint, urls.app):
        assert "row-level security policy" in dump(url, shared).stderr
    seen = rows(dump(urls.app, "--enable-row-security", shared))
    assert not any("'ann'" in row or "'bob'" in row for row in seen)
