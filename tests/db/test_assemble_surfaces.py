"""Is each surface given what an answer there must rest on, as it stands at that instant?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any

import pytest

from conftest import Urls
from turns import AGENT, NOW, approval, assemble, do, ids, item, say
from workindex import Actor, UserScope, WorkIndex
from workindex.assembler.envelope import ContextEnvelope
from workindex.eventlog.database import Database

LATER = NOW + timedelta(days=2)  # when every approval of these tests has expired


@pytest.fixture
def clock() -> list[datetime]:
    return [NOW]


@pytest.fixture
def ann(urls: Urls, clock: list[datetime]) -> Iterator[UserScope]:
    database = Database(urls.app, maint_url=urls.maint)
    with closing(WorkIndex(database, clock=lambda: clock[0])) as opened:
        yield opened.user("ann")


def told(envelope: ContextEnvelope, source_id: str) -> Any:
    return item(envelope, source_id).content


def hash_of(user: UserScope, id_: str) -> str:
    (row,) = [row for row in user.index().sections["approvals"] if row["approval_id"] == id_]
    return str(row["action_hash"])


def grant(user: UserScope, id_: str, **fields: Any) -> None:
    do(user, "grant_approval", approval_id=id_, action_hash=hash_of(user, id_), **fields)


def start(user: UserScope, id_: str) -> None:
    do(
        user,
        "start_execution",
        by=AGENT,
        approval_id=id_,
        execution_id=f"X-{id_}",
        action_hash=hash_of(user, id_),
        tool_schema_sha256="0" * 64,
        deadline_at=(NOW + timedelta(hours=1)).isoformat(),
        policy={"decision": "allow", "policy_id": "P-1"},
    )


def test_an_approval_is_shown_by_template_beside_the_exact_row(ann: UserScope) -> None:
    """On every surface that has it in scope: the hash that a grant names, and all that it binds."""
    approval(ann, "A-1")
    for surface in ("approval", "main", "task"):
        envelope = assemble(ann, "A-1?", surface=surface)
        exact = told(envelope, "approval:A-1")
        assert "approval:A-1" in ids(envelope.current_state)
        assert exact["action_hash"] == hash_of(ann, "A-1")
        lines = exact["display"].splitlines()
        assert f"Action hash (sha256): {exact['action_hash']}" in lines
        assert {'  "amount": 100', '  "to": "Bo"', 'Requested by: "helper"'} <= set(lines)
        assert 'Account: "mine"' in lines
        assert item(envelope, "approval:A-1").priority == 1
    chinese = assemble(ann, "A-1?", surface="approval", locale="zh-Hans")
    assert "状态: 等你批准" in told(chinese, "approval:A-1")["display"]
    do(ann, "set_preferences", locale="zh-CN")
    own = assemble(ann, "A-1?", surface="approval")
    assert "状态: 等你批准" in told(own, "approval:A-1")["display"]
    other = assemble(ann, "A-1?", surface="approval", locale="en-GB")
    assert "Status: waits for your approval" in told(other, "approval:A-1")["display"]


def test_the_display_says_where_a_started_action_stands(
    ann: UserScope, clock: list[datetime]
) -> None:
    """Granted, running and past its deadline are still open, each in its own words."""
    approval(ann, "A-1")
    grant(ann, "A-1")
    assert "Status: granted, not executed yet" in _display(ann)
    start(ann, "A-1")
    assert "Status: is being executed" in _display(ann)
    assert 'Policy: "allow" "P-1"' in _display(ann)
    clock[0] = NOW + timedelta(hours=2)
    assert "Status: was started, but no result came by its deadline" in _display(ann, now=clock[0])


def _display(user: UserScope, **request: Any) -> list[str]:
    envelope = assemble(user, "yes", surface="approval", approval_id="A-1", **request)
    assert ids(envelope.current_state).count("approval:A-1") == 1
    text: str = told(envelope, "approval:A-1")["display"]
    return text.splitlines()


def _deny(user: UserScope) -> None:
    do(user, "deny_approval", approval_id="A-1", reason="Too much")


def _withdraw(user: UserScope) -> None:
    do(user, "withdraw_approval", approval_id="A-1")


def _cancel_its_task(user: UserScope) -> None:
    do(user, "cancel_task", task_id="T-1", reason="not needed")


def _execute(user: UserScope) -> None:
    grant(user, "A-1")
    start(user, "A-1")
    do(user, "succeed_execution", by=AGENT, approval_id="A-1", execution_id="X-A-1")


def _fail(user: UserScope) -> None:
    grant(user, "A-1")
    start(user, "A-1")
    do(user, "fail_execution", by=AGENT, approval_id="A-1", execution_id="X-A-1", error="no")


def _nothing(user: UserScope) -> None:
    """Time alone ends it."""


def _grant_alone(user: UserScope) -> None:
    grant(user, "A-1")


@pytest.mark.parametrize(
    ("settle", "now", "status", "reason_code"),
    [
        (_deny, NOW, "denied", "human_denied"),
        (_withdraw, NOW, "withdrawn", "withdrawn_by_user"),
        (_cancel_its_task, NOW, "moot", "task_cancelled"),
        (_execute, NOW, "executed", None),
        (_fail, NOW, "failed", "execution_failed"),
        (_nothing, LATER, "expired", "system_timeout"),
        (_grant_alone, LATER, "granted_not_executed", "system_timeout"),
    ],
)
def test_a_settled_approval_is_a_fact_of_the_past(
    ann: UserScope, settle: Any, now: datetime, status: str, reason_code: str | None
) -> None:
    """Cases B14, B17: its ending and who ended it, in the history; nowhere as something open.

    Time-outs are told though no fact of them was appended yet, and are never a person's denial.
    """
    do(ann, "create_task", task_id="T-1", title="Pay the band")
    approval(ann, "A-1", task_id="T-1")
    say(ann, "R-1", "May I?", role="agent", shown_approvals=[_shown(ann)])
    body = {"pending_input": [{"prompt": "Pay?", "approval_id": "A-1"}]}
    do(ann, "record_checkpoint", by=AGENT, thread_id="main", checkpoint_id="CP-1", body=body)
    settle(ann)
    for surface in ("approval", "task", "main"):
        named: dict[str, Any] = {"approval_id": "A-1", "task_id": "T-1", "thread_id": "main"}
        envelope = assemble(ann, "yes", surface=surface, now=now, **named)
        assert "approval:A-1" not in ids(envelope.current_state)
        assert "approval:A-1" in ids(envelope.recent_history)
        fact = told(envelope, "approval:A-1")
        assert (fact["status"], fact["reason_code"]) == (status, reason_code)
        assert fact["ended_at"] is not None
        assert "display" not in fact
        assert item(envelope, "approval:A-1").priority == 1
        assert told(envelope, "task:T-1")["pending"] == "none"
        assert told(envelope, "task:T-1")["approvals"] == {}
        for kept in envelope.recent_history:
            assert "pending_input" not in str(kept.content)
        assert envelope.proof["verdict"] == "proven_empty"


@pytest.mark.parametrize(
    ("settle", "command"), [(_nothing, "expire_approval"), (_grant_alone, "lapse_grant")]
)
def test_what_the_clock_ends_is_what_the_fact_will_say(
    ann: UserScope, clock: list[datetime], settle: Any, command: str
) -> None:
    """Before the fact of it is recorded and after: the same ending with the same reason."""
    approval(ann, "A-1")
    settle(ann)
    before = dict(told(assemble(ann, "A-1?", now=LATER), "approval:A-1"))
    clock[0] = LATER
    do(ann, command, by=Actor(kind="scheduler", id="clock"), approval_id="A-1")
    after = dict(told(assemble(ann, "A-1?", now=LATER), "approval:A-1"))
    for at in ("ended_at", "status_since_at"):  # when it ran out, and when that was written down
        assert before.pop(at) < after.pop(at)
    assert before == after


def _shown(user: UserScope) -> dict[str, str]:
    return {"approval_id": "A-1", "action_hash": hash_of(user, "A-1")}


def test_a_task_says_what_is_missing_and_what_comes_next(ann: UserScope) -> None:
    """Revision and family, what lacks a person's word, and the next thing with what it may be."""
    fields = {
        "date": {"required": True, "value": "2026-05-01", "state": "confirmed"},
        "hall": {"required": True, "allowed_values": ["red", "blue"]},
        "size": {"required": True, "value": 40},
        "note": {},
    }
    do(ann, "create_task", task_id="T-1", title="The party", family="event", fields=fields)
    task = _task(ann)
    assert (task["family"], task["revision"]) == ("event", 1)
    assert task["missing_fields"] == ["hall", "size"]
    assert task["next_required"] == {
        "kind": "field",
        "name": "hall",
        "allowed_values": ["red", "blue"],
    }
    for id_, kind in (("Q-1", "input"), ("Q-2", "decision")):
        request = {"task_id": "T-1", "request_id": id_, "kind": kind, "prompt": f"{kind}?"}
        until = {"expires_at": (NOW + timedelta(hours=1)).isoformat()} if id_ == "Q-2" else {}
        do(ann, "request_task_input", by=AGENT, **request, **until)
    assert _task(ann)["next_required"] == {"kind": "decision", "id": "Q-2", "prompt": "decision?"}
    later = _task(ann, now=NOW + timedelta(hours=2))
    assert later["next_required"] == {"kind": "input", "id": "Q-1", "prompt": "input?"}
    assert (list(later["requests"]), later["expired"]) == (["Q-1"], ["Q-2"])
    do(ann, "complete_task", task_id="T-1", outcome="done")
    assert _task(ann)["pending"] == "none"


