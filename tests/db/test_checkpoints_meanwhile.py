"""Is a checkpoint one fact, whole and once, whatever others write while it is made?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from datetime import datetime
from typing import Any

import pytest

from checkpointed import records, work
from conftest import Urls
from engine import do_as_owner
from turns import AGENT, NOW, assemble, do, ids, item, say
from workindex import UnknownRecord, UserScope, WorkIndex
from workindex.domain.checkpoint_body import CheckpointBody
from workindex.domain.errors import NotReady
from workindex.eventlog import failpoints
from workindex.eventlog.database import Database
from workindex.projections.recording import Clock

# Writes one checkpoint as a backend would after its reply, in a process of its own.
CHILD = """
import sys
from workindex import Actor, WorkIndex
from workindex.eventlog.database import Database

ann = WorkIndex(Database(sys.argv[1])).user("ann")
ann.checkpoint("main", actor=Actor(kind="agent", id="helper"), key="turn-1")
"""


@pytest.fixture
def clock() -> Clock:
    return lambda: NOW


def test_a_key_gives_the_first_checkpoint_again(ann: UserScope) -> None:
    """Also when the rows have changed since; another key makes another."""
    work(ann)
    first = ann.checkpoint("main", actor=AGENT, key="turn-1")
    do(ann, "deny_approval", approval_id="A-1")
    again = ann.checkpoint("main", actor=AGENT, key="turn-1")
    assert (first.receipt.duplicate, again.receipt.duplicate) == (False, True)
    assert again.receipt.positions == first.receipt.positions
    assert again.body == first.body
    other = ann.checkpoint("main", actor=AGENT, key="turn-2")
    assert other.checkpoint_id != first.checkpoint_id
    assert records(other.body.model_dump(mode="json"))["approval/A-1"] == {"status": "denied"}


def test_many_who_write_at_once_write_whole_checkpoints(ann: UserScope) -> None:
    """With one key one of them; with keys of their own each, one after the other."""
    work(ann)
    done: list[Any] = []

    def write(key: str) -> None:
        done.append(ann.checkpoint("main", actor=AGENT, key=key))

    keys = ["same"] * 4 + ["k-1", "k-2", "k-3"]
    threads = [threading.Thread(target=write, args=(key,)) for key in keys]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == len(keys)
    written = [one for one in ann.log(stream="thread/main") if one.type == "checkpoint_recorded"]
    assert len(written) == 4


class Slow:
    """A clock that stands still in the thread that holds it up, until it is let go."""

    def __init__(self) -> None:
        self.reached, self.go = threading.Event(), threading.Event()
        self.held: int | None = None

    def __call__(self) -> datetime:
        if threading.get_ident() == self.held and not self.reached.is_set():
            if self.is_second:
                self.reached.set()
                assert self.go.wait(30)
            self.is_second = True
        return NOW

    is_second = False


class Writing:
    """A checkpoint that is read, and not recorded before `finish`."""

    def __init__(self, url: str, **words: Any) -> None:
        self.clock = Slow()
        self.database = Database(url)
        user = WorkIndex(self.database, clock=self.clock).user("ann")
        self.result: Any = None

        def write() -> None:
            self.clock.held = threading.get_ident()
            self.result = user.checkpoint("main", actor=AGENT, **words)

        self.thread = threading.Thread(target=write)
        self.thread.start()
        assert self.clock.reached.wait(30)

    def finish(self) -> Any:
        self.clock.go.set()
        self.thread.join(30)
        self.database.close()
        return self.result


def test_what_is_appended_meanwhile_survives(ann: UserScope, urls: Urls) -> None:
    """Nobody waits for it, and the new message is not taken for covered."""
    work(ann)
    writing = Writing(urls.app)
    say(ann, "S-3", "One more thing")
    during = assemble(ann, "go on", thread_id="main")
    assert "message:S-3" in ids(during.recent_history)
    done = writing.finish()
    assert done.body.through_message_id == "S-2"
    after = assemble(ann, "go on", thread_id="main")
    assert "message:S-3" in ids(after.recent_history)
    assert f"checkpoint:{done.checkpoint_id}" in ids(after.recent_history)


def test_a_correction_meanwhile_is_in_it(ann: UserScope, urls: Urls) -> None:
    """The thread has moved on, so it is made again."""
    work(ann)
    writing = Writing(urls.app)
    do(ann, "record_correction", thread_id="main", correction_id="CO-2", text="Nor on Monday")
    assert [one.text for one in writing.finish().body.corrections] == [
        *("Not on Sunday", "Nor on Monday")
    ]


def test_a_message_redacted_meanwhile_is_not_told(ann: UserScope, urls: Urls) -> None:
    """Deletion wins: the words go, what the rows say stays; a next one carries nothing of them."""
    work(ann)
    say(ann, "S-3", "The pin is 4711")
    words = {
        "goal": "Use pin 4711",
        "pending_input": [{"prompt": "Is it 4711?", "task_id": "T-1", "request_id": "Q-1"}],
        "attempts": [{"text": "Typed 4711", "outcome": "failed"}],
        "plan": [{"text": "Type 4711 again"}],
    }
    writing = Writing(urls.app, through_message_id="S-3", **words)
    do(ann, "redact_message", message_id="S-3")
    done = writing.finish()
    envelope = assemble(ann, "go on", surface="task", task_id="T-1", thread_id="main")
    assert "4711" not in envelope.model_dump_json()
    told: Any = item(envelope, f"checkpoint:{done.checkpoint_id}").content
    assert [one["prompt"] for one in told["pending_input"]] == ["Which band?", "Pay A-1"]
    assert [one["text"] for one in told["attempts"]] == ["Called the hall"]
    assert told["corrections"] == [{"text": "Not on Sunday", "correction_id": "CO-1"}]
    left = {one.source_id: one.reason for one in envelope.omissions}
    assert left[f"checkpoint:{done.checkpoint_id}#words"] == "rests on a message: redacted"
    after = ann.checkpoint("main", actor=AGENT)
    assert "4711" not in after.body.model_dump_json()


@pytest.mark.parametrize(("place", "is_stored"), [("append.sent", False), ("append.done", True)])
def test_a_process_that_dies_leaves_a_whole_checkpoint_or_none(
    ann: UserScope, urls: Urls, place: str, is_stored: bool
) -> None:
    """Turns go on either way, and the same key finds it or writes it."""
    work(ann)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), failpoints.VARIABLE: place}
    child = [sys.executable, "-c", CHILD, urls.app]
    killed = subprocess.run(child, env=env, capture_output=True, text=True, timeout=60)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    told = ids(assemble(ann, "go on", thread_id="main").recent_history)
    assert any(one.startswith("checkpoint:") for one in told) == is_stored
    done = ann.checkpoint("main", actor=AGENT, key="turn-1")
    assert done.receipt.duplicate == is_stored
    written = [one for one in ann.log(stream="thread/main") if one.type == "checkpoint_recorded"]
    assert len(written) == 1


def test_a_turn_writes_nothing_and_says_when_it_is_time(ann: UserScope) -> None:
    """The reply comes first: a checkpoint is written by whoever asks afterwards whether one is
    due, and then it is not any more until something new is said."""
    work(ann)
    assert not ann.compaction("main").is_due
    for number in range(10):
        say(ann, f"L-{number}", "the band plays on and on in the hall of the town " * 50)
    before = list(ann.log())
    envelope = assemble(ann, "go on", thread_id="main")
    found = ann.compaction("main")
    assert list(ann.log()) == before
    assert found.is_due
    assert found.tokens > found.tokens_max
    strict = ann.compaction("main", policy="strict", counter="claude")
    assert (strict.tokens > found.tokens, strict.tokens_max) == (True, 400)
    assert envelope.budget.by_lane["history"] <= 6_000
    ann.checkpoint("main", actor=AGENT)
    assert ann.compaction("main") == (False, 0, found.tokens_max, 0)
    say(ann, "L-10", "And now?")
    assert ann.compaction("main").messages == 1
    assert not ann.compaction("main").is_due


@pytest.mark.parametrize("has_others", [True, False])
def test_a_thread_of_which_there_is_nothing_is_refused(ann: UserScope, has_others: bool) -> None:
    """By name and with what to do, in every call about one; nothing is recorded. One message, or a
    row of the thread without one, is enough."""
    if has_others:
        work(ann)
    before = list(ann.log())
    body = CheckpointBody(goal="Find a venue")
    for call in (
        lambda: ann.checkpoint("nowhere", actor=AGENT),
        lambda: ann.checkpoint("nowhere", actor=AGENT, body=body),
        lambda: ann.checkpoint("nowhere", actor=AGENT, goal="x", through_message_id="m-1"),
        lambda: ann.checkpoint_draft("nowhere"),
        lambda: ann.compaction("nowhere"),
    ):
        with pytest.raises(UnknownRecord, match=r"thread_id 'nowhere' .*post_message") as raised:
            call()
        assert raised.value.field == "thread_id"
    assert list(ann.log()) == before
    do(ann, "record_correction", thread_id="noted", correction_id="C-9", text="Not on Monday")
    say(ann, "N-1", "Hello", thread_id="nowhere")
    for thread_id in ("noted", "nowhere"):
        assert not ann.compaction(thread_id).is_due
        assert ann.checkpoint(thread_id, actor=AGENT).receipt.positions


@pytest.mark.parametrize("member", ["memory", "conversation", "work_index"])
def test_nothing_is_made_of_rows_that_stand_still(ann: UserScope, urls: Urls, member: str) -> None:
    """What is missing there is not known to be absent."""
    work(ann)
    do_as_owner(
        urls,
        f"""UPDATE projection_progress SET parked = jsonb_build_object('{member}',
            jsonb_build_object('position', position, 'error', 'a bug', 'at', now()))
            WHERE projection_set = 'inline'""",
    )
    with pytest.raises(NotReady, match="parked"):
        ann.checkpoint("main", actor=AGENT)
    if member == "conversation":  # a thread whose rows stand still may have messages all the same
        assert not ann.compaction("nowhere").is_due
