"""The index marks the rows that need the user, by the same rules that every answer uses."""

from __future__ import annotations

from typing import Any

import pytest

from index_rows import NOW, approval, at, proposal, reminder, rows, task
from workindex.projections.index import index_of
from workindex.projections.proof import Reading

REQUEST = {"kind": "input", "prompt": "?", "asked_at": "2026-03-04T11:00:00+00:00"}
OPEN = {"Q": {**REQUEST, "expires_at": None}}
EXPIRED = {"Q": {**REQUEST, "expires_at": "2026-03-04T12:00:00+00:00"}}

ROWS: list[tuple[str, Any, bool]] = [
    ("tasks", task("T"), False),
    ("tasks", task("T", requests=OPEN), True),
    ("tasks", task("T", requests=EXPIRED), False),
    ("tasks", task("T", status="done", requests=OPEN), False),
    ("approvals", approval("A"), True),
    ("approvals", approval("A", expires_at=NOW), False),
    ("approvals", approval("A", status="granted"), False),
    ("approvals", approval("A", status="executing", deadline_at=NOW), True),
    ("approvals", approval("A", status="executing", deadline_at=at(hours=1)), False),
    ("approvals", approval("A", status="outcome_unknown"), True),
    ("reminders", reminder("R", status="set", remind_at=NOW), True),
    ("reminders", reminder("R", status="set", remind_at=at(hours=1)), False),
    ("reminders", reminder("R", status="dismissed", remind_at=NOW), False),
    ("proposals", proposal("P", status="waiting"), True),
    ("proposals", proposal("P", status="waiting", expires_at=NOW), False),
    ("proposals", proposal("P", status="declined"), False),
]


def reading(*given: Any) -> Reading:
    """A reading that nothing speaks against."""
    return Reading("ann", 9, NOW, NOW, None, rows(*given), (), False, ())


@pytest.mark.parametrize(("section", "row", "needs"), ROWS)
def test_rows_that_need_the_user_are_marked(section: str, row: Any, needs: bool) -> None:
    """Unexpired requests, decisions, due reminders, waiting proposals and unsettled executions."""
    index = index_of(reading(row))
    assert [shown["needs_you"] for shown in index.sections[section]] == [needs]
    assert index.proof.verdict == ("items" if needs else "proven_empty")


def test_a_limit_keeps_the_true_counts() -> None:
    """The lists are cut, the totals and the verdict are not."""
    index = index_of(reading(task("T-1"), task("T-2", requests=OPEN)), limit=1)
    assert [row["task_id"] for row in index.sections["tasks"]] == ["T-1"]
    assert index.totals["tasks"] == 2
    assert index.proof.verdict == "items"
