"""What a projection is made of: one table, its row type and the fold that keeps it.

A row type is a NamedTuple whose first field is the entity's id; its annotations are the columns.
A fold is `fold(row | None, event) -> row | None`: one row in, one row out, no clock, no I/O and
no other row. The columns user_id, generation, created_position, source_position and (where the
table has `is_open`) open belong to the machinery, not to the row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property
from types import NoneType, UnionType
from typing import (
    Any,
    Generic,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import TypeAdapter

from workindex.domain.facts import Event

Member = Literal["work_index", "conversation", "memory"]
R = TypeVar("R", bound=NamedTuple)

COLUMN_TYPES = {
    str: "text",
    int: "bigint",
    bool: "boolean",
    float: "double precision",
    datetime: "timestamptz",
}


class Column(NamedTuple):
    """One column: its name, its PostgreSQL type and whether it may be null."""

    name: str
    sql_type: str
    nullable: bool


class Table(Generic[R]):
    """A projection table: where its rows come from and what the readers ask of them.

    `kind` is the entity kind in references (`task` in `task/T-1`). `is_open` tells whether the
    row could need the user at some time, whatever the clock says. `due_at` is the instant at
    which the clock has to look at the row, None for never.
    """

    def __init__(
        self,
        name: str,
        *,
        kind: str,
        member: Member,
        row: type[R],
        fold: Callable[[R | None, Event], R | None],
        is_open: Callable[[R], bool] | None = None,
        due_at: Callable[[R], datetime | None] | None = None,
        indexes: tuple[tuple[str, ...], ...] = (),
    ) -> None:
        self.name = name
        self.kind = kind
        self.member = member
        self.row = row
        self.fold = fold
        self.is_open = is_open
        self.due_at = due_at
        self.indexes = indexes

    def __repr__(self) -> str:
        return f"Table({self.name})"

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The row's own columns in order; the first is the id."""
        hints = get_type_hints(self.row)
        return tuple(_column(name, hints[name]) for name in self.row._fields)

    @property
    def id_column(self) -> str:
        """The column that names the entity."""
        return self.row._fields[0]

    @cached_property
    def adapter(self) -> TypeAdapter[R]:
        """Validates a row from the database's JSON."""
        return TypeAdapter(self.row)

    def load(self, stored: Mapping[str, Any]) -> R:
        """The row from the JSON object that the database returned (other keys are ignored)."""
        return self.adapter.validate_python({name: stored[name] for name in self.row._fields})

    def dump(self, row: R) -> dict[str, Any]:
        """The row as the JSON object that the database takes, `open` included."""
        document = row._asdict()
        if self.is_open is not None:
            document["open"] = self.is_open(row)
        return document


def _column(name: str, hint: Any) -> Column:
    nullable = hint is Any  # a JSON null arrives as an SQL null
    if get_origin(hint) in (Union, UnionType):
        options = [option for option in get_args(hint) if option is not NoneType]
        nullable = len(options) < len(get_args(hint))
        hint = options[0] if len(options) == 1 else Any
    if get_origin(hint) is Literal:
        hint = str
    return Column(name, COLUMN_TYPES.get(cast(type, hint), "jsonb"), nullable)


AnyTable = Table[Any]
