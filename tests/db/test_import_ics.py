"""Calendars in a database: imported again, newer, older, in part, cut off, and all real files."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from calendars import alarm, event, todo, write
from fragile import Fragile
from workindex.domain.errors import Unavailable
from workindex.domain.facts import Actor
from workindex.eventlog.database import Database
from workindex.projections.verify import Verifier
from workindex.service.client import UserScope, WorkIndex
from workindex.service.importers import session
from workindex.service.importers.ics_driver import View, import_ics
from workindex.service.importers.report import Report
from workindex.service.importers.session import Order

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
BERLIN = View("Europe/Berlin")
ME = Actor(kind="operator", id="root")
WHOLE = View(is_whole=True)


class Source:
    """One calendar source of one user, and one file that it is read from."""

    def __init__(self, scope: UserScope, path: Path, name: str = "ics") -> None:
        self.scope = scope
        self.path = path
        self.name = name

    def take(
        self,
        *parts: str,
        head: str = "",
        now: datetime = NOW,
        view: View = BERLIN,
        accepted_by: Actor | None = None,
    ) -> Report:
        """Imports a calendar of these parts."""
        write(self.path, *parts, head=head)
        order = Order([self.path], self.name, 86_400, now, accepted_by)
        return import_ics(self.scope, order, view)

    def rows(self, section: str) -> dict[str, dict[str, Any]]:
        """The rows of a section by id."""
        rows = self.scope.index(now=NOW).sections[section]
        return {row[f"{section[:-1]}_id"]: row for row in rows}

    def one(self, section: str) -> dict[str, Any]:
        """The only row of a section."""
        (row,) = self.rows(section).values()
        return row

    def starts(self, question: str, now: datetime = NOW) -> list[str]:
        """When the meetings of an answer begin, day and time in UTC."""
        found = self.scope.ask(question, now=now)
        assert found is not None
        assert found.verdict in ("items", "proven_empty"), found.text
        return [one.value["start_at"][8:16] for one in found.items if one.value]


@pytest.fixture
def ics(work_index: WorkIndex, tmp_path: Path) -> Source:
    """An empty log with a calendar beside it."""
    return Source(work_index.user("ada"), tmp_path / "a.ics")


def test_a_calendar_is_there_and_changes_nothing_again(ics: Source) -> None:
    """Meetings, reminders and tasks with what they say; the second import has no fact."""
    parts = (
        event("m", "LOCATION:Room 4", "ATTENDEE;CN=Bo:mailto:b@x.org", alarm(":-PT15M")),
        event(
            "s", "RRULE:FREQ=DAILY", alarm(":-PT5M"), start=";TZID=Europe/Berlin:20260220T140000"
        ),
        todo("t", "DUE:20260304T120000Z"),
    )
    first = ics.take(*parts)
    assert first.totals == {"meetings": 2, "reminders": 2, "tasks": 1}
    meeting = ics.rows("meetings")["m"]
    assert (meeting["location"], meeting["participants"]) == ("Room 4", ["Bo"])
    assert ics.starts("meetings on 2026-03-03") == ["03T09:00", "03T13:00"]
    assert [row["meeting_id"] for row in ics.rows("reminders").values()] == ["m", "s"]
    source = ics.scope.index().sections["sources"][0]
    assert (source["covers"], source["state"]) == (["meetings", "reminders", "tasks"], "whole")
    head = ics.scope.index().position
    later = datetime(2026, 3, 2, 19, 0, tzinfo=UTC)
    again = ics.take(*parts, now=later)
    assert (again.facts, again.files[0].new, again.files[0].already) == (0, 0, 3)
    assert ics.scope.index().position == head


def test_newer_versions_change_and_older_ones_do_not(ics: Source) -> None:
    """SEQUENCE and LAST-MODIFIED decide; the same definition exported anew is no change."""
    ics.take(event("m", "SEQUENCE:1", "LAST-MODIFIED:20260102T000000Z", title="Second"))
    for lines in (
        ["SEQUENCE:0", "LAST-MODIFIED:20260103T000000Z"],
        ["SEQUENCE:1", "LAST-MODIFIED:20260101T000000Z"],
    ):
        report = ics.take(event("m", *lines, title="First"))
        assert (report.facts, ics.one("meetings")["title"]) == (0, "Second")
        assert report.skipped == {"versions older than what is held": 1}
    assert ics.take(event("m", "SEQUENCE:5", title="Second")).facts == 0
    ics.take(event("m", "SEQUENCE:2", title="Third", start=":20260304T100000Z"))
    assert (ics.one("meetings")["title"], ics.one("meetings")["start_at"][8:13]) == (
        "Third",
        "04T10",
    )
    ics.take(event("m", "SEQUENCE:3", title="Second"))
    assert ics.one("meetings")["title"] == "Second", "a newer version may say what an old one did"


def test_what_was_changed_here_stays_until_the_calendar_changes_it(ics: Source) -> None:
    """A dismissed reminder, a moved meeting and a finished task survive the daily import."""
    parts = [event("m", alarm(":-PT15M")), todo("t")]
    ics.take(*parts)
    for command in (
        {"type": "change_meeting", "meeting_id": "m", "title": "Mine"},
        {"type": "dismiss_reminder", "reminder_id": "m/alarm/-PT15M"},
        {"type": "complete_task", "task_id": "t"},
    ):
        ics.scope.record(command, actor=ME)
    assert ics.take(*parts).facts == 0
    ics.take(event("m", "SEQUENCE:1", alarm(":-PT15M"), start=":20260304T090000Z"), parts[1])
    assert ics.one("meetings")["title"] == "m"
    assert ics.rows("tasks")["t"]["status"] == "done"
    statuses = {one: row["status"] for one, row in ics.rows("reminders").items()}
    assert statuses == {"m/alarm/-PT15M": "dismissed", "m/alarm/-PT15M#2": "set"}


def test_a_series_with_its_exceptions(ics: Source) -> None:
    """Moved, renamed and cancelled instances, left-out and added dates, each where it is asked."""
    zone = ";TZID=Europe/Berlin:"
    series = event(
        "s",
        "RRULE:FREQ=WEEKLY;BYDAY=TU",
        f"EXDATE{zone}20260317T100000",
        f"RDATE{zone}20260319T100000",
        start=f"{zone}20260303T100000",
    )
    moved = event(
        "s", f"RECURRENCE-ID{zone}20260310T100000", start=":20260311T120000Z", title="New"
    )
    off = event("s", f"RECURRENCE-ID{zone}20260324T100000", "STATUS:CANCELLED")
    assert ics.take(series, moved, off).totals["meetings"] == 1
    assert ics.starts("meetings on 2026-03-10") == []
    assert ics.starts("meetings on 2026-03-11") == ["11T12:00"]
    for day, found in (("17", []), ("19", ["19T09:00"]), ("24", []), ("31", ["31T08:00"])):
        assert ics.starts(f"meetings on 2026-03-{day}") == found
    assert ics.starts("What's my next meeting?") == ["03T09:00"]
    named = ics.scope.ask("meetings on 2026-03-11", now=NOW)
    assert named is not None
    assert named.items[0].title == "New"
    assert ics.take(series, moved, off).facts == 0
    ics.take(series, off)
    assert ics.starts("meetings on 2026-03-10") == ["10T09:00"], "an exception may be taken back"


def test_exceptions_that_come_alone(ics: Source) -> None:
    """After their series they change it; before it they stand apart until it comes."""
    series = event("s", "RRULE:FREQ=DAILY", start=":20260303T090000Z")
    one = event("s", "SEQUENCE:2", "RECURRENCE-ID:20260304T090000Z", start=":20260304T150000Z")
    old = event("s", "SEQUENCE:1", "RECURRENCE-ID:20260304T090000Z", start=":20260304T160000Z")
    off = event("s", "SEQUENCE:3", "RECURRENCE-ID:20260305T090000Z")
    ics.take(one)
    assert ics.one("meetings")["meeting_id"] == "s/20260304T090000Z"
    assert ics.take(one).facts == 0
    ics.take(series)
    assert ics.rows("meetings")["s/20260304T090000Z"]["status"] == "cancelled"
    ics.take(one)
    ics.take(old)
    ics.take(off, head="METHOD:CANCEL")
    assert ics.starts("meetings on 2026-03-04") == ["04T15:00"]
    assert ics.starts("meetings on 2026-03-05") == []
    head = ics.scope.index().position
    ics.take(off, head="METHOD:CANCEL")
    ics.take(old)
    assert ics.scope.index().position == head


def test_called_off_and_on_again(ics: Source) -> None:
    """STATUS:CANCELLED and METHOD:CANCEL end a meeting with its reminders; a newer one revives."""
    lines = event("m", "STATUS:CANCELLED", "SEQUENCE:1")
    ics.take(event("m", alarm(":-PT15M")))
    ics.take(lines)
    assert ics.one("meetings")["status"] == "cancelled"
    assert ics.one("reminders")["status"] == "cancelled"
    assert ics.take(lines).facts == 0
    ics.take(event("m", "SEQUENCE:2"))
    assert ics.one("meetings")["status"] == "scheduled"
    ics.take("BEGIN:VEVENT\r\nUID:m\r\nSEQUENCE:3\r\nEND:VEVENT\r\n", head="METHOD:CANCEL")
    assert ics.one("meetings")["status"] == "cancelled"
    assert ics.take(event("m", "SEQUENCE:2")).facts == 0, "an older version revives nothing"
    gone = ics.take(event("never", "SEQUENCE:1"), head="METHOD:CANCEL")
    assert gone.skipped == {"calling-off of something that is not here": 1}


def test_alarms_come_go_and_move(ics: Source) -> None:
    """With the event's new time the reminder moves; without its alarm it is cancelled."""
    ics.take(event("m", alarm(":-PT15M"), alarm(":-PT1H")))
    ics.take(event("m", "SEQUENCE:1", alarm(":-PT15M"), start=":20260304T090000Z"))
    rows = ics.rows("reminders")
    assert rows["m/alarm/-PT15M"]["remind_at"][:16] == "2026-03-04T08:45"
    assert rows["m/alarm/-PT1H"]["status"] == "cancelled"
    ics.take(event("m", "SEQUENCE:2", alarm(":-PT15M", "ACKNOWLEDGED:20260304T084500Z")))
    assert ics.rows("reminders")["m/alarm/-PT15M"]["status"] == "dismissed"


