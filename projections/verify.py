"""Verify: the log is whole, and every stored row is what the log folds to.

Reads as the maintenance role, one user a snapshot, and writes nothing. A difference names the
user, the table, the row, the field and the event that last touched the row.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from psycopg.rows import dict_row
from pydantic import ValidationError

from workindex.domain.errors import CorruptEvent, InvalidInput, NeedsNewerCode
from workindex.domain.facts import Event, utc
from workindex.eventlog.database import Connection, Database
from workindex.eventlog.mapper import FactMapper, LogEvent
from workindex.eventlog.reader import read_stored
from workindex.projections.folding import FoldFailed, Folding, Kept
from workindex.projections.sets import INLINE, ProjectionSet
from workindex.projections.table import Table


class Difference(NamedTuple):
    """One field that is stored otherwise than the log says; `position` last touched the row."""

    user_id: str
    table: str
    row: str
    field: str
    stored: Any
    folded: Any
    position: int | None


class Report(NamedTuple):
    """What a verification saw. `log` lists faults of the log itself, `parked` the members that
    stand still, `behind` the users whose projection has not reached the head."""

    users: int
    events: int
    differences: list[Difference]
    log_faults: list[dict[str, Any]]
    parked: list[dict[str, Any]]
    behind: list[dict[str, Any]]

    @property
    def is_clean(self) -> bool:
        """Whether nothing at all was found."""
        return not (self.differences or self.log_faults or self.parked or self.behind)

    def to_json(self) -> dict[str, Any]:
        """The document of `workindex projections verify --json`."""
        return {
            "users": self.users,
            "events": self.events,
            "differences": [difference._asdict() for difference in self.differences],
            "log": {"faults": self.log_faults},
            "parked": self.parked,
            "behind": self.behind,
        }


class Verifier:
    """Compares stored rows with the log, user by user."""

    def __init__(
        self,
        database: Database,
        *,
        projection_set: ProjectionSet = INLINE,
        mapper: FactMapper | None = None,
    ) -> None:
        self._database = database
        self._set = projection_set
        self._mapper = mapper or FactMapper()

    def users(self) -> list[str]:
        """Every user who has a log or any projection row, in order."""
        tables = ["user_log", "projection_progress", *(t.name for t in self._set.tables)]
        union = " UNION ".join(f"SELECT user_id FROM {name}" for name in tables)
        with self._database.maintenance() as conn:
            rows = conn.execute(f"{union} ORDER BY 1".encode()).fetchall()
        return [row[0] for row in rows]

    def verify(self, users: list[str] | None = None) -> Report:
        """Verify the given users, by default all.

        Raises: InvalidInput for a user without a log and without rows; Unavailable, NotReady
        without a maintenance login.
        """
        report = Report(0, 0, [], [], [], [])
        known = self.users()
        for user_id in users or ():
            if user_id not in known:
                raise InvalidInput(f"there is no user {user_id}: see workindex projections list")
        for user_id in known if users is None else users:
            with self._database.maintenance() as conn, conn.transaction():
                conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                events = self._verify_user(conn, user_id, report)
            report = report._replace(users=report.users + 1, events=report.events + events)
        return report

    def _verify_user(self, conn: Connection, user_id: str, report: Report) -> int:
        head_row = conn.execute(
            "SELECT head FROM user_log WHERE user_id = %s", (user_id,)
        ).fetchone()
        head = head_row[0] if head_row else 0
        progress = _progress(conn, user_id, self._set)
        folding, faults, count = self._fold(conn, user_id, head)
        report.log_faults.extend(
            {"user_id": user_id, "position": position, "fault": fault} for position, fault in faults
        )
        for generation in progress:
            if generation["parked"]:
                report.parked.append({"user_id": user_id, **generation})
            if generation["position"] != head:
                report.behind.append({"user_id": user_id, "head": head, **generation})
            else:
                parked = set(generation["parked"])
                report.differences.extend(self._compare(conn, user_id, generation, folding, parked))
        report.differences.extend(_orphans(conn, user_id, self._set))
        if head and not progress:
            report.behind.append({"user_id": user_id, "head": head, "generation": None})
        return count

    def _fold(
        self, conn: Connection, user_id: str, head: int
    ) -> tuple[Folding, list[tuple[int, str]], int]:
        """The rows of the whole log, what is wrong with it by position, and its last position."""
        folding = Folding()
        faults: list[tuple[int, str]] = []
        versions: dict[str, int] = {}
        last = 0
        for stored in read_stored(conn, user_id):
            at = stored.position
            faults += [(at, fault) for fault in _log_faults(stored, last + 1, versions)]
            last = at
            try:
                event = self._mapper.to_domain_event(stored)
            except (CorruptEvent, NeedsNewerCode) as error:
                faults.append((at, str(error)))
                continue
            said = event.fact.stream
            if said != stored.originator_id:
                faults.append((at, f"is stored in {stored.originator_id}, its data says {said}"))
            faults += [(at, str(failure)) for failure in _apply(folding, event)]
        if last != head:
            faults.append((head, f"the head says {head}, the last event is {last}"))
        return folding, faults, last

    def _compare(
        self,
        conn: Connection,
        user_id: str,
        generation: dict[str, Any],
        folding: Folding,
        parked: set[str],
    ) -> Iterator[Difference]:
        parked = parked | folding.without
        for table in self._set.tables:
            if table.member in parked:
                continue
            stored = _stored_rows(conn, table, user_id, generation["generation"])
            yield from _table_differences(user_id, table, stored, folding)
        if "work_index" in parked:
            return
        opened = folding.open_count()
        if opened != generation["open_count"]:
            yield Difference(
                user_id,
                "projection_progress",
                str(generation["generation"]),
                "open_count",
                generation["open_count"],
                opened,
                generation["position"],
            )
        yield from _due_differences(conn, user_id, generation["generation"], self._set, folding)


def _apply(folding: Folding, event: Event) -> Iterator[FoldFailed]:
    """Fold an event; a member whose fold raises is left out from here on, the others go on."""
    while True:
        try:
            folding.apply(event, event.position)
        except FoldFailed as failure:
            folding.without.add(failure.member)
            yield failure
        else:
            return


def _log_faults(stored: LogEvent, expected: int, versions: dict[str, int]) -> Iterator[str]:
    if stored.position != expected:
        yield f"position {expected} is missing"
    stream = stored.originator_id
    version = versions.get(stream, 0) + 1
    if stored.originator_version != version:
        yield f"stream {stream} goes from version {version - 1} to {stored.originator_version}"
    versions[stream] = stored.originator_version


def _progress(
    conn: Connection, user_id: str, projection_set: ProjectionSet
) -> list[dict[str, Any]]:
    """This fold version's generations of the user, also one that is being built."""
    with conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(
            """
            SELECT p.generation, p.position, p.parked, p.open_count
            FROM projection_progress p
            JOIN projection_generation g
              ON g.projection_set = p.projection_set AND g.generation = p.generation
            WHERE p.user_id = %s AND p.projection_set = %s AND g.fold_version = %s
              AND g.state <> 'retiring'
            ORDER BY p.generation
            """,
            (user_id, projection_set.name, projection_set.fold_version),
        ).fetchall()


