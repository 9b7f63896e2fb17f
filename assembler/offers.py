"""What a stage offers to the working set, and what it says of things that it left out itself.

Stages find; the lanes decide. A stage never drops anything in silence: everything that it saw is
an offer or is named in `left`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from workindex.assembler.envelope import (
    Conflict,
    ContextItem,
    Lane,
    LoadMode,
    Omission,
    Retrieval,
    ToolCall,
)

Kind = Literal[
    "state",
    "tool_output",
    "evidence",
    "attachment",
    "candidate",
    "tool",
    "turn",
    "last_turn",
    "checkpoint",
    "notice",
]


class Offer(NamedTuple):
    """One item that could be admitted.

    `kind` says when it goes where there is no room (`GOING` in held.py), `rank` orders the items
    of a kind: the lowest go first. Items of one `group` (the messages of a turn) go together.
    `smaller` is what stays in its place then (a count, a reference), if anything can.
    `recover_with` is the call that brings the whole item back. `same_as` names what the item
    says where another item may say the same, `part_of` an item that says it among other things.
    """

    lane: Lane
    item: ContextItem
    load_mode: LoadMode
    kind: Kind
    rank: float = 0.0
    group: str | None = None
    smaller: ContextItem | None = None
    recover_with: ToolCall | None = None
    same_as: str | None = None
    part_of: str | None = None


class Stage(NamedTuple):
    """What one stage found.

    `degraded` names what it could not do, so that nobody takes what is missing for "there is
    none".
    """

    offers: tuple[Offer, ...] = ()
    left: tuple[Omission, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    retrieval: tuple[Retrieval, ...] = ()
    degraded: tuple[str, ...] = ()


def joined(stages: Iterable[Stage]) -> Stage:
    """Several stages as one, in order."""
    columns = list(zip(*stages, strict=True))
    return Stage(*(sum(column, ()) for column in columns)) if columns else Stage()
