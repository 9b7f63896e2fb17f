"""Something between a program and its server that cuts a connection at a chosen moment."""

from __future__ import annotations

import contextlib
import select
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from psycopg.conninfo import conninfo_to_dict

from conftest import Urls

PORT = 5432
Lost = Literal["request", "answer"]


class Cutter:
    """Passes everything on, until a client sends a certain word: then one message gets lost."""

    def __init__(self, server: str, folder: Path) -> None:
        self.folder = folder
        self.cuts = 0
        self._server = server
        self._word: bytes | None = None
        self._lost: Lost = "answer"
        self._for_good = False
        self._ended = threading.Event()
        self._path = folder / f".s.PGSQL.{PORT}"
        self._listening = self._listen()
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def through(self, urls: Urls) -> Urls:
        """The same logins by way of this."""
        folder = quote(str(self.folder), safe="")
        return Urls(
            *(
                f"postgresql://{given['user']}@/{given['dbname']}?host={folder}&port={PORT}"
                for given in map(conninfo_to_dict, urls)
            )
        )

    def arm(self, word: str, lost: Lost, *, for_good: bool = False) -> None:
        """Cut the next connection on which a client sends the word: before the server hears it, or
        when it has answered. `for_good`: nobody comes through any more after that."""
        self._word, self._lost, self._for_good = word.encode(), lost, for_good

    def mend(self) -> None:
        """Let everybody through again."""
        self._for_good = False
        self._word = None

    def end(self) -> None:
        """Close everything."""
        self._ended.set()
        for thread in self._threads:
            thread.join(20)
        self._listening.close()

    def _listen(self) -> socket.socket:
        made = socket.socket(socket.AF_UNIX)
        made.bind(str(self._path))
        made.listen(64)
        return made

    @property
    def _is_cut_off(self) -> bool:
        return self._for_good and self._word is None

    def _accept(self) -> None:
        while not self._ended.is_set():
            if self._is_cut_off:
                self._listening.close()
                self._path.unlink()
                while self._is_cut_off and not self._ended.wait(0.05):
                    pass
                self._listening = self._listen()
            if select.select([self._listening], [], [], 0.05)[0]:
                thread = threading.Thread(target=self._serve, args=(self._listening.accept()[0],))
                self._threads.append(thread)
                thread.start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server, contextlib.suppress(OSError):
            server.connect(self._server)
            while not self._ended.is_set() and not self._is_cut_off:
                for one in select.select([client, server], [], [], 0.05)[0]:
                    sent = one.recv(65_536)
                    if not sent:
                        return
                    if one is client and self._word is not None and self._word in sent:
                        self._word = None
                        self.cuts += 1
                        if self._lost == "answer":
                            server.sendall(sent)
                            server.recv(65_536)  # it has done what it was asked
                        return
                    (server if one is client else client).sendall(sent)


@contextmanager
def cutter(urls: Urls) -> Iterator[Cutter]:
    """Something to cut the connections to the server of these URLs with."""
    given = conninfo_to_dict(urls.owner)
    folder = Path(tempfile.mkdtemp(prefix="wi", dir="/tmp"))
    made = Cutter(str(Path(str(given["host"])) / f".s.PGSQL.{given['port']}"), folder)
    try:
        yield made
    finally:
        made.end()
        shutil.rmtree(folder)
