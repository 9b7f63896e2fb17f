"""pgbouncer in transaction mode in front of a test's server, where its program is installed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from conftest import Urls

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
PORT = 6432
USERS = '"postgres" ""\n"workindex_app" ""\n"workindex_maint" ""\n'


class Bouncer:
    """A running pgbouncer, with one server connection a role unless told otherwise."""

    def __init__(self, folder: Path, process: subprocess.Popen[bytes]) -> None:
        self.folder = folder
        self.process = process

    def through(self, urls: Urls) -> Urls:
        """The same logins by way of the pooler."""
        return Urls(*(self._through(url) for url in urls))

    def _through(self, url: str) -> str:
        given = conninfo_to_dict(url)
        name = quote(str(given["dbname"]), safe="")
        return f"postgresql://{given['user']}@/{name}?host={self.folder}&port={PORT}"

    def connect_anew(self) -> None:
        """Have it close its connections to the server, as an operator does."""
        url = f"postgresql://postgres@/pgbouncer?host={self.folder}&port={PORT}"
        with psycopg.connect(url, autocommit=True, cursor_factory=psycopg.ClientCursor) as conn:
            conn.execute("RECONNECT")


@contextmanager
def bouncer(urls: Urls, **settings: str | int) -> Iterator[Bouncer]:
    """pgbouncer in front of the server of these URLs; skips the test where it is not installed."""
    if PROGRAM is None:
        pytest.skip("pgbouncer is not installed on this machine")
    folder = Path(tempfile.mkdtemp(prefix="wi", dir="/tmp"))
    server = conninfo_to_dict(urls.owner)
    owner_uid = Path(str(server["host"])).stat().st_uid
    lines = {
        "listen_addr": "",
        "unix_socket_dir": folder,
        "listen_port": PORT,
        "auth_type": "trust",
        "auth_file": folder / "users",
        "admin_users": "postgres",
        "logfile": folder / "log",
        "pool_mode": "transaction",
        "max_client_conn": 200,
        "default_pool_size": 1,
        **settings,
    }
    text = f"[databases]\n* = host={server['host']} port={server['port']}\n[pgbouncer]\n"
    text += "".join(f"{name} = {value}\n" for name, value in lines.items())
    (folder / "ini").write_text(text, encoding="utf-8")
    (folder / "users").write_text(USERS, encoding="utf-8")
    for path in (folder, *folder.iterdir()):
        os.chown(path, owner_uid, -1)
    process = subprocess.Popen(
        [PROGRAM, "-q", folder / "ini"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        user=owner_uid if os.geteuid() == 0 else None,
    )
    try:
        running = Bouncer(folder, process)
        _wait_for(running.through(urls).owner)
        yield running
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        shutil.rmtree(folder)


def _wait_for(url: str) -> None:
    """Return when the pooler answers."""
    deadline = time.monotonic() + 20
    while True:
        try:
            psycopg.connect(url, prepare_threshold=None).close()
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return
