"""How much of a call could a cache have kept from the call before? Up to the first other byte."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import AnyStr

from workindex.assembler.audit.measured import Measured, MeasuredSegment
from workindex.assembler.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class Prefix:
    """What a call has in common with the one before, from the front.

    In bytes of the canonical JSON of the segments in the provider's order, each ended by a line
    feed, and in tokens. `breaks` is the call's segment with the first other byte, None where
    one call is the beginning of the other. `is_whole` where only whole segments could be compared,
    because a text is not at hand.
    """

    before: Measured
    call: Measured
    size_bytes: int
    tokens: int
    breaks: MeasuredSegment | None
    is_whole: bool

    @property
    def share(self) -> float:
        """Of the call's tokens."""
        return self.tokens / self.call.tokens if self.call.tokens else 1.0


def prefixes(requests: Sequence[Measured], counter: TokenCounter | None = None) -> list[Prefix]:
    """One for each call but the first, against the call before it in the order given.

    Where a segment breaks inside, `counter` counts its common beginning; without one, or without
    the texts, the prefix ends before it.
    """
    return [_prefix(before, call, counter) for before, call in pairwise(requests)]


def _prefix(before: Measured, call: Measured, counter: TokenCounter | None) -> Prefix:
    if (before.shape, before.model) != (call.shape, call.model):
        return Prefix(before, call, 0, 0, call.read[0] if call.read else None, is_whole=False)
    pairs = list(zip(before.read, call.read, strict=False))
    same = sum(1 for _ in takewhile(lambda pair: pair[0].digest == pair[1].digest, pairs))
    kept = call.read[:same]
    size = sum(one.size_bytes + 1 for one in kept)
    tokens = sum(one.tokens for one in kept)
    if same == len(pairs):
        return Prefix(before, call, size, tokens, None, is_whole=False)
    old, new = pairs[same]
    if old.wire is None or new.wire is None or old.text is None or new.text is None:
        return Prefix(before, call, size, tokens, new, is_whole=True)
    size += _common(old.wire, new.wire)
    shared = new.text[: _common(old.text, new.text)]
    if counter is not None and shared:
        tokens += min(new.tokens, counter.count([shared])[0])
    return Prefix(before, call, size, tokens, new, is_whole=False)


def _common(old: AnyStr, new: AnyStr) -> int:
    """How many signs two texts have in common from the front."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[:middle] == new[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
