"""The audit on requests built from real tools, dialogues and transcripts, by independent counts."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import quicktok  # type: ignore[import-untyped]

from workindex.assembler.audit import audit_files
from workindex.assembler.audit.measured import measure
from workindex.assembler.audit.report import Audit
from workindex.assembler.audit.shapes import recognised
from workindex.assembler.tokens import counter

DATA = Path(__file__).parents[4] / "shared/data"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason=f"the real data {DATA} is not here")
SERVERS, TOOLS = 70, 527


def compact(value: Any) -> str:
    """JSON as it goes over the wire."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def tokens(texts: list[str]) -> int:
    """By a tokenizer that the counters do not use for this encoding."""
    other = quicktok.get_encoding("o200k_base")
    return sum(len(other.encode_ordinary(text)) for text in texts)


@cache
def tools() -> tuple[dict[str, Any], ...]:
    """527 real tools as OpenAI Chat takes them."""
    servers = json.loads((DATA / "livemcpbench/tools.json").read_text(encoding="utf-8"))
    assert len(servers) == SERVERS
    return tuple(
        {
            "type": "function",
            "function": {
                "name": tool["name"],
                "description": tool.get("description") or "",
                "parameters": tool["inputSchema"],
            },
        }
        for server in servers
        for part in server["tools"].values()
        for tool in part["tools"]
    )


def transcript() -> str:
    """A real meeting of several hundred turns."""
    path = sorted((DATA / "qmsum/val").glob("*.json"))[0]
    meeting = json.loads(path.read_text(encoding="utf-8"))["meeting_transcripts"]
    assert len(meeting) > 300
    return "\n".join(f"{turn['speaker']}: {turn['content']}" for turn in meeting)


def test_a_real_catalogue_is_counted_tool_by_tool() -> None:
    """70 servers, 527 tools: about 89,000 tokens for a question of six words."""
    ask = "Does anything wait for me today?"
    body = {
        "model": "gpt-4o",
        "tools": list(tools()),
        "messages": [{"role": "user", "content": ask}],
    }
    found = measure(recognised(body))
    kinds = {one["kind"]: one for one in Audit((found,), ()).document()["by_kind"]}
    texts = [compact(tool) for tool in tools()]
    assert kinds["tool_schema"]["segments"] == TOOLS
    assert kinds["tool_schema"]["tokens"] == tokens(texts)
    assert kinds["tool_schema"]["bytes"] == sum(len(text.encode()) for text in texts)
    assert 80_000 < kinds["tool_schema"]["tokens"] < 100_000
    assert kinds["message"]["tokens"] == tokens([ask])
    assert kinds["tool_schema"]["share"] > 0.999
    document = Audit((found,), ()).document()
    assert document["unused_tools"]["tokens"] == kinds["tool_schema"]["tokens"]
    assert document["unused_tools"]["unused"] == len({tool["function"]["name"] for tool in tools()})


def test_a_transcript_by_two_ways_is_found_twice() -> None:
    """Once in the system text under a head, once in a message: all its tokens but the first."""
    text = transcript()
    system = f"You help in meetings.\n\nThe transcript so far:\n{text}\n\nAnswer shortly."
    messages = [{"role": "user", "content": text}, {"role": "user", "content": "What was decided?"}]
    body = {"model": "claude-opus-4-7", "system": system, "messages": messages}
    found = Audit((measure(recognised(body), counter("o200k_base")),), ()).document()
    repeat = found["requests"][0]["repeated"]
    assert [(one["first"], one["again"]) for one in repeat] == [("system", "messages[0].content")]
    assert repeat[0]["share"] > 0.98
    assert repeat[0]["tokens"] == pytest.approx(tokens([text]), rel=0.02)
    assert found["totals"]["tokens"]["sum"] == tokens([system, text, "What was decided?"])
    same = {**body, "system": text}
    again = Audit((measure(recognised(same), counter("o200k_base")),), ()).document()
    assert again["requests"][0]["repeated"][0]["is_identical"]
    assert again["requests"][0]["repeated"][0]["tokens"] == tokens([text])


