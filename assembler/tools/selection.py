"""Which tool groups does a turn need? What is known to be needed by rule, and what words propose.

Rules come first and nothing takes away what they name: a group or a tool that the text names, what
the surface always needs, what the thread had loaded. A ranker only adds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from workindex.assembler.envelope import LoadMode, Surface
from workindex.assembler.tools.catalogue import View
from workindex.assembler.tools.registry import ToolGroup

PROPOSED_MAX: Final = 24
# A proposal whose score is a smaller part of the best one's is none.
NEARNESS_MIN: Final = 0.25
CONTEXT_MAX: Final = 6
TEXT_CHARS_MAX: Final = 20_000
_TOKEN: Final = re.compile(r"[^\s,;:!?()\[\]{}<>\"'`]+")


class Rules(NamedTuple):
    """What is pre-loaded without a look at the text: groups by surface."""

    by_surface: Mapping[Surface, tuple[str, ...]] = MappingProxyType({})


class Chosen(NamedTuple):
    """A group that is to be loaded, why, and which of its tools first.

    `is_needed`: the current action needs it; otherwise it is a proposal or a leftover.
    """

    group: ToolGroup
    reason: str
    load_mode: LoadMode
    is_needed: bool
    first: tuple[str, ...] = ()


class Selection(NamedTuple):
    """Groups in the order in which they get room; `missing` are wanted ones that are not there.

    Whether a missing group is hidden, unknown or cannot be read now is not told apart.
    """

    chosen: tuple[Chosen, ...]
    missing: tuple[str, ...]


class Wanted(NamedTuple):
    """What a turn says about tools: its text, earlier texts, its surface, the thread's groups."""

    text: str
    surface: Surface = "main"
    active: Sequence[str] = ()
    context: Sequence[str] = ()


def select(view: View, wanted: Wanted, rules: Rules = Rules()) -> Selection:  # noqa: B008 - frozen
    """The groups of a turn: named, needed by its surface, active, proposed, each once."""
    registry = view.registry
    chosen: dict[str, Chosen] = {}
    missing: dict[str, None] = {}
    text = wanted.text[:TEXT_CHARS_MAX]
    for namespace, tools in _named(view, text).items():
        reason = "named in the text"
        group = registry.groups[namespace]
        chosen[namespace] = Chosen(group, reason, "explicit", is_needed=True, first=tools)
    by_rule: list[tuple[str, str, LoadMode, bool]] = [
        (name, f"the surface {wanted.surface} needs it", "route_match", True)
        for name in rules.by_surface.get(wanted.surface, ())
    ]
    by_rule += [
        (name, "active in the thread", "route_match", False) for name in sorted(set(wanted.active))
    ]
    for name, reason, load_mode, is_needed in by_rule:
        if name not in registry.groups:
            missing[name] = None
        elif name not in chosen:
            chosen[name] = Chosen(registry.groups[name], reason, load_mode, is_needed)
    for one in proposals(view, text, wanted.context, without=frozenset(chosen)):
        chosen[one.group.namespace] = one
    return Selection(tuple(chosen.values()), tuple(missing))


def proposals(
    view: View,
    text: str,
    context: Sequence[str] = (),
    *,
    without: frozenset[str] = frozenset(),
) -> list[Chosen]:
    """The groups nearest to the text by its words, the nearest first, but for some."""
    found = view.ranker.groups(text, list(context)[-CONTEXT_MAX:])
    ranked = [one for one in found if one.group.namespace not in without][:PROPOSED_MAX]
    return [
        Chosen(
            one.group,
            "its words are near the text",
            "auto_candidate",
            is_needed=False,
            first=tuple(tool.tool.name for tool in one.tools),
        )
        for one in ranked
        if one.score >= NEARNESS_MIN * ranked[0].score
    ]


def _named(view: View, text: str) -> dict[str, tuple[str, ...]]:
    """Groups that the text names, with the tools of them that it names, in order of the text.

    A name that is also a plain word (`time`, `search`) has to be marked: `@time`, `/time`, or
    followed by "tool", "tools" or "group".
    """
    found: dict[str, list[str]] = {}
    tokens = [token.rstrip(".").casefold() for token in _TOKEN.findall(text)]
    for place, token in enumerate(tokens):
        name = token.lstrip("@/")
        after = tokens[place + 1] if place + 1 < len(tokens) else ""
        if name == token and name.isalpha() and after not in {"tool", "tools", "group"}:
            continue
        if name in view.groups_by_name:
            found.setdefault(view.groups_by_name[name], [])
        of_name = view.tools_by_name.get(name, [])
        if len({group for group, _ in of_name}) == 1:
            group, tool_name = of_name[0]
            found.setdefault(group, []).append(tool_name)
    folded = text.casefold()
    for name in view.spaced_names:
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", folded):
            found.setdefault(view.groups_by_name[name], [])
    return {name: tuple(dict.fromkeys(own)) for name, own in found.items()}