def _task(user: UserScope, **request: Any) -> Any:
    return told(assemble(user, "go on", surface="task", task_id="T-1", **request), "task:T-1")


def test_a_task_says_what_is_new_since_the_last_answer(
    ann: UserScope, clock: list[datetime]
) -> None:
    """By the messages after it and by the times in the row; nothing is said where no answer is."""
    do(ann, "create_task", task_id="T-1", title="The party", fields={"hall": {}, "date": {}})
    say(ann, "M-1", "in May")
    set_field: dict[str, Any] = {"task_id": "T-1", "state": "confirmed"}
    do(ann, "set_task_field", **set_field, name="date", value="May", source_message_id="M-1")
    assert _task(ann, thread_id="main")["changed"] is None
    assert _task(ann)["changed"] is None
    clock[0] = NOW + timedelta(minutes=1)
    say(ann, "R-1", "Which hall?", role="assistant")
    assert _task(ann, thread_id="main")["changed"] == {
        "since": "message:R-1",
        "is_changed": False,
        "parts": [],
    }
    clock[0] = NOW + timedelta(minutes=2)
    say(ann, "M-2", "the red one")
    do(ann, "set_task_field", **set_field, name="hall", value="red", source_message_id="M-2")
    do(ann, "start_task", by=AGENT, task_id="T-1")
    request: dict[str, Any] = {"task_id": "T-1", "request_id": "Q-1", "prompt": "How many?"}
    do(ann, "request_task_input", by=AGENT, **request)
    changed = _task(ann, thread_id="main", message_id="M-2", now=clock[0])["changed"]
    assert (changed["since"], changed["is_changed"]) == ("message:R-1", True)
    assert changed["parts"] == ["fields.hall", "requests.Q-1", "status"]


