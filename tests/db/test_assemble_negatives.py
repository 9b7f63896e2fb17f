"""Does every reader say the same, and does nothing that is missing read as "there is none"?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any

import pytest

from conftest import Urls
from engine import do_as_owner
from sessions import Backend
from turns import AGENT, NOW, approval, assemble, do, ids, item, say
from workindex import UserScope, WorkIndex
from workindex.assembler.rendering import working_set_text
from workindex.domain.errors import InvalidInput
from workindex.eventlog.database import Database
from workindex.service.doctor import examine

LONG_AGO = NOW - timedelta(days=90)


@pytest.fixture
def database(urls: Urls) -> Iterator[Database]:
    with closing(Database(urls.app, maint_url=urls.maint)) as opened:
        yield opened


@pytest.fixture
def clock() -> list[datetime]:
    return [NOW]


@pytest.fixture
def ann(database: Database, clock: list[datetime]) -> UserScope:
    return WorkIndex(database, clock=lambda: clock[0]).user("ann")


def told_index(user: UserScope, **request: Any) -> tuple[Any, Any]:
    """What a working set says of what needs the person, and of what else goes on."""
    envelope = assemble(user, "How are things?", **request)
    index: Any = item(envelope, "projection:work_index").content
    lists: Any = item(envelope, "projection:work_index/lists").content
    return index, lists


@pytest.mark.parametrize(
    ("status", "question"),
    [
        ("scheduled", "Which tasks are scheduled?"),
        ("active", "Which tasks are active?"),
        ("blocked", "Which tasks are blocked?"),
    ],
)
def test_all_readers_list_the_same_tasks(ann: UserScope, status: str, question: str) -> None:
    """The state path, the index and a working set: the same one task, as of the same position."""
    for id_ in ("T-1", "T-2"):
        do(ann, "create_task", task_id=id_, title=id_)
    commands: dict[str, dict[str, Any]] = {
        "scheduled": {"type_": "schedule_task", "scheduled_at": "2026-03-09T09:00:00Z"},
        "active": {"type_": "start_task", "by": AGENT},
        "blocked": {"type_": "block_task", "by": AGENT, "reason": "it rains"},
    }
    do(ann, **commands[status], task_id="T-1")
    asked = ann.ask(question, now=NOW)
    assert asked is not None
    assert [one.id for one in asked.items] == ["T-1"]
    index = ann.index(now=NOW)
    rows = [row["task_id"] for row in index.sections["tasks"] if row["status"] == status]
    assert rows == ["T-1"]
    head, lists = told_index(ann)
    assert [one["id"] for one in lists[status]["items"]] == ["T-1"]
    assert lists[status]["total"] == asked.total == 1
    assert head["position"] == asked.certificate["position"] == index.position == 3


def test_nothing_is_said_with_its_scope_position_and_proof(ann: UserScope) -> None:
    """An answer that needs no looking elsewhere: no tools beside it, and until when it holds."""
    do(ann, "create_task", task_id="T-1", title="Task")
    do(ann, "complete_task", task_id="T-1", outcome="done")
    asked = ann.ask("What needs me?", now=NOW)
    assert asked is not None
    assert (asked.verdict, asked.total, asked.reasons, asked.tokens) == ("proven_empty", 0, (), 0)
    assert asked.text == "Nothing needs you right now."
    certificate = asked.certificate
    assert (certificate["user_id"], certificate["position"]) == ("ann", 2)
    assert [one["name"] for one in certificate["projections"]]
    head, _ = told_index(ann)
    assert (head["needs_you"]["verdict"], head["position"]) == ("proven_empty", 2)
    envelope = assemble(ann, "How are things?")
    assert (envelope.tools, envelope.active_tool_groups) == ((), ())
    assert envelope.proof["certificate"] == certificate | {
        "as_of": envelope.proof["certificate"]["as_of"]
    }


def test_a_misspelt_name_is_an_error_and_no_none(ann: UserScope, database: Database) -> None:
    """Whatever reader is asked with a field that there is not: the field is named."""
    do(ann, "create_task", task_id="T-1", title="Task")
    session = Backend(database).session()
    readers: list[tuple[Any, str]] = [
        (lambda: ann.assemble({"text": "hi", "taskid": "T-1"}), "taskid"),
        (lambda: ann.assemble({"text": "hi", "surface": "tasks"}), "surface"),
        (lambda: ann.ask("What needs me?", locale="xx"), "locale"),
        (lambda: ann.search("task", kinds=["tasks"]), "kinds"),
        (lambda: session.get_context("tasks"), "type"),
        (lambda: session.get_context("state", query="pendng"), "query"),
        (lambda: session.get_context("task", time_range={"since": NOW}), "time_range"),
    ]
    for read, field in readers:
        with pytest.raises(InvalidInput) as refused:
            read()
        assert (refused.value.field or "").startswith(field)


def test_one_old_thing_that_waits_is_never_windowed_away(
    ann: UserScope, clock: list[datetime]
) -> None:
    """Behind three hundred newer ended ones, in lists of any length."""
    clock[0] = LONG_AGO
    do(ann, "create_task", task_id="OLD", title="The old one")
    request: dict[str, Any] = {"task_id": "OLD", "request_id": "Q-1", "prompt": "Which?"}
    do(ann, "request_task_input", by=AGENT, **request)
    clock[0] = NOW
    commands: list[dict[str, Any]] = []
    for number in range(300):
        commands.append({"type": "create_task", "task_id": f"T-{number}", "title": "New"})
        commands.append({"type": "complete_task", "task_id": f"T-{number}", "outcome": "done"})
    ann.record_all(commands, actor=AGENT)
    asked = ann.ask("What needs me?", now=NOW, limit=1)
    assert asked is not None
    assert (asked.total, [one.id for one in asked.items]) == (1, ["OLD"])
    assert ann.index(now=NOW, limit=100).totals["tasks"] == 301
    head, _ = told_index(ann)
    assert head["needs_you"]["total"] == 1
    assert [one["id"] for one in head["needs_you"]["items"]] == ["OLD"]
    assert head["needs_you"]["items"][0]["since_at"] == LONG_AGO.isoformat()


def test_of_approvals_exactly_those_are_open_that_nobody_answered(ann: UserScope) -> None:
    """Three of one batch are three, in one order; an answered one is open for no reader."""
    until = (NOW + timedelta(days=1)).isoformat()
    batch: list[dict[str, Any]] = [
        {
            "type": "request_approval",
            "approval_id": f"A-{number}",
            "title": f"Pay {number}",
            "tool": "pay",
            "arguments": {"amount": number},
            "expires_at": until,
        }
        for number in (2, 1, 3)
    ]
    ann.record_all(batch, actor=AGENT)
    assert _open_approvals(ann) == [["A-1", "A-2", "A-3"]] * 3
    (row,) = [r for r in ann.index().sections["approvals"] if r["approval_id"] == "A-2"]
    do(ann, "grant_approval", approval_id="A-2", action_hash=row["action_hash"])
    assert _open_approvals(ann) == [["A-1", "A-3"]] * 3
    do(ann, "deny_approval", approval_id="A-1", reason="no")
    assert _open_approvals(ann) == [["A-3"]] * 3


def _open_approvals(user: UserScope) -> list[list[str]]:
    """As the state path, the index and a working set have them."""
    asked = user.ask("Which approvals are waiting?", now=NOW)
    assert asked is not None
    rows = user.index(now=NOW).sections["approvals"]
    head, _ = told_index(user)
    return [
        [one.id for one in asked.items],
        sorted(row["approval_id"] for row in rows if row["status"] == "requested"),
        [one["id"] for one in head["needs_you"]["items"] if one["kind"] == "approval"],
    ]


def test_no_result_is_neither_a_failure_nor_a_success(ann: UserScope) -> None:
    """Of an attempt and of a search: each of the three is told as what it is."""
    do(ann, "create_task", task_id="T-1", title="Task")
    for outcome in ("succeeded", "failed", "unknown"):
        attempt: dict[str, Any] = {"attempt_id": outcome, "summary": "Looked", "outcome": outcome}
        do(ann, "record_attempt", by=AGENT, task_id="T-1", **attempt)
    task: Any = item(assemble(ann, "T-1?"), "task:T-1").content
    assert [one["outcome"] for one in task["attempts"]] == ["succeeded", "failed", "unknown"]
    assert (task["status"], task["outcome"]) == ("open", None)


def test_a_search_without_hits_says_what_was_searched(ann: UserScope, database: Database) -> None:
    """Nothing found among all that there is, and nothing found because nobody looked yet."""
    say(ann, "M-1", "a plain word", thread_id="other")
    unsearched = assemble(ann, "the red zebra")
    assert unsearched.manifest.retrieval[0].hits == 0
    assert unsearched.manifest.degraded == ("evidence: 1 event is not searched yet",)
    WorkIndex(database).catch_up()
    searched = assemble(ann, "the red zebra")
    assert searched.manifest.retrieval[0].hits == 0
    assert searched.manifest.degraded == ()


def test_what_the_turn_looks_at_anyhow_need_not_be_searched(
    ann: UserScope, database: Database
) -> None:
    """The message that is answered, its thread, and facts without a document hide nothing."""
    say(ann, "M-1", "a plain word")
    do(ann, "create_task", task_id="T-1", title="Task")
    say(ann, "M-2", "the red zebra")
    asked = assemble(ann, "the red zebra", thread_id="main", message_id="M-2")
    assert asked.manifest.degraded == ()
    assert asked.manifest.retrieval[0].hits == 0
    say(ann, "M-3", "a red zebra of another day", thread_id="other")
    do(ann, "record_claim", claim_id="C-1", subject="zoo", attribute="seen", value="A red zebra.")
    asked = assemble(ann, "the red zebra", thread_id="main", message_id="M-2")
    assert asked.manifest.degraded == ("evidence: 1 event is not searched yet",)  # of its kinds
    WorkIndex(database).catch_up()
    asked = assemble(ann, "the red zebra", thread_id="main", message_id="M-2")
    assert asked.manifest.degraded == ()
    assert [one.hits for one in asked.manifest.retrieval] == [1]


def test_a_projector_that_never_ran_is_no_empty_population(
    ann: UserScope, urls: Urls, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without rows the log itself is asked; where it is too long for that nothing is proven, and
    the probe that is asked whether all is ready says no."""
    do(ann, "create_task", task_id="T-1", title="Task")
    request: dict[str, Any] = {"task_id": "T-1", "request_id": "Q-1", "prompt": "Which?"}
    do(ann, "request_task_input", by=AGENT, **request)
    do_as_owner(urls, "DELETE FROM projection_progress; DELETE FROM work_task")
    head, _ = told_index(ann)
    assert [one["id"] for one in head["needs_you"]["items"]] == ["T-1"]
    do_as_owner(urls, "DELETE FROM projection_generation")
    monkeypatch.setattr("workindex.projections.work_index.LIVE_FOLD_EVENTS_MAX", 1)
    asked = ann.ask("What needs me?", now=NOW)
    assert asked is not None
    assert asked.verdict == "unproven"
    assert "Nothing needs you" not in asked.text
    envelope = assemble(ann, "How are things?")
    assert envelope.proof["verdict"] == "unproven"
    assert any(one.startswith("state: not certain") for one in envelope.manifest.degraded)
    assert "could_not_be_read" in working_set_text(envelope)
    found = Backend(database).session().get_context("task")
    assert found.items == ()
    assert found.degraded
    failed = [one for one in examine(urls.app) if not one.ok]
    assert any("no live generation" in one.detail for one in failed)


