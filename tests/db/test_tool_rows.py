"""Which rows does `get_context` tell of thousands, and what does it say of a thread?"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from engine import Engine
from sessions import NOW, Backend, contents
from turns import AGENT, approval, assemble, do, item, say
from workindex import UserScope, WorkIndex
from workindex.assembler.tools.finding import ROWS_MAX
from workindex.assembler.tools.sight import Sight
from workindex.domain.tasks import CreateTask
from workindex.eventlog.database import Database

MANY = 350


@pytest.fixture
def ann(database: Database) -> UserScope:
    return WorkIndex(database, lambda: NOW).user("ann")


@pytest.fixture
def backend(database: Database) -> Backend:
    return Backend(database)


@pytest.fixture
def many(database: Database) -> Engine:
    """A user with many tasks: every seventh about a venue, the late ones due soon, one open."""
    engine = Engine(database)
    engine.record_all(
        [
            CreateTask(
                task_id=f"T-{number}",
                title=f"Book the venue {number}" if number % 7 == 0 else f"Water plant {number}",
                due_at=NOW + timedelta(days=MANY - number),
            )
            for number in range(MANY)
        ]
    )
    do(
        WorkIndex(database).user("ann"),
        "request_task_input",
        by=AGENT,
        task_id="T-3",
        prompt="Which plant?",
    )
    return engine


def test_of_thousands_the_rows_wanted_most_are_told(many: Engine, backend: Backend) -> None:
    """What waits for the person, then what is due soonest; the rest is one omission with the
    number of all and a call that asks for fewer."""
    found = backend.session().get_context("task", max_tokens=8_000)
    told = [one["task_id"] for one in contents(found)]
    assert told[:3] == ["T-3", f"T-{MANY - 1}", f"T-{MANY - 2}"]
    beyond = [one for one in found.omissions if one.source_id == "task:beyond"]
    assert len(found.items) + len(found.omissions) - 1 == ROWS_MAX
    assert f"the first {ROWS_MAX} of {MANY}" in beyond[0].reason
    call = beyond[0].recover_with
    assert call is not None
    narrower = backend.session().get_context(**{**call.arguments, "max_tokens": 8_000})  # type: ignore[arg-type]
    assert 0 < len(narrower.items) + len(narrower.omissions) <= ROWS_MAX
    assert many.user_id == "ann"


def test_a_call_that_asks_for_fewer_ends(many: Engine, backend: Backend) -> None:
    """Following it, the span of time halves until no row is left out of the reading."""
    arguments: dict[str, Any] = {
        "type": "task",
        "time_range": {"from": NOW, "to": NOW + timedelta(days=MANY)},
    }
    for _ in range(12):
        found = backend.session().get_context(**arguments)
        calls = [one.recover_with for one in found.omissions if one.source_id == "task:beyond"]
        if not calls:
            break
        assert calls[0] is not None
        arguments = calls[0].arguments
    assert calls == []
    assert found.items
    assert many.user_id == "ann"


def test_words_are_looked_for_in_all_rows(many: Engine, backend: Backend) -> None:
    """Not in the first ones alone; those that hold most of the words come first."""
    found = backend.session().get_context("task", query="booking venue 133", max_tokens=8_000)
    told = [one["task_id"] for one in contents(found)]
    assert told[0] == "T-133"
    named = {one.source_id for one in found.items} | {one.source_id for one in found.omissions}
    assert {f"task:T-{number}" for number in range(0, MANY, 7)} <= named
    assert many.user_id == "ann"


def test_rows_that_may_not_be_seen_are_not_counted(many: Engine, backend: Backend) -> None:
    """Where a rule of the backend hides some, no number tells how many there are."""
    sight = Sight("private", lambda kind, row: kind != "task" or row[0] != "T-3")
    found = backend.session(sight=sight).get_context("task", max_tokens=8_000)
    assert str(MANY) not in str([one.reason for one in found.omissions])
    assert "T-3" not in [one["task_id"] for one in contents(found)]
    assert many.user_id == "ann"


def world(ann: UserScope) -> None:
    """A thread whose checkpoint and summary say what is no longer so."""
    do(ann, "create_task", task_id="T-1", title="Pay the band")
    say(ann, "M-1", "Let us talk")
    say(ann, "M-2", "salaries are secret", sensitivity="restricted")
    approval(ann, "A-1")
    body = {
        "goal": "A good party",
        "pending_input": [{"prompt": "Pay?", "approval_id": "A-1"}],
        "blockers": [{"text": "T-1 is not paid", "task_id": "T-1"}],
    }
    kept = {"thread_id": "main", "checkpoint_id": "CP-1", "body": body}
    do(ann, "record_checkpoint", by=AGENT, **kept)
    sentences = [
        {"text": "T-1 is open.", "message_ids": ["M-1"]},
        {"text": "Ann likes jazz.", "message_ids": ["M-1"]},
        {"text": "Salaries came up.", "message_ids": ["M-2"]},
    ]
    do(ann, "record_summary", by=AGENT, thread_id="main", summary_id="S-1", sentences=sentences)
    do(ann, "deny_approval", approval_id="A-1", reason="Too much")
    do(ann, "complete_task", task_id="T-1")


def test_a_thread_says_what_the_working_set_says(ann: UserScope, backend: Backend) -> None:
    """Checkpoint and summary as far as the rows bear them out, and the same conflicts."""
    world(ann)
    envelope = assemble(ann, "Go on", surface="task", task_id="T-1", thread_id="main")
    found = backend.session().get_context("thread", ids=["main"], max_tokens=8_000)
    told: dict[str, Any] = {one.source_id: one.content for one in found.items}
    for source_id in ("checkpoint:CP-1", "summary:S-1"):
        if source_id in [one.source_id for one in envelope.recent_history]:
            assert told[source_id] == item(envelope, source_id).content
    assert "Pay?" not in str(told["checkpoint:CP-1"])
    assert "not paid" not in str(told["checkpoint:CP-1"])
    assert [one["text"] for one in told["summary:S-1"]["sentences"]] == ["Ann likes jazz."]
    assert {one.superseded for one in found.conflicts} == {"checkpoint:CP-1", "summary:S-1"}
    theirs = [one for one in envelope.conflicts if one.superseded == "checkpoint:CP-1"]
    assert [one for one in found.conflicts if one.superseded == "checkpoint:CP-1"] == theirs
    assert "conflict:task/T-1:status" in told
    assert "summary:S-1#2" in [one.source_id for one in found.omissions]


def test_what_rests_on_a_hidden_message_is_not_told_of_a_thread(
    ann: UserScope, backend: Backend
) -> None:
    """Neither what the backend's rule hides nor what is redacted, in whatever words."""
    world(ann)
    session = backend.session(sight=Sight("restricted", lambda kind, row: row[0] != "M-2"))
    assert "Salaries" not in str(session.get_context("thread", ids=["main"], max_tokens=8_000))
    shown = backend.session(sight=Sight("restricted"))
    assert "Salaries" in str(shown.get_context("thread", ids=["main"], max_tokens=8_000))


