"""Calendar files are read whole or with a fault that names the place; times become instants."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from calendars import alarm, calendar, component, event, todo, write
from workindex.domain.errors import InvalidInput
from workindex.service.importers.ics import plan_record
from workindex.service.importers.ics_files import DEPTH_MAX, CalendarFile, read_calendar
from workindex.service.importers.ics_plan import Plan, held_of, mark_of
from workindex.service.importers.ics_records import Version, records, version_of
from workindex.service.importers.ics_times import Clocks, zone_named

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
NOTHING = held_of({"meetings": [], "reminders": [], "tasks": []}, {}, "ics")


def plans(file: CalendarFile, home: str | None = None) -> list[Plan]:
    """What a file asks for where nothing is held."""
    clocks = Clocks(home)
    known, _ = records(file.parts)
    return [p for one in known for p in plan_record(one, NOTHING, clocks, "ics", NOW)]


def commands(tmp_path: Path, *parts: str, home: str | None = None, head: str = "") -> list[Any]:
    """The commands of a calendar of these parts."""
    file = read_calendar(write(tmp_path / "a.ics", *parts, head=head))
    assert file.faults == []
    return [wish.command for plan in plans(file, home) for wish in plan.wishes]


def meeting(tmp_path: Path, *parts: str, **how: Any) -> Any:
    """The one meeting that these parts make."""
    (command,) = commands(tmp_path, *parts, **how)
    assert command["type"] == "schedule_meeting"
    return command


VTIMEZONE = component(
    "VTIMEZONE",
    "TZID:Custom",
    component(
        "STANDARD",
        "DTSTART:19961027T030000",
        "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10",
        "TZOFFSETFROM:+0200",
        "TZOFFSETTO:+0100",
    ),
    component(
        "DAYLIGHT",
        "DTSTART:19810329T020000",
        "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3",
        "TZOFFSETFROM:+0100",
        "TZOFFSETTO:+0200",
    ),
)


@pytest.mark.parametrize(
    ("start", "at", "zone"),
    [
        (":20260303T090000Z", "09:00", "UTC"),
        (";TZID=Europe/Berlin:20260303T090000", "08:00", "Europe/Berlin"),
        (';TZID="W. Europe Standard Time":20260703T090000', "07:00", "Europe/Berlin"),
        (";TZID=/example.org/20260101/Asia/Kolkata:20260303T090000", "03:30", "Asia/Kolkata"),
        (";TZID=Custom:20260303T090000", "08:00", None),
        (";TZID=Custom:20260703T090000", "07:00", None),
        (":20260303T090000", "14:00", "America/New_York"),
        (";TZID=America/New_York:20260308T023000", "07:30", "America/New_York"),
    ],
)
def test_a_time_is_an_instant(tmp_path: Path, start: str, at: str, zone: str | None) -> None:
    """UTC, zones by any name, a zone of the file itself, and none: then it is the user's."""
    made = meeting(tmp_path, VTIMEZONE, event("a", start=start), home="America/New_York")
    assert made["start_at"][11:16] == at
    if zone is None:  # the first zone of Europe with these clocks
        assert made["time_zone"].startswith("Europe/")
    else:
        assert made["time_zone"] == zone


def test_where_the_user_is(tmp_path: Path) -> None:
    """Asked for, else the user's own, else the calendar's, else UTC."""
    floating = event("a", start=":20260303T090000")
    head = "X-WR-TIMEZONE:Europe/Berlin"
    assert meeting(tmp_path, floating, head=head)["time_zone"] == "Europe/Berlin"
    assert meeting(tmp_path, floating, head=head, home="Asia/Tokyo")["time_zone"] == "Asia/Tokyo"
    assert meeting(tmp_path, floating)["time_zone"] == "UTC"
    clocks = Clocks("Asia/Tokyo")
    (record,), _ = records(read_calendar(tmp_path / "a.ics").parts)
    list(plan_record(record, NOTHING, clocks, "ics", NOW))
    assert clocks.at_home == {"Asia/Tokyo": 1}


