"""An office's tables become meetings, messages and tasks: rows read, and the plan of each."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from driver import Driver
from workindex.domain.conversations import CONVERSATIONS
from workindex.domain.errors import InvalidInput
from workindex.domain.meetings import MEETINGS, CancelMeeting
from workindex.domain.tasks import TASKS, BlockTask, CancelTask
from workindex.projections import ALL_TABLES
from workindex.projections.index import SECTIONS, index_of
from workindex.projections.proof import Reading
from workindex.service.importers.workbench import (
    plan_mail,
    plan_meeting,
    plan_removals,
    plan_task,
)
from workindex.service.importers.workbench_files import Mail, Meeting, Task, read_sheet

BERLIN = ZoneInfo("Europe/Berlin")
CALENDAR = "event_id,event_name,participant_email,event_start,duration\n"
MAILS = "email_id,inbox/outbox,sender/recipient,subject,sent_datetime,body\n"
TASKS_ = "task_id,task_name,assigned_to_email,list_name,due_date,board\n"


def values(tmp_path: Path, text: str) -> list[Any]:
    """What each row of a table says."""
    path = tmp_path / "table.csv"
    path.write_text(text)
    return [record.value for record in read_sheet(path, BERLIN).records]


def test_rows_are_read(tmp_path: Path) -> None:
    """Times are of the zone, a due day lasts to its end, an empty cell is nothing."""
    (meeting,) = values(tmp_path, CALENDAR + "01,sync up,ann@x.com,2026-07-01 09:00:00,90\n")
    assert meeting.id == "01"
    assert meeting.columns["start_at"] == datetime(2026, 7, 1, 7, 0, tzinfo=UTC)
    assert meeting.columns["end_at"] == datetime(2026, 7, 1, 8, 30, tzinfo=UTC)
    (task, bare) = values(
        tmp_path, TASKS_ + "7,Fix it,bob@x.com,In Review,2026-01-31,Design\n8,B,,backlog,,\n"
    )
    assert (task.status, task.phase, task.columns["labels"]) == ("active", "In Review", ("Design",))
    assert task.columns["due_at"] == datetime(2026, 1, 31, 22, 59, 59, tzinfo=UTC)
    assert bare.columns == {"title": "B", "assignee": None, "labels": (), "due_at": None}


def test_mails_of_one_address_and_subject_are_one_thread(tmp_path: Path) -> None:
    """Replies belong to it, in either direction; what others wrote is no word of the user."""
    one, two, other = values(
        tmp_path,
        MAILS
        + '1,inbox,bob@x.com,Lunch,2026-01-02 12:00:00,"Hi,\\n\\nnoon?"\n'
        + "2,outbox,Bob@x.com,RE: Fwd: lunch,2026-01-02 12:05:00,Yes\n"
        + "3,inbox,eve@x.com,Lunch,2026-01-02 12:10:00,Me too\n",
    )
    assert one.thread_id == two.thread_id != other.thread_id
    assert (one.role, two.role) == ("tool", "user")
    assert one.text == "From: bob@x.com\nSubject: Lunch\n\nHi,\n\nnoon?"
    assert two.text.startswith("To: Bob@x.com\n")


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (",a,b,2026-01-01 09:00:00,30", "event_id: "),
        ("1,,b,2026-01-01 09:00:00,30", "event_name: "),
        ("1,a,b,soon,30", "event_start: "),
        ("1,a,b,1066-10-14 09:00:00,30", "event_start: .*1900"),
        ("1,a,b,9998-12-31 09:00:00,500000", "duration: "),
        ("1,a,b,2026-01-01 09:00:00,-5", "duration: "),
        ("1,a,b,2026-01-01 09:00:00", "4 cells, expected 5"),
        ("1,a,b,2026-01-01 09:00:00,30,more", "6 cells, expected 5"),
    ],
)
def test_a_bad_row_is_named_and_the_others_are_read(tmp_path: Path, row: str, told: str) -> None:
    """File, line, id and field."""
    path = tmp_path / "calendar.csv"
    path.write_text(f"{CALENDAR}{row}\n2,good,b,2026-01-01 09:00:00,30\n")
    bad, good = read_sheet(path, BERLIN).records
    assert isinstance(bad.value, InvalidInput)
    with pytest.raises(InvalidInput, match=told):
        raise bad.value
    assert bad.place.startswith(f"{path}:2")
    assert isinstance(good.value, Meeting)


def test_an_unknown_list_is_named(tmp_path: Path) -> None:
    """The four that there are stand in the message."""
    (fault,) = values(tmp_path, TASKS_ + "7,Fix,bob@x.com,Someday,,\n")
    assert fault.field == "list_name"
    assert "expected one of Backlog, In Progress, In Review, Completed" in str(fault)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "no table that is known"),
        (b"a,b\n1,2\n", r"no table that is known here \(columns a, b\)"),
        (b"task_id,task_name\n", "no column assigned_to_email"),
        (CALENDAR.encode() + b'1,"open', ":2: not CSV"),
        (CALENDAR.encode() + b"1,\xff,b,c,d\n", "not UTF-8"),
        (b"\x1f\x8b\x08garbage", "cannot be read"),
    ],
)
def test_what_is_no_table(tmp_path: Path, content: bytes, told: str) -> None:
    """A typed error that names the file."""
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=told) as refused:
        read_sheet(path, BERLIN)
    assert str(path) in str(refused.value)


def test_tables_without_a_place_here_are_counted(tmp_path: Path) -> None:
    """Customers and page visits, packed or not, with a byte order mark or not."""
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress("\ufeffcustomer_id,name\n1,A\n\n2,B\n".encode()))
    sheet = read_sheet(path, BERLIN)
    assert (sheet.kind, sheet.is_skipped, sheet.rows) == ("customers", True, 2)


class Office:
    """A source in memory: what its tables say goes in, rows come out."""

    def __init__(self) -> None:
        self.driver = Driver([TASKS, MEETINGS, CONVERSATIONS], ALL_TABLES)

    def row(self, ref: str) -> dict[str, Any] | None:
        """The row as a plan sees it."""
        kind = ref.partition("/")[0]
        row = self.driver.row(ref)
        if row is None:
            return None
        now = self.driver.now
        rows: dict[str, list[Any]] = {name: [] for name in SECTIONS.values()}
        rows[kind].append(row)
        reading = Reading("ann", 1, now, now, None, rows, (), False, ())
        (document,) = index_of(reading).sections[f"{kind}s"]
        return document

    def take(self, value: Meeting | Task) -> list[str]:
        """Plans and does it; the types of the commands that it took."""
        kind = "meeting" if isinstance(value, Meeting) else "task"
        ref = f"{kind}/{value.id}"

        def plan() -> list[Any]:
            row = self.row(ref)
            return list(
                plan_meeting(value, row, "office")
                if isinstance(value, Meeting)
                else plan_task(value, row, "office")
            )

        commands = plan()
        for command in commands:
            assert self.driver.do(command, by="import"), command
        assert plan() == [], "what is done has nothing left to do"
        return [command.type for command in commands]


def task(list_name: str, **columns: Any) -> Task:
    """Task 7 in a list."""
    status = {"Backlog": "open", "Completed": "done"}.get(list_name, "active")
    told = {"title": "Fix", "assignee": None, "labels": (), "due_at": None, **columns}
    return Task("7", told, status, list_name)


def test_a_task_moves_over_its_board() -> None:
    """Forward, to done, and back again."""
    office = Office()
    moves = {
        "Backlog": ["create_task", "enter_task_phase"],
        "In Progress": ["start_task", "enter_task_phase"],
        "In Review": ["enter_task_phase"],
        "Completed": ["complete_task"],
    }
    for list_name, commands in moves.items():
        assert office.take(task(list_name)) == commands
    assert office.take(task("Backlog")) == ["reopen_task", "enter_task_phase"]
    row = office.row("task/7")
    assert row is not None
    assert (row["status"], row["phase"], row["source"]) == ("open", "Backlog", "office")
    assert office.take(task("Backlog", title="Mend", labels=("Design",))) == ["change_task"]
    office.driver.do(CancelTask(task_id="7"))
    assert office.take(task("Completed")) == ["change_task", "reopen_task", "complete_task"]


def test_a_task_that_waits_here_is_not_started() -> None:
    """What blocks it belongs to somebody else; a later import starts it."""
    office = Office()
    office.take(task("Backlog"))
    office.driver.do(BlockTask(task_id="7", reason="the supplier"))
    assert office.take(task("In Progress")) == ["enter_task_phase"]


def test_a_meeting_moves_and_comes_back(tmp_path: Path) -> None:
    """Moved, cancelled here and named again by the calendar."""
    office = Office()
    row = "1,sync,ann@x.com,2026-07-01 {}:00:00,30\n"
    (early,) = values(tmp_path, CALENDAR + row.format("09"))
    (late,) = values(tmp_path, CALENDAR + row.format("10"))
    assert office.take(early) == ["schedule_meeting"]
    assert office.take(late) == ["change_meeting"]
    office.driver.do(CancelMeeting(meeting_id="1"))
    assert office.take(late) == ["schedule_meeting"]


def test_what_the_tables_lack_is_removed() -> None:
    """Tasks go, meetings are cancelled unless they are over or cancelled already."""
    rows = {"1": {"task_id": "1"}, "2": {"task_id": "2"}}
    assert [one.type for one in plan_removals("tasks", rows, {"1"})] == ["remove_task"]
    statuses = ("scheduled", "started", "ended", "cancelled")
    meetings = {one: {"meeting_id": one, "status": one} for one in statuses}
    (cancelled,) = plan_removals("meetings", meetings, set())
    assert (cancelled.type, cancelled.stream) == ("cancel_meeting", "meeting/scheduled")


def test_a_mail_is_known_by_what_it_says() -> None:
    """The same mail has the same key, another text another one."""
    mail = Mail("1", "mail:bob@x.com:lunch", "tool", "Hi", datetime(2026, 1, 2, tzinfo=UTC))
    key, posted = plan_mail(mail)
    assert plan_mail(mail) == (key, posted)
    assert plan_mail(mail._replace(text="Ho"))[0] != key
