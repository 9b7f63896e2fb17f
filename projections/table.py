"""What a projection is made of: one table, its row type and the fold that keeps it.

A row type is a NamedTuple whose first field is the entity's id; its annotations are the columns.
A fold is `fold(row | None, event) -> row | None`: one row in, one row out, no clock, no I/O and
no other row. The columns user_id, generation, created_position, source_position and (where the
table has `is_open`) open and those of `Need` belong to the machinery, not to the row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cached_property
from types import NoneType, UnionType
from typing import (
    Any,
    Final,
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

Member = Literal["work_index", "conversation", "memory", "evidence"]
R = TypeVar("R", bound=NamedTuple)

COLUMN_TYPES = {
    str: "text",
    int: "bigint",
    bool: "boolean",
    float: "double precision",
    datetime: "timestamptz",
}


EVER: Final = datetime.min.replace(tzinfo=UTC)
FOREVER: Final = datetime.max.replace(tzinfo=UTC)


class Need(NamedTuple):
    """When an open row needs the user, told without a clock, so that a database can count.

    It does from `from_at` (`EVER`: has always done) up to `until_at` (`FOREVER`: no end). Its
    item has this `due_at` and `since_at` before `steady_until_at`; what they are after it, the
    row has to be read for.
    """

    from_at: datetime
    steady_until_at: datetime
    until_at: datetime
    due_at: datetime | None
    since_at: datetime | None


NEEDLESS: Final = Need(EVER, EVER, EVER, None, None)
NEED_COLUMNS: Final = tuple(f"need_{name}" for name in Need._fields)


class Column(NamedTuple):
    """One column: its name, its PostgreSQL type and whether it may be null."""

    name: str
    sql_type: str
    nullable: bool


class Table(Generic[R]):
    """A projection table: where its rows come from and what the readers ask of them.

    `kind` is the entity kind in references (`task` in `task/T-1`). `is_open` tells whether the
    row could need the user at some time, whatever the clock says, and `need` when an open row
    does. `due_at` is the instant at which the clock has to look at the row, None for never.
    `told_by` is the column that names a task: where that is open, its item tells of this row.
    `searched` is the column whose words the database keeps beside the row, in `words`. `timely`
    is a condition of SQL on a row `t`: of the bounds `v_now`, `v_from`, `v_to` and `v_id`, which
    rows can matter to a question about a time; it may let more through, never fewer.
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
        need: Callable[[R], Need] | None = None,
        due_at: Callable[[R], datetime | None] | None = None,
        told_by: str | None = None,
        indexes: tuple[tuple[str, ...], ...] = (),
        searched: str | None = None,
        timely: str | None = None,
    ) -> None:
        self.name = name
        self.kind = kind
        self.member = member
        self.row = row
        self.fold = fold
        assert (is_open is None) == (need is None), f"{name}: is_open and need go together"
        self.is_open = is_open
        self.need = need
        self.due_at = due_at
        self.told_by = told_by
        self.indexes = indexes
        self.searched = searched
        self.timely = timely

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
        """The row as the JSON object that the database takes, with what is kept beside it."""
        return row._asdict() | self.beside(row)

    def beside(self, row: R) -> dict[str, Any]:
        """The columns that are kept beside the row: `open`, and when it needs the user."""
        if self.is_open is None or self.need is None:
            return {}
        is_open = self.is_open(row)
        need = self.need(row) if is_open else (None,) * len(NEED_COLUMNS)
        return {"open": is_open, **dict(zip(NEED_COLUMNS, need, strict=True))}


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
