"""The tools of a turn: the index of what there is, and the schemas that the turn is known to need.

Where the registry cannot be read the stage says so in `degraded` and names what was wanted: no
tool is offered then, and none can be called.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from workindex.assembler.envelope import ContextItem, LoadMode, Omission, Priority, ToolCall
from workindex.assembler.offers import Kind, Offer, Stage
from workindex.assembler.policies import Policy
from workindex.assembler.tokens import TokenCounter
from workindex.assembler.tools.catalogue import IsPermitted, ToolCatalogue, View, everything
from workindex.assembler.tools.loading import Loaded, load, nearest_first, recover, source_id
from workindex.assembler.tools.registry import ToolsUnavailable
from workindex.assembler.tools.selection import Chosen, Rules, Selection, Wanted, select

INDEX_RANK: Final = 1_000.0  # the index goes after every schema that was only proposed
ACTIONS_MAX: Final = 8  # names of tools that a candidate is told with
SCHEMA_TOKENS_MIN: Final = 60  # less than any item with a schema has
# What of a proposal's budget one group may take, so that there is room for a second one.
SHARE_MAX: Final = 0.5


class ToolBudget(NamedTuple):
    """Tokens for the index and for loaded schemas, wrappers included.

    With `candidates_max` proposals are told without their schemas, at most so many.
    """

    index_tokens: int = 1_000
    loaded_tokens: int = 3_000
    candidates_max: int | None = None


class ToolAccess(NamedTuple):
    """What a backend gives the assembler of tools: all that there are, whose they are, the rules.

    `is_permitted` is the principal's policy, asked with a group's namespace.
    """

    catalogue: ToolCatalogue
    is_permitted: IsPermitted = everything
    rules: Rules = Rules()


def budget_of(policy: Policy) -> ToolBudget:
    """What a policy leaves for tools."""
    ceilings = policy.ceilings
    return ToolBudget(ceilings.tool_index, ceilings.tools_loaded, policy.candidates_max)


def tools_stage(
    access: ToolAccess, wanted: Wanted, budget: ToolBudget, counter: TokenCounter
) -> Stage:
    """Offers of the lane `tools`; `active_groups` says which groups' schemas are among items."""
    try:
        view = access.catalogue.view(access.is_permitted)
    except ToolsUnavailable as error:
        return _unavailable(error, wanted, access)
    chosen = select(view, wanted, access.rules)
    offers: list[Offer] = []
    left: list[Omission] = []
    index = view.index(counter, budget.index_tokens)
    if index is not None:
        offers.append(_index_offer(index.item))
        left += index.left
    elif len(view.registry):
        left.append(_unnamed(len(view.registry)))
    found = _loaded(view, chosen, budget, counter)
    return Stage(
        offers=(*offers, *found.offers),
        left=(*left, *found.left),
        degraded=_degraded((*chosen.missing, *view.registry.missing)),
    )


def _index_offer(item: ContextItem) -> Offer:
    call = ToolCall(name="load_tool_group", arguments={"page": 1})
    return Offer("tools", item, "always", "tool", rank=INDEX_RANK, recover_with=call)


def _loaded(view: View, selection: Selection, budget: ToolBudget, counter: TokenCounter) -> Stage:
    """Schemas in the order of the selection until the budget is used; the rest by reference."""
    offers: list[Offer] = []
    left: list[Omission] = []
    room = budget.loaded_tokens
    candidates = 0
    for place, one in enumerate(selection.chosen):
        is_proposal = one.load_mode == "auto_candidate"
        if is_proposal and budget.candidates_max is not None:
            if candidates < budget.candidates_max:
                offers.append(_candidate(one, place, view))
            else:
                left.append(_omission(one, f"more than {budget.candidates_max} candidates"))
            candidates += 1
            continue
        if room < SCHEMA_TOKENS_MIN:
            left.append(_omission(one, "no room for its schemas"))
            continue
        most = min(room, int(budget.loaded_tokens * SHARE_MAX)) if is_proposal else room
        priority: Priority = 1 if one.is_needed else 3
        found = load(
            one.group,
            nearest_first(one.group, one.first),
            counter,
            most,
            observed_at=view.registry.observed_at,
            priority=priority,
            reason=one.reason,
        )
        if found is None:
            left.append(_omission(one, "no room for its schemas"))
            continue
        room -= found.tokens
        offers.append(_offer(found, one, place))
        left += _rest(found, one)
    return Stage(offers=tuple(offers), left=tuple(left))


def _offer(found: Loaded, one: Chosen, place: int) -> Offer:
    mode: LoadMode = one.load_mode
    call = recover(one.group.namespace)
    return Offer("tools", found.item, mode, "tool", rank=-float(place), recover_with=call)


def _candidate(one: Chosen, place: int, view: View) -> Offer:
    """A group that may help, without its schemas: what it is for, what it does, the next step."""
    actions = [tool.name for tool in nearest_first(one.group, one.first)[:ACTIONS_MAX]]
    content: dict[str, Any] = {
        "id": one.group.namespace,
        "purpose": one.group.title[:200],
        "actions": actions,
        "status": "not loaded",
        "next_step": f"load_tool_group(namespace={one.group.namespace!r})",
    }
    item = ContextItem(
        source_type="artifact",
        source_id=f"candidate:{source_id(one.group.namespace)}",
        authority="derived",
        authority_rank=4,
        observed_at=view.registry.observed_at,
        priority=3,
        admission_reason=one.reason,
        content=content,
    )
    kind: Kind = "candidate"
    call = recover(one.group.namespace)
    return Offer("tools", item, one.load_mode, kind, rank=-float(place), recover_with=call)


def _rest(found: Loaded, one: Chosen) -> list[Omission]:
    if not found.rest:
        return []
    reason = f"{len(found.rest)} of its {len(one.group.tools)} tools had no room"
    return [_omission(one, reason, suffix="/rest")]


def _omission(one: Chosen, reason: str, suffix: str = "") -> Omission:
    namespace = one.group.namespace
    return Omission(
        lane="tools",
        source_id=f"{source_id(namespace)}{suffix}",
        reason=reason,
        recover_with=recover(namespace),
    )


def _unnamed(groups: int) -> Omission:
    return Omission(
        lane="tools",
        source_id="tools:index",
        reason=f"{groups} tool groups, and no room for their index",
        recover_with=ToolCall(name="load_tool_group", arguments={"page": 1}),
    )


def _degraded(missing: tuple[str, ...]) -> tuple[str, ...]:
    """One sentence a group, the same whether it is hidden, unknown or cannot be read."""
    return tuple(f"tools: group {name} is not available" for name in dict.fromkeys(missing))


def _unavailable(error: ToolsUnavailable, wanted: Wanted, access: ToolAccess) -> Stage:
    told = (
        *filter(access.is_permitted, error.missing),
        *access.rules.by_surface.get(wanted.surface, ()),
        *wanted.active,
    )
    left = Omission(
        lane="tools",
        source_id="tools:index",
        reason="the registry of tools cannot be read: no tool is there, none can be called",
        recover_with=ToolCall(name="load_tool_group", arguments={"page": 1}),
    )
    return Stage(
        left=(left,),
        degraded=("tools: the registry cannot be read", *_degraded(told)),
    )
