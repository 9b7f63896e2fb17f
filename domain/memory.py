"""Claims: what is remembered about a subject, with sources, and what replaced or ended it.

A claim is about one attribute of one subject. Only an explicit supersession replaces it, and the
successor keeps subject and attribute, so that unrelated claims never retire each other and the
same thing said of two periods stays two claims.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar, Literal, NamedTuple, Self, assert_never, cast

from pydantic import Field, JsonValue, model_validator

from workindex.domain.errors import CommandRefused
from workindex.domain.facts import (
    At,
    Command,
    Concept,
    Entity,
    Event,
    Fact,
    Id,
    Sensitivity,
    Text,
    World,
)

Confidence = Annotated[float, Field(ge=0, le=1)]
Sources = Annotated[tuple[Id, ...], Field(max_length=100)]
ClaimStatus = Literal["current", "superseded", "withdrawn"]


class ClaimFact(Fact):
    """A fact about one claim."""

    claim_id: Id

    @property
    def stream(self) -> str:
        return f"claim/{self.claim_id}"


class ClaimRecorded(ClaimFact):
    """Something is held true of a subject; `version` counts along a line of supersessions."""

    type: Literal["claim_recorded"] = "claim_recorded"
    subject: Id
    attribute: Id
    value: JsonValue
    version: Annotated[int, Field(ge=1)] = 1
    confidence: Confidence | None = None
    sensitivity: Sensitivity = "normal"
    sources: Sources = ()
    valid_from: At | None = None
    expires_at: At | None = None
    supersedes: Id | None = None


class ClaimSuperseded(ClaimFact):
    """A newer claim of the same subject and attribute took this one's place."""

    type: Literal["claim_superseded"] = "claim_superseded"
    superseded_by: Id
    reason: Text | None = None


class ClaimWithdrawn(ClaimFact):
    """The claim does not hold, or must not be remembered."""

    type: Literal["claim_withdrawn"] = "claim_withdrawn"
    reason: Text | None = None


class _WithPeriod(Command):
    valid_from: At | None = None
    expires_at: At | None = None

    @model_validator(mode="after")
    def _period_is_not_empty(self) -> Self:
        start, end = self.valid_from, self.expires_at
        if start is not None and end is not None and end <= start:
            raise ValueError("expires_at must lie after valid_from")
        return self


class RecordClaim(_WithPeriod):
    """Remember something; the same attribute of another period is another claim."""

    type: Literal["record_claim"] = "record_claim"
    new_ids: ClassVar[tuple[str, ...]] = ("claim_id",)
    claim_id: Id | None = None
    subject: Id
    attribute: Id
    value: JsonValue
    confidence: Confidence | None = None
    sensitivity: Sensitivity = "normal"
    sources: Sources = ()

    @property
    def stream(self) -> str:
        return f"claim/{self.claim_id}"

    @property
    def is_blind(self) -> bool:
        return True


class SupersedeClaim(_WithPeriod):
    """Replace a current claim; what is left out (sensitivity) is taken from the old one."""

    type: Literal["supersede_claim"] = "supersede_claim"
    new_ids: ClassVar[tuple[str, ...]] = ("new_claim_id",)
    claim_id: Id
    new_claim_id: Id | None = None
    value: JsonValue
    confidence: Confidence | None = None
    sensitivity: Sensitivity | None = None
    sources: Sources = ()
    reason: Text | None = None

    @property
    def stream(self) -> str:
        return f"claim/{self.claim_id}"

    def reads(self, world: World) -> tuple[str, ...]:
        return (self.stream, f"claim/{self.new_claim_id}")


class WithdrawClaim(Command):
    """Take a claim back; its value is no longer shown anywhere."""

    type: Literal["withdraw_claim"] = "withdraw_claim"
    claim_id: Id
    reason: Text | None = None

    @property
    def stream(self) -> str:
        return f"claim/{self.claim_id}"


AnyClaimFact = ClaimRecorded | ClaimSuperseded | ClaimWithdrawn
AnyClaimCommand = RecordClaim | SupersedeClaim | WithdrawClaim


class ClaimState(NamedTuple):
    """What decisions need of a claim."""

    subject: str
    attribute: str
    status: ClaimStatus
    version: int
    sensitivity: str
    superseded_by: str | None


def evolve(state: ClaimState | None, event: Event) -> ClaimState | None:
    """The claim after one more event."""
    fact = cast(AnyClaimFact, event.fact)
    if isinstance(fact, ClaimRecorded):
        return ClaimState(
            fact.subject, fact.attribute, "current", fact.version, fact.sensitivity, None
        )
    assert state is not None, fact
    match fact:
        case ClaimSuperseded():
            return state._replace(status="superseded", superseded_by=fact.superseded_by)
        case ClaimWithdrawn():
            return state._replace(status="withdrawn")
        case _:
            assert_never(fact)


def decide(world: World, command: AnyClaimCommand, now: datetime) -> list[Fact]:
    """Facts for a command about claims."""
    match command:
        case RecordClaim():
            return _record(world, command)
        case SupersedeClaim():
            return _supersede(world, command)
        case WithdrawClaim(claim_id=claim_id):
            if _known(world, claim_id).status == "withdrawn":
                return []
            return [ClaimWithdrawn(claim_id=claim_id, reason=command.reason)]
        case _:
            assert_never(command)


def _record(world: World, command: RecordClaim) -> list[Fact]:
    _refuse_taken(world, command.claim_id, "claim_id")
    return [ClaimRecorded(**command.model_dump(exclude={"type"}))]


def _supersede(world: World, command: SupersedeClaim) -> list[Fact]:
    old = _known(world, command.claim_id)
    if old.status != "current":
        now_current = f" (by {old.superseded_by})" if old.superseded_by else ""
        raise CommandRefused(
            "claim_not_current",
            f"claim {command.claim_id!r} is {old.status}{now_current}: only a current claim can be "
            "superseded; read the current one and decide anew",
            field="claim_id",
        )
    _refuse_taken(world, command.new_claim_id, "new_claim_id")
    assert command.new_claim_id is not None
    recorded = ClaimRecorded(
        claim_id=command.new_claim_id,
        subject=old.subject,
        attribute=old.attribute,
        value=command.value,
        version=old.version + 1,
        confidence=command.confidence,
        sensitivity=command.sensitivity or cast(Sensitivity, old.sensitivity),
        sources=command.sources,
        valid_from=command.valid_from,
        expires_at=command.expires_at,
        supersedes=command.claim_id,
    )
    superseded = ClaimSuperseded(
        claim_id=command.claim_id, superseded_by=command.new_claim_id, reason=command.reason
    )
    return [superseded, recorded]


def _known(world: World, claim_id: str) -> ClaimState:
    state = world.get(f"claim/{claim_id}", ClaimState)
    if state is None:
        raise CommandRefused(
            "unknown_claim", f"there is no claim {claim_id!r}: record it first", field="claim_id"
        )
    return state


def _refuse_taken(world: World, claim_id: str | None, field: str) -> None:
    state = world.get(f"claim/{claim_id}", ClaimState)
    if state is not None:
        raise CommandRefused(
            "claim_exists",
            f"claim {claim_id!r} exists and is {state.status}: choose another id, or replace it "
            "with supersede_claim",
            field=field,
        )


MEMORY = Concept(
    "memory",
    facts=(ClaimRecorded, ClaimSuperseded, ClaimWithdrawn),
    commands=(RecordClaim, SupersedeClaim, WithdrawClaim),
    entities=(Entity("claim", ClaimState, evolve),),
    decide=decide,
)