def test_what_is_recorded_during_a_turn_is_there_in_the_next(ann: UserScope) -> None:
    """By whatever part of a backend, through the one way to record: nothing follows that breaks."""
    say(ann, "M-1", "Pay the band")
    first = assemble(ann, "Pay the band", thread_id="main", message_id="M-1")
    approval(ann, "A-1")
    say(ann, "R-1", "May I?", role="agent")
    say(ann, "M-2", "Which one?")
    second = assemble(ann, "Which one?", thread_id="main", message_id="M-2")
    positions = [one.proof["certificate"]["position"] for one in (first, second)]
    assert positions == [1, 4]
    head: Any = item(second, "projection:work_index").content
    assert [one["id"] for one in head["needs_you"]["items"]] == ["A-1"]
    assert ids(second.recent_history) == ["message:M-1", "message:R-1"]


def test_no_thread_given_means_no_conversation(ann: UserScope) -> None:
    """The narrowest reading, on every surface; and nothing of a turn before is left over."""
    say(ann, "M-1", "a plain word")
    with_thread = assemble(ann, "hi", thread_id="main")
    assert ids(with_thread.recent_history) == ["message:M-1"]
    for surface in ("main", "task", "meeting", "approval", "proactive"):
        without = assemble(ann, "hi", surface=surface)
        assert without.scope.thread_id is None
        assert without.recent_history == ()
        assert "plain" not in without.model_dump_json(exclude={"prefix"})
