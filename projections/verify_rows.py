"""Is every stored row what the log folds to? One generation of one user is a `View`.

A view folds what its generation should hold: up to where it stands, each parked member up to
where that one stands, without the events that an operator had left out. So lagging and parked
rows are compared too, and a skip is no difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

import orjson
from pydantic import ValidationError

from workindex.domain.facts import Event, utc
from workindex.eventlog.database import Connection
from workindex.projections.evidence_functions import words_of
from workindex.projections.folding import FoldFailed, Folding, Kept, split_ref
from workindex.projections.marks import skipped_positions
from workindex.projections.rows import Progress
from workindex.projections.sets import ProjectionSet
from workindex.projections.table import Table

UNCOMPARED: Final = ("user_id", "generation", "words")
Key = tuple[str, int]  # user and generation
Stored = Mapping[str, Any]


class Difference(NamedTuple):
    """One field that is stored otherwise than the log says; `position` last touched the row."""

    user_id: str
    table: str
    row: str
    field: str
    stored: Any
    folded: Any
    position: int | None


class View:
    """One generation of one user, folded as far as it should be."""

    def __init__(self, user_id: str, projection_set: ProjectionSet, progress: Progress) -> None:
        self.user_id = user_id
        self.set = projection_set
        self.progress = progress
        self.folding = Folding(projection_set=projection_set)
        self.failed: dict[str, tuple[int, str]] = {}  # members that failed now: where and why
        self.marks = list(self._wrong_marks())
        self._ends = {
            member: mark["position"]
            for member, mark in progress.parked.items()
            if member not in {name for name, _ in self.marks}
        }
        self._skips = {
            member: skipped_positions(progress.skipped, member) for member in progress.skipped
        }
        self._is_plain = not (self._ends or self._skips)

    @property
    def without(self) -> set[str]:
        """The members that cannot be compared: they failed now, or their marks say nothing."""
        ended = {member for member, end in self._ends.items() if end <= self.progress.position}
        named = {member for member, _ in self.marks}
        return (self.folding.without - ended) | (named & set(self.set.members))

    def apply(self, told: Sequence[Event], position: int) -> Iterator[str]:
        """Fold one event as the set takes it; says what could not be folded."""
        if position > self.progress.position:
            return
        folding = self.folding
        left_out = self._left_out(position)
        folding.without |= left_out
        for event in told:
            while True:
                try:
                    folding.apply(event, position)
                except FoldFailed as failure:
                    folding.without.add(failure.member)
                    self.failed[failure.member] = (position, str(failure))
                    yield str(failure)
                else:
                    break
        folding.without -= left_out

    def stop(self, position: int, reason: str) -> None:
        """Fold nothing from here on: the event cannot be told to the members.

        Those that stand still before it or leave it out anyway are not concerned.
        """
        if position > self.progress.position:
            return
        left_out = self._left_out(position)
        for member in set(self.set.members) - left_out - self.folding.without:
            self.folding.without.add(member)
            self.failed[member] = (position, reason)

    def _left_out(self, position: int) -> set[str]:
        """The members that leave this one event out; those that stand still end for good."""
        if self._is_plain:
            return set()
        without = self.folding.without
        without |= {member for member, end in self._ends.items() if position >= end}
        return {member for member, at in self._skips.items() if position in at} - without

    def compare(self, rows: StoredRows) -> Iterator[Difference]:
        """Every difference between the folded rows and the stored ones."""
        progress = self.progress
        row = f"{progress.projection_set}/{progress.generation}"
        for member, mark in self.marks:
            yield self._of_progress(row, f"marks of {member}", mark, None)
        key = (self.user_id, progress.generation)
        folded: dict[str, dict[str, Kept]] = {table.kind: {} for table in self.set.tables}
        for ref, kept in self.folding.after.items():
            if kept is not None:
                kind, id_ = split_ref(ref)
                folded[kind][id_] = kept
        for table in self.set.tables:
            if table.member not in self.without:
                found = rows.of_table[table.name].get(key, {})
                yield from _table_differences(self.user_id, table, found, folded[table.kind])
        if "work_index" in self.without or "work_index" not in self.set.members:
            return
        opened = self.folding.open_count()
        if opened != progress.open_count:
            yield self._of_progress(row, "open_count", progress.open_count, opened)
        yield from self._due_differences(rows.due.get(key, {}), folded)

    def _of_progress(self, row: str, field: str, stored: Any, folded: Any) -> Difference:
        at = self.progress.position
        return Difference(self.user_id, "projection_progress", row, field, stored, folded, at)

    def _due_differences(
        self, stored: Mapping[str, datetime], folded: Mapping[str, Mapping[str, Kept]]
    ) -> Iterator[Difference]:
        wanted = {}
        for table in self.set.tables:
            if table.due_at is None:
                continue
            for id_, one in folded[table.kind].items():
                if (due_at := table.due_at(one.row)) is not None:
                    wanted[f"{table.kind}/{id_}"] = due_at
        for ref in sorted(stored.keys() | wanted.keys()):
            was, is_ = stored.get(ref), wanted.get(ref)
            if was != is_:
                kept = self.folding.after.get(ref)
                yield Difference(
                    self.user_id, "work_due", ref, "due_at", _plain(was), _plain(is_),
                    kept.source_position if kept else None,
                )  # fmt: skip

    def _wrong_marks(self) -> Iterator[tuple[str, Any]]:
        """Marks of no member, or that name no position of the log."""
        progress = self.progress
        for member, mark in progress.parked.items():
            end = mark.get("position") if isinstance(mark, dict) else None
            is_right = type(end) is int and 0 < end <= progress.position + 1
            if not is_right or member not in self.set.members:
                yield member, mark
        for member, skips in progress.skipped.items():
            found = skipped_positions({member: skips})
            count = len(skips) if isinstance(skips, list) else -1
            is_right = len(found) == count and all(0 < at <= progress.position for at in found)
            if not is_right or member not in self.set.members:
                yield member, skips


class StoredRows:
    """The rows of a few users in the generations that are compared, and those of no generation.

    `strays` are rows whose generation the user's progress does not name.
    """

    def __init__(
        self,
        conn: Connection,
        sets: Sequence[ProjectionSet],
        users: Sequence[str],
        generations: Mapping[str, Mapping[str, set[int]]],
        compared: Mapping[str, set[int]],
        leaving: Mapping[str, set[int]],
    ) -> None:
        """Reads them. `generations` are those of each set and user, `compared` those that this
        program folds, `leaving` those that are being retired."""
        self.of_table: dict[str, dict[Key, dict[str, Stored]]] = {}
        self.due: dict[Key, dict[str, datetime]] = {}
        self.strays: list[Difference] = []
        for projection_set in sets:
            name = projection_set.name
            known, gone = generations[name], leaving.get(name, set())
            wanted = sorted(compared[name])
            for table in projection_set.tables:
                self._read_table(conn, table, users, known, gone, wanted)
            if any(table.due_at is not None for table in projection_set.tables):
                self._read_due(conn, users, known, gone)

    def _read_table(
        self,
        conn: Connection,
        table: Table[Any],
        users: Sequence[str],
        known: Mapping[str, set[int]],
        gone: set[int],
        wanted: list[int],
    ) -> None:
        found = self.of_table.setdefault(table.name, {})
        words = "true"
        if table.searched is not None:
            own = words_of(f"t.{table.searched}")
            own = own.replace("p_user", "t.user_id").replace("g.generation", "t.generation")
            words = f"t.words IS NOT DISTINCT FROM {own}"
        rows = conn.execute(
            f"SELECT t.user_id, t.generation, t.{table.id_column}, t.source_position, "
            f"CASE WHEN t.generation = ANY (%s) THEN to_json(t) END, {words} "
            f"FROM {table.name} t WHERE t.user_id = ANY (%s)".encode(),
            (wanted, list(users)),
        ).fetchall()
        for user_id, generation, id_, position, stored, has_its_words in rows:
            if generation in known.get(user_id, ()):
                if stored is not None:
                    for name in UNCOMPARED:
                        stored.pop(name, None)
                    if table.searched is not None:
                        stored["words"] = has_its_words
                    found.setdefault((user_id, generation), {})[id_] = stored
            elif generation not in gone:
                self.strays.append(
                    Difference(user_id, table.name, id_, "row", True, False, position)
                )

    def _read_due(
        self,
        conn: Connection,
        users: Sequence[str],
        known: Mapping[str, set[int]],
        gone: set[int],
    ) -> None:
        rows = conn.execute(
            "SELECT user_id, generation, kind, id, due_at FROM work_due WHERE user_id = ANY (%s)",
            (list(users),),
        ).fetchall()
        for user_id, generation, kind, id_, due_at in rows:
            if generation in known.get(user_id, ()):
                self.due.setdefault((user_id, generation), {})[f"{kind}/{id_}"] = due_at
            elif generation not in gone:
                self.strays.append(
                    Difference(user_id, "work_due", f"{kind}/{id_}", "row", True, False, None)
                )


def _table_differences(
    user_id: str, table: Table[Any], stored: Mapping[str, Stored], folded: Mapping[str, Kept]
) -> Iterator[Difference]:
    for id_ in sorted(folded.keys() | stored.keys()):
        kept = folded.get(id_)
        row = stored.get(id_)
        if kept is None or row is None:
            position = kept.source_position if kept else (row or {}).get("source_position")
            present = (row is not None, kept is not None)
            yield Difference(user_id, table.name, id_, "row", *present, position)
        else:
            at = kept.source_position
            for field, was, is_ in _row_differences(table, row, kept):
                yield Difference(user_id, table.name, id_, field, was, is_, at)


def _row_differences(table: Table[Any], stored: Stored, kept: Kept) -> list[tuple[str, Any, Any]]:
    """The fields that differ; one, called row, where the stored row cannot be read at all."""
    wanted = table.dump(kept.row)
    wanted["created_position"] = kept.created_position
    wanted["source_position"] = kept.source_position
    if table.searched is not None:
        wanted["words"] = True
    if _bytes(stored) == _bytes(wanted):
        return []
    found: list[tuple[str, Any, Any]] = [
        (field, stored.get(field), _plain(value))
        for field, value in wanted.items()
        if not _is_same(stored.get(field), value)
        and not (isinstance(value, float) and _is_same_float(table, field, stored, value))
    ]
    if table.searched in {field for field, _, _ in found}:
        found = [one for one in found if one[0] != "words"]  # they follow from the text
    if found:
        try:
            table.load(stored)
        except ValidationError as error:
            told = f"cannot be read: {error.errors(include_url=False)[0]['msg']}"
            return [("row", told, True)]
    return found


def _bytes(row: Stored) -> bytes:
    """The row as text that is the same for the same values; others may be the same all the same
    (an instant can be written in two ways), which a look at each field tells."""
    return orjson.dumps(row, option=orjson.OPT_SORT_KEYS)


def _is_same_float(table: Table[Any], field: str, stored: Stored, value: float) -> bool:
    """A column of floats comes back as JSON, which writes the float 1.0 as 1."""
    is_float = any(c.name == field and c.sql_type == "double precision" for c in table.columns)
    found = stored.get(field)
    return is_float and type(found) is int and found == value


def _is_same(stored: Any, value: Any) -> bool:
    """Whether a JSON value of the database is the value: true is not 1, and 1 is not 1.0."""
    if isinstance(value, datetime):
        return isinstance(stored, str) and datetime.fromisoformat(stored) == value
    if isinstance(value, dict):
        return (
            isinstance(stored, dict)
            and stored.keys() == value.keys()
            and all(_is_same(stored[name], one) for name, one in value.items())
        )
    if isinstance(value, list | tuple):
        return (
            isinstance(stored, list)
            and len(stored) == len(value)
            and all(map(_is_same, stored, value))
        )
    return type(stored) is type(value) and bool(stored == value)


def _plain(value: Any) -> Any:
    return utc(value) if isinstance(value, datetime) else value


def strays_of_progress(
    rows: Iterable[tuple[str, str, int]], registered: Mapping[str, set[int]], table: str
) -> Iterator[Difference]:
    """Rows about generations that are not registered."""
    for user_id, name, generation in rows:
        if generation not in registered.get(name, ()):
            yield Difference(user_id, table, f"{name}/{generation}", "row", True, False, None)
