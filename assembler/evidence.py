"""What was said and stored that the request is about: found by words, told as references and parts.

Evidence is never state: what it does not find is not absent from the world, and the manifest says
what was searched. A transcript is read for the meeting in scope alone, by ranges of turns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from pydantic import JsonValue

from workindex.assembler.beside import hidden
from workindex.assembler.envelope import ContextItem, Omission, Retrieval, ToolCall
from workindex.assembler.offers import Offer, Stage, joined
from workindex.assembler.ranking import Corpus, words
from workindex.assembler.sensitivity import level, up_to
from workindex.domain.facts import Sensitivity
from workindex.eventlog.transcripts import TURNS_PER_PART, Turn, turns_per_part
from workindex.projections.artifacts import ArtifactRow
from workindex.projections.search import QUERY_CHARS_MAX, Filters, Hit, Hits
from workindex.projections.snapshot import Snapshot

HITS_MAX: Final = 100
OFFERED_MAX: Final = 10
PASSAGES_MAX: Final = 5
TURNS_MAX: Final = 5_000
FURTHER_MAX: Final = 2  # passages from behind the first turns
# A passage is a turn with what was said around it.
AROUND: Final = 3
WORDS_MIN: Final = 2


def query_of(text: str, words_min: int = WORDS_MIN) -> str:
    """The text as it is searched for; empty where it has too few words of its own."""
    query = " ".join(text.replace("\0", " ").split())[:QUERY_CHARS_MAX]
    return query if len(set(words(query))) >= words_min else ""


def found_by_words(
    snapshot: Snapshot,
    text: str,
    *,
    now: datetime,
    sensitivity_max: Sensitivity,
    latest_id: str | None = None,
    told: Callable[[], Sequence[str]] = tuple,
) -> Stage:
    """Messages and artifacts that hold the request's words, the best of them first.

    `latest_id` is the message that is answered: it stands in the request and nowhere else. `told`
    are ids of messages that the turn looks at anyhow: those need not have been searched.
    """
    query = query_of(text)
    if not query:
        return Stage()
    filters = Filters(kinds=("message", "artifact"), sensitivity=up_to(sensitivity_max))
    hits = snapshot.search(query, filters, limit=HITS_MAX, now=now)
    hits = hits.only(lambda hit: (hit.source_kind, hit.source_id) != ("message", latest_id))
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
    left += (*_copies(hits), *twins)
    degraded: tuple[str, ...] = ()
    if hits.unsearched is not None:
        hits = hits.apart_from([f"message/{id_}" for id_ in (latest_id, *told())])
    if hits.unsearched is not None:
        degraded = (f"evidence: {hits.unsearched}",)
    offers = tuple(_offer(hit, -place, recover) for place, hit in enumerate(ranked[:OFFERED_MAX]))
    if not hits and not degraded:
        offers = (_miss("request", "messages and artifacts", now, recover),)
    return Stage(offers=offers, left=left, retrieval=(retrieval,), degraded=degraded)


def _miss(id_: str, where: str, now: datetime, recover: ToolCall) -> Offer:
    """That the request's words were searched for and not found, and where; never more."""
    item = ContextItem(
        source_type="projection",
        source_id=f"search:{id_}",
        authority="derived",
        authority_rank=4,
        observed_at=now,
        priority=4,
        admission_reason="other words may find it",
        content={"words_of_the_request": f"not found in {where}"},
    )
    return Offer(
        "evidence", item, "auto_candidate", "evidence", -float(OFFERED_MAX), recover_with=recover
    )


def _copies(hits: Hits) -> tuple[Omission, ...]:
    of_text = {hit.text: hit for hit in reversed(hits)}
    return tuple(
        _duplicate(_source_id(copy), _source_id(of_text[copy.text])) for copy in hits.copies
    )


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


def _reranked(query: str, hits: Sequence[Hit]) -> list[Hit]:
    """Exact ids first, then by the words that are rare among what was found."""
    scores = Corpus([hit.text for hit in hits]).scores(query)
    order = sorted(
        range(len(hits)), key=lambda at: (not hits[at].is_exact, -scores[at], -hits[at].rank, at)
    )
    return [hits[at] for at in order]


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
    return Offer(
        "evidence",
        item,
        "auto_candidate",
        "evidence",
        rank,
        smaller=smaller,
        recover_with=recover,
        part_of=f"message:{hit.source_id}" if is_message else None,
    )


