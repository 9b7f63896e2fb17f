"""Which command does a JSON object ask for, or what is wrong with it and what would be right?"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from workindex.domain import ALL_COMMANDS
from workindex.domain.canonical import check_json
from workindex.domain.errors import InvalidInput
from workindex.domain.facts import Command

COMMANDS: Mapping[str, type[Command]] = {
    command.model_fields["type"].default: command for command in ALL_COMMANDS
}
NOT_A_TIME = "a time is ISO 8601 text such as 2026-03-17T09:00:00Z"
_PROBLEMS_MAX = 5
# Where a person finds what only the program knows.
_WHERE = dict.fromkeys(("action_hash", "request_id"), " (workindex explain USER ID shows it)")


def parse_command(document: Mapping[str, Any]) -> Command:
    """The command of a JSON object with a `type`.

    Raises: InvalidInput naming the field, the value and what would be right.
    """
    if not isinstance(document, Mapping):
        raise InvalidInput(
            f"a command is an object with a type, not {shortened(document)}", field="command"
        )
    name = document.get("type")
    model = COMMANDS.get(name) if isinstance(name, str) else None
    if model is None:
        raise InvalidInput(_no_such_type(document), field="type")
    check_json(dict(document), "")
    for field in _times(model) & document.keys():
        if not is_time_text(document[field]):
            told = f"{name}: {field}: {NOT_A_TIME} (got {shortened(document[field])})"
            raise InvalidInput(told, field=field)
    try:
        # JSON and not Python rules: a list is a tuple, a text is a time. Strict: a number is no
        # text, true is no number, "yes" is not true.
        return model.model_validate_json(_dumps(document), strict=True)
    except ValidationError as error:
        problems = error.errors(include_url=False)
        raise InvalidInput(f"{name}: {_told(model, problems)}", field=_path(problems[0])) from error


def is_time_text(value: object) -> bool:
    """Whether a value may be a time: digits alone would be read as seconds since 1970."""
    return not isinstance(value, str | int | float) or (
        isinstance(value, str) and value[4:5] == "-"
    )


@cache
def _times(model: type[Command]) -> frozenset[str]:
    """The fields of a command that hold a time."""
    properties = model.model_json_schema()["properties"]
    return frozenset(field for field, its in properties.items() if "date-time" in repr(its))


def fields_of(command: type[Command]) -> tuple[list[str], list[str]]:
    """The fields that a command must have, and those that may be left out; `type` is neither."""
    fields = {name: field for name, field in command.model_fields.items() if name != "type"}
    needed = [name for name, field in fields.items() if field.is_required()]
    return needed, [name for name in fields if name not in needed]


def _no_such_type(document: Mapping[str, Any]) -> str:
    if "type" not in document:
        return 'the command has no "type": workindex catalog lists them with their fields'
    name = document["type"]
    near = get_close_matches(str(name)[:80], COMMANDS, n=3, cutoff=0.5)
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    return f"no command has the type {shortened(name)}: {meant}workindex catalog lists them"


def _told(model: type[Command], problems: list[ErrorDetails]) -> str:
    told = [_one(model, problem) for problem in problems[:_PROBLEMS_MAX]]
    if len(problems) > _PROBLEMS_MAX:
        told.append(f"and {len(problems) - _PROBLEMS_MAX} more")
    if any(problem["type"] in ("missing", "extra_forbidden") for problem in problems):
        needed, others = fields_of(model)
        takes = f"it takes {', '.join(needed)}" if needed else "every field may be left out"
        told.append(f"{takes}; optional: {', '.join(others)}" if others else takes)
    return "; ".join(told)


def _one(model: type[Command], problem: ErrorDetails) -> str:
    path = _path(problem) or "the command"
    match problem["type"]:
        case "missing":
            return f"{path} is missing{_WHERE.get(path, '')}"
        case "extra_forbidden":
            near = get_close_matches(path, model.model_fields, n=1, cutoff=0.5)
            meant = f", did you mean {near[0]}?" if near else ""
            return f"there is no field {path}{meant}"
        case "timezone_aware":
            said = "has no zone, add Z or an offset such as +01:00"
        case "datetime_parsing" | "datetime_from_date_parsing":
            said = NOT_A_TIME
        case "string_pattern_mismatch" if path in _WHERE:
            said = f"does not have the right form{_WHERE[path]}"
        case _:
            said = problem["msg"]
    return f"{path}: {said} (got {shortened(problem['input'])})"


def _path(problem: ErrorDetails) -> str | None:
    return ".".join(map(str, problem["loc"])) or None


def _dumps(document: Mapping[str, Any]) -> bytes:
    import orjson

    try:
        return orjson.dumps(document)
    except TypeError as error:
        raise InvalidInput(f"the command is not JSON: {error}") from error


def shortened(value: object) -> str:
    """A value as a message tells it, of a long one the beginning."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
