"""The working set as text: one neutral rendering, by which tokens are counted.

Every segment belongs to one lane and ends in a newline. What comes from messages, memory,
artifacts and tools is data: it is written as one line of JSON in which no character that this
format gives a meaning can stand, so no text can forge an item, a lane or an instruction.
`parsed` reads a rendering back; what it finds is what was rendered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

import orjson

from workindex.assembler.envelope import ContextEnvelope, ContextItem, Lane, UserRequest
from workindex.domain.facts import utc

# Beside what JSON escapes itself: the signs that open and close items, and everything that some
# reader takes for the end of a line or that hides or reorders text.
_ESCAPED: Final = re.compile(
    "[<>&\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_ITEM: Final = re.compile(r"<item ([^<>\n]*)>\n([^<>\n]*)\n</item>\n")


class Segment(NamedTuple):
    """A run of text of one lane; `source_id` where it is one item."""

    lane: Lane
    text: str
    source_id: str | None = None


def data(value: Any) -> str:
    """A JSON value on one line, without any sign that the rendering gives a meaning."""
    text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    return _ESCAPED.sub(_escape, text)


def item_text(lane: Lane, item: ContextItem) -> str:
    """One item with its wrapper: what it is, where it is from, how far to trust it; its content."""
    heads: dict[str, Any] = {
        "lane": lane,
        "type": item.source_type,
        "source": item.source_id,
        "authority": item.authority,
        "as_of": utc(item.observed_at),
        "why": item.admission_reason,
    }
    if item.expires_at is not None:
        heads["expires"] = utc(item.expires_at)
    if item.sensitivity != "normal":
        heads["sensitivity"] = item.sensitivity
    attributes = " ".join(f"{name}={data(value)}" for name, value in heads.items())
    return f"<item {attributes}>\n{data(item.content)}\n</item>\n"


def plain(value: Any) -> Any:
    """The value as JSON has it: instants as text."""
    if isinstance(value, datetime):
        return utc(value)
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value


def rendered(segments: Sequence[Segment]) -> str:
    """The whole text."""
    for segment in segments:
        assert segment.text.endswith("\n"), f"{segment.lane} does not end in a newline"
    return "".join(segment.text for segment in segments)


def request_text(request: UserRequest) -> str:
    """The request with what the caller knows about it, as the last segment of a working set."""
    told = request.model_dump(mode="json", exclude_none=True, exclude={"text"})
    heads = " ".join(f"{name}={data(value)}" for name, value in sorted(told.items()))
    return f"<request {heads}>\n{data(request.text)}\n</request>\n"


def working_set_text(envelope: ContextEnvelope) -> str:
    """All that the model is given, byte for byte as its tokens were counted."""
    items = "".join(item_text(lane, one) for lane, held in envelope.lanes.items() for one in held)
    return f"{envelope.prefix}{items}{request_text(envelope.request)}"


def parsed(text: str) -> list[tuple[dict[str, Any], Any]]:
    """The items of a rendering, in order: their heads and their content."""
    found = []
    for heads, content in _ITEM.findall(text):
        fields = re.findall(r'(\w+)=("(?:[^"\\]|\\.)*")', heads)
        found.append(({name: orjson.loads(value) for name, value in fields}, orjson.loads(content)))
    return found


def _escape(found: re.Match[str]) -> str:
    sign = ord(found.group())
    if sign > 0xFFFF:
        sign -= 0x10000
        return f"\\u{0xD800 + (sign >> 10):04x}\\u{0xDC00 + (sign & 0x3FF):04x}"
    return f"\\u{sign:04x}"
