"""Is the list of tools that every request carries the same, small, and true to what is called?"""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from workindex.assembler.envelope import ToolCall
from workindex.assembler.policies import policy_named
from workindex.assembler.tokens import counter
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


def test_the_list_fits_what_strict_leaves_for_schemas() -> None:
    """By every counter that needs no further package, with the same bytes each time."""
    most = policy_named("strict").schema_tokens_max
    assert counter("o200k_base").count([core_text()])[0] <= most
    assert core_text() == core_text()
    assert core_text().count("\n") == 1


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
