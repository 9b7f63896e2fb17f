"""Which tools are there? Groups of them, in one order whatever order they came in.

Names, descriptions and schemas come from outside and are data: nothing here is ever an
instruction, and what the model sees of them is escaped (`rendering.data`). What a source said
beside that (annotations, flags) goes back out as it came in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from pydantic import TypeAdapter, ValidationError

from workindex.assembler.rendering import data
from workindex.assembler.tools.schemas import NoSchema, canonical, validator
from workindex.domain.errors import InvalidInput, Unavailable, WorkindexError
from workindex.domain.facts import Id

NAME_CHARS_MAX: Final = 200
DESCRIPTION_CHARS_MAX: Final = 100_000
_ID: TypeAdapter[str] = TypeAdapter(Id)
# One-line bullets of one list; what is indented deeper belongs to the line above it.
_BULLET: Final = re.compile(r"(\s*[-*•] )\S.*")


class BadToolSource(InvalidInput):
    """A source of tools is not what it should be; the message names source, tool and field."""

    code = "bad_tool_source"

    def __init__(self, source: str, tool: str | None, field: str, problem: str) -> None:
        where = f"{source}: " + (f"tool {tool!r}: " if tool is not None else "")
        super().__init__(
            f"{where}{field}: {problem}: correct the source, or leave it out", field=field
        )
        self.source = source
        self.tool = tool


class ToolsUnavailable(Unavailable):
    """A source of tools cannot be read now; `missing` names the groups that it may hold."""

    code = "tools_unavailable"

    def __init__(self, missing: Iterable[str], problem: str) -> None:
        self.missing = tuple(sorted(missing))
        names = ", ".join(self.missing) or "every group"
        super().__init__(f"tools of {names} cannot be read: {problem}: try again")


class UnknownTools(WorkindexError):
    """There is no such group or tool for this principal; hidden ones are the same error."""

    code = "unknown_tools"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name[:300]!r} is no group and no tool here: look at the index, or search with "
            'load_tool_group(query="…")',
            field="name",
        )
        self.name = name


class Tool(NamedTuple):
    """One tool. `schema` is that of its arguments; `metadata` is what else its source said.

    `description` is None where the source gave none. `told` is what the model sees of it, worked
    out once by `tool_group`.
    """

    group: str
    name: str
    description: str | None
    schema: Mapping[str, Any]
    metadata: Mapping[str, Any] = MappingProxyType({})
    told: Mapping[str, Any] = MappingProxyType({})

    @property
    def full_name(self) -> str:
        """The name by which it is called: no two tools share it."""
        return f"{self.group}.{self.name}"

    def shown(self) -> Mapping[str, Any]:
        """What the model sees of it; the same bytes for the same tool."""
        if self.told:
            return self.told
        told: dict[str, Any] = {"name": self.full_name, "schema": canonical(self.schema)}
        if self.description is not None:
            told["description"] = in_order(self.description)
        return told

    def to_mcp(self) -> dict[str, Any]:
        """The tool as MCP's `tools/list` has it, with everything that came with it."""
        told: dict[str, Any] = {"name": self.name}
        if self.description is not None:
            told["description"] = self.description
        return {**told, "inputSchema": dict(self.schema), **self.metadata}


class ToolGroup(NamedTuple):
    """Tools that are loaded together, by name; `metadata` is what else the source said."""

    namespace: str
    title: str
    tools: tuple[Tool, ...]
    description: str | None = None
    metadata: Mapping[str, Any] = MappingProxyType({})

    def to_mcp(self) -> dict[str, Any]:
        """The group's answer to `tools/list`."""
        return {"tools": [tool.to_mcp() for tool in self.tools]}

    def tool(self, name: str) -> Tool | None:
        """The tool of that name within the group."""
        return next((tool for tool in self.tools if tool.name == name), None)


