"""What can be wished of an approval: the imperative twin of each fact.

Only a person (user or approver, set by the runtime) grants, denies, withdraws and consents, and
none of these commands belongs into a schema that a model sees.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from workindex.domain.approval_facts import (
    PolicyAnswer,
    PolicyDecision,
    Preconditions,
    ReasonCode,
    Sha256,
    denial_ref,
)
from workindex.domain.canonical import same_action
from workindex.domain.facts import PEOPLE, At, Command, Id, Json, Text, Title, World


class RequestApproval(Command):
    """Ask a person to allow one exact action once.

    Normalise the arguments before: what is stored is what is shown and executed, and no command
    changes it. `requester` is the actor's id where it is left out. A repeated request of an
    action that was denied in the same task is refused unless the user says `reopen`.
    """

    type: Literal["request_approval"] = "request_approval"
    new_ids = ("approval_id",)
    approval_id: Id | None = None
    title: Title
    task_id: Id | None = None
    tool: Id
    tool_schema_sha256: Sha256 | None = None
    arguments: Json
    target: Title | None = None
    account: Title | None = None
    requester: Id | None = None
    expires_at: At
    preconditions: Preconditions = ()
    reopen: bool = False

    @property
    def stream(self) -> str:
        return f"approval/{self.approval_id}"

    def reads(self, world: World) -> Iterable[str]:
        task = () if self.task_id is None else (f"task/{self.task_id}",)
        return (self.stream, denial_ref(self.same_action, self.task_id), *task)

    @property
    def same_action(self) -> str:
        """The hash under which a denial of this action is remembered."""
        return same_action(self.tool, self.arguments, self.target, self.account)


class ApprovalCommand(Command):
    """A command about an approval that exists."""

    approval_id: Id

    @property
    def stream(self) -> str:
        return f"approval/{self.approval_id}"


class DecidePolicy(ApprovalCommand):
    """Record what the policy says; a denial makes a request that waits moot."""

    type: Literal["decide_policy"] = "decide_policy"
    decision: PolicyAnswer
    policy_id: Id
    reason: Text | None = None


class GrantApproval(ApprovalCommand):
    """Allow the action with this hash once, until `redeem_by` (else until it expires).

    The hash stands in the fact of the request and in the approval's row, beside the stored action
    that the person was shown.
    """

    type: Literal["grant_approval"] = "grant_approval"
    allowed_actors = PEOPLE
    is_due_now = True
    action_hash: Sha256
    redeem_by: At | None = None


class DenyApproval(ApprovalCommand):
    """Refuse the action; `action_hash`, where given, must be the one that was asked."""

    type: Literal["deny_approval"] = "deny_approval"
    allowed_actors = PEOPLE
    action_hash: Sha256 | None = None
    reason: Text | None = None


class ExpireApproval(ApprovalCommand):
    """Record that nobody decided in time; refused before `expires_at`."""

    type: Literal["expire_approval"] = "expire_approval"


class LapseGrant(ApprovalCommand):
    """Record that a grant was not used in time; refused before `redeem_by`."""

    type: Literal["lapse_grant"] = "lapse_grant"


class WithdrawApproval(ApprovalCommand):
    """Take back a request or a grant that is not used yet."""

    type: Literal["withdraw_approval"] = "withdraw_approval"
    allowed_actors = PEOPLE
    reason_code: ReasonCode = "withdrawn_by_user"
    reason: Text | None = None


class MootApproval(ApprovalCommand):
    """Say that a request or an unused grant lost its point (`superseded`, ...)."""

    type: Literal["moot_approval"] = "moot_approval"
    reason_code: ReasonCode
    reason: Text | None = None


class StartExecution(ApprovalCommand):
    """Use the grant up and send the stored action to its tool.

    `policy` is the policy's answer now, `preconditions` the versions observed now. Give the tool
    the row's `action` and `idempotency_key`; the key is the action's hash where it is left out.
    """

    type: Literal["start_execution"] = "start_execution"
    new_ids = ("execution_id",)
    is_due_now = True
    execution_id: Id | None = None
    action_hash: Sha256
    deadline_at: At
    policy: PolicyDecision
    idempotency_key: Id | None = None
    preconditions: Preconditions = ()
    tool_schema_sha256: Sha256 | None = None

    def reads(self, world: World) -> Iterable[str]:
        known = world.states.get(self.stream)
        task = () if known is None or known.task_id is None else (f"task/{known.task_id}",)
        return (self.stream, *task)


class SucceedExecution(ApprovalCommand):
    """Record that the tool did it, also after the outcome was unknown."""

    type: Literal["succeed_execution"] = "succeed_execution"
    execution_id: Id
    result: Json | None = None


class FailExecution(ApprovalCommand):
    """Record that the tool did not do it, also after the outcome was unknown."""

    type: Literal["fail_execution"] = "fail_execution"
    execution_id: Id
    reason_code: ReasonCode = "execution_failed"
    error: Text | None = None
    result: Json | None = None


class MarkExecutionOutcomeUnknown(ApprovalCommand):
    """Record that nobody knows whether the tool did it."""

    type: Literal["mark_execution_outcome_unknown"] = "mark_execution_outcome_unknown"
    execution_id: Id
    reason_code: ReasonCode = "no_result"
    reason: Text | None = None


class ConsentCommand(Command):
    """A command about one consent of the user."""

    allowed_actors = PEOPLE
    consent: Id

    @property
    def stream(self) -> str:
        return "user"

    def reads(self, world: World) -> Iterable[str]:
        return ("user/me",)


class GiveConsent(ConsentCommand):
    """Agree to something lasting; given again, the new terms replace the old."""

    type: Literal["give_consent"] = "give_consent"
    scope: Text
    expires_at: At | None = None
    details: Json | None = None


class WithdrawConsent(ConsentCommand):
    """Take a consent back."""

    type: Literal["withdraw_consent"] = "withdraw_consent"
    reason: Text | None = None
