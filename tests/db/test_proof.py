"""The proof: "nothing needs you" is said only when it was proved; each reason is made for real."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from conftest import Urls
from driver import NOW, at
from engine import PENDING, Engine, do_as_owner, owner, proof_of, question, task
from workindex.domain.connections import (
    ObserveConnection,
    ObserveCredits,
    ObserveSource,
    RetireSource,
)
from workindex.domain.errors import CommandRefused, InvalidInput
from workindex.domain.facts import utc
from workindex.domain.reminders import SetReminder
from workindex.domain.tasks import ChangeTask, GiveTaskInput, StartTask
from workindex.eventlog.database import Database
from workindex.projections.proof import conclude

pytestmark = pytest.mark.pg15
EARLIER, INSTANT = timedelta(minutes=-10), timedelta(microseconds=1)


@pytest.fixture
def ann(database: Database) -> Engine:
    """A user with one task that needs nobody."""
    engine = Engine(database)
    engine.record(task("T-1"), now=NOW)
    return engine


def verdict(engine: Engine, now: datetime | None = None) -> tuple[str, tuple[str, ...]]:
    """The verdict on "what needs me?" and its reasons."""
    proof = engine.proof(now=now)
    return proof.verdict, proof.reasons


def source(name: str = "mail", **fields: Any) -> ObserveSource:
    """A source seen ten minutes before NOW that may be an hour old."""
    given = {"observed_through": NOW + EARLIER, "covers": ("pending",), "fresh_seconds": 3600}
    return ObserveSource(source=name, **(given | fields))


def test_empty_and_not(ann: Engine) -> None:
    """The two proved verdicts."""
    assert verdict(ann) == ("proven_empty", ())
    ann.record(question("T-1"))
    assert verdict(ann) == ("items", ())
    ann.record(GiveTaskInput(task_id="T-1", request_id="R-1", answer="x"))
    assert verdict(ann) == ("proven_empty", ())


def test_user_without_events(database: Database) -> None:
    """A user whose only command had nothing to change is known: proved empty at position 0."""
    nobody = Engine(database, "nobody")
    assert verdict(nobody) == ("unproven", ("unknown_user",))
    with pytest.raises(CommandRefused):
        nobody.record(StartTask(task_id="T-1"))
    assert verdict(nobody) == ("unproven", ("unknown_user",))
    receipt = nobody.record_all([task("T-1"), ChangeTask(task_id="T-1", title="A task")])
    assert receipt[1].positions == ()
    assert verdict(nobody) == ("proven_empty", ())


def test_unknown_user_without_any_log(urls: Urls, database: Database) -> None:
    """A log of no events is not an unknown user: the head is there and says 0."""
    nobody = Engine(database, "nobody")
    do_as_owner(urls, "INSERT INTO user_log (user_id, head, epoch) VALUES ('nobody', 0, 0)")
    do_as_owner(
        urls, "INSERT INTO projection_progress VALUES ('nobody', 'inline', 1, 0, '{}', 0, '{}')"
    )
    proof = nobody.proof()
    assert (proof.verdict, proof.certificate["position"]) == ("proven_empty", 0)
    assert nobody.record(task("T-1")).positions == (1,)
    assert nobody.is_whole()


def test_no_tenant(ann: Engine) -> None:
    """A connection that nobody gave a tenant sees no row and says why."""
    ann.record(question("T-1"))
    with ann.database.connection() as conn:
        reading = ann.reader.read_without_tenant(conn, "ann", PENDING)
    assert reading.rows["task"] == []
    assert proof_of(reading).reasons == ("no_tenant",)
    assert proof_of(reading).verdict == "unproven"


def test_rows_missing(urls: Urls, ann: Engine) -> None:
    """Open rows that got lost behind the projector's back, or lost their mark, or are too many."""
    ann.record(question("T-1"))
    for loss, undo in (
        ("UPDATE work_task SET open = false", "UPDATE work_task SET open = true"),
        (
            "UPDATE projection_progress SET open_count = 2",
            "UPDATE projection_progress SET open_count = 1",
        ),
        (
            'INSERT INTO work_task SELECT (jsonb_populate_record(t, \'{"task_id": "T-0"}\')).* '
            "FROM work_task t",
            "DELETE FROM work_task WHERE task_id = 'T-0'",
        ),
        ("DELETE FROM work_task", "SELECT 1"),
    ):
        do_as_owner(urls, loss)
        assert verdict(ann) == ("unproven", ("rows_missing",)), loss
        do_as_owner(urls, undo)


