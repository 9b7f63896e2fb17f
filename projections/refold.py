"""Folding one member of one generation again, from an event on to where its set stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

import psycopg
from pydantic import ValidationError

from workindex.domain.errors import CommandRefused, CorruptEvent, CorruptLog
from workindex.domain.facts import Event
from workindex.eventlog.append import sqlstate
from workindex.eventlog.database import Connection
from workindex.eventlog.mapper import FactMapper, LogEvent
from workindex.eventlog.reader import read_stored
from workindex.projections.folding import FoldFailed, Folding
from workindex.projections.marks import in_one_line, skipped_positions
from workindex.projections.parking import VALUE_CLASSES
from workindex.projections.rows import Progress, load_rows, write_folded
from workindex.projections.sets import ProjectionSet

PAGE_EVENTS: Final = 1_000


class Stopped(Exception):
    """The member cannot be folded over the event at `position`."""

    def __init__(self, position: int, cause: Exception | str) -> None:
        super().__init__(in_one_line(cause))
        self.position = position


class Refold:
    """One member of one user's generation, folded by its own program while the head is held.

    Events that an operator had left out stay out.
    """

    def __init__(
        self,
        conn: Connection,
        user_id: str,
        held: Progress,
        projection_set: ProjectionSet,
        member: str,
        mapper: FactMapper,
    ) -> None:
        self._conn = conn
        self._user_id = user_id
        self._held = held
        self._set = projection_set
        self._member = member
        self._mapper = mapper
        self._left_out = skipped_positions(held.skipped, member)

    def run(self, first: int) -> tuple[int, int]:
        """Fold and write the events from `first` on; returns how many events and rows.

        Raises: Stopped, after which the caller rolls back; NeedsNewerCode; CorruptLog where an
        event is missing; CommandRefused (rows_damaged) where a stored row cannot be read.
        """
        folding = self._folding()
        events = 0
        stored = self._stored(first)
        while page := list(islice(stored, PAGE_EVENTS)):
            told = [event for one in page for event in self._told(one)]
            self._load(folding, told)
            for event in told:
                _apply(folding, event)
            events += len(page)
        try:
            with self._conn.transaction():
                return events, self._write(folding)
        except psycopg.Error as refused:
            if sqlstate(refused)[:2] not in VALUE_CLASSES:
                raise
            raise self._refused_at(first, refused) from refused

    def _refused_at(self, first: int, refused: psycopg.Error) -> Stopped:
        """Which event's row the database refuses: each is written on its own, then taken back."""
        with self._conn.transaction(force_rollback=True):
            for stored in self._stored(first):
                folding = self._folding()
                told = self._told(stored)
                self._load(folding, told)
                for event in told:
                    _apply(folding, event)
                try:
                    with self._conn.transaction():
                        self._write(folding)
                except psycopg.Error as again:
                    if sqlstate(again)[:2] not in VALUE_CLASSES:
                        raise
                    return Stopped(stored.position, again)
        return Stopped(first, refused)

    def _write(self, folding: Folding) -> int:
        return write_folded(self._conn, self._user_id, self._held.generation, self._set, folding)

    def _folding(self) -> Folding:
        others = set(self._set.members) - {self._member}
        return Folding(without=others, projection_set=self._set)

    def _stored(self, first: int) -> Iterator[LogEvent]:
        last = self._held.position
        expected = first
        for stored in read_stored(self._conn, self._user_id, from_position=first, to_position=last):
            if stored.position != expected:
                break
            expected += 1
            if stored.position not in self._left_out:
                yield stored
        if expected != last + 1:
            raise missing_event(self._user_id, expected)

    def _told(self, stored: LogEvent) -> list[Event]:
        try:
            event: Event = self._mapper.to_domain_event(stored)
            return self._set.told(self._conn, self._user_id, self._mapper, event)
        except CorruptEvent as corrupt:
            raise Stopped(stored.position, corrupt) from corrupt

    def _load(self, folding: Folding, events: Iterable[Event]) -> None:
        refs = [ref for event in events for ref in event.fact.touches]
        try:
            load_rows(self._conn, self._user_id, self._held.generation, self._set, folding, refs)
        except ValidationError as error:
            raise CommandRefused(
                "rows_damaged",
                f"a stored row of user {self._user_id} cannot be read "
                f"({error.errors(include_url=False)[0]['msg']}): make the rows anew with "
                f"workindex projections verify --repair {self._user_id}",
            ) from error


def refs_of(conn: Connection, user_id: str, position: int, mapper: FactMapper) -> list[str]:
    """The rows that an event is about; of one that cannot be decoded its own stream.

    Raises: CorruptLog where there is no such event.
    """
    for stored in read_stored(conn, user_id, from_position=position, to_position=position):
        try:
            return list(mapper.to_domain_event(stored).fact.touches)
        except CorruptEvent:
            return [stored.originator_id]
    raise missing_event(user_id, position)


def missing_event(user_id: str, position: int) -> CorruptLog:
    """What says that the log has a hole."""
    return CorruptLog(
        f"event {position} of user {user_id} is missing: see workindex projections verify --user "
        f"{user_id}"
    )


def _apply(folding: Folding, event: Event) -> None:
    try:
        folding.apply(event, event.position)
    except FoldFailed as failure:
        raise Stopped(event.position, failure) from failure
