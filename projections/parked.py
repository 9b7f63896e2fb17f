"""What stands still, and how it goes on: by a retry, or past one event that is left out.

One generation of one user is one transaction under the user's head: the member is folded from
where it stands to the position of its set, the open rows are counted anew, the mark goes, the
log's epoch is raised and the action is noted, or nothing of it happens but the note and the
mark's new reason. A process touches generations of its own fold version only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from psycopg.rows import dict_row

from workindex.domain.errors import CommandRefused, InvalidInput
from workindex.domain.facts import Actor, utc
from workindex.eventlog.append import lock
from workindex.eventlog.audit import note_action
from workindex.eventlog.database import Connection, Database
from workindex.eventlog.mapper import FactMapper
from workindex.projections.marks import skip_record
from workindex.projections.refold import Refold, Stopped, refs_of
from workindex.projections.rows import (
    Progress,
    count_open,
    delete_rows,
    progress_of,
    raise_epoch,
    store_progress,
)
from workindex.projections.sets import ALL_SETS, ProjectionSet

# Binds: none; runs as the maintenance role. One row a member and event that stands in a mark.
STANDING = """
SELECT p.user_id, p.projection_set, p.generation, m.key AS member, m.value AS mark,
       e.type AS event_type
FROM projection_progress p
JOIN projection_generation g
  ON g.projection_set = p.projection_set AND g.generation = p.generation
CROSS JOIN LATERAL jsonb_each(p.parked) AS m
LEFT JOIN event e ON e.user_id = p.user_id
  AND e.position = substring(m.value ->> 'failed_position' FROM '^[0-9]{1,18}$')::bigint
WHERE p.parked <> '{}'::jsonb AND g.state <> 'retiring'
ORDER BY p.user_id, p.projection_set, p.generation, m.key
"""
LEFT_OUT = """
SELECT p.user_id, p.projection_set, p.generation, m.key AS member, s.value AS mark,
       e.type AS event_type
FROM projection_progress p
JOIN projection_generation g
  ON g.projection_set = p.projection_set AND g.generation = p.generation
CROSS JOIN LATERAL jsonb_each(p.skipped) AS m
CROSS JOIN LATERAL jsonb_array_elements(
    CASE jsonb_typeof(m.value) WHEN 'array' THEN m.value ELSE jsonb_build_array(m.value) END) AS s
LEFT JOIN event e ON e.user_id = p.user_id
  AND e.position = substring(s.value ->> 'position' FROM '^[0-9]{1,18}$')::bigint
