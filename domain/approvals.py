"""Approvals: which wish about an exact action may come true.

Invariant: an execution starts only under one unused, unexpired grant by a person whose hash is
that of the stored action, after its policy, task, tool and preconditions were looked at again.
Facts, commands and states stand in approval_facts.py and approval_commands.py.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from workindex.domain.approval_commands import (
    ApprovalCommand,
    DecidePolicy,
    DenyApproval,
    ExpireApproval,
    FailExecution,
    GiveConsent,
    GrantApproval,
    LapseGrant,
    MarkExecutionOutcomeUnknown,
    MootApproval,
    RequestApproval,
    StartExecution,
    SucceedExecution,
    WithdrawApproval,
    WithdrawConsent,
)
from workindex.domain.approval_facts import (
    ApprovalDenied,
    ApprovalExpired,
    ApprovalGranted,
    ApprovalMooted,
    ApprovalRequested,
    ApprovalState,
    ApprovalWithdrawn,
    ConsentGiven,
    ConsentWithdrawn,
    DenialState,
    ExecutionFailed,
    ExecutionOutcomeUnknown,
    ExecutionStarted,
    ExecutionSucceeded,
    GrantLapsed,
    PolicyDecided,
    evolve,
    evolve_denial,
    policy_json,
)
from workindex.domain.approval_guards import (
    mooted,
    overdue,
    refuse_by_policy,
    refuse_drift,
    refuse_ended_task,
    refuse_other_hash,
    refuse_overdue,
    refuse_unless,
)
from workindex.domain.approval_requests import request
from workindex.domain.errors import CommandRefused
from workindex.domain.facts import Command, Concept, Entity, Fact, World, utc


def decide(world: World, command: Command, now: datetime) -> list[Fact]:
    """Facts for a command about an approval or a consent; none where it is so already.

    Raises: CommandRefused where the state forbids it; ActionNotCanonical for a request whose
    action has no exact bytes.
    """
    match command:
        case RequestApproval():
            return request(world, command, now)
        case GiveConsent():
            return _give_consent(world, command, now)
        case WithdrawConsent():
            return _withdraw_consent(world, command)
        case StartExecution():
            return _start(world, command, _known(world, command), now)
        case ApprovalCommand():
            return _DECISIONS[type(command)](command, _known(world, command), now)
        case _:
            raise AssertionError(f"{command.type} is not a command about approvals")


def _known(world: World, command: ApprovalCommand) -> ApprovalState:
    state = world.get(command.stream, ApprovalState)
    if state is None:
        raise CommandRefused(
            "unknown_approval",
            f"no approval {command.approval_id} was ever requested: list approvals for their ids",
            field="approval_id",
        )
    return state


def _decide_policy(command: DecidePolicy, state: ApprovalState, now: datetime) -> list[Fact]:
    refuse_overdue(state, now)
    refuse_unless(state, "requested", "granted")
    fact = PolicyDecided(
        approval_id=state.approval_id,
        task_id=state.task_id,
        decision=command.decision,
        policy_id=command.policy_id,
        reason=command.reason,
    )
    if policy_json(fact) == state.policy:
        return []
    if command.decision == "deny" and state.status == "requested":
        return [fact, mooted(state, "policy_denied", command.reason)]
    return [fact]


def _grant(command: GrantApproval, state: ApprovalState, now: datetime) -> list[Fact]:
    refuse_other_hash(state, command.action_hash)
    refuse_overdue(state, now)
    if state.status == "granted":
        return []
    refuse_unless(state, "requested")
    redeem_by = command.redeem_by or state.expires_at
    if redeem_by <= now:
        raise CommandRefused(
            "redeem_by_past",
            f"redeem_by {utc(redeem_by)} is not after now ({utc(now)}): give a later one",
            field="redeem_by",
        )
    return [
        ApprovalGranted(
            approval_id=state.approval_id,
            task_id=state.task_id,
            action_hash=command.action_hash,
            redeem_by=redeem_by,
        )
    ]


def _deny(command: DenyApproval, state: ApprovalState, now: datetime) -> list[Fact]:
    if command.action_hash is not None:
        refuse_other_hash(state, command.action_hash)
    refuse_overdue(state, now)
    if state.status == "denied":
        return []
    refuse_unless(state, "requested")
    return [
        ApprovalDenied(
            approval_id=state.approval_id,
            task_id=state.task_id,
            same_action=state.same_action,
            reason=command.reason,
        )
    ]


def _withdraw(command: WithdrawApproval, state: ApprovalState, now: datetime) -> list[Fact]:
    refuse_overdue(state, now)
    if state.status == "withdrawn":
        return []
    refuse_unless(state, "requested", "granted")
    return [
        ApprovalWithdrawn(
            approval_id=state.approval_id,
            task_id=state.task_id,
            reason_code=command.reason_code,
            reason=command.reason,
        )
    ]


def _moot(command: MootApproval, state: ApprovalState, now: datetime) -> list[Fact]:
    refuse_overdue(state, now)
    if state.status == "moot":
        return []
    refuse_unless(state, "requested", "granted")
    return [mooted(state, command.reason_code, command.reason)]


def _time_out(
    command: ExpireApproval | LapseGrant, state: ApprovalState, now: datetime
) -> list[Fact]:
    waits, ended = (
        ("requested", "expired")
        if isinstance(command, ExpireApproval)
        else ("granted", "granted_not_executed")
    )
    if state.status == ended:
        return []
    refuse_unless(state, waits)
    fact = overdue(state, now)
    if fact is None:
        until = state.expires_at if waits == "requested" else state.redeem_by
        raise CommandRefused(
            "not_due", f"approval {state.approval_id} is valid until {until}: wait until then"
        )
    return [fact]


def _start(
    world: World, command: StartExecution, state: ApprovalState, now: datetime
) -> list[Fact]:
    assert command.execution_id is not None
    refuse_other_hash(state, command.action_hash)
    refuse_overdue(state, now)
    refuse_unless(state, "granted")
    if state.task_id is not None:
        refuse_ended_task(world, state.task_id, state)
    refuse_by_policy(command, state)
    refuse_drift(command, state)
    if command.deadline_at <= now:
        raise CommandRefused(
            "deadline_past",
            f"deadline_at {utc(command.deadline_at)} is not after now ({utc(now)}): "
            f"give a later one",
            field="deadline_at",
        )
    return [
        ExecutionStarted(
            approval_id=state.approval_id,
            task_id=state.task_id,
            execution_id=command.execution_id,
            action_hash=state.action_hash,
            deadline_at=command.deadline_at,
            idempotency_key=command.idempotency_key or state.action_hash,
            policy=command.policy,
        )
    ]


def _settle(
    command: SucceedExecution | FailExecution | MarkExecutionOutcomeUnknown,
    state: ApprovalState,
    _now: datetime,
) -> list[Fact]:
    if state.execution_id != command.execution_id:
        raise CommandRefused(
            "unknown_execution",
            f"approval {state.approval_id} has no execution {command.execution_id}, "
            f"its execution is {state.execution_id}: name that one",
            field="execution_id",
        )
    fields = command.model_dump(exclude={"type"}) | {"task_id": state.task_id}
    fact_type, status = _SETTLES[type(command)]
    if state.status == status:
        if "result" not in fields or fields["result"] == state.result:
            return []
    elif state.status in ("executing", "outcome_unknown"):
        return [fact_type(**fields)]
    raise CommandRefused(
        "already_settled",
        f"execution {command.execution_id} of approval {state.approval_id} "
        f"has its result already ({state.status}): it stays as it is",
    )


def _give_consent(world: World, command: GiveConsent, now: datetime) -> list[Fact]:
    if command.expires_at is not None and command.expires_at <= now:
        raise CommandRefused(
            "expires_at_past",
            f"expires_at {utc(command.expires_at)} is not after now ({utc(now)}): give a later one",
            field="expires_at",
        )
    terms = {
        "scope": command.scope,
        "expires_at": None if command.expires_at is None else utc(command.expires_at),
        "details": command.details,
    }
    held = _consents(world).get(command.consent)
    if held is not None and all(held[name] == value for name, value in terms.items()):
        return []
    return [ConsentGiven(**command.model_dump(exclude={"type"}))]


def _withdraw_consent(world: World, command: WithdrawConsent) -> list[Fact]:
    if command.consent not in _consents(world):
        raise CommandRefused(
            "unknown_consent",
            f"no consent {command.consent} is in force: there is nothing to withdraw",
            field="consent",
        )
    return [ConsentWithdrawn(consent=command.consent, reason=command.reason)]


def _consents(world: World) -> dict[str, dict[str, Any]]:
    user = world.states["user/me"]
    return {} if user is None else user.consents


_DECISIONS: dict[type[Command], Callable[[Any, ApprovalState, datetime], list[Fact]]] = {
    DecidePolicy: _decide_policy,
    GrantApproval: _grant,
    DenyApproval: _deny,
    WithdrawApproval: _withdraw,
    MootApproval: _moot,
    ExpireApproval: _time_out,
    LapseGrant: _time_out,
    SucceedExecution: _settle,
    FailExecution: _settle,
    MarkExecutionOutcomeUnknown: _settle,
}

_SETTLES: dict[type[Command], tuple[type[Fact], str]] = {
    SucceedExecution: (ExecutionSucceeded, "executed"),
    FailExecution: (ExecutionFailed, "failed"),
    MarkExecutionOutcomeUnknown: (ExecutionOutcomeUnknown, "outcome_unknown"),
}

APPROVALS = Concept(
    "approvals",
    facts=(
        ApprovalRequested,
        PolicyDecided,
        ApprovalGranted,
        ApprovalDenied,
        ApprovalExpired,
        GrantLapsed,
        ApprovalWithdrawn,
        ApprovalMooted,
        ExecutionStarted,
        ExecutionSucceeded,
        ExecutionFailed,
        ExecutionOutcomeUnknown,
        ConsentGiven,
        ConsentWithdrawn,
    ),
    commands=(
        RequestApproval,
        DecidePolicy,
        GrantApproval,
        DenyApproval,
        ExpireApproval,
        LapseGrant,
        WithdrawApproval,
        MootApproval,
        StartExecution,
        SucceedExecution,
        FailExecution,
        MarkExecutionOutcomeUnknown,
        GiveConsent,
        WithdrawConsent,
    ),
    entities=(
        Entity("approval", ApprovalState, evolve),
        Entity("denial", DenialState, evolve_denial),
    ),
    decide=decide,
)
