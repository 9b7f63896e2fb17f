"""What tool groups there are, in few tokens: the part of the tools lane that is always there.

As much as fits is told of every group: words of its tools, else its name and how many tools it
has, else the first names. The same registry gives the same bytes whatever the request is, and no
sentence of any source stands in it. What is left out is counted and can be searched.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from workindex.assembler.envelope import ContextItem, Omission, ToolCall
from workindex.assembler.rendering import item_text
from workindex.assembler.tokens import TokenCounter
from workindex.assembler.tools.registry import ToolGroup, ToolRegistry
from workindex.assembler.tools.words import FILLERS

SOURCE_ID: Final = "tools:index"
WORDS_MAX: Final = 12  # of one group
_WORD: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]{2,19}|[A-Z]{2,19}")


class ToolIndex(NamedTuple):
    """The index as an item with its tokens, how many groups it names, and what it leaves out."""

    item: ContextItem
    tokens: int
    named: int
    left: tuple[Omission, ...]


def tool_index(
    registry: ToolRegistry, counter: TokenCounter, budget_tokens: int
) -> ToolIndex | None:
    """The largest index within the budget, its wrapper included.

    None where the registry is empty, or not even the numbers fit.
    """
    groups = list(registry)
    if not groups:
        return None

    def told(lines: dict[str, Any]) -> tuple[ContextItem, int]:
        item = _item(registry, lines)
        return item, counter.count([item_text("tools", item)])[0]

    distinctive = _distinctive(groups)

    def with_words(count: int) -> dict[str, Any]:
        return {one.namespace: _line(one, distinctive[one.namespace][:count]) for one in groups}

    def first(count: int) -> dict[str, Any]:
        return {one.namespace: len(one.tools) for one in groups[:count]}

    words = largest(0, WORDS_MAX, lambda n: told(with_words(n))[1] <= budget_tokens)
    if words is not None:
        item, tokens = told(with_words(words))
        return ToolIndex(item, tokens, len(groups), ())
    named = largest(0, len(groups), lambda n: told(first(n))[1] <= budget_tokens)
    if named is None:
        return None
    item, tokens = told(first(named))
    return ToolIndex(item, tokens, named, _left(groups, named))


def _item(registry: ToolRegistry, lines: dict[str, Any]) -> ContextItem:
    content: dict[str, Any] = {
        "groups": len(registry),
        "tools": len(registry.tools),
        "list": lines,
    }
    if len(lines) < len(registry):
        content["more"] = len(registry) - len(lines)
    return ContextItem(
        source_type="artifact",
        source_id=SOURCE_ID,
        authority="derived",
        authority_rank=4,
        observed_at=registry.observed_at,
        priority=3,
        admission_reason="load_tool_group(namespace or query) for more",
        content=content,
    )


def _line(group: ToolGroup, words: list[str]) -> Any:
    """How many tools, and words of them where there are some."""
    return f"{len(group.tools)} {' '.join(words)}" if words else len(group.tools)


def _left(groups: list[ToolGroup], named: int) -> tuple[Omission, ...]:
    if named == len(groups):
        return ()
    return (
        Omission(
            lane="tools",
            source_id=f"{SOURCE_ID}/more",
            reason=f"{len(groups) - named} of {len(groups)} tool groups are not named",
            recover_with=ToolCall(name="load_tool_group", arguments={"page": 1}),
        ),
    )


def largest(low: int, high: int, fits: Callable[[int], bool]) -> int | None:
    """The largest number of this range that fits, None where none does."""
    if not fits(low):
        return None
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _distinctive(groups: list[ToolGroup]) -> dict[str, list[str]]:
    """Words of the names of each group's tools that few other groups have, the best first."""
    of_group = {one.namespace: _counted(one) for one in groups}
    groups_with = Counter(word for counts in of_group.values() for word in counts)
    told = {}
    for namespace, counts in of_group.items():
        rarity = {
            word: math.log(1 + len(groups) / groups_with[word]) * (1 + math.log(times))
            for word, times in counts.items()
        }
        told[namespace] = sorted(rarity, key=lambda word: (-round(rarity[word], 9), word))
    return told


def _counted(group: ToolGroup) -> Counter[str]:
    own = {word.lower() for word in _WORD.findall(group.namespace)}
    found = (word.lower() for tool in group.tools for word in _WORD.findall(tool.name))
    return Counter(word for word in found if word not in own and word not in FILLERS)
