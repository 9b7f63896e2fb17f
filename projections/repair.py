"""Repair: the rows of one user made anew from the log, as verify expects them.

The log is the truth and is never touched: where it has a hole there is nothing to repair from.
Members that stand still stay where they stand (`retry` lets them go on), events that were left out
stay left out, and marks that say nothing are dropped. One transaction under the user's head.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import psycopg

from workindex.domain.errors import CommandRefused, CorruptEvent, CorruptLog, InvalidInput
from workindex.domain.facts import Actor
from workindex.eventlog.append import lock, sqlstate
from workindex.eventlog.audit import note_action
from workindex.eventlog.database import Connection, Database
from workindex.eventlog.mapper import FactMapper
from workindex.eventlog.reader import read_stored
from workindex.projections.marks import park_record
from workindex.projections.parking import VALUE_CLASSES
from workindex.projections.refold import missing_event
from workindex.projections.rows import (
    Progress,
    count_open,
    delete_rows,
    progress_of,
    raise_epoch,
    store_progress,
    write_folded,
)
from workindex.projections.sets import ALL_SETS, INLINE, ProjectionSet
from workindex.projections.verify_rows import View

# Binds: user, set, fold version. Progress in the live generation, where the user has none.
BEGIN = """
INSERT INTO projection_progress
    (user_id, projection_set, generation, position, parked, skipped, open_count)
SELECT %s, projection_set, generation, 0, '{}', '{}', 0 FROM projection_generation
WHERE projection_set = %s AND fold_version = %s AND state = 'live'
ON CONFLICT (user_id, projection_set, generation) DO NOTHING
"""
# Binds: user. What stands for generations that nobody registered, or for a user without a log.
UNREGISTERED = """
DELETE FROM {table} p WHERE user_id = %s AND NOT EXISTS (
    SELECT FROM projection_generation g JOIN user_log l ON l.user_id = p.user_id
    WHERE g.projection_set = p.projection_set AND g.generation = p.generation)
"""
# Binds: user, set. Rows of generations that the user's progress does not name, unless retiring.
STRAYS = """
DELETE FROM {table} t WHERE user_id = %s AND NOT EXISTS (
    SELECT FROM projection_progress p
    WHERE p.user_id = t.user_id AND p.projection_set = %s AND p.generation = t.generation)
"""


class Repaired(NamedTuple):
    """What a repair did: events folded, rows written by generation, rows of no generation gone."""

    user_id: str
    events: int
    rows: dict[str, int]
    strays: int


def repair(
    database: Database,
    user_id: str,
    who: Actor,
    *,
    sets: Sequence[ProjectionSet] = ALL_SETS,
    mapper: FactMapper | None = None,
) -> Repaired:
    """Make the user's rows anew in every generation of this program's fold versions.

    Raises: InvalidInput for a user of whom nothing is stored; CorruptLog where events are
    missing; NeedsNewerCode; CommandRefused (rows_refused) where the database takes no such rows.
    """
    with database.maintenance() as conn, conn.transaction():
        lock(conn, user_id)
        row = conn.execute("SELECT head FROM user_log WHERE user_id = %s", (user_id,)).fetchone()
        strays = _drop_strays(conn, user_id, sets)
        if row is None and not strays:
            raise InvalidInput(f"there is no user {user_id}: see workindex projections list")
        head = row[0] if row else 0
        if INLINE.name in {one.name for one in sets} and head:
            version = next(one.fold_version for one in sets if one.name == INLINE.name)
            conn.execute(BEGIN, (user_id, INLINE.name, version))
        views = _views(conn, user_id, head, sets)
        events = _fold(conn, user_id, head, views, mapper or FactMapper())
        rows = {}
        for view in views:
            name = f"{view.set.name}/{view.progress.generation}"
            rows[name] = _write(conn, user_id, view)
        raise_epoch(conn, user_id)
        done = Repaired(user_id, events, rows, strays)
        note_action(conn, who, "projections repair", done._asdict(), outcome="rows made anew")
    return done


def _drop_strays(conn: Connection, user_id: str, sets: Sequence[ProjectionSet]) -> int:
    """Delete what belongs to no generation of the user; returns how many rows that were."""
    gone = 0
    for table in ("projection_progress", "catchup_due"):
        gone += conn.execute(UNREGISTERED.format(table=table).encode(), (user_id,)).rowcount
    for one in sets:
        tables = [table.name for table in one.tables]
        if any(table.due_at is not None for table in one.tables):
            tables.append("work_due")
        for name in tables:
            gone += conn.execute(STRAYS.format(table=name).encode(), (user_id, one.name)).rowcount
    return gone


def _views(conn: Connection, user_id: str, head: int, sets: Sequence[ProjectionSet]) -> list[View]:
    """The generations to make anew, at the head (those that follow the log: where they stand)."""
    by_name = {one.name: one for one in sets}
    views = []
    for found in progress_of(conn, user_id):
        projection_set = by_name.get(found.projection_set)
        if projection_set is None or found.fold_version != projection_set.fold_version:
            continue
        is_inline = found.projection_set == INLINE.name
        at = found._replace(position=head if is_inline else min(found.position, head))
        wrong = {member for member, _ in View(user_id, projection_set, at).marks}
        right = at._replace(
            parked={name: mark for name, mark in at.parked.items() if name not in wrong},
            skipped={name: skips for name, skips in at.skipped.items() if name not in wrong},
        )
        views.append(View(user_id, projection_set, right))
    return views


def _fold(
    conn: Connection, user_id: str, head: int, views: Sequence[View], mapper: FactMapper
) -> int:
    last = 0
    for stored in read_stored(conn, user_id):
        if stored.position != last + 1:
            break
        last = stored.position
        for view in views:
            try:
                event = mapper.to_domain_event(stored)
                told = view.set.told(conn, user_id, mapper, event)
            except CorruptEvent as corrupt:
                view.stop(last, str(corrupt))
            else:
                for _ in view.apply(told, last):
                    pass  # kept in `failed`
    if last < head:
        raise missing_event(user_id, last + 1)
    if last > head:
        raise CorruptLog(
            f"the log of user {user_id} has events after its head {head}: see workindex "
            f"projections verify --user {user_id}"
        )
    return last


def _write(conn: Connection, user_id: str, view: View) -> int:
    generation = view.progress.generation
    delete_rows(conn, user_id, generation, view.set.tables)
    if any(table.due_at is not None for table in view.set.tables):
        conn.execute(
            "DELETE FROM work_due WHERE user_id = %s AND generation = %s", (user_id, generation)
        )
    view.folding.without.clear()
    try:
        rows = write_folded(conn, user_id, generation, view.set, view.folding)
    except psycopg.Error as refused:
        if sqlstate(refused)[:2] not in VALUE_CLASSES:
            raise
        raise CommandRefused(
            "rows_refused",
            f"the database refuses rows of user {user_id}: {refused}; what stands still for that "
            "is in workindex projections parked",
        ) from refused
    now = datetime.now(UTC)
    marks: Mapping[str, Any] = {
        member: park_record(position, position, reason, now)
        for member, (position, reason) in view.failed.items()
    }
    parked = {**view.progress.parked, **marks}
    count = count_open(conn, user_id, generation, view.set)
    stored: Progress = view.progress._replace(parked=parked, open_count=count)
    store_progress(conn, user_id, stored)
    return rows
