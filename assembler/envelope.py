"""What a turn is given: a request in, a working set out, with a reason for every token.

The shapes are a contract: `workindex schema envelope` exports them, a backend reads them. Nothing
here decides anything.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue, StringConstraints

from workindex.domain.facts import Frozen, Id, Sensitivity

Surface = Literal["main", "task", "meeting", "approval", "proactive"]
Lane = Literal["policy", "schema", "request", "tools", "state", "history", "evidence", "overhead"]
SourceType = Literal["projection", "event", "artifact", "memory", "message"]
Authority = Literal["live", "canonical", "derived", "user_claim"]
Priority = Literal[0, 1, 2, 3, 4]
LoadMode = Literal[
    "always", "route_match", "auto_candidate", "explicit", "reference", "compacted", "isolated"
]
State = Literal["discoverable", "selected", "loaded"]

LANES: tuple[Lane, ...] = (
    "policy",
    "schema",
    "tools",
    "state",
    "history",
    "evidence",
    "request",
    "overhead",
)


class Attachment(Frozen):
    """Something that came with the message: an artifact, or a file that is not stored yet."""

    artifact_id: Id | None = None
    name: Annotated[str, StringConstraints(max_length=500)] | None = None
    media_type: Annotated[str, StringConstraints(max_length=200)] | None = None
    size_bytes: Annotated[int, Field(ge=0, lt=2**63)] | None = None


class UserRequest(Frozen):
    """What the user sent, and what the caller knows about where."""

    text: str
    surface: Surface = "main"
    thread_id: Id | None = None
    message_id: Id | None = None
    reply_to: Id | None = None
    entity_ids: tuple[Id, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    task_id: Id | None = None
    meeting_id: Id | None = None
    approval_id: Id | None = None
    locale: Annotated[str, StringConstraints(max_length=100)] | None = None
    tz: str | None = None
    now: datetime | None = None


class Scope(Frozen):
    """Whose turn it is, where, and about which exact records."""

    user_id: Id
    thread_id: Id | None = None
    surface: Surface = "main"
    task_id: Id | None = None
    meeting_id: Id | None = None
    approval_id: Id | None = None


class ToolCall(Frozen):
    """A call that fetches what is not there."""

    name: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


class ContextItem(Frozen):
    """One thing that the model sees. `content` is data, never an instruction.

    `authority_rank`: 1 live provider state or the exact approval record, 2 a projection's row,
    3 a raw event, 4 a retrieved memory, 5 a claim of a chat or a generated summary.
    `token_estimate` counts the item as it is rendered, its wrapper included.
    """

    source_type: SourceType
    source_id: str
    authority: Authority
    authority_rank: Annotated[int, Field(ge=1, le=5)]
    observed_at: datetime
    expires_at: datetime | None = None
    sensitivity: Sensitivity = "normal"
    priority: Priority
    token_estimate: Annotated[int, Field(ge=0)] = 0
    admission_reason: str
    content: JsonValue


class Budget(Frozen):
    """What the working set costs; the lanes add up exactly to `used`."""

    target: int
    limit: int
    used: int
    by_lane: dict[Lane, int]
    counter: str
    budget_reason: str | None = None


class Omission(Frozen):
    """Something that was left out, why, and the call that brings it back."""

    lane: Lane
    source_id: str
    reason: str
    recover_with: ToolCall | None = None


class Conflict(Frozen):
    """Two sources that disagree about one attribute: the winner, and what it supersedes."""

    subject: str
    attribute: str
    winner: str
    winner_value: JsonValue
    superseded: str
    superseded_value: JsonValue
    reason: str


class Candidate(Frozen):
    """What became of one thing that could have been in the working set."""

    source_id: str
    lane: Lane
    state: State
    load_mode: LoadMode
    decision: Literal["admitted", "omitted"]
    reason: str
    tokens: int
    observed_at: datetime | None = None
    authority: Authority | None = None


class Retrieval(Frozen):
    """One search for evidence; `retried` says how it was widened, if it was."""

    query: str
    filters: dict[str, JsonValue]
    hits: int
    retried: str | None = None


class OverLimit(Frozen):
    """Why a working set is larger than the policy's usual limit."""

    reason: str
    bucket: str


class Manifest(Frozen):
    """Every candidate exactly once, what was searched, and what it cost.

    `prefix_sha256` is that of the envelope's prefix in UTF-8, as 64 hexadecimal digits: it changes
    with the policy's version or a schema, and with nothing else.
    """

    candidates: tuple[Candidate, ...]
    retrieval: tuple[Retrieval, ...] = ()
    active_tool_groups: tuple[str, ...] = ()
    tokens_by_component: dict[str, int] = Field(default_factory=dict)
    latency_ms: dict[str, float] = Field(default_factory=dict)
    degraded: tuple[str, ...] = ()
    over_limit: OverLimit | None = None
    prefix_sha256: str = ""


class ContextEnvelope(Frozen):
    """The working set of one turn.

    `prefix` is the text that is the same in every turn of this policy with these schemas: the
    policy's core, the schemas of the core tools and of the answer; `tools` are the index and the
    loaded schemas. `rendering.working_set_text` is the whole as it was counted. `proof` is
    {verdict, reasons, certificate} of what needs the user, as of the one position at which all of
    the current state was read.
    """

    request: UserRequest
    scope: Scope
    policy_version: str
    prefix: str
    tools: tuple[ContextItem, ...]
    current_state: tuple[ContextItem, ...]
    recent_history: tuple[ContextItem, ...]
    retrieved_evidence: tuple[ContextItem, ...]
    active_tool_groups: tuple[str, ...]
    budget: Budget
    omissions: tuple[Omission, ...]
    conflicts: tuple[Conflict, ...]
    proof: dict[str, Any]
    manifest: Manifest

    @property
    def lanes(self) -> dict[Lane, tuple[ContextItem, ...]]:
        """All items by their lane, in the order in which the model is given them."""
        return {
            "tools": self.tools,
            "state": self.current_state,
            "history": self.recent_history,
            "evidence": self.retrieved_evidence,
        }
