"""An event whose fold ends the process: it parks what it touches, and nothing turns in circles."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import Urls
from driver import NOW
from engine import Engine, do_as_owner, task
from generations import OPERATOR
from workindex.domain.conversations import PostMessage
from workindex.domain.errors import InvalidInput
from workindex.eventlog.database import Database
from workindex.projections.parked import Unparker
from workindex.projections.parking import ATTEMPTS_MAX
from workindex.projections.sets import EVIDENCE, ProjectionSet
from workindex.projections.verify import Verifier

pytestmark = pytest.mark.faults

PROGRAM = Path(__file__).resolve().parents[1] / "killing_program.py"
KILLED = -signal.SIGKILL


def run(urls: Urls, what: str, member: str, *lines: Any) -> tuple[int, Any]:
    """Exit code of a process, negative for a signal, and what it told."""
    done = subprocess.run(
        [sys.executable, PROGRAM, what, member, urls.app, urls.maint],
        input="".join(f"{json.dumps(line)}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode in (0, KILLED), done.stderr
    return done.returncode, json.loads(done.stdout) if done.stdout else None


def deaths(urls: Urls, member: str) -> int:
    """How many workers die one after the other until one ends by itself."""
    for count in range(2 * ATTEMPTS_MAX):
        # Nobody else takes what a dead worker had for a while; the test does not wait so long.
        do_as_owner(urls, "UPDATE catchup_due SET next_at = now()")
        code, told = run(urls, "worker", member)
        if code == 0:
            assert told["parked"], told
            return count
    raise AssertionError("it turns in circles")


def say(id_: str, text: str) -> PostMessage:
    return PostMessage(message_id=id_, thread_id="TH", role="user", text=text)


def progress(urls: Urls, projection_set: ProjectionSet) -> tuple[int, dict[str, Any]]:
    """Position and marks of the set."""
    rows = do_as_owner(
        urls,
        "SELECT position, parked FROM projection_progress WHERE projection_set = %s",
        projection_set.name,
    )
    return rows[0][0], rows[0][1]


def documents(urls: Urls) -> set[str]:
    return {row[0] for row in do_as_owner(urls, "SELECT source_id FROM document")}


def test_behind_the_append(urls: Urls, database: Database) -> None:
    """The worker dies so often, then the event's member stands still and the set moves on; a
    retry dies alone, a skip goes past it without folding it, and mended code takes it back."""
    ann = Engine(database)
    for name in ("a", "b", "c", "poison", "d", "e"):
        ann.record(say(f"M-{name}", name), now=NOW)
    assert deaths(urls, "evidence") == ATTEMPTS_MAX
    position, parked = progress(urls, EVIDENCE)
    assert (position, set(parked)) == (6, {"evidence"})
    mark = parked["evidence"]
    assert (mark["position"], mark["failed_position"], mark["attempts"]) == (4, 4, ATTEMPTS_MAX)
    assert mark["reason"] == (
        f"the process ended each of {ATTEMPTS_MAX} times while it folded message_posted of "
        "message/M-poison (version 1)"
    )
    assert documents(urls) == {"M-a", "M-b", "M-c"}
    assert ann.proof(now=NOW).verdict == "proven_empty"

    assert run(urls, "retry", "evidence") == (KILLED, None)
    assert progress(urls, EVIDENCE) == (6, parked)
    code, told = run(urls, "skip", "evidence")
    assert (code, told[0]["skipped"], told[0]["mark"]) == (0, 4, None)
    assert progress(urls, EVIDENCE) == (6, {})
    assert documents(urls) == {"M-a", "M-b", "M-c", "M-d", "M-e"}
    report = Verifier(database).verify()
    assert (report.differences, len(report.skipped)) == ([], 1)

    (done,) = Unparker(database, OPERATOR).retry("ann", "evidence")
    assert (done.events, done.mark) == (6, None)
    assert "M-poison" in documents(urls)
    assert Verifier(database).verify().is_clean


def test_inline_that_fell_behind(urls: Urls, database: Database) -> None:
    """Only what the event touches stands still; the other members have their rows."""
    ann = Engine(database)
    ann.record(task("T-1"), now=NOW)
    do_as_owner(urls, "UPDATE projection_generation SET fold_version = 99")
    ann.record(say("M-1", "hello"), now=NOW)
    ann.record(task("T-2", "poison"), now=NOW)
    ann.record(task("T-3"), now=NOW)
    ann.record(say("M-2", "hello"), now=NOW)
    do_as_owner(urls, "UPDATE projection_generation SET fold_version = 1")
    assert deaths(urls, "work_index") == ATTEMPTS_MAX
    stands = ann.progress()
    assert (stands["position"], set(stands["parked"])) == (5, {"work_index"})
    assert stands["parked"]["work_index"]["position"] == 3
    assert {row[0] for row in do_as_owner(urls, "SELECT task_id FROM work_task")} == {"T-1"}
    assert {row[0] for row in do_as_owner(urls, "SELECT message_id FROM message")} == {"M-1", "M-2"}
    assert ann.proof(now=NOW).reasons == ("parked",)
    assert [one.mark for one in Unparker(database, OPERATOR).retry("ann")] == [None]
    assert ann.is_whole()


def test_writers_own_fold(urls: Urls, database: Database) -> None:
    """A writer that dies stores nothing, however often it is tried; with the member parked before
    them the facts are stored, and what comes after them is too."""
    line = {"type": "post_message", "thread_id": "TH", "role": "user"}
    bad = {**line, "message_id": "M-1", "text": "poison"}
    good = {**line, "message_id": "M-2", "text": "good"}
    ann = Engine(database)
    ann.record(task("T-1"), now=NOW)
    for _ in range(2):
        assert run(urls, "record", "conversation", bad) == (KILLED, None)
    assert len(ann.events()) == 1
    assert run(urls, "record conversation", "conversation", bad, good) == (0, [3])
    assert run(urls, "record", "conversation", bad, {**good, "message_id": "M-3"}) == (KILLED, None)
    assert run(urls, "record", "conversation", {**good, "message_id": "M-3"}) == (0, [4])
    stands = ann.progress()
    assert (stands["position"], set(stands["parked"])) == (4, {"conversation"})
    mark = stands["parked"]["conversation"]
    assert (mark["position"], mark["attempts"]) == (2, 0)
    assert mark["reason"] == "parked by hand, so that the facts could be stored"
    assert ann.proof(now=NOW).verdict == "proven_empty"
    ann.record(task("T-2"), now=NOW)
    (done,) = Unparker(database, OPERATOR).retry("ann", "conversation")
    assert (done.events, done.mark) == (4, None)
    assert ann.is_whole()


@pytest.mark.parametrize("member", ["worker", ""])
def test_a_member_that_there_is_not(database: Database, member: str) -> None:
    """What is to stand still is named rightly, or nothing is written."""
    with pytest.raises(InvalidInput, match="the members are work_index"):
        Engine(database).writer.let_stand([member])
