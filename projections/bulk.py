"""Recording many commands of one user, several in one transaction, each with its own outcome.

Law: log, rows, keys and outcomes are those of recording the orders one by one. A batch that cannot
be recorded at once, for whatever reason, is made smaller; an order alone goes the ordinary way,
which decides every doubt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import takewhile
from typing import Final

import psycopg

from workindex.domain.errors import CommandRefused, Unavailable, WorkindexError
from workindex.eventlog.append import KeyRecord
from workindex.eventlog.failpoints import failpoint
from workindex.eventlog.recorder import Taken
from workindex.projections.folding import FoldFailed
from workindex.projections.loading import LogLoader, Stale
from workindex.projections.patience import waited_long
from workindex.projections.planning import BATCH_EVENTS_MAX, Order, Plan
from workindex.projections.recording import (
    Clock,
    Receipt,
    Writer,
    as_clock,
    key_conflict,
    receipts_of,
)

# What came of one order: its receipt, or what refused it.
Outcome = Receipt | WorkindexError

# Commands in one transaction. The user's head is held while the database writes them.
BATCH_COMMANDS_MAX: Final = 500
SHRINK: Final = 4
GROW: Final = 2


class BulkWriter(Writer):
    """A writer that also records many orders of one user, good ones beside refused ones."""

    def write_each(
        self, user_id: str, orders: Sequence[Order], now: datetime | Clock
    ) -> list[Outcome]:
        """Record every order that its decision allows; the outcomes are in the orders' order.

        All orders have one source. Each sees what the ones before it did; a refused one changes
        nothing but what its refusal establishes. `now` is as for `write`, read once a batch.

        Raises: Unavailable, because the orders after it would fare no better. What was recorded
        until then stays; sent again with their keys, those orders give their first results.
        """
        clock = as_clock(now)
        outcomes: list[Outcome] = []
        size = BATCH_COMMANDS_MAX
        while len(outcomes) < len(orders):
            ahead = orders[len(outcomes) : len(outcomes) + size]
            batch = list(takewhile(lambda order: not order.command.is_due_now, ahead))
            is_batch = len(batch) > 1 and not self._standing
            done = self._at_once(user_id, batch, clock) if is_batch else None
            if done is None and is_batch:
                size = max(1, len(batch) // SHRINK)
                continue
            outcomes += done or [self._alone(user_id, ahead[0], clock)]
            size = min(size * GROW, BATCH_COMMANDS_MAX)
        return outcomes

    def _alone(self, user_id: str, order: Order, clock: Clock) -> Outcome:
        try:
            return self.write(user_id, [order], clock)[0]
        except Unavailable:
            raise
        except WorkindexError as refusal:
            return refusal

    def _at_once(self, user_id: str, orders: Sequence[Order], clock: Clock) -> list[Outcome] | None:
        """Record the orders in one append; None where they have to be fewer.

        Raises: Unavailable after a time limit.
        """
        try:
            with self._database.connection() as conn:
                loader = LogLoader(conn, user_id, self._set, self._mapper)
                loader.look_up(orders[0].source, [order.key for order in orders])
                plan = Plan(user_id, clock(), loader, self._set)
                plan.preload(orders)
                first = loader.first
                assert first is not None, "a plan reads before it decides"
                failpoint("read.done")
                refused = _decide_each(plan, orders, first.keys)
                if len(plan.events) > BATCH_EVENTS_MAX:
                    return None
                head = first.head
                if plan.decided:
                    head = self._send(conn, user_id, plan, (first.head, first.epoch))
        except Unavailable as error:
            if waited_long(error):
                raise
            return None
        except (Stale, Taken, FoldFailed, WorkindexError, psycopg.Error):
            return None
        accepted = [order for place, order in enumerate(orders) if place not in refused]
        receipts = iter(receipts_of(accepted, first.keys, plan, head))
        return [refused.get(place) or next(receipts) for place in range(len(orders))]


def _decide_each(
    plan: Plan, orders: Sequence[Order], seen: Mapping[str, KeyRecord]
) -> dict[int, WorkindexError]:
    """Decide the orders whose key is new; returns what refuses the others, by their place."""
    refused: dict[int, WorkindexError] = {}
    first: dict[str, KeyRecord | Order] = dict(seen)
    for place, order in enumerate(orders):
        known = first.get(order.key)
        if known is not None:
            if known.payload_hash != order.payload_hash:
                refused[place] = key_conflict(order)
            continue
        try:
            plan.decide(order)
        except WorkindexError as refusal:
            refused[place] = refusal
            if isinstance(refusal, CommandRefused) and refusal.facts:
                plan.record_refusal(order, refusal.facts)
        else:
            first[order.key] = order
    return refused
