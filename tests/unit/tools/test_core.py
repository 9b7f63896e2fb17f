"""Is the list of tools that every request carries the same, small, and true to what is called?"""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from workindex.assembler.envelope import ToolCall
from workindex.assembler.policies import policy_named
from workindex.assembler.tokens import ALL_COUNTERS, MissingPackage, counter
from workindex.assembler.tools.asked import TYPES
from workindex.assembler.tools.calls import ToolSession
from workindex.assembler.tools.core import CORE_TOOLS, checked, core_text
from workindex.domain.errors import InvalidInput


def test_the_schemas_are_those_of_the_calls() -> None:
    """Each of the four is a method, its arguments are the method's, the mandatory ones too."""
    for tool in CORE_TOOLS:
        given = inspect.signature(getattr(ToolSession, tool.name)).parameters
        arguments = {name: one for name, one in given.items() if name != "self"}
        assert set(tool.schema["properties"]) == set(arguments)
        mandatory = [name for name, one in arguments.items() if one.default is one.empty]
        assert tool.schema["required"] == mandatory


@pytest.mark.parametrize("name", [one.name for one in ALL_COUNTERS])
def test_the_list_fits_what_strict_leaves_for_schemas(name: str) -> None:
    """By every counter, with room for a small schema of the answer."""
    most = policy_named("strict").schema_tokens_max
    try:
        (used,) = counter(name).count([core_text()])
    except MissingPackage:
        pytest.skip(f"the tokenizer of {name} is not installed")
    assert used <= most - 50


def test_the_list_tells_every_argument() -> None:
    """A line a tool, the same each time: its name, every argument, `?` after those that may be
    left out, every type that can be asked for, and what it does."""
    lines = core_text().splitlines()
    assert core_text() == core_text()
    for tool, line in zip(CORE_TOOLS, lines, strict=True):
        assert line.startswith(f"{tool.name}(")
        assert line.endswith(f"): {tool.description}")
        for argument in tool.schema["properties"]:
            mark = "" if argument in tool.schema["required"] else "?"
            assert f"{argument}{mark}: " in line
    assert f"type: {'|'.join(TYPES)}, " in lines[0]


@pytest.mark.parametrize(
    ("name", "arguments", "field"),
    [
        ("grant_approval", {}, "name"),
        ("resolve", {"ref": "message:M-1", "selector": "0-9"}, "arguments"),
        ("resolve", {"ref": 1, "selector": "0-9", "max_tokens": 9}, "arguments.ref"),
        ("get_context", {"type": "secrets"}, "arguments.type"),
        ("get_context", {"type": "task", "user_id": "bob"}, "arguments"),
        ("load_tool_group", {"page": 0}, "arguments.page"),
        ("call_tool", {"name": "t", "arguments": []}, "arguments.arguments"),
    ],
)
def test_other_calls_and_other_arguments_are_refused(
    name: str, arguments: dict[str, Any], field: str
) -> None:
    """No argument names a user, and nothing that is missing means "all"."""
    with pytest.raises(InvalidInput) as raised:
        checked(ToolCall(name=name, arguments=arguments))
    assert raised.value.field == field


def test_a_call_that_fits_comes_back() -> None:
    """As it was given."""
    call = ToolCall(name="get_context", arguments={"type": "task", "ids": ["T-1"]})
    assert checked(call) is call
