"""What is sent twice? Inside one request, and again from request to request."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from workindex.assembler.audit.measured import Measured, MeasuredSegment

BLOCK_TOKENS_MIN = 50
HOLDERS_MAX = 64  # of one unit; what stands in every message tells nothing about two of them
NEAR_SHARE_MIN = 0.5  # of the smaller text's units


@dataclass(frozen=True, slots=True)
class Repeat:
    """A later segment says what an earlier one says; `tokens` of it are sent twice."""

    is_identical: bool
    first: MeasuredSegment
    again: MeasuredSegment
    tokens: int
    share: float  # of the smaller of both


@dataclass(frozen=True, slots=True)
class Resent:
    """A text that several requests carry: all but the first time it is sent again."""

    segment: MeasuredSegment
    requests: int
    tokens: int


@dataclass(frozen=True, slots=True)
class UnusedTool:
    """A tool that was given and not called in any of the requests."""

    name: str
    requests: int
    tokens: int  # over all requests


def repeats_within(measured: Measured, tokens_min: int = BLOCK_TOKENS_MIN) -> list[Repeat]:
    """Blocks of at least so many tokens that stand twice in one request, the largest first.

    Each segment is reported against the earlier one that it shares most with.
    """
    large = [one for one in measured.read if one.tokens >= tokens_min]
    found: list[Repeat] = []
    first: dict[str, MeasuredSegment] = {}
    holders: dict[str, list[int]] = defaultdict(list)
    for at, one in enumerate(large):
        earlier = first.get(one.text_digest)
        if earlier is not None:
            found.append(Repeat(True, earlier, one, one.tokens, 1.0))
            continue
        first[one.text_digest] = one
        near = _nearest(one, large, holders)
        if near is not None and near.tokens >= tokens_min:
            found.append(near)
        for key in {key for key, _ in one.units}:
            if len(holders[key]) < HOLDERS_MAX:
                holders[key].append(at)
    return sorted(found, key=lambda repeat: -repeat.tokens)


def _nearest(
    one: MeasuredSegment, large: Sequence[MeasuredSegment], holders: dict[str, list[int]]
) -> Repeat | None:
    shared: Counter[int] = Counter()
    for key, signs in one.units:
        for at in holders.get(key, ()):
            shared[at] += signs
    if not shared:
        return None
    at, signs = max(shared.items(), key=lambda pair: (pair[1], -pair[0]))
    earlier = large[at]
    mine, its = (sum(size for _, size in each.units) for each in (one, earlier))
    share = min(1.0, signs / max(1, min(mine, its)))
    if share < NEAR_SHARE_MIN:
        return None
    return Repeat(False, earlier, one, round(one.tokens * min(1.0, signs / mine)), share)


def resent(requests: Sequence[Measured], tokens_min: int = BLOCK_TOKENS_MIN) -> list[Resent]:
    """Texts of at least so many tokens that several requests carry, the most costly first."""
    carriers: dict[str, list[MeasuredSegment]] = defaultdict(list)
    for request in requests:
        own = {one.text_digest: one for one in request.read if one.tokens >= tokens_min}
        for key, one in own.items():
            carriers[key].append(one)
    found = [
        Resent(ones[0], len(ones), sum(one.tokens for one in ones[1:]))
        for ones in carriers.values()
        if len(ones) > 1
    ]
    return sorted(found, key=lambda one: -one.tokens)


def sent_again_tokens(requests: Sequence[Measured]) -> int:
    """The tokens of all segments that an earlier request of these carried already."""
    seen: set[str] = set()
    again = 0
    for request in requests:
        again += sum(one.tokens for one in request.read if one.text_digest in seen)
        seen |= {one.text_digest for one in request.read}
    return again


def unused_tools(requests: Sequence[Measured]) -> list[UnusedTool]:
    """The tools that no call of any of these requests names, the most costly first.

    A call counts once it stands in a request, as part of the conversation: what a model answered
    to the last request is not in them.
    """
    called = {one.name for request in requests for one in request.read if one.kind == "tool_call"}
    tokens: Counter[str] = Counter()
    times: Counter[str] = Counter()
    for request in requests:
        given = [one for one in request.read if one.kind == "tool_schema" and one.name]
        tokens.update({name: 0 for one in given if (name := one.name or "")})
        for one in given:
            tokens[one.name or ""] += one.tokens
        times.update({one.name or "" for one in given})
    found = [UnusedTool(name, times[name], tokens[name]) for name in tokens if name not in called]
    return sorted(found, key=lambda one: (-one.tokens, one.name))