def test_a_to_do_follows_its_calendar(ics: Source) -> None:
    """Open, in process, done, and open again in a newer version."""
    statuses = []
    for number, status in enumerate(["NEEDS-ACTION", "IN-PROCESS", "COMPLETED", "NEEDS-ACTION"]):
        ics.take(todo("t", f"STATUS:{status}", f"SEQUENCE:{number}"))
        statuses.append(ics.one("tasks")["status"])
    assert statuses == ["open", "active", "done", "open"]
    ics.take(todo("t", "STATUS:CANCELLED", "SEQUENCE:9"))
    assert ics.one("tasks")["status"] == "cancelled"


def test_a_file_is_a_view_unless_it_is_the_whole(ics: Source) -> None:
    """What is not mentioned stays; with --whole what is still to come is called off."""
    past = event("past", start=":20260101T090000Z")
    others = [event("a"), event("b", alarm(":-PT5M")), todo("t"), past]
    ics.take(event("m"), *others)
    ics.take(event("m"))
    assert {row["status"] for row in ics.rows("meetings").values()} == {"scheduled"}
    ics.take(event("m"), view=WHOLE)
    statuses = {one: row["status"] for one, row in ics.rows("meetings").items()}
    assert statuses == {
        "m": "scheduled",
        "a": "cancelled",
        "b": "cancelled",
        "past": "scheduled",
    }
    assert ics.one("reminders")["status"] == "cancelled"
    assert ics.one("tasks")["status"] == "cancelled"


