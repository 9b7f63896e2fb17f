"""Projection sets: what is versioned, rebuilt and switched together.

The inline set moves with the append. Its fold version is one integer for all of its members: a
fold that gives other rows for the same events needs a higher one, and a golden digest fails
until it gets it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from workindex.projections import ALL_TABLES
from workindex.projections.table import Member, Table


class ProjectionSet(NamedTuple):
    """A set's name, its fold version and its tables."""

    name: str
    fold_version: int
    tables: tuple[Table[Any], ...]

    @property
    def members(self) -> tuple[Member, ...]:
        """The members, in the order of their first table."""
        return tuple(dict.fromkeys(table.member for table in self.tables))

    @property
    def table_of_kind(self) -> Mapping[str, Table[Any]]:
        """The tables by the kind of entity that their rows belong to."""
        return _by_kind(self.tables)


@lru_cache(maxsize=100)
def _by_kind(tables: tuple[Table[Any], ...]) -> Mapping[str, Table[Any]]:
    return {table.kind: table for table in tables}


INLINE = ProjectionSet("inline", 1, ALL_TABLES)
ALL_SETS = (INLINE,)

TABLE_OF_KIND: Mapping[str, Table[Any]] = INLINE.table_of_kind