@pytest.mark.parametrize(
    ("lines", "start_at", "end_at"),
    [
        ([], "02T23:00", "03T23:00"),
        (["DTEND;VALUE=DATE:20260306"], "02T23:00", "05T23:00"),
        (["DURATION:P2D"], "02T23:00", "04T23:00"),
    ],
)
def test_a_date_is_whole_days_of_the_user(
    tmp_path: Path, lines: list[str], start_at: str, end_at: str
) -> None:
    """From midnight to midnight, where the user is."""
    whole = event("a", *lines, start=";VALUE=DATE:20260303")
    made = meeting(tmp_path, whole, home="Europe/Berlin")
    assert (made["start_at"][8:16], made["end_at"][8:16]) == (start_at, end_at)


def test_a_zone_without_its_like_leaves_the_series_unknown(tmp_path: Path) -> None:
    """A single event is exact all the same; dates of a series are not guessed."""
    odd = VTIMEZONE.replace("+0200", "+0217").replace("+0100", "+0117")
    made = meeting(
        tmp_path, odd, event("a", "RRULE:FREQ=DAILY", start=";TZID=Custom:20260303T091700")
    )
    assert (made["start_at"][11:16], made["time_zone"]) == ("08:00", None)
    assert made["recurrence"]["unread"] == ["TZID=Custom"]


def test_a_zone_belongs_to_its_calendar(tmp_path: Path) -> None:
    """The same TZID in another file is another zone, and none where that file defines none."""
    assert meeting(tmp_path, VTIMEZONE, event("a", start=";TZID=Custom:20260303T090000"))
    with pytest.raises(InvalidInput, match="DTSTART: no zone is called 'Custom'"):
        commands(tmp_path, event("a", start=";TZID=Custom:20260303T090000"))


def test_the_rule_of_a_zone_may_not_run_on(tmp_path: Path) -> None:
    """A hostile VTIMEZONE costs a moment, and a fault where it says nothing in time."""
    begin = time.perf_counter()
    at = event("a", start=";TZID=Custom:20260303T090000")
    hostile = VTIMEZONE.replace("FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3", "FREQ={}")
    with pytest.raises(InvalidInput, match=r"DTSTART: .* cannot be placed"):
        commands(tmp_path, hostile.format("SECONDLY"), at)
    commands(tmp_path, hostile.format("DAILY;BYMONTH=2;BYMONTHDAY=30"), at)
    assert time.perf_counter() - begin < 5


FAULTS = {
    "no start": (component("VEVENT", "UID:a", "SUMMARY:A"), "DTSTART: an event without"),
    "two starts": (event("a", "DTSTART:20260304T090000Z"), "DTSTART: it stands 2 times"),
    "a wrong start": (event("a", start=":2026-03-03"), "DTSTART: "),
    "a time of day": (event("a", start=";VALUE=TIME:090000"), "DTSTART: .* no date"),
    "an end before it": (event("a", "DTEND:20260303T080000Z"), "DTEND: .* before the start"),
    "a date as its end": (event("a", "DTEND;VALUE=DATE:20260304"), "DTEND: one of it and"),
    "a negative length": (event("a", "DURATION:-PT5M"), "DURATION: .* negative"),
    "an endless length": (event("a", "DURATION:P99999999W"), "DURATION: "),
    "no rule": (event("a", "RRULE:FREQ=OFTEN"), "RRULE: "),
    "a rule of nothing": (event("a", "RRULE:FREQ=DAILY;BYMONTH=14"), "RRULE: "),
    "a wrong exception": (event("a", "RRULE:FREQ=DAILY", "EXDATE:never"), "EXDATE: "),
    "an unreadable line": (event("a", "SUMMARY;;X:y"), "SUMMARY: "),
    "a due date of a to-do": (todo("a", "DUE:soon"), "DUE: "),
    "an exception of no day": (event("a", "RECURRENCE-ID:x"), "RECURRENCE-ID: "),
}


@pytest.mark.parametrize(("part", "told"), FAULTS.values(), ids=FAULTS)
def test_a_fault_names_the_property(tmp_path: Path, part: str, told: str) -> None:
    """One wrong property refuses its component and nothing else."""
    file = read_calendar(write(tmp_path / "a.ics", part, event("good")))
    with pytest.raises(InvalidInput, match=told):
        plans(file)
    known, _ = records(file.parts)
    assert [one.uid for one in known] == ["a", "good"]
    assert known[0].place == f"{tmp_path}/a.ics: {known[0].kind} a"


