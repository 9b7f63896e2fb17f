"""The one reader of the Work Index: both the state path and the assembler read through it.

Normally one statement gives the rows with everything that a proof needs. Where the projection
lags, rows and tail are folded in one REPEATABLE READ snapshot; for an earlier position the log
is folded up to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final, Literal

import orjson
from pydantic import ValidationError

from workindex.domain.errors import (
    CorruptEvent,
    InvalidInput,
    NeedsNewerCode,
    NotReady,
    Unavailable,
)
from workindex.domain.facts import Event, check_time
from workindex.eventlog.database import Connection, Database, tenant_transaction
from workindex.eventlog.mapper import FactMapper
from workindex.eventlog.reader import read_events
from workindex.projections.bounds import Beyond, Bounds, Want
from workindex.projections.folding import FoldFailed, Folding
from workindex.projections.marks import accepts
from workindex.projections.proof import Reading
from workindex.projections.sets import INLINE, TABLE_OF_KIND, ProjectionSet
from workindex.projections.table import Table

# What reading a row raises that no projector wrote: of the wrong shape, or garbled inside.
UNREADABLE: Final = (ValidationError, KeyError, TypeError, ValueError, AttributeError)
LIVE_FOLD_EVENTS_MAX: Final = 2_000
# Every reading carries these: a verdict needs the sources, an answer the user's zone and locale.
ALWAYS: Final[Want] = {"source": "all", "user": "all"}
EVERYTHING: Final[Want] = {
    kind: "all" for kind, table in TABLE_OF_KIND.items() if table.member == "work_index"
}


class Reader:
    """Reads one user's rows with what their proof needs."""

    def __init__(
        self,
        database: Database,
        *,
        projection_set: ProjectionSet = INLINE,
        mapper: FactMapper | None = None,
    ) -> None:
        self.database = database
        self.projection_set = projection_set
        self._mapper = mapper or FactMapper()

    def read(
        self,
        user_id: str,
        want: Want,
        *,
        now: datetime | None = None,
        at_position: int | None = None,
        bounds: Bounds | None = None,
    ) -> Reading:
        """Rows of the wanted kinds as of one instant, read in part only with `bounds`.

        A reading always comes back: where the database cannot be asked its reason says so. Where
        it folds the log itself it holds every row that the bounds might have left out.

        Raises: InvalidInput where `at_position` lies outside the log, or `now` is no instant.
        """
        if now is not None:
            check_time(now, "now")
        if at_position is not None and type(at_position) is not int:
            raise InvalidInput(
                f"at_position {at_position!r} is not a whole number", field="at_position"
            )
        want = {**want, **ALWAYS}
        try:
            if at_position is not None:
                return self._at(user_id, want, at_position, now)
            with self.database.connection() as conn:
                asked = _asked(want, bounds, now)
                found = _state(conn, user_id, self.projection_set.fold_version, asked, "wi_state")
                reading = self._reading(user_id, found, want, now)
                if "lag" in reading.reasons or "fold_version" in reading.reasons:
                    return self._live(conn, user_id, want, now)
                return reading
        except NotReady:
            raise
        except Unavailable:
            return _unavailable(user_id, want, now)

    def read_in(
        self,
        conn: Connection,
        user_id: str,
        want: Want,
        *,
        now: datetime | None = None,
        bounds: Bounds | None = None,
    ) -> Reading:
        """One of several readings inside the caller's transaction, which is a snapshot."""
        want = {**want, **ALWAYS}
        asked = _asked(want, bounds, now)
        found = _state(conn, user_id, self.projection_set.fold_version, asked, "wi_proof")
        reading = self._reading(user_id, found, want, now)
        if "lag" in reading.reasons or "fold_version" in reading.reasons:
            return self._live(conn, user_id, want, now)
        return reading

    def marks_in(self, conn: Connection, user_id: str) -> dict[str, Any]:
        """What the database says of the user's rows without any of them, for `doubts_in`."""
        return _state(
            conn, user_id, self.projection_set.fold_version, _asked({}, None, None), "wi_proof"
        )

    def doubts_in(
        self, conn: Connection, user_id: str, kind: str, marks: Mapping[str, Any]
    ) -> tuple[str, ...]:
        """What stands against trusting the rows of a kind, whatever is known of other projections;
        the transaction is the caller's, in which `marks` were read."""
        reasons = _reasons(marks, _members({kind: "open"}))
        if "lag" in reasons or "fold_version" in reasons:
            return self._live(conn, user_id, {kind: "open"}, None).reasons
        return tuple(reasons)

    def read_without_tenant(self, conn: Connection, user_id: str, want: Want) -> Reading:
        """What a connection says that nobody gave a tenant: nothing, and that it proves nothing."""
        want = {**want, **ALWAYS}
        asked = _asked(want, None, None)
        found = _state(conn, user_id, self.projection_set.fold_version, asked, "wi_proof")
        return self._reading(user_id, found, want, None)

    def _reading(
        self, user_id: str, found: Mapping[str, Any], want: Want, now: datetime | None
    ) -> Reading:
        as_of = datetime.fromisoformat(found["now"]).astimezone(UTC)
        rows: dict[str, list[Any]] = {}
        reasons = _reasons(found, _members(want))
        for table in self.projection_set.tables:
            stored = found["rows"].get(table.name) or ()
            rows[table.kind] = _readable(table, stored)
            if len(rows[table.kind]) < len(stored) and "rows_missing" not in reasons:
                reasons.append("rows_missing")
        generation = found["generation"]
        return Reading(
            user_id=user_id,
            position=found["head"] if found["head"] is not None else 0,
            now=now or as_of,
            as_of=as_of,
            at_position=None,
            rows=rows,
            reasons=tuple(reasons),
            live=False,
            projections=() if generation is None else self._projections(generation),
            beyond={kind: Beyond.of(told) for kind, told in found["beyond"].items() if told},
        )

    def _live(self, conn: Connection, user_id: str, want: Want, now: datetime | None) -> Reading:
        """Rows and tail folded in one snapshot; unproven where the tail is too long."""
        with tenant_transaction(conn, user_id, snapshot=True):
            members = _members(want)
            everything: Want = {
                kind: "all" for kind, table in TABLE_OF_KIND.items() if table.member in members
            }
            asked = _asked(everything, None, now)
            found = _state(conn, user_id, self.projection_set.fold_version, asked, "wi_proof")
            reading = self._reading(user_id, found, want, now)
            reasons = set(reading.reasons)
            if not reasons & {"lag", "fold_version"} or reasons & {"parked", "erased"}:
                return reading
            position = found["position"] or 0
            head = found["head"]
            if not 0 <= head - position <= LIVE_FOLD_EVENTS_MAX:
                return reading
            folding = Folding(
                without=set(self.projection_set.members) - members,
                projection_set=self.projection_set,
            )
            for table in self.projection_set.tables:
                for stored in found["rows"].get(table.name) or ():
                    with suppress(*UNREADABLE):  # told by the reading's reasons
                        _row(table, stored)
                        folding.load_stored(table, stored)
            events = read_events(
                conn, user_id, self._mapper, from_position=position + 1, to_position=head
            )
            problem = _fold_all(folding, events, position + 1, head)
        left = (reasons - {"lag", "fold_version"}) | ({problem} if problem else set())
        return reading._replace(
            rows=_chosen(folding, want),
            reasons=tuple(sorted(left)),
            live=True,
            beyond={},
            projections=self._projections(found["generation"]),
        )

    def _at(self, user_id: str, want: Want, at_position: int, now: datetime | None) -> Reading:
        with (
            self.database.connection() as conn,
            tenant_transaction(conn, user_id, snapshot=True),
        ):
            found = _state(
                conn, user_id, self.projection_set.fold_version, _asked({}, None, now), "wi_proof"
            )
            head = found["head"] or 0
            if not 0 <= at_position <= head:
                raise InvalidInput(
                    f"position {at_position} lies outside the log of user {user_id}, whose last "
                    f"position is {head}",
                    field="at_position",
                )
            base = self._reading(user_id, found, want, now)
            others = set(self.projection_set.members) - _members(want)
            folding = Folding(without=others, projection_set=self.projection_set)
            last: list[Event] = []
            events = read_events(conn, user_id, self._mapper, to_position=at_position)
            problem = _fold_all(folding, events, 1, at_position, last)
        reasons = [r for r in base.reasons if r in ("unknown_user", "erased", "no_tenant")]
        as_of = last[-1].recorded_at if last else base.as_of
        return base._replace(
            position=at_position,
            at_position=at_position,
            now=now or as_of,
            rows=_chosen(folding, want),
            reasons=(*reasons, *([problem] if problem else [])),
            live=True,
            beyond={},
            projections=self._projections(None),
        )

    def _projections(self, generation: int | None) -> tuple[dict[str, Any], ...]:
        """What a certificate says of each member; without a generation the log was folded."""
        version = self.projection_set.fold_version
        return tuple(
            {"name": member, "generation": generation, "fold_version": version}
            for member in self.projection_set.members
        )


