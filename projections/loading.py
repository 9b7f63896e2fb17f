"""Where a plan gets states and rows: from the projection at head, or from the log itself.

Rows are trusted only when the user's progress stands at the head under this fold version, in a
generation that readers use. An approval's state, and every state whose rows are not trusted, is
replayed from the log, under the lock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workindex.domain.errors import CorruptEvent
from workindex.domain.facts import Event
from workindex.eventlog.append import Snapshot, Wanted, read
from workindex.eventlog.database import Connection
from workindex.eventlog.mapper import FactMapper
from workindex.eventlog.reader import read_stored
from workindex.projections.folding import Kept, ids_by_table, kept_row, split_ref
from workindex.projections.marks import skipped_positions
from workindex.projections.planning import ENTITIES, Known, Loaded, state_of
from workindex.projections.sets import TABLE_OF_KIND, ProjectionSet

# Decisions on these never rest on a projection.
REPLAYED_KINDS = frozenset({"approval"})
# Entities of these begin with an event in a stream of their own.
OWN_STREAM_KINDS = frozenset(
    {
        *("task", "meeting", "approval", "routine", "reminder", "connection", "credits", "source"),
        *("message", "thread", "claim", "artifact"),
    }
)


class Stale(Exception):
    """The reads of one plan saw different heads, or its rows cannot be trusted."""


class LogLoader:
    """Loads from the database on one connection, checking that every read saw the same head."""

    def __init__(
        self,
        conn: Connection,
        user_id: str,
        projection_set: ProjectionSet,
        mapper: FactMapper,
        *,
        may_replay: bool = False,
    ) -> None:
        self._conn = conn
        self._user_id = user_id
        self._set = projection_set
        self._mapper = mapper
        self._may_replay = may_replay
        self._whole_log: dict[str, Any] | None = None
        self._keys: tuple[str, Sequence[str]] = ("", ())
        self.first: Snapshot | None = None

    def look_up(self, source: str, keys: Sequence[str]) -> None:
        """Have the first read look up command keys; `first` then holds what it found."""
        self._keys = (source, keys)

    def load(self, refs: Sequence[str], streams: Sequence[str]) -> Loaded:
        """States and rows of references, and versions of streams, in one read.

        Where the projection is behind the log there are no rows.

        Raises: Stale where a row cannot be trusted, unless this loader may replay the log (its
        connection has the tenant set then).
        """
        replayed = [ref for ref in refs if split_ref(ref)[0] in REPLAYED_KINDS]
        snapshot = self._read(ids_by_table(refs), streams, replayed)
        if (snapshot.is_behind or snapshot.parked) and not self._may_replay:
            raise Stale
        kept = {} if snapshot.is_behind else self._kept(snapshot)
        states = self._replay(snapshot, replayed)
        for ref in refs:
            if ref not in states:
                table = TABLE_OF_KIND[split_ref(ref)[0]]
                if snapshot.holds(table.member, ref):
                    states[ref] = state_of(ref, kept[ref].row if ref in kept else None)
                elif _is_new(ref, snapshot):
                    states[ref] = None
                elif self._may_replay:
                    states[ref] = self._from_whole_log(ref, snapshot.head)
                else:
                    raise Stale
        known = {ref: Known(states[ref], kept.get(ref)) for ref in refs}
        return Loaded(known, snapshot.versions)

    def _read(
        self, rows: Mapping[str, Sequence[str]], streams: Sequence[str], replay: Sequence[str]
    ) -> Snapshot:
        source, keys = self._keys if self.first is None else ("", ())
        wanted = Wanted(rows, streams, replay, source, keys)
        snapshot = read(self._conn, self._user_id, self._set.fold_version, wanted)
        if self.first is None:
            self.first = snapshot
        elif (snapshot.head, snapshot.epoch) != (self.first.head, self.first.epoch):
            raise Stale
        return snapshot

    def _kept(self, snapshot: Snapshot) -> dict[str, Kept]:
        return dict(
            kept_row(table, stored)
            for table in self._set.tables
            for stored in snapshot.rows.get(table.name, ())
        )

    def _replay(self, snapshot: Snapshot, refs: Sequence[str]) -> dict[str, Any]:
        states: dict[str, Any] = dict.fromkeys(refs)
        for stored in snapshot.replay:
            event = self._mapper.to_domain_event(stored)
            ref = stored.originator_id
            states[ref] = ENTITIES[split_ref(ref)[0]].evolve(states[ref], event)
        return states

    def _from_whole_log(self, ref: str, head: int) -> Any:
        """The state of an entity from every event that touches it.

        Raises: CorruptEvent at an event that cannot be decoded, unless an operator had it left
        out of every row that it is about.
        """
        if self._whole_log is None:
            states: dict[str, Any] = {}
            for event in self._decoded(head):
                for touched in event.fact.touches:
                    entity = ENTITIES.get(split_ref(touched)[0])
                    if entity is not None:
                        states[touched] = entity.evolve(states.get(touched), event)
            self._whole_log = states
        return self._whole_log.get(ref)

    def _decoded(self, head: int) -> Iterator[Event]:
        skipped = skipped_positions(self.first.skipped) if self.first else frozenset()
        for stored in read_stored(self._conn, self._user_id, to_position=head):
            try:
                yield self._mapper.to_domain_event(stored)
            except CorruptEvent:
                if stored.position not in skipped:
                    raise


def _is_new(ref: str, snapshot: Snapshot) -> bool:
    """Whether nothing has happened to the entity: its stream was looked for and is empty."""
    return split_ref(ref)[0] in OWN_STREAM_KINDS and snapshot.versions.get(ref) == 0