def test_a_thread_that_has_no_room_is_told_with_the_call_for_it(
    ann: UserScope, backend: Backend
) -> None:
    """The call brings the thread with what stands beside it."""
    world(ann)
    session = backend.session()
    whole = session.get_context("thread", ids=["main"], max_tokens=8_000)
    room = whole.items[0].token_estimate + 10
    small = session.get_context("thread", ids=["main"], max_tokens=room)
    left = [one for one in small.omissions if one.source_id == "checkpoint:CP-1"]
    assert left
    assert left[0].recover_with is not None
    again = session.get_context(**left[0].recover_with.arguments)  # type: ignore[arg-type]
    assert contents(again) == contents(whole)


def test_of_many_threads_the_checkpoints_of_the_first_are_told(
    ann: UserScope, backend: Backend
) -> None:
    """The others by the call that names them, until every checkpoint was told once."""
    body = {"goal": "A good party"}
    for number in range(25):
        kept = {"thread_id": f"TH-{number}", "checkpoint_id": f"CP-{number}", "body": body}
        do(ann, "record_checkpoint", by=AGENT, **kept)
    arguments: dict[str, Any] = {"type": "thread"}
    told: list[str] = []
    for _ in range(3):
        found = backend.session().get_context(**{**arguments, "max_tokens": 8_000})
        told += [one.source_id for one in found.items if one.source_id.startswith("checkpoint:")]
        calls = [one.recover_with for one in found.omissions if "checkpoints" in one.source_id]
        arguments = calls[0].arguments if calls and calls[0] is not None else {}
        if not arguments:
            break
    assert len(told) == len(set(told)) >= 20