@pytest.mark.parametrize(
    ("text", "found", "told"),
    [
        ("", 0, "holds no calendar"),
        ("Dear all,\nno calendar here\n", 0, "holds no calendar"),
        ('["vcalendar", [], []]', 0, "holds no calendar"),
        (calendar(event("a"), event("b"))[:-30], 2, "VCALENDAR: END: the file ends within"),
        (calendar(event("a")).replace("END:VEVENT\r\n", ""), 1, "END:VCALENDAR stands within"),
        ("BEGIN:A\r\n" * (DEPTH_MAX + 5), 0, "too large"),
        (calendar(event("a")) + "END:VEVENT\r\n", 1, "END:VEVENT has no BEGIN"),
    ],
)
def test_a_file_that_is_not_whole(tmp_path: Path, text: str, found: int, told: str) -> None:
    """What is there is kept, and what is wrong is named."""
    path = tmp_path / "a.ics"
    path.write_text(text, newline="")
    file = read_calendar(path)
    faults = [str(fault) for _, fault in file.faults]
    faults += [f"{name}: {message}" for part in file.parts for name, message in part.faults]
    assert len(file.parts) == found
    assert any(told in fault for fault in faults), faults
    assert all(str(path) in str(fault) for _, fault in file.faults)


def test_other_letters_and_folded_lines(tmp_path: Path) -> None:
    """A BOM, folds within a letter's line, escapes; text in another encoding is refused."""
    path = tmp_path / "a.ics"
    text = calendar(event("a", title="Caf\\, r\\;n\r\n é"), event("b"))
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    first, _ = plans(read_calendar(path))
    assert first.wishes[0].command["title"] == "Caf, r;né"
    path.write_bytes(text.encode("latin-1"))
    (fault,) = read_calendar(path).faults
    assert "is not UTF-8" in str(fault[1])


def test_answers_of_others_are_no_events(tmp_path: Path) -> None:
    """REPLY, COUNTER and their like say what somebody else thinks."""
    file = read_calendar(write(tmp_path / "a.ics", event("a"), head="METHOD:REPLY"))
    assert (list(file.parts), file.skipped) == ([], {"VEVENT of METHOD:REPLY": 1})


def test_versions() -> None:
    """SEQUENCE first, then time; what has no time is not older."""
    old, new = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)
    assert Version(1, new).is_older_than(Version(2, old))
    assert Version(1, old).is_older_than(Version(1, new))
    assert not Version(1, None).is_older_than(Version(1, new))
    assert not Version(2, old).is_older_than(Version(1, new))
    for one in (Version(3, None), Version(0, old)):
        assert version_of(one.text) == one
    assert mark_of("because somebody said so") is None


def test_an_event_without_uid_is_named_by_what_it_says(tmp_path: Path) -> None:
    """The same one again is the same; a UID that is no id gets one."""
    plain = event("x").replace("UID:x\r\n", "")
    assert meeting(tmp_path, plain)["meeting_id"] == meeting(tmp_path, plain)["meeting_id"]
    long = meeting(tmp_path, event("x" * 300))
    assert len(long["meeting_id"]) < 40


def test_alarms_are_reminders(tmp_path: Path) -> None:
    """Before the start, after the end, at a time of their own; the same twice is one."""
    made = commands(
        tmp_path,
        event(
            "a",
            alarm(":-PT15M"),
            alarm(":-PT15M"),
            alarm(";RELATED=END:PT5M"),
            alarm(";VALUE=DATE-TIME:20260302T180000Z"),
            component("VALARM", "ACTION:NONE", "TRIGGER:-PT1H"),
        ),
    )
    assert [(one["reminder_id"], one["remind_at"][8:16]) for one in made[1:]] == [
        ("a/alarm/-PT15M", "03T08:45"),
        ("a/alarm/ENDPT5M", "03T09:35"),
        ("a/alarm/20260302T180000Z", "02T18:00"),
    ]


