"""When something repeats: stored as given, never expanded by a fold.

Zone data changes, so a command is given the next instant and stores it; rules are expanded
outside the domain.
"""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from workindex.domain.facts import Frozen

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


class Recurrence(Frozen):
    """A rule of RFC 5545 with its exceptions and additions, in the words of the source."""

    rrule: RecurrenceRule
    exdates: Dates = ()
    rdates: Dates = ()
