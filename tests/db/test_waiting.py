"""Permissions end at an instant, and waiting for the log does not stretch them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from conftest import Urls
from driver import NOW
from engine import Engine, order, owner, question, task
from workindex.domain.approval_commands import GrantApproval, RequestApproval, StartExecution
from workindex.domain.approval_facts import PolicyDecision
from workindex.domain.errors import CommandRefused, WorkindexError
from workindex.domain.facts import Command
from workindex.eventlog.database import Database
from workindex.projections.planning import Order

EXPIRES_AT = NOW + timedelta(minutes=1)
ALLOW = PolicyDecision(decision="allow", policy_id="p-1")
REQUEST = RequestApproval(
    approval_id="A-1", title="Pay", tool="pay", arguments={"amount": 1}, expires_at=EXPIRES_AT
)


@pytest.fixture
def ann(database: Database) -> Engine:
    """An approval that is requested and valid for a minute."""
    engine = Engine(database)
    engine.record(task("T-1"), now=NOW)
    engine.record(REQUEST, by="agent", now=NOW)
    return engine


def grant(ann: Engine) -> GrantApproval:
    """The grant of the stored action."""
    return GrantApproval(approval_id="A-1", action_hash=_hash(ann))


def start(ann: Engine) -> StartExecution:
    """The start of the stored action."""
    return StartExecution(
        approval_id="A-1",
        action_hash=_hash(ann),
        deadline_at=NOW + timedelta(days=1),
        policy=ALLOW,
    )


def _hash(ann: Engine) -> str:
    (fact,) = [e.fact for e in ann.events() if e.fact.type == "approval_requested"]
    found: str = fact.action_hash  # type: ignore[attr-defined]
    return found


class Waiting:
    """Records orders while somebody else holds the head; time passes before it is let go."""

    def __init__(self, urls: Urls, ann: Engine) -> None:
        self._urls = urls
        self._ann = ann
        self._late = threading.Event()
        self.error: WorkindexError | None = None

    def clock(self) -> datetime:
        """A moment before the expiry, and after the wait the very instant of it."""
        return EXPIRES_AT if self._late.is_set() else EXPIRES_AT - timedelta(microseconds=1)

    def run(self, orders: list[Order], ending: str) -> None:
        """Have the orders wait, end the other transaction and let them go on."""
        holder = owner(self._urls)
        holder.execute("BEGIN")
        holder.execute("UPDATE user_log SET epoch = epoch + 1 WHERE user_id = 'ann'")
        thread = threading.Thread(target=self._write, args=(orders,))
        thread.start()
        deadline = time.monotonic() + 20
        while not self._is_waiting():
            assert time.monotonic() < deadline, "nobody came to wait"
            time.sleep(0.01)
        self._late.set()
        holder.execute(ending.encode())
        holder.close()
        thread.join(30)
        assert not thread.is_alive()

    def _write(self, orders: list[Order]) -> None:
        try:
            self._ann.writer.write("ann", orders, self.clock)
        except WorkindexError as error:
            self.error = error

    def _is_waiting(self) -> bool:
        with owner(self._urls) as conn:
            row = conn.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                "AND wait_event_type = 'Lock'"
            ).fetchone()
        return row is not None and row[0] > 0


LATE: dict[str, tuple[Callable[[Engine], Command], str, str, str]] = {
    "grant": (grant, "user", "approval_expired", "approval_expired"),
    "start": (start, "agent", "grant_lapsed", "grant_lapsed"),
}


@pytest.mark.parametrize("ending", ["ROLLBACK", "COMMIT"])
@pytest.mark.parametrize("name", LATE)
def test_a_permission_that_ended_while_waiting(
    urls: Urls, ann: Engine, name: str, ending: str
) -> None:
    """In time when it was sent and late when its turn came is late, and the log says so."""
    command, by, code, fact = LATE[name]
    if name == "start":
        ann.record(grant(ann), now=NOW)
    waiting = Waiting(urls, ann)
    waiting.run([order(command(ann), by=by)], ending)  # type: ignore[arg-type]
    assert isinstance(waiting.error, CommandRefused)
    assert waiting.error.code == code
    last = ann.events()[-1]
    assert (last.fact.type, last.recorded_at) == (fact, EXPIRES_AT)
    assert ann.is_whole()


def test_a_batch_with_a_permission_that_ended(urls: Urls, ann: Engine) -> None:
    """One permission in a batch that ended while waiting: the batch is refused as a whole."""
    ann.record(grant(ann), now=NOW)
    before = len(ann.events())
    orders = [order(question("T-1")), order(start(ann), by="agent")]
    waiting = Waiting(urls, ann)
    waiting.run(orders, "ROLLBACK")
    assert waiting.error is not None
    assert waiting.error.code == "grant_lapsed"
    assert len(ann.events()) == before


def test_in_time(ann: Engine) -> None:
    """The microsecond before the end is in time."""
    times: dict[str, Any] = {"now": EXPIRES_AT - timedelta(microseconds=1)}
    ann.record(grant(ann), **times)
    ann.record(start(ann), by="agent", **times)
    assert [e.fact.type for e in ann.events()][-2:] == ["approval_granted", "execution_started"]