def _state(
    conn: Connection,
    user_id: str,
    fold_version: int,
    asked: dict[str, Any],
    function: Literal["wi_state", "wi_proof"],
) -> dict[str, Any]:
    row = conn.execute(
        STATEMENTS[function], (user_id, fold_version, orjson.dumps(asked).decode())
    ).fetchone()
    assert row is not None
    found: dict[str, Any] = row[0]
    return found


def _asked(want: Want, bounds: Bounds | None, now: datetime | None) -> dict[str, Any]:
    """What to read, as the proof's function takes it."""
    asked: dict[str, Any] = {TABLE_OF_KIND[kind].name: part for kind, part in want.items()}
    if bounds is not None:
        asked["bounds"] = bounds.to_json(now)
    return asked


STATEMENTS: Final = {
    "wi_state": b"SELECT wi_state(%s, %s, %s::jsonb)",
    "wi_proof": b"SELECT wi_proof(%s, %s, %s::jsonb)",
}


def _members(want: Want) -> set[str]:
    """The projections that the wanted rows belong to."""
    return {TABLE_OF_KIND[kind].member for kind in want}


def _reasons(found: Mapping[str, Any], members: set[str]) -> list[str]:
    """What the statement itself holds against the rows of these members."""
    if found["tenant"] is not True:
        return ["no_tenant"]
    if found["head"] is None:
        return ["unknown_user"]
    if found["erased"] is not False:
        return ["erased"]
    reasons = []
    if found["replica"] is not False:
        reasons.append("replica")
    if found["generation"] is None:
        return [*reasons, "fold_version"]
    if found["position"] != found["head"]:
        reasons.append("lag")
    if members & found["parked"].keys():
        reasons.append("parked")
    if not all(accepts(found["skipped"].get(member, ())) for member in members):
        reasons.append("skipped")
    if "work_index" not in found["parked"] and found["open_count"] != found["open_rows"]:
        reasons.append("rows_missing")
    return reasons


