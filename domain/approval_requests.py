"""Whether an action may be put before a person, and which exact action that is.

Invariant: what is stored is the action's canonical text; what was denied in a task is asked
again there only when the user says so.
"""

from __future__ import annotations

from datetime import datetime

from workindex.domain.approval_commands import RequestApproval
from workindex.domain.approval_facts import (
    ApprovalRequested,
    ApprovalState,
    DenialState,
    denial_ref,
    preconditions_json,
)
from workindex.domain.approval_guards import refuse_ended_task
from workindex.domain.canonical import Action, action_hash, action_text, normalised
from workindex.domain.errors import CommandRefused, NotPermitted
from workindex.domain.facts import Fact, World, utc
from workindex.domain.task_state import existing, refuse_more


def request(world: World, command: RequestApproval, now: datetime) -> list[Fact]:
    """The request with its action made exact; none where this very request waits already."""
    if command.reopen and world.actor.kind != "user":
        raise NotPermitted(
            f"only the user re-opens a denied action, not {world.actor.kind} {world.actor.id}"
        )
    fact = _requested(world, command)
    known = world.get(command.stream, ApprovalState)
    if known is not None:
        if known.status == "requested" and known.action_hash == fact.action_hash:
            return []
        raise CommandRefused(
            "approval_exists",
            f"approval {known.approval_id} exists ({known.status}) and its action never changes: "
            f"request with a new approval_id",
            field="approval_id",
        )
    if command.expires_at <= now:
        raise CommandRefused(
            "expires_at_past",
            f"expires_at {utc(command.expires_at)} is not after now ({utc(now)}): give a later one",
            field="expires_at",
        )
    if command.task_id is not None:
        refuse_ended_task(world, command.task_id)
        task = existing(world, command.task_id)
        refuse_more(task, len(task.approvals) + 1, "open approvals", "task_id")
    denial = world.get(denial_ref(fact.same_action, fact.task_id), DenialState)
    if denial is None or denial.status != "denied":
        return [fact]
    if not command.reopen:
        raise CommandRefused(
            "denied_before",
            f"the same action was denied in approval {denial.approval_id}: "
            f"only the user may ask for it again, with reopen",
        )
    return [fact.model_copy(update={"reopened": True})]


def _requested(world: World, command: RequestApproval) -> ApprovalRequested:
    assert command.approval_id is not None
    requester = world.actor.id if command.requester is None else command.requester
    text = action_text(
        Action(
            user_id=world.user_id,
            approval_id=command.approval_id,
            tool=command.tool,
            tool_schema_sha256=command.tool_schema_sha256,
            arguments=command.arguments,
            target=command.target,
            account=command.account,
            requester=requester,
            expires_at=command.expires_at,
            preconditions=preconditions_json(command.preconditions),
        )
    )
    return ApprovalRequested(
        approval_id=command.approval_id,
        task_id=command.task_id,
        title=command.title,
        tool=command.tool,
        tool_schema_sha256=command.tool_schema_sha256,
        arguments=normalised(command.arguments),
        target=command.target,
        account=command.account,
        requester=requester,
        expires_at=command.expires_at,
        preconditions=command.preconditions,
        action=text,
        action_hash=action_hash(text),
        same_action=command.same_action,
    )
