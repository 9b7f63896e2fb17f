"""What was said and stored that the request is about: found by words, told as references and parts.

Evidence is never state: what it does not find is not absent from the world, and the manifest says
what was searched. A transcript is read for the meeting in scope alone, by ranges of turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from workindex.assembler.beside import hidden
from workindex.assembler.envelope import ContextItem, Omission, Retrieval, ToolCall
from workindex.assembler.offers import Offer, Stage
from workindex.assembler.ranking import Corpus, words
from workindex.assembler.sensitivity import level, up_to
from workindex.domain.facts import Sensitivity
from workindex.eventlog.transcripts import Turn
from workindex.projections.artifacts import ArtifactRow
from workindex.projections.search import QUERY_CHARS_MAX, Filters, Hit
from workindex.projections.snapshot import Snapshot

HITS_MAX: Final = 100
OFFERED_MAX: Final = 10
PASSAGES_MAX: Final = 5
TURNS_MAX: Final = 5_000
# A passage is a turn with what was said around it.
AROUND: Final = 3
WORDS_MIN: Final = 2


def found_by_words(
    snapshot: Snapshot, text: str, *, now: datetime, sensitivity_max: Sensitivity
) -> Stage:
    """Messages and artifacts that hold the request's words, the best of them first."""
    query = " ".join(text.replace("\0", " ").split())[:QUERY_CHARS_MAX]
    if len(set(words(query))) < WORDS_MIN:
        return Stage()
    filters = Filters(kinds=("message", "artifact"), sensitivity=up_to(sensitivity_max))
    hits = snapshot.search(query, filters, limit=HITS_MAX, now=now)
    ranked, twins = _told_once(_reranked(query, hits))
    retrieval = Retrieval(
        query=query,
        filters={"kinds": list(filters.kinds), "sensitivity": list(filters.sensitivity)},
        hits=len(hits),
        retried="any of the words" if hits.is_retry else None,
    )
    recover = ToolCall(name="get_context", arguments={"type": "message", "query": query[:200]})
    left = tuple(
        Omission(
            lane="evidence",
            source_id=_source_id(hit),
            reason=f"not among the best {OFFERED_MAX}",
            recover_with=recover,
        )
        for hit in ranked[OFFERED_MAX:]
    )
    left += twins
    degraded: tuple[str, ...] = ()
    if hits.unsearched is not None:
        degraded = (f"evidence: {hits.unsearched}",)
    offers = tuple(_offer(hit, -place, recover) for place, hit in enumerate(ranked[:OFFERED_MAX]))
    return Stage(offers=offers, left=left, retrieval=(retrieval,), degraded=degraded)


def _reranked(query: str, hits: Sequence[Hit]) -> list[Hit]:
    """Exact ids first, then by the words that are rare among what was found."""
    scores = Corpus([hit.text for hit in hits]).scores(query)
    order = sorted(
        range(len(hits)), key=lambda at: (not hits[at].is_exact, -scores[at], -hits[at].rank, at)
    )
    return [hits[at] for at in order]


def _told_once(hits: Sequence[Hit]) -> tuple[list[Hit], tuple[Omission, ...]]:
    """The first of the hits with the same text, and the others as duplicates of it."""
    first: dict[str, Hit] = {}
    twins = []
    for hit in hits:
        known = first.setdefault(_said(hit.text), hit)
        if known is not hit:
            twins.append(_duplicate(_source_id(hit), _source_id(known)))
    return list(first.values()), tuple(twins)


def _said(text: str) -> str:
    """What two texts have alike that say the same."""
    return " ".join(text.casefold().split())


def _duplicate(source_id: str, of: str) -> Omission:
    return Omission(lane="evidence", source_id=source_id, reason=f"duplicate of {of}")


def _source_id(hit: Hit) -> str:
    """Of a document of several: which one, unless it is the first of a message."""
    whole = f"{hit.source_kind}:{hit.source_id}"
    is_first = hit.source_kind == "message" and not hit.segment
    return whole if is_first else f"{whole}#{hit.segment}"


