"""Changing some fields of an entity: which were given, which really differ, which are emptied.

In a command a field that is left out stays, and an explicit null empties it. A fact cannot tell
the two apart once it is stored, so it names the emptied fields in `cleared`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from types import NoneType
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel

from workindex.domain.errors import CommandRefused
from workindex.domain.facts import Command

N = TypeVar("N", bound=NamedTuple)


# What is the same in a row; most values are one of these.
_PLAIN = frozenset({str, int, bool, float, datetime, NoneType})


def plain(value: Any) -> Any:
    """The value as a row holds it: tuples are lists, models are JSON objects."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def given(command: Command, names: Iterable[str]) -> dict[str, Any]:
    """The fields that hold something: the log keeps only what was given."""
    values = {name: getattr(command, name) for name in names}
    return {name: value for name, value in values.items() if value not in (None, (), {})}


def asked_changes(
    command: Command, state: Any, names: Iterable[str], *, never_empty: Iterable[str] = ()
) -> dict[str, Any]:
    """Keyword arguments of the `…Changed` fact: new values and `cleared`; empty if none differ.

    Raises: CommandRefused (field_required) where a field of `never_empty` is given as null.
    """
    values: dict[str, Any] = {}
    cleared: list[str] = []
    for name in names:
        asked, held = getattr(command, name), getattr(state, name)
        if name not in command.model_fields_set or plain(asked) == held:
            continue
        if asked is not None:
            values[name] = asked
        elif isinstance(held, list):
            if held:
                values[name] = ()
        elif name in never_empty:
            raise CommandRefused(
                "field_required",
                f"{name} of {command.stream} cannot be emptied: give a value or leave it out",
                field=name,
            )
        else:
            cleared.append(name)
    return {**values, "cleared": tuple(cleared)} if values or cleared else {}


def changed_columns(fact: Any, names: Iterable[str]) -> dict[str, Any]:
    """The columns that a `…Changed` fact sets, in the form of a row."""
    values = {name: getattr(fact, name) for name in names}
    changed = {name: plain(value) for name, value in values.items() if value is not None}
    return {**changed, **dict.fromkeys(fact.cleared)}


def replaced(row: N, columns: Mapping[str, Any]) -> N:
    """`row._replace(**columns)` in half the time, for rows of many columns.

    Raises: KeyError for a column that the row does not have.
    """
    values = list(row)
    places = _places(type(row))
    for name, value in columns.items():
        values[places[name]] = value
    return type(row)._make(values)


@cache
def _places(row_type: type[NamedTuple]) -> Mapping[str, int]:
    return {name: place for place, name in enumerate(row_type._fields)}
