"""Does the embedded server keep its rules? Real servers in folders of their own under /tmp.

The suite runs as root or not: as root the server runs as another user, and the cases that only
root can set up run too.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from workindex.domain.errors import NotReady
from workindex.eventlog.binaries import keep, resolve_binaries
from workindex.eventlog.embedded import EmbeddedServer
from workindex.eventlog.server_home import ServerHome

BIN_15 = Path("/usr/lib/postgresql/15/bin")
IS_ROOT = os.geteuid() == 0
root_only = pytest.mark.skipif(not IS_ROOT, reason="only root can run a server as another user")
# Words: home, binaries, and a user to become. The interpreter may lie where only root can read,
# so the rights are dropped when everything is imported.
ENSURE = """
import os, pwd, sys, psycopg
from pathlib import Path
from workindex.eventlog.embedded import EmbeddedServer
home, bin_dir, *name = sys.argv[1:]
if name:
    user = pwd.getpwnam(name[0])
    try:
        psycopg.connect("host=/nowhere")
    except psycopg.OperationalError:
        os.setgroups([]), os.setgid(user.pw_gid), os.setuid(user.pw_uid)
server = EmbeddedServer(Path(home), bin_dir=Path(bin_dir))
server.ensure_running()
print(server.status().pid, flush=True)
"""
# A shell starts what runs in its background with SIGINT ignored; the tests may run so.
HEAR = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
ENSURE_AND_WAIT = HEAR + ENSURE + "import time\ntime.sleep(60)\n"


@pytest.fixture(scope="module")
def bin_new() -> Iterator[Path]:
    """The newest binaries here, copied once for all tests of this file."""
    folder = short_folder()
    home = ServerHome(folder / "h")
    home.make()
    yield keep(resolve_binaries(home), home).bin_dir
    shutil.rmtree(folder)


@pytest.fixture(params=["new", pytest.param("15", marks=pytest.mark.pg15)])
def bin_dir(request: pytest.FixtureRequest, bin_new: Path) -> Path:
    """The newest binaries, and PostgreSQL 15's."""
    if request.param == "15" and not BIN_15.is_dir():
        pytest.skip(f"{BIN_15} is not on this machine")
    return bin_new if request.param == "new" else BIN_15


@pytest.fixture
def home() -> Iterator[Path]:
    """A place for a server, not made yet; whatever runs there afterwards is stopped."""
    folder = short_folder()
    yield folder / "h"
    clean(folder, folder / "h")


@pytest.fixture(scope="module")
def template(bin_new: Path) -> Iterator[Path]:
    """A cluster of the newest binaries, for tests that are not about making one."""
    folder = short_folder()
    server = EmbeddedServer(folder / "h", bin_dir=bin_new)
    server.ensure_running()
    server.stop()
    yield folder / "h" / "data"
    clean(folder, folder / "h")


@pytest.fixture
def server(home: Path, template: Path, bin_new: Path) -> EmbeddedServer:
    """A server on a copy of the template, running."""
    copy_cluster(template, home)
    server = EmbeddedServer(home, bin_dir=bin_new)
    server.ensure_running()
    return server


def copy_cluster(template: Path, home: Path) -> None:
    home.mkdir()
    home.chmod(0o711)
    subprocess.run(["cp", "-a", str(template), str(home / "data")], check=True)


def short_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="wi-", dir="/tmp"))
    folder.chmod(0o755)
    return folder


def clean(folder: Path, home: Path) -> None:
    EmbeddedServer(home).stop()
    socket_dir = ServerHome(home).socket_dir
    shutil.rmtree(folder)
    if socket_dir.exists():
        shutil.rmtree(socket_dir)


def connect(server: EmbeddedServer) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(server.url("owner", "postgres"), autocommit=True)


def value(server: EmbeddedServer, query: str) -> object:
    with connect(server) as connection:
        row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def pid_of(server: EmbeddedServer) -> int:
    pid = server.status().pid
    assert pid is not None
    return pid


