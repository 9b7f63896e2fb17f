"""Is this the schema of a tool's arguments, and do these arguments fit it?

A schema is read as the newest draft of JSON Schema that accepts it. No schema is ever fetched: a
reference that leaves the document is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

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


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"a reference leaves the document: {uri[:200]}")
