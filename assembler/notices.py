"""What a turn is told about its own working set: where sources disagree, what could not be read,
and how much was left out.

The first two are protected: an answer that does not know of them may be wrong without knowing it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from pydantic import JsonValue

from workindex.assembler.envelope import Conflict, ContextItem, Omission
from workindex.assembler.offers import Offer, Stage

# Of one attribute so many superseded values are told, and of more their number.
SUPERSEDED_MAX: Final = 5
LEFT_OUT: Final = "left_out:turn"


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


def left_out(omissions: Iterable[Omission], now: datetime) -> Offer | None:
    """One item with the number of what each lane is without, and a call that brings some back.

    It is the call that most of them have; of calls that are each for one thing the last.
    """
    by_lane: dict[str, list[Omission]] = {}
    for one in omissions:
        if one.source_id != LEFT_OUT:
            by_lane.setdefault(one.lane, []).append(one)
    if not by_lane:
        return None
    told: dict[str, JsonValue] = {}
    for lane, found in by_lane.items():
        calls = [one.recover_with for one in found if one.recover_with is not None]
        names = [call.model_dump_json() for call in calls]
        often = Counter(names)
        told[lane] = {"count": len(found)}
        if calls:
            best = max(range(len(calls)), key=lambda at: (often[names[at]], at))
            told[lane] = {"count": len(found), "call": calls[best].model_dump(mode="json")}
    reason = "what is left out, and a call that brings some of it"
    offer = _offer(LEFT_OUT, told, now, reason)
    item = offer.item.model_copy(update={"priority": 3})
    return offer._replace(item=item, kind="notice")


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