def test_rows_missing_in_a_table_that_nobody_reads(urls: Urls, ann: Engine) -> None:
    """Open rows of every table are counted, also of those that the question does not want."""
    ann.record(SetReminder(reminder_id="M-1", title="x", remind_at=at("10:00")), now=NOW)
    do_as_owner(urls, "DELETE FROM work_reminder")
    reading = ann.read({"task": "all"})
    assert reading.reasons == ("rows_missing",)


def test_sources(ann: Engine) -> None:
    """A required source must have been seen recently enough, whole, and not in the future."""
    ann.record(source(), now=NOW)
    late = NOW + EARLIER + timedelta(hours=1)
    assert verdict(ann, late) == ("proven_empty", ())
    assert verdict(ann, late + INSTANT) == ("unproven", ("source_stale:mail",))
    ann.record(source(observed_through=at("10:00")), now=at("10:00"))
    assert verdict(ann, at("10:30")) == ("proven_empty", ())
    assert verdict(ann, at("09:59")) == ("proven_empty", ())
    assert verdict(ann, at("09:59") - INSTANT) == ("unproven", ("source_suspect:mail",))
    ann.record(source(observed_through=at("10:10"), state="suspect"), now=at("10:10"))
    assert verdict(ann, at("10:10")) == ("unproven", ("source_suspect:mail",))
    ann.record(source("files", observed_through=at("10:10"), state="partial"), now=at("10:10"))
    ann.record(source("rooms", observed_through=NOW, covers=("meetings",)), now=NOW)
    assert verdict(ann, at("10:10"))[1] == ("source_partial:files", "source_suspect:mail")
    ann.record(RetireSource(source="mail"))
    ann.record(RetireSource(source="files"))
    assert verdict(ann, at("10:10")) == ("proven_empty", ())


@pytest.mark.parametrize("kind", ["connections", "credits"])
def test_stale_provider(ann: Engine, kind: str) -> None:
    """Live provider state past its time is not a proof of anything."""
    ann.record(
        ObserveConnection(
            provider="mail", account="me", status="connected", observed_at=NOW, ttl_seconds=60
        ),
        by="provider",
        now=NOW,
    )
    ann.record(
        ObserveCredits(account="mail:me", amount="1", unit="USD", observed_at=NOW, ttl_seconds=60),
        by="provider",
        now=NOW,
    )
    row = {"connections": "connection", "credits": "credits"}[kind]
    for now, reasons in (
        (NOW + timedelta(seconds=60), ()),
        (NOW + timedelta(seconds=60) + INSTANT, ("provider_stale:mail:me",)),
    ):
        reading = ann.read({row: "all"}, now=now)
        proof = conclude(reading, kind, has_items=True)
        assert proof.reasons == reasons
        assert conclude(reading, "tasks", has_items=False).reasons == ()


def test_erased(urls: Urls, ann: Engine) -> None:
    """An erased log proves nothing and takes nothing, with or without a read."""
    do_as_owner(urls, "UPDATE user_log SET erased_at = now()")
    assert verdict(ann) == ("unproven", ("erased",))
    for command in (task("T-2"), StartTask(task_id="T-1")):
        with pytest.raises(CommandRefused) as caught:
            ann.record(command)
        assert caught.value.code == "erased"


