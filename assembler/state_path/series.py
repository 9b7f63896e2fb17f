"""Has a repeating thing ended? As much of a recurrence rule as a doubt needs, no dates of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

_UNTIL = re.compile(r"UNTIL=(\d{4})(\d{2})(\d{2})", re.IGNORECASE)


def has_ended_before(recurrence: Mapping[str, Any], at: datetime) -> bool:
    """Whether the rule surely has no date from `at` on: its UNTIL lies two days or more before.

    A rule without UNTIL, or with further dates beside it, is taken to go on.
    """
    found = _UNTIL.search(recurrence.get("rrule") or "")
    if found is None or recurrence.get("rdates"):
        return False
    try:
        until = datetime.fromisoformat(f"{found[1]}-{found[2]}-{found[3]}T00:00+00:00")
    except ValueError:
        return False  # no such day, so the rule says nothing
    return until + timedelta(days=2) <= at
