"""Which segments does a request to Anthropic Messages have? Also inside Bedrock's InvokeModel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workindex.assembler.audit.media import media_of
from workindex.assembler.audit.segments import (
    QUIET,
    Cutting,
    Segment,
    beside,
    listed,
    text_at,
    told,
)

PARAMETERS = frozenset(
    {
        *("model", "max_tokens", "temperature", "top_p", "top_k", "stop_sequences", "stream"),
        *("metadata", "service_tier", "thinking", "tool_choice", "anthropic_version", "betas"),
        *("anthropic_beta", "container", "context_management", "inference_geo", "mcp_servers"),
        *("extra_headers", "extra_query", "timeout", "cache_control", "speed", "fallbacks"),
    }
)
CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
Wrap = Callable[[Any], Any]


def cut(request: dict[str, Any]) -> list[Segment]:
    """The segments in the order output schema, tools, system, messages."""
    cutting = Cutting()
    taken = {"messages", "system", "tools"}
    for key in ("output_format", "output_config"):
        if request.get(key) is not None:
            taken.add(key)
            form = request[key].get("format") if isinstance(request[key], dict) else None
            cutting.add("output_schema", key, {key: request[key]}, told(form or request[key]))
    for at, tool in enumerate(listed(request.get("tools"))):
        cutting.add("tool_schema", f"tools[{at}]", tool, told(tool), name=text_at(tool, "name"))
    system = request.get("system")
    for at, block in enumerate(listed(system)):
        path = f"system[{at}]" if isinstance(system, list) else "system"
        cutting.add("system", path, block, told(block, "text"))
    for at, message in enumerate(listed(request.get("messages"))):
        _message(cutting, at, message)
    cutting.end()
    cutting.leftovers(request, taken, PARAMETERS)
    return cutting.segments


def _message(cutting: Cutting, at: int, message: Any) -> None:
    path = f"messages[{at}]"
    if not isinstance(message, dict):
        cutting.add("other", path, message, told(message))
        return
    content, role = message.get("content"), text_at(message, "role")
    blocks = listed(content)
    results = [one for one in blocks if isinstance(one, dict) and one.get("type") == "tool_result"]
    cutting.begin(at, role, is_turn=role == "user" and len(results) < max(1, len(blocks)))
    if beside(message) or not blocks:
        cutting.add("message", path, {**message, "content": []}, beside(message))
    head = {key: message[key] for key in message if key in QUIET and key != "content"}
    for number, block in enumerate(blocks):
        where = f"{path}.content[{number}]" if isinstance(content, list) else f"{path}.content"
        _block(cutting, where, block, lambda one: {**head, "content": one})


def _block(cutting: Cutting, path: str, block: Any, wrap: Wrap) -> None:
    kind = block.get("type") if isinstance(block, dict) else None
    node = wrap([block] if isinstance(block, dict) else block)
    if isinstance(block, str) or kind == "text":
        cutting.add("message", path, node, told(block, "text"))
    elif kind in ("image", "document"):
        _media(cutting, path, block, node)
    elif kind in CALLS:
        name = text_at(block, "name") or ""
        cutting.calls(block.get("id"), name)
        cutting.add("tool_call", path, node, f"{name}\n{told(block, 'input')}", name=name)
    elif isinstance(kind, str) and kind.endswith("tool_result"):
        _result(cutting, path, block, wrap)
    elif kind in ("thinking", "redacted_thinking"):
        cutting.add("reasoning", path, node, told(block, "thinking", "data"))
    else:
        cutting.add("other", path, node, told(block))


def _result(cutting: Cutting, path: str, block: dict[str, Any], wrap: Wrap) -> None:
    name = cutting.called(block.get("tool_use_id"))
    content = block.get("content")
    around = {key: value for key, value in block.items() if key != "content"}
    parts = listed(content)
    if beside(block) or not parts:
        node = wrap([{**around, "content": []}])
        cutting.add("tool_result", path, node, beside(block), name=name)
    for number, part in enumerate(parts):
        where = f"{path}.content[{number}]" if isinstance(content, list) else f"{path}.content"
        inner = [part] if isinstance(part, dict) else part
        node = wrap([{**around, "content": inner}])
        if isinstance(part, dict) and part.get("type") in ("image", "document"):
            _media(cutting, where, part, node, name)
        elif isinstance(part, dict) and part.get("type") == "text":
            cutting.add("tool_result", where, node, told(part, "text"), name=name)
        else:
            cutting.add("tool_result", where, node, told(part), name=name)


def _media(
    cutting: Cutting, path: str, block: dict[str, Any], node: Any, name: str | None = None
) -> None:
    source = block.get("source")
    form = text_at(source, "type")
    if form in ("text", "content"):  # a document that is text already
        text = "\n".join(filter(None, [told(source, "data", "content"), beside(block, "source")]))
        cutting.add("message" if name is None else "tool_result", path, node, text, name=name)
        return
    data = source.get("data") or source.get("url") if isinstance(source, dict) else None
    media = media_of(
        str(block["type"]), data, by_tiles=False, media_type=text_at(source, "media_type")
    )
    cutting.add("media", path, node, beside(block, "source"), name=name, media=media)
