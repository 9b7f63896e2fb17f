"""Every part of a request is in a segment, whoever the provider is and whatever else it holds."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workindex.assembler.audit.segments import KINDS, Segment, unmarked
from workindex.assembler.audit.shapes import ALL_SHAPES, Shape, recognised

EXAMPLES = Path(__file__).parents[3] / "examples/requests"
SAMPLES: dict[str, dict[str, Any]] = {
    shape.name: json.loads((EXAMPLES / f"{shape.name}.json").read_text(encoding="utf-8"))
    for shape in ALL_SHAPES
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3)
    ),
    max_leaves=8,
)
# Keys that only hold parts, and that nothing stands under where a request was emptied there.
FRAME = {"tools", "content", "toolResult", "tool_calls", "output"}
shapes = pytest.mark.parametrize("shape", ALL_SHAPES, ids=[one.name for one in ALL_SHAPES])


def strings(node: Any) -> Iterator[str]:
    """Every string of a tree, keys among them."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        for key, value in node.items():
            yield key
            yield from strings(value)
    elif isinstance(node, list):
        for value in node:
            yield from strings(value)


def places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a tree that a value can be put to: the holder and its key or index."""
    if isinstance(node, dict | list):
        for key, value in list(node.items() if isinstance(node, dict) else enumerate(node)):
            yield node, key
            yield from places(value)


def missing(body: dict[str, Any], segments: list[Segment]) -> set[str]:
    """The strings of the request that no segment holds; the top's own keys are its frame."""
    return set(strings(body)) - {text for one in segments for text in strings(one.node)} - set(body)


def texts(segments: list[Segment], kind: str) -> list[str]:
    """What a model reads of the segments of a kind."""
    return [one.text for one in segments if one.kind == kind]


@shapes
def test_no_string_of_a_sample_is_outside_all_segments(shape: Shape) -> None:
    """The samples hold what the providers' documents show: tools, media, calls, results."""
    request = recognised(SAMPLES[shape.name])
    assert request.shape is shape
    assert missing(request.body, request.segments()) - FRAME == set()
    assert {one.kind for one in request.segments()} <= set(KINDS)


@shapes
@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_whatever_a_request_holds_is_in_a_segment(shape: Shape, data: st.DataObject) -> None:
    """Also unknown keys, blocks of later versions and values of a wrong type, anywhere."""
    body = copy.deepcopy(SAMPLES[shape.name])
    for number in range(data.draw(st.integers(1, 4))):
        holder, key = data.draw(st.sampled_from(list(places(body))))
        value = data.draw(JSON)
        if isinstance(holder, dict) and data.draw(st.booleans()):
            key = f"added {number}"
            holder[key] = value
        elif isinstance(holder, dict):
            holder[key] = value
        else:
            holder.insert(key, value)
    assert missing(body, shape.cut(body)) - FRAME == set()


@shapes
def test_a_string_of_the_conversation_is_counted_once(shape: Shape) -> None:
    """Each text that a model reads is in the text of exactly one segment."""
    body = copy.deepcopy(SAMPLES[shape.name])
    marks = 0
    for holder, key in list(places(body)):
        read = key in ("text", "thinking", "arguments", "description", "instructions", "output")
        if read and isinstance(holder[key], str):
            holder[key] = f"mark{marks}."
            marks += 1
    counted = "\n".join(one.text for one in shape.cut(body))
    assert marks > 5
    assert [counted.count(f"mark{number}.") for number in range(marks)] == [1] * marks


def test_the_order_is_the_provider_s() -> None:
    """Output schema and tools before system before messages: what a cache keeps from the front."""
    for shape in ALL_SHAPES:
        kinds = [one.kind for one in shape.cut(SAMPLES[shape.name]) if one.kind != "parameters"]
        firsts = list(dict.fromkeys(kinds))
        order = ["output_schema", "tool_schema", "system", "message"]
        assert [kind for kind in firsts if kind in order] == [k for k in order if k in firsts]


def test_messages_have_a_role_and_a_turn() -> None:
    """A turn begins where a person speaks; results of tools belong to the turn they serve."""
    found = [
        (one.kind, one.role, one.message, one.turn, one.name)
        for one in recognised(SAMPLES["openai_chat"]).segments()
        if one.message is not None
    ]
    assert found == [
        ("system", "system", 0, 0, None),
        ("message", "user", 1, 1, None),
        ("media", "user", 1, 1, None),
        ("tool_call", "assistant", 2, 1, "find_tasks"),
        ("tool_result", "tool", 3, 1, "find_tasks"),
        ("message", "user", 4, 2, None),
    ]
    turns = [one.turn for one in recognised(SAMPLES["anthropic"]).segments() if one.turn]
    assert set(turns) == {1}


def test_arguments_without_text_are_counted() -> None:
    """A message with empty text and 40,000 characters of arguments costs its arguments."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "7" * 40_000}}
    body = {"messages": [{"role": "assistant", "content": "", "tool_calls": [call]}]}
    segments = recognised(body).segments()
    assert texts(segments, "tool_call") == ["f\n" + "7" * 40_000]
    same = {"messages": [{"role": "assistant", "content": [
        {"type": "tool_use", "id": "c", "name": "f", "input": {"a": "7" * 40_000}}]}]}  # fmt: skip
    assert len(texts(recognised(same).segments(), "tool_call")[0]) > 40_000


def test_a_setting_is_no_text() -> None:
    """What steers the provider costs no token; what nobody knows is counted."""
    body = {"model": "gpt-5", "seed": 7, "later": "a rule", "messages": [{"role": "user"}]}
    segments = recognised(body).segments()
    assert [(one.kind, one.text) for one in segments] == [
        ("message", ""),
        ("other", "a rule"),
        ("parameters", ""),
    ]
    assert segments[-1].node == {"model": "gpt-5", "seed": 7}


def test_marks_for_a_cache_change_no_bytes() -> None:
    """Moving a mark to a later message, as clients do, leaves the earlier bytes as they were."""
    block = {"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}
    assert unmarked([block, {"cachePoint": {"type": "default"}}]) == [
        {"type": "text", "text": "hi"}
    ]
    marked = {"system": "s", "messages": [{"role": "user", "content": [block]}]}
    bare = {"system": "s", "messages": [{"role": "user", "content": [unmarked(block)]}]}
    wires = [[one.wire() for one in recognised(body).segments()] for body in (marked, bare)]
    assert wires[0] == wires[1]
