"""The oracle's rules of approvals: one exact action, one unused grant, one execution."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import rfc8785

from db.stateful.oracle_rules import PEOPLE, Facts, Refused, Sight, refuse_if, time_of

Command = Mapping[str, Any]
Approval = dict[str, Any]


def waiting(user: dict[str, Any], now: datetime) -> set[str]:
    """Approvals that a person can still decide."""
    return {
        name
        for name, one in user["approvals"].items()
        if one["status"] == "requested" and one["expires"] > now
    }


def unsettled(user: dict[str, Any], now: datetime) -> set[str]:
    """Executions past their deadline or of unknown outcome."""
    return {
        name
        for name, one in user["approvals"].items()
        if one["status"] == "outcome_unknown"
        or (one["status"] == "executing" and one["deadline"] <= now)
    }


def hash_of(user_id: str, command: Command, requester: str) -> str:
    """The action hash as the contract states it: sha256 over RFC 8785."""
    document = {
        "v": 1,
        "user_id": user_id,
        "approval_id": command["approval_id"],
        "tool": command["tool"],
        "tool_schema_sha256": None,
        "arguments": command["arguments"],
        "target": None,
        "account": None,
        "requester": requester,
        "expires_at": command["expires_at"],
        "preconditions": [],
    }
    return hashlib.sha256(rfc8785.dumps(document)).hexdigest()


def _request(sight: Sight, command: Command) -> Facts:
    reopen = command.get("reopen", False)
    refuse_if(reopen and sight.actor != "user")
    name, task_id = command["approval_id"], command.get("task_id")
    stream = f"approval/{name}"
    action = hash_of(sight.user["id"], command, f"the-{sight.actor}")
    held = sight.user["approvals"].get(name)
    if held is not None:
        refuse_if(held["status"] != "requested" or held["hash"] != action)
        return ()
    expires_at = time_of(command["expires_at"])
    assert expires_at is not None
    refuse_if(expires_at <= sight.now)
    if task_id is not None:
        task = sight.user["tasks"].get(task_id)
        refuse_if(task is None or task["ended"])
    deed = (repr(command["arguments"]), task_id)
    if sight.user["denials"].get(deed):
        refuse_if(not reopen)
        sight.user["denials"][deed] = False
    sight.user["approvals"][name] = {
        "task": task_id,
        "status": "requested",
        "hash": action,
        "deed": deed,
        "expires": expires_at,
        "redeem": None,
        "deadline": None,
        "execution": None,
        "policy": None,
    }
    return (("approval_requested", stream),)


def _known(sight: Sight, command: Command) -> tuple[Approval, str]:
    approval = sight.user["approvals"].get(command["approval_id"])
    refuse_if(approval is None)
    return approval, f"approval/{command['approval_id']}"


def _is_over(sight: Sight, approval: Approval) -> bool:
    until = {"requested": approval["expires"], "granted": approval["redeem"]}
    at: datetime | None = until.get(approval["status"])
    return at is not None and at <= sight.now


def _refuse_overdue(sight: Sight, approval: Approval, stream: str) -> None:
    if _is_over(sight, approval):
        raise Refused(*_time_over(approval, stream))


def _time_over(approval: Approval, stream: str) -> Facts:
    if approval["status"] == "requested":
        approval["status"] = "expired"
        return (("approval_expired", stream),)
    approval["status"] = "granted_not_executed"
    return (("grant_lapsed", stream),)


def _grant(sight: Sight, command: Command) -> Facts:
    refuse_if(sight.actor not in PEOPLE)
    approval, stream = _known(sight, command)
    refuse_if(command["action_hash"] != approval["hash"])
    _refuse_overdue(sight, approval, stream)
    if approval["status"] == "granted":
        return ()
    refuse_if(approval["status"] != "requested")
    redeem_by = time_of(command.get("redeem_by")) or approval["expires"]
    refuse_if(redeem_by <= sight.now)
    approval.update(status="granted", redeem=redeem_by)
    return (("approval_granted", stream),)


def _deny(sight: Sight, command: Command) -> Facts:
    refuse_if(sight.actor not in PEOPLE)
    approval, stream = _known(sight, command)
    _refuse_overdue(sight, approval, stream)
    if approval["status"] == "denied":
        return ()
    refuse_if(approval["status"] != "requested")
    approval["status"] = "denied"
    sight.user["denials"][approval["deed"]] = True
    return (("approval_denied", stream),)


def _drop(sight: Sight, command: Command) -> Facts:
    status, fact = {
        "withdraw_approval": ("withdrawn", "approval_withdrawn"),
        "moot_approval": ("moot", "approval_mooted"),
    }[command["type"]]
    refuse_if(status == "withdrawn" and sight.actor not in PEOPLE)
    approval, stream = _known(sight, command)
    _refuse_overdue(sight, approval, stream)
    if approval["status"] == status:
        return ()
    refuse_if(approval["status"] not in ("requested", "granted"))
    approval["status"] = status
    return ((fact, stream),)


def _time_out(sight: Sight, command: Command) -> Facts:
    waits, after = {
        "expire_approval": ("requested", "expired"),
        "lapse_grant": ("granted", "granted_not_executed"),
    }[command["type"]]
    approval, stream = _known(sight, command)
    if approval["status"] == after:
        return ()
    refuse_if(approval["status"] != waits or not _is_over(sight, approval))
    return _time_over(approval, stream)


def _policy(sight: Sight, command: Command) -> Facts:
    approval, stream = _known(sight, command)
    _refuse_overdue(sight, approval, stream)
    refuse_if(approval["status"] not in ("requested", "granted"))
    if approval["policy"] == command["decision"]:
        return ()
    approval["policy"] = command["decision"]
    if command["decision"] == "deny" and approval["status"] == "requested":
        approval["status"] = "moot"
        return (("policy_decided", stream), ("approval_mooted", stream))
    return (("policy_decided", stream),)


def _start(sight: Sight, command: Command) -> Facts:
    approval, stream = _known(sight, command)
    refuse_if(command["action_hash"] != approval["hash"])
    _refuse_overdue(sight, approval, stream)
    refuse_if(approval["status"] != "granted")
    if approval["task"] is not None:
        task = sight.user["tasks"].get(approval["task"])
        refuse_if(task is None or task["ended"])
    decision = command["policy"]["decision"]
    if decision == "deny":
        known = approval["policy"] == "deny"
        approval["policy"] = "deny"
        raise Refused(*(() if known else (("policy_decided", stream),)))
    deadline = time_of(command["deadline_at"])
    assert deadline is not None
    refuse_if(deadline <= sight.now)
    approval.update(
        status="executing",
        deadline=deadline,
        execution=command["execution_id"],
        policy=decision,
    )
    return (("execution_started", stream),)


def _settle(sight: Sight, command: Command) -> Facts:
    status, fact = {
        "succeed_execution": ("executed", "execution_succeeded"),
        "fail_execution": ("failed", "execution_failed"),
        "mark_execution_outcome_unknown": ("outcome_unknown", "execution_outcome_unknown"),
    }[command["type"]]
    approval, stream = _known(sight, command)
    refuse_if(approval["execution"] != command["execution_id"])
    if approval["status"] == status:
        return ()
    refuse_if(approval["status"] not in ("executing", "outcome_unknown"))
    approval["status"] = status
    return ((fact, stream),)


RULES = {
    "request_approval": _request,
    "decide_policy": _policy,
    "grant_approval": _grant,
    "deny_approval": _deny,
    "withdraw_approval": _drop,
    "moot_approval": _drop,
    "expire_approval": _time_out,
    "lapse_grant": _time_out,
    "start_execution": _start,
    "succeed_execution": _settle,
    "fail_execution": _settle,
    "mark_execution_outcome_unknown": _settle,
}
