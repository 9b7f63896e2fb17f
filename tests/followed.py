"""A log that documents follow: what is said, what is due, how far each generation is."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from commands import PROGRAM
from conftest import Urls
from engine import Engine, do_as_owner, task
from workindex.domain.conversations import PostMessage
from workindex.eventlog.database import Database
from workindex.projections.following import Due
from workindex.projections.sets import INLINE

EVIDENCE_OF_ANN = Due("ann", "evidence", 1)
INLINE_OF_ANN = Due("ann", "inline", 1)
WORKER = [str(PROGRAM), "worker"]


def said(number: int, thread: str = "TH-1") -> PostMessage:
    """One message with words of its own."""
    return PostMessage(
        message_id=f"M-{number}", thread_id=thread, role="user", text=f"word{number} budget"
    )


def documents(urls: Urls, user_id: str = "ann") -> list[str]:
    """The ids of a user's documents, in the order of their events."""
    rows = do_as_owner(
        urls, "SELECT id FROM document WHERE user_id = %s ORDER BY source_position, id", user_id
    )
    return [row[0] for row in rows]


def stands_at(urls: Urls, due: Due = EVIDENCE_OF_ANN) -> int | None:
    """How far a generation is."""
    rows = do_as_owner(
        urls,
        "SELECT position FROM projection_progress "
        "WHERE user_id = %s AND projection_set = %s AND generation = %s",
        *due,
    )
    return rows[0][0] if rows else None


def due_rows(urls: Urls) -> list[tuple[Any, ...]]:
    """What is due, with its attempts."""
    return do_as_owner(
        urls, "SELECT user_id, projection_set, generation, attempts FROM catchup_due ORDER BY 1, 2"
    )


def lag_behind(urls: Urls, ann: Engine, count: int) -> None:
    """Append events that no inline projection follows, as a program of another version would."""
    do_as_owner(
        urls, "UPDATE projection_generation SET fold_version = 99 WHERE projection_set = 'inline'"
    )
    for first in range(0, count, 500):
        ann.record_all([task(f"L-{n}") for n in range(first, min(count, first + 500))])
    do_as_owner(
        urls,
        "UPDATE projection_generation SET fold_version = %s WHERE projection_set = 'inline'",
        INLINE.fold_version,
    )


@contextmanager
def running(urls: Urls, *more: str, **env: str) -> Iterator[subprocess.Popen[str]]:
    """A worker as a process of its own; killed at the end if it is still there."""
    process = subprocess.Popen(
        [*WORKER, *more], env=urls.env | env, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=30)


def transactions(urls: Urls) -> str:
    """The next transaction id of the server."""
    found = do_as_owner(urls, "SELECT pg_snapshot_xmax(pg_current_snapshot())::text")
    return str(found[0][0])


def wait_until_locked(urls: Urls) -> None:
    """Until somebody waits for a lock of a row."""
    deadline = time.monotonic() + 30
    while not do_as_owner(urls, "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"):
        assert time.monotonic() < deadline, "nobody waits"
        time.sleep(0.005)


def write_many(database: Database, user: str, count: int) -> None:
    engine = Engine(database, user)
    for number in range(count):
        engine.record(said(number))
