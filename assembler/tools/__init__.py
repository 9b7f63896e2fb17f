"""Tools: which there are, which a turn is shown, and how they are called."""

from workindex.assembler.tools.index import ToolIndex, tool_index
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
from workindex.assembler.tools.sources import groups_in, groups_of, registry_from_files

__all__ = [
    "BadToolSource",
    "Ranked",
    "RankedGroup",
    "Ranker",
    "Tool",
    "ToolGroup",
    "ToolIndex",
    "ToolRegistry",
    "ToolsUnavailable",
    "UnknownTools",
    "groups_in",
    "groups_of",
    "registry_from_files",
    "tool_group",
    "tool_index",
]
