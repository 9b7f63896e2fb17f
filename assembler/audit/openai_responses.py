"""Which segments does a request to OpenAI Responses have?"""

from __future__ import annotations

from typing import Any

from workindex.assembler.audit.media import media_of, sealed
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
        *("model", "background", "include", "max_output_tokens", "max_tool_calls", "metadata"),
        *("parallel_tool_calls", "previous_response_id", "conversation", "prompt_cache_key"),
        *("prompt_cache_retention", "reasoning", "safety_identifier", "service_tier", "store"),
        *("stream", "stream_options", "temperature", "tool_choice", "top_logprobs", "top_p"),
        *("truncation", "user", "context_management", "extra_headers", "timeout"),
    }
)
SYSTEM_ROLES = ("system", "developer")
MEDIA = {
    "input_image": ("image", "image_url"),
    "input_audio": ("audio", "data"),
    "input_file": ("document", "file_data"),
}


def cut(request: dict[str, Any]) -> list[Segment]:
    """The segments in the order output schema, tools, instructions, input."""
    cutting = Cutting()
    if (text := request.get("text")) is not None:
        form = text.get("format") if isinstance(text, dict) else None
        cutting.add("output_schema", "text", {"text": text}, told(form or text))
    for at, tool in enumerate(listed(request.get("tools"))):
        name = text_at(tool, "name") or text_at(tool, "server_label") or text_at(tool, "type")
        cutting.add("tool_schema", f"tools[{at}]", tool, told(tool), name=name)
    for key in ("instructions", "prompt"):
        if request.get(key) is not None:
            cutting.add("system", key, {key: request[key]}, told(request[key]))
    given = request.get("input")
    if isinstance(given, str):
        cutting.begin(0, "user", is_turn=True)
        cutting.add("message", "input", {"input": given}, given)
        given = None
    for at, item in enumerate(listed(given)):
        _item(cutting, at, item)
    cutting.end()
    cutting.leftovers(request, {"text", "tools", "instructions", "prompt", "input"}, PARAMETERS)
    return cutting.segments


def _item(cutting: Cutting, at: int, item: Any) -> None:
    path = f"input[{at}]"
    if not isinstance(item, dict):
        cutting.add("other", path, item, told(item))
        return
    form = text_at(item, "type") or ("message" if "role" in item else "")
    role = text_at(item, "role")
    cutting.begin(at, role, is_turn=form == "message" and role == "user")
    if form == "message":
        _message(cutting, path, item)
    elif form.endswith("_call_output"):
        _output(cutting, path, item)
    elif form.endswith("_call"):
        name = text_at(item, "name") or form.removesuffix("_call")
        cutting.calls(item.get("call_id") or item.get("id"), name)
        text = told(item, "arguments", "input", "action", "output")
        cutting.add("tool_call", path, item, f"{name}\n{text}", name=name)
    elif form == "reasoning":
        hidden = text_at(item, "encrypted_content")
        shown = "\n".join(
            told(part, "text") for key in ("summary", "content") for part in listed(item.get(key))
        )
        cutting.add("reasoning", path, item, shown, media=sealed(hidden) if hidden else None)
    else:
        cutting.add("other", path, item, told(item))


def _message(cutting: Cutting, path: str, item: dict[str, Any]) -> None:
    content = item.get("content")
    parts = listed(content)
    if beside(item) or not parts:
        cutting.add("message", path, {**item, "content": []}, beside(item))
    head = {key: item[key] for key in item if key in QUIET - {"content"}}
    kind = "system" if cutting.role in SYSTEM_ROLES else "message"
    for number, part in enumerate(parts):
        where = f"{path}.content[{number}]" if isinstance(content, list) else f"{path}.content"
        node = {**head, "content": [part] if isinstance(content, list) else part}
        _part(cutting, where, part, node, kind)


def _output(cutting: Cutting, path: str, item: dict[str, Any]) -> None:
    name = cutting.called(item.get("call_id"))
    output = item.get("output")
    if beside(item, "output") or not listed(output):
        rest = {key: one for key, one in item.items() if key != "output"}
        cutting.add("tool_result", path, rest, beside(item, "output"), name=name)
    head = {key: item[key] for key in item if key in QUIET}
    for number, part in enumerate(listed(output)):
        where = f"{path}.output[{number}]" if isinstance(output, list) else f"{path}.output"
        node = {**head, "output": [part] if isinstance(output, list) else part}
        _part(cutting, where, part, node, "tool_result", name)


def _part(
    cutting: Cutting, path: str, part: Any, node: Any, kind: str, name: str | None = None
) -> None:
    form = text_at(part, "type") or ""
    if form in MEDIA:
        what, key = MEDIA[form]
        data = part.get(key) or text_at(part, form, key)
        detail = text_at(part, "detail")
        media = media_of(what, data, by_tiles=True, detail=detail)
        cutting.add("media", path, node, beside(part, key, form), name=name, media=media)
    elif isinstance(part, str) or form in ("input_text", "output_text", "text", "refusal"):
        cutting.add(kind, path, node, told(part, "text", "refusal"), name=name)
    else:
        cutting.add("other" if kind == "message" else kind, path, node, told(part), name=name)
