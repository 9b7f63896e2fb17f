"""How do I get a PostgreSQL server without installing one?

`EmbeddedServer(home).ensure_running()`: it makes the cluster if there is none, starts the server
if it is down, attaches if it is up. The server outlives the process that started it.

Invariant: every process of the server holds the lock of its home from before its first breath to
after its last. So whoever gets the lock knows that none is alive, not even an orphan that still
has the shared memory of a killed server, and may start one; everybody else waits for an answer.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import quote

import psycopg

from workindex.domain.errors import NotReady, Unavailable
from workindex.eventlog import cluster
from workindex.eventlog.binaries import keep, resolve_binaries
from workindex.eventlog.server_home import PORT, ServerHome

ServerState = Literal["running", "stopped", "stale", "absent", "other_version"]
Role = Literal["app", "maint", "owner"]

START_TIMEOUT_SECONDS = 120.0  # crash recovery replays the write-ahead log first
STOP_TIMEOUT_SECONDS = 60.0
_POLL_SECONDS = 0.02
# The owner of the schema may not log in: a migration logs in as postgres and becomes the owner.
_LOGIN_OF: dict[Role, str] = {
    "app": "workindex_app",
    "maint": "workindex_maint",
    "owner": "postgres",
}
# A refused connection carries no SQLSTATE through libpq, only the server's English text.
_NOT_YET = ("starting up", "shutting down", "recovery mode", "not yet accepting", "not accepting")
_NOT_THERE = ("Connection refused", "No such file", "closed the connection unexpectedly")
# Variables that lead libpq elsewhere than to the socket it is given, or let it refuse that one.
_LIBPQ_VARIABLES = (
    "PGSERVICE",
    "PGHOSTADDR",
    "PGTARGETSESSIONATTRS",
    "PGREQUIREAUTH",
    "PGCHANNELBINDING",
    "PGGSSENCMODE",
    "PGSSLNEGOTIATION",
)
_CROWDED = ("too many clients", "remaining connection slots")


class ServerStatus(NamedTuple):
    """One look at the server. `stale`: it was killed and left files or orphan processes behind."""

    state: ServerState
    pid: int | None
    data_dir: Path
    socket_dir: Path
    port: int
    version: str | None
    bin_dir: Path | None


class EmbeddedServer:
    """The PostgreSQL server of one home folder; any number of these objects may share it."""

    def __init__(self, home: Path | None = None, *, bin_dir: Path | None = None) -> None:
        if sys.platform == "win32":
            raise NotReady(
                "the embedded server is not built for Windows yet: set WORKINDEX_DATABASE_URL to "
                "a PostgreSQL server of your own"
            )
        self._home = ServerHome(home)
        self._bin_dir = bin_dir

    def ensure_running(self) -> None:
        """Return when the server answers: make the cluster, start the server, or attach.

        Safe from any number of processes and threads at once. Creates no role and no schema.
        Raises: NotReady (folder, binaries or version do not fit), Unavailable (took too long).
        """
        with self._usable_home():
            self._ensure_running()

    def _ensure_running(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        is_launched = False
        while self._answering_version() is None:
            if time.monotonic() > deadline:
                raise Unavailable(self._why_silent())
            if not is_launched:
                self._home.make()
            with self._home.lock() as lock:
                if lock is not None and cluster.postmaster_pid(self._home) is None:
                    if is_launched:
                        raise NotReady(
                            f"PostgreSQL ended while starting in {self._home.data}: "
                            f"{cluster.log_tail(self._home)}"
                        )
                    self._launch(lock)
                    is_launched = True
            time.sleep(_POLL_SECONDS)

    def stop(self) -> None:
        """Stop the server in order, ending its connections; nothing to do if it is down.

        Raises: Unavailable if its processes do not end in time.
        """
        with self._usable_home():
            self._stop()

    def _stop(self) -> None:
        pid = cluster.postmaster_pid(self._home)
        if pid is not None:
            try:
                with suppress(ProcessLookupError):  # it ended by itself
                    os.kill(pid, signal.SIGINT)
            except PermissionError as error:
                raise NotReady(
                    f"the server (pid {pid}) belongs to {self._home.account.name}: stop it as "
                    f"{self._home.account.name} or as root"
                ) from error
        deadline = time.monotonic() + STOP_TIMEOUT_SECONDS
        while not self._has_ended(pid):
            if time.monotonic() > deadline:
                raise Unavailable(
                    f"processes of the server in {self._home.data} (pid {pid}) are still there "
                    f"after {STOP_TIMEOUT_SECONDS:.0f} s: wait and run `workindex db stop` again"
                )
            time.sleep(_POLL_SECONDS)

    def status(self) -> ServerStatus:
        """What is there now; changes nothing. Raises: NotReady if the home is closed to us."""
        with self._usable_home():
            return self._status()

    def _status(self) -> ServerStatus:
        version = self._answering_version()
        pid = cluster.postmaster_pid(self._home)
        major = cluster.cluster_major(self._home)
        try:
            binaries = resolve_binaries(self._home, self._bin_dir, major)
        except NotReady:
            binaries = None
        state: ServerState = "stopped"
        if version is not None or pid is not None:
            state = "running"
        elif major is None:
            state = "absent"
        elif binaries is not None and binaries.major != major:
            state = "other_version"
        elif cluster.has_pid_file(self._home) or not self._has_ended(None):
            state = "stale"
        return ServerStatus(
            state,
            pid,
            self._home.data,
            self._home.socket_dir,
            PORT,
            version or (None if major is None else str(major)),
            None if binaries is None else binaries.bin_dir,
        )

    def url(self, role: Role = "app", database: str = "workindex") -> str:
        """The connection URL of a role, for libpq and everything built on it.

        `owner` logs in as postgres, who may SET ROLE to the owner of the schema.
        """
        name = quote(database, safe="")
        folder = quote(os.fsencode(self._home.socket_dir), safe="")
        return f"postgresql://{_LOGIN_OF[role]}@/{name}?host={folder}&port={PORT}"

    @contextmanager
    def _usable_home(self) -> Iterator[None]:
        """Say which folder is in the way where the operating system refuses one."""
        try:
            yield
        except OSError as error:
            raise NotReady(
                f"the server in {self._home.path} cannot be used ({error}): mend that, set "
                f"WORKINDEX_HOME to another folder, or set WORKINDEX_DATABASE_URL"
            ) from error

    def _launch(self, lock: int) -> None:
        """Start the postmaster and return at once; it inherits the lock."""
        home = self._home
        major = cluster.cluster_major(home)
        binaries = resolve_binaries(home, self._bin_dir, major)
        cluster.refuse_other_version(home, binaries)
        binaries = keep(binaries, home)
        account = home.account
        if os.geteuid() == 0 and not account.can("x", binaries.bin_dir / "postgres"):
            raise NotReady(
                f"the server runs as {account.name}, who cannot reach {binaries.bin_dir}: make "
                f"that folder and those above it readable for others, or choose other binaries"
            )
        if major is None:
            cluster.initialise(home, binaries, lock)
        cluster.remove_stale_files(home)
        cluster.write_configuration(home)
        home.make_socket_dir()
        # The shell forks and ends: the postmaster is nobody's child, so it leaves no zombie in a
        # long-lived caller, and with the new session no terminal's Ctrl-C reaches it.
        with home.start_log.open("wb") as log:
            home.start_log.chmod(0o600)
            subprocess.run(
                ["/bin/sh", "-c", '"$@" &', "sh", *cluster.server_command(home, binaries)],
                stdout=log,
                stderr=log,
                check=True,
                pass_fds=(lock,),
                **account.process_options(),
            )

    def _answering_version(self) -> str | None:
        """The version of the server that answers on our socket, None if none does (yet).

        Raises: NotReady if it refuses us for good, or serves another folder.
        """
        if not self._home.has_socket_dir() or not self._home.socket.exists():
            return None
        try:
            with psycopg.connect(
                host=str(self._home.socket_dir),
                port=PORT,
                user="postgres",
                dbname="postgres",
                connect_timeout=10,
                autocommit=True,
            ) as connection:
                row = connection.execute(
                    "SELECT current_setting('data_directory'), current_setting('server_version')"
                ).fetchone()
        except psycopg.OperationalError as error:
            text = str(error)
            if any(phrase in text for phrase in _CROWDED):
                return "unknown"
            meddling = [name for name in _LIBPQ_VARIABLES if name in os.environ]
            if meddling and not any(phrase in text for phrase in (*_NOT_YET, *_NOT_THERE)):
                raise NotReady(
                    f"libpq obeys {', '.join(meddling)} and cannot reach the embedded server so "
                    f"({text.strip()}): unset that, or set WORKINDEX_DATABASE_URL"
                ) from error
            if "FATAL" not in text or any(phrase in text for phrase in _NOT_YET):
                return None
            raise NotReady(
                f"the server on {self._home.socket} refuses this user: {text.strip()}. Run as "
                f"{self._home.account.name} or root, or set WORKINDEX_HOME to a folder of your own"
            ) from error
        assert row is not None
        if Path(row[0]) != self._home.data:
            raise NotReady(
                f"the server on {self._home.socket} serves {row[0]}, not {self._home.data}: stop "
                f"that one first"
            )
        return str(row[1]).split(" ")[0]

    def _has_ended(self, pid: int | None) -> bool:
        """Whether no process of the server is left; a newer server than `pid` counts as none."""
        now = cluster.postmaster_pid(self._home)
        if now is not None:
            return pid is not None and now != pid
        if not self._home.lock_file.exists():
            return True
        with self._home.lock() as lock:
            return lock is not None

    def _why_silent(self) -> str:
        pid = cluster.postmaster_pid(self._home)
        who = (
            f"the server (pid {pid}) does not answer"
            if pid is not None
            else "processes of a killed server are still running, or another start is stuck"
        )
        return (
            f"{who} in {self._home.data} after {START_TIMEOUT_SECONDS:.0f} s: try again, or look "
            f"at {self._home.data / 'log'}"
        )
