"""Verify: a whole database is clean, and each kind of damage is found and named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from psycopg.conninfo import conninfo_to_dict

from conftest import Cluster, Urls
from driver import NOW, at
from engine import Engine, do_as_owner, question, task
from everything import fill
from workindex.domain.conversations import PostMessage
from workindex.domain.errors import NotReady
from workindex.domain.facts import Event
from workindex.domain.reminders import SetReminder
from workindex.domain.tasks import StartTask
from workindex.eventlog.database import Database
from workindex.projections.sets import TABLE_OF_KIND
from workindex.projections.verify import Difference, Report, Verifier


@pytest.fixture
def ann(database: Database) -> Engine:
    """Five events: an active task with an open question, a reminder, a message."""
    engine = Engine(database)
    engine.record(task("T-1"), now=NOW)
    engine.record(StartTask(task_id="T-1"), now=NOW)
    engine.record(question("T-1", expires_at=at("12:00")), now=NOW)
    engine.record(SetReminder(reminder_id="M-1", title="x", remind_at=at("10:00")), now=NOW)
    engine.record(PostMessage(message_id="S-1", thread_id="TH", role="user", text="x"), now=NOW)
    assert engine.is_whole()
    return engine


class Damage(NamedTuple):
    """A statement behind everybody's back, and what verify has to say about it."""

    statement: str
    table: str
    row: str
    field: str
    stored: Any
    folded: Any
    position: int | None


ROWS = [
    Damage(
        "UPDATE work_task SET title = 'Another'",
        *("work_task", "T-1", "title", "Another", "A task", 3),
    ),
    Damage(
        "UPDATE work_reminder SET remind_at = remind_at + interval '1 microsecond'",
        *("work_reminder", "M-1", "remind_at"),
        *("2026-03-02T10:00:00.000001+00:00", "2026-03-02T10:00:00+00:00", 4),
    ),
    Damage(
        "UPDATE work_task SET requests = '{}'",
        *("work_task", "T-1", "requests", {}, None, 3),
    ),
    Damage("DELETE FROM message", "message", "S-1", "row", False, True, 5),
    Damage(
        'INSERT INTO message SELECT (jsonb_populate_record(m, \'{"message_id": "S-2"}\')).* '
        "FROM message m",
        *("message", "S-2", "row", True, False, 5),
    ),
    Damage("UPDATE work_task SET open = false", "work_task", "T-1", "open", False, True, 3),
    Damage(
        "UPDATE work_task SET source_position = 2",
        *("work_task", "T-1", "source_position", 2, 3, 3),
    ),
    Damage(
        "UPDATE work_task SET created_position = 2",
        *("work_task", "T-1", "created_position", 2, 1, 3),
    ),
    Damage(
        "UPDATE projection_progress SET open_count = 7",
        *("projection_progress", "inline/1", "open_count", 7, 2, 5),
    ),
    Damage(
        "DELETE FROM work_due WHERE kind = 'reminder'",
        *("work_due", "reminder/M-1", "due_at", None, "2026-03-02T10:00:00+00:00", 4),
    ),
    Damage(
        "INSERT INTO work_due VALUES ('ann', 1, 'task', 'T-1', '2026-03-02 09:00+00')",
        *("work_due", "task/T-1", "due_at", "2026-03-02T09:00:00+00:00", None, 3),
    ),
    Damage(
        "INSERT INTO message SELECT (jsonb_populate_record(m, '{\"generation\": 9}')).* "
        "FROM message m",
        *("message", "S-1", "row", True, False, 5),
    ),
]


@pytest.mark.parametrize("damage", ROWS, ids=lambda damage: damage.statement[:60])
def test_damaged_row(urls: Urls, ann: Engine, damage: Damage) -> None:
    """One difference that names user, table, row, field, both values and the last event."""
    do_as_owner(urls, damage.statement)
    report = ann.verify()
    assert not report.is_clean
    (found,) = report.differences
    assert (found.user_id, found.table, found.row, found.field) == ("ann", *damage[1:4])
    assert found.stored == damage.stored
    if damage.folded is not None:
        assert found.folded == damage.folded
    assert found.position == damage.position
    assert (report.log_faults, report.parked, report.behind) == ([], [], [])
    assert report.to_json()["differences"] == [found._asdict()]


LOG = [
    ("DELETE FROM event WHERE position = 4", 5, "position 4 is missing"),
    ("DELETE FROM event WHERE position = 5", 5, "the head says 5, the last event is 4"),
    ("UPDATE user_log SET head = 7", 7, "the head says 7, the last event is 5"),
    (
        "UPDATE event SET stream_version = 4 WHERE position = 3",
        3,
        "stream task/T-1 goes from version 2 to 4",
    ),
    (
        "UPDATE event SET stream = 'task/T-9', stream_version = 1 WHERE position = 4",
        4,
        "is stored in task/T-9, its data says reminder/M-1",
    ),
    (
        "UPDATE event SET data = '{\"task_id\": 1}' WHERE position = 2",
        2,
        "event 2 of type task_started version 1 does not fit: task_id: Input should be a valid "
        "string",
    ),
    (
        "UPDATE event SET type = 'task_sneezed' WHERE position = 2",
        2,
        "event 2 has type task_sneezed version 1, which this program does not know: run a newer "
        "workindex",
    ),
]


