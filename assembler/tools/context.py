"""`get_context`: rows of the Work Index and references to bodies, found by id, words or time.

Rows come whole; messages, artifacts and transcripts come as references, never with their bodies.
What is not there and what may not be seen are the same omission, and where the rows cannot be
trusted the answer says so: nothing found is then no "there is none".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, get_args

from workindex.assembler.envelope import Conflict, ContextItem, Omission, ToolCall
from workindex.assembler.records import told as told_at
from workindex.assembler.rendering import item_text, plain
from workindex.assembler.state_path import StateQuestion, answer, read_for
from workindex.assembler.tokens import TokenCounter
from workindex.assembler.tools.asked import BODIES, MAX_TOKENS, STATE, Asked
from workindex.assembler.tools.finding import doubts_of, find, hidden, named_base
from workindex.assembler.tools.references import Reference
from workindex.assembler.tools.resolving import CHAR_MAX, RESOLVED
from workindex.assembler.tools.sight import STALE, Seen, Sight
from workindex.assembler.tools.threads import of_threads
from workindex.domain.errors import InvalidInput
from workindex.domain.facts import QuestionKind, utc
from workindex.projections.bounds import Bounds, Want
from workindex.projections.proof import Reading
from workindex.projections.snapshot import Find

NOT_HERE: Final = "there is nothing here by this id"
WHOLE: Final = f"chars=0-{CHAR_MAX}"


class Found(NamedTuple):
    """What was found within the budget, what was not told, and what stands against trusting it.

    `refs` are the references among the items, as the model sees them. Conflicts are told by items
    as well.
    """

    items: tuple[ContextItem, ...] = ()
    omissions: tuple[Omission, ...] = ()
    refs: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


def get_context(
    snapshot: Seen,
    asked: Asked,
    sight: Sight,
    counter: TokenCounter,
    now: datetime,
    shown: Callable[[str], str] = str,
) -> Found:
    """What the user has of this kind, as of the snapshot's one position.

    `shown` is how the model is shown a reference.

    Raises: InvalidInput, Unavailable.
    """
    if asked.type == STATE:
        return _state(snapshot, asked, counter, now)
    kind = "artifact" if asked.type == "transcript" else asked.type
    base = named_base(snapshot, kind, asked.ids[0] if asked.ids else "", now)
    found = find(snapshot, base, kind, asked, sight, now)
    told = _items(snapshot, base, kind, found.seen, sight, now)
    told = [_shown(one, shown) if is_reference(one) else one for one in told]
    degraded = (*doubts_of(base), *found.degraded)
    left = (*_missing(kind, found.missing), *found.beyond)
    if kind != "thread":
        return _fitted(asked, told, left, degraded, counter, shown)
    beside = of_threads(snapshot, base, found.seen, sight, now)
    told += [offer.item for offer in beside.offers]
    fitted = _fitted(asked, told, (*left, *beside.left), (*degraded, *beside.degraded), counter)
    return fitted._replace(conflicts=beside.conflicts)


def reference(kind: str, row: Any) -> Reference:
    """The reference to a message or an artifact: where it is from, never what it says."""
    if kind == "message":
        told = f"{row.role}, {utc(row.posted_at)}, thread {row.thread_id}"
        return Reference(f"message:{row.message_id}", kind, told, "1")
    told = f"{row.title}, {row.media_type}, {row.size_bytes} bytes, {row.parts} parts"
    return Reference(f"artifact:{row.artifact_id}", kind, told, row.sha256[:16])


def _state(snapshot: Seen, asked: Asked, counter: TokenCounter, now: datetime) -> Found:
    """What the state path answers: `query` is one of its kinds."""
    kinds: tuple[QuestionKind, ...] = get_args(QuestionKind)
    kind = next((one for one in kinds if one == (asked.query or "pending").strip()), None)
    if kind is None:
        names = ", ".join(kinds)
        raise InvalidInput(
            f"query {str(asked.query)[:100]!r} of type state is none of {names}", field="query"
        )
    question = StateQuestion(kind)

    def read(want: Want, bounds: Bounds, at: datetime | None) -> Reading:
        return snapshot.whole.read(want, now=at, bounds=bounds)

    reading = read_for(question, read, now, None)
    told = answer(question, reading, locale="en")
    shown = snapshot.items(reading, told.items)
    head = {"kind": kind, "verdict": told.verdict, "total": told.total, "reasons": told.reasons}
    items = [_of_state(kind, plain(head), reading)]
    items += [_of_state(f"{kind}/{one.id}", plain(one._asdict()), reading) for one in shown]
    left = (hidden(STATE),) if len(shown) < len(told.items) else ()
    return _fitted(asked, items, left, doubts_of(reading), counter)


def _of_state(name: str, content: Any, reading: Reading) -> ContextItem:
    return _projection(f"projection:{name}", content, reading)


def _items(
    snapshot: Seen, base: Reading, kind: str, rows: Sequence[Any], sight: Sight, now: datetime
) -> list[ContextItem]:
    """The rows as they stand now, with nothing of other rows that may not be told."""
    is_stale = kind == "thread" and bool(STALE.intersection(snapshot.doubts("message")))

    def find(other: str, ids: Sequence[str]) -> Sequence[Any]:
        others = () if is_stale else snapshot.named(base, other, ids)
        return [one for one in others if sight.sees(other, one, now)]

    if kind == "task":  # read at once
        find("approval", [id_ for row in rows for id_ in row.approvals])
    return [_item(kind, row, base, now, find) for row in rows]


def _item(kind: str, row: Any, base: Reading, now: datetime, find: Find) -> ContextItem:
    if kind in BODIES:
        told = reference(kind, row)
        return _projection(told.ref, told.to_json(), base, getattr(row, "sensitivity", "normal"))
    is_claim = kind == "claim"
    content = told_at(row, now, find)
    item = _projection(f"{kind}:{row[0]}", content, base, getattr(row, "sensitivity", "normal"))
    if not is_claim:
        return item
    return item.model_copy(
        update={"source_type": "memory", "authority": "derived", "authority_rank": 4}
    )


def _projection(
    source_id: str, content: Any, base: Reading, sensitivity: Any = "normal"
) -> ContextItem:
    return ContextItem(
        source_type="projection",
        source_id=source_id,
        authority="canonical",
        authority_rank=2,
        observed_at=base.as_of,
        sensitivity=sensitivity,
        priority=2,
        admission_reason="get_context",
        content=content,
    )


def _missing(kind: str, ids: Sequence[str]) -> tuple[Omission, ...]:
    return tuple(
        Omission(lane="evidence", source_id=f"{kind}:{id_}", reason=NOT_HERE) for id_ in ids
    )


def _fitted(
    asked: Asked,
    items: Sequence[ContextItem],
    missing: tuple[Omission, ...],
    degraded: tuple[str, ...],
    counter: TokenCounter,
    shown: Callable[[str], str] = str,
) -> Found:
    """The first items that fit together; the others are omissions with the call for them."""
    counts = counter.count([item_text("evidence", item) for item in items])
    told: list[ContextItem] = []
    omitted: list[Omission] = []
    room = asked.max_tokens
    for item, tokens in zip(items, counts, strict=True):
        if tokens <= room:
            room -= tokens
            told.append(item.model_copy(update={"token_estimate": tokens}))
        else:
            omitted.append(_no_room(asked, item, tokens, sum(counts), shown))
    refs = tuple(_ref(one) for one in told if is_reference(one))
    return Found(tuple(told), (*missing, *omitted), refs, degraded)


def _no_room(
    asked: Asked, item: ContextItem, tokens: int, whole: int, shown: Callable[[str], str]
) -> Omission:
    """The call for one item; what stands beside a thread comes with the thread alone, and what no
    call of this kind has room for comes in parts."""
    arguments: dict[str, Any] = {"type": asked.type, "max_tokens": min(MAX_TOKENS, tokens)}
    kind, _, id_ = item.source_id.partition(":")
    if tokens > MAX_TOKENS and kind == asked.type and kind in RESOLVED:
        part = {"ref": shown(item.source_id), "selector": WHOLE, "max_tokens": MAX_TOKENS}
        return Omission(
            lane="evidence",
            source_id=item.source_id,
            reason=f"no room: it has {tokens} tokens, no call returns more than {MAX_TOKENS}",
            recover_with=ToolCall(name="resolve", arguments=part),
        )
    if asked.type == "thread" and kind != "thread":
        arguments["max_tokens"] = min(MAX_TOKENS, whole)
        arguments |= {"ids": list(asked.ids)} if asked.ids else {}
    elif asked.type != STATE:
        arguments["ids"] = [id_]
    elif asked.query is not None:
        arguments["query"] = asked.query
    return Omission(
        lane="evidence",
        source_id=item.source_id,
        reason=f"no room: it has {tokens} tokens",
        recover_with=ToolCall(name="get_context", arguments=arguments),
    )


def is_reference(item: ContextItem) -> bool:
    """Whether the item stands for a body."""
    return item.source_id.partition(":")[0] in BODIES


def _ref(item: ContextItem) -> str:
    assert isinstance(item.content, dict)
    return str(item.content["ref"])


def _shown(item: ContextItem, shown: Callable[[str], str]) -> ContextItem:
    assert isinstance(item.content, dict)
    return item.model_copy(update={"content": item.content | {"ref": shown(item.source_id)}})
