"""Is this the schema of a tool's arguments, and do these arguments fit it?

A schema is read as the newest draft of JSON Schema that accepts it. No schema is ever fetched: a
reference that leaves the document is an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NoReturn
from urllib.parse import unquote

import jsonschema_rs
import orjson

from workindex.assembler.rendering import data

# `required`, `enum` and a list of types are sets: a source may give them in any order.
SETS: Final = frozenset({"required", "enum", "type"})
# Under these stand names of properties, not keywords.
NAMED: Final = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
)
# Under these stand values, not schemas.
VALUES: Final = frozenset({"default", "const", "examples", "example"})
DRAFTS: Final = (
    jsonschema_rs.Draft202012Validator,
    jsonschema_rs.Draft7Validator,
    jsonschema_rs.Draft4Validator,
)
# These hold for the same value as the schema in which they stand.
SAME_VALUE: Final = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")
REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
# At how many subschemas one value may be held, references followed: a few definitions that each
# name the next one twice would be a million.
AT_ONE_VALUE_MAX: Final = 2_000
PATTERN_STEPS_MAX: Final = 100_000
_PATTERNS: Final = jsonschema_rs.FancyRegexOptions(backtrack_limit=PATTERN_STEPS_MAX)


class NoSchema(ValueError):
    """Why something is not the schema of an object; `path` says where, dotted."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(problem)
        self.path = path


class Misfit(ValueError):
    """The first place, in the order of paths, where arguments do not fit their schema."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(problem)
        self.path = path


def validator(schema: Mapping[str, Any]) -> Any:
    """What checks arguments against the schema.

    Raises: NoSchema.
    """
    plain = dict(schema)
    if plain.get("type", "object") != "object":
        raise NoSchema("type", f"{plain['type']!r} is not object")
    try:
        orjson.dumps(plain)
    except (TypeError, RecursionError) as error:
        raise NoSchema("", f"is not JSON: {error}") from error
    plain.pop("$schema", None)
    _check_ways(plain)
    problems = []
    for draft in DRAFTS:
        try:
            return draft(plain, retriever=_refuse, pattern_options=_PATTERNS)
        except jsonschema_rs.ValidationError as error:
            problems.append(NoSchema(dotted(error.instance_path), error.message[:300]))
        except (ValueError, jsonschema_rs.ReferencingError) as error:
            problems.append(NoSchema("", str(error)[:300]))
    raise problems[0]


def check(validator: Any, arguments: Mapping[str, Any]) -> None:
    """Whether the arguments fit.

    Raises: Misfit.
    """
    found = [(dotted(one.instance_path), one.message) for one in validator.iter_errors(arguments)]
    if found:
        path, problem = min(found)
        raise Misfit(path, problem[:300])


def dotted(path: list[Any]) -> str:
    """A path as text: `items[0].name`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else str(step)
    return text


def canonical(schema: Any) -> Any:
    """The schema with its sets in order, whatever order they came in; it means the same."""
    if isinstance(schema, list):
        return [canonical(one) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    told: dict[str, Any] = {}
    for name in sorted(schema):
        value = schema[name]
        if name in SETS and isinstance(value, list):
            told[name] = sorted(value, key=data)
        elif name in NAMED and isinstance(value, Mapping):
            told[name] = {one: canonical(value[one]) for one in sorted(value)}
        elif name == "dependentRequired" and isinstance(value, Mapping):
            told[name] = {one: sorted(value[one], key=data) for one in sorted(value)}
        elif name in VALUES:
            told[name] = value
        else:
            told[name] = canonical(value)
    return told


def argument_names(schema: Any) -> list[str]:
    """The names of all arguments, also of nested ones, in order."""
    names: dict[str, None] = {}
    _collect(schema, names)
    return list(names)


def _collect(schema: Any, names: dict[str, None]) -> None:
    if isinstance(schema, list):
        for one in schema:
            _collect(one, names)
    elif isinstance(schema, Mapping):
        properties = schema.get("properties")
        if isinstance(properties, Mapping):
            for name in sorted(properties):
                names[name] = None
                _collect(properties[name], names)
        for name, value in schema.items():
            if name != "properties" and name not in VALUES:
                _collect(value, names)


def _check_ways(schema: dict[str, Any]) -> None:
    """Refuse a schema that would hold one value at far more subschemas than it has.

    Raises: NoSchema.
    """
    nodes = list(_mappings(schema))
    named: dict[str, Mapping[str, Any]] = {"": schema}
    for node in nodes:
        for name in ("$id", "id", "$anchor", "$dynamicAnchor"):
            if isinstance(node.get(name), str):
                named.setdefault(node[name].rsplit("/", 1)[-1].strip("#"), node)
    known: dict[int, int] = {}
    try:
        most = max(_ways(node, named, known) for node in nodes)
    except RecursionError as error:
        raise NoSchema("", "its references go too deep") from error
    if most > AT_ONE_VALUE_MAX:
        raise NoSchema("", f"its references hold one value at {most:,} subschemas, too many")


def _mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        yield value
    if isinstance(value, (Mapping, list)):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _mappings(one)


def _ways(node: Any, named: Mapping[str, Any], known: dict[int, int]) -> int:
    """How many subschemas hold for the value of this one; a circle counts once."""
    if not isinstance(node, Mapping):
        return 0
    if id(node) not in known:
        known[id(node)] = 1
        known[id(node)] += sum(_ways(one, named, known) for one in _at_same_value(node, named))
    return known[id(node)]


def _at_same_value(node: Mapping[str, Any], named: Mapping[str, Any]) -> Iterator[Any]:
    for name in SAME_VALUE:
        held = node.get(name)
        if name == "dependentSchemas" and isinstance(held, Mapping):
            yield from held.values()
        elif isinstance(held, list):
            yield from held
        else:
            yield held
    for name in REFERENCES:
        if isinstance(node.get(name), str):
            yield _target(node[name], named)


def _target(reference: str, named: Mapping[str, Any]) -> Any:
    """What a reference within the document names; None where that cannot be told."""
    document, _, fragment = reference.partition("#")
    found = named.get(document.rsplit("/", 1)[-1])
    if fragment and not fragment.startswith("/"):
        return named.get(fragment)
    for step in fragment.split("/")[1:]:
        name = unquote(step).replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        else:
            found = found.get(name) if isinstance(found, Mapping) else None
    return found


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"a reference leaves the document: {uri[:200]}")
