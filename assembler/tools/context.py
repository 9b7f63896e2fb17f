"""`get_context`: rows of the Work Index and references to bodies, found by id, words or time.

Rows come whole; messages, artifacts and transcripts come as references, never with their bodies.
What is not there and what may not be seen are the same omission, and where the rows cannot be
trusted the answer says so: nothing found is then no "there is none".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, cast, get_args

from workindex.assembler.envelope import ContextItem, Omission, ToolCall
from workindex.assembler.rendering import item_text
from workindex.assembler.state_path import StateQuestion, answer, read_for
from workindex.assembler.tokens import TokenCounter
from workindex.assembler.tools.references import Reference
from workindex.assembler.tools.sight import Sight
from workindex.assembler.tools.words import words
from workindex.domain.canonical import check_json
from workindex.domain.errors import InvalidInput
from workindex.domain.facts import QuestionKind, check_time, utc
from workindex.projections.bounds import Bounds, Want
from workindex.projections.proof import Reading
from workindex.projections.search import Filters
from workindex.projections.snapshot import Snapshot

MAX_TOKENS: Final = 8_000
IDS_MAX: Final = 200
HITS_MAX: Final = 40
ROWS: Final = (
    *("task", "meeting", "commitment", "approval", "reminder", "proposal", "routine", "trigger"),
    *("notification", "connection", "credits", "claim", "thread"),
)
BODIES: Final = ("message", "artifact", "transcript")
STATE: Final = "state"
TYPES: Final = (*ROWS, *BODIES, STATE)
NOT_HERE: Final = "there is nothing here by this id"
# A row is within a range of time where one of these is.
_TIMES: Final = (
    *("due_at", "start_at", "end_at", "expires_at", "remind_at", "requested_at", "made_at"),
    *("posted_at", "stored_at", "recorded_at", "observed_at", "created_at", "updated_at"),
)
_TITLES: Final = ("title", "text", "subject", "attribute", "value", "question", "reason")


class Found(NamedTuple):
    """What was found within the budget, what was not told, and what stands against trusting it.

    `refs` are the references among the items.
    """

    items: tuple[ContextItem, ...] = ()
    omissions: tuple[Omission, ...] = ()
    refs: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()


class Asked(NamedTuple):
    """One call of `get_context`. `time_range` is from (included) to (not), either may be None."""

    type: str
    max_tokens: int
    ids: tuple[str, ...] = ()
    query: str | None = None
    time_range: tuple[datetime | None, datetime | None] = (None, None)


def asked_of(
    type: str,
    ids: Sequence[str] | None,
    query: str | None,
    time_range: Mapping[str, Any] | None,
    max_tokens: int,
) -> Asked:
    """The arguments as they are read.

    Raises: InvalidInput naming the one that is wrong.
    """
    if type not in TYPES:
        raise InvalidInput(f"type {type!r} is none of {', '.join(TYPES)}", field="type")
    check_max_tokens(max_tokens)
    listed = isinstance(ids or (), (list, tuple)) and len(ids or ()) <= IDS_MAX
    if not listed or not all(isinstance(one, str) and one for one in ids or ()):
        raise InvalidInput(f"ids are a list of up to {IDS_MAX} texts", field="ids")
    some = tuple(dict.fromkeys(ids or ()))
    check_json(list(some), "ids")
    if query is not None and (not isinstance(query, str) or not query.strip()):
        raise InvalidInput("query is empty: leave it out, or name what to look for", field="query")
    check_json(query, "query")
    if type in BODIES and not some and query is None:
        raise InvalidInput(f"type {type} needs ids or a query", field="query")
    return Asked(type, max_tokens, some, query, _range(time_range))


def check_max_tokens(max_tokens: Any) -> None:
    """Raises: InvalidInput where it is no number from 1 to MAX_TOKENS."""
    if not isinstance(max_tokens, int) or not 1 <= max_tokens <= MAX_TOKENS:
        raise InvalidInput(
            f"max_tokens {max_tokens!r} is not 1 to {MAX_TOKENS}", field="max_tokens"
        )


def get_context(
    snapshot: Snapshot, asked: Asked, sight: Sight, counter: TokenCounter, now: datetime
) -> Found:
    """What the user has of this kind, as of the snapshot's one position.

    Raises: InvalidInput, Unavailable.
    """
    if asked.type == STATE:
        return _state(snapshot, asked, counter, now)
    kind = "artifact" if asked.type == "transcript" else asked.type
    base = named_base(snapshot, kind, asked.ids[0] if asked.ids else "", now)
    degraded = doubts_of(base)
    missing: list[str] = []
    if asked.ids:
        rows = snapshot.named(base, kind, asked.ids)
        missing = sorted(set(asked.ids) - {row[0] for row in rows})
    elif asked.query is not None and kind in ("message", "artifact", "claim"):
        rows, unsearched = _searched(snapshot, base, asked, sight, now)
        degraded += unsearched
    else:
        reading = snapshot.read({kind: "all"}, now=now)
        degraded = tuple(dict.fromkeys((*degraded, *doubts_of(reading))))
        rows = _matching(reading.rows[kind], asked.query)
    if kind == "claim" and {"lag", "parked"}.intersection(snapshot.doubts(kind)):
        rows = []  # what was withdrawn since is not known
    if asked.ids and asked.query is not None:
        rows = _matching(rows, asked.query)
    seen = [row for row in rows if sight.sees(kind, row, now)]
    if asked.ids:
        missing = sorted({*missing, *(row[0] for row in rows if row not in seen)})
    within = [row for row in seen if _is_within(row, asked.time_range)]
    told = [_item(kind, row, base) for row in within]
    if kind == "thread":
        told += _checkpoints(snapshot, base, within)
    return _fitted(asked, told, _missing(kind, missing), degraded, counter)


def reference(kind: str, row: Any) -> Reference:
    """The reference to a message or an artifact: where it is from, never what it says."""
    if kind == "message":
        told = f"{row.role}, {utc(row.posted_at)}, thread {row.thread_id}"
        return Reference(f"message:{row.message_id}", kind, told, "1")
    told = f"{row.title}, {row.media_type}, {row.size_bytes} bytes, {row.parts} parts"
    return Reference(f"artifact:{row.artifact_id}", kind, told, row.sha256[:16])


def plain(value: Any) -> Any:
    """The value as JSON has it: instants as text."""
    if isinstance(value, datetime):
        return utc(value)
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value


def _range(given: Mapping[str, Any] | None) -> tuple[datetime | None, datetime | None]:
    if given is None:
        return (None, None)
    if not isinstance(given, Mapping) or set(given) - {"from", "to"}:
        raise InvalidInput("time_range has from and to, both instants", field="time_range")
    since, until = (_instant(given.get(name), f"time_range.{name}") for name in ("from", "to"))
    return since, until


def _instant(given: Any, field: str) -> datetime | None:
    if given is None:
        return None
    try:
        at = datetime.fromisoformat(given) if isinstance(given, str) else given
    except ValueError as error:
        raise InvalidInput(f"{field} {given[:60]!r} is no instant", field=field) from error
    check_time(at, field)
    return cast(datetime, at)


def named_base(snapshot: Snapshot, kind: str, id_: str, now: datetime) -> Reading:
    """A reading to look rows of a kind up with; its reasons are about that kind."""
    return snapshot.read({kind: "named"}, now=now, bounds=Bounds(id=id_))


def doubts_of(reading: Reading) -> tuple[str, ...]:
    """What stands against taking rows that are missing for "there is none"."""
    doubts = sorted(set(reading.reasons) - {"unknown_user"})
    return (f"state: not certain ({', '.join(doubts)})",) if doubts else ()


def _state(snapshot: Snapshot, asked: Asked, counter: TokenCounter, now: datetime) -> Found:
    """What the state path answers: `query` is one of its kinds."""
    kinds: tuple[QuestionKind, ...] = get_args(QuestionKind)
    kind = next((one for one in kinds if one == (asked.query or "pending").strip()), None)
    if kind is None:
        names = ", ".join(kinds)
        raise InvalidInput(f"query {asked.query!r} of type state is none of {names}", field="query")
    question = StateQuestion(kind)

    def read(want: Want, bounds: Bounds, at: datetime | None) -> Reading:
        return snapshot.read(want, now=at, bounds=bounds)

    reading = read_for(question, read, now, None)
    told = answer(question, reading, locale="en")
    head = {"kind": kind, "verdict": told.verdict, "total": told.total, "reasons": told.reasons}
    items = [_of_state(kind, plain(head), reading)]
    items += [_of_state(f"{kind}/{one.id}", plain(one._asdict()), reading) for one in told.items]
    return _fitted(asked, items, (), doubts_of(reading), counter)


def _of_state(name: str, content: Any, reading: Reading) -> ContextItem:
    return _projection(f"projection:{name}", content, reading)


def _searched(
    snapshot: Snapshot, base: Reading, asked: Asked, sight: Sight, now: datetime
) -> tuple[list[Any], tuple[str, ...]]:
    """The rows behind the documents that hold the words, the best first."""
    kinds: tuple[str, ...] = (asked.type,)
    if asked.type == "artifact":
        kinds = ("artifact", "transcript")
    since, until = asked.time_range
    filters = Filters(kinds=kinds, sensitivity=sight.levels, since=since, until=until)
    hits = snapshot.search(asked.query or "", filters, limit=HITS_MAX, now=now)
    table = "artifact" if asked.type == "transcript" else asked.type
    rows = snapshot.named(base, table, [hit.source_id for hit in hits])
    return rows, () if hits.unsearched is None else (f"evidence: {hits.unsearched}",)


def _matching(rows: Sequence[Any], query: str | None) -> list[Any]:
    """The rows with the most words of the query, all where there is none."""
    if query is None:
        return list(rows)
    wanted = set(words(query))
    shared = [len(wanted & set(words(_text(row)))) for row in rows]
    order = sorted((at for at in range(len(rows)) if shared[at]), key=lambda at: -shared[at])
    return [rows[at] for at in order]


def _text(row: Any) -> str:
    fields = row._asdict()
    return " ".join(str(fields[name]) for name in _TITLES if fields.get(name) is not None)


def _is_within(row: Any, given: tuple[datetime | None, datetime | None]) -> bool:
    since, until = given
    if since is None and until is None:
        return True
    times = [at for name in _TIMES if isinstance(at := getattr(row, name, None), datetime)]
    return any((since is None or at >= since) and (until is None or at < until) for at in times)


def _item(kind: str, row: Any, base: Reading) -> ContextItem:
    if kind in BODIES:
        told = reference(kind, row)
        return _projection(told.ref, told.to_json(), base, getattr(row, "sensitivity", "normal"))
    is_claim = kind == "claim"
    item = _projection(
        f"{kind}:{row[0]}", plain(row._asdict()), base, getattr(row, "sensitivity", "normal")
    )
    if not is_claim:
        return item
    return item.model_copy(
        update={"source_type": "memory", "authority": "derived", "authority_rank": 4}
    )


def _checkpoints(snapshot: Snapshot, base: Reading, threads: Sequence[Any]) -> list[ContextItem]:
    ids = [row.checkpoint_id for row in threads if row.checkpoint_id is not None]
    found = snapshot.named(base, "checkpoint", ids)
    return [
        _projection(f"checkpoint:{row[0]}", plain(row.body), base).model_copy(
            update={"authority": "derived", "authority_rank": 5}
        )
        for row in found
    ]


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
            omitted.append(_no_room(asked, item, tokens))
    refs = tuple(one.source_id for one in told if _is_reference(one))
    return Found(tuple(told), (*missing, *omitted), refs, degraded)


def _no_room(asked: Asked, item: ContextItem, tokens: int) -> Omission:
    arguments: dict[str, Any] = {"type": asked.type, "max_tokens": min(MAX_TOKENS, tokens)}
    if asked.type != STATE:
        arguments["ids"] = [item.source_id.partition(":")[2]]
    elif asked.query is not None:
        arguments["query"] = asked.query
    return Omission(
        lane="evidence",
        source_id=item.source_id,
        reason=f"no room: it has {tokens} tokens",
        recover_with=ToolCall(name="get_context", arguments=arguments),
    )


def _is_reference(item: ContextItem) -> bool:
    return item.source_id.partition(":")[0] in BODIES
