"""What is one request, and what are many, made of? The whole audit as one document."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from workindex.assembler.audit.measured import Measured, MeasuredSegment
from workindex.assembler.audit.prefixes import Prefix, prefixes
from workindex.assembler.audit.repeats import (
    BLOCK_TOKENS_MIN,
    Repeat,
    repeats_within,
    resent,
    sent_again_tokens,
    unused_tools,
)
from workindex.assembler.audit.segments import KINDS
from workindex.assembler.audit.shapes import UnknownRequest
from workindex.assembler.tokens import counter as counter_named

LARGEST_MAX = 10
SHARE_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found in the files: the requests in their order, and what was no request."""

    requests: tuple[Measured, ...]
    refused: tuple[UnknownRequest, ...]
    block_tokens_min: int = BLOCK_TOKENS_MIN

    def document(self) -> dict[str, Any]:
        """The audit as JSON: shares are of tokens, 0 to 1; lists are whole, the largest first."""
        requests = self.requests
        again = sent_again_tokens(requests)
        total = sum(one.tokens for one in requests)
        unused = unused_tools(requests)
        offered = {one.name for each in requests for one in each.read if one.kind == "tool_schema"}
        return {
            "block_tokens_min": self.block_tokens_min,
            "requests": [self._request(one) for one in requests],
            "totals": {
                "requests": len(requests),
                "tokens": spread([one.tokens for one in requests]),
                "bytes": spread([one.size_bytes for one in requests]),
            },
            "by_kind": by_kind(one for each in requests for one in each.segments),
            "sent_again": {
                "tokens": again,
                "share": _share(again, total),
                "segments": [
                    _named(one.segment) | {"requests": one.requests, "tokens_again": one.tokens}
                    for one in resent(requests, self.block_tokens_min)
                ],
            },
            "unused_tools": {
                "offered": len(offered),
                "unused": len(unused),
                "tokens": sum(one.tokens for one in unused),
                "share": _share(sum(one.tokens for one in unused), total),
                "tools": [
                    {"name": one.name, "requests": one.requests, "tokens": one.tokens}
                    for one in unused
                ],
            },
            "prefixes": [_prefix(one) for one in self.prefixes()],
            "largest": [
                _named(one) | {"file": each.file, "line": each.line}
                for each, one in largest(requests)
            ],
            "refused": [{"code": one.code, "message": str(one)} for one in self.refused],
        }

    def prefixes(self) -> list[Prefix]:
        """What each call has in common with the one before it."""
        found: list[Prefix] = []
        for before, call in zip(self.requests, self.requests[1:], strict=False):
            found += prefixes([before, call], counter_named(call.counter))
        return found

    def repeats(self, request: Measured) -> list[Repeat]:
        """What stands twice in one of the requests."""
        return repeats_within(request, self.block_tokens_min)

    def _request(self, one: Measured) -> dict[str, Any]:
        return {
            "file": one.file,
            "line": one.line,
            "at": one.at,
            "shape": one.shape,
            "model": one.model,
            "counter": one.counter,
            "is_exact": one.is_exact and not any(part.is_estimate for part in one.segments),
            "tokens": one.tokens,
            "bytes": one.size_bytes,
            "by_kind": by_kind(one.segments),
            "segments": [_named(part) for part in one.segments],
            "repeated": [_repeat(repeat) for repeat in self.repeats(one)],
        }


def by_kind(segments: Iterable[MeasuredSegment]) -> list[dict[str, Any]]:
    """Segments, tokens, bytes and share of the tokens by kind, in the order of KINDS."""
    count: Counter[str] = Counter()
    sizes: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for one in segments:
        count[one.kind] += 1
        sizes[one.kind][0] += one.tokens
        sizes[one.kind][1] += one.size_bytes
    total = sum(tokens for tokens, _ in sizes.values())
    return [
        {
            "kind": kind,
            "segments": count[kind],
            "tokens": sizes[kind][0],
            "bytes": sizes[kind][1],
            "share": _share(sizes[kind][0], total),
        }
        for kind in KINDS
        if count[kind]
    ]


def spread(values: Sequence[int]) -> dict[str, int]:
    """Sum, median, 95th percentile (nearest rank) and maximum; zeros of nothing."""
    ordered = sorted(values) or [0]

    def at(share: float) -> int:
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)]

    return {"sum": sum(values), "p50": at(0.5), "p95": at(0.95), "max": ordered[-1]}


def largest(
    requests: Sequence[Measured], shown_max: int = LARGEST_MAX
) -> list[tuple[Measured, MeasuredSegment]]:
    """The largest segments by tokens, each text once, with the request that it stood in first."""
    seen: dict[str, tuple[Measured, MeasuredSegment]] = {}
    for each in requests:
        for one in each.read:
            seen.setdefault(one.text_digest, (each, one))
    return sorted(seen.values(), key=lambda pair: -pair[1].tokens)[:shown_max]


def _share(part: int, whole: int) -> float:
    return round(part / whole, SHARE_DIGITS) if whole else 0.0


def _named(one: MeasuredSegment) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "path": one.path,
        "role": one.role,
        "message": one.message,
        "turn": one.turn,
        "name": one.name,
        "tokens": one.tokens,
        "bytes": one.size_bytes,
        "is_estimate": one.is_estimate,
        "media": one.media,
        "media_bytes": one.media_bytes,
    }


def _repeat(one: Repeat) -> dict[str, Any]:
    return {
        "is_identical": one.is_identical,
        "first": one.first.path,
        "again": one.again.path,
        "kind": one.again.kind,
        "name": one.again.name,
        "tokens": one.tokens,
        "share": round(one.share, SHARE_DIGITS),
    }


def _prefix(one: Prefix) -> dict[str, Any]:
    breaks = one.breaks
    return {
        "before": {"file": one.before.file, "line": one.before.line},
        "call": {"file": one.call.file, "line": one.call.line},
        "bytes": one.size_bytes,
        "tokens": one.tokens,
        "share": round(one.share, SHARE_DIGITS),
        "is_whole": one.is_whole,
        "breaks": breaks and {"kind": breaks.kind, "path": breaks.path, "name": breaks.name},
    }
