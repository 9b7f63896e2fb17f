"""Writers that are processes of their own and can be killed, without a start of Python for each.

One helper program loads everything and forks a process for each order that it is given.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from workindex.eventlog.failpoints import VARIABLE

# A line in: url, user, commands with their keys, the failpoint, the time, the expected version.
# A line out: the exit code of the process that recorded it, negative for a signal.
PROGRAM = """
import json, os, sys
from datetime import datetime
from workindex.domain.errors import WorkindexError
from workindex.domain.facts import Actor
from workindex.eventlog.database import Database
from workindex.projections.planning import Entry, order_of
from workindex.projections.recording import Writer
from workindex.service.parsing import parse_command

def record(job):
    os.environ[sys.argv[1]] = job["place"]
    who = Actor(kind="user", id="ann")
    orders = [
        order_of(Entry(parse_command(command), key, expected_version=job["expected"]), "api", who)
        for key, command in job["commands"]
    ]
    try:
        Writer(Database(job["url"])).write(job["user"], orders, datetime.fromisoformat(job["now"]))
    except WorkindexError as error:
        print(error, file=sys.stderr)
        return 3
    return 0

for line in sys.stdin:
    job = json.loads(line)
    pid = os.fork()
    if pid == 0:
        os._exit(record(job))
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""
REFUSED = 3


class Forks:
    """The helper program: what it is given is recorded by a process that ends at a failpoint."""

    def __init__(self, program: subprocess.Popen[str]) -> None:
        self._program = program

    def record(self, **job: Any) -> int:
        """The exit code of the recording process: 0, REFUSED, or the negative of a signal."""
        told, answers = self._program.stdin, self._program.stdout
        assert told is not None
        assert answers is not None
        told.write(json.dumps(job) + "\n")
        told.flush()
        return int(answers.readline())


@contextmanager
def forks() -> Iterator[Forks]:
    """The helper program, ended afterwards."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, VARIABLE],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        yield Forks(program)