@pytest.mark.parametrize(("statement", "position", "fault"), LOG, ids=[one[2][:40] for one in LOG])
def test_damaged_log(urls: Urls, ann: Engine, statement: str, position: int, fault: str) -> None:
    """The fault names the user, the position and what is wrong there."""
    do_as_owner(urls, statement)
    report = ann.verify()
    assert not report.is_clean
    assert {"user_id": "ann", "position": position, "fault": fault} in report.log_faults


@pytest.fixture(scope="module")
def filled(embedded_cluster: Cluster) -> Iterator[Urls]:
    """Two users, each with every command of the house in the log."""
    urls = embedded_cluster.clone()
    database = Database(urls.app, maint_url=urls.maint)
    for user_id in ("ann", "bob"):
        fill(database, user_id)
    database.close()
    yield urls
    embedded_cluster.drop(urls)


def verify(urls: Urls, users: list[str] | None = None) -> Report:
    database = Database(urls.app, maint_url=urls.maint)
    try:
        return Verifier(database).verify(users)
    finally:
        database.close()


def test_whole_database(filled: Urls) -> None:
    """A log that holds everything, for two users, is clean; every table has rows."""
    report = verify(filled)
    assert report.is_clean, report.to_json()
    (events,) = do_as_owner(filled, "SELECT count(*) FROM event")[0]
    assert (report.users, report.events) == (2, events)
    for table in TABLE_OF_KIND.values():
        assert do_as_owner(filled, f"SELECT 1 FROM {table.name} LIMIT 1"), table


def test_damage_of_one_user(cluster: Cluster, filled: Urls) -> None:
    """Only the users that were asked for are looked at, and only the damaged one is named."""
    urls = cluster.clone(str(conninfo_to_dict(filled.app)["dbname"]))
    do_as_owner(urls, "DELETE FROM claim WHERE user_id = 'bob'")
    assert verify(urls, ["ann"]).is_clean
    report = verify(urls)
    assert {found.user_id for found in report.differences} == {"bob"}
    assert {found.table for found in report.differences} == {"claim"}
    cluster.drop(urls)


def test_rows_of_a_user_without_a_log(urls: Urls, ann: Engine) -> None:
    """Rows whose user has no log at all are found, too."""
    do_as_owner(
        urls,
        'INSERT INTO message SELECT (jsonb_populate_record(m, \'{"user_id": "zoe"}\')).* '
        "FROM message m",
    )
    report = ann.verifier.verify()
    assert report.users == 2
    assert report.differences == [Difference("zoe", "message", "S-1", "row", True, False, 5)]


def test_behind_and_parked(urls: Urls, ann: Engine) -> None:
    """A projection that lags or stands still is reported as that, and compared as far as it got."""
    do_as_owner(urls, "UPDATE projection_progress SET position = 4 WHERE projection_set = 'inline'")
    do_as_owner(urls, "DELETE FROM message")
    report = ann.verify()
    assert report.behind == [
        {
            "user_id": "ann",
            "projection_set": "inline",
            "generation": 1,
            "position": 4,
            "head": 5,
        }
    ]
    assert (report.differences, report.is_clean) == ([], False)
    do_as_owner(urls, "UPDATE work_reminder SET title = 'y'")
    assert [(d.table, d.field) for d in ann.verify().differences] == [("work_reminder", "title")]
    do_as_owner(urls, "UPDATE work_reminder SET title = 'x'")
    mark = {"position": 5, "failed_position": 5, "reason": "x", "at": "", "attempts": 1}
    do_as_owner(
        urls,
        "UPDATE projection_progress SET position = 5, parked = %s::jsonb "
        "WHERE projection_set = 'inline'",
        json.dumps({"conversation": mark}),
    )
    report = ann.verify()
    assert [one["parked"] for one in report.parked] == [{"conversation": mark}]
    assert (report.differences, report.behind, report.is_clean) == ([], [], False)
    do_as_owner(urls, "DELETE FROM projection_progress")
    report = ann.verify()
    assert [(one["generation"], one["position"]) for one in report.behind] == [(None, None)]
    assert {one.table for one in report.differences} == {"work_task", "work_reminder", "work_due"}


def test_fold_that_raises(ann: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug in the fold of one projection is named once and hides nothing of the others."""

    def wrong(row: Any, event: Event) -> Any:
        raise KeyError("a bug")

    monkeypatch.setattr(TABLE_OF_KIND["message"], "fold", wrong)
    ann.record(task("T-2"), now=NOW)
    report = ann.verify()
    assert [fault["position"] for fault in report.log_faults] == [5]
    assert "message cannot fold message_posted" in report.log_faults[0]["fault"]
    assert report.differences == []


def test_needs_its_own_login(urls: Urls) -> None:
    """Verify sees every tenant, so the application's login cannot do it."""
    database = Database(urls.app)
    with pytest.raises(NotReady, match="WORKINDEX_MAINT_URL"):
        Verifier(database).verify()
    database.close()
