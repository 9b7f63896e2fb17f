"""A writer that is killed, whatever it writes and by whichever path: all of it is there or nothing,
nobody waits for it, and what it was doing is sent again with its keys.

That one command survives each place is shown in test_failpoints.py; here is the rest of what a
writer does: a log that does not exist yet, commands decided without reading, batches, expected
versions, and a refusal that leaves a fact behind.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from conftest import Urls
from driver import NOW
from engine import Engine, do_as_owner, order, task
from forked import REFUSED, Forks, forks
from workindex.domain.approval_commands import RequestApproval
from workindex.domain.errors import WorkindexError
from workindex.eventlog import failpoints
from workindex.eventlog.database import Database
from workindex.service.parsing import parse_command

TESTS = Path(__file__).parents[1]
LATE = NOW + timedelta(hours=2)
STORED = {"append.done", "locked.committed"}
FAST = ("read.done", "append.sent", "append.done")
LOCKED = tuple(name for name in failpoints.NAMES if name.startswith("locked."))


class Kind(NamedTuple):
    """What is recorded, and on which places of which path; `facts` are stored if it is."""

    commands: list[tuple[str, dict[str, Any]]]
    places: tuple[str, ...]
    facts: int
    expected: int | None = None
    refused: str | None = None
    known: bool = True


def new(*ids: str) -> list[tuple[str, dict[str, Any]]]:
    """New tasks, with the id as key."""
    return [(i, {"type": "create_task", "task_id": i, "title": f"task {i}"}) for i in ids]


def grant(engine: Engine) -> list[tuple[str, dict[str, Any]]]:
    """The grant of the requested approval."""
    (row,) = engine.read(now=NOW).rows["approval"]
    shown = {"approval_id": "A-1", "action_hash": row.action_hash}
    return [("G", {"type": "grant_approval", **shown})]


BATCH = [
    *new("N-1"),
    ("C", {"type": "change_task", "task_id": "T-1", "title": "other"}),
    ("S", {"type": "start_task", "task_id": "T-1"}),
]
CHANGE = [("C", {"type": "change_task", "task_id": "T-1", "title": "other"})]
KINDS: dict[str, Callable[[Engine], Kind]] = {
    "the first of a log": lambda _: Kind(new("N-1", "N-2"), FAST, 2, known=False),
    "decided without reading": lambda _: Kind(new("N-1", "N-2"), FAST, 2),
    "without reading, behind a lag": lambda _: Kind(new("N-1", "N-2"), LOCKED, 2),
    "a batch": lambda _: Kind(BATCH, FAST, 3),
    "a batch behind a lag": lambda _: Kind(BATCH, LOCKED, 3),
    "an expected version": lambda _: Kind(CHANGE, FAST, 1, expected=1),
    "an expected version behind a lag": lambda _: Kind(CHANGE, LOCKED, 1, expected=1),
    "a refusal with a fact": lambda e: Kind(grant(e), LOCKED, 1, refused="approval_expired"),
}


@pytest.fixture(scope="module")
def helper() -> Iterator[Forks]:
    """Forks the writers."""
    with forks() as running:
        yield running


@pytest.fixture
def ann(database: Database) -> Engine:
    """A user in the state that the kinds begin with."""
    return begun(Engine(database))


def begun(engine: Engine) -> Engine:
    """A task at version 1 and a requested approval that ends in an hour."""
    engine.record(task("T-1"), now=NOW)
    request = RequestApproval(
        approval_id="A-1",
        title="Pay",
        tool="pay",
        arguments={"amount": "1"},
        expires_at=NOW + timedelta(hours=1),
    )
    engine.record(request, by="agent", now=NOW)
    return engine


@pytest.mark.faults
@pytest.mark.parametrize("name", KINDS)
def test_killed_at_every_place_of_its_path(
    urls: Urls, ann: Engine, helper: Forks, name: str
) -> None:
    """Whole or not at all; sent again with its keys it is there once, and rows equal the log."""
    kind = KINDS[name](ann)
    for number, place in enumerate(kind.places):
        user = Engine(ann.database, f"user-{number}")
        kind = KINDS[name](begun(user) if kind.known else user)
        if "lag" in name:
            _lag(urls, user)
        before = len(user.events())
        code = helper.record(
            url=urls.app,
            user=user.user_id,
            commands=kind.commands,
            place=place,
            now=(LATE if kind.refused else NOW).isoformat(),
            expected=kind.expected,
        )
        assert code == -signal.SIGKILL, f"{name} does not come by {place}"
        stored = kind.facts if place in STORED else 0
        assert len(user.events()) == before + stored, place
        _send_again(user, kind, place)
        assert [e.position for e in user.events()] == list(range(1, before + kind.facts + 1))
        assert user.is_whole()


def _lag(urls: Urls, user: Engine) -> None:
    """Put the user's projection at the start, so that an append takes the locked path."""
    for table in ("work_task", "work_approval"):
        do_as_owner(urls, f"DELETE FROM {table} WHERE user_id = %s", user.user_id)
    do_as_owner(
        urls,
        "UPDATE projection_progress SET position = 0, open_count = 0 WHERE user_id = %s",
        user.user_id,
    )


def _send_again(user: Engine, kind: Kind, place: str) -> None:
    orders = [
        order(parse_command(command), key=key, expected_version=kind.expected)
        for key, command in kind.commands
    ]
    if kind.refused is None:
        receipts = user.write(orders, NOW)
        assert [one.duplicate for one in receipts] == [place in STORED] * len(orders)
        return
    with pytest.raises(WorkindexError) as refused:
        user.write(orders, LATE)
    assert refused.value.code == kind.refused


@pytest.mark.faults
def test_the_helper_tells_a_refusal(urls: Urls, ann: Engine, helper: Forks) -> None:
    """A process that comes by no failpoint ends by itself, with what became of its commands."""
    job = {"url": urls.app, "user": "ann", "now": NOW.isoformat(), "expected": None}
    unknown = [("K", {"type": "start_task", "task_id": "T-9"})]
    assert helper.record(**job, place="locked.committed", commands=new("N-9")) == 0
    assert helper.record(**job, place="append.sent", commands=unknown) == REFUSED
    assert [event.fact.stream for event in ann.events()][2:] == ["task/N-9"]


def test_every_failpoint_has_a_test_that_kills_there() -> None:
    """The name of each is that of a case of a test which kills, or stands in such a test."""
    killing = {
        path: text
        for path in sorted((TESTS / "db").rglob("test_*.py"))
        if re.search(r"SIGKILL|import dying|from dying", text := path.read_text(encoding="utf-8"))
    }
    collected = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "--collect-only",
            "-q",
            "-p",
            "no:cacheprovider",
            *killing,
        ],
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    cases = {
        case
        for line in collected.splitlines()
        if line.endswith("]")
        for case in line.partition("[")[2].removesuffix("]").split("-")
    }
    assert len(cases) > len(failpoints.NAMES)
    missing = [
        name
        for name in failpoints.ALL_NAMES
        if name not in cases and not any(f'"{name}"' in text for text in killing.values())
    ]
    assert missing == []
