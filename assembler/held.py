"""An offer as text with what it costs, and who goes first where there is no room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from workindex.assembler.offers import Kind, Offer
from workindex.assembler.rendering import item_text
from workindex.assembler.tokens import TokenCounter

PROTECTED: Final = 2

# Who goes first where there is no room: what can be loaded again, then evidence and unrelated
# state by rank, then what was proposed or attached, then turns from the oldest on, and the last
# turns only where the limit, not the target, is exceeded.
GOING: Final[Mapping[Kind, int]] = {
    "tool_output": 0,
    "evidence": 1,
    "state": 1,
    "tool": 2,
    "attachment": 3,
    "candidate": 3,
    "turn": 4,
    "last_turn": 5,
    "checkpoint": 6,
    "notice": 7,
}


class Held(NamedTuple):
    """An offer as text with its tokens, whole and made smaller, and its place among all offers."""

    place: int
    offer: Offer
    text: str
    tokens: int
    smaller_text: str
    smaller_tokens: int

    @property
    def is_protected(self) -> bool:
        return self.offer.item.priority <= PROTECTED

    @property
    def going(self) -> tuple[int, int, float, int]:
        """The lowest goes first."""
        item = self.offer.item
        return (GOING[self.offer.kind], -item.priority, self.offer.rank, self.place)


def counted(offers: Sequence[Offer], counter: TokenCounter) -> list[Held]:
    """Every offer in order."""
    texts = [item_text(offer.lane, offer.item) for offer in offers]
    smaller = [item_text(offer.lane, offer.smaller) if offer.smaller else "" for offer in offers]
    counts = counter.count([*texts, *smaller])
    half = len(offers)
    return [
        Held(place, offer, texts[place], counts[place], smaller[place], counts[half + place])
        for place, offer in enumerate(offers)
    ]
