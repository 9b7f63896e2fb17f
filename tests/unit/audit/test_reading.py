"""Files of requests: JSON or NDJSON, one or many, wrapped or bare; each fault has its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workindex.assembler.audit import audit_files
from workindex.assembler.audit.reading import read_file, read_text
from workindex.assembler.audit.shapes import Request, UnknownRequest, recognised

CHAT = {"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}]}
CLAUDE = {"model": "claude-opus-4-7", "max_tokens": 9, "messages": CHAT["messages"]}


def found(text: str) -> list[str]:
    """What stands in a text: shape and line of each request, the message of each fault."""
    return [
        f"{one.shape.name}:{one.line}" if isinstance(one, Request) else str(one)
        for one in read_text(text, "f")
    ]


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        (CHAT, "openai_chat"),
        ({"messages": [{"role": "user", "content": "hi"}]}, "openai_chat"),
        (CLAUDE, "anthropic"),
        ({**CHAT, "system": "s"}, "anthropic"),
        ({**CHAT, "tools": [{"name": "t", "input_schema": {}}]}, "anthropic"),
        ({"model": "claude-3", "messages": [{"role": "system", "content": "s"}]}, "openai_chat"),
        ({**CHAT, "tools": [{"type": "function", "function": {"name": "t"}}]}, "openai_chat"),
        ({"messages": [{"role": "user", "content": [{"text": "hi"}]}]}, "bedrock"),
        ({"messages": [{"role": "user", "content": [{"text": "hi"}]}], "system": []}, "bedrock"),
        ({"model": "gpt-5", "input": "hi"}, "openai_responses"),
        ({"input": [{"role": "user", "content": "hi"}]}, "openai_responses"),
    ],
)
def test_a_shape_is_told_by_what_only_it_holds(body: dict[str, Any], shape: str) -> None:
    """The same few keys are common to all; the telling ones decide."""
    assert recognised(body).shape.name == shape


@pytest.mark.parametrize(
    "wrapped",
    [
        {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": CHAT},
        {"custom_id": "1", "params": CHAT},
        {"at": "2026-03-04", "request": {"body": json.dumps(CHAT)}},
        {"kwargs": CHAT},
    ],
)
def test_logs_and_batch_files_hold_a_request_inside(wrapped: dict[str, Any]) -> None:
    """The request is the same as without its wrapper."""
    assert recognised(wrapped) == recognised(CHAT)


def test_a_model_named_outside_the_body_is_its_model() -> None:
    """Bedrock's InvokeModel names it beside the body."""
    body = {"anthropic_version": "bedrock-2023-05-31", "messages": CHAT["messages"]}
    request = recognised({"modelId": "anthropic.claude-opus-4-7", "body": json.dumps(body)})
    assert (request.shape.name, request.model) == ("anthropic", "anthropic.claude-opus-4-7")


def test_one_and_many_json_and_ndjson() -> None:
    """Whatever stands in the file, each request is found with its line."""
    chat, claude = json.dumps(CHAT), json.dumps(CLAUDE)
    assert found(chat) == ["openai_chat:1"]
    assert found("\n\n" + json.dumps(CHAT, indent=2) + "\n") == ["openai_chat:3"]
    assert found(f"{chat}\n\n{claude}\n") == ["openai_chat:1", "anthropic:3"]
    assert found(f"[{chat},\n{claude}]") == ["openai_chat:1", "anthropic:1"]
    files = [one.file for one in read_text(f"[{chat},{claude}]", "f") if isinstance(one, Request)]
    assert files == ["f[0]", "f[1]"]


def test_a_fault_names_file_line_and_what_was_found() -> None:
    """Good lines around it are read all the same."""
    chat = json.dumps(CHAT)
    told = found(f'{chat}\n{{"a": 1, "b": 2}}\n{chat[:-1]}\n7\n{chat}\n')
    assert told[0] == "openai_chat:1"
    assert told[1].startswith("f, line 2: no request of Bedrock Converse, Anthropic Messages, ")
    assert "an object with the keys 'a', 'b'; give the body" in told[1]
    assert told[2].startswith("f, line 3, column ")
    assert "not JSON" in told[2]
    assert "line 4" in told[3]
    assert "int '7'" in told[3]
    assert told[4] == "openai_chat:5"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f, line 1: the file is empty"),
        ('{\n "a": 1,\n oops\n}', "f, line 3, column 2: not JSON"),
        ('{"model": "a", "model": "b"}', "f, line 1: the key 'model' stands twice"),
        ('{"temperature": NaN}', "f, line 1: NaN is no number of JSON"),
        ("[" * 100_000, "f, line 1: nested too deeply"),
        ("[[]]", "a list of 0"),
        ('{"messages": []}', "an object with the keys 'messages'"),
        ('{"messages": "hi"}', "an object with the keys 'messages'"),
        ('{"kind": "request_measured", "format": 9}', "a record of format 9"),
        ('{"kind": "request_measured", "format": 1}', "a broken record"),
    ],
)
def test_what_is_no_request_is_refused(text: str, message: str) -> None:
    """With the place and the thing; never a guess, never a traceback."""
    told = found(text)
    assert len(told) == 1
    assert message in told[0]


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """A typed error each; the other files are measured."""
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "marked.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(CHAT).encode())
    with pytest.raises(UnknownRequest, match="byte 0: not UTF-8"):
        list(read_file(tmp_path / "binary"))
    audit = audit_files([tmp_path / "binary", tmp_path / "gone", tmp_path / "marked.json"])
    assert [one.shape for one in audit.requests] == ["openai_chat"]
    assert [one.code for one in audit.refused] == ["unknown_request"] * 2
    assert "No such file" in str(audit.refused[1])