def passages(
    snapshot: Snapshot,
    transcripts: Sequence[ArtifactRow],
    text: str,
    *,
    now: datetime,
    sensitivity_max: Sensitivity,
) -> Stage:
    """The parts of a meeting's transcripts that answer the request best, by ranges of turns."""
    stages: list[Stage] = []
    read: dict[str, str] = {}
    told: dict[str, str] = {}
    for row in transcripts:
        source_id = f"artifact:{row.artifact_id}"
        reason = hidden(row, sensitivity_max)
        if reason is None and turns_per_part(row.media_type) is None:
            reason = "no transcript in turns"
        if reason is None and row.sha256 in read:
            reason = f"duplicate of {read[row.sha256]}"
        if reason is not None:
            one = Omission(lane="evidence", source_id=source_id, reason=reason)
            stages.append(Stage(left=(one,)))
            continue
        read[row.sha256] = source_id
        stages.append(_of_transcript(snapshot, row, text, told, now))
        if _turns_min(row) > TURNS_MAX:
            stages.append(_further_back(snapshot, row, text, now))
    return joined(stages)


def _of_transcript(
    snapshot: Snapshot, row: ArtifactRow, text: str, told: dict[str, str], now: datetime
) -> Stage:
    """The best parts of the first turns; `told` is what others said already, and where."""
    turns = snapshot.turns(row, 0, TURNS_MAX - 1)
    places = _corpus(_Transcript(row.sha256, len(turns), turns)).best_turns(text, PASSAGES_MAX)
    found = Retrieval(query=text[:200], filters={"artifact": row.artifact_id}, hits=len(places))
    degraded: tuple[str, ...] = ()
    if len(turns) < min(_turns_min(row), TURNS_MAX):
        degraded = (f"transcripts: artifact:{row.artifact_id} is not whole: {len(turns)} turns",)
    offers: list[Offer] = []
    left: list[Omission] = []
    own: dict[str, str] = {}  # within one transcript the same may be said twice
    for rank, place in enumerate(places):
        offer = _passage(row, turns, place, -float(rank))
        by_other = told.get(said := _said(turns[place].text))
        if by_other is None:
            offers.append(offer)
        else:
            left.append(_duplicate(offer.item.source_id, by_other))
        own[said] = offer.item.source_id
    if query_of(text, words_min=1) and not places and not degraded:
        ref = f"artifact:{row.artifact_id}"
        arguments: dict[str, JsonValue] = {"ref": ref, "selector": "turns=0-49"}
        recover = ToolCall(name="resolve", arguments={**arguments, "max_tokens": 2_000})
        offers.append(_miss(ref, f"the first {len(turns)} turns of {ref}", now, recover))
    told |= {said: source for said, source in own.items() if said not in told}
    return Stage(tuple(offers), tuple(left), retrieval=(found,), degraded=degraded)


def _turns_min(row: ArtifactRow) -> int:
    """How many turns the transcript has at least: its last part may have one only."""
    each = turns_per_part(row.media_type) or 0
    return (row.parts - 1) * each + 1 if row.size_bytes else 0


def _further_back(snapshot: Snapshot, row: ArtifactRow, text: str, now: datetime) -> Stage:
    """Of the turns after the first ones: what the documents have by the request's words."""
    ref, query = f"artifact:{row.artifact_id}", query_of(text, words_min=1)
    selector = f"turns={TURNS_MAX}-{TURNS_MAX + TURNS_PER_PART - 1}"
    left = Omission(
        lane="evidence",
        source_id=f"{ref}#turns={TURNS_MAX}-",
        reason=f"after the first {TURNS_MAX:,} turns only those with the request's words are found",
        recover_with=ToolCall(
            name="resolve", arguments={"ref": ref, "selector": selector, "max_tokens": 2_000}
        ),
    )
    if not query:
        return Stage(left=(left,))
    filters = Filters(kinds=("transcript",), entities=(f"artifact/{row.artifact_id}",))
    hits = snapshot.search(query, filters, limit=HITS_MAX, now=now)
    later = [hit for hit in hits if (hit.first_turn or 0) >= TURNS_MAX]
    offers = []
    for place, hit in enumerate(later[:FURTHER_MAX]):
        turns = snapshot.turns(row, hit.first_turn or 0, hit.last_turn or 0)
        offers.append(_passage(row, turns, len(turns) // 2, -float(place), around=len(turns)))
    told: dict[str, JsonValue] = {"artifact": row.artifact_id, "from_turn": TURNS_MAX}
    found = Retrieval(query=query, filters=told, hits=len(later))
    degraded = () if hits.unsearched is None else (f"transcripts: {ref}: {hits.unsearched}",)
    return Stage(tuple(offers), (left,), retrieval=(found,), degraded=degraded)


@dataclass(frozen=True)
class _Transcript:
    """A transcript never changes under its hash, which stands for it, but may not be whole."""

    sha256: str
    count: int
    turns: Sequence[Turn] = field(compare=False)


@lru_cache(maxsize=32)
def _corpus(transcript: _Transcript) -> Corpus:
    """Prepared once a transcript."""
    turns = transcript.turns
    return Corpus([f"{one.speaker} {one.text}" for one in turns], [one.speaker for one in turns])


def _passage(
    row: ArtifactRow, turns: Sequence[Turn], place: int, rank: float, around: int = AROUND
) -> Offer:
    some = turns[max(0, place - around) : place + around + 1]
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
