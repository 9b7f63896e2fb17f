"""The tools as one principal sees them, prepared once: registry, ranker and index."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Final

from workindex.assembler.tokens import TokenCounter
from workindex.assembler.tools.index import ToolIndex, tool_index
from workindex.assembler.tools.ranking import Ranker
from workindex.assembler.tools.registry import ToolRegistry

VIEWS_MAX: Final = 64

IsPermitted = Callable[[str], bool]


def everything(group: str) -> bool:
    """The policy of a principal who may use every group."""
    return bool(group)


class View:
    """The visible part of a registry; immutable, shared between turns and threads.

    Names are looked up in small letters; `spaced_names` are those of groups that hold a space.
    """

    def __init__(self, registry: ToolRegistry) -> None:
        self.registry = registry
        self.ranker = Ranker(registry)
        self.groups_by_name = {name.casefold(): name for name in registry.groups}
        self.spaced_names = [name for name in self.groups_by_name if len(name.split()) > 1]
        self.tools_by_name: dict[str, list[tuple[str, str]]] = {}
        for tool in registry.tools.values():
            for name in (tool.full_name.casefold(), tool.name.casefold()):
                self.tools_by_name.setdefault(name, []).append((tool.group, tool.name))
        self._indexes: dict[tuple[str, int], ToolIndex | None] = {}

    def index(self, counter: TokenCounter, budget_tokens: int) -> ToolIndex | None:
        """The compact index of what is visible, worked out once."""
        key = (counter.name, budget_tokens)
        if key not in self._indexes:
            self._indexes[key] = tool_index(self.registry, counter, budget_tokens)
        return self._indexes[key]


class ToolCatalogue:
    """All tools that there are, and the views of them; `source` is asked for every turn.

    A source that gives the same registry again costs nothing; one that cannot raises
    ToolsUnavailable, and so does `view`.
    """

    def __init__(self, source: ToolRegistry | Callable[[], ToolRegistry]) -> None:
        self._source = source
        self._registry: ToolRegistry | None = None
        self._views: OrderedDict[tuple[str, ...], View] = OrderedDict()
        self._lock = Lock()

    def view(self, is_permitted: IsPermitted = everything) -> View:
        """What this principal may see.

        Raises: ToolsUnavailable.
        """
        source = self._source
        registry = source if isinstance(source, ToolRegistry) else source()
        names = (*registry.groups, *registry.missing)
        permitted = tuple(name for name in names if is_permitted(name))
        with self._lock:
            if registry is not self._registry:
                self._registry = registry
                self._views.clear()
            found = self._views.get(permitted)
            if found is None:
                found = View(registry.visible(frozenset(permitted).__contains__))
                self._views[permitted] = found
                while len(self._views) > VIEWS_MAX:
                    self._views.popitem(last=False)
            self._views.move_to_end(permitted)
        return found
