"""Whose request is this? Decided by what only that provider's requests hold."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from workindex.assembler.audit import anthropic, bedrock, openai_chat, openai_responses
from workindex.assembler.audit.segments import Segment, listed
from workindex.domain.errors import InvalidInput

# Keys under which logs and batch files keep the request itself.
WRAPPERS = ("request", "body", "params", "kwargs", "modelInput")
WRAPPERS_DEPTH_MAX = 4
KEYS_SHOWN_MAX = 12


class Shape(NamedTuple):
    """One provider's form of a request: how it is told from the others, and how it is cut."""

    name: str
    title: str
    marks: Callable[[dict[str, Any]], bool]
    cut: Callable[[dict[str, Any]], list[Segment]]


@dataclass(frozen=True, slots=True)
class Request:
    """One provider request as it was sent, and where it was found (line from 1)."""

    shape: Shape
    body: dict[str, Any]
    file: str = "-"
    line: int = 1
    model: str = ""  # empty where neither the request nor what it was wrapped in names it

    def segments(self) -> list[Segment]:
        """Every part of it, once."""
        return self.shape.cut(self.body)


class UnknownRequest(InvalidInput):
    """What was given is no request of a known provider; the message says what was found."""

    code = "unknown_request"


def recognised(value: Any, file: str = "-", line: int = 1) -> Request:
    """The request in a value, also inside the wrappers of logs and batch files.

    Raises: UnknownRequest.
    """
    found, model = value, ""
    for _ in range(WRAPPERS_DEPTH_MAX):
        if isinstance(found, bytes | bytearray | str):
            found = _parsed(found)
        if not isinstance(found, dict):
            break
        named = found.get("model") or found.get("modelId")
        model = named if isinstance(named, str) else model
        for shape in ALL_SHAPES:
            if shape.marks(found):
                return Request(shape, plain(found), file, line, model)
        found = next((found[key] for key in WRAPPERS if found.get(key)), None)
    titles = ", ".join(shape.title for shape in ALL_SHAPES)
    raise UnknownRequest(
        f"{file}, line {line}: no request of {titles} is seen in {_described(value)}; give the "
        f"body as it was sent, or an object that holds it under one of: {', '.join(WRAPPERS)}"
    )


def plain(value: Any) -> Any:
    """The value as JSON holds it: bytes as base64, models as objects, everything else as text."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode()
    if hasattr(value, "model_dump"):
        return plain(value.model_dump(mode="json", exclude_unset=True))
    return str(value)


def _parsed(text: bytes | bytearray | str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _described(value: Any) -> str:
    if isinstance(value, dict):
        keys = [repr(key) for key in list(value)[:KEYS_SHOWN_MAX]]
        more = len(value) - len(keys)
        return f"an object with the keys {', '.join(keys)}" + (f" and {more} more" * (more > 0))
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, str | bytes | bytearray):
        return f"a text of {len(value)} characters"  # what it says may be nobody's business
    return f"{type(value).__name__} {str(value)[:40]!r}"


def _messages(body: dict[str, Any]) -> list[dict[str, Any]]:
    messages = body.get("messages")
    return [one for one in listed(messages) if isinstance(one, dict)] if messages else []


def _blocks(body: dict[str, Any]) -> list[dict[str, Any]]:
    blocks = [block for one in _messages(body) for block in listed(one.get("content"))]
    return [block for block in blocks if isinstance(block, dict)]


def _is_bedrock(body: dict[str, Any]) -> bool:
    if not isinstance(body.get("messages"), list):
        return False
    if {"inferenceConfig", "toolConfig", "additionalModelRequestFields"} & body.keys():
        return True
    blocks = _blocks(body)
    return bool(blocks) and all("type" not in block for block in blocks)


def _is_anthropic(body: dict[str, Any]) -> bool:
    if not isinstance(body.get("messages"), list):
        return False
    if {"system", "anthropic_version", "stop_sequences", "output_format"} & body.keys():
        return True
    if "claude" in str(body.get("model", "")) and not _is_chat_only(body):
        return True
    tools = [tool for tool in listed(body.get("tools")) if isinstance(tool, dict)]
    if any("input_schema" in tool for tool in tools):
        return True
    kinds = {block.get("type") for block in _blocks(body)}
    return bool(kinds & {"tool_use", "tool_result", "thinking", "image", "document"})


def _is_chat_only(body: dict[str, Any]) -> bool:
    roles = {one.get("role") for one in _messages(body)}
    tools = [tool for tool in listed(body.get("tools")) if isinstance(tool, dict)]
    return bool(
        roles & {"system", "developer", "tool", "function"}
        or any("tool_calls" in one for one in _messages(body))
        or any("function" in tool for tool in tools)
    )


def _is_chat(body: dict[str, Any]) -> bool:
    messages = body.get("messages")
    return isinstance(messages, list) and len(_messages(body)) == len(messages) > 0


def _is_responses(body: dict[str, Any]) -> bool:
    given = body.get("input")
    if "messages" in body or not isinstance(given, str | list):
        return False
    items = [one for one in listed(given) if isinstance(one, dict)]
    return isinstance(given, str) or len(items) == len(given)


# In the order in which they are tried: the most telling marks first.
ALL_SHAPES: tuple[Shape, ...] = (
    Shape("bedrock", "Bedrock Converse", _is_bedrock, bedrock.cut),
    Shape("anthropic", "Anthropic Messages", _is_anthropic, anthropic.cut),
    Shape("openai_chat", "OpenAI Chat Completions", _is_chat, openai_chat.cut),
    Shape("openai_responses", "OpenAI Responses", _is_responses, openai_responses.cut),
)
