"""The four tools that every turn has: a fixed list, the same bytes in every request.

Groups that are loaded on demand never change this list: their schemas arrive as results, and
their tools are used through `call_tool`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import orjson

from workindex.assembler.envelope import ToolCall
from workindex.assembler.tools.asked import MAX_TOKENS, TYPES
from workindex.assembler.tools.schemas import Misfit, check, validator
from workindex.domain.canonical import check_json
from workindex.domain.errors import InvalidInput


class CoreTool(NamedTuple):
    """One of the four; its schema is that of its arguments."""

    name: str
    description: str
    schema: dict[str, Any]


def _object(required: list[str], **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


_TEXT: Final = {"type": "string"}
_TOKENS: Final = {"type": "integer", "minimum": 1, "maximum": MAX_TOKENS}
_PAGE: Final = {"type": "integer", "minimum": 1}

CORE_TOOLS: Final = (
    CoreTool(
        "get_context",
        "Rows of the user's state by ids, words or ISO time; of bodies only references.",
        _object(
            ["type"],
            type={"enum": list(TYPES)},
            ids={"type": "array", "items": _TEXT},
            query=_TEXT,
            time_range=_object([], **{"from": _TEXT, "to": _TEXT}),
            max_tokens=_TOKENS,
        ),
    ),
    CoreTool(
        "load_tool_group",
        "Schemas of a group's tools by namespace, or of tools by query; no argument: group names.",
        _object([], namespace=_TEXT, query=_TEXT, page=_PAGE, max_tokens=_TOKENS),
    ),
    CoreTool(
        "resolve",
        "Part of a body by its ref: selector chars=0-999, turns=0-9 or parts=0-0; a result's next "
        "goes on.",
        _object(["ref", "selector", "max_tokens"], ref=_TEXT, selector=_TEXT, max_tokens=_TOKENS),
    ),
    CoreTool(
        "call_tool",
        "Run a tool of a loaded group by its full name.",
        _object(["name", "arguments"], name=_TEXT, arguments={"type": "object"}),
    ),
)
_BY_NAME: Final = {tool.name: (tool, validator(tool.schema)) for tool in CORE_TOOLS}


def core_text() -> str:
    """The list for the lane `schema`, a line a tool: what a call looks like, and what it does.

    Bounds are left out: a call that passes them is refused with the bound in the words.
    """
    return "".join(f"{_signature(tool)}: {tool.description}\n" for tool in CORE_TOOLS)


def _signature(tool: CoreTool) -> str:
    """A tool as a function with its arguments, `?` where one may be left out."""
    return f"{tool.name}({_fields(tool.schema)})"


def _fields(schema: dict[str, Any]) -> str:
    told = [
        f"{name}{'' if name in schema['required'] else '?'}: {_type(one)}"
        for name, one in schema["properties"].items()
    ]
    return ", ".join(told)


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return "|".join(schema["enum"])
    if schema["type"] == "array":
        return f"{_type(schema['items'])}[]"
    if "properties" in schema:
        return f"{{{_fields(schema)}}}"
    return str(schema["type"])


def call_of(name: Any, arguments: Any) -> ToolCall:
    """The call that a model asks for, whatever it wrote; arguments are an object or its JSON.

    Raises: InvalidInput naming the tool or the argument.
    """
    try:
        given = orjson.loads(arguments) if isinstance(arguments, str) else arguments
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"arguments are not JSON: {error}", field="arguments") from error
    if not isinstance(name, str) or not isinstance(given, Mapping):
        raise InvalidInput("a call is a name and an object of arguments", field="arguments")
    check_json(dict(given), "arguments")
    return checked(ToolCall(name=name, arguments=dict(given)))


def checked(call: ToolCall) -> ToolCall:
    """The call of a model where it is one of the four and its arguments fit.

    Raises: InvalidInput naming the tool or the argument.
    """
    found = _BY_NAME.get(call.name)
    if found is None:
        names = ", ".join(_BY_NAME)
        raise InvalidInput(f"{call.name[:200]!r} is none of {names}", field="name")
    try:
        check(found[1], call.arguments)
    except Misfit as error:
        field = f"arguments.{error.path}" if error.path else "arguments"
        raise InvalidInput(f"{call.name}: {field}: {error}", field=field) from error
    return call