def test_what_the_clock_has_ended_is_told_as_ended(ann: UserScope) -> None:
    """Case I7, with nobody there who would have swept: proposals, reminders, consents, claims."""
    soon = (NOW + timedelta(hours=1)).isoformat()
    do(ann, "make_proposal", by=AGENT, proposal_id="P-1", title="Rest?", expires_at=soon)
    do(ann, "set_reminder", reminder_id="R-1", title="Call", remind_at=soon)
    do(ann, "give_consent", consent="mail", scope="may read", expires_at=soon)
    claim: dict[str, Any] = {"subject": "home", "attribute": "city", "value": "Oslo"}
    do(ann, "record_claim", claim_id="C-1", expires_at=soon, **claim)
    request: dict[str, Any] = {"entity_ids": ["P-1", "R-1"], "surface": "proactive"}
    before = assemble(ann, "home city", **request)
    after = assemble(ann, "home city", **request, now=NOW + timedelta(hours=1))
    for id_, was, is_ in (
        ("proposal:P-1", "waiting", "expired"),
        ("reminder:R-1", "set", "due"),
    ):
        assert (told(before, id_)["status"], told(after, id_)["status"]) == (was, is_)
    assert list(told(before, "user:me")["consents"]) == ["mail"]
    assert told(after, "user:me")["consents"] == {}
    assert "claim:C-1" in ids(before.retrieved_evidence)
    assert "claim:C-1" not in ids(after.retrieved_evidence)
    left = {one.source_id: one.reason for one in after.omissions}
    assert left["claim:C-1"] == "expired"


def test_a_person_who_only_approves_settles_it_too(ann: UserScope) -> None:
    """The grant of an approver is the grant of the action that was shown."""
    approval(ann, "A-1")
    boss = Actor(kind="approver", id="boss")
    hash_ = hash_of(ann, "A-1")
    do(ann, "grant_approval", by=boss, approval_id="A-1", action_hash=hash_)
    assert told(assemble(ann, "A-1?"), "approval:A-1")["granted_by"] == "boss"