class ToolRegistry:
    """Groups by namespace, the tools of each by name.

    `observed_at` is when the sources were last as they are told here. `missing` maps groups whose
    source could not be read to the reason.

    Raises: BadToolSource for a namespace or a full name that comes twice.
    """

    def __init__(
        self,
        groups: Iterable[ToolGroup],
        observed_at: datetime,
        missing: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.groups: dict[str, ToolGroup] = {}
        for group in sorted(groups, key=lambda one: one.namespace):
            if group.namespace in self.groups:
                raise BadToolSource(group.namespace, None, "namespace", "comes twice")
            self.groups[group.namespace] = group
        self.tools: dict[str, Tool] = {}
        for group in self:
            for tool in group.tools:
                # `a.b` with `c` and `a` with `b.c` are called by the same name.
                if tool.full_name in self.tools:
                    problem = f"{tool.full_name!r} is also one of group "
                    problem += repr(self.tools[tool.full_name].group)
                    raise BadToolSource(group.namespace, tool.name, "name", problem)
                self.tools[tool.full_name] = tool
        self.observed_at = observed_at.replace(microsecond=0)
        self.missing = dict(sorted(missing.items()))
        self._validators: dict[str, Any] = {}

    def __iter__(self) -> Iterator[ToolGroup]:
        return iter(self.groups.values())

    def __len__(self) -> int:
        return len(self.groups)

    @cached_property
    def fingerprint(self) -> str:
        """sha256 of everything that the model could be shown."""
        told = [[group.namespace, group.title, group.description] for group in self]
        shown = [tool.shown() for tool in self.tools.values()]
        return sha256(data([told, shown]).encode()).hexdigest()

    def visible(self, is_permitted: Callable[[str], bool]) -> ToolRegistry:
        """The registry as a principal sees it: groups that are hidden are not there at all."""
        return ToolRegistry(
            (group for group in self if is_permitted(group.namespace)),
            self.observed_at,
            {name: why for name, why in self.missing.items() if is_permitted(name)},
        )

    def group(self, namespace: str) -> ToolGroup:
        """The group of that name.

        Raises: UnknownTools.
        """
        found = self.groups.get(namespace)
        if found is None:
            raise UnknownTools(namespace)
        return found

    def tool(self, name: str) -> Tool:
        """The tool of that full name, or the only one of that name in any group.

        Raises: UnknownTools.
        """
        found = self.tools.get(name)
        if found is None:
            same = [tool for tool in self.tools.values() if tool.name == name]
            if len(same) != 1:
                raise UnknownTools(name)
            found = same[0]
        return found

    def validator(self, tool: Tool) -> Any:
        """What checks the tool's arguments."""
        if tool.full_name not in self._validators:
            self._validators[tool.full_name] = validator(tool.schema)
        return self._validators[tool.full_name]


def tool_group(
    source: str,
    namespace: str,
    tools: Iterable[Tool],
    *,
    title: str | None = None,
    description: str | None = None,
    metadata: Mapping[str, Any] = MappingProxyType({}),
) -> ToolGroup:
    """A group whose names, texts and schemas were looked at.

    Raises: BadToolSource.
    """
    _check_name(source, None, "namespace", namespace)
    _check_text(source, None, "title", title)
    _check_text(source, None, "description", description)
    known: dict[str, Tool] = {}
    for tool in tools:
        _check_name(source, tool.name, "name", tool.name)
        if tool.name in known:
            raise BadToolSource(source, tool.name, "name", f"comes twice in group {namespace!r}")
        _check_text(source, tool.name, "description", tool.description)
        if not isinstance(tool.schema, Mapping):
            raise BadToolSource(source, tool.name, "schema", "is not an object")
        try:
            validator(tool.schema)
            data([dict(tool.metadata), dict(tool.schema)])
        except NoSchema as error:
            field = "schema" + (f".{error.path}" if error.path else "")
            raise BadToolSource(source, tool.name, field, str(error)) from error
        except TypeError as error:
            raise BadToolSource(source, tool.name, "metadata", f"is not JSON: {error}") from error
        named = tool._replace(group=namespace)
        known[tool.name] = named._replace(told=named.shown())
    ordered = tuple(known[name] for name in sorted(known))
    return ToolGroup(namespace, title or namespace, ordered, description, metadata)


def in_order(description: str) -> str:
    """The description with the one-line bullets of each list sorted: a list has no order.

    Numbered lists, and lists before a line that may belong to their last one, stay as they are.
    """
    lines = description.split("\n")
    told: list[str] = []
    place = 0
    while place < len(lines):
        found = _BULLET.fullmatch(lines[place])
        end = place + 1
        if found is not None:
            while end < len(lines) and _is_bullet(lines[end], found[1]):
                end += 1
        run = lines[place:end]
        is_flat = end == len(lines) or not lines[end].strip()
        told += sorted(run) if found is not None and is_flat else run
        place = end
    return "\n".join(told)


def _is_bullet(line: str, mark: str) -> bool:
    found = _BULLET.fullmatch(line)
    return found is not None and found[1] == mark


def _check_name(source: str, tool: str | None, field: str, name: Any) -> None:
    try:
        _ID.validate_python(name, strict=True)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]["msg"]
        raise BadToolSource(source, tool, field, f"{name!r}: {problem}"[:400]) from error


def _check_text(source: str, tool: str | None, field: str, text: Any) -> None:
    if text is None:
        return
    if not isinstance(text, str) or len(text) > DESCRIPTION_CHARS_MAX:
        problem = f"is not a text of up to {DESCRIPTION_CHARS_MAX:,} characters"
        raise BadToolSource(source, tool, field, problem)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadToolSource(source, tool, field, "holds half a surrogate pair") from error
