"""Projection sets: what is versioned, rebuilt and switched together.

The inline set moves with the append, the evidence set follows it. A set's fold version is one
integer for all of its members: a fold that gives other rows for the same events needs a higher
one, and a golden digest fails until it gets it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from workindex.domain.facts import Event
from workindex.eventlog.database import Connection
from workindex.eventlog.mapper import FactMapper
from workindex.projections import ALL_TABLES, evidence
from workindex.projections.evidence_sources import told_apart
from workindex.projections.table import Member, Table


class ProjectionSet(NamedTuple):
    """A set's name, its fold version and its tables.

    `tell` turns one event of the log into those that the folds of the set take, with what they
    need beside the log; without it the folds take the log's events as they are.
    """

    name: str
    fold_version: int
    tables: tuple[Table[Any], ...]
    tell: Callable[[Connection, str, FactMapper, Event], list[Event]] | None = None

    def told(self, conn: Connection, user_id: str, mapper: FactMapper, event: Event) -> list[Event]:
        """The event as the folds of this set take it, in order; they share its position.

        The connection is the tenant's or maintenance's. Raises: CorruptEvent, NeedsNewerCode.
        """
        return [event] if self.tell is None else self.tell(conn, user_id, mapper, event)

    @property
    def members(self) -> tuple[Member, ...]:
        """The members, in the order of their first table."""
        return tuple(dict.fromkeys(table.member for table in self.tables))

    @property
    def table_names(self) -> tuple[str, ...]:
        """The tables that hold rows of this set, with what the clock has to look at."""
        due = ("work_due",) if any(table.due_at is not None for table in self.tables) else ()
        return (*(table.name for table in self.tables), *due)

    @property
    def table_of_kind(self) -> Mapping[str, Table[Any]]:
        """The tables by the kind of entity that their rows belong to."""
        return _by_kind(self.tables)


@lru_cache(maxsize=100)
def _by_kind(tables: tuple[Table[Any], ...]) -> Mapping[str, Table[Any]]:
    return {table.kind: table for table in tables}


INLINE = ProjectionSet("inline", 1, ALL_TABLES)
EVIDENCE = ProjectionSet("evidence", 1, evidence.TABLES, told_apart)
ALL_SETS = (INLINE, EVIDENCE)
SET_OF_NAME: Mapping[str, ProjectionSet] = {one.name: one for one in ALL_SETS}

TABLE_OF_KIND: Mapping[str, Table[Any]] = INLINE.table_of_kind
