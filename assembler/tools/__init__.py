"""Tools: which there are, which a turn is shown, and how they are called."""

from workindex.assembler.tools.catalogue import ToolCatalogue, View
from workindex.assembler.tools.index import ToolIndex, tool_index
from workindex.assembler.tools.loading import active_groups
from workindex.assembler.tools.ranking import Ranked, RankedGroup, Ranker
from workindex.assembler.tools.registry import (
    BadToolSource,
    Tool,
    ToolGroup,
    ToolRegistry,
    ToolsUnavailable,
    UnknownTools,
    tool_group,
)
from workindex.assembler.tools.selection import Rules, Selection, Wanted, select
from workindex.assembler.tools.sources import groups_in, groups_of, registry_from_files
from workindex.assembler.tools.stage import ToolAccess, ToolBudget, budget_of, tools_stage

__all__ = [
    "BadToolSource",
    "Ranked",
    "RankedGroup",
    "Ranker",
    "Rules",
    "Selection",
    "Tool",
    "ToolAccess",
    "ToolBudget",
    "ToolCatalogue",
    "ToolGroup",
    "ToolIndex",
    "ToolRegistry",
    "ToolsUnavailable",
    "UnknownTools",
    "View",
    "Wanted",
    "active_groups",
    "budget_of",
    "groups_in",
    "groups_of",
    "registry_from_files",
    "select",
    "tool_group",
    "tool_index",
    "tools_stage",
]
