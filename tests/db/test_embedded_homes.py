"""Homes that are none, environments that lead elsewhere: told at once, and nothing is touched."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from conftest import Cluster
from workindex.domain.errors import NotReady
from workindex.eventlog.embedded import EmbeddedServer
from workindex.eventlog.server_home import ServerHome


@pytest.fixture
def root() -> Iterator[Path]:
    """A folder that every user can enter."""
    folder = Path(tempfile.mkdtemp(prefix="wi", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_a_home_that_several_make_at_once(root: Path) -> None:
    """Whoever comes first makes each folder, and nobody fails on what another one just made."""
    together = Barrier(8)

    def make(number: int) -> None:
        together.wait()
        ServerHome(root / f"a-{number}" / "b" / "home").make()

    with ThreadPoolExecutor(8) as pool:
        for number in range(100):
            for one in [pool.submit(make, number) for _ in range(8)]:
                one.result()
    modes = {path.stat().st_mode & 0o777 for path in root.glob("a-*/b/home")}
    assert modes == {0o711 if os.geteuid() == 0 else 0o700}


def file_as_home(root: Path) -> Path:
    """A file where the home should be."""
    (root / "h").write_text("mine")
    return root / "h"


def file_above(root: Path) -> Path:
    """A file where a folder above the home should be."""
    (root / "h").write_text("mine")
    return root / "h" / "sub" / "home"


def loop_of_links(root: Path) -> Path:
    """A link to a link to it."""
    (root / "a").symlink_to(root / "b")
    (root / "b").symlink_to(root / "a")
    return root / "a"


def long_name(root: Path) -> Path:
    """A name longer than any file system takes."""
    return root / ("x" * 300)


def long_path(root: Path) -> Path:
    """A path longer than the system takes."""
    return root.joinpath(*["d" * 200] * 40)


def lock_elsewhere(root: Path) -> Path:
    """A lock that is a link to somebody's file."""
    (root / "victim").write_text("mine")
    (root / "lock").symlink_to(root / "victim")
    return root


def data_is_a_file(root: Path) -> Path:
    """A file where the cluster should be."""
    (root / "data").write_text("mine")
    return root


def version_is_a_folder(root: Path) -> Path:
    """A cluster whose version is a folder."""
    (root / "data" / "PG_VERSION").mkdir(parents=True)
    os.chown(root / "data", *(1, 1) if os.geteuid() == 0 else (-1, -1))
    return root


HOMES: tuple[Callable[[Path], Path], ...] = (
    file_as_home,
    file_above,
    loop_of_links,
    long_name,
    long_path,
    lock_elsewhere,
    data_is_a_file,
    version_is_a_folder,
)


@pytest.mark.parametrize("make", HOMES, ids=lambda make: make.__name__)
def test_homes_that_are_none(root: Path, make: Callable[[Path], Path]) -> None:
    """A start says what is in the way and what to do; files of others stay as they are."""
    home = make(root)
    with pytest.raises(NotReady) as caught:
        EmbeddedServer(home).ensure_running()
    assert str(root) in str(caught.value)
    assert "WORKINDEX_HOME" in str(caught.value)
    with suppress(NotReady):
        EmbeddedServer(home).status()
    mine = [path for path in root.rglob("*") if path.is_file() and path.name != "lock"]
    assert all(path.read_text() == "mine" for path in mine)
    assert not (root / "lock").is_symlink() or (root / "victim").read_text() == "mine"


@pytest.mark.parametrize("code", [errno.EROFS, errno.ENOSPC, errno.EIO, errno.EMFILE])
def test_a_disk_that_takes_nothing(root: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    """A read-only or full disk under the home is named, not thrown."""
    real = os.open

    def refuse(path: Any, flags: int, *rest: Any, **more: Any) -> int:
        if str(path).endswith("/lock"):
            raise OSError(code, os.strerror(code), str(path))
        return real(path, flags, *rest, **more)

    monkeypatch.setattr("os.open", refuse)
    with pytest.raises(NotReady, match=os.strerror(code)):
        EmbeddedServer(root / "h").ensure_running()


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PGSERVICE", "nowhere"),
        ("PGTARGETSESSIONATTRS", "read-only"),
        ("PGCHANNELBINDING", "require"),
        ("PGREQUIREAUTH", "scram-sha-256"),
    ],
)
def test_variables_that_lead_libpq_elsewhere(
    embedded_cluster: Cluster, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    """The variable is named at once, instead of a server that is said to be silent for minutes."""
    monkeypatch.setenv(variable, value)
    began = time.monotonic()
    with pytest.raises(NotReady, match=variable):
        embedded_cluster.server.ensure_running()
    assert time.monotonic() - began < 15


def test_variables_that_change_nothing(
    embedded_cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same variables with values that fit, and others, are no reason to refuse anything."""
    for variable, value in {
        "PGTARGETSESSIONATTRS": "any",
        "PGCHANNELBINDING": "prefer",
        "PGHOST": "/nowhere",
        "PGPORT": "1",
        "PGUSER": "nobody",
        "PGDATABASE": "nothing",
        "PGSSLMODE": "require",
        "PGOPTIONS": "-c search_path=pg_catalog",
    }.items():
        monkeypatch.setenv(variable, value)
    embedded_cluster.server.ensure_running()