def _offer(hit: Hit, rank: float, recover: ToolCall) -> Offer:
    is_message = hit.source_kind == "message"
    item = ContextItem(
        source_type="message" if is_message else "artifact",
        source_id=_source_id(hit),
        authority="user_claim" if is_message else "derived",
        authority_rank=5 if is_message else 4,
        observed_at=hit.occurred_at,
        expires_at=hit.expires_at,
        sensitivity=level(hit.sensitivity),
        priority=4,
        admission_reason="it holds words of the request",
        content={"text": hit.text, **({"role": hit.role} if hit.role else {})},
    )
    smaller = item.model_copy(update={"content": {"ref": item.source_id, "text": hit.text[:120]}})
    same_as = f"message:{hit.source_id}" if is_message else None
    return Offer(
        "evidence", item, "auto_candidate", "evidence", rank, None, smaller, recover, same_as
    )


def passages(
    snapshot: Snapshot,
    transcripts: Sequence[ArtifactRow],
    text: str,
    *,
    sensitivity_max: Sensitivity,
) -> Stage:
    """The parts of a meeting's transcripts that answer the request best, by ranges of turns."""
    offers: list[Offer] = []
    left: list[Omission] = []
    retrieval: list[Retrieval] = []
    told: dict[str, str] = {}
    for row in transcripts:
        source_id = f"artifact:{row.artifact_id}"
        if reason := hidden(row, sensitivity_max):
            left.append(Omission(lane="evidence", source_id=source_id, reason=reason))
            continue
        own: dict[str, str] = {}  # within one transcript the same may be said twice
        turns = snapshot.turns(row, 0, TURNS_MAX - 1)
        places = _corpus(_Transcript(row.sha256, turns)).best_turns(text, PASSAGES_MAX)
        retrieval.append(
            Retrieval(query=text[:200], filters={"artifact": row.artifact_id}, hits=len(places))
        )
        for rank, place in enumerate(places):
            offer = _passage(row, turns, place, -float(rank))
            by_other = told.get(said := _said(turns[place].text))
            if by_other is None:
                offers.append(offer)
            else:
                left.append(_duplicate(offer.item.source_id, by_other))
            own[said] = offer.item.source_id
        told = own | told
    return Stage(offers=tuple(offers), left=tuple(left), retrieval=tuple(retrieval))


@dataclass(frozen=True)
class _Transcript:
    """A transcript never changes under its hash, which stands for it."""

    sha256: str
    turns: Sequence[Turn] = field(compare=False)


@lru_cache(maxsize=32)
def _corpus(transcript: _Transcript) -> Corpus:
    """Prepared once a transcript."""
    return Corpus([f"{turn.speaker} {turn.text}" for turn in transcript.turns])


def _passage(row: ArtifactRow, turns: Sequence[Turn], place: int, rank: float) -> Offer:
    some = turns[max(0, place - AROUND) : place + AROUND + 1]
    first, last = some[0].number, some[-1].number
    ref = f"artifact:{row.artifact_id}"
    content: dict[str, Any] = {
        "turns": [{"n": turn.number, "speaker": turn.speaker, "text": turn.text} for turn in some]
    }
    item = ContextItem(
        source_type="artifact",
        source_id=f"{ref}#turns={first}-{last}",
        authority="canonical",
        authority_rank=3,
        observed_at=row.stored_at,
        sensitivity=level(row.sensitivity),
        priority=4,
        admission_reason="a part of the meeting's transcript about the request",
        content=content,
    )
    recover = ToolCall(
        name="resolve",
        arguments={"ref": ref, "selector": f"turns={first}-{last}", "max_tokens": 2_000},
    )
    smaller = item.model_copy(update={"content": {"ref": ref, "turns": [first, last]}})
    return Offer("evidence", item, "auto_candidate", "evidence", rank, None, smaller, recover, None)
