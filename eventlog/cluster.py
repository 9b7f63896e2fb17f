"""What is in the embedded server's folders: the cluster, its configuration, its pid file.

Invariant: the data folder appears whole (made beside its place, then renamed), is opened only by
binaries of its own major version, and is never trusted about which process serves it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from workindex.domain.errors import NotReady
from workindex.eventlog.binaries import Binaries
from workindex.eventlog.server_home import ServerHome

# Roles that may log in. The owner of the schema may not: migrations become it with SET ROLE.
LOGIN_ROLES = ("postgres", "workindex_app", "workindex_maint")
_HEADER = "# Written by workindex at every start: changes are lost. {hint}\n"
_SETTINGS = """\
listen_addresses = ''
unix_socket_permissions = 0700
max_connections = 100
shared_buffers = '128MB'
timezone = 'UTC'
lc_messages = 'C'
# Durable: what was committed survives a crash of the server and of the machine.
fsync = on
synchronous_commit = on
full_page_writes = on
# Short statements only, where compiling costs more than it saves.
jit = off
# One log file a weekday, begun anew a week later.
logging_collector = on
log_directory = 'log'
log_filename = 'postgresql-%a.log'
log_file_mode = 0600
log_rotation_age = '1d'
log_rotation_size = 0
log_truncate_on_rotation = on
log_timezone = 'UTC'
log_line_prefix = '%m [%p] %q%u@%d '
# Checkpoints say nothing that a user of this server acts on; details may hold users' data.
log_checkpoints = off
log_error_verbosity = terse
"""
_HBA = """\
local all         all      peer map=workindex
local replication postgres peer map=workindex
"""


def initialise(home: ServerHome, binaries: Binaries, lock: int) -> None:
    """Make the cluster. `lock` is the server's lock, which initdb holds too. Raises: NotReady."""
    account = home.account
    fresh = home.path / "data.new"
    if fresh.exists():
        shutil.rmtree(fresh)
    fresh.mkdir(mode=0o700)
    os.chown(fresh, account.uid, account.gid)
    made = subprocess.run(
        [
            binaries.bin_dir / "initdb",
            f"--pgdata={fresh}",
            "--username=postgres",
            "--auth-local=peer",
            "--auth-host=reject",
            "--encoding=UTF8",
            *_locale_options(binaries),
            "--data-checksums",
            "--no-instructions",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        pass_fds=(lock,),
        **account.process_options(),
    )
    if made.returncode != 0:
        shutil.rmtree(fresh)
        raise NotReady(
            f"initdb of PostgreSQL {binaries.version} could not make {home.data}: "
            f"{made.stdout.strip()[-2_000:]}"
        )
    fresh.rename(home.data)


def cluster_major(home: ServerHome) -> int | None:
    """The major version of the data folder, None where there is no cluster. Raises: NotReady."""
    version_file = home.data / "PG_VERSION"
    try:
        text = version_file.read_text(encoding="utf-8", errors="replace")[:20].strip()
    except FileNotFoundError:
        if not home.data.exists():
            return None
        raise NotReady(
            f"{home.data} is there but holds no PG_VERSION, so it is not a cluster: move it away, "
            f"or set WORKINDEX_HOME to another folder"
        ) from None
    if not text.isdecimal():
        raise NotReady(f"{version_file} says {text!r}, which is no version: restore it")
    return int(text)


def refuse_other_version(home: ServerHome, binaries: Binaries) -> None:
    """Raises: NotReady if the data folder was made by another major version."""
    major = cluster_major(home)
    if major in (None, binaries.major):
        return
    raise NotReady(
        f"{home.data} was made by PostgreSQL {major}, but the binaries in {binaries.bin_dir} are "
        f"PostgreSQL {binaries.version}. Nothing was changed. Install PostgreSQL {major} again, or "
        f"dump the data with it and restore it into a new WORKINDEX_HOME"
    )


def write_configuration(home: ServerHome) -> None:
    """Write postgresql.conf, pg_hba.conf and pg_ident.conf, outside the data folder."""
    idents = "".join(
        f"workindex {_quoted(person)} {role}\n" for person in home.people for role in LOGIN_ROLES
    )
    for name, hint, text in (
        ("postgresql.conf", "For settings of your own use ALTER SYSTEM.", _SETTINGS),
        ("pg_hba.conf", "Only over the socket, only as who you are.", _HBA),
        ("pg_ident.conf", "Who of this machine may log in as which role.", idents),
    ):
        fresh = home.conf / f".{name}.new"
        fresh.write_text(_HEADER.format(hint=hint) + text, encoding="utf-8")
        fresh.chmod(0o644)
        fresh.rename(home.conf / name)


def server_command(home: ServerHome, binaries: Binaries) -> list[str]:
    """The command line of the postmaster."""
    settings = {
        "config_file": home.conf / "postgresql.conf",
        "hba_file": home.conf / "pg_hba.conf",
        "ident_file": home.conf / "pg_ident.conf",
        "unix_socket_directories": home.socket_dir,
        "cluster_name": home.token,
    }
    command = [str(binaries.bin_dir / "postgres"), "-D", str(home.data)]
    for name, value in settings.items():
        command += ["-c", f"{name}={value}"]
    return command


def postmaster_pid(home: ServerHome) -> int | None:
    """The pid of the living postmaster of this home, None where the pid file is stale or absent."""
    pid = _pid_in(home.data / "postmaster.pid")
    if pid is None:
        return None
    command = _command_line(pid)
    is_ours = home.token in command or f" -D {home.data} " in f"{command} "
    return pid if is_ours and "postgres" in command else None


def has_pid_file(home: ServerHome) -> bool:
    """Whether a pid file is there, stale or not."""
    return (home.data / "postmaster.pid").exists()


def remove_stale_files(home: ServerHome) -> None:
    """Remove pid and socket files that name a process which is not this server.

    The caller holds the server's lock and knows that no process of the server is alive. A pid
    file whose process is gone stays: PostgreSQL reads from it which shared memory was in use.
    """
    pid = _pid_in(home.data / "postmaster.pid")
    if has_pid_file(home) and (pid is None or _is_alive(pid)):
        (home.data / "postmaster.pid").unlink()
    for leftover in (home.socket, home.socket.with_name(home.socket.name + ".lock")):
        leftover.unlink(missing_ok=True)


def log_tail(home: ServerHome) -> str:
    """The last lines that the server wrote, for an error message."""
    files = [home.start_log, *(home.data / "log").glob("*.log")]
    files = sorted((path for path in files if path.exists()), key=lambda path: path.stat().st_mtime)
    lines = [line for path in files[-2:] for line in path.read_text(errors="replace").splitlines()]
    return "\n".join(lines[-8:])


def _locale_options(binaries: Binaries) -> list[str]:
    if sys.platform == "darwin" and binaries.major >= 17:
        # That system has no locale of this name; PostgreSQL brings an equal one.
        return ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    return ["--locale=C.UTF-8"]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _pid_in(pid_file: Path) -> int | None:
    try:
        first = pid_file.read_text(encoding="utf-8", errors="replace").split("\n", 1)[0].strip()
    except FileNotFoundError:
        return None
    return int(first) if first.isdecimal() and int(first) > 1 else None


def _is_alive(pid: int) -> bool:
    """Whether a process has this pid; one that ended but was not waited for counts."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _command_line(pid: int) -> str:
    """How that process was started, with spaces between the words; empty if there is none."""
    if sys.platform == "linux":
        try:
            return (
                Path(f"/proc/{pid}/cmdline")
                .read_bytes()
                .replace(b"\0", b" ")
                .decode(errors="replace")
            )
        except (FileNotFoundError, ProcessLookupError):
            return ""
    shown = subprocess.run(
        ["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return shown.stdout.strip()
