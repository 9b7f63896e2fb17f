"""When something repeats: stored as given, never expanded by a fold.

Zone data changes, so a command is given the next instant and stores it; rules are expanded
outside the domain.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
    model_validator,
)

from workindex.domain.facts import At, Frozen, Id, Text, Title

_PART = re.compile(r"[A-Z][A-Z0-9-]*=[^;=]+")
_FREQUENCIES = {"SECONDLY", "MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"}


def _rule(value: str) -> str:
    parts = value.upper().removeprefix("RRULE:").rstrip(";").split(";")
    names = dict(part.split("=", 1) for part in parts if _PART.fullmatch(part))
    if len(names) != len(parts) or names.get("FREQ") not in _FREQUENCIES:
        raise ValueError("a rule looks like FREQ=WEEKLY;BYDAY=MO")
    return value


RecurrenceRule = Annotated[
    str, StringConstraints(min_length=1, max_length=1_000), AfterValidator(_rule)
]
Dates = Annotated[
    tuple[Annotated[str, StringConstraints(min_length=1, max_length=100)], ...],
    Field(max_length=1_000),
]


class Override(Frozen):
    """What became of the instance that the rule puts at `at`; null means as in the series.

    With `following` it holds for every later instance too, each moved as far as this one.
    `version` is the source's own mark of how new this is.
    """

    at: At
    start_at: At | None = None
    end_at: At | None = None
    cancelled: bool = False
    following: bool = False
    title: Title | None = None
    location: Title | None = None
    participants: Annotated[tuple[Title, ...], Field(max_length=2_000)] | None = None
    agenda: Text | None = None
    version: Id | None = None

    @model_serializer(mode="wrap")
    def _told(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in plain(self).items() if value not in (None, False)}


class Recurrence(Frozen):
    """A rule of RFC 5545, its additions and its exceptions, in the words of the source.

    `exdates` and `rdates` are ISO texts, local to the zone where they name none; a date leaves
    out its whole day, and `start/end` adds an instance of its own length. `start_at` is where the
    rule begins, by default at the start of what repeats; `offset_seconds` is how long after each
    instance a reminder of it comes (before it: negative). `unread` holds parts of the series that
    nobody here expands, as given: then its dates are not known.
    """

    rrule: RecurrenceRule | None = None
    exdates: Dates = ()
    rdates: Dates = ()
    overrides: Annotated[tuple[Override, ...], Field(max_length=1_000)] = ()
    start_at: At | None = None
    offset_seconds: Annotated[int, Field(ge=-(10**9), le=10**9)] | None = None
    unread: Annotated[tuple[Title, ...], Field(max_length=100)] = ()

    @model_validator(mode="after")
    def _repeats(self) -> Self:
        if self.rrule is None and not (self.rdates or self.unread):
            raise ValueError("what repeats has an rrule or rdates")
        return self

    @model_serializer(mode="wrap")
    def _told(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """What came later than the first three fields is left out where it says nothing."""
        first = ("rrule", "exdates", "rdates")
        return {name: value for name, value in plain(self).items() if name in first or value}
