"""Dates of recurrence rules: against dates that others worked out, and never without an end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import pytest
from dateutil.rrule import rrulestr  # type: ignore[import-untyped]
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from workindex.domain.errors import InvalidInput
from workindex.projections.rules import STEPS_MAX, NotExpandable, dates, parse_rule

DATA = Path(__file__).parents[3] / "shared" / "data" / "libical_tests" / "icalrecur_test.txt"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="the expected instances are not here")
START = datetime(2026, 1, 5, 9, 0)  # noqa: DTZ001 - a wall clock, as rules have it; a Monday


class Expected(NamedTuple):
    """One rule and every date that it has."""

    rule: str
    start: str
    since: str
    instances: list[str]


def expected_instances() -> Iterator[Expected]:
    """The rules of the file that it has dates for."""
    for block in DATA.read_text().split("\n\n"):
        lines = (line.split(":", 1) for line in block.splitlines() if not line.startswith("#"))
        told = {parts[0]: parts[1].strip() for parts in lines if len(parts) == 2}
        if "RRULE" in told and not told["INSTANCES"].startswith("***"):
            start = told["DTSTART"]
            listed = told["INSTANCES"].split(",")
            yield Expected(told["RRULE"], start, told.get("START-AT", start), listed)


def local(text: str) -> datetime:
    """The wall-clock time of an iCalendar text."""
    return datetime.fromisoformat(text.removesuffix("Z"))


def days_only(rule: str) -> str:
    """The rule without times, as it counts for a start that is a date."""
    timed = ("BYHOUR", "BYMINUTE", "BYSECOND")
    return ";".join(part for part in rule.split(";") if not part.startswith(timed))


@needs_data
def test_dates_are_those_that_another_house_expects() -> None:
    """Every rule of the list gives exactly its instances, from the start and from the middle."""
    wrong, checked = {}, 0
    for case in expected_instances():
        rule = parse_rule(case.rule if "T" in case.start else days_only(case.rule))
        until = None if rule.until is None else local(rule.until)
        wanted = [local(text) for text in case.instances if local(text) >= local(case.since)]
        got = list(dates(rule, local(case.start), since=local(case.since), until=until))
        checked += 1
        if got != wanted:
            wrong[case] = got
    assert wrong == {}
    assert checked == 145


BYDAY = st.lists(st.sampled_from(["MO", "TU", "WE", "TH", "FR", "SA", "SU"]), max_size=3)
ORDINALS = st.lists(st.sampled_from(["1MO", "-1FR", "2TU", "3SU", "-2WE"]), max_size=2)


@st.composite
def rules(draw: st.DrawFn) -> str:
    """A rule of the kinds that people use."""
    freq = draw(st.sampled_from(["YEARLY", "MONTHLY", "WEEKLY", "DAILY"]))
    parts = [f"FREQ={freq}", f"INTERVAL={draw(st.integers(1, 5))}"]
    days = draw(ORDINALS if freq in ("MONTHLY", "YEARLY") else BYDAY)
    months = draw(st.lists(st.integers(1, 12), max_size=3, unique=True))
    monthdays = draw(st.lists(st.sampled_from([1, 13, 28, 31, -1, -3]), max_size=2, unique=True))
    if days:
        parts.append(f"BYDAY={','.join(days)}")
    if months:
        parts.append(f"BYMONTH={','.join(map(str, months))}")
    if monthdays and freq != "WEEKLY" and not (freq == "YEARLY" and not months):
        parts.append(f"BYMONTHDAY={','.join(map(str, monthdays))}")
    parts.append(f"WKST={draw(st.sampled_from(['MO', 'SU', 'TH']))}")
    return ";".join(parts)


@settings(deadline=None, max_examples=60)
@given(rules(), st.integers(0, 1_500), st.integers(0, 12))
def test_dates_are_those_of_dateutil(text: str, later: int, counted: int) -> None:
    """The same dates as the library behind most calendars, from any day on."""
    text = f"{text};COUNT={counted}" if counted else text
    since = START + timedelta(days=later)
    until = since + timedelta(days=1_500)
    ours = list(dates(parse_rule(text), START, since=since, until=until))
    assume(len(ours) > 0 or "MONTHDAY" not in text)  # dateutil looks for 7,000 years
    theirs = rrulestr(text, dtstart=START)
    wanted = list(takewhile(lambda at: at <= until, theirs.xafter(since, inc=True)))
    assert ours == wanted


@pytest.mark.parametrize(
    "text",
    [
        "FREQ=SECONDLY",
        "FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;COUNT=999999999",
        "FREQ=MINUTELY;INTERVAL=7;BYHOUR=3;BYSETPOS=2",
        "FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=0,1,2,3,4,5,6,7,8,9;BYSECOND=0,1,2,3,4,5,6,7,8,9",
    ],
)
def test_no_rule_runs_on(text: str) -> None:
    """A rule without an end, or without any date, is given up after so many steps."""
    begin = time.perf_counter()
    found: list[datetime] = []
    with pytest.raises(NotExpandable, match="20,000"):
        found.extend(dates(parse_rule(text), START, since=START))
    assert time.perf_counter() - begin < 2
    assert len(found) <= STEPS_MAX


@pytest.mark.parametrize(
    "text", ["FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30"]
)
def test_a_rule_without_dates_ends_with_the_calendar(text: str) -> None:
    """Ten thousand years of nothing are looked through or given up, and never hang."""
    try:
        assert list(dates(parse_rule(text), START, since=START)) == []
    except NotExpandable:
        assert text.startswith("FREQ=MONTHLY")


def test_a_rule_of_long_ago_starts_where_it_is_asked_about() -> None:
    """Without COUNT the years before cost nothing."""
    old = START.replace(year=1901)
    since = START.replace(hour=0)
    until = since + timedelta(hours=1)
    minutes = list(dates(parse_rule("FREQ=MINUTELY;INTERVAL=7"), old, since=since, until=until))
    assert len(minutes) in (8, 9)
    assert all((at - old) % timedelta(minutes=7) == timedelta() for at in minutes)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("FREQ=OFTEN", "'FREQ=OFTEN'"),
        ("BYDAY=MO", "'FREQ='"),
        ("FREQ=DAILY;INTERVAL=0", "'INTERVAL=0'"),
        ("FREQ=DAILY;COUNT=-1", "'COUNT=-1'"),
        ("FREQ=DAILY;BYMONTH=13", "'BYMONTH=13'"),
        ("FREQ=DAILY;BYMONTHDAY=0", "'BYMONTHDAY=0'"),
        ("FREQ=MONTHLY;BYDAY=0MO", "'BYDAY=0MO'"),
        ("FREQ=MONTHLY;BYDAY=MOO", "'BYDAY=MOO'"),
        ("FREQ=DAILY;BYHOUR=\u0661", "BYHOUR"),
        ("FREQ=DAILY;FREQ=DAILY", "'FREQ=DAILY'"),
        ("FREQ=DAILY;BYEASTER=1", "'BYEASTER=1'"),
    ],
)
def test_what_is_no_rule_is_refused(text: str, told: str) -> None:
    """The part that is wrong is named."""
    with pytest.raises(InvalidInput, match=told):
        parse_rule(text)


@pytest.mark.parametrize(
    "text",
    ["RSCALE=HEBREW;FREQ=YEARLY", "FREQ=WEEKLY;BYDAY=2MO", "FREQ=MONTHLY;BYWEEKNO=3"],
)
def test_other_kinds_of_rule_are_not_guessed(text: str) -> None:
    """A rule that means something else elsewhere is not expanded."""
    with pytest.raises(NotExpandable):
        parse_rule(text)
