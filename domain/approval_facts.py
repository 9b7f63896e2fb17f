"""What can have happened to an approval, and what decisions remember of it.

An approval is one exact action (`action`, the RFC 8785 text that was shown and that the executor
receives) and never changes; every fact of it lives in its own stream and names its task.
Consents live here too: like a grant, only a person gives or withdraws them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple, assert_never, cast

from pydantic import Field, StrictInt, StringConstraints

from workindex.domain.facts import At, Event, Fact, Frozen, Id, Json, Text, Title

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
# Why something ended, for programs: human_denied, system_timeout, withdrawn_by_user,
# task_cancelled, task_removed, superseded, precondition_changed, policy_denied, ...
ReasonCode = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
PolicyAnswer = Literal["allow", "deny", "ask"]


class Precondition(Frozen):
    """An outside thing and the version of it that the action was prepared for."""

    kind: Id
    id: Id
    version: StrictInt | Annotated[str, StringConstraints(strict=True, max_length=2_000)]


Preconditions = Annotated[tuple[Precondition, ...], Field(max_length=50)]


class PolicyDecision(Frozen):
    """What the policy said, and which policy it was."""

    decision: PolicyAnswer
    policy_id: Id
    reason: Text | None = None


class ApprovalFact(Fact):
    """A fact in the life of one approval, with or without a task."""

    approval_id: Id
    task_id: Id | None = None

    @property
    def stream(self) -> str:
        return f"approval/{self.approval_id}"

    @property
    def touches(self) -> tuple[str, ...]:
        own = (f"approval/{self.approval_id}",)
        return own if self.task_id is None else (*own, f"task/{self.task_id}")


class ApprovalRequested(ApprovalFact):
    """An exact action waits for a person; `reopened` where the user asked for it again."""

    type: Literal["approval_requested"] = "approval_requested"
    title: Title
    tool: Id
    tool_schema_sha256: Sha256 | None = None
    arguments: Json
    target: Title | None = None
    account: Title | None = None
    requester: Id
    expires_at: At
    preconditions: Preconditions = ()
    action: Text
    action_hash: Sha256
    same_action: Sha256
    reopened: bool = False

    @property
    def touches(self) -> tuple[str, ...]:
        if not self.reopened:
            return super().touches
        return (*super().touches, denial_ref(self.same_action, self.task_id))


class PolicyDecided(ApprovalFact):
    """The policy was asked about the action."""

    type: Literal["policy_decided"] = "policy_decided"
    decision: PolicyAnswer
    policy_id: Id
    reason: Text | None = None


class ApprovalGranted(ApprovalFact):
    """A person allowed this very action once, until `redeem_by`."""

    type: Literal["approval_granted"] = "approval_granted"
    action_hash: Sha256
    redeem_by: At


class ApprovalDenied(ApprovalFact):
    """A person refused the action; the same action is not asked again in this task."""

    type: Literal["approval_denied"] = "approval_denied"
    same_action: Sha256
    reason_code: ReasonCode = "human_denied"
    reason: Text | None = None

    @property
    def touches(self) -> tuple[str, ...]:
        return (*super().touches, denial_ref(self.same_action, self.task_id))


class ApprovalExpired(ApprovalFact):
    """Nobody decided in time."""

    type: Literal["approval_expired"] = "approval_expired"
    reason_code: ReasonCode = "system_timeout"


class GrantLapsed(ApprovalFact):
    """A grant was not used in time: granted, but not executed."""

    type: Literal["grant_lapsed"] = "grant_lapsed"
    reason_code: ReasonCode = "system_timeout"


class ApprovalWithdrawn(ApprovalFact):
    """A person took the request or the unused grant back."""

    type: Literal["approval_withdrawn"] = "approval_withdrawn"
    reason_code: ReasonCode = "withdrawn_by_user"
    reason: Text | None = None


class ApprovalMooted(ApprovalFact):
    """The request or the unused grant lost its point."""

    type: Literal["approval_mooted"] = "approval_mooted"
    reason_code: ReasonCode
    reason: Text | None = None


class ExecutionStarted(ApprovalFact):
    """The grant is used up: the action went to the tool, an answer is due by `deadline_at`."""

    type: Literal["execution_started"] = "execution_started"
    execution_id: Id
    action_hash: Sha256
    deadline_at: At
    idempotency_key: Id
    policy: PolicyDecision


class ExecutionSucceeded(ApprovalFact):
    """The tool did it."""

    type: Literal["execution_succeeded"] = "execution_succeeded"
    execution_id: Id
    result: Json | None = None


class ExecutionFailed(ApprovalFact):
    """The tool did not do it."""

    type: Literal["execution_failed"] = "execution_failed"
    execution_id: Id
    reason_code: ReasonCode = "execution_failed"
    error: Text | None = None
    result: Json | None = None


class ExecutionOutcomeUnknown(ApprovalFact):
    """Nobody knows whether the tool did it; nothing runs again by itself."""

    type: Literal["execution_outcome_unknown"] = "execution_outcome_unknown"
    execution_id: Id
    reason_code: ReasonCode = "no_result"
    reason: Text | None = None


class ConsentFact(Fact):
    """A fact about one consent of the user."""

    consent: Id

    @property
    def stream(self) -> str:
        return "user"

    @property
    def touches(self) -> tuple[str, ...]:
        return ("user/me",)


class ConsentGiven(ConsentFact):
    """The user agreed to something lasting, in words (`scope`), until `expires_at` if given."""

    type: Literal["consent_given"] = "consent_given"
    scope: Text
    expires_at: At | None = None
    details: Json | None = None


class ConsentWithdrawn(ConsentFact):
    """The user took a consent back."""

    type: Literal["consent_withdrawn"] = "consent_withdrawn"
    reason: Text | None = None


AnyApprovalFact = (
    ApprovalRequested
    | PolicyDecided
    | ApprovalGranted
    | ApprovalDenied
    | ApprovalExpired
    | GrantLapsed
    | ApprovalWithdrawn
    | ApprovalMooted
    | ExecutionStarted
    | ExecutionSucceeded
    | ExecutionFailed
    | ExecutionOutcomeUnknown
)
# The status that each fact leaves behind; PolicyDecided leaves it as it was.
STATUS_AFTER: dict[type[Fact], str] = {
    ApprovalRequested: "requested",
    ApprovalGranted: "granted",
    ApprovalDenied: "denied",
    ApprovalExpired: "expired",
    GrantLapsed: "granted_not_executed",
    ApprovalWithdrawn: "withdrawn",
    ApprovalMooted: "moot",
    ExecutionStarted: "executing",
    ExecutionSucceeded: "executed",
    ExecutionFailed: "failed",
    ExecutionOutcomeUnknown: "outcome_unknown",
}


def denial_id(same_action: str, task_id: str | None) -> str:
    """The id of "this action was denied in this task" (or outside every task)."""
    return f"{same_action}:{task_id or ''}"


def denial_ref(same_action: str, task_id: str | None) -> str:
    """The reference of that denial's row."""
    return f"denial/{denial_id(same_action, task_id)}"


