"""Approvals: exact actions, who decided on them and what became of them.

The facts stand in approval_facts.py and are named here again, so that `domain.approvals` is the
one place to import them from.
"""

from __future__ import annotations

from workindex.domain.approval_facts import (
    ApprovalDenied,
    ApprovalExpired,
    ApprovalGranted,
    ApprovalMooted,
    ApprovalRequested,
    ApprovalWithdrawn,
    ConsentGiven,
    ConsentWithdrawn,
    ExecutionFailed,
    ExecutionOutcomeUnknown,
    ExecutionStarted,
    ExecutionSucceeded,
    GrantLapsed,
    PolicyDecided,
)

__all__ = [
    "ApprovalDenied",
    "ApprovalExpired",
    "ApprovalGranted",
    "ApprovalMooted",
    "ApprovalRequested",
    "ApprovalWithdrawn",
    "ConsentGiven",
    "ConsentWithdrawn",
    "ExecutionFailed",
    "ExecutionOutcomeUnknown",
    "ExecutionStarted",
    "ExecutionSucceeded",
    "GrantLapsed",
    "PolicyDecided",
]
