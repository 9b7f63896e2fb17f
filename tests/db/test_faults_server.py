"""A server that is killed or has no room left, under sixteen writers.

What was acknowledged is there exactly once when the server is back; what was not is there whole or
not at all and can be sent again with its keys; rows equal the log.
"""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from conftest import Cluster, Urls
from engine import Engine, question, task
from private import Load, batch, kill, private_server, urls_of
from workindex.domain.errors import Unavailable
from workindex.eventlog.database import Database

MIB = 1024 * 1024
# What takes room also after compression.
LONG = random.Random(1).randbytes(900).hex()


@pytest.mark.faults
def test_a_server_that_is_killed_twice(cluster: Cluster) -> None:
    """kill -9 of every process of the server while sixteen write, and again while it is young."""
    with private_server(cluster) as server:
        for round_ in ("first", "second"):
            load = Load(urls_of(server), round_)
            load.run()
            kill(server)
            load.end()
            assert load.unknown, "nobody was writing when the server went"
            server.ensure_running()
            load.check()


@contextmanager
def small_disk(size: int, owner_of: Path) -> Iterator[Path]:
    """A folder on a file system of that many bytes; skips where none can be mounted."""
    folder = Path(tempfile.mkdtemp(prefix="wi", dir="/tmp"))
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode != 0:
        folder.rmdir()
        pytest.skip(f"no small file system can be mounted here: {mounted.stderr.strip()}")
    try:
        folder.chmod(0o755)
        os.chown(folder, owner_of.stat().st_uid, owner_of.stat().st_gid)
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)
        folder.rmdir()


def fill_up(folder: Path, leave: int = 0) -> Path:
    """Take the room that is left on a file system, but for some bytes; delete the file for more."""
    ballast = folder / "ballast"
    room = os.statvfs(folder)
    with ballast.open("wb", buffering=0) as file:
        left = room.f_bavail * room.f_frsize - leave
        while left > 0:
            try:
                left -= file.write(b"\0" * min(left, MIB))
            except OSError:
                break
    return ballast


@pytest.fixture
def tight(cluster: Cluster) -> Iterator[tuple[Urls, Path]]:
    """A fresh database whose tables stand on a small disk, with the disk's folder."""
    data = cluster.server.status().data_dir
    with small_disk(64 * MIB, data) as disk:
        place = disk / "tables"
        place.mkdir(mode=0o700)
        os.chown(place, data.stat().st_uid, data.stat().st_gid)
        urls = cluster.clone()
        name = psycopg.conninfo.conninfo_to_dict(urls.app)["dbname"]
        with psycopg.connect(cluster.admin, autocommit=True) as conn:
            conn.execute(f"CREATE TABLESPACE small LOCATION '{place}'")
            conn.execute(f"ALTER DATABASE {name} SET TABLESPACE small")
            yield urls, disk
            conn.execute(f"DROP DATABASE {name} WITH (FORCE)")
            conn.execute("DROP TABLESPACE small")


def write_until_full(engine: Engine) -> tuple[int, Unavailable]:
    """How many batches were stored, and what the next one was told."""
    for stored in range(1_000):
        try:
            engine.record_all(batch(f"B-{stored}", LONG))
        except Unavailable as full:
            return stored, full
    raise AssertionError("the disk never filled up")


@pytest.mark.faults
@pytest.mark.pg15
def test_no_room_for_tables(tight: tuple[Urls, Path]) -> None:
    """Unavailable that says so, nothing half-written, reading goes on, and room is all it takes."""
    urls, disk = tight
    with closing(Database(urls.app, maint_url=urls.maint)) as database:
        ann = Engine(database)
        ann.record(task("T-0"))
        ann.record(question("T-0"))
        ballast = fill_up(disk)
        stored, full = write_until_full(ann)
        assert "the database has no room left (could not extend file" in str(full)
        assert ann.proof().verdict == "items"
        assert len(ann.events()) == 2 + 2 * stored
        assert ann.is_whole()
        ballast.unlink()
        receipts = ann.record_all(batch(f"B-{stored}", LONG))
        first = 3 + 2 * stored
        assert [one.positions for one in receipts] == [(first,), (first + 1,)]
        assert [one.duplicate for one in receipts] == [False, False]
        assert ann.is_whole()


@pytest.mark.faults
def test_no_room_for_anything(cluster: Cluster) -> None:
    """The write-ahead log cannot grow either, whatever the server does then; with room it comes
    back with all that was acknowledged."""
    data = cluster.server.status().data_dir
    with small_disk(160 * MIB, data) as disk, private_server(cluster, disk) as server:
        ballast = fill_up(disk, leave=4 * MIB)
        load = Load(urls_of(server), "full", text=LONG)
        load.run()
        load.end()
        assert load.unknown
        ballast.unlink()
        server.ensure_running()
        load.check()
