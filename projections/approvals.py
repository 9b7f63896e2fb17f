"""The approval ledger: each exact action, who decided, and what its execution came to."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple


class ApprovalRow(NamedTuple):
    """One approval.

    `action` holds the exact canonical bytes (RFC 8785, as text) that were shown and that the
    executor receives; `arguments` is the same for readers. `status` is requested, granted,
    executing, executed, failed, granted_not_executed, outcome_unknown, denied, expired,
    withdrawn or moot. `deadline_at` bounds a running execution, `redeem_by` a grant.
    """

    approval_id: str
    title: str
    status: str
    status_since_at: datetime
    task_id: str | None
    tool: str
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
