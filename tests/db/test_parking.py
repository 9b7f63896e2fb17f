"""A projection that cannot follow stands still, is seen to, and takes no fact and nobody along."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from conftest import Urls
from engine import Engine, do_as_owner, question, task
from workindex.domain.approval_commands import GrantApproval, RequestApproval, StartExecution
from workindex.domain.approval_facts import PolicyDecision
from workindex.domain.conversations import PostMessage
from workindex.domain.errors import (
    CommandRefused,
    CorruptEvent,
    NeedsNewerCode,
    Unavailable,
)
from workindex.domain.facts import Event
from workindex.domain.memory import RecordClaim
from workindex.domain.tasks import CompleteTask, GiveTaskInput, StartTask
from workindex.eventlog.database import Database
from workindex.eventlog.mapper import MODELS, FactMapper
from workindex.projections.planning import Entry
from workindex.projections.sets import TABLE_OF_KIND

MEMBERS = {"work_index", "conversation", "memory"}
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
FoldBug = Callable[[str], None]


@pytest.fixture
def ann(database: Database) -> Engine:
    """A user with one task."""
    engine = Engine(database)
    engine.record(task("T-1"))
    return engine


@pytest.fixture
def break_fold(monkeypatch: pytest.MonkeyPatch) -> FoldBug:
    """Give the fold of a kind a bug: it raises on every event whose data say "poison"."""

    def break_it(kind: str) -> None:
        table = TABLE_OF_KIND[kind]
        right = table.fold

        def wrong(row: Any, event: Event) -> Any:
            if "poison" in event.fact.model_dump_json():
                raise KeyError("a bug")
            return right(row, event)

        monkeypatch.setattr(table, "fold", wrong)

    return break_it


def say(id_: str, text: str) -> PostMessage:
    return PostMessage(message_id=id_, thread_id="TH", role="user", text=text)


def claim(id_: str) -> RecordClaim:
    return RecordClaim(claim_id=id_, subject="ann", attribute=id_, value=1)


def ids(urls: Urls, table: str, column: str) -> set[str]:
    """The ids of the rows that are there."""
    return {row[0] for row in do_as_owner(urls, f"SELECT {column} FROM {table}")}


def test_only_its_member_parks(urls: Urls, ann: Engine, break_fold: FoldBug) -> None:
    """The facts are stored, the set moves on, the other members have their rows and proofs."""
    break_fold("message")
    ann.record(say("M-1", "good"))
    receipt = ann.record(say("M-2", "poison"))
    assert receipt.positions == (3,)
    ann.record(say("M-3", "good"))
    ann.record(claim("C-1"))
    ann.record(task("T-2"))
    progress = ann.progress()
    assert (progress["position"], set(progress["parked"])) == (6, {"conversation"})
    assert len(ann.events()) == 6
    assert ids(urls, "message", "message_id") == {"M-1"}
    assert ids(urls, "claim", "claim_id") == {"C-1"}
    assert ids(urls, "work_task", "task_id") == {"T-1", "T-2"}
    assert ann.proof().verdict == "proven_empty"
    assert "parked" in ann.read({"message": "all"}).reasons
    assert ann.read({"claim": "all"}).reasons == ()


def test_parked_work_index_proves_nothing(urls: Urls, ann: Engine, break_fold: FoldBug) -> None:
    """Whatever the rows say, the verdict is unproven, and the record says what stands where."""
    break_fold("task")
    before = datetime.now(UTC)
    ann.record(task("T-2", "poison"))
    ann.record(question("T-1"))
    ann.record(say("M-1", "still here"))
    progress = ann.progress()
    assert (progress["position"], progress["open_count"]) == (4, 0)
    record = progress["parked"]["work_index"]
    assert (record["position"], record["failed_position"]) == (2, 2)
    assert record["reason"] == (
        "work_task cannot fold task_created of task/T-2 (version 1): KeyError: 'a bug'"
    )
    assert before <= datetime.fromisoformat(record["at"]) <= datetime.now(UTC)
    assert ids(urls, "work_task", "task_id") == {"T-1"}
    assert ids(urls, "message", "message_id") == {"M-1"}
    proof = ann.proof()
    assert (proof.verdict, proof.reasons) == ("unproven", ("parked",))


def test_no_half_of_a_batch(urls: Urls, ann: Engine, break_fold: FoldBug) -> None:
    """A member that fails within an append has no row of it: it stands before the first event."""
    break_fold("task")
    batch = [task("T-2"), say("M-1", "x"), task("T-3", "poison"), task("T-4")]
    assert [r.positions for r in ann.record_all(batch)] == [(2,), (3,), (4,), (5,)]
    record = ann.progress()["parked"]["work_index"]
    assert (record["position"], record["failed_position"]) == (2, 4)
    assert ids(urls, "work_task", "task_id") == {"T-1"}
    assert ids(urls, "message", "message_id") == {"M-1"}


def test_park_record_stays(ann: Engine, break_fold: FoldBug) -> None:
    """Further appends, good and bad, change nothing of where and why a member stands still."""
    break_fold("task")
    ann.record(task("T-2", "poison"))
    first = ann.progress()["parked"]
    ann.record(StartTask(task_id="T-1"))
    ann.record(task("T-3", "poison"))
    ann.record_all([Entry(task("T-4")), Entry(StartTask(task_id="T-4"))])
    assert ann.progress() == {"position": 6, "parked": first, "open_count": 0}


def test_decisions_of_a_parked_user(ann: Engine, break_fold: FoldBug) -> None:
    """They rest on the log: rows that stand still are not asked."""
    ann.record(question("T-1"))
    break_fold("task")
    ann.record(task("T-2", "poison"))
    ann.record(GiveTaskInput(task_id="T-1", request_id="R-1", answer="this"))
    with pytest.raises(CommandRefused) as caught:
        ann.record(GiveTaskInput(task_id="T-1", request_id="R-1", answer="that"))
    assert caught.value.code == "unknown_request"
    ann.record(StartTask(task_id="T-2"))
    assert ann.record(StartTask(task_id="T-2")).positions == ()
    ann.record(CompleteTask(task_id="T-1"))
    with pytest.raises(CommandRefused) as caught:
        ann.record(StartTask(task_id="T-9"))
    assert caught.value.code == "unknown_task"
    assert ann.progress()["position"] == len(ann.events()) == 6


def test_approvals_never_rest_on_rows(urls: Urls, ann: Engine) -> None:
    """A row that was tampered with grants nothing: the stream is replayed for every decision."""
    request = RequestApproval(
        approval_id="A-1",
        title="Pay",
        tool="bank",
        arguments={"amount": "10"},
        expires_at=NOW + timedelta(hours=1),
    )
    ann.record(request, by="agent", now=NOW)
    (row,) = ann.read(now=NOW).rows["approval"]
    do_as_owner(urls, "UPDATE work_approval SET status = 'granted', redeem_by = expires_at")
    start = StartExecution(
        approval_id="A-1",
        action_hash=row.action_hash,
        deadline_at=NOW + timedelta(minutes=5),
        policy=PolicyDecision(decision="allow", policy_id="P"),
    )
    with pytest.raises(CommandRefused) as caught:
        ann.record(start, by="agent", now=NOW)
    assert caught.value.code == "not_granted"
    do_as_owner(urls, "UPDATE work_approval SET status = 'denied', redeem_by = NULL")
    ann.record(GrantApproval(approval_id="A-1", action_hash=row.action_hash), now=NOW)
    ann.record(start, by="agent", now=NOW)
    assert ann.events()[-1].fact.type == "execution_started"


@pytest.mark.parametrize(
    ("change", "state"),
    [
        ("ADD CHECK (title <> 'poison')", "violates check constraint"),
        ("ALTER COLUMN title TYPE varchar(8) COLLATE \"C\"", "value too long"),
    ],
    ids=["class 23", "class 22"],
)  # fmt: skip
def test_rows_that_the_table_refuses(urls: Urls, ann: Engine, change: str, state: str) -> None:
    """An error of the values of rows parks the member whose rows they are, and it alone."""
    do_as_owner(urls, "UPDATE work_task SET title = 'x'")
    do_as_owner(urls, f"ALTER TABLE work_task {change}")
    long = "poison" if "CHECK" in change else "poison and more"
    receipts = ann.record_all([say("M-1", "x"), task("T-2", long), claim("C-1")])
    assert [r.positions for r in receipts] == [(2,), (3,), (4,)]
    progress = ann.progress()
    assert (progress["position"], set(progress["parked"])) == (4, {"work_index"})
    assert state in progress["parked"]["work_index"]["reason"]
    assert progress["parked"]["work_index"]["position"] == 2
    assert ids(urls, "message", "message_id") == {"M-1"}
    assert ids(urls, "claim", "claim_id") == {"C-1"}
    assert ann.proof().reasons == ("parked",)


@pytest.mark.parametrize(
    ("state", "error"),
    [
        ("40P01", Unavailable),  # deadlock
        ("55P03", Unavailable),  # lock time-out
        ("57014", Unavailable),  # statement time-out
        ("57P01", Unavailable),  # shutdown
        ("53100", Unavailable),  # disk full
        ("XX000", psycopg.Error),  # a bug of the server
    ],
)
def test_trouble_of_the_server_parks_nobody(
    urls: Urls, ann: Engine, state: str, error: type[Exception]
) -> None:
    """Brown-out: the append is tried again or raised, nothing is stored, nobody is blamed."""
    do_as_owner(
        urls,
        f"""
        CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'trouble' USING ERRCODE = '{state}'; END $$;
        CREATE TRIGGER trouble BEFORE INSERT ON work_task EXECUTE FUNCTION trouble();
        """,
    )
    with pytest.raises(error, match="trouble"):
        ann.record(task("T-2"), key="K")
    assert len(ann.events()) == 1
    assert ann.progress() == {"position": 1, "parked": {}, "open_count": 0}
    do_as_owner(urls, "DROP TRIGGER trouble ON work_task")
    assert ann.record(task("T-2"), key="K").positions == (2,)
    assert ann.is_whole()


def spoil_last_event(urls: Urls, ann: Engine) -> None:
    """Damage the data of the last event and let no projection have seen it."""
    last = len(ann.events())
    do_as_owner(urls, "UPDATE event SET data = '{\"x\": 1}' WHERE position = %s", last)
    do_as_owner(urls, "UPDATE projection_progress SET position = %s", last - 1)


@pytest.mark.parametrize("blind", [True, False])
def test_undecodable_event(urls: Urls, ann: Engine, blind: bool) -> None:
    """It parks every member; new things are stored, decisions on what it may hide are refused."""
    ann.record(StartTask(task_id="T-1"))
    spoil_last_event(urls, ann)
    assert ann.proof().reasons == ("parked",)
    if blind:
        assert ann.record(say("M-1", "x")).positions == (3,)
    else:
        with pytest.raises(CorruptEvent, match="event 2 of type task_started"):
            ann.record(CompleteTask(task_id="T-1"))
    progress = ann.progress()
    assert progress["position"] == (3 if blind else 2)
    assert set(progress["parked"]) == MEMBERS
    for record in progress["parked"].values():
        assert (record["position"], record["failed_position"]) == (2, 2)
        assert record["reason"].startswith("event 2 of type task_started version 1 does not fit")
    ann.record(say("M-2", "x"))
    with pytest.raises(CorruptEvent):
        ann.record(CompleteTask(task_id="T-1"))
    proof = ann.proof()
    assert (proof.verdict, proof.reasons) == ("unproven", ("parked",))


def test_event_that_needs_newer_code(urls: Urls, database: Database, ann: Engine) -> None:
    """Old code stores nothing, parks nobody and proves nothing; new code clears it by itself."""
    old = Engine(
        database,
        mapper=FactMapper({k: v for k, v in MODELS.items() if k[0] != "task_started"}),
    )
    ann.record(StartTask(task_id="T-1"))
    do_as_owner(urls, "UPDATE projection_progress SET position = 1")
    do_as_owner(urls, "UPDATE work_task SET status = 'open', source_position = 1")
    for command in (CompleteTask(task_id="T-1"), StartTask(task_id="T-1")):
        with pytest.raises(NeedsNewerCode, match="task_started version 1, which this program"):
            old.record(command)
    assert old.progress() == {"position": 1, "parked": {}, "open_count": 0}
    assert old.proof().reasons == ("fold_version",)
    assert ann.proof().verdict == "proven_empty"
    assert ann.record(CompleteTask(task_id="T-1")).positions == (3,)
    assert ann.progress()["position"] == 3
    assert ann.is_whole()
    assert old.proof().verdict == "proven_empty"


def test_fold_bug_during_catch_up(urls: Urls, ann: Engine, break_fold: FoldBug) -> None:
    """A bug that shows when the projection catches up parks its member at the first event."""
    ann.record_all([task("T-2"), say("M-1", "x"), task("T-3", "poison")])
    do_as_owner(urls, "DELETE FROM message")
    do_as_owner(urls, "DELETE FROM work_task WHERE task_id <> 'T-1'")
    do_as_owner(urls, "UPDATE projection_progress SET position = 1")
    break_fold("task")
    ann.record(StartTask(task_id="T-1"))
    progress = ann.progress()
    assert (progress["position"], set(progress["parked"])) == (5, {"work_index"})
    record = progress["parked"]["work_index"]
    assert (record["position"], record["failed_position"]) == (2, 4)
    assert ids(urls, "message", "message_id") == {"M-1"}
    assert ids(urls, "work_task", "task_id") == {"T-1"}
