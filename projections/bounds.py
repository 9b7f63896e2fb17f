"""How much of a user's rows a question reads, and what a reading says of the rest.

Up to `limit` rows nothing is left out and everything is decided from the rows. Past it a reading
holds the first rows and exact counts of all (SQL: `bounded_reads.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple, Self

# all: every row · open: those that could need the user at some time · urgent: the most urgent
# open ones · listed: tasks by status and time · timely: those that can matter to a question about
# a time (`Table.timely`) · named: the row of one id
Part = Literal["open", "all", "urgent", "listed", "timely", "named"]
Want = Mapping[str, Part]

ITEMS_MAX: Final = 200


class Bounds(NamedTuple):
    """What a question asks of the rows that it reads in part.

    `limit` rows of a kind; those of one `id`; of one task `status` (None: unended); those due in
    `window` (from, up to but without), or those due up to now. `times` says which times of a
    listed task count: when it is `due`, `all`, or the `next` of all of them.
    """

    id: str | None = None
    window: tuple[datetime, datetime] | None = None
    status: str | None = None
    times: Literal["all", "due", "next"] = "all"
    is_overdue: bool = False
    limit: int = ITEMS_MAX

    def to_json(self, now: datetime | None) -> dict[str, Any]:
        """As the proof's function takes it."""
        given: dict[str, Any] = {
            "limit": self.limit,
            "times": self.times,
            "is_overdue": self.is_overdue,
        }
        if now is not None:
            given["now"] = now
        if self.id is not None:
            given["id"] = self.id
        if self.status is not None:
            given["status"] = self.status
        if self.window is not None:
            given["from"], given["to"] = self.window
        return given


class Beyond(NamedTuple):
    """What a reading that left rows of a kind out says of all of them.

    Of rows that need the user: `needing` counts those that the columns beside them tell of,
    `within` those of them in the window; the ids of `loose` rows, which they do not tell of, and
    which are all among the rows. Of listed tasks: `groups` counts by status what was asked for,
    `pool` the tasks from which that was chosen. Time alone changes something at `changes_at`;
    `due_at` is the next instant at which an item is due.
    """

    needing: int
    within: int
    loose: frozenset[str]
    groups: Mapping[str, int]
    pool: Mapping[str, int]
    changes_at: datetime | None
    due_at: datetime | None

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """Read what the proof's function says."""
        return cls(
            needing=told.get("needing", 0),
            within=told.get("within", 0),
            loose=frozenset(told.get("loose", ())),
            groups=told.get("groups", {}),
            pool=told.get("pool", {}),
            changes_at=_instant(told.get("changes_at")),
            due_at=_instant(told.get("due_at")),
        )


def _instant(text: str | None) -> datetime | None:
    return None if text is None or text == "infinity" else datetime.fromisoformat(text)
