"""Does docs/turns.md do what it says?"""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from workindex import UserScope, WorkIndex
from workindex.assembler.tools import ToolAccess, ToolCatalogue, registry_from_files
from workindex.service.assembling import AssembleSettings

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "turns.md"
MAIL = ROOT / "examples" / "tools" / "mail.json"
ASKED = {"text": "Tell Bo about the venue", "thread_id": "TH-1", "message_id": "m-1"}
BLOCKS = dict(re.findall(r"```(python|toml|py)\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL))


class Client:
    """A model that plays its part: each reply is what it calls, or what it says."""

    def __init__(self, *replies: Any) -> None:
        self.requests: list[dict[str, Any]] = []
        self._replies = list(replies)
        self.messages = self

    def create(self, **request: Any) -> Any:
        self.requests.append({**request, "messages": list(request["messages"])})
        reply = self._replies.pop(0)
        if isinstance(reply, str):
            return SimpleNamespace(content=[SimpleNamespace(type="text", text=reply)])
        name, arguments = reply
        use = SimpleNamespace(type="tool_use", id="u-1", name=name, input=arguments)
        return SimpleNamespace(content=[use])

    @property
    def results(self) -> list[str]:
        """What it was told for its calls."""
        return [one["messages"][-1]["content"][0]["content"] for one in self.requests[1:]]


@pytest.fixture
def page(work_index: WorkIndex) -> dict[str, Any]:
    """The names that the page's program defines."""
    given: dict[str, Any] = {}
    exec(compile(BLOCKS["python"], str(PAGE), "exec"), given)
    return given


def test_the_program_of_the_page_is_a_turn(page: dict[str, Any], ann: UserScope) -> None:
    """The model is given the working set, its calls run or are refused in words, both are kept."""
    sent: list[Any] = []

    def run_tool(call: Any) -> Any:
        sent.append((call.tool.full_name, call.arguments))
        return {"sent": "<item>"}

    letter = {"name": "mail.send", "arguments": {"to": "Bo", "text": "The venue is booked"}}
    client = Client(
        ("call_tool", letter),
        ("load_tool_group", {"namespace": "mail"}),
        ("call_tool", letter),
        ("get_context", {"type": "task"}),
        ("rm", {}),
        "Done.",
    )
    access = ToolAccess(ToolCatalogue(registry_from_files([MAIL])))
    page["REQUESTS_MAX"] = 6
    assert page["reply_to"](ann, ASKED, client, access, run_tool) == "Done."
    assert sent == [(letter["name"], letter["arguments"])]
    first = client.requests[0]
    assert first["system"].startswith("You are the assistant")
    assert "Tell Bo about the venue" in first["messages"][0]["content"]
    assert [one["name"] for one in first["tools"]][-1] == "call_tool"
    refused, loaded, ran, found, unknown = client.results
    assert '"error":"tool_not_loaded"' in refused
    assert "mail.send" in loaded
    assert '{"sent":"\\u003citem\\u003e"}' in ran
    assert found == '{"items":0}'
    assert "is none of get_context" in unknown
    kept = [event.fact.model_dump() for event in ann.log()]
    assert [(one["role"], one["text"]) for one in kept] == [
        ("user", ASKED["text"]),
        ("assistant", "Done."),
    ]


def test_a_state_question_and_a_text_that_is_too_long_call_no_model(
    page: dict[str, Any], ann: UserScope
) -> None:
    """The state answers, and the person is asked to shorten."""
    asked = {**ASKED, "text": "what needs me?"}
    assert "Nothing needs you" in page["reply_to"](ann, asked, Client(), None, None)
    long = {**ASKED, "text": "word " * 30_000, "message_id": "m-2"}
    assert "Store the long part" in page["reply_to"](ann, long, Client(), None, None)


def test_a_budget_and_the_words_of_a_checkpoint_are_taken(
    page: dict[str, Any], ann: UserScope, tmp_path: Path
) -> None:
    """The settings file is read, and the checkpoint is recorded with the goal."""
    (tmp_path / "policies.toml").write_text(BLOCKS["toml"])
    chosen: Any = {"policy": "small", "settings_file": tmp_path / "policies.toml"}
    assert ann.assemble({"text": "hello"}, **chosen).budget.target == 8_000
    page["reply_to"](ann, {**ASKED, "message_id": "m-80"}, Client("Fine."), None, None)
    exec(BLOCKS["py"], {"user": ann, "ASSISTANT": page["ASSISTANT"]})
    assert ann.checkpoint_draft("TH-1").goal == "Find a venue for 40 people"


def test_every_setting_of_a_turn_is_on_the_page() -> None:
    """What `assemble` takes by name is told there, and nothing that it does not take."""
    _, _, section = PAGE.read_text("utf-8").partition("## What you decide for a turn")
    rows = [row.split("|")[1] for row in section.partition("\n## ")[0].splitlines() if "|" in row]
    told = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert told == set(AssembleSettings.__annotations__)
