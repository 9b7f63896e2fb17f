"""The whole Work Index of one user as one document, with the proof for what needs the user."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from workindex.domain.facts import utc
from workindex.projections.needs import (
    changes_at,
    is_due,
    is_requested,
    is_waiting,
    needs_settling,
    needs_you,
    pending_of,
)
from workindex.projections.proof import Proof, Reading, conclude

# The lists of the document, in order, and the entity kind of each.
SECTIONS: Final[Mapping[str, str]] = {
    "tasks": "task",
    "meetings": "meeting",
    "commitments": "commitment",
    "approvals": "approval",
    "proposals": "proposal",
    "routines": "routine",
    "triggers": "trigger",
    "reminders": "reminder",
    "connections": "connection",
    "credits": "credits",
    "sources": "source",
}


# Whether a row needs the user at an instant, of the kinds that can.
NEEDS_USER: Final[Mapping[str, Callable[[Any, datetime], bool]]] = {
    "task": lambda row, now: pending_of(row, now) != "none",
    "approval": lambda row, now: is_requested(row, now) or needs_settling(row, now),
    "proposal": is_waiting,
    "reminder": is_due,
}


class Index(NamedTuple):
    """Every row of one user, by section, as JSON values.

    `totals` counts each section whole, also where `limit` cut its list.
    """

    user_id: str
    position: int
    proof: Proof
    sections: dict[str, list[dict[str, Any]]]
    totals: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        """The document of `workindex index --json`."""
        return {
            "user_id": self.user_id,
            "position": self.position,
            "proof": self.proof.to_json(),
            **self.sections,
            "totals": self.totals,
        }


def index_of(reading: Reading, limit: int | None = None) -> Index:
    """The index of a reading that holds every row."""
    items = needs_you(reading.rows, reading.now)
    proof = conclude(
        reading,
        "pending",
        has_items=bool(items),
        changes_at=changes_at(reading.rows, reading.now),
    )
    sections = {}
    totals = {}
    for section, kind in SECTIONS.items():
        rows = reading.rows.get(kind, [])
        totals[section] = len(rows)
        shown = rows if limit is None else rows[:limit]
        sections[section] = [_document(kind, row, reading.now) for row in shown]
    return Index(reading.user_id, reading.position, proof, sections, totals)


def _document(kind: str, row: Any, now: datetime) -> dict[str, Any]:
    document = {name: _value(value) for name, value in row._asdict().items()}
    if kind == "task":
        document["pending"] = pending_of(row, now)
    if kind in NEEDS_USER:
        document["needs_you"] = NEEDS_USER[kind](row, now)
    return document


def _value(value: Any) -> Any:
    return utc(value) if isinstance(value, datetime) else value
