"""What a turn is told about its own working set: where sources disagree, what could not be read.

Both are protected: an answer that does not know of them may be wrong without knowing it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from pydantic import JsonValue

from workindex.assembler.envelope import Conflict, ContextItem
from workindex.assembler.offers import Offer, Stage

# Of one attribute so many superseded values are told, and of more their number.
SUPERSEDED_MAX: Final = 5


def notices(conflicts: Sequence[Conflict], degraded: Sequence[str], now: datetime) -> Stage:
    """One item for each attribute that sources disagree about, one for all that is missing."""
    by_attribute: dict[tuple[str, str], list[Conflict]] = {}
    for one in conflicts:
        by_attribute.setdefault((one.subject, one.attribute), []).append(one)
    offers = [
        _offer(
            f"conflict:{subject}:{attribute}",
            _told(found),
            now,
            "sources disagree, the more authoritative one holds",
        )
        for (subject, attribute), found in by_attribute.items()
    ]
    if degraded:
        missing: JsonValue = list(dict.fromkeys(degraded))
        offers.append(
            _offer(
                "degraded:turn",
                {"could_not_be_read": missing},
                now,
                "what is missing because of this is not known to be absent",
            )
        )
    return Stage(offers=tuple(offers))


def _told(found: Sequence[Conflict]) -> JsonValue:
    first = found[0]
    superseded: list[JsonValue] = [
        {"from": one.superseded, "value": one.superseded_value, "reason": one.reason}
        for one in found[:SUPERSEDED_MAX]
    ]
    told: dict[str, JsonValue] = {
        "subject": first.subject,
        "attribute": first.attribute,
        "value": first.winner_value,
        "from": first.winner,
        "superseded": superseded,
    }
    if len(found) > SUPERSEDED_MAX:
        told["superseded_more"] = len(found) - SUPERSEDED_MAX
    return told


def _offer(source_id: str, content: JsonValue, now: datetime, reason: str) -> Offer:
    item = ContextItem(
        source_type="projection",
        source_id=source_id,
        authority="canonical",
        authority_rank=2,
        observed_at=now,
        priority=2,
        admission_reason=reason,
        content=content,
    )
    return Offer("state", item, "always", "state")