def test_alarms_of_a_series(tmp_path: Path) -> None:
    """One reminder, from the next instance on; where an exception has it not, it does not ring."""
    series = event("a", "RRULE:FREQ=DAILY", alarm(":-PT15M"), start=":20260220T090000Z")
    quiet = event("a", "RECURRENCE-ID:20260303T090000Z", start=":20260303T100000Z")
    own = event("a", "RECURRENCE-ID:20260304T090000Z", alarm(":-PT1H"), start=":20260304T090000Z")
    made = commands(tmp_path, series, quiet, own)
    meeting_, reminder, single = made
    assert [one["at"][8:10] for one in meeting_["recurrence"]["overrides"]] == ["03", "04"]
    assert reminder["remind_at"][:16] == "2026-03-02T08:45"
    told = reminder["recurrence"]
    assert (told["start_at"][:16], told["offset_seconds"]) == ("2026-02-20T09:00", -900)
    assert [one.get("cancelled") for one in told["overrides"]] == [True, True]
    assert single["reminder_id"] == "a/20260304T090000Z/alarm/-PT1H"


def test_what_is_over_is_kept_as_answered(tmp_path: Path) -> None:
    """An alarm of a past event, and one that was acknowledged, need nobody."""
    past = event("a", alarm(":-PT15M"), start=":20250303T090000Z")
    seen = event("b", alarm(":-PT15M", "ACKNOWLEDGED:20260303T084500Z"))
    waits = event("c", alarm(":-PT15M"), start=":20260302T090500Z")
    types = [one["type"] for one in commands(tmp_path, past, seen, waits)]
    assert types == [
        *("schedule_meeting", "set_reminder", "dismiss_reminder"),
        *("schedule_meeting", "set_reminder", "dismiss_reminder"),
        *("schedule_meeting", "set_reminder"),
    ]


def test_a_wrong_alarm_leaves_its_event(tmp_path: Path) -> None:
    """The meeting is there, and the fault names the alarm."""
    broken = component("VALARM", "ACTION:DISPLAY")
    never = alarm(":-PT5M")
    file = read_calendar(
        write(tmp_path / "a.ics", event("a", broken), event("b", "RRULE:FREQ=SECONDLY", never))
    )
    first, second = plans(file)
    assert [one.command["type"] for one in first.wishes] == ["schedule_meeting"]
    assert str(first.faults[0]) == "VALARM: TRIGGER: an alarm has one"
    assert "VALARM: RRULE: its times are not known" in str(second.faults[0])


def test_to_dos_are_tasks(tmp_path: Path) -> None:
    """Status, priority, labels; due on a day is due by its end."""
    made = commands(
        tmp_path,
        todo("a", "DUE;VALUE=DATE:20260305", "PRIORITY:1", "CATEGORIES:home,garden"),
        todo("b", "STATUS:IN-PROCESS"),
        todo("c", "STATUS:COMPLETED", "COMPLETED:20260301T100000Z"),
        todo("d", "STATUS:CANCELLED"),
        todo("e", "RRULE:FREQ=WEEKLY", "DTSTART:20260303T090000Z", "DURATION:PT1H"),
        home="Europe/Berlin",
    )
    first = made[0]
    assert (first["due_at"][:19], first["priority"]) == ("2026-03-05T22:59:59", 1)
    assert first["labels"] == ["home", "garden"]
    assert [one["type"] for one in made[1:]] == [
        *("create_task", "start_task", "create_task", "complete_task"),
        *("create_task", "cancel_task", "create_task"),
    ]
    assert made[-1]["fields"]["recurrence"]["value"]["rrule"] == "FREQ=WEEKLY"
    assert made[-1]["due_at"][:16] == "2026-03-03T10:00"


def test_zone_names() -> None:
    """What names a zone and what does not."""
    assert zone_named("Europe/Berlin") == "Europe/Berlin"
    assert zone_named('"Romance Standard Time"') == "Europe/Paris"
    for name in ("", "../etc/passwd", "Europe", "Nowhere/Else", "/x/y", "A" * 200):
        assert zone_named(name) is None, name
    assert Clocks(None).at_home == {}
