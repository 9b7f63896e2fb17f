"""Memory: typed claims about a subject, linked to their sources."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple, assert_never, cast

from workindex.domain.facts import Event
from workindex.domain.memory import AnyClaimFact, ClaimRecorded, ClaimSuperseded, ClaimWithdrawn
from workindex.projections.table import Table


class ClaimRow(NamedTuple):
    """One claim; `status` is current, superseded or withdrawn (its value is then gone)."""

    claim_id: str
    subject: str
    attribute: str
    value: Any
    status: str
    version: int
    confidence: float | None
    sensitivity: str
    sources: list[str]
    valid_from_at: datetime | None
    expires_at: datetime | None
    supersedes: str | None
    superseded_by: str | None
    reason: str | None
    recorded_at: datetime
    ended_at: datetime | None


def fold_claim(row: ClaimRow | None, event: Event) -> ClaimRow | None:
    """The row of one claim after one more event."""
    fact = cast(AnyClaimFact, event.fact)
    if isinstance(fact, ClaimRecorded):
        return _recorded(fact, event)
    assert row is not None, fact
    match fact:
        case ClaimSuperseded(superseded_by=successor, reason=reason):
            return row._replace(
                status="superseded",
                superseded_by=successor,
                reason=reason,
                ended_at=event.occurred_at,
            )
        case ClaimWithdrawn(reason=reason):
            return row._replace(
                status="withdrawn", value=None, reason=reason, ended_at=event.occurred_at
            )
        case _:
            assert_never(fact)


def _recorded(fact: ClaimRecorded, event: Event) -> ClaimRow:
    return ClaimRow(
        claim_id=fact.claim_id,
        subject=fact.subject,
        attribute=fact.attribute,
        value=fact.value,
        status="current",
        version=fact.version,
        confidence=fact.confidence,
        sensitivity=fact.sensitivity,
        sources=list(fact.sources),
        valid_from_at=fact.valid_from,
        expires_at=fact.expires_at,
        supersedes=fact.supersedes,
        superseded_by=None,
        reason=None,
        recorded_at=event.recorded_at,
        ended_at=None,
    )


CLAIM = Table(
    "claim",
    kind="claim",
    member="memory",
    row=ClaimRow,
    fold=fold_claim,
    indexes=(("subject", "attribute"),),
)
TABLES = (CLAIM,)
