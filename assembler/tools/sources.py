"""Tool groups out of files and Python values: what forms are read, and what each must hold.

Own form (JSON or TOML): `{"format": 1, "groups": [{"namespace", "title"?, "description"?,
"tools": [{"name", "description"?, "schema", "metadata"?}]}]}`; an unknown key is an error.
MCP: the answer to `tools/list` (`{"tools": […]}`, also inside `{"result": …}`), whose namespace is
the file's name, or a list of servers, each with `tools: {namespace: {"tools": […]}}`; whatever else
a tool carries is kept. Functions: one JSON object a line, with `parameters` in Python's names of
types (`dict`, `float`, `tuple`, `any`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import orjson

from workindex.assembler.tools.registry import (
    BadToolSource,
    Tool,
    ToolGroup,
    ToolRegistry,
    ToolsUnavailable,
    tool_group,
)

FORMAT: Final = 1
FILE_BYTES_MAX: Final = 64 * 1024 * 1024
_TYPES: Final = {
    "dict": "object",
    "float": "number",
    "double": "number",
    "tuple": "array",
    "list": "array",
    "int": "integer",
    "bool": "boolean",
    "str": "string",
}
_GROUP_KEYS: Final = frozenset({"namespace", "title", "description", "tools", "metadata"})
_TOOL_KEYS: Final = frozenset({"name", "description", "schema", "metadata"})


def registry_from_files(
    paths: str | Path | Iterable[str | Path],
    *,
    observed_at: datetime | None = None,
    keep_going: bool = False,
) -> ToolRegistry:
    """All groups of these files, or of one; `observed_at` is by default when the newest was
    written.

    With `keep_going` a file that cannot be read is told in `missing` under its name instead of
    ending it all; one that holds something wrong always does.

    Raises: BadToolSource, ToolsUnavailable.
    """
    groups: list[ToolGroup] = []
    missing: dict[str, str] = {}
    newest = datetime.fromtimestamp(0, UTC)
    sources: dict[str, str] = {}
    given = [paths] if isinstance(paths, str | Path) else paths
    for path in sorted(map(Path, given)):
        try:
            newest = max(newest, datetime.fromtimestamp(path.stat().st_mtime, UTC))
            found = groups_in(path)
        except OSError as error:
            if not keep_going:
                raise ToolsUnavailable([path.stem], str(error)) from error
            missing[path.stem] = str(error)
            continue
        for group in found:
            if group.namespace in sources:
                problem = f"{group.namespace!r} is also in {sources[group.namespace]}"
                raise BadToolSource(str(path), None, "namespace", problem)
            sources[group.namespace] = str(path)
        groups += found
    return ToolRegistry(groups, observed_at or newest, missing)


def groups_in(path: Path) -> list[ToolGroup]:
    """The groups of one file, whatever its form.

    Raises: BadToolSource, OSError.
    """
    source = str(path)
    if path.is_dir():
        problem = f"is a folder: give the files in it, such as Path({source!r}).glob('*.json')"
        raise BadToolSource(source, None, "file", problem)
    if path.stat().st_size > FILE_BYTES_MAX:
        raise BadToolSource(source, None, "file", f"is larger than {FILE_BYTES_MAX:,} bytes")
    raw = path.read_bytes()
    try:
        if path.suffix == ".toml":
            document: Any = tomllib.loads(raw.decode())
        else:
            document = _json(raw)
    except (ValueError, RecursionError) as error:  # ValueError: no text, JSON or TOML
        raise BadToolSource(source, None, "file", f"is no JSON or TOML: {error}") from error
    return groups_of(document, source=source, namespace=path.stem)


def groups_of(document: Any, *, source: str, namespace: str) -> list[ToolGroup]:
    """The groups of a value in one of the forms; `namespace` names a group that does not itself.

    Raises: BadToolSource.
    """
    if isinstance(document, Mapping) and isinstance(document.get("result"), Mapping):
        document = document["result"]
    if isinstance(document, Mapping) and ("groups" in document or "format" in document):
        return _own(document, source)
    if isinstance(document, Mapping) and "tools" in document:
        rest = {name: value for name, value in document.items() if name != "tools"}
        return [_of_mcp(source, namespace, document["tools"], metadata=rest)]
    if isinstance(document, list) and all(_is_server(one) for one in document) and document:
        return [group for server in document for group in _of_server(source, server)]
    if isinstance(document, list) and document:
        tools = [_function(source, one) for one in document]
        return [tool_group(source, namespace, tools)]
    raise BadToolSource(source, None, "file", "is in none of the forms of a source of tools")


def _json(raw: bytes) -> Any:
    """One document, or one a line."""
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        lines = [line for line in raw.splitlines() if line.strip()]
        if len(lines) < 2:
            raise
        return [orjson.loads(line) for line in lines]


def _own(document: Mapping[str, Any], source: str) -> list[ToolGroup]:
    _known(source, None, document, frozenset({"format", "groups"}))
    if document.get("format") != FORMAT:
        raise BadToolSource(source, None, "format", f"{document.get('format')!r} is not {FORMAT}")
    groups = document.get("groups")
    if not isinstance(groups, list):
        raise BadToolSource(source, None, "groups", "is not a list")
    return [_own_group(source, one) for one in groups]


def _own_group(source: str, given: Any) -> ToolGroup:
    _known(source, None, given, _GROUP_KEYS)
    tools = []
    for one in _list(source, given, "tools"):
        name = _name(source, one)
        _known(source, name, one, _TOOL_KEYS)
        if "schema" not in one:
            raise BadToolSource(source, name, "schema", "is missing")
        meta = one.get("metadata", {})
        if not isinstance(meta, Mapping):
            raise BadToolSource(source, name, "metadata", "is not an object")
        tools.append(Tool("", name, one.get("description"), one["schema"], meta))
    return tool_group(
        source,
        given.get("namespace", ""),
        tools,
        title=given.get("title"),
        description=given.get("description"),
        metadata=given.get("metadata", {}),
    )


def _is_server(one: Any) -> bool:
    return isinstance(one, Mapping) and isinstance(one.get("tools"), Mapping)


def _of_server(source: str, server: Mapping[str, Any]) -> list[ToolGroup]:
    rest = {name: value for name, value in server.items() if name != "tools"}
    groups = []
    for namespace, listed in server["tools"].items():
        if not isinstance(listed, Mapping):
            raise BadToolSource(source, None, f"tools.{namespace}", "is not an object")
        own = {name: value for name, value in listed.items() if name != "tools"}
        groups.append(_of_mcp(source, namespace, listed.get("tools"), {**rest, "server": own}))
    return groups


def _of_mcp(source: str, namespace: str, given: Any, metadata: Mapping[str, Any]) -> ToolGroup:
    tools = []
    for one in _list(source, {"tools": given}, "tools"):
        name = _name(source, one)
        if "inputSchema" not in one:
            raise BadToolSource(source, name, "inputSchema", "is missing")
        rest = {
            key: value
            for key, value in one.items()
            if key not in {"name", "inputSchema"} and (key != "description" or value is None)
        }
        tools.append(Tool("", name, one.get("description"), one["inputSchema"], rest))
    return tool_group(
        source,
        namespace,
        tools,
        title=metadata.get("name"),
        description=metadata.get("description"),
        metadata=metadata,
    )


def _function(source: str, given: Any) -> Tool:
    name = _name(source, given)
    if "parameters" not in given:
        raise BadToolSource(source, name, "parameters", "is missing")
    try:
        schema = json_types(given["parameters"])
    except RecursionError as error:
        raise BadToolSource(source, name, "parameters", "is nested too deep") from error
    rest = {
        key: value
        for key, value in given.items()
        if key not in {"name", "description", "parameters"}
    }
    return Tool("", name, given.get("description"), schema, rest)


def json_types(schema: Any) -> Any:
    """A schema in JSON's names of types; `any` is no restriction."""
    if isinstance(schema, list):
        return [json_types(one) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    told = {name: json_types(value) for name, value in schema.items()}
    kind = schema.get("type")
    if isinstance(kind, str):
        if kind == "any":
            del told["type"]
        else:
            told["type"] = _TYPES.get(kind, kind)
    return told


def _known(source: str, tool: str | None, given: Any, keys: frozenset[str]) -> None:
    if not isinstance(given, Mapping):
        raise BadToolSource(source, tool, "file", "holds something that is not an object")
    if unknown := sorted(set(given) - keys):
        names = ", ".join(sorted(keys))
        raise BadToolSource(source, tool, str(unknown[0]), f"is none of the keys {names}")


def _list(source: str, given: Mapping[str, Any], field: str) -> list[Any]:
    found = given.get(field)
    if not isinstance(found, list):
        raise BadToolSource(source, None, field, "is not a list")
    return found


def _name(source: str, given: Any) -> str:
    if not isinstance(given, Mapping):
        raise BadToolSource(source, None, "tools", "holds something that is not an object")
    name = given.get("name")
    if not isinstance(name, str):
        raise BadToolSource(source, None, "name", f"{name!r} is not a text")
    return name
