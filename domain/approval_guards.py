"""Which states of an approval and its surroundings refuse a command, and in which words.

Invariant: whoever comes after an approval's time is told so to the face, and the refusal itself
carries the fact that its time is over.
"""

from __future__ import annotations

from datetime import datetime
from typing import NoReturn

from workindex.domain.approval_commands import StartExecution
from workindex.domain.approval_facts import (
    ApprovalExpired,
    ApprovalMooted,
    ApprovalState,
    GrantLapsed,
    PolicyDecided,
    Precondition,
    policy_json,
)
from workindex.domain.errors import CommandRefused
from workindex.domain.facts import World
from workindex.domain.task_state import ENDED, TaskState

# Code and words of a refusal, by the status that causes it.
STANDS: dict[str, tuple[str, str]] = {
    "requested": ("not_granted", "still waits for a person: grant or deny it first"),
    "granted": ("already_granted", "is granted: withdraw it if it must not run"),
    "executing": ("already_executing", "is being executed: record its result"),
    "executed": ("grant_used", "was executed and its result is stored: request it anew"),
    "failed": ("grant_used", "was executed and failed: request it anew"),
    "outcome_unknown": ("grant_used", "was executed, outcome unknown: find out what it did"),
    "granted_not_executed": ("grant_lapsed", "was granted but not used in time: request it anew"),
    "denied": ("approval_denied", "was denied by a person: it stays denied"),
    "expired": ("approval_expired", "expired before anybody decided: request it anew"),
    "withdrawn": ("approval_withdrawn", "was withdrawn: request it anew"),
    "moot": ("approval_moot", "has no point any more: request it anew if it has one again"),
}


def refuse_unless(state: ApprovalState, *statuses: str) -> None:
    """Refuse by the status unless it is one of these."""
    if state.status not in statuses:
        _refuse_status(state, state.status)


def refuse_overdue(state: ApprovalState, now: datetime) -> None:
    """Refuse a request past `expires_at` or a grant past `redeem_by`, with the fact of it."""
    fact = overdue(state, now)
    if fact is not None:
        after = "expired" if isinstance(fact, ApprovalExpired) else "granted_not_executed"
        _refuse_status(state, after, fact)


def overdue(state: ApprovalState, now: datetime) -> ApprovalExpired | GrantLapsed | None:
    """The fact that the time of this request or grant is over, None while it is not."""
    if state.status == "requested" and now >= state.expires_at:
        return ApprovalExpired(approval_id=state.approval_id, task_id=state.task_id)
    if state.status == "granted" and state.redeem_by is not None and now >= state.redeem_by:
        return GrantLapsed(approval_id=state.approval_id, task_id=state.task_id)
    return None


def refuse_other_hash(state: ApprovalState, action_hash: str) -> None:
    """Refuse a decision about another action than the stored one."""
    if action_hash != state.action_hash:
        raise CommandRefused(
            "hash_mismatch",
            f"approval {state.approval_id} is about the action {state.action_hash}, not "
            f"{action_hash}: show the stored action and decide on its hash",
            field="action_hash",
        )


def refuse_ended_task(world: World, task_id: str, state: ApprovalState | None = None) -> None:
    """Refuse where the task is unknown, removed or ended.

    An approval whose task was cancelled or removed is mooted by the refusal.
    """
    task = world.get(f"task/{task_id}", TaskState)
    status = "removed" if task is None else task.status
    if task is not None and status not in ENDED:
        return
    gone = state is not None and status in ("cancelled", "removed")
    raise CommandRefused(
        "unknown_task" if task is None else "task_ended",
        f"there is no task {task_id}: create it first or leave task_id out"
        if task is None
        else f"task {task_id} has ended ({status}): re-open it first",
        facts=(mooted(state, f"task_{status}"),) if state is not None and gone else (),
        field="task_id",
    )


def refuse_by_policy(command: StartExecution, state: ApprovalState) -> None:
    """Refuse where the policy, asked again, says no; the grant stays unused."""
    policy = command.policy
    if policy.decision != "deny":
        return
    fact = PolicyDecided(
        approval_id=state.approval_id,
        task_id=state.task_id,
        decision=policy.decision,
        policy_id=policy.policy_id,
        reason=policy.reason,
    )
    raise CommandRefused(
        "policy_denied",
        f"policy {policy.policy_id} denies approval {state.approval_id} now, the grant does not "
        f"override it: change the policy or withdraw the approval",
        facts=() if policy_json(fact) == state.policy else (fact,),
        field="policy",
    )


def refuse_drift(command: StartExecution, state: ApprovalState) -> None:
    """Refuse where the tool or the outside world is not what the person decided on.

    What was not looked at counts as changed, and so does what was seen at two versions.
    """
    shown, found = state.tool_schema_sha256, command.tool_schema_sha256
    if shown is not None and shown != found:
        has = "was not looked at" if found is None else f"has the schema {found} now"
        raise CommandRefused(
            "tool_changed",
            f"the tool of approval {state.approval_id} {has}, its schema was {shown} when the "
            f"action was shown: give that of the tool as it is, or request the action anew",
            field="tool_schema_sha256",
        )
    observed: dict[tuple[str, str], list[int | str]] = {}
    for one in command.preconditions:
        observed.setdefault((one.kind, one.id), []).append(one.version)
    for stored in state.preconditions:
        wanted = Precondition(**stored)
        versions = observed.get((wanted.kind, wanted.id), [])
        others = [version for version in versions if version != wanted.version]
        if others or not versions:
            was = f"is at {others[0]!r}" if others else "was not observed"
            raise CommandRefused(
                "precondition_changed",
                f"{wanted.kind} {wanted.id} {was}, approval {state.approval_id} is for "
                f"{wanted.version!r}: withdraw it and request it anew (the grant is unused)",
                field="preconditions",
            )


def mooted(state: ApprovalState, reason_code: str, reason: str | None = None) -> ApprovalMooted:
    """The fact that this approval has no point any more."""
    return ApprovalMooted(
        approval_id=state.approval_id,
        task_id=state.task_id,
        reason_code=reason_code,
        reason=reason,
    )


def _refuse_status(
    state: ApprovalState, status: str, *facts: ApprovalExpired | GrantLapsed
) -> NoReturn:
    code, words = STANDS[status]
    raise CommandRefused(code, f"approval {state.approval_id} {words}", facts=facts)
