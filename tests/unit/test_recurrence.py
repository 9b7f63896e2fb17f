"""Instances of a series: zones, exceptions, moved and cancelled ones, and what comes next."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import recurring_ical_events  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st
from icalendar import Calendar

from workindex.domain.recurrence import Recurrence
from workindex.projections.recurrence import Instance, Series, coming, instances
from workindex.projections.rules import NotExpandable

BERLIN = "Europe/Berlin"


def utc(text: str) -> datetime:
    """An instant of March 2026, `09 10:00`, or of any day."""
    return datetime.fromisoformat(text if len(text) > 10 else f"2026-03-{text}").replace(tzinfo=UTC)


def series(start: str = "02 08:00", hours: float = 1, zone: str = BERLIN, **told: Any) -> Series:
    """A series that begins on Monday, 2 March 2026, at nine in Berlin."""
    recurrence = Recurrence.model_validate(told).model_dump(mode="json")
    begin = utc(start)
    return Series(recurrence, begin, begin + timedelta(hours=hours), zone)


def march(one: Series) -> list[str]:
    """The starts of all instances of March and early April."""
    found = instances(one, utc("2026-03-01T00:00"), utc("2026-04-08T00:00"))
    return [shown(each) for each in found]


def shown(one: Instance) -> str:
    """Start and what is special: `03-09 08:00`."""
    assert one.end_at is not None
    length = one.end_at - one.start_at
    marks = ["cancelled"] if one.is_cancelled else []
    marks += [f"{length.total_seconds() / 3600:g} h"] if length != timedelta(hours=1) else []
    return " ".join([f"{one.start_at:%m-%d %H:%M}", *marks])


def test_a_series_keeps_its_hour_on_the_wall() -> None:
    """Nine in Berlin is eight in UTC before the clocks change and seven after."""
    assert march(series(rrule="FREQ=WEEKLY")) == [
        "03-02 08:00",
        "03-09 08:00",
        "03-16 08:00",
        "03-23 08:00",
        "03-30 07:00",
        "04-06 07:00",
    ]


def test_a_time_that_the_clock_skips() -> None:
    """Half past two on the night of the change is read with the offset before the gap."""
    skipping = series("27 01:30", rrule="FREQ=DAILY;COUNT=3")
    assert march(skipping) == ["03-27 01:30", "03-28 01:30", "03-29 01:30"]


def test_exceptions_and_additions() -> None:
    """EXDATE by instant, by local time and by day; RDATE with and without a length of its own."""
    told = series(
        rrule="FREQ=WEEKLY;COUNT=4",
        exdates=["20260309T080000Z", "2026-03-16T09:00:00", "2026-03-23"],
        rdates=["2026-03-11T15:00:00+01:00/2026-03-11T17:00:00+01:00", "2026-03-12"],
    )
    assert march(told) == ["03-02 08:00", "03-11 14:00 2 h", "03-12 08:00"]
    assert march(series(rdates=["2026-03-05T10:00:00"])) == ["03-02 08:00", "03-05 09:00"]


def test_moved_changed_and_cancelled_instances() -> None:
    """An override replaces the instance that it names, wherever it puts it."""
    told = series(
        rrule="FREQ=WEEKLY;COUNT=4",
        overrides=[
            {"at": "2026-03-09T08:00:00Z", "start_at": "2026-04-01T10:00:00Z"},
            {"at": "2026-03-16T08:00:00Z", "cancelled": True},
            {"at": "2026-03-23T08:00:00Z", "title": "Longer", "end_at": "2026-03-23T10:00:00Z"},
        ],
    )
    assert march(told) == [
        "03-02 08:00",
        "03-16 08:00 cancelled",
        "03-23 08:00 2 h",
        "04-01 10:00",
    ]
    moved = instances(told, utc("2026-04-01T00:00"), utc("2026-04-02T00:00"))
    assert [one.at for one in moved] == [utc("09 08:00")]
    assert instances(told, utc("09 00:00"), utc("10 00:00")) == []


def test_this_and_following() -> None:
    """From one instance on all are moved as far and last as long, until it is cut off."""
    told = series(
        rrule="FREQ=WEEKLY",
        overrides=[
            {
                "at": "2026-03-16T08:00:00Z",
                "start_at": "2026-03-17T13:00:00Z",
                "end_at": "2026-03-17T15:00:00Z",
                "following": True,
            },
            {"at": "2026-03-30T07:00:00Z", "cancelled": True, "following": True},
        ],
    )
    assert march(told) == [
        "03-02 08:00",
        "03-09 08:00",
        "03-17 13:00 2 h",
        "03-24 13:00 2 h",
    ]
    assert coming(told, utc("25 00:00")) is None


def test_days_that_are_whole_stay_whole() -> None:
    """A day of 23 hours is a day."""
    told = series("01 23:00", hours=24, rrule="FREQ=WEEKLY;BYDAY=SU,TU")
    found = instances(told, utc("28 23:00"), utc("29 22:00"))
    assert [shown(one) for one in found] == ["03-28 23:00 23 h"]


def test_the_start_counts_and_until_is_included() -> None:
    """A start that the rule does not name is the first of COUNT; UNTIL as a date is its day."""
    assert march(series(rrule="FREQ=WEEKLY;BYDAY=TH;COUNT=3")) == [
        "03-02 08:00",
        "03-05 08:00",
        "03-12 08:00",
    ]
    assert len(march(series(rrule="FREQ=WEEKLY;UNTIL=20260309"))) == 2
    assert len(march(series(rrule="FREQ=WEEKLY;UNTIL=20260309T080000Z"))) == 2
    assert len(march(series(rrule="FREQ=WEEKLY;UNTIL=20260309T075959Z"))) == 1
    assert len(march(series(rrule="FREQ=WEEKLY;UNTIL=20260309T090000"))) == 2


def test_what_is_longer_than_its_step_overlaps() -> None:
    """An instance that began before the span and still goes on is in it."""
    nights = series(hours=30, rrule="FREQ=DAILY")
    found = instances(nights, utc("05 09:00"), utc("05 10:00"))
    assert [f"{one.start_at:%d}" for one in found] == ["04", "05"]


def test_what_comes_next() -> None:
    """The one that goes on, else the next that is not cancelled, however far; None at the end."""
    told = series(
        rrule="FREQ=WEEKLY;COUNT=3", overrides=[{"at": "2026-03-09T08:00:00Z", "cancelled": True}]
    )

    def next_at(now: str, **how: Any) -> datetime | None:
        one = coming(told, utc(now), **how)
        return None if one is None else one.start_at

    assert next_at("01 00:00") == utc("02 08:00")
    assert next_at("02 08:30") == utc("02 08:00")
    assert next_at("02 08:30", offset=timedelta()) == utc("16 08:00")
    assert next_at("16 07:50", offset=timedelta(minutes=-15)) is None
    assert next_at("16 09:00") is None
    leap = series("2024-02-29T09:00", zone="UTC", rrule="FREQ=YEARLY")
    rare = coming(leap, utc("02 00:00"))
    assert rare is not None
    assert rare.start_at == utc("2028-02-29T09:00")


@pytest.mark.parametrize(
    ("told", "zone"),
    [
        ({"rrule": "FREQ=SECONDLY"}, "UTC"),
        ({"rrule": "FREQ=WEEKLY;RSCALE=HEBREW"}, "UTC"),
        ({"rrule": "FREQ=WEEKLY;BYMONTH=14"}, "UTC"),
        ({"rrule": "FREQ=WEEKLY", "exdates": ["the day after"]}, "UTC"),
        ({"rrule": "FREQ=WEEKLY", "unread": ["EXRULE:FREQ=DAILY"]}, "UTC"),
        ({"rrule": "FREQ=WEEKLY;UNTIL=tomorrow"}, "UTC"),
        ({"rrule": "FREQ=WEEKLY"}, "Mars/Base"),
    ],
)
def test_what_cannot_be_told_whole_is_not_told(told: dict[str, Any], zone: str) -> None:
    """Too many, another calendar, a text nobody can read, a zone that this machine has not."""
    with pytest.raises(NotExpandable):
        march(series(zone=zone, **told))


def test_the_ends_of_the_calendar() -> None:
    """Spans at both ends of time are spans."""
    told = series(rrule="FREQ=YEARLY;INTERVAL=400")
    assert len(instances(told, datetime.min.replace(tzinfo=UTC), utc("03 00:00"))) == 1
    assert instances(told, utc("03 00:00"), utc("2027-01-01T00:00")) == []
    assert coming(told, datetime(9998, 12, 30, tzinfo=UTC)) is None


ZONES = st.sampled_from(
    ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"]
)
RULES = st.sampled_from(
    ["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,TH", "FREQ=MONTHLY;BYDAY=-1FR", "FREQ=DAILY;INTERVAL=3"]
)


@settings(deadline=None, max_examples=40)
@given(RULES, ZONES, st.integers(3, 23), st.sets(st.integers(0, 30), max_size=4))
def test_instances_are_those_of_recurring_ical_events(
    rule: str, zone: str, hour: int, places: set[int]
) -> None:
    """With zones, left-out days and moved instances, as the library for calendars sees it."""
    start = f"20260202T{hour:02}1500"
    head = f"DTSTART;TZID={zone}:{start}\r\nDURATION:PT45M\r\nUID:u\r\n"
    begin = datetime.fromisoformat(start).replace(tzinfo=ZoneInfo(zone))
    plain = Series({"rrule": rule}, begin, begin + timedelta(minutes=45), zone)
    span = utc("2026-02-01T00:00"), utc("2026-06-01T00:00")
    ours = instances(plain, *span)
    chosen = [ours[place] for place in sorted(places) if 0 < place < len(ours)]
    moved, left_out = chosen[::2], chosen[1::2]
    text = "".join(f"EXDATE:{one.at:%Y%m%dT%H%M%SZ}\r\n" for one in left_out)
    overrides = "".join(
        f"BEGIN:VEVENT\r\nUID:u\r\nRECURRENCE-ID:{one.at:%Y%m%dT%H%M%SZ}\r\n"
        f"DTSTART:{one.at + timedelta(hours=2):%Y%m%dT%H%M%SZ}\r\nDURATION:PT45M\r\nEND:VEVENT\r\n"
        for one in moved
    )
    calendar = Calendar.from_ical(_calendar(f"{head}RRULE:{rule}\r\n{text}", overrides))
    theirs = sorted(
        event["DTSTART"].dt.astimezone(UTC)
        for event in recurring_ical_events.of(calendar).between(*span)
    )
    told = Recurrence.model_validate(
        {
            "rrule": rule,
            "exdates": [one.at.isoformat() for one in left_out],
            "overrides": [{"at": one.at, "start_at": one.at + timedelta(hours=2)} for one in moved],
        }
    ).model_dump(mode="json")
    assert [one.start_at for one in instances(plain._replace(recurrence=told), *span)] == theirs


def _calendar(event: str, more: str = "") -> str:
    return (
        f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:t\r\n"
        f"BEGIN:VEVENT\r\n{event}END:VEVENT\r\n{more}END:VCALENDAR\r\n"
    )
