"""Recording commands: decide, append, fold, in one transaction of one user.

Two paths. The fast one reads without a lock and appends in one call that the database refuses
if anybody else came first; commands whose every row is new are appended without reading. On any
conflict, error or doubt the locked path runs the same plan while holding the user's head, and it
alone decides duplicates, conflicts and parking.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

import psycopg

from workindex.domain.errors import (
    BatchRefused,
    CommandRefused,
    DuplicateKeyConflict,
    InvalidInput,
    Unavailable,
    VersionConflict,
    WorkindexError,
)
from workindex.domain.facts import Event
from workindex.eventlog.append import (
    ERASED,
    MOVED_ON,
    KeyRecord,
    NewKey,
    Snapshot,
    Wanted,
    lock,
    read,
    refuse_past_head,
    sqlstate,
)
from workindex.eventlog.database import (
    Connection,
    Database,
    tenant_transaction,
    unavailable_if_lost,
)
from workindex.eventlog.failpoints import failpoint
from workindex.eventlog.mapper import FactMapper
from workindex.eventlog.recorder import Taken, put_events
from workindex.projections.catch_up import catch_up_if_near
from workindex.projections.folding import FoldFailed
from workindex.projections.loading import LogLoader, Stale
from workindex.projections.parking import append_parking
from workindex.projections.patience import waited_long, with_retries
from workindex.projections.planning import NothingKnown, Order, Plan
from workindex.projections.sets import INLINE, ProjectionSet

Clock = Callable[[], datetime]
CONTENDED_SECONDS: Final = 1.0
CONTENDED_MAX: Final = 10_000  # users whose contention one writer remembers


class Receipt(NamedTuple):
    """What one command came to.

    `positions` are the positions of its events in the user's log (none for a command that had
    nothing to change); `duplicate` says that its key was seen before and that this is the first
    result again; `events` are the events with their facts (none for a duplicate: read those from
    the log by their positions).
    """

    positions: tuple[int, ...]
    duplicate: bool
    events: tuple[Event, ...] = ()


class Writer:
    """Records orders into the logs of users, one transaction a call."""

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
        self._contended_until: dict[str, float] = {}
        self._standing: tuple[str, ...] = ()

    def let_stand(self, members: Sequence[str]) -> None:
        """Store what is written from now on without folding it into these members: they park.

        For facts whose fold ends the process that writes them.

        Raises: InvalidInput for a member that the set does not have.
        """
        for member in members:
            if member not in self._set.members:
                raise InvalidInput(
                    f"there is no member {member}: the members are {', '.join(self._set.members)}",
                    field="member",
                )
        self._standing = tuple(members)

    def write(self, user_id: str, orders: Sequence[Order], now: datetime | Clock) -> list[Receipt]:
        """Decide and append all orders or none; an order seen before gives its first result.

        `now` is the time of the decisions, or a clock. A clock is read again by each attempt,
        after all waiting; what is due now (`Command.is_due_now`) takes the locked path only.
        Facts that a refusal establishes are appended before it is raised, for an order alone.

        Raises: CommandRefused, VersionConflict, DuplicateKeyConflict or InvalidInput of an order
        alone, BatchRefused for one of several; Unavailable.
        """
        clock = as_clock(now)
        is_contended = self._contended_until.get(user_id, 0.0) > time.monotonic()
        is_due_now = any(order.command.is_due_now for order in orders)
        if is_due_now or self._standing or (is_contended and not _is_blind(orders)):
            return with_retries(lambda: self._locked(user_id, orders, clock))
        try:
            return self._fast(user_id, orders, clock)
        except Stale:
            self._note_contention(user_id)
        except (FoldFailed, DuplicateKeyConflict, VersionConflict):
            pass  # the locked path decides
        except (CommandRefused, BatchRefused) as refusal:
            # Who decided without reading does not know yet whether the key was seen before.
            if not getattr(refusal, "facts", ()) and not _is_blind(orders):
                raise
        except Taken:
            pass  # a key or a stream that a blind append took for new
        except psycopg.Error as error:
            if sqlstate(error) == ERASED:
                raise _erased(user_id) from error
            if sqlstate(error) == MOVED_ON:
                self._note_contention(user_id)
        except Unavailable as error:
            if waited_long(error):
                raise
        return with_retries(lambda: self._locked(user_id, orders, clock))

    def _note_contention(self, user_id: str) -> None:
        """Somebody else writes for this user: queue up for a while instead of reading in vain."""
        if len(self._contended_until) >= CONTENDED_MAX:
            self._contended_until.clear()
        self._contended_until[user_id] = time.monotonic() + CONTENDED_SECONDS

    def _fast(self, user_id: str, orders: Sequence[Order], clock: Clock) -> list[Receipt]:
        with self._database.connection() as conn:
            loader: LogLoader | None = None
            if not _is_blind(orders):
                loader = LogLoader(conn, user_id, self._set, self._mapper)
                loader.look_up(orders[0].source, [order.key for order in orders])
            plan = Plan(user_id, clock(), loader or NothingKnown(), self._set)
            plan.preload(orders)
            snapshot = loader.first if loader else None
            expected = (snapshot.head, snapshot.epoch) if snapshot else None
            seen = snapshot.keys if snapshot else {}
            failpoint("read.done")
            new = _unseen(orders, seen)
            if new:
                plan.run(new, alone=len(orders) == 1)
                head = self._send(conn, user_id, plan, expected)
            else:
                head = 0
        return receipts_of(orders, seen, plan, head)

    def _send(
        self, conn: Connection, user_id: str, plan: Plan, expected: tuple[int, int] | None
    ) -> int:
        """Fold and append what the plan decided, in one call; returns the new head."""
        folding = plan.fold()
        for offset, event in enumerate(plan.events, start=1):
            folding.apply(event, offset)
        rows, open_delta = folding.changes(base=None)
        failpoint("append.sent")
        head = self._put(conn, user_id, plan, rows, open_delta=open_delta, expected=expected)
        failpoint("append.done")
        return head

    def _locked(self, user_id: str, orders: Sequence[Order], clock: Clock) -> list[Receipt]:
        with self._database.connection() as conn, tenant_transaction(conn, user_id):
            lock(conn, user_id)
            failpoint("locked.held")
            found = self._look_up(conn, user_id, orders)
            new = _unseen(orders, found.keys)
            catch_up_if_near(conn, user_id, self._set, self._mapper, found)
            loader = LogLoader(conn, user_id, self._set, self._mapper, may_replay=True)
            now = clock()  # the head is held: nothing waits any more
            plan = Plan(user_id, now, loader, self._set)
            refusal = _refusal(plan, new, alone=len(orders) == 1)
            head = found.head
            if isinstance(refusal, CommandRefused) and refusal.facts:
                plan = Plan(user_id, now, loader, self._set)
                plan.record_refusal(orders[0], refusal.facts)
                self._append_locked(conn, user_id, plan, loader)
            elif new and refusal is None:
                head = self._append_locked(conn, user_id, plan, loader)
            failpoint("locked.appended")
        with unavailable_if_lost():
            failpoint("locked.committed")
        if refusal is not None:
            raise refusal  # after the commit, so that what was caught up stays
        return receipts_of(orders, found.keys, plan, head)

    def _look_up(self, conn: Connection, user_id: str, orders: Sequence[Order]) -> Snapshot:
        """The head, the progress and the orders' keys.

        Raises: CommandRefused where the log is erased.
        """
        keys = [order.key for order in orders]
        wanted = Wanted({}, source=orders[0].source, keys=keys)
        found = read(conn, user_id, self._set.fold_version, wanted)
        if found.erased:
            raise _erased(user_id)
        return found

    def _append_locked(self, conn: Connection, user_id: str, plan: Plan, loader: LogLoader) -> int:
        snapshot = loader.first
        assert snapshot is not None, "a plan reads before it decides"

        def send(rows: Mapping[str, Any], open_delta: int, parked: Mapping[str, Any]) -> int:
            return self._put(
                conn,
                user_id,
                plan,
                rows,
                open_delta=open_delta,
                expected=(snapshot.head, snapshot.epoch),
                parked=parked,
            )

        without = self._set.members if snapshot.is_behind else ()
        standing = () if snapshot.is_behind else tuple(snapshot.parked)
        try:
            return append_parking(
                conn, plan, snapshot.head, without, standing, send, by_hand=self._standing
            )
        except Taken:
            refuse_past_head(conn, user_id, snapshot.head)
            raise

    def _put(
        self,
        conn: Connection,
        user_id: str,
        plan: Plan,
        rows: Mapping[str, Any],
        *,
        open_delta: int,
        expected: tuple[int, int] | None,
        parked: Mapping[str, Any] | None = None,
    ) -> int:
        """One append; returns the new head."""
        head = put_events(
            conn,
            user_id,
            self._mapper,
            plan.events,
            fold_version=self._set.fold_version,
            expected=expected,
            keys=_keys(plan),
            rows=rows,
            open_delta=open_delta,
            parked=parked,
            recorded_at=plan.now,
        )
        return head if head is not None else expected[0] if expected else 0


def as_clock(now: datetime | Clock) -> Clock:
    """A clock, also from an instant: that one always tells the same."""
    return now if callable(now) else lambda: now


def _is_blind(orders: Sequence[Order]) -> bool:
    """Whether the orders are decided without reading anything."""
    return all(order.command.is_blind and order.expected_version is None for order in orders)


def _refusal(plan: Plan, new: Mapping[int, Order], *, alone: bool) -> WorkindexError | None:
    """Decide the orders; returns what refuses them, None where nothing does."""
    try:
        plan.preload(list(new.values()))
        failpoint("locked.read")
        plan.run(new, alone=alone)
    except WorkindexError as refusal:
        return refusal
    return None


def _keys(plan: Plan) -> list[NewKey]:
    keys = []
    offset = 1
    for order, events, is_refusal in plan.decided:
        if not is_refusal:
            keys.append(NewKey(order.source, order.key, order.payload_hash, offset, len(events)))
        offset += len(events)
    return keys


def _unseen(orders: Sequence[Order], seen: Mapping[str, KeyRecord]) -> dict[int, Order]:
    """The orders whose key is new, once each, by their place in the batch.

    Raises: DuplicateKeyConflict where a key stands for another command, in a BatchRefused where
    there are several orders.
    """
    new: dict[int, Order] = {}
    first: dict[str, KeyRecord | Order] = dict(seen)
    for place, order in enumerate(orders):
        known = first.setdefault(order.key, order)
        if known is order:
            new[place] = order
        elif known.payload_hash != order.payload_hash:
            conflict = key_conflict(order)
            raise conflict if len(orders) == 1 else BatchRefused(place, conflict)
    return new


def key_conflict(order: Order) -> DuplicateKeyConflict:
    """What refuses an order whose key stands for another command."""
    return DuplicateKeyConflict(
        f"the key {order.key} of source {order.source} was used for a different command: "
        "use a new key, or send the first command again",
        field="key",
    )


def receipts_of(
    orders: Sequence[Order], seen: Mapping[str, KeyRecord], plan: Plan, head: int
) -> list[Receipt]:
    """The receipts of orders that were decided by the plan or `seen` before, in their order.

    `head` is the one after the append.
    """
    position = head - len(plan.events)
    first: dict[str, Receipt] = {
        key: Receipt(record.positions, duplicate=True) for key, record in seen.items()
    }
    fresh: dict[str, Receipt] = {}
    for decided in plan.decided:
        events = []
        for event in decided.events:
            position += 1
            events.append(event._replace(position=position))
        positions = tuple(event.position for event in events)
        if decided.is_refusal:
            continue
        fresh[decided.order.key] = Receipt(positions, duplicate=False, events=tuple(events))
    receipts = []
    for order in orders:
        if order.key in fresh:
            receipt = fresh.pop(order.key)
            first[order.key] = Receipt(receipt.positions, duplicate=True)
        else:
            receipt = first[order.key]
        receipts.append(receipt)
    return receipts


def _erased(user_id: str) -> CommandRefused:
    return CommandRefused("erased", f"the log of user {user_id} is erased: nothing is added to it")