def _stored_rows(
    conn: Connection, table: Table[Any], user_id: str, generation: int
) -> dict[str, dict[str, Any]]:
    rows = conn.execute(
        f"SELECT to_jsonb(t) FROM {table.name} t WHERE user_id = %s AND generation = %s".encode(),
        (user_id, generation),
    ).fetchall()
    return {row[0][table.id_column]: row[0] for row in rows}


def _table_differences(
    user_id: str, table: Table[Any], stored: dict[str, dict[str, Any]], folding: Folding
) -> Iterator[Difference]:
    prefix = f"{table.kind}/"
    folded: dict[str, Kept] = {
        ref.removeprefix(prefix): kept
        for ref, kept in folding.after.items()
        if kept is not None and ref.startswith(prefix)
    }
    for id_ in sorted(folded.keys() | stored.keys()):
        kept = folded.get(id_)
        row = stored.get(id_)
        if kept is None or row is None:
            position = kept.source_position if kept else (row or {}).get("source_position")
            present = {"stored": row is not None, "folded": kept is not None}
            yield Difference(
                user_id, table.name, id_, "row", present["stored"], present["folded"], position
            )
            continue
        try:
            loaded = table.load(row)
        except ValidationError as error:
            told = f"cannot be read: {error.errors(include_url=False)[0]['msg']}"
            yield Difference(user_id, table.name, id_, "row", told, True, kept.source_position)
            continue
        was = loaded._asdict() | {
            "created_position": row["created_position"],
            "source_position": row["source_position"],
        }
        wanted = kept.row._asdict() | {
            "created_position": kept.created_position,
            "source_position": kept.source_position,
        }
        for field, value in table.beside(kept.row).items():
            was[field] = row[field] if field == "open" else _instant(row[field])
            wanted[field] = value
        for field, value in wanted.items():
            if was[field] != value:
                yield Difference(
                    user_id,
                    table.name,
                    id_,
                    field,
                    _plain(was[field]),
                    _plain(value),
                    kept.source_position,
                )


def _due_differences(
    conn: Connection,
    user_id: str,
    generation: int,
    projection_set: ProjectionSet,
    folding: Folding,
) -> Iterator[Difference]:
    rows = conn.execute(
        "SELECT kind, id, due_at FROM work_due WHERE user_id = %s AND generation = %s",
        (user_id, generation),
    ).fetchall()
    stored = {f"{kind}/{id_}": due_at for kind, id_, due_at in rows}
    wanted = {}
    for table in projection_set.tables:
        if table.due_at is None:
            continue
        for row in folding.rows(table.kind):
            if (due_at := table.due_at(row)) is not None:
                wanted[f"{table.kind}/{row[0]}"] = due_at
    for ref in sorted(stored.keys() | wanted.keys()):
        if stored.get(ref) != wanted.get(ref):
            kept = folding.after.get(ref)
            yield Difference(
                user_id,
                "work_due",
                ref,
                "due_at",
                _plain(stored.get(ref)),
                _plain(wanted.get(ref)),
                kept.source_position if kept else None,
            )


def _orphans(
    conn: Connection,
    user_id: str,
    projection_set: ProjectionSet,
) -> Iterator[Difference]:
    """Rows of generations that no progress row of the user keeps."""
    registered = conn.execute(
        "SELECT generation FROM projection_progress WHERE user_id = %s AND projection_set = %s",
        (user_id, projection_set.name),
    ).fetchall()
    known = [generation for (generation,) in registered]
    for table in projection_set.tables:
        rows = conn.execute(
            f"SELECT {table.id_column}, source_position FROM {table.name} "
            f"WHERE user_id = %s AND NOT generation = ANY (%s)".encode(),
            (user_id, known),
        ).fetchall()
        for id_, position in rows:
            yield Difference(user_id, table.name, id_, "row", True, False, position)


def _instant(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _plain(value: Any) -> Any:
    return utc(value) if hasattr(value, "astimezone") else value