class ApprovalState(NamedTuple):
    """What decisions remember of an approval; the names are the row's."""

    approval_id: str
    task_id: str | None
    status: str
    tool_schema_sha256: str | None
    action_hash: str
    same_action: str
    preconditions: list[dict[str, Any]]
    expires_at: datetime
    policy: dict[str, Any] | None
    redeem_by: datetime | None
    execution_id: str | None
    deadline_at: datetime | None
    result: dict[str, Any] | None


class DenialState(NamedTuple):
    """Whether an action stays denied in one task (or outside every task)."""

    denial_id: str
    status: str
    approval_id: str


def evolve(state: ApprovalState | None, event: Event) -> ApprovalState | None:
    """The approval after one more fact of its stream."""
    fact = cast(AnyApprovalFact, event.fact)
    if isinstance(fact, ApprovalRequested):
        return _requested(fact)
    assert state is not None, fact
    match fact:
        case PolicyDecided():
            return state._replace(policy=policy_json(fact))
        case ApprovalGranted():
            return state._replace(status="granted", redeem_by=fact.redeem_by)
        case ExecutionStarted():
            return state._replace(
                status="executing",
                policy=policy_json(fact.policy),
                execution_id=fact.execution_id,
                deadline_at=fact.deadline_at,
            )
        case ExecutionSucceeded() | ExecutionFailed():
            return state._replace(status=STATUS_AFTER[type(fact)], result=fact.result)
        case (
            ApprovalDenied()
            | ApprovalExpired()
            | GrantLapsed()
            | ApprovalWithdrawn()
            | ApprovalMooted()
            | ExecutionOutcomeUnknown()
        ):
            return state._replace(status=STATUS_AFTER[type(fact)])
        case _:
            assert_never(fact)


def evolve_denial(state: DenialState | None, event: Event) -> DenialState | None:
    """The denial of one action in one task after one more fact."""
    match event.fact:
        case ApprovalDenied(approval_id=approval_id, same_action=same_action, task_id=task_id):
            return DenialState(denial_id(same_action, task_id), "denied", approval_id)
        case ApprovalRequested(reopened=True, approval_id=approval_id):
            assert state is not None, event.fact
            return state._replace(status="reopened", approval_id=approval_id)
        case _:
            return state


def policy_json(policy: PolicyDecided | PolicyDecision) -> dict[str, Any]:
    """The policy's answer as rows hold it."""
    return {
        "decision": policy.decision,
        "policy_id": policy.policy_id,
        "reason": policy.reason,
    }


def preconditions_json(preconditions: tuple[Precondition, ...]) -> list[dict[str, Any]]:
    """The preconditions as rows and actions hold them."""
    return [one.model_dump() for one in preconditions]


def _requested(fact: ApprovalRequested) -> ApprovalState:
    return ApprovalState(
        approval_id=fact.approval_id,
        task_id=fact.task_id,
        status="requested",
        tool_schema_sha256=fact.tool_schema_sha256,
        action_hash=fact.action_hash,
        same_action=fact.same_action,
        preconditions=preconditions_json(fact.preconditions),
        expires_at=fact.expires_at,
        policy=None,
        redeem_by=None,
        execution_id=None,
        deadline_at=None,
        result=None,
    )
