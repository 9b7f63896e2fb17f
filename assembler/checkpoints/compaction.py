"""Is it time to compact a thread? Told by the input that its raw tail costs, after the reply.

Output tokens never count: what a model wrote is input of the next turn as a message, once. What a
checkpoint covers is not raw any more, so a second pass is due only when new messages came.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from workindex.assembler.history import MESSAGES_MAX, recent_tail
from workindex.assembler.policies import Policy
from workindex.assembler.rendering import item_text
from workindex.assembler.tokens import TokenCounter
from workindex.projections.conversations import MessageRow

# Of the room that history has: the next turns must still fit while the checkpoint is written.
PRESSURE: Final = 0.8


class Compaction(NamedTuple):
    """Whether a checkpoint is due, and by what.

    `tokens` are what the messages after the last checkpoint cost as input of a turn,
    `tokens_max` the measure from which they are too many, `messages` how many there are.
    """

    is_due: bool
    tokens: int
    tokens_max: int
    messages: int


def compaction(
    tail: Sequence[MessageRow],
    through_message_id: str | None,
    policy: Policy,
    counter: TokenCounter,
) -> Compaction:
    """Whether the thread should be compacted.

    `tail` are its newest messages, the oldest first, `through_message_id` the last that its
    checkpoint covers. It is due when the raw ones take `PRESSURE` of the policy's ceiling for
    history, or are nearly as many as a turn looks at.
    """
    places = [at for at, row in enumerate(tail) if row.message_id == through_message_id]
    raw = tail[places[-1] + 1 :] if places else tail
    told = recent_tail(
        raw, latest_id=None, turns_min=0, turns_max=None, sensitivity_max="restricted"
    )
    tokens = sum(counter.count([item_text("history", offer.item) for offer in told.offers]))
    tokens_max = int(PRESSURE * policy.ceilings.history)
    is_due = bool(raw) and (tokens >= tokens_max or len(raw) >= PRESSURE * MESSAGES_MAX)
    return Compaction(is_due, tokens, tokens_max, len(raw))
