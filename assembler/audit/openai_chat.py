"""Which segments does a request to OpenAI Chat Completions have? Many gateways take the same."""

from __future__ import annotations

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
        *("model", "max_tokens", "max_completion_tokens", "temperature", "top_p", "top_k", "n"),
        *("stop", "stream", "stream_options", "seed", "user", "metadata", "store", "logprobs"),
        *("top_logprobs", "logit_bias", "presence_penalty", "frequency_penalty", "tool_choice"),
        *("function_call", "parallel_tool_calls", "reasoning_effort", "verbosity", "modalities"),
        *("audio", "prediction", "service_tier", "safety_identifier", "prompt_cache_key"),
        *("prompt_cache_retention", "web_search_options", "extra_headers", "timeout"),
    }
)
SYSTEM_ROLES = ("system", "developer")
REASONING = ("reasoning_content", "reasoning", "reasoning_details")
RESULT_ROLES = ("tool", "function")
# What each part of a content that is no text is, and under which key its data stands.
MEDIA = {
    "image_url": ("image", ("image_url", "url")),
    "input_audio": ("audio", ("input_audio", "data")),
    "file": ("document", ("file", "file_data")),
    "video_url": ("video", ("video_url", "url")),
}


def cut(request: dict[str, Any]) -> list[Segment]:
    """The segments in the order output schema, tools, messages."""
    cutting = Cutting()
    if (form := request.get("response_format")) is not None:
        cutting.add("output_schema", "response_format", form, told(form))
    for key in ("tools", "functions"):
        for at, tool in enumerate(listed(request.get(key))):
            name = text_at(tool, "function", "name") or text_at(tool, "custom", "name")
            name = name or text_at(tool, "name")
            cutting.add("tool_schema", f"{key}[{at}]", tool, told(tool), name=name)
    for at, message in enumerate(listed(request.get("messages"))):
        _message(cutting, at, message)
    cutting.end()
    taken = {"messages", "tools", "functions", "response_format"}
    cutting.leftovers(request, taken, PARAMETERS)
    return cutting.segments


def _message(cutting: Cutting, at: int, message: Any) -> None:
    path = f"messages[{at}]"
    if not isinstance(message, dict):
        cutting.add("other", path, message, told(message))
        return
    role, content = text_at(message, "role"), message.get("content")
    cutting.begin(at, role, is_turn=role == "user")
    head = {key: message[key] for key in message if key in QUIET - {"content", "tool_calls"}}
    name = cutting.called(message.get("tool_call_id")) or text_at(message, "name")
    calls = [*listed(message.get("tool_calls")), *listed(message.get("function_call"))]
    for key in REASONING:
        if message.get(key):
            cutting.add(
                "reasoning", f"{path}.{key}", {**head, key: message[key]}, told(message[key])
            )
    rest = beside(message, "function_call", *REASONING)
    if rest or not (listed(content) or calls):
        bare = {key: message[key] for key in message if key not in ("content", "tool_calls")}
        cutting.add("message", path, {**bare, "content": None}, rest)
    for number, part in enumerate(listed(content)):
        where = f"{path}.content[{number}]" if isinstance(content, list) else f"{path}.content"
        node = {**head, "content": [part] if isinstance(content, list) else part}
        _part(cutting, where, part, node, name if role in RESULT_ROLES else None)
    for number, call in enumerate(calls):
        _call(cutting, f"{path}.tool_calls[{number}]", call, {**head, "tool_calls": [call]})


def _part(cutting: Cutting, path: str, part: Any, node: Any, name: str | None) -> None:
    form = text_at(part, "type") or ""
    if form in MEDIA:
        what, keys = MEDIA[form]
        detail = text_at(part, form, "detail")
        media = media_of(what, text_at(part, *keys), by_tiles=True, detail=detail)
        cutting.add("media", path, node, beside(part, form), name=name, media=media)
        return
    kind = "message"
    if cutting.role in SYSTEM_ROLES:
        kind = "system"
    elif cutting.role in RESULT_ROLES:
        kind = "tool_result"
    if isinstance(part, str) or form in ("text", "refusal"):
        cutting.add(kind, path, node, told(part, "text", "refusal"), name=name)
    else:
        cutting.add("other" if kind == "message" else kind, path, node, told(part), name=name)


def _call(cutting: Cutting, path: str, call: Any, node: Any) -> None:
    inner = call
    for key in ("function", "custom"):
        if isinstance(call, dict) and isinstance(call.get(key), dict):
            inner = call[key]
    name = text_at(inner, "name") or ""
    if isinstance(call, dict):
        cutting.calls(call.get("id"), name)
    text = f"{name}\n{told(inner, 'arguments', 'input')}"
    cutting.add("tool_call", path, node, text, name=name)