WHERE p.skipped <> '{}'::jsonb AND g.state <> 'retiring'
ORDER BY p.user_id, p.projection_set, p.generation, m.key, e.position
"""
# What is listed of a mark, by its name in the mark.
PARKED_FIELDS: Final = {
    "position": "position",
    "failed_position": "failed_position",
    "reason": "reason",
    "at": "since_at",
    "attempts": "attempts",
}
SKIPPED_FIELDS: Final = {
    "position": "position",
    "reason": "reason",
    "at": "at",
    "accepted": "accepted",
}


class WentOn(NamedTuple):
    """What came of one member of one generation.

    `skipped` is the position that was left out; `events` were folded and `rows` written; `mark`
    is what the member stands still for now, None where it went on (then nothing was written).
    """

    projection_set: str
    generation: int
    member: str
    skipped: int | None
    events: int
    rows: int
    mark: dict[str, Any] | None


def list_parked(database: Database) -> dict[str, list[dict[str, Any]]]:
    """Every member that stands still (`parked`), and every event that one leaves out (`skipped`).

    What a mark does not say is None. Raises: NotReady without a maintenance login.
    """
    found = {}
    with database.maintenance() as conn, conn.cursor(row_factory=dict_row) as cursor:
        for name, statement, fields in (
            ("parked", STANDING, PARKED_FIELDS),
            ("skipped", LEFT_OUT, SKIPPED_FIELDS),
        ):
            rows = cursor.execute(statement).fetchall()
            found[name] = [_told(row.pop("mark"), fields, row) for row in rows]
    return found


class Unparker:
    """Lets the members of users go on that stand still, in the name of `who`."""

    def __init__(
        self,
        database: Database,
        who: Actor,
        *,
        sets: Sequence[ProjectionSet] = ALL_SETS,
        mapper: FactMapper | None = None,
    ) -> None:
        self._database = database
        self._who = who
        self._sets = {one.name: one for one in sets}
        self._mapper = mapper or FactMapper()

    def retry(self, user_id: str, member: str | None = None) -> list[WentOn]:
        """Fold again what is parked of the user, by default every member.

        A named member that leaves out events is folded whole again, leaving out none, where it
        does not stand still or cannot go on from where it stands: what was left out may be why.

        Raises: InvalidInput for an unknown user or member; CommandRefused (not_parked) where
        there is nothing to do, (fold_version) where only another program can do it;
        NeedsNewerCode, CorruptLog, Unavailable.
        """
        done = []
        for standing, name in self._targets(user_id, member, undo=member is not None):
            with self._held(user_id, standing) as (conn, held):
                if name in held.parked:
                    one = self._fold_on(conn, user_id, held, name)
                    if one.mark is not None and member is not None and name in held.skipped:
                        rest = {key: mark for key, mark in held.parked.items() if key != name}
                        whole = self._fold_whole(conn, user_id, held._replace(parked=rest), name)
                        one = whole if whole.mark is None else one
                elif member is not None and name in held.skipped:
                    one = self._fold_whole(conn, user_id, held, name)
                else:
                    continue  # somebody else was faster
                done.append(one)
                self._note(conn, user_id, "projections retry", one)
        return done

    def skip(
        self, user_id: str, member: str, *, reason: str, accept_proof: bool = False
    ) -> list[WentOn]:
        """Leave the event that the member failed on out of its rows, and go on.

        Proofs that rest on the member stay off unless `accept_proof`. Where a later event fails
        too, this one stays left out and the member stands still for that one.

        Raises: as `retry`; InvalidInput without a reason.
        """
        if not reason.strip():
            raise InvalidInput("say why the event may be left out: give a reason", field="reason")
        done = []
        for standing, name in self._targets(user_id, member, undo=False):
            with self._held(user_id, standing) as (conn, held):
                if name not in held.parked:
                    continue
                position = _position(held.parked[name], "failed_position", held)
                left_out = skip_record(
                    position,
                    refs_of(conn, user_id, position, self._mapper),
                    accepted=accept_proof,
                    reason=reason,
                    at=datetime.now(UTC),
                )
                skips = [*_listed(held.skipped.get(name)), left_out]
                held = held._replace(skipped={**held.skipped, name: skips})
                one = self._fold_on(conn, user_id, held, name, retried=False)
                one = one._replace(skipped=position)
                done.append(one)
                self._note(conn, user_id, "projections skip", one, reason, accept_proof)
        return done

    def _targets(
        self, user_id: str, member: str | None, *, undo: bool
    ) -> list[tuple[Progress, str]]:
        """The generations and members to go on with, as they stood a moment ago."""
        known = [name for one in self._sets.values() for name in one.members]
        if member is not None and member not in known:
            raise InvalidInput(
                f"there is no member {member}: the members are {', '.join(known)}", field="member"
            )
        with self._database.maintenance() as conn:
            if not conn.execute("SELECT 1 FROM user_log WHERE user_id = %s", (user_id,)).fetchone():
                raise InvalidInput(f"there is no user {user_id}: see workindex projections parked")
            rows = [row for row in progress_of(conn, user_id) if row.projection_set in self._sets]
        found = [
            (row, name)
            for row in rows
            for name in sorted({*row.parked, *(row.skipped if undo else ())})
            if name == (member or name)
        ]
        if not found:
            raise CommandRefused(
                "not_parked",
                f"nothing of user {user_id} is parked"
                f"{'' if member is None else f' in {member}'}: see workindex projections parked",
            )
        own = [one for one in found if one[0].fold_version == self._set(one[0]).fold_version]
        if not own:
            row = found[0][0]
            raise CommandRefused(
                "fold_version",
                f"generation {row.generation} of {row.projection_set} has fold version "
                f"{row.fold_version}, this program has {self._set(row).fold_version}: use the "
                "program of that version",
            )
        return own

    def _set(self, progress: Progress) -> ProjectionSet:
        return self._sets[progress.projection_set]

    @contextmanager
    def _held(self, user_id: str, standing: Progress) -> Iterator[tuple[Connection, Progress]]:
        """The user's head held, and the generation as it stands now."""
        with self._database.maintenance() as conn, conn.transaction():
            lock(conn, user_id)
            for row in progress_of(conn, user_id):
                if row[:2] == standing[:2]:
                    yield conn, row
                    return
            yield conn, standing._replace(parked={}, skipped={})  # retired meanwhile

    def _fold_on(
        self, conn: Connection, user_id: str, held: Progress, member: str, *, retried: bool = True
    ) -> WentOn:
        """Fold the member from where it stands to the set's position, or mark it anew."""
        mark = held.parked[member]
        first = _position(mark, "position", held)
        parked = {name: one for name, one in held.parked.items() if name != member}
        try:
            with conn.transaction():
                events, rows = self._refold(conn, user_id, held, member, first)
                store_progress(conn, user_id, self._counted(conn, user_id, held, parked))
                raise_epoch(conn, user_id)
        except Stopped as stopped:
            now = utc(datetime.now(UTC))
            attempts = mark.get("attempts")
            told = attempts if isinstance(attempts, int) else 0
            mark = {
                **mark,
                "failed_position": stopped.position,
                "reason": str(stopped),
                "attempts": told + 1 if retried else 1,
                "tried_at": now,
            }
            store_progress(conn, user_id, held._replace(parked={**held.parked, member: mark}))
            return WentOn(held.projection_set, held.generation, member, None, 0, 0, mark)
        return WentOn(held.projection_set, held.generation, member, None, events, rows, None)

    def _fold_whole(self, conn: Connection, user_id: str, held: Progress, member: str) -> WentOn:
        """Make the member's rows anew from every event, leaving none out; or change nothing."""
        skipped = {name: skips for name, skips in held.skipped.items() if name != member}
        fresh = held._replace(skipped=skipped)
        tables = [table for table in self._set(held).tables if table.member == member]
        try:
            with conn.transaction():
                delete_rows(conn, user_id, held.generation, tables)
                events, rows = self._refold(conn, user_id, fresh, member, 1)
                store_progress(conn, user_id, self._counted(conn, user_id, fresh, held.parked))
                raise_epoch(conn, user_id)
        except Stopped as stopped:
            mark = {"failed_position": stopped.position, "reason": str(stopped)}
            return WentOn(held.projection_set, held.generation, member, None, 0, 0, mark)
        return WentOn(held.projection_set, held.generation, member, None, events, rows, None)

    def _counted(
        self, conn: Connection, user_id: str, held: Progress, parked: dict[str, Any]
    ) -> Progress:
        count = count_open(conn, user_id, held.generation, self._set(held))
        return held._replace(parked=parked, open_count=count)

    def _refold(
        self, conn: Connection, user_id: str, held: Progress, member: str, first: int
    ) -> tuple[int, int]:
        one = Refold(conn, user_id, held, self._set(held), member, self._mapper)
        return one.run(first)

    def _note(
        self,
        conn: Connection,
        user_id: str,
        command: str,
        one: WentOn,
        reason: str | None = None,
        accept_proof: bool | None = None,
    ) -> None:
        arguments: dict[str, Any] = {
            "user_id": user_id,
            "projection_set": one.projection_set,
            "generation": one.generation,
            "member": one.member,
        }
        if one.skipped is not None:
            arguments |= {"position": one.skipped, "accept_proof": accept_proof}
        outcome = "went on"
        if one.mark is not None:
            outcome = f"stands still at {one.mark['failed_position']}: {one.mark['reason']}"
        note_action(conn, self._who, command, arguments, outcome=outcome, reason=reason)


def _position(mark: Any, name: str, held: Progress) -> int:
    """A position that a mark names.

    Raises: CommandRefused (mark_damaged) where it names none of the log.
    """
    position = mark.get(name) if isinstance(mark, dict) else None
    if type(position) is not int or not 0 < position <= held.position + 1:
        raise CommandRefused(
            "mark_damaged",
            f"the mark of generation {held.generation} of {held.projection_set} says "
            f"{name} {position!r}, which is no position: make the rows anew with workindex "
            "projections verify --repair USER",
        )
    return position


def _listed(skips: Any) -> list[Any]:
    return skips if isinstance(skips, list) else []


def _told(mark: Any, fields: Mapping[str, str], where: dict[str, Any]) -> dict[str, Any]:
    said = mark if isinstance(mark, dict) else {}
    return where | {shown: said.get(name) for name, shown in fields.items()}
