"""What is claimed about the things of this turn: current, unexpired, and never against a row.

A claim is what somebody said or an extractor found, with its sources; withdrawn and superseded
ones are never admitted, nor what rests on a message that is gone. Where a claim names a record and
one of its columns, the row wins and the claim travels beside it as superseded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from pydantic import JsonValue

from workindex.assembler.beside import hidden as hidden_artifact
from workindex.assembler.envelope import Conflict, ContextItem, Omission, ToolCall
from workindex.assembler.evidence import query_of
from workindex.assembler.history import hidden as hidden_message
from workindex.assembler.offers import Offer, Stage
from workindex.assembler.ranking import words
from workindex.assembler.sensitivity import TOO_SENSITIVE, hides, level, up_to
from workindex.domain.facts import Sensitivity, utc
from workindex.projections.memory import ClaimRow
from workindex.projections.search import Filters
from workindex.projections.snapshot import Find, Snapshot

CLAIMS_MAX: Final = 400
OLDER_MAX: Final = 40

# Why some of the claims are not told here, by their ids.
AlsoUnfit = Callable[[Sequence[ClaimRow]], Mapping[str, str]]
Shown = Callable[[str, Sequence[Any]], Sequence[Any]]
NOT_SEEN: Final = "the caller may not see it"

_WHY_HIDDEN: Final[Mapping[str, Callable[[Any, Sensitivity], str | None]]] = {
    "message": hidden_message,
    "artifact": hidden_artifact,
}
_A: Final = {"message": "a message", "artifact": "an artifact"}


def claims_stage(
    claims: Sequence[ClaimRow],
    text: str,
    records: Sequence[tuple[str, Any]],
    *,
    now: datetime,
    sensitivity_max: Sensitivity,
    also_unfit: AlsoUnfit,
) -> Stage:
    """The claims that share a word with the request or name a record in scope.

    `records` are (kind, row) in scope; `also_unfit` is asked once, for all that are related.
    """
    offers: list[Offer] = []
    left: list[Omission] = []
    conflicts: list[Conflict] = []
    asked = set(words(text))
    by_name = {name: (kind, row) for kind, row in records for name in (row[0], f"{kind}/{row[0]}")}
    related: list[tuple[ClaimRow, int]] = []
    for claim in claims:
        shared = len(asked & set(words(f"{claim.subject} {claim.attribute} {claim.value}")))
        if shared or claim.subject in by_name:
            related.append((claim, shared))
    reasons = also_unfit([claim for claim, _ in related])
    for claim, shared in related:
        record = by_name.get(claim.subject)
        source_id = f"claim:{claim.claim_id}"
        if reason := _unfit(claim, now, sensitivity_max) or reasons.get(claim.claim_id):
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


def older_claims(
    snapshot: Snapshot, rows: Find, text: str, *, now: datetime, sensitivity_max: Sensitivity
) -> tuple[Sequence[ClaimRow], Stage]:
    """Of the claims behind the newest ones those that hold the request's words, and what is said
    of the others."""
    query = query_of(text)
    arguments: dict[str, JsonValue] = {"type": "claim", **({"query": query[:200]} if query else {})}
    left = Omission(
        lane="evidence",
        source_id="claims:older",
        reason=f"of claims older than the newest {CLAIMS_MAX} those with the request's words alone "
        "were looked for",
        recover_with=ToolCall(name="get_context", arguments=arguments),
    )
    if not query:
        return (), Stage(left=(left,))
    filters = Filters(kinds=("claim",), sensitivity=up_to(sensitivity_max))
    hits = snapshot.search(query, filters, limit=OLDER_MAX, now=now)
    degraded = () if hits.unsearched is None else (f"memory: {hits.unsearched}",)
    found = rows("claim", [hit.source_id for hit in hits])
    return found, Stage(left=(left,), degraded=degraded)


def rests_on_hidden(
    claims: Sequence[ClaimRow], rows: Find, sensitivity_max: Sensitivity, shown: Shown
) -> dict[str, str]:
    """Why claims are not told whose message or artifact may not be seen: it would be told in other
    words. A source is an id, or a kind with an id: M-1, message/M-1 or message:M-1.

    `rows` looks up what there is, `shown` leaves what the caller's policy shows of it.
    """
    found: dict[str, str] = {}
    for kind, why in _WHY_HIDDEN.items():
        ids = {claim.claim_id: [_bare(kind, one) for one in claim.sources] for claim in claims}
        named = rows(kind, [id_ for sources in ids.values() for id_ in sources])
        reasons = {row[0]: reason for row in named if (reason := why(row, sensitivity_max))}
        seen = {row[0] for row in shown(kind, named)}
        reasons |= {row[0]: NOT_SEEN for row in named if row[0] not in seen | reasons.keys()}
        for claim_id, sources in ids.items():
            for reason in (reasons[id_] for id_ in sources if id_ in reasons):
                found.setdefault(claim_id, f"rests on {_A[kind]}: {reason}")
    return found


def about_others(
    claims: Sequence[ClaimRow], kind: str, in_scope: Sequence[str], rows: Find
) -> dict[str, str]:
    """Why claims are not told that are about another record of the kind than those in scope."""
    subjects = {claim.claim_id: claim.subject.removeprefix(f"{kind}/") for claim in claims}
    others = {row[0] for row in rows(kind, list(subjects.values()))} - set(in_scope)
    return {id_: f"about another {kind}" for id_, one in subjects.items() if one in others}


def _bare(kind: str, source: str) -> str:
    return source.removeprefix(f"{kind}/").removeprefix(f"{kind}:")


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
    ends = {"valid_from": claim.valid_from_at, "valid_until": claim.expires_at}
    period = {name: utc(at) for name, at in ends.items() if at is not None}
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
            **period,
        },
    )
    recover = ToolCall(name="get_context", arguments={"type": "claim", "ids": [claim.claim_id]})
    same_as = f"claim:{claim.subject}:{claim.attribute}:{claim.value!r}:{period}"
    return Offer(
        "evidence", item, "route_match", "evidence", rank, recover_with=recover, same_as=same_as
    )