def dialogue() -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[str]]:
    """Tools, messages and called names of a real session of several turns, as Anthropic has it."""
    path = DATA / "bfcl/BFCL_v4_multi_turn_base.json"
    first = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    answers = DATA / "bfcl/possible_answer/BFCL_v4_multi_turn_base.json"
    calls = json.loads(answers.read_text(encoding="utf-8").splitlines()[0])["ground_truth"]
    folder = DATA / "bfcl/multi_turn_func_doc"
    given = [
        json.loads(line)
        for name in ("gorilla_file_system", "posting_api")
        for line in (folder / f"{name}.json").read_text(encoding="utf-8").splitlines()
    ]
    offered = [
        {"name": one["name"], "description": one["description"], "input_schema": one["parameters"]}
        for one in given
    ]
    messages: list[dict[str, Any]] = []
    names: list[str] = []
    for turn, answer in zip(first["question"], calls, strict=True):
        messages += turn
        for call in answer:
            names.append(call.partition("(")[0])
            key = f"t{len(names)}"
            use = {"type": "tool_use", "id": key, "name": names[-1], "input": {"call": call}}
            result = {"type": "tool_result", "tool_use_id": key, "content": "done"}
            messages += [
                {"role": "assistant", "content": [use]},
                {"role": "user", "content": [result]},
            ]
    return offered, messages, names


def test_a_real_session_is_cut_into_its_calls(tmp_path: Path) -> None:
    """One request a step: tools never called, what is sent again, and a prefix that only grows."""
    offered, messages, names = dialogue()
    assert len(names) > 5
    ends = [at + 1 for at, one in enumerate(messages) if one["role"] == "user"]
    bodies = [
        {"model": "claude-opus-4-7", "tools": offered, "messages": messages[:end]} for end in ends
    ]
    path = tmp_path / "session.ndjson"
    path.write_text("".join(compact(body) + "\n" for body in bodies), encoding="utf-8")
    document = audit_files([path], counter("o200k_base")).document()
    assert document["refused"] == []
    assert document["totals"]["requests"] == len(ends)
    unused = {tool["name"] for tool in offered} - set(names)
    assert {one["name"] for one in document["unused_tools"]["tools"]} == unused
    schemas = [compact(tool) for tool in offered if tool["name"] in unused]
    assert document["unused_tools"]["tokens"] == len(ends) * tokens(schemas)
    totals = [one["tokens"] for one in document["requests"]]
    assert [one["tokens"] for one in document["prefixes"]] == totals[:-1]
    assert {one["breaks"] for one in document["prefixes"]} == {None}
    last = document["requests"][-1]["segments"]
    assert [one["name"] for one in last if one["kind"] == "tool_call"] == names
    assert [one["name"] for one in last if one["kind"] == "tool_result"] == names


def test_a_clock_at_the_front_breaks_every_prefix(tmp_path: Path) -> None:
    """The minute in the system text costs the whole conversation; behind it, only itself."""
    offered, messages, _ = dialogue()
    system = ["It is 09:01. You help.", "It is 09:02. You help."]
    bodies = [
        {"model": "claude", "tools": offered, "system": one, "messages": messages} for one in system
    ]
    path = tmp_path / "calls.json"
    path.write_text(json.dumps(bodies), encoding="utf-8")
    document = audit_files([path], counter("o200k_base")).document()
    kept = document["prefixes"][0]
    assert kept["breaks"]["path"] == "system"
    schemas = [compact(tool) for tool in offered]
    size = sum(len(text.encode()) + 1 for text in schemas) + len('"It is 09:0')
    assert (kept["bytes"], kept["tokens"]) == (size, tokens([*schemas, "It is 09:0"]))
