"""A server that stops, and comes back as a standby: answers stay typed and prove nothing."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import TEMPLATE, Cluster
from engine import PENDING, Engine, proof_of, question, task
from workindex.domain.errors import NotReady, Unavailable
from workindex.domain.tasks import StartTask
from workindex.eventlog.database import Database
from workindex.eventlog.embedded import EmbeddedServer


@pytest.fixture
def server() -> Iterator[EmbeddedServer]:
    """A server of this test's own, to stop and to change."""
    home = Path(tempfile.mkdtemp(prefix="wi", dir="/tmp"))
    home.chmod(0o755)
    made = EmbeddedServer(home / "s")
    try:
        made.ensure_running()
        yield made
    finally:
        made.stop()
        shutil.rmtree(home, ignore_errors=True)


def test_stopped_and_standby(server: EmbeddedServer) -> None:
    """Stopped: unavailable, at once. A standby reads the same rows, proves and takes nothing."""
    urls = Cluster(server).urls(TEMPLATE)
    database = Database(urls.app, maint_url=urls.maint)
    ann = Engine(database)
    ann.record(task("T-1"))
    ann.record(question("T-1"))
    expected = ann.read()
    assert proof_of(expected).verdict == "items"

    server.stop()
    started = time.monotonic()
    for _ in range(2):
        silent = ann.read()
        assert silent.reasons == ("unavailable",)
    assert time.monotonic() - started < 10
    assert all(silent.rows[kind] == [] for kind in PENDING)
    fresh = Engine(Database(urls.app))
    assert fresh.read().reasons == ("unavailable",)
    with pytest.raises(Unavailable, match="workindex db status"):
        fresh.record(StartTask(task_id="T-1"))

    signal = server.status().data_dir / "standby.signal"
    signal.touch()
    data = signal.parent.stat()
    os.chown(signal, data.st_uid, data.st_gid)
    server.ensure_running()
    # The same object, whose connections are gone, goes on by itself.
    for engine in (fresh, ann):
        reading = engine.read()
        proof = proof_of(reading)
        assert (proof.verdict, proof.reasons) == ("unproven", ("replica",))
        assert (reading.rows, reading.position) == (expected.rows, 2)
        for command in (task("T-2"), StartTask(task_id="T-1")):
            with pytest.raises(NotReady, match="standby"):
                engine.record(command)
        engine.database.close()
