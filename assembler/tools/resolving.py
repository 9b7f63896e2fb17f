"""`resolve`: a part of what a reference stands for, read anew, never more than was asked for."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any, Final

from workindex.assembler.envelope import Authority, ContextItem, SourceType
from workindex.assembler.records import told
from workindex.assembler.rendering import item_text
from workindex.assembler.tokens import TokenCounter
from workindex.assembler.tools.finding import doubts_of, named_base, named_rows, told_claims
from workindex.assembler.tools.references import Selector, UnknownReference, selector_of
from workindex.assembler.tools.sight import Seen, Sight
from workindex.assembler.tools.text_parts import read_window
from workindex.domain.errors import InvalidInput, NotReady
from workindex.eventlog.transcripts import turns_per_part
from workindex.projections.snapshot import Snapshot

RESOLVED: Final = ("message", "artifact", "claim", "task", "meeting", "approval", "commitment")
TURNS_MAX: Final = 1_000
CHAR_MAX: Final = 999_999_999  # the last one that a selector can name
# Of a text no more is looked at than could fit, and no more is passed over than this.
CHARS_A_TOKEN_MAX: Final = 64
SKIPPED_MAX: Final = 4_000_000
# Of a row the first of these is when it was last seen to stand so.
SEEN_AT: Final = (
    "posted_at",
    "stored_at",
    "recorded_at",
    "updated_at",
    "made_at",
    "status_since_at",
)
_TEXT: Final = re.compile(
    r"text/.+|application/(?:.+\+)?(?:json|xml|yaml|x-ndjson|x-yaml|toml|markdown)(?:;.*)?",
    re.IGNORECASE,
)


def resolve(
    snapshot: Seen,
    ref: str,
    selector: str,
    max_tokens: int,
    *,
    sight: Sight,
    counter: TokenCounter,
    now: datetime,
) -> ContextItem:
    """The selected part as far as it fits; `next` in the content is the selector that goes on.

    Raises: UnknownReference where there is nothing, or nothing that may be seen; InvalidInput for
    a selector that does not fit the reference; NotReady where the rows cannot be trusted.
    """
    kind, _, id_ = ref.partition(":")
    if kind not in RESOLVED or not id_:
        raise UnknownReference(ref)
    base = named_base(snapshot, kind, id_, now)
    rows, unread = named_rows(snapshot, base, kind, [id_])
    if doubts := (*doubts_of(base), *unread):
        raise NotReady(f"what stands behind {ref[:300]!r} is not certain: {doubts[0]}: try again")
    if not rows or not sight.sees(kind, rows[0], now):
        raise UnknownReference(ref)
    row = rows[0]
    if kind == "claim" and not told_claims(snapshot, base, rows, sight):
        raise UnknownReference(ref)
    if kind == "artifact":
        return _artifact(snapshot, row, selector, max_tokens, counter)
    if kind == "message":
        text, is_body = row.text, True
    else:
        text, is_body = _fields(told(row, now, partial(snapshot.named, base))), False
    wanted = selector_of(selector, "chars")
    if wanted.unit != "chars" or wanted.parts is not None:
        raise _misfit(wanted, ref, "chars")
    make = _maker(row, kind, is_body=is_body)
    return _cut(text, wanted, max_tokens, make, counter)


def _fields(row: dict[str, Any]) -> str:
    """A row as text, one field a line."""
    return "\n".join(f"{name}: {value}" for name, value in row.items())


def _artifact(
    snapshot: Snapshot, row: Any, selector: str, max_tokens: int, counter: TokenCounter
) -> ContextItem:
    ref = f"artifact:{row.artifact_id}"
    wanted = selector_of(selector, "parts")
    make = _maker(row, "artifact", is_body=True)
    if turns_per_part(row.media_type) is not None:
        return _turns(snapshot, row, wanted, max_tokens, make, counter)
    if wanted.unit == "parts":
        wanted = Selector("chars", 0, CHAR_MAX, (wanted.first, wanted.last))
    if wanted.unit != "chars":
        raise _misfit(wanted, ref, "chars or parts")
    if not _TEXT.fullmatch(row.media_type):
        raise InvalidInput(f"{ref} is {row.media_type}: it has no text to select", field="ref")
    if wanted.first > SKIPPED_MAX:
        raise InvalidInput(
            f"chars={wanted.first} is further than {SKIPPED_MAX} from where reading begins: name "
            "the part too, as in parts=7-9,chars=0-999",
            field="selector",
        )
    window = read_window(snapshot, row, wanted, max_tokens * CHARS_A_TOKEN_MAX)

    def told(count: int) -> ContextItem:
        end = wanted.first + count
        is_more = count < len(window.text) or window.goes_on
        more: dict[str, Any] = {"next": str(window.after(wanted, end))} if is_more else {}
        chars = [wanted.first, max(wanted.first, end - 1)]
        return make({"text": window.text[:count], "chars": chars, **more})

    return _longest(len(window.text), told, max_tokens, counter)


def _turns(
    snapshot: Snapshot,
    row: Any,
    wanted: Selector,
    max_tokens: int,
    make: Callable[[dict[str, Any]], ContextItem],
    counter: TokenCounter,
) -> ContextItem:
    """The turns of a transcript that are selected and fit."""
    each = turns_per_part(row.media_type) or 1
    if wanted.unit == "parts":
        wanted = Selector("turns", wanted.first * each, (wanted.last + 1) * each - 1)
    if wanted.unit != "turns":
        raise _misfit(wanted, f"artifact:{row.artifact_id}", "turns or parts")
    last = min(wanted.last, wanted.first + TURNS_MAX - 1)
    turns = snapshot.turns(row, wanted.first, last)
    told = [{"n": one.number, "speaker": one.speaker, "text": one.text} for one in turns]
    goes_on = last < wanted.last and len(told) == TURNS_MAX

    def some(count: int) -> ContextItem:
        more = _next(goes_on or count < len(told), "turns", wanted.first + count, wanted.last)
        return make({"turns": told[:count], **more})

    return _longest(len(told), some, max_tokens, counter)


def _cut(
    text: str,
    wanted: Selector,
    max_tokens: int,
    make: Callable[[dict[str, Any]], ContextItem],
    counter: TokenCounter,
) -> ContextItem:
    """The characters that are selected and fit."""
    some = text[wanted.first : wanted.last + 1]

    def told(count: int) -> ContextItem:
        end = wanted.first + count
        more = _next(count < len(some), "chars", end, wanted.last)
        return make(
            {"text": some[:count], "chars": [wanted.first, max(wanted.first, end - 1)], **more}
        )

    return _longest(len(some), told, max_tokens, counter)


def _longest(
    count: int,
    make: Callable[[int], ContextItem],
    max_tokens: int,
    counter: TokenCounter,
) -> ContextItem:
    """The item with the most of its pieces that fits.

    Raises: InvalidInput where not even an empty one does.
    """

    def tokens(pieces: int) -> int:
        return counter.count([item_text("evidence", make(pieces))])[0]

    low, high = 0, count
    if tokens(count) <= max_tokens:
        low = count
    else:
        while low < high:
            middle = (low + high + 1) // 2
            if tokens(middle) <= max_tokens:
                low = middle
            else:
                high = middle - 1
    used = tokens(low)
    if used > max_tokens or (low == 0 and count > 0):
        raise InvalidInput(
            f"max_tokens {max_tokens} holds nothing of it: give more", field="max_tokens"
        )
    return make(low).model_copy(update={"token_estimate": used})


def _next(is_more: bool, unit: str, first: int, last: int) -> dict[str, Any]:
    return {"next": f"{unit}={first}-{last}"} if is_more else {}


def _maker(row: Any, kind: str, *, is_body: bool) -> Callable[[dict[str, Any]], ContextItem]:
    source_type: SourceType = "projection"
    authority: Authority = "canonical"
    rank = 2
    if kind == "message":
        source_type, authority, rank = "message", "user_claim", 5
    elif kind == "claim":
        source_type, authority, rank = "memory", "derived", 4
    elif is_body:
        source_type, authority, rank = "artifact", "canonical", 3
    seen_at = next(at for name in SEEN_AT if isinstance(at := getattr(row, name, None), datetime))

    def make(content: dict[str, Any]) -> ContextItem:
        return ContextItem(
            source_type=source_type,
            source_id=f"{kind}:{row[0]}",
            authority=authority,
            authority_rank=rank,
            observed_at=seen_at,
            sensitivity=getattr(row, "sensitivity", "normal"),
            priority=2,
            admission_reason="resolve",
            content=content,
        )

    return make


def _misfit(selector: Selector, ref: str, units: str) -> InvalidInput:
    return InvalidInput(f"{ref} takes no {selector}: select {units}", field="selector")