def test_an_emptied_calendar_needs_somebody_to_accept_that(ics: Source) -> None:
    """Most of the source gone is a suspicion; nothing is called off if a record was unreadable."""
    many = [event(f"m{number}") for number in range(30)]
    ics.take(*many)
    broken = ics.take(event("bad", "DTEND:never"), view=WHOLE)
    assert "nothing was called off" in broken.notes[0]
    stopped = ics.take(many[0], view=WHOLE).stopped
    assert stopped is not None
    assert (stopped.removes, stopped.held) == (29, 30)
    assert ics.scope.index().sections["sources"][0]["state"] == "suspect"
    accepted = ics.take(many[0], view=WHOLE, accepted_by=ME)
    assert accepted.accepted == ("the whole calendar",)
    assert accepted.commands == {"cancel_meeting": 29, "observe_source": 2}


def test_good_records_are_kept(ics: Source) -> None:
    """A wrong event is named, the others are there, and the source is seen in part only."""
    report = ics.take(event("bad", "DTEND:never"), event("long", title="x" * 3_000), event("good"))
    assert ics.one("meetings")["meeting_id"] == "good"
    first, second = report.rejected
    assert (first.place, first.field) == (f"{ics.path}: VEVENT bad", "DTEND")
    assert (second.field, second.code) == ("SUMMARY", "invalid_input")
    assert ics.scope.index().sections["sources"][0]["state"] == "partial"
    found = ics.scope.ask("meetings on 2026-03-03")
    assert found is not None
    assert found.reasons == ("source_partial:ics",)


