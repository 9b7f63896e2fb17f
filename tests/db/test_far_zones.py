"""Is a time in a zone far from UTC the same instant, and does it never stop a user's rows?"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from pydantic import TypeAdapter

from turns import ME, NOW, assemble, do, item
from workindex import UserScope, WorkIndex
from workindex.domain.errors import InvalidInput
from workindex.eventlog.database import Database
from workindex.service.parsing import COMMANDS

OFFSETS = ("-23:59", "-16:00", "-15:59", "+00:00", "+15:59", "+16:00", "+23:59")
FAR = datetime(2026, 3, 4, 12, tzinfo=timezone(timedelta(hours=-23, minutes=-59)))


@pytest.fixture
def ann(database: Database) -> UserScope:
    return WorkIndex(database, clock=lambda: NOW).user("ann")


@pytest.mark.parametrize("offset", OFFSETS)
def test_a_fact_in_any_zone_is_read_as_its_instant(ann: UserScope, offset: str) -> None:
    """The rows stand at the head, and the answer is proven."""
    at = f"2026-03-10T12:00:00{offset}"
    do(ann, "create_task", task_id="T-1", title="Fly", due_at=at)
    do(ann, "set_reminder", reminder_id="R-1", title="Pack", remind_at=at)
    do(ann, "schedule_meeting", meeting_id="ME-1", title="Talk", start_at=at)
    do(ann, "record_claim", claim_id="C-1", subject="a", attribute="b", value=1, expires_at=at)
    envelope = assemble(ann, "what now?", task_id="T-1")
    assert envelope.proof["reasons"] == []
    content = item(envelope, "task:T-1").content
    assert isinstance(content, dict)
    assert datetime.fromisoformat(str(content["due_at"])) == datetime.fromisoformat(at)


def test_no_command_takes_a_time_that_the_database_cannot_read() -> None:
    """All fields of all commands that hold a time alone are of the type that sees to it."""
    times = {
        (name, field)
        for name, command in COMMANDS.items()
        for field, held in command.model_json_schema()["properties"].items()
        if "date-time" in str(held)
    }
    assert len(times) > 20
    for name, field in times:
        kept: TypeAdapter[Any] = TypeAdapter(
            COMMANDS[name].model_fields[field].rebuild_annotation()
        )
        assert kept.validate_python(FAR).utcoffset() == timedelta(0), (name, field)
        assert kept.validate_python(FAR) == FAR


@pytest.mark.parametrize(
    ("field", "ask"),
    [
        ("now", lambda ann: ann.ask("what needs me?", now=FAR)),
        ("now", lambda ann: ann.assemble({"text": "what now?", "now": FAR})),
        ("now", lambda ann: ann.index(now=FAR)),
        ("now", lambda ann: ann.checkpoint_draft("main", now=FAR)),
        ("since", lambda ann: ann.search("fly", since=FAR)),
        (
            "occurred_at",
            lambda ann: ann.record(
                {"type": "create_task", "task_id": "T-1", "title": "Fly"},
                actor=ME,
                occurred_at=FAR,
            ),
        ),
        (
            "time_range.from",
            lambda ann: ann.tools(assemble(ann, "x")).get_context("task", time_range={"from": FAR}),
        ),
    ],
)
def test_an_argument_in_such_a_zone_is_refused(
    ann: UserScope, field: str, ask: Callable[[UserScope], Any]
) -> None:
    """By name, and the same instant in UTC is not."""
    with pytest.raises(InvalidInput) as error:
        ask(ann)
    assert error.value.field == field
    assert ann.ask("what needs me?", now=FAR.astimezone(UTC)) is not None
