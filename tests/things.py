"""One of every kind of thing that may be hidden from a caller, each holding one word."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, NamedTuple

from turns import AGENT, NOW, do, say
from workindex import UserScope
from workindex.eventlog.transcripts import Turn, media_type, to_parts

SECRET = "ixtlan"
SOON = (NOW + timedelta(hours=1)).isoformat()


class Thing(NamedTuple):
    """One kind of thing: how it comes to hold the word, and what a policy is asked about it.

    `words` of it are searched for, `ids` are what may be named; `ends` takes it back.
    """

    kind: str
    id: str
    make: Callable[[UserScope, dict[str, Any]], None]
    ends: dict[str, Any] | None = None
    has_sensitivity: bool = False


def _message(user: UserScope, more: dict[str, Any]) -> None:
    say(user, "M-9", f"the {SECRET} city of my home", **more)


def _answer(user: UserScope, more: dict[str, Any]) -> None:
    say(user, "M-9", f"the {SECRET} city of your home", role="assistant", **more)


def _claim(user: UserScope, more: dict[str, Any]) -> None:
    do(user, "record_claim", claim_id="C-9", subject="home", attribute="city", value=SECRET, **more)


def store_artifact(user: UserScope, more: dict[str, Any]) -> None:
    body = user.bodies.store([f"{SECRET} city of my home".encode()], "text/plain")
    told = {"title": f"{SECRET} city", "summary": f"{SECRET} home", "task_id": "T-1", **more}
    do(user, "store_artifact", artifact_id="F-9", media_type="text/plain", **told, **body._asdict())


def _transcript(user: UserScope, more: dict[str, Any]) -> None:
    turns = [Turn(number, "Ann", f"the {SECRET} city of my home") for number in range(4)]
    body = user.bodies.store(to_parts(turns), media_type())
    told = {"title": f"{SECRET} talk", "media_type": media_type(), "meeting_id": "ME-1", **more}
    do(user, "store_artifact", artifact_id="F-9", **told, **body._asdict())
    do(user, "attach_transcript", meeting_id="ME-1", artifact_id="F-9")


def _task(user: UserScope, _more: dict[str, Any]) -> None:
    told: dict[str, Any] = {
        "title": f"{SECRET} city home",
        "description": SECRET,
        "fields": {SECRET: {}},
    }
    do(user, "create_task", task_id="T-9", **told)
    request: dict[str, Any] = {"task_id": "T-9", "request_id": "Q-1", "prompt": f"{SECRET}?"}
    do(user, "request_task_input", by=AGENT, **request)


def _approval(user: UserScope, _more: dict[str, Any]) -> None:
    action: dict[str, Any] = {"tool": "pay", "arguments": {"to": SECRET}, "target": SECRET}
    request: dict[str, Any] = {
        "title": f"{SECRET} city",
        "task_id": "T-1",
        "expires_at": SOON,
        **action,
    }
    do(user, "request_approval", by=AGENT, approval_id="A-9", **request)


def _meeting(user: UserScope, _more: dict[str, Any]) -> None:
    told: dict[str, Any] = {"title": f"{SECRET} city", "agenda": SECRET, "start_at": SOON}
    do(user, "schedule_meeting", meeting_id="ME-9", **told)


def _commitment(user: UserScope, _more: dict[str, Any]) -> None:
    told: dict[str, Any] = {"meeting_id": "ME-1", "commitment_id": "CO-9", "text": f"{SECRET} city"}
    do(user, "make_commitment", **told)


def _proposal(user: UserScope, _more: dict[str, Any]) -> None:
    do(user, "make_proposal", by=AGENT, proposal_id="P-9", title=f"{SECRET} city", body=SECRET)


def _reminder(user: UserScope, _more: dict[str, Any]) -> None:
    do(user, "set_reminder", reminder_id="R-9", title=f"{SECRET} city", remind_at=NOW.isoformat())


def _routine(user: UserScope, _more: dict[str, Any]) -> None:
    do(user, "define_routine", routine_id="RO-9", title=f"{SECRET} city", instructions=SECRET)


def _trigger(user: UserScope, _more: dict[str, Any]) -> None:
    do(user, "observe_trigger", by=AGENT, trigger_id="TR-9", summary=f"{SECRET} city")


def _checkpoint(user: UserScope, _more: dict[str, Any]) -> None:
    body = {"goal": f"{SECRET} city", "decisions": [{"text": SECRET}]}
    do(user, "record_checkpoint", by=AGENT, thread_id="main", checkpoint_id="CP-9", body=body)


def _summary(user: UserScope, _more: dict[str, Any]) -> None:
    sentences = [{"text": f"My home is {SECRET} city.", "message_ids": ["M-1"]}]
    do(user, "record_summary", by=AGENT, thread_id="main", summary_id="S-9", sentences=sentences)


def _sentence(user: UserScope, more: dict[str, Any]) -> None:
    say(user, "M-9", "my home", **more)
    sentences = [{"text": f"My home is {SECRET} city.", "message_ids": ["M-1", "M-9"]}]
    do(user, "record_summary", by=AGENT, thread_id="main", summary_id="S-9", sentences=sentences)


def _correction(user: UserScope, more: dict[str, Any]) -> None:
    say(user, "M-9", "my home", **more)
    told: dict[str, Any] = {"correction_id": "K-9", "text": f"{SECRET} city", "message_id": "M-9"}
    do(user, "record_correction", thread_id="main", **told)


def _claim_of(user: UserScope, more: dict[str, Any]) -> None:
    say(user, "M-9", "my home", **more)
    told: dict[str, Any] = {"subject": "home", "attribute": "city", "value": SECRET}
    do(user, "record_claim", claim_id="C-9", sources=["message/M-9"], **told)


def _asked_in_a_checkpoint(user: UserScope, _more: dict[str, Any]) -> None:
    do(user, "create_task", task_id="T-9", title="Plain")
    request: dict[str, Any] = {"task_id": "T-9", "request_id": "Q-1", "prompt": "Plain?"}
    do(user, "request_task_input", by=AGENT, **request)
    body = {
        "pending_input": [{"prompt": f"{SECRET}?", "task_id": "T-9", "request_id": "Q-1"}],
        "blockers": [{"text": f"{SECRET} city", "task_id": "T-9"}],
    }
    do(user, "record_checkpoint", by=AGENT, thread_id="main", checkpoint_id="CP-9", body=body)


def _output_in_a_checkpoint(user: UserScope, more: dict[str, Any]) -> None:
    kept = user.bodies.store([b"plain"], "text/plain")
    told: dict[str, Any] = {"title": "Plain", "media_type": "text/plain", **more}
    do(user, "store_artifact", artifact_id="F-9", **told, **kept._asdict())
    body = {"outputs": [{"name": f"{SECRET} city", "value": SECRET, "artifact_id": "F-9"}]}
    do(user, "record_checkpoint", by=AGENT, thread_id="main", checkpoint_id="CP-9", body=body)


def _preference(user: UserScope, _more: dict[str, Any]) -> None:
    do(user, "set_preferences", preferences={"city": SECRET})


def _connection(user: UserScope, _more: dict[str, Any]) -> None:
    seen: dict[str, Any] = {
        "provider": "mail",
        "account": "me",
        "status": "error",
        "detail": SECRET,
    }
    do(user, "observe_connection", by=PROVIDER, ttl_seconds=60, **seen)


PROVIDER = AGENT.model_copy(update={"kind": "provider"})
REDACT = {"type_": "redact_message", "message_id": "M-9", "reason": "asked"}
WITHDRAW = {"type_": "withdraw_claim", "claim_id": "C-9", "reason": "asked"}
FORGET = {"type_": "forget_artifact", "artifact_id": "F-9", "reason": "asked"}
REMOVE = {"type_": "remove_task", "task_id": "T-9", "reason": "asked"}
THINGS = {
    "message": Thing("message", "M-9", _message, REDACT, has_sensitivity=True),
    "answer": Thing("message", "M-9", _answer, REDACT, has_sensitivity=True),
    "claim": Thing("claim", "C-9", _claim, WITHDRAW, has_sensitivity=True),
    "artifact": Thing("artifact", "F-9", store_artifact, FORGET, has_sensitivity=True),
    "transcript": Thing("artifact", "F-9", _transcript, FORGET, has_sensitivity=True),
    "sentence": Thing("message", "M-9", _sentence, REDACT, has_sensitivity=True),
    "correction": Thing("message", "M-9", _correction, REDACT, has_sensitivity=True),
    "claim of it": Thing("message", "M-9", _claim_of, REDACT, has_sensitivity=True),
    "task": Thing("task", "T-9", _task, REMOVE),
    "approval": Thing("approval", "A-9", _approval),
    "meeting": Thing("meeting", "ME-9", _meeting),
    "commitment": Thing("commitment", "CO-9", _commitment),
    "proposal": Thing("proposal", "P-9", _proposal),
    "reminder": Thing("reminder", "R-9", _reminder),
    "routine": Thing("routine", "RO-9", _routine),
    "trigger": Thing("trigger", "TR-9", _trigger),
    "checkpoint": Thing("checkpoint", "CP-9", _checkpoint),
    "summary": Thing("summary", "S-9", _summary),
    "asked": Thing("task", "T-9", _asked_in_a_checkpoint, REMOVE),
    "output": Thing("artifact", "F-9", _output_in_a_checkpoint, FORGET, has_sensitivity=True),
    "preference": Thing("user", "me", _preference),
    "connection": Thing("connection", "mail:me", _connection),
}
SENSITIVE = [name for name, thing in THINGS.items() if thing.has_sensitivity]


def world(user: UserScope) -> None:
    """What is there in any case, and must not go with what is hidden."""
    do(user, "create_task", task_id="T-1", title="The plain task of a city")
    start: dict[str, Any] = {"title": "Plain", "start_at": SOON}
    do(user, "schedule_meeting", meeting_id="ME-1", **start)
    say(user, "M-1", "a plain word")