def _fold_all(
    folding: Folding,
    events: Iterable[Event],
    first: int,
    head: int,
    last: list[Event] | None = None,
) -> str | None:
    """Fold the events of these positions; why that could not be finished, None where it could."""
    expected = first
    try:
        for event in events:
            if event.position != expected:
                return "rows_missing"
            expected += 1
            folding.apply(event, event.position)
            if last is not None:
                last[:] = [event]
    except (FoldFailed, CorruptEvent):
        return "parked"
    except NeedsNewerCode:
        return "fold_version"
    return None if expected == head + 1 else "rows_missing"


def _readable(table: Table[Any], stored: Sequence[dict[str, Any]]) -> list[Any]:
    """The rows that are rows of the table; others were written behind the projector's back."""
    try:
        return [_row(table, row) for row in stored]
    except UNREADABLE:
        return [row for one in stored for row in _loaded(table, one)]


def _loaded(table: Table[Any], stored: dict[str, Any]) -> Iterator[Any]:
    with suppress(*UNREADABLE):
        yield _row(table, stored)


def _row(table: Table[Any], stored: dict[str, Any]) -> Any:
    """The row, if it can also be told from it what needs the user."""
    row = table.load(stored)
    table.beside(row)
    return row


def _chosen(folding: Folding, want: Want) -> dict[str, list[Any]]:
    chosen: dict[str, list[Any]] = {}
    for kind, part in want.items():
        is_open: Callable[[Any], bool] | None = TABLE_OF_KIND[kind].is_open
        rows = folding.rows(kind)
        if part in ("open", "urgent") and is_open is not None:
            rows = [row for row in rows if is_open(row)]
        chosen[kind] = rows
    return chosen


def _unavailable(user_id: str, want: Want, now: datetime | None) -> Reading:
    at = now or datetime.now(UTC)
    rows: dict[str, list[Any]] = {kind: [] for kind in want}
    return Reading(user_id, 0, at, at, None, rows, ("unavailable",), False, ())
