"""`load_tool_group`: schemas page by page, of one group, by a search, or the names of all groups.

Pages are cut by their tokens alone, so a page holds the same tools each time it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from workindex.assembler.envelope import ContextItem, ToolCall
from workindex.assembler.rendering import item_text
from workindex.assembler.tokens import TokenCounter
from workindex.assembler.tools.catalogue import View
from workindex.assembler.tools.index import largest
from workindex.assembler.tools.loading import Loaded, load, nearest_first
from workindex.assembler.tools.ranking import RankedGroup
from workindex.domain.errors import InvalidInput

NAMES_MAX: Final = 100  # group names on a page
ALSO_TOKENS: Final = 800  # of a page of a search, for groups that it only names
# What of a page of a search one group may take, so that there is room for others.
SHARE_MAX: Final = 0.5


class Page(NamedTuple):
    """Items of the lane `tools`, and the call that shows what comes after them, if anything does.

    `total` counts what all pages show: tools of the group, groups of the search or of the names.
    `too_large` names tools that no page of this size can show.
    """

    items: tuple[ContextItem, ...]
    total: int
    after: ToolCall | None = None
    too_large: tuple[str, ...] = ()


def group_page(
    view: View, namespace: str, page: int, counter: TokenCounter, max_tokens: int
) -> Page:
    """A page of one group's tools by name.

    Raises: UnknownTools; InvalidInput past the last page, or where no tool fits one.
    """
    group = view.registry.group(namespace)
    left = list(group.tools)
    pages: list[ContextItem] = []
    too_large: list[str] = []
    while left:
        found = load(
            group,
            left,
            counter,
            max_tokens,
            observed_at=view.registry.observed_at,
            priority=1,
            reason=f"load_tool_group, page {len(pages) + 1}",
        )
        if found is None:
            too_large.append(left.pop(0).full_name)
        else:
            pages.append(found.item)
            left = left[len(left) - len(found.rest) :]
    if too_large and not pages:
        raise _too_small(too_large[0], max_tokens)
    if page > max(len(pages), 1):
        raise _past(page, len(pages))
    after = _after({"namespace": namespace}, page, page < len(pages))
    return Page(tuple(pages[page - 1 : page]), len(group.tools), after, tuple(too_large))


def search_page(view: View, query: str, page: int, counter: TokenCounter, max_tokens: int) -> Page:
    """A page of the groups nearest to a query, each with its nearest tools first, and names.

    Raises: InvalidInput past the last page, or where no schema fits one.
    """
    ranked = view.ranker.groups(query)
    too_large: list[str] = []
    items: list[ContextItem] = []
    place = number = 0
    while number < page and (place < len(ranked) or number == 0):
        number += 1
        items, room = [], max_tokens - min(ALSO_TOKENS, max_tokens // 4)
        whole = room
        while place < len(ranked):
            found = _of_search(view, ranked[place], counter, room, whole)
            if found is None and items:
                break
            if found is None:
                too_large.append(ranked[place].group.namespace)
            else:
                items.append(found.item)
                room -= found.tokens
            place += 1
    if page > number:
        raise _past(page, number)
    if too_large and not items:
        raise _too_small(too_large[0], max_tokens)
    after = _after({"query": query}, page, place < len(ranked))
    items += _also(view, ranked, place, counter, max_tokens - whole)
    return Page(tuple(items), len(ranked), after, tuple(too_large))


def _of_search(
    view: View, ranked: RankedGroup, counter: TokenCounter, room: int, max_tokens: int
) -> Loaded | None:
    """A group's nearest tools: its share of the page, or all of a page that has nothing yet."""
    tools = nearest_first(ranked.group, [tool.tool.name for tool in ranked.tools])
    at = view.registry.observed_at
    reason = "load_tool_group, found by words"
    share = min(room, int(max_tokens * SHARE_MAX))
    for most in (share, room) if room == max_tokens else (share,):
        found = load(ranked.group, tools, counter, most, observed_at=at, priority=1, reason=reason)
        if found is not None:
            return found
    return None


def _also(
    view: View, ranked: Sequence[RankedGroup], place: int, counter: TokenCounter, max_tokens: int
) -> list[ContextItem]:
    """Groups without their schemas, as far as there is room: the next ones of the search with
    their nearest tool, then those that share no word with it, whose names may tell more."""
    nearest = {one.group.namespace: one.tools[0].tool.name for one in ranked[place:]}
    found = {one.group.namespace for one in ranked}
    names = [*nearest, *(one for one in view.registry.groups if one not in found)]

    def told(count: int) -> ContextItem:
        content: dict[str, Any] = {
            "also": {name: nearest[name] for name in names[:count] if name in nearest},
            "others": [name for name in names[:count] if name not in nearest],
        }
        return _list_item(view, "tools:also", content, "load_tool_group, further groups")

    def fits(count: int) -> bool:
        return counter.count([item_text("tools", told(count))])[0] <= max_tokens

    count = largest(0, len(names), fits) if names else None
    return [told(count)] if count else []


def _list_item(view: View, source_id: str, content: dict[str, Any], reason: str) -> ContextItem:
    return ContextItem(
        source_type="artifact",
        source_id=source_id,
        authority="derived",
        authority_rank=4,
        observed_at=view.registry.observed_at,
        priority=3,
        admission_reason=reason,
        content=content,
    )


def names_page(view: View, page: int, counter: TokenCounter, max_tokens: int) -> Page:
    """A page of the names of groups with how many tools each has.

    Raises: InvalidInput past the last page.
    """
    groups = list(view.registry)
    first = (page - 1) * NAMES_MAX
    some = groups[first : first + NAMES_MAX]
    if not some and page > 1:
        raise _past(page, (len(groups) + NAMES_MAX - 1) // NAMES_MAX)
    content: dict[str, Any] = {
        "groups": len(groups),
        "list": {one.namespace: len(one.tools) for one in some},
    }
    item = _list_item(view, f"tools:names:{page}", content, "load_tool_group")
    if counter.count([item_text("tools", item)])[0] > max_tokens:
        raise _too_small("a page of names", max_tokens)
    return Page((item,), len(groups), _after({}, page, first + NAMES_MAX < len(groups)))


def _after(arguments: dict[str, Any], page: int, more: bool) -> ToolCall | None:
    if not more:
        return None
    return ToolCall(name="load_tool_group", arguments={**arguments, "page": page + 1})


def _past(page: int, last: int) -> InvalidInput:
    return InvalidInput(f"page {page} is past the last one, {last}", field="page")


def _too_small(name: str, max_tokens: int) -> InvalidInput:
    return InvalidInput(
        f"{name} does not fit {max_tokens} tokens: give a larger max_tokens", field="max_tokens"
    )
