"""What a command is told that cannot be read: what is wrong and what would be right."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from workindex.domain.errors import InvalidInput
from workindex.projections.planning import Entry, order_of
from workindex.service.parsing import COMMANDS, fields_of, parse_command

GRANT_TAKES = "it takes approval_id, action_hash; optional: redeem_by"


@pytest.mark.parametrize(
    ("document", "field", "message"),
    [
        (
            {"title": "x"},
            "type",
            'the command has no "type": workindex catalog lists them with their fields',
        ),
        (
            {"type": "add_task", "title": "x"},
            "type",
            "no command has the type 'add_task': did you mean fail_task or start_task or "
            "create_task? workindex catalog lists them",
        ),
        ({"type": 7}, "type", "no command has the type 7: workindex catalog lists them"),
        (
            {"type": "grant_approval"},
            "approval_id",
            "grant_approval: approval_id is missing; action_hash is missing (workindex explain "
            f"USER ID shows it); {GRANT_TAKES}",
        ),
        (
            {"type": "grant_approval", "approval_id": "A", "action_hash": "0" * 64, "redem_by": 1},
            "redem_by",
            f"grant_approval: there is no field redem_by, did you mean redeem_by?; {GRANT_TAKES}",
        ),
        (
            {"type": "set_reminder", "title": "x", "remind_at": "2026-03-17T09:00"},
            "remind_at",
            "set_reminder: remind_at: has no zone, add Z or an offset such as +01:00 "
            "(got '2026-03-17T09:00')",
        ),
        *(
            (
                {"type": "set_reminder", "title": "x", "remind_at": given},
                "remind_at",
                "set_reminder: remind_at: a time is ISO 8601 text such as 2026-03-17T09:00:00Z "
                f"(got '{given}')",
            )
            for given in ("2026-03-17", "tomorrow", "2026-03-17T25:00:00Z", "2026-02-30T09:00Z")
        ),
        (
            {"type": "set_reminder", "title": "x", "remind_at": datetime(2026, 3, 17, tzinfo=UTC)},
            "remind_at",
            "remind_at is a datetime: send it as text such as 2026-03-17T09:00:00Z",
        ),
        (
            {"type": "create_task", "title": ""},
            "title",
            "create_task: title: String should have at least 1 character (got '')",
        ),
    ],
)
def test_a_bad_command_is_told_what_would_be_right(
    document: dict[str, Any], field: str, message: str
) -> None:
    """Every missing and unknown field at once, the fields there are, and near names."""
    with pytest.raises(InvalidInput) as caught:
        parse_command(document)
    assert (caught.value.field, str(caught.value)) == (field, message)


def test_many_problems_are_not_all_told() -> None:
    """A command full of errors gets a message that a person can read."""
    wrong = {f"x{n}": n for n in range(200)}
    with pytest.raises(InvalidInput, match="; and 195 more; it takes title; optional: task_id, "):
        parse_command({"type": "create_task", "title": "x", **wrong})


def test_every_field_is_told() -> None:
    """What a command needs and what it can have are together all of its fields but the type."""
    for name, command in COMMANDS.items():
        needed, optional = fields_of(command)
        assert {"type", *needed, *optional} == command.model_fields.keys(), name
        assert not set(command.new_ids) & set(needed), name


def test_an_actor_is_an_actor() -> None:
    """A name or a dict in the actor's place is an error of the package, which says what to give."""
    entry = Entry(parse_command({"type": "create_task", "title": "x"}))
    for actor in ("bot", {"kind": "agent", "id": "bot"}):
        with pytest.raises(InvalidInput, match=r"give Actor\(kind=…, id=…\)") as caught:
            order_of(entry, "api", actor)  # type: ignore[arg-type]
        assert caught.value.field == "actor"
