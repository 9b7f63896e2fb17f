"""Which segments does a request to Bedrock Converse have?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workindex.assembler.audit.media import media_of
from workindex.assembler.audit.segments import (
    QUIET,
    Cutting,
    Segment,
    beside,
    is_mark,
    listed,
    text_at,
    told,
)

PARAMETERS = frozenset(
    {
        *("modelId", "inferenceConfig", "additionalModelRequestFields", "guardrailConfig"),
        *("additionalModelResponseFieldPaths", "requestMetadata", "performanceConfig"),
        *("promptVariables", "serviceTier"),
    }
)
MEDIA = ("image", "document", "video", "audio")
Wrap = Callable[[Any], Any]


def cut(request: dict[str, Any]) -> list[Segment]:
    """The segments in the order output schema, tools, system, messages."""
    cutting = Cutting()
    if (form := request.get("outputConfig")) is not None:
        cutting.add("output_schema", "outputConfig", {"outputConfig": form}, told(form))
    config = request.get("toolConfig")
    tools = config.get("tools") if isinstance(config, dict) else config
    for at, tool in enumerate(listed(tools)):
        name = text_at(tool, "toolSpec", "name") or text_at(tool, "systemTool", "name")
        kind = "parameters" if is_mark(tool) else "tool_schema"
        cutting.add(kind, f"toolConfig.tools[{at}]", tool, told(tool), name=name)
    for at, block in enumerate(listed(request.get("system"))):
        kind = "parameters" if is_mark(block) else "system"
        cutting.add(kind, f"system[{at}]", block, told(block, "text"))
    for at, message in enumerate(listed(request.get("messages"))):
        _message(cutting, at, message)
    cutting.end()
    taken = {"messages", "system", "outputConfig", "toolConfig"}
    if isinstance(config, dict) and (rest := {k: v for k, v in config.items() if k != "tools"}):
        cutting.add("parameters", "toolConfig", {"toolConfig": rest}, "")
    cutting.leftovers(request, taken, PARAMETERS)
    return cutting.segments


def _message(cutting: Cutting, at: int, message: Any) -> None:
    path = f"messages[{at}]"
    if not isinstance(message, dict):
        cutting.add("other", path, message, told(message))
        return
    role, content = text_at(message, "role"), message.get("content")
    blocks = listed(content)
    said = [one for one in blocks if not is_mark(one) and not _is_result(one)]
    cutting.begin(at, role, is_turn=role == "user" and bool(said or not blocks))
    if beside(message) or not blocks:
        cutting.add("message", path, {**message, "content": []}, beside(message))
    head = {key: message[key] for key in message if key in QUIET - {"content"}}
    for number, block in enumerate(blocks):
        _block(cutting, f"{path}.content[{number}]", block, lambda one: {**head, "content": [one]})


def _is_result(block: Any) -> bool:
    return isinstance(block, dict) and "toolResult" in block


def _block(cutting: Cutting, path: str, block: Any, wrap: Wrap) -> None:
    if isinstance(block, dict) and len(block) > 1:  # a block is one key and what stands under it
        for key, one in block.items():
            _block(cutting, path, {key: one}, wrap)
        return
    kind = next(iter(block), "") if isinstance(block, dict) else ""
    inner = block.get(kind) if isinstance(block, dict) else None
    if is_mark(block):
        cutting.add("parameters", path, block, "")
    elif isinstance(block, str) or (kind == "text" and isinstance(inner, str)):
        cutting.add("message", path, wrap(block), told(block, "text"))
    elif kind in MEDIA:
        _media(cutting, path, kind, block, wrap(block))
    elif kind == "toolUse" and isinstance(inner, dict):
        name = text_at(inner, "name") or ""
        cutting.calls(inner.get("toolUseId"), name)
        cutting.add("tool_call", path, wrap(block), f"{name}\n{told(inner, 'input')}", name=name)
    elif kind == "toolResult" and isinstance(inner, dict):
        _result(cutting, path, inner, wrap)
    elif kind == "reasoningContent":
        text = text_at(inner, "reasoningText", "text")
        cutting.add("reasoning", path, wrap(block), told(inner) if text is None else text)
    else:
        cutting.add("other", path, wrap(block), told(block))


def _result(cutting: Cutting, path: str, result: dict[str, Any], wrap: Wrap) -> None:
    name = cutting.called(result.get("toolUseId"))
    parts = listed(result.get("content"))
    around = {key: one for key, one in result.items() if key != "content"}
    if beside(result) or not parts:
        node = wrap({"toolResult": {**around, "content": []}})
        cutting.add("tool_result", path, node, beside(result), name=name)
    for number, part in enumerate(parts):
        where = f"{path}.toolResult.content[{number}]"
        node = wrap({"toolResult": {**around, "content": [part]}})
        kind = next(iter(part), "") if isinstance(part, dict) else ""
        if kind in MEDIA:
            _media(cutting, where, kind, part, node, name)
        else:
            text = told(part, kind) if kind in ("text", "json") else told(part)
            cutting.add("tool_result", where, node, text, name=name)


def _media(
    cutting: Cutting,
    path: str,
    kind: str,
    block: dict[str, Any],
    node: Any,
    name: str | None = None,
) -> None:
    if (text := text_at(block, kind, "source", "text")) is not None:
        cutting.add("message" if name is None else "tool_result", path, node, text, name=name)
        return
    data = text_at(block, kind, "source", "bytes")
    media = media_of(kind, data, by_tiles=False, media_type=text_at(block, kind, "format"))
    inner = block[kind]
    about = beside(inner, "source", "format") if isinstance(inner, dict) else told(inner)
    cutting.add("media", path, node, about, name=name, media=media)
