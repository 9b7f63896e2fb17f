"""Folding events into rows in memory: the one machine that every path shares.

Inline appends, live folds, catch-up and verify all feed events through `Folding`, so that they
cannot disagree. Rows are held by reference (`task/T-1`); what changed is written out relative to
a base position, because a blind append learns its positions only from the database.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from workindex.domain.facts import Event, Fact, utc
from workindex.projections.sets import INLINE, TABLE_OF_KIND, ProjectionSet
from workindex.projections.table import Member, Table


class Kept(NamedTuple):
    """A row with its positions: as stored, or counted from the base of the append."""

    row: Any
    created_position: int
    source_position: int
    is_new: bool = False


def split_ref(ref: str) -> tuple[str, str]:
    """The kind and the id of a reference."""
    kind, _, id_ = ref.partition("/")
    return kind, id_


def ids_by_table(refs: Iterable[str]) -> dict[str, list[str]]:
    """The ids of the references by the name of the table that holds their rows."""
    ids: dict[str, list[str]] = {}
    for ref in refs:
        kind, id_ = split_ref(ref)
        ids.setdefault(TABLE_OF_KIND[kind].name, []).append(id_)
    return ids


def kept_row(table: Table[Any], stored: Mapping[str, Any]) -> tuple[str, Kept]:
    """The reference and the row of what the database returned as a JSON object."""
    row = table.load(stored)
    kept = Kept(row, stored["created_position"], stored["source_position"])
    return f"{table.kind}/{row[0]}", kept


class FoldFailed(Exception):
    """A fold raised on an event; `member` is the projection that has to park."""

    def __init__(self, member: Member, table: str, event: Event, cause: Exception) -> None:
        super().__init__(
            f"{table} cannot fold {event.fact.type} of {event.fact.stream} "
            f"(version {event.stream_version}): {type(cause).__name__}: {cause}"
        )
        self.member = member
        self.event = event


class Folding:
    """Rows by reference, and what a run of events made of them.

    `load` gives it the rows as they were; `apply` folds one event. Members named in `without`
    are left alone. The folds are those of the set: a program of another fold version has others.
    """

    def __init__(
        self, *, without: Collection[str] = (), projection_set: ProjectionSet = INLINE
    ) -> None:
        self._table_of_kind = projection_set.table_of_kind
        self.before: dict[str, Kept | None] = {}
        self.after: dict[str, Kept | None] = {}
        self.without = set(without)

    def load(self, ref: str, kept: Kept | None) -> None:
        """Say what the row of a reference was before the first event."""
        self.before[ref] = kept
        self.after[ref] = kept

    def load_stored(self, table: Table[Any], stored: Mapping[str, Any]) -> None:
        """Load one row as the database returned it."""
        self.load(*kept_row(table, stored))

    def apply(self, event: Event, position: int) -> None:
        """Fold one event into every row that it touches.

        `position` is absolute, or the offset within the append (from 1).

        Raises: FoldFailed; no row has changed then.
        """
        folded: dict[str, Kept | None] = {}
        for ref in event.fact.touches:
            table = self._table_of_kind[split_ref(ref)[0]]
            if table.member in self.without:
                continue
            kept = self.after.get(ref)
            try:
                row = table.fold(kept.row if kept else None, event)
            except Exception as error:  # any bug of a fold parks its member and loses no fact
                raise FoldFailed(table.member, table.name, event, error) from error
            if row is None:
                folded[ref] = None
            else:
                created = kept.created_position if kept else position
                folded[ref] = Kept(row, created, position, kept is None or kept.is_new)
        self.after.update(folded)

    def apply_all(self, events: list[tuple[Event, int]]) -> dict[str, FoldFailed]:
        """Fold a run of events; a member that fails is rolled back whole and left out.

        Returns the failures by member, empty where all went well.
        """
        failures: dict[str, FoldFailed] = {}
        while True:
            self.after = dict(self.before)
            try:
                for event, position in events:
                    self.apply(event, position)
            except FoldFailed as failure:
                failures[failure.member] = failure
                self.without.add(failure.member)
            else:
                return failures

    def rows(self, kind: str) -> list[Any]:
        """The rows of one kind as they are now, ordered by id."""
        prefix = f"{kind}/"
        return [
            kept.row
            for ref, kept in sorted(self.after.items())
            if kept is not None and ref.startswith(prefix)
        ]

    def open_count(self) -> int:
        """How many rows are open now."""
        return sum(self._is_open(ref, kept) for ref, kept in self.after.items())

    def changes(self, *, base: int | None) -> tuple[dict[str, Any], int]:
        """What changed, as the database takes it, and the change of the open count.

        `base` is the position that the offsets count from; None says that `apply` was given
        offsets already.
        """
        documents: dict[str, Any] = {}
        open_delta = 0
        for ref, kept in self.after.items():
            before = self.before.get(ref)
            if kept is before:
                continue
            kind, id_ = split_ref(ref)
            table = self._table_of_kind[kind]
            if table.member in self.without:
                continue
            part = documents.setdefault(table.name, {"put": [], "drop": []})
            open_delta += self._is_open(ref, kept) - self._is_open(ref, before)
            if kept is None:
                part["drop"].append(id_)
            else:
                part["put"].append(_document(table, kept, base or 0))
        return documents, open_delta

    def _is_open(self, ref: str, kept: Kept | None) -> bool:
        if kept is None:
            return False
        table = self._table_of_kind[split_ref(ref)[0]]
        return table.is_open is not None and table.is_open(kept.row)


def _document(table: Table[Any], kept: Kept, base: int) -> dict[str, Any]:
    document = table.dump(kept.row)
    document["source_offset"] = kept.source_position - base
    if kept.is_new:
        document["created_offset"] = kept.created_position - base
    else:
        document["created_position"] = kept.created_position
    if table.due_at is not None and (due_at := table.due_at(kept.row)) is not None:
        document["wake_at"] = utc(due_at)
    return document


def touched_refs(facts: Collection[Fact]) -> list[str]:
    """Every reference that the facts touch, once, in order."""
    return list(dict.fromkeys(ref for fact in facts for ref in fact.touches))