def test_slow_server(urls: Urls, ann: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A time limit is a typed answer with a reason, never a raw cancellation, never "nothing"."""
    monkeypatch.setattr(
        "workindex.eventlog.database.SESSION_OPTIONS", "-c timezone=UTC -c statement_timeout=200"
    )
    hurried = Engine(Database(urls.app))
    assert verdict(hurried) == ("proven_empty", ())
    with owner(urls) as conn, conn.transaction():
        conn.execute("LOCK TABLE work_task IN ACCESS EXCLUSIVE MODE")
        assert verdict(hurried) == ("unproven", ("unavailable",))
        assert hurried.read(at_position=1).reasons == ("unavailable",)
    assert verdict(hurried) == ("proven_empty", ())
    hurried.database.close()


def test_no_server(ann: Engine) -> None:
    """Where nobody answers the reading says so; every kind is there, and nothing is proved."""
    nowhere = Engine(Database("postgresql://workindex_app@127.0.0.1:1/nowhere"))
    reading = nowhere.read()
    assert reading.reasons == ("unavailable",)
    assert proof_of(reading).verdict == "unproven"
    assert {kind for kind, rows in reading.rows.items() if rows == []} >= set(PENDING)
    nowhere.database.close()


def test_certificate_by_hand(ann: Engine) -> None:
    """`valid_until` is the first instant that could change the verdict, worked out by hand."""
    ann.record(source(), now=NOW)  # late from 09:50 and an instant
    ann.record(question("T-1", expires_at=at("09:20")), now=NOW)
    ann.record(SetReminder(reminder_id="M-1", title="Call", remind_at=at("09:30")), now=NOW)
    late = at("09:50") + INSTANT
    for now, result, valid_until in (
        (NOW, "items", at("09:20")),
        (at("09:20") - INSTANT, "items", at("09:20")),
        (at("09:20"), "proven_empty", at("09:30")),
        (at("09:30"), "items", late),
        (late, "unproven", None),
    ):
        proof = ann.proof(now=now)
        assert proof.verdict == result, now
        assert proof.certificate == {
            "user_id": "ann",
            "position": 4,
            "projections": [
                {"name": name, "generation": 1, "fold_version": 1}
                for name in ("work_index", "conversation", "memory")
            ],
            "as_of": utc(now),
            "valid_until": utc(valid_until) if valid_until else None,
            "kind": "pending",
            "sources": [
                {
                    "source": "mail",
                    "state": "whole",
                    "observed_through": utc(NOW + EARLIER),
                    "fresh_seconds": 3600,
                }
            ],
            "live": False,
        }
    # A source that claims the future is believed from a minute before that on.
    ann.record(source(observed_through=at("10:05")), now=at("09:55"))
    proof = ann.proof(now=at("09:55"))
    assert proof.reasons == ("source_suspect:mail",)
    assert proof.certificate["valid_until"] == utc(at("10:04"))
    assert ann.proof(now=at("10:04")).reasons == ()


def test_now_is_the_databases(ann: Engine) -> None:
    """Without an instant from the caller the verdict is of the statement's own."""
    reading = ann.read()
    assert reading.now == reading.as_of
    assert proof_of(reading).certificate["as_of"] == utc(reading.as_of)


def test_earlier_position(ann: Engine) -> None:
    """The log folded up to a position answers as the rows did then; outside of it is an error."""
    ann.record(question("T-1"), now=NOW + timedelta(minutes=1))
    ann.record(
        GiveTaskInput(task_id="T-1", request_id="R-1", answer="x"), now=NOW + timedelta(minutes=2)
    )
    for position, result in ((0, "proven_empty"), (1, "proven_empty"), (2, "items"),
                             (3, "proven_empty")):  # fmt: skip
        reading = ann.read(at_position=position)
        proof = proof_of(reading)
        assert (proof.verdict, proof.certificate["position"]) == (result, position)
        assert proof.certificate["live"] is True
    assert ann.read(at_position=2).now == NOW + timedelta(minutes=1)
    for position in (-1, 4):
        with pytest.raises(InvalidInput) as caught:
            ann.read(at_position=position)
        assert caught.value.field == "at_position"