def client(code: str, *words: object, **options: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.Popen(  # type: ignore[call-overload,no-any-return]
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def test_a_cold_start_then_a_warm_one(home: Path, bin_dir: Path) -> None:
    """From nothing to an answer; stop and start again finds the same data."""
    home.parent.chmod(0o751)
    server = EmbeddedServer(home, bin_dir=bin_dir)
    assert server.status().state == "absent"
    server.ensure_running()
    running = server.status()
    assert running.state == "running"
    major = resolve_binaries(bin_dir=bin_dir).major
    assert str(running.version).startswith(f"{major}.")
    with connect(server) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
    server.stop()
    server.stop()
    assert server.status().state == "stopped"
    started = time.monotonic()
    server.ensure_running()
    assert time.monotonic() - started < 10
    assert value(server, "SELECT number FROM kept") == 7
    assert stat.S_IMODE(home.parent.stat().st_mode) == 0o751, (
        "a parent's mode is not ours to change"
    )


def test_the_server_is_private_and_durable(server: EmbeddedServer) -> None:
    """No TCP, closed folders, checksums, nothing lost after a commit, never run by root."""
    wanted = {
        "listen_addresses": "",
        "fsync": "on",
        "synchronous_commit": "on",
        "full_page_writes": "on",
        "data_checksums": "on",
        "server_encoding": "UTF8",
        "lc_messages": "C",
        "unix_socket_permissions": "0700",
        "timezone": "UTC",
    }
    assert value(server, "SELECT datcollate FROM pg_database LIMIT 1") == "C.UTF-8"
    for name, expected in wanted.items():
        assert value(server, f"SHOW {name}") == expected, name
    for folder in (server.status().data_dir, server.status().socket_dir):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700, folder
        assert folder.stat().st_uid != 0, folder


def test_only_named_roles_log_in(server: EmbeddedServer) -> None:
    """Peer with a map: nobody becomes the owner of the schema, or a role that we do not know."""
    with connect(server) as connection:
        for role in ("workindex_app", "workindex_maint", "workindex_owner", "stranger"):
            connection.execute(f"CREATE ROLE {role} LOGIN".encode())
        connection.execute("CREATE DATABASE workindex")
    psycopg.connect(server.url("app")).close()
    psycopg.connect(server.url("maint")).close()
    for role in ("workindex_owner", "stranger"):
        with pytest.raises(psycopg.OperationalError, match="Peer authentication failed"):
            psycopg.connect(server.url().replace("workindex_app@", f"{role}@"))


def test_four_processes_at_once_share_one_server(home: Path, bin_new: Path) -> None:
    """One starts it, three wait and attach."""
    clients = [client(ENSURE, home, bin_new) for _ in range(4)]
    answers = [one.communicate(timeout=60) for one in clients]
    assert [one.returncode for one in clients] == [0] * 4, answers
    assert len({out for out, _ in answers}) == 1, answers
    assert EmbeddedServer(home).status().state == "running"


@pytest.mark.faults
def test_a_killed_server_comes_back_with_every_committed_row(home: Path, bin_dir: Path) -> None:
    """kill -9 of the postmaster: orphans are waited for, what was committed is there."""
    server = EmbeddedServer(home, bin_dir=bin_dir)
    server.ensure_running()
    killed = pid_of(server)
    with contextlib.closing(connect(server)) as idle, connect(server) as connection:
        connection.execute("CREATE TABLE kept (number int)")
        for number in range(200):
            connection.execute("INSERT INTO kept VALUES (%s)", [number])
        orphan = idle.info.backend_pid
        os.kill(orphan, signal.SIGSTOP)  # so that it cannot notice that it has become an orphan
        os.kill(killed, signal.SIGKILL)
        assert server.status().state == "stale"
        wake = threading.Timer(0.5, os.kill, (orphan, signal.SIGCONT))
        wake.start()
        server.ensure_running()
        assert wake.finished.is_set()
        assert not is_working(orphan)
    assert pid_of(server) != killed
    assert value(server, "SELECT array_agg(number ORDER BY number) FROM kept") == list(range(200))


def is_working(pid: int) -> bool:
    """Whether the process is there and is not just waiting to be reaped."""
    command = Path(f"/proc/{pid}/cmdline")
    return command.exists() and command.read_bytes() != b""


def test_stale_files_do_not_stop_a_start(home: Path, server: EmbeddedServer) -> None:
    """A pid that is not this server, in the pid file and beside the socket, is nobody's."""
    pid_file = home / "data" / "postmaster.pid"
    others = pid_file.read_text().split("\n")[1:]
    dead = pid_of(server)
    socket_dir = server.status().socket_dir
    with subprocess.Popen(["/bin/sleep", "60"]) as foreign:
        for content in (
            "\n".join([str(foreign.pid), *others]),
            "\n".join([str(dead), *others]),
            "",
        ):
            server.stop()
            for path in (pid_file, socket_dir / ".s.PGSQL.5432.lock"):
                path.write_text(content)
                shutil.chown(path, (home / "data").stat().st_uid)
            (socket_dir / ".s.PGSQL.5432").touch()
            assert server.status().state == "stale"
            server.ensure_running()
        assert foreign.poll() is None, "a foreign process was killed"
        foreign.kill()


@pytest.mark.faults
def test_a_start_that_was_killed_half_way_is_begun_again(home: Path, bin_new: Path) -> None:
    """kill -9 of the client while initdb runs leaves no half cluster."""
    starter = client(ENSURE, home, bin_new)
    while not (home / "data.new").exists():
        assert starter.poll() is None
        time.sleep(0.005)
    starter.kill()
    starter.communicate()
    server = EmbeddedServer(home, bin_dir=bin_new)
    server.ensure_running()
    assert value(server, "SELECT 1") == 1
    assert not (home / "data.new").exists()


def test_another_major_version_is_refused(home: Path, bin_new: Path) -> None:
    """The folder stays as it is, and the message says which two versions do not fit."""
    server = EmbeddedServer(home, bin_dir=bin_new)
    owner = ServerHome(home).account
    (home / "data").mkdir(parents=True, mode=0o700)
    (home / "data" / "PG_VERSION").write_text("14\n")
    os.chown(home / "data", owner.uid, owner.gid)
    with pytest.raises(NotReady, match=r"made by PostgreSQL 14, but .* are PostgreSQL \d+"):
        server.ensure_running()
    assert server.status().state == "other_version"
    assert [path.name for path in (home / "data").iterdir()] == ["PG_VERSION"]


def test_a_real_cluster_of_15_is_not_opened_by_newer_binaries(home: Path, bin_new: Path) -> None:
    """Made by 15, refused by the newest, still good for 15."""
    if not BIN_15.is_dir() or resolve_binaries(bin_dir=bin_new).major == 15:
        pytest.skip("needs PostgreSQL 15 and a newer one")
    old = EmbeddedServer(home, bin_dir=BIN_15)
    old.ensure_running()
    EmbeddedServer(home, bin_dir=bin_new).ensure_running()  # attaching needs no binaries
    old.stop()
    with pytest.raises(NotReady, match="made by PostgreSQL 15"):
        EmbeddedServer(home, bin_dir=bin_new).ensure_running()
    old.ensure_running()
    assert value(old, "SELECT 1") == 1


@pytest.mark.parametrize("name", ["long" * 30, "a b, 'c' 100% \u00fc"])
def test_a_home_that_no_socket_path_can_hold(template: Path, bin_new: Path, name: str) -> None:
    """Too long, or full of what the socket's syntax means otherwise: a short private folder."""
    folder = short_folder()
    home = folder / name
    copy_cluster(template, home)
    server = EmbeddedServer(home, bin_dir=bin_new)
    socket_dir = ServerHome(home).socket_dir
    try:
        assert socket_dir.parent == Path("/tmp")
        socket_dir.symlink_to(folder)
        with pytest.raises(NotReady, match="nothing in it is trusted"):
            server.ensure_running()
        socket_dir.unlink()
        server.ensure_running()
        assert value(server, "SELECT 1") == 1
        assert stat.S_IMODE(socket_dir.lstat().st_mode) == 0o700
        assert conninfo_to_dict(server.url())["host"] == str(socket_dir)
    finally:
        if socket_dir.is_symlink():
            socket_dir.unlink()
        clean(folder, home)


def _interrupted(process: subprocess.Popen[str]) -> str:
    """What the process says in the end; an interrupt that falls into a finaliser is lost there."""
    for _ in range(15):
        os.killpg(process.pid, signal.SIGINT)
        try:
            return process.communicate(timeout=2)[1]
        except subprocess.TimeoutExpired:
            continue
    process.kill()
    return process.communicate()[1]


@pytest.mark.faults
def test_ctrl_c_in_the_client_leaves_the_server(home: Path, bin_new: Path) -> None:
    """SIGINT to the client's whole process group ends the client only."""
    starter = client(ENSURE_AND_WAIT, home, bin_new, start_new_session=True)
    assert starter.stdout is not None
    pid = int(starter.stdout.readline().split()[0])
    errors = _interrupted(starter)
    assert starter.returncode == -signal.SIGINT, errors
    server = EmbeddedServer(home)
    assert pid_of(server) == pid
    assert value(server, "SELECT 1") == 1


@root_only
def test_a_normal_user_has_a_server_of_its_own(home: Path, bin_new: Path) -> None:
    """It runs as that user; root may use it, a third user may not."""
    nobody = pwd.getpwnam("nobody")
    home.mkdir()
    os.chown(home, nobody.pw_uid, nobody.pw_gid)
    _, errors = (user := client(ENSURE, home, bin_new, "nobody")).communicate(timeout=60)
    assert user.returncode == 0, errors
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    server = EmbeddedServer(home)
    assert (home / "data").stat().st_uid == nobody.pw_uid
    assert Path(f"/proc/{pid_of(server)}").stat().st_uid == nobody.pw_uid
    assert value(server, "SELECT 1") == 1
    _, errors = (third := client(ENSURE, home, bin_new, "daemon")).communicate(timeout=60)
    assert third.returncode == 1
    assert "belongs to another user" in errors
    server.stop()
    with pytest.raises(NotReady, match="belongs to nobody: start its server as that user"):
        server.ensure_running()


@root_only
def test_a_home_that_the_server_cannot_reach_is_refused(home: Path, bin_new: Path) -> None:
    """Root's closed folder: the message names the user and the way out; nothing is half made."""
    home.parent.chmod(0o700)
    with pytest.raises(NotReady, match=r"runs as \w+, who cannot enter .* WORKINDEX_HOME"):
        EmbeddedServer(home, bin_dir=bin_new).ensure_running()
    assert not (home / "data").exists()


def test_a_server_that_dies_while_starting_says_why(server: EmbeddedServer) -> None:
    """The server's last words are in the error; after a repair it starts."""
    server.stop()
    wrong = server.status().data_dir / "postgresql.auto.conf"
    wrong.write_text("no_such_setting = on\n")
    with pytest.raises(NotReady, match="no_such_setting"):
        server.ensure_running()
    wrong.write_text("")
    server.ensure_running()
