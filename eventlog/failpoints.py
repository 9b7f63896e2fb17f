"""Named places between the round trips where a test can stop or kill this process.

`WORKINDEX_FAILPOINT=name` kills the process with SIGKILL at that place; `name:raise` loses the
connection there, once; `name:sleep:SECONDS` waits. Without the variable this costs one look-up.
"""

from __future__ import annotations

import os
import signal
import time
from typing import Final

import psycopg

from workindex.domain.errors import InvalidInput

VARIABLE: Final = "WORKINDEX_FAILPOINT"
# Places in an append, and in what an operator does with generations.
NAMES: Final = (
    "read.done",
    "append.sent",
    "append.done",
    "locked.held",
    "locked.read",
    "locked.appended",
    "locked.committed",
)
OPERATOR_NAMES: Final = (
    "rebuild.registered",
    "rebuild.read",
    "rebuild.locked",
    "rebuild.written",
    "rebuild.committed",
    "rebuild.chunk.written",
    "rebuild.chunk.committed",
    "switch.checked",
    "switch.committed",
    "retire.marked",
    "retire.deleted",
    "retire.committed",
    "retire.emptied",
)
FOLLOWER_NAMES: Final = (
    "catchup.claimed",
    "catchup.folding",
    "catchup.applied",
    "catchup.committed",
)
ALL_NAMES: Final = NAMES + OPERATOR_NAMES + FOLLOWER_NAMES


def failpoint(name: str) -> None:
    """Stop here if the environment names this place."""
    wanted = os.environ.get(VARIABLE)
    if wanted is None:
        return
    chosen, _, action = wanted.partition(":")
    if chosen not in ALL_NAMES:
        raise InvalidInput(f"{VARIABLE} names {chosen}, the failpoints are {', '.join(ALL_NAMES)}")
    if chosen != name:
        return
    if action == "raise":
        del os.environ[VARIABLE]
        raise psycopg.OperationalError(f"failpoint {name}")
    if action.startswith("sleep:"):
        time.sleep(float(action.removeprefix("sleep:")))
        return
    os.kill(os.getpid(), signal.SIGKILL)
