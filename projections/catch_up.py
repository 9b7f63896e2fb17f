"""Catching up: a projection that fell a few events behind is folded forward by the next append."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from workindex.domain.errors import CorruptEvent, NeedsNewerCode
from workindex.domain.facts import Event
from workindex.eventlog.append import Projected, Snapshot, Wanted, project, read
from workindex.eventlog.database import Connection
from workindex.eventlog.mapper import FactMapper
from workindex.eventlog.reader import read_stored
from workindex.projections.folding import Folding, ids_by_table, touched_refs
from workindex.projections.functions import UNAPPLIED_EVENTS_MAX
from workindex.projections.parking import STANDING, park_record
from workindex.projections.sets import ProjectionSet


def catch_up_if_near(
    conn: Connection,
    user_id: str,
    projection_set: ProjectionSet,
    mapper: FactMapper,
    snapshot: Snapshot,
) -> None:
    """Fold the unapplied events, at most `UNAPPLIED_EVENTS_MAX`; the caller holds the head.

    `snapshot` was read under that lock.

    Further behind, or without a generation of this fold version, nothing happens: a worker or a
    rebuild has to come. Nor does anything where an event needs newer code, which will come. An
    event that cannot be decoded parks every member.
    """
    missing = snapshot.head - snapshot.position
    if snapshot.generation is None or not 0 < missing <= UNAPPLIED_EVENTS_MAX:
        return
    now = datetime.now(UTC)
    # The first record of a park stays; this one is for a generation that would move without rows.
    parked: dict[str, Any] = {
        member: park_record(snapshot.position + 1, snapshot.position + 1, STANDING, now)
        for member in snapshot.parked
    }
    events: list[Event] = []
    tail = read_stored(
        conn, user_id, from_position=snapshot.position + 1, to_position=snapshot.head
    )
    for stored in tail:
        try:
            events.append(mapper.to_domain_event(stored))
        except NeedsNewerCode:
            return
        except CorruptEvent as corrupt:
            record = park_record(snapshot.position + 1, stored.position, corrupt, now)
            parked = dict.fromkeys(projection_set.members, record)
            events = []
            break
    folding = loaded_folding(conn, user_id, projection_set, snapshot, events)
    numbered = [(event, event.position) for event in events]
    for member, failure in folding.apply_all(numbered).items():
        parked[member] = park_record(snapshot.position + 1, failure.event.position, failure, now)
    rows, open_delta = folding.changes(base=snapshot.position)
    project(
        conn,
        user_id,
        projection_set.fold_version,
        Projected(snapshot.position, snapshot.head, rows, open_delta, parked),
    )


def loaded_folding(
    conn: Connection,
    user_id: str,
    projection_set: ProjectionSet,
    snapshot: Snapshot,
    events: list[Event],
) -> Folding:
    """A folding that holds the stored rows which the events touch."""
    folding = Folding(without=set(snapshot.parked), projection_set=projection_set)
    refs = touched_refs([event.fact for event in events])
    for ref in refs:
        folding.load(ref, None)
    rows = read(conn, user_id, projection_set.fold_version, Wanted(ids_by_table(refs))).rows
    for table in projection_set.tables:
        for stored in rows.get(table.name, ()):
            folding.load_stored(table, stored)
    return folding
