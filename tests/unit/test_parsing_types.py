"""What a JSON value is, it stays: no number out of a text, no time out of a number, no yes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from workindex.cli.lines import envelope
from workindex.domain.errors import InvalidInput
from workindex.domain.facts import Actor
from workindex.service.parsing import COMMANDS, parse_command

ADA = Actor(kind="user", id="ada")
OTHERS: dict[str, tuple[Any, ...]] = {
    "integer": ("5", " 5 ", "1_0", True, 5.0, [5], {}),
    "boolean": (0, 1, 1.0, "true", "yes", "on", []),
    "date-time": (0, 1, 1.5, True, "1700000000", "-5000000", "1700000000000", "1e9", "now", [], {}),
    "string": (5, 1.5, True, ["x"], {}),
    "array": ("x", 5, {}, True),
    "object": ("x", 5, [], True),
}


def kinds_of(schema: dict[str, Any], definitions: dict[str, Any]) -> set[str]:
    """The JSON types that a field takes; a time is not just a text."""
    if "$ref" in schema:
        return kinds_of(definitions[schema["$ref"].rsplit("/", 1)[1]], definitions)
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return {kind for option in options for kind in kinds_of(option, definitions)}
    return {"date-time" if schema.get("format") == "date-time" else schema.get("type", "")}


def fields() -> Iterator[tuple[str, str, str]]:
    """Every field of every command that takes one JSON type (or null), with that type."""
    for name, command in COMMANDS.items():
        schema = command.model_json_schema()
        for field, its in schema["properties"].items():
            kinds = kinds_of(its, schema.get("$defs", {})) - {"null"}
            if field != "type" and len(kinds) == 1 and (kind := kinds.pop()) in OTHERS:
                yield name, field, kind


def test_there_are_fields_of_every_type() -> None:
    """The list below is not empty by mistake."""
    assert {kind for _, _, kind in fields()} == OTHERS.keys()


@pytest.mark.parametrize(("name", "field", "kind"), list(fields()))
def test_a_value_of_another_type_is_refused(name: str, field: str, kind: str) -> None:
    """Every field refuses every value that is of another JSON type than its own, by its name."""
    for value in OTHERS[kind]:
        with pytest.raises(InvalidInput) as caught:
            parse_command({"type": name, field: value})
        assert f"{field}: " in str(caught.value) or f"{field}." in str(caught.value), value


@pytest.mark.parametrize("value", [v for v in OTHERS["date-time"] if v != "now"])
def test_the_world_s_time_of_a_line_is_text(value: Any) -> None:
    """The same holds for what a line says about its own recording."""
    with pytest.raises(InvalidInput) as caught:
        envelope({"occurred_at": value}, ADA)
    assert caught.value.field is not None
    assert caught.value.field.startswith("occurred_at")


def test_times_that_are_times() -> None:
    """ISO 8601 with T or a space, Z or an offset, with and without seconds and fractions."""
    for text, wanted in {
        "2026-03-17T09:00:00Z": datetime(2026, 3, 17, 9, tzinfo=UTC),
        "2026-03-17 09:00Z": datetime(2026, 3, 17, 9, tzinfo=UTC),
        "2026-03-17T10:00:00.25+01:00": datetime(2026, 3, 17, 9, 0, 0, 250_000, tzinfo=UTC),
    }.items():
        line = json.loads(json.dumps({"type": "create_task", "title": "x", "due_at": text}))
        assert parse_command(line).due_at == wanted  # type: ignore[attr-defined]
        assert envelope({"occurred_at": text}, ADA)["occurred_at"] == wanted
