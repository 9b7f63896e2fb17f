"""What the rules of the oracle share: what they look at, and how they refuse."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

Facts = tuple[tuple[str, str], ...]
POISON = "poison"  # a title or value that makes the folds of the test's processes fail
PEOPLE = ("user", "approver")


class Refused(Exception):
    """The command is not allowed; `facts` are what this itself establishes."""

    def __init__(self, *facts: tuple[str, str]) -> None:
        super().__init__(*facts)
        self.facts: Facts = facts


class Sight(NamedTuple):
    """What a rule looks at and writes to."""

    user: dict[str, Any]
    actor: str
    now: datetime


def refuse_if(forbidden: object) -> None:
    """Refuse without any fact."""
    if forbidden:
        raise Refused


def time_of(text: str | None) -> datetime | None:
    """A time of a command."""
    return None if text is None else datetime.fromisoformat(text)
