"""The approval ledger: each exact action, who decided, and what its execution came to."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple, assert_never, cast

from workindex.domain.approval_facts import (
    STATUS_AFTER,
    AnyApprovalFact,
    ApprovalDenied,
    ApprovalExpired,
    ApprovalGranted,
    ApprovalMooted,
    ApprovalRequested,
    ApprovalWithdrawn,
    ExecutionFailed,
    ExecutionOutcomeUnknown,
    ExecutionStarted,
    ExecutionSucceeded,
    GrantLapsed,
    PolicyDecided,
    denial_id,
    policy_json,
    preconditions_json,
)
from workindex.domain.facts import Event
from workindex.projections.table import EVER, FOREVER, NEEDLESS, Need, Table


class ApprovalRow(NamedTuple):
    """One approval.

    `action` holds the exact canonical bytes (RFC 8785, as text) that were shown and that the
    executor receives; `arguments` is the same for readers. `status` is requested, granted,
    executing, executed, failed, granted_not_executed, outcome_unknown, denied, expired,
    withdrawn or moot; `reason_code` says why (none once it was executed). `deadline_at` bounds
    a running execution, `redeem_by` a grant; times that happened are the world's.
    """

    approval_id: str
    title: str
    status: str
    status_since_at: datetime
    task_id: str | None
    tool: str
    tool_schema_sha256: str | None
    arguments: dict[str, Any]
    target: str | None
    account: str | None
    requester: str
    action: str
    action_hash: str
    same_action: str
    preconditions: list[dict[str, Any]]
    policy: dict[str, Any] | None
    requested_at: datetime
    expires_at: datetime
    granted_by: str | None
    granted_at: datetime | None
    redeem_by: datetime | None
    execution_id: str | None
    idempotency_key: str | None
    started_at: datetime | None
    deadline_at: datetime | None
    result: dict[str, Any] | None
    reason_code: str | None
    reason: str | None
    ended_at: datetime | None


class DenialRow(NamedTuple):
    """One action that was denied in one task (or outside every task).

    `status` is denied, or reopened once the user asked for the action again; `approval_id` is
    the approval that said so last.
    """

    denial_id: str
    same_action: str
    task_id: str | None
    status: str
    approval_id: str
    since_at: datetime


def fold_approval(row: ApprovalRow | None, event: Event) -> ApprovalRow | None:
    """The approval's row after one more of its facts."""
    fact = cast(AnyApprovalFact, event.fact)
    if isinstance(fact, ApprovalRequested):
        return _requested(fact, event.occurred_at)
    assert row is not None, fact
    if isinstance(fact, PolicyDecided):
        return row._replace(policy=policy_json(fact))
    at = event.occurred_at
    row = row._replace(status=STATUS_AFTER[type(fact)], status_since_at=at)
    match fact:
        case ApprovalGranted():
            return row._replace(granted_by=event.actor.id, granted_at=at, redeem_by=fact.redeem_by)
        case ExecutionStarted():
            return row._replace(
                policy=policy_json(fact.policy),
                execution_id=fact.execution_id,
                idempotency_key=fact.idempotency_key,
                started_at=at,
                deadline_at=fact.deadline_at,
            )
        case ExecutionSucceeded():
            return row._replace(result=fact.result, reason_code=None, reason=None, ended_at=at)
        case ExecutionFailed():
            return row._replace(
                result=fact.result, reason_code=fact.reason_code, reason=fact.error, ended_at=at
            )
        case ExecutionOutcomeUnknown():
            return row._replace(reason_code=fact.reason_code, reason=fact.reason)
        case ApprovalExpired() | GrantLapsed():
            return row._replace(reason_code=fact.reason_code, ended_at=at)
        case ApprovalDenied() | ApprovalWithdrawn() | ApprovalMooted():
            return row._replace(reason_code=fact.reason_code, reason=fact.reason, ended_at=at)
        case _:
            assert_never(fact)


def fold_denial(row: DenialRow | None, event: Event) -> DenialRow | None:
    """The denial's row after a denial or a re-opening."""
    match event.fact:
        case ApprovalDenied() as fact:
            return DenialRow(
                denial_id=denial_id(fact.same_action, fact.task_id),
                same_action=fact.same_action,
                task_id=fact.task_id,
                status="denied",
                approval_id=fact.approval_id,
                since_at=event.occurred_at,
            )
        case ApprovalRequested(reopened=True) as fact:
            assert row is not None, fact
            return row._replace(
                status="reopened", approval_id=fact.approval_id, since_at=event.occurred_at
            )
        case _:
            return row


def _requested(fact: ApprovalRequested, at: datetime) -> ApprovalRow:
    return ApprovalRow(
        approval_id=fact.approval_id,
        title=fact.title,
        status="requested",
        status_since_at=at,
        task_id=fact.task_id,
        tool=fact.tool,
        tool_schema_sha256=fact.tool_schema_sha256,
        arguments=fact.arguments,
        target=fact.target,
        account=fact.account,
        requester=fact.requester,
        action=fact.action,
        action_hash=fact.action_hash,
        same_action=fact.same_action,
        preconditions=preconditions_json(fact.preconditions),
        policy=None,
        requested_at=at,
        expires_at=fact.expires_at,
        granted_by=None,
        granted_at=None,
        redeem_by=None,
        execution_id=None,
        idempotency_key=None,
        started_at=None,
        deadline_at=None,
        result=None,
        reason_code=None,
        reason=None,
        ended_at=None,
    )


def _is_open(row: ApprovalRow) -> bool:
    return row.status in ("requested", "executing", "outcome_unknown")


def _need(row: ApprovalRow) -> Need:
    """Until a request expires, from an execution's deadline, or once its outcome is unknown."""
    if row.status == "requested":
        return Need(EVER, row.expires_at, row.expires_at, row.expires_at, row.requested_at)
    if row.status == "executing" and row.deadline_at is None:
        return NEEDLESS
    from_at = EVER if row.status == "outcome_unknown" else row.deadline_at
    assert from_at is not None, "an execution without a deadline needs nobody"
    return Need(from_at, FOREVER, FOREVER, row.deadline_at, row.status_since_at)


def _due_at(row: ApprovalRow) -> datetime | None:
    match row.status:
        case "requested":
            return row.expires_at
        case "granted":
            return row.redeem_by
        case "executing":
            return row.deadline_at
        case _:
            return None


WORK_APPROVAL = Table(
    "work_approval",
    kind="approval",
    member="work_index",
    row=ApprovalRow,
    fold=fold_approval,
    is_open=_is_open,
    need=_need,
    told_by="task_id",
    due_at=_due_at,
)
WORK_DENIAL = Table(
    "work_denial", kind="denial", member="work_index", row=DenialRow, fold=fold_denial
)
TABLES = (WORK_APPROVAL, WORK_DENIAL)
