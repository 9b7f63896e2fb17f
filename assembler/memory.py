"""What is claimed about the things of this turn: current, unexpired, and never against a row.

A claim is what somebody said or an extractor found, with its sources; withdrawn and superseded
ones are never admitted. Where a claim names a record and one of its columns, the row wins and the
claim travels beside it as superseded.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from workindex.assembler.envelope import Conflict, ContextItem, Omission, ToolCall
from workindex.assembler.offers import Offer, Stage
from workindex.assembler.ranking import words
from workindex.assembler.sensitivity import TOO_SENSITIVE, hides, level
from workindex.domain.facts import Sensitivity, utc
from workindex.projections.memory import ClaimRow

CLAIMS_MAX: Final = 400


def claims_stage(
    claims: Sequence[ClaimRow],
    text: str,
    records: Sequence[tuple[str, Any]],
    *,
    now: datetime,
    sensitivity_max: Sensitivity,
) -> Stage:
    """The claims that share a word with the request or name a record in scope.

    `records` are (kind, row) in scope.
    """
    offers: list[Offer] = []
    left: list[Omission] = []
    conflicts: list[Conflict] = []
    asked = set(words(text))
    by_name = {name: (kind, row) for kind, row in records for name in (row[0], f"{kind}/{row[0]}")}
    for claim in claims:
        record = by_name.get(claim.subject)
        shared = len(asked & set(words(f"{claim.subject} {claim.attribute} {claim.value}")))
        if record is None and not shared:
            continue
        source_id = f"claim:{claim.claim_id}"
        if reason := _unfit(claim, now, sensitivity_max):
            left.append(Omission(lane="evidence", source_id=source_id, reason=reason))
            continue
        if record is not None and (found := _conflict(claim, *record)) is not None:
            conflicts.append(found)
            left.append(
                Omission(lane="evidence", source_id=source_id, reason="a row says otherwise")
            )
            continue
        offers.append(_offer(claim, shared + (record is not None)))
    return Stage(offers=tuple(offers), left=tuple(left), conflicts=tuple(conflicts))


def _unfit(claim: ClaimRow, now: datetime, sensitivity_max: Sensitivity) -> str | None:
    if claim.status != "current":
        return claim.status
    if claim.expires_at is not None and claim.expires_at <= now:
        return "expired"
    if claim.valid_from_at is not None and claim.valid_from_at > now:
        return "not valid yet"
    return TOO_SENSITIVE if hides(claim.sensitivity, sensitivity_max) else None


def _conflict(claim: ClaimRow, kind: str, row: Any) -> Conflict | None:
    """The row's own value where the claim says another one of the same column."""
    fields = row._asdict()
    if claim.attribute not in fields:
        return None
    value = fields[claim.attribute]
    plain = utc(value) if isinstance(value, datetime) else value
    if plain == claim.value:
        return None
    return Conflict(
        subject=f"{kind}/{row[0]}",
        attribute=claim.attribute,
        winner=f"{kind}:{row[0]}",
        winner_value=plain,
        superseded=f"claim:{claim.claim_id}",
        superseded_value=claim.value,
        reason="a row outweighs a claim, whichever is newer",
    )


def _offer(claim: ClaimRow, rank: float) -> Offer:
    item = ContextItem(
        source_type="memory",
        source_id=f"claim:{claim.claim_id}",
        authority="derived",
        authority_rank=4,
        observed_at=claim.recorded_at,
        expires_at=claim.expires_at,
        sensitivity=level(claim.sensitivity),
        priority=4,
        admission_reason="a claim about what the request names",
        content={
            "subject": claim.subject,
            "attribute": claim.attribute,
            "value": claim.value,
            "confidence": claim.confidence,
            "version": claim.version,
            "sources": list(claim.sources),
        },
    )
    recover = ToolCall(name="get_context", arguments={"type": "claim", "ids": [claim.claim_id]})
    same_as = f"claim:{claim.subject}:{claim.attribute}:{claim.value!r}"
    return Offer(
        "evidence", item, "route_match", "evidence", rank, recover_with=recover, same_as=same_as
    )
