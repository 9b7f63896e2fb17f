"""What is a provider request made of? Segments: each part of it once, whoever the provider is.

A request is a tree; a segment is one branch of it, kept as it stood (`node`) with what a model
reads of it (`text`). Whatever no rule knows becomes a segment of kind `other`, so that no string
of a request is ever outside all segments.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workindex.assembler.audit.media import Media

# In the order in which providers put them before a model, as far as they say; tables keep it.
KINDS = (
    "output_schema",
    "tool_schema",
    "system",
    "message",
    "reasoning",
    "tool_call",
    "tool_result",
    "media",
    "other",
    "parameters",
)
CACHE_MARKS = ("cache_control", "cachePoint")
# Keys that say what a part is or which it answers; models do not read them as text.
QUIET = frozenset(
    {
        *("type", "role", "name", "id", "index", "status", "phase", "cache_control"),
        *("call_id", "tool_call_id", "tool_use_id", "toolUseId", "tool_calls", "content"),
        *("citations", "annotations", "logprobs", "signature", "caller", "container"),
        *("is_error", "detail", "media_resolution"),
    }
)


@dataclass(frozen=True, slots=True)
class Segment:
    """One part of a request.

    `message` is the index of its message, `turn` counts the user's messages up to it (from 1),
    both None outside the conversation. `name` is a tool's name. `text` is counted; it is empty for
    media, which are estimated, and for parameters, which no model reads.
    """

    kind: str
    path: str
    node: Any
    text: str
    role: str | None = None
    message: int | None = None
    turn: int | None = None
    name: str | None = None
    media: Media | None = None

    def wire(self) -> bytes:
        """The segment as compact JSON in UTF-8, keys as sent, without marks for a cache."""
        return shown(self.node).encode("utf-8", "surrogatepass")


@dataclass
class Cutting:
    """Collects the segments of one request, in the order in which a model reads them."""

    segments: list[Segment] = field(default_factory=list)
    message: int | None = None
    turn: int | None = None
    role: str | None = None
    _tools: dict[str, str] = field(default_factory=dict)

    def add(
        self,
        kind: str,
        path: str,
        node: Any,
        text: str,
        *,
        name: str | None = None,
        media: Media | None = None,
    ) -> None:
        """One segment at the place where the cutting stands."""
        text = "" if kind == "parameters" else text
        at = (self.role, self.message, self.turn)
        self.segments.append(Segment(kind, path, node, text, *at, name=name, media=media))

    def begin(self, message: int, role: str | None, *, is_turn: bool) -> None:
        """A message begins; `is_turn` where a person speaks in it."""
        self.message, self.role = message, role
        self.turn = (self.turn or 0) + is_turn

    def end(self) -> None:
        """The conversation is over: what follows stands in no message."""
        self.message = self.turn = self.role = None

    def calls(self, identity: Any, name: str) -> None:
        """Remembers which tool a call is of, so that its result has a name."""
        if isinstance(identity, str):
            self._tools[identity] = name

    def called(self, identity: Any) -> str | None:
        """The tool of the call with that id."""
        return self._tools.get(identity) if isinstance(identity, str) else None

    def leftovers(self, request: Mapping[str, Any], taken: set[str], known: frozenset[str]) -> None:
        """Everything at the top that no rule took: settings in one segment, unknown keys each."""
        settings = {key: value for key, value in request.items() if key in known - taken}
        for key, value in request.items():
            if key not in taken and key not in known:
                self.add("other", key, {key: value}, told(value))
        if settings:
            self.add("parameters", "", settings, "")


def compact(value: Any) -> str:
    """The value as JSON without spaces, keys in their order; bytes as base64."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def told(value: Any, *keys: str) -> str:
    """What a model reads of a part: the text of `keys`, then whatever else it holds, as JSON.

    Without keys, and for all that is no object, the whole value.
    """
    if isinstance(value, str):
        return value
    if not keys or not isinstance(value, dict):
        return shown(value)
    main = [told(value[key]) for key in keys if value.get(key) is not None]
    rest = beside(value, *keys)
    return "\n".join([*main, rest] if rest else main)


def beside(value: Mapping[str, Any], *keys: str) -> str:
    """What an object holds beside those keys and the quiet ones, as JSON; empty for nothing."""
    rest = {key: one for key, one in value.items() if key not in keys and key not in QUIET}
    return shown(rest) if rest else ""


def shown(value: Any) -> str:
    """The value as compact JSON, without marks for a cache."""
    text = compact(value)
    return compact(unmarked(value)) if any(mark in text for mark in CACHE_MARKS) else text


def unmarked(node: Any) -> Any:
    """The node without marks for a cache, which a provider takes out before a model reads it."""
    if isinstance(node, dict):
        return {key: unmarked(one) for key, one in node.items() if key not in CACHE_MARKS}
    if isinstance(node, list):
        return [unmarked(one) for one in node if not is_mark(one)]
    return node


def is_mark(node: Any) -> bool:
    """Whether the part is a mark for a cache and nothing else."""
    return isinstance(node, dict) and len(node) == 1 and next(iter(node)) in CACHE_MARKS


def listed(value: Any) -> list[Any]:
    """The parts of a content: a list as it is, one value as a list of one, none as none."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def text_at(node: Any, *keys: str) -> str | None:
    """The string under those keys, one in the other; None where there is none."""
    for key in keys:
        node = node.get(key) if isinstance(node, dict) else None
    return node if isinstance(node, str) else None
