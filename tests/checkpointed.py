"""A thread about one task in which everything occurs that a checkpoint must hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from turns import AGENT, approval, do, say
from workindex import UserScope

Body = dict[str, Any]
Fields = dict[str, Any]


def work(ann: UserScope) -> None:
    """A thread about one task in which everything that must survive occurs once."""
    do(ann, "create_task", task_id="T-1", title="Hold the party", due_at="2026-03-09T12:00:00Z")
    do(ann, "create_task", task_id="T-2", title="Find a hall")
    do(ann, "block_task", task_id="T-1", blocked_by=["T-2"])
    asked: Fields = {
        "task_id": "T-1",
        "request_id": "Q-1",
        "kind": "input",
        "prompt": "Which band?",
    }
    do(ann, "request_task_input", by=AGENT, **asked)
    tried: Fields = {"attempt_id": "AT-1", "summary": "Called the hall", "outcome": "failed"}
    do(ann, "record_attempt", by=AGENT, task_id="T-1", **tried, error="nobody there")
    meeting: Fields = {
        "meeting_id": "M-7",
        "title": "With the band",
        "start_at": "2026-03-06T10:00:00Z",
    }
    do(ann, "schedule_meeting", **meeting)
    made: Fields = {
        "meeting_id": "M-7",
        "commitment_id": "C-1",
        "text": "Bring the list",
        "owner": "Bo",
    }
    do(ann, "make_commitment", **made, due_at="2026-03-07T12:00:00Z")
    approval(ann, "A-1", task_id="T-1")
    stored: Fields = {
        "title": "Plan",
        "media_type": "text/plain",
        "sha256": "0" * 64,
        "size_bytes": 1,
    }
    do(ann, "store_artifact", artifact_id="F-1", parts=1, **stored)
    say(ann, "S-1", "Let us see to T-1 after meeting M-7, see F-1.")
    say(ann, "S-2", "I will.", role="assistant")
    do(ann, "record_correction", thread_id="main", correction_id="CO-1", text="Not on Sunday")


def drafted(ann: UserScope, **words: Any) -> Body:
    return ann.checkpoint_draft("main", task_id="T-1", **words).model_dump(mode="json")


def records(body: Body) -> Any:
    return next(one["value"] for one in body["outputs"] if one["name"] == "records")["rows"]


def action_hash(ann: UserScope, id_: str) -> str:
    facts: Iterator[Any] = (event.fact for event in ann.log(stream=f"approval/{id_}"))
    return str(next(fact.action_hash for fact in facts if fact.type == "approval_requested"))


def start(ann: UserScope, id_: str, deadline_at: str = "2026-03-04T13:00:00Z") -> None:
    """Grant an approval and begin to carry it out."""
    exact: Fields = {"approval_id": id_, "action_hash": action_hash(ann, id_)}
    do(ann, "grant_approval", **exact)
    policy: Fields = {"decision": "allow", "policy_id": "P-1"}
    began: Fields = {
        "execution_id": f"X-{id_}",
        "deadline_at": deadline_at,
        "policy": policy,
    }
    began["tool_schema_sha256"] = "0" * 64
    do(ann, "start_execution", by=AGENT, **exact, **began)
