"""The schemas of chosen groups within a budget: whole groups, else the tools that are nearest.

A group is one item. What of it has no room is counted in the item and can be loaded by page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from workindex.assembler.envelope import ContextItem, Priority, ToolCall
from workindex.assembler.rendering import data, item_text
from workindex.assembler.tokens import TokenCounter
from workindex.assembler.tools.registry import Tool, ToolGroup

PREFIX: Final = "tools:"
COUNTED_AT_ONCE: Final = 64


class Loaded(NamedTuple):
    """One group as an item, its tokens, and the names of its tools that had no room."""

    item: ContextItem
    tokens: int
    rest: tuple[str, ...]


def source_id(namespace: str) -> str:
    """The id of the item that holds a group's schemas."""
    return f"{PREFIX}group:{namespace}"


def active_groups(items: Iterable[ContextItem]) -> tuple[str, ...]:
    """The groups whose schemas are among the items, in order."""
    prefix = source_id("")
    found = (one.source_id.removeprefix(prefix) for one in items if is_group(one))
    return tuple(dict.fromkeys(found))


def is_group(item: ContextItem) -> bool:
    """Whether the item holds schemas of a group."""
    return item.source_id.startswith(source_id(""))


def load(
    group: ToolGroup,
    tools: Sequence[Tool],
    counter: TokenCounter,
    max_tokens: int,
    *,
    observed_at: datetime,
    priority: Priority = 3,
    reason: str = "loaded",
) -> Loaded | None:
    """The first of these tools of one group that fit, in the order given; None where none does.

    The tokens are those of the item with its wrapper.
    """

    def told(count: int) -> Loaded:
        shown = [tool.shown() for tool in tools[:count]]
        content: dict[str, Any] = {"group": group.namespace, "tools": shown}
        rest = tuple(tool.name for tool in tools[count:])
        if rest:
            content["more"] = len(rest)
        item = ContextItem(
            source_type="artifact",
            source_id=source_id(group.namespace),
            authority="derived",
            authority_rank=4,
            observed_at=observed_at,
            priority=priority,
            admission_reason=reason,
            content=content,
        )
        return Loaded(item, counter.count([item_text("tools", item)])[0], rest)

    count = _fitting(tools, counter, max_tokens)
    # Together they have some tokens more than one by one, for the wrapper, or a few less.
    best = None
    while count > 0 and best is None:
        found = told(count)
        best = found if found.tokens <= max_tokens else None
        count -= 1
    while best is not None and best.rest:
        found = told(len(tools) - len(best.rest) + 1)
        if found.tokens > max_tokens:
            break
        best = found
    return best


def _fitting(tools: Sequence[Tool], counter: TokenCounter, max_tokens: int) -> int:
    """How many of the first tools fit one by one; what comes after them is not counted."""
    count = total = 0
    for first in range(0, len(tools), COUNTED_AT_ONCE):
        some = tools[first : first + COUNTED_AT_ONCE]
        for tokens in counter.count([f"{data(tool.shown())}," for tool in some]):
            total += tokens
            if total > max_tokens:
                return count
            count += 1
    return count


def nearest_first(group: ToolGroup, first: Sequence[str]) -> list[Tool]:
    """The group's tools: those named first in that order, then the others by name."""
    place = {name: at for at, name in enumerate(first)}
    return sorted(group.tools, key=lambda tool: (place.get(tool.name, len(place)), tool.name))


def recover(namespace: str, page: int | None = None) -> ToolCall:
    """The call that brings a group's schemas."""
    arguments: dict[str, Any] = {"namespace": namespace}
    if page is not None:
        arguments["page"] = page
    return ToolCall(name="load_tool_group", arguments=arguments)