def test_an_event_of_another_source_is_refused(ics: Source) -> None:
    """A UID belongs to the source that brought it first."""
    ics.take(event("m"))
    other = Source(ics.scope, ics.path, "work").take(event("m"), event("n"))
    assert [one.code for one in other.rejected] == ["item_of_other_source"]
    assert ics.rows("meetings")["n"]["source"] == "work"


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_interrupted_anywhere(
    work_index: WorkIndex, tmp_path: Path, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small batches, a failure at each in turn, until one run gets through: the same rows."""
    parts = [
        event(f"m{number}", alarm(":-PT15M"), *(["STATUS:CANCELLED"] if number % 5 == 0 else []))
        for number in range(20)
    ]
    parts += [todo(f"t{number}", "STATUS:COMPLETED") for number in range(10)]
    path = write(tmp_path / "a.ics", *parts)

    def run(scope: UserScope) -> Report:
        return import_ics(scope, Order([path], "ics", 86_400, NOW), View("Europe/Berlin"))

    def rows(scope: UserScope) -> Any:
        sections = scope.index(now=NOW).sections
        wanted = ("meetings", "reminders", "tasks")
        clock = ("updated_at", "set_at", "ended_at", "created_at", "status_since_at")
        return {
            name: [{k: v for k, v in row.items() if k not in clock} for row in sections[name]]
            for name in wanted
        }

    straight = work_index.user("straight")
    run(straight)
    monkeypatch.setattr(session, "BATCH_COMMANDS_MAX", 3)
    for interruptions in range(200):
        try:
            run(Fragile(work_index, "broken", lasts=interruptions % 4, after=after))
        except Unavailable:
            continue
        break
    assert interruptions > 5
    broken = work_index.user("broken")
    assert rows(broken) == rows(straight)
    assert run(broken).facts == 0


FOLDERS = ("icalendar_fixtures", "libical_tests")


@pytest.mark.long
@pytest.mark.parametrize("folder", FOLDERS)
def test_every_real_file_is_imported_or_refused(
    work_index: WorkIndex, database: Database, shared_data: Path, folder: str
) -> None:
    """No crash, no hang; each fault names its file; the second time nothing changes."""
    files = sorted(path for path in (shared_data / folder).rglob("*") if path.is_file())
    assert len(files) > 40

    def take(user: str, paths: list[Path]) -> Report:
        begin = time.perf_counter()
        order = Order(paths, "ics", 86_400, NOW)
        report = import_ics(work_index.user(user), order, View("Europe/Berlin"))
        assert time.perf_counter() - begin < 30
        return report

    for number, path in enumerate(files):
        report = take(f"one{number}", [path])
        if path.suffix not in (".ics", ".txt"):
            assert report.rejected_count > 0, path
        assert all(str(path) in one.message and one.code for one in report.rejected)
        assert take(f"one{number}", [path]).facts == 0, path
    first = take("all", files)
    assert first.totals["meetings"] > 50
    assert take("all", files).facts == 0
    assert Verifier(database).verify().is_clean
    for question in ("meetings today", "my meetings", "Any reminders today?", "my tasks"):
        answer = work_index.user("all").ask(question, now=NOW)
        assert answer is not None
        assert "unproven" in answer.verdict, "not all of these files could be read"


def test_a_large_calendar_is_read_in_time(ics: Source) -> None:
    """Two thousand events, many of them series, and a day's answer over all of them."""
    series = [event(f"s{n}", "RRULE:FREQ=WEEKLY", alarm(":-PT5M")) for n in range(500)]
    begin = time.perf_counter()
    ics.take(*series, *(event(f"m{n}") for n in range(1_500)))
    imported = time.perf_counter()
    found = ics.scope.ask("meetings on 2026-03-10", now=NOW)
    assert found is not None
    assert found.total == 500
    assert imported - begin < 60
    assert time.perf_counter() - imported < 10
