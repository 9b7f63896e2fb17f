"""A server of one test's own, which may be killed, filled up or cut off; and who writes to it."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from conftest import Cluster, Urls
from engine import Engine, do_as_owner, task
from workindex.domain.errors import Unavailable
from workindex.domain.tasks import ChangeTask
from workindex.eventlog.database import Database
from workindex.eventlog.embedded import EmbeddedServer
from workindex.eventlog.migrate import bootstrap, upgrade
from workindex.projections.planning import Entry

USERS = 4
WRITERS = 16
ENOUGH = 100  # acknowledged batches before something happens
SECONDS_MAX = 60


@contextmanager
def private_server(cluster: Cluster, home: Path | None = None) -> Iterator[EmbeddedServer]:
    """A migrated, durable server of the same binaries, in a folder of its own or in `home`."""
    with bare_server(cluster, home) as server:
        upgrade(bootstrap(server.url("owner")))
        yield server


@contextmanager
def bare_server(cluster: Cluster, home: Path | None = None) -> Iterator[EmbeddedServer]:
    """The same without roles and schema."""
    folder = home or Path(tempfile.mkdtemp(prefix="wi", dir="/tmp"))
    folder.chmod(0o755)
    server = EmbeddedServer(folder / "s", bin_dir=cluster.server.status().bin_dir)
    try:
        server.ensure_running()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder / "s", ignore_errors=True)
        if home is None:
            shutil.rmtree(folder)


def urls_of(server: EmbeddedServer) -> Urls:
    """The logins of the server's one database."""
    return Urls(server.url("app"), server.url("maint"), server.url("owner"))


def kill(server: EmbeddedServer) -> None:
    """kill -9 of the whole server: the postmaster and every process that it started."""
    postmaster = server.status().pid
    assert postmaster is not None
    children = [pid for pid in _processes() if _parent(pid) == postmaster]
    for pid in (postmaster, *children):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]


def _parent(pid: int) -> int | None:
    try:
        return int((Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return None


class Load:
    """Sixteen writers of four users, who note what was acknowledged and what they do not know.

    Each batch is a new task and a change of a task of the user's that all of them change, so half
    of what is written is decided from what others wrote.
    """

    def __init__(self, urls: Urls, round_: str, *, text: str = "") -> None:
        self._urls = urls
        self._round = round_
        self._text = text
        self._database = Database(urls.app, maint_url=urls.maint)
        self._enough = threading.Event()
        self._stop = threading.Event()
        self._unexpected: list[BaseException] = []
        self._threads = [threading.Thread(target=self._write, args=(n,)) for n in range(WRITERS)]
        self.known: dict[tuple[str, str], tuple[tuple[int, ...], ...]] = {}
        self.unknown: set[tuple[str, str]] = set()

    def run(self) -> None:
        """Begin, and return when enough was acknowledged."""
        for number in range(USERS):
            Engine(self._database, f"user-{number}").record(task("T-0"), key="T-0")
        for thread in self._threads:
            thread.start()
        assert self._enough.wait(SECONDS_MAX)
        assert not self._unexpected, self._unexpected

    def end(self) -> None:
        """Return when each writer has found out that the server is away."""
        deadline = time.monotonic() + SECONDS_MAX
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._stop.set()
        assert not any(thread.is_alive() for thread in self._threads)
        assert not self._unexpected, self._unexpected
        self._database.close()

    def _write(self, writer: int) -> None:
        engine = Engine(self._database, f"user-{writer % USERS}")
        number = 0
        try:
            while not self._stop.is_set():
                name = f"{self._round}-{writer}-{number}"
                number += 1
                try:
                    receipts = engine.record_all(batch(name, self._text))
                except Unavailable:
                    self.unknown.add((engine.user_id, name))
                    return
                positions = tuple(one.positions for one in receipts)
                self.known[engine.user_id, name] = positions
                if len(self.known) >= ENOUGH:
                    self._enough.set()
        except BaseException as error:  # noqa: BLE001 - told by the thread that waits for it
            self._unexpected.append(error)
            self._enough.set()

    def check(self) -> None:
        """All that was acknowledged is there once; the rest whole or not, and can be sent again."""
        with closing(Database(self._urls.app, maint_url=self._urls.maint)) as database:
            stored = self._stored()
            for (user_id, name), positions in self.known.items():
                assert stored[user_id, name] == positions
            for user_id, name in self.unknown:
                was_stored = (user_id, name) in stored
                receipts = Engine(database, user_id).record_all(batch(name, self._text))
                assert [one.duplicate for one in receipts] == [was_stored] * 2
                if was_stored:
                    assert stored[user_id, name] == tuple(one.positions for one in receipts)
            assert self._stored().keys() == self.known.keys() | self.unknown
            for number in range(USERS):
                self._check_log(Engine(database, f"user-{number}"))

    def _stored(self) -> dict[tuple[str, str], tuple[tuple[int, ...], ...]]:
        """The positions of each batch of this round by the keys in the database; whole batches."""
        rows = do_as_owner(
            self._urls,
            "SELECT user_id, split_part(key, ':', 1), array_agg(ARRAY[first_position, events_count]"
            " ORDER BY key) FROM command_key WHERE key LIKE %s GROUP BY 1, 2",
            f"{self._round}-%:%",
        )
        assert all(len(keys) == 2 for _, _, keys in rows), "a batch was stored in part"
        return {
            (user, name): tuple(tuple(range(first, first + size)) for first, size in keys)
            for user, name, keys in rows
        }

    def _check_log(self, engine: Engine) -> None:
        """Dense, each task once, and the rows are what the log folds to."""
        events = engine.events()
        assert [event.position for event in events] == list(range(1, len(events) + 1))
        created = [e.fact.stream for e in events if e.fact.type == "task_created"]
        assert len(created) == len(set(created))
        assert engine.is_whole()


def batch(name: str, text: str = "") -> list[Entry]:
    """One batch of a writer: the keys begin with its name."""
    return [
        Entry(task(f"N-{name}", title=name + text), f"{name}:a"),
        Entry(ChangeTask(task_id="T-0", title=name + text), f"{name}:b"),
    ]
