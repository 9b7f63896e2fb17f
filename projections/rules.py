"""Which local dates does a recurrence rule name? Pure, in order, and bounded whatever the rule.

A rule is a filter over the days and times of its periods, so one without COUNT starts at the
period that is asked about and costs no more in its hundredth year than in its first; what would
take more than `STEPS_MAX` periods and dates is refused and never half told. Times are local and
naive here; zones are the business of recurrence.py.

Source: RFC 5545, 3.3.10. A week belongs to the year that holds four of its days, also where
BYWEEKNO is counted from a year (as ISO 8601 does).
"""

from __future__ import annotations

from calendar import isleap, monthrange
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from itertools import count as counting
from itertools import product
from typing import NamedTuple

from workindex.domain.errors import InvalidInput, WorkindexError

STEPS_MAX = 20_000
TIMES_A_DAY_MAX = 10_000
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_SECONDS = {"HOURLY": 3_600, "MINUTELY": 60, "SECONDLY": 1}
_FREQUENCIES = ("YEARLY", "MONTHLY", "WEEKLY", "DAILY", *_SECONDS)
_YEAR_MAX = 9_998


class NotExpandable(WorkindexError):
    """A rule of a kind that is not expanded here, or of too many dates."""

    code = "not_expandable"


class Rule(NamedTuple):
    """A parsed rule. `days` holds (ordinal or 0, weekday); `until` is the text as given."""

    freq: str
    interval: int = 1
    total: int | None = None
    until: str | None = None
    seconds: tuple[int, ...] = ()
    minutes: tuple[int, ...] = ()
    hours: tuple[int, ...] = ()
    days: tuple[tuple[int, int], ...] = ()
    monthdays: tuple[int, ...] = ()
    yeardays: tuple[int, ...] = ()
    weeks: tuple[int, ...] = ()
    months: tuple[int, ...] = ()
    positions: tuple[int, ...] = ()
    week_start: int = 0


# Part of the text, field, smallest and largest value; a sign is allowed where the smallest is < 0.
_NUMBERS = {
    "BYSECOND": ("seconds", 0, 60),
    "BYMINUTE": ("minutes", 0, 59),
    "BYHOUR": ("hours", 0, 23),
    "BYMONTHDAY": ("monthdays", -31, 31),
    "BYYEARDAY": ("yeardays", -366, 366),
    "BYWEEKNO": ("weeks", -53, 53),
    "BYMONTH": ("months", 1, 12),
    "BYSETPOS": ("positions", -366, 366),
}


@lru_cache(maxsize=4_096)
def parse_rule(text: str) -> Rule:
    """The rule of an RRULE's text.

    Raises: InvalidInput for a text that is no rule, NotExpandable for one that is not expanded.
    """
    parts: dict[str, str] = {}
    for part in text.strip().upper().removeprefix("RRULE:").rstrip(";").split(";"):
        name, _, value = part.partition("=")
        if not value or name in parts:
            raise _wrong(text, part)
        parts[name] = value
    freq = parts.pop("FREQ", "")
    if freq not in _FREQUENCIES:
        raise _wrong(text, f"FREQ={freq}")
    if parts.pop("RSCALE", "GREGORIAN") != "GREGORIAN" or parts.pop("SKIP", "OMIT") != "OMIT":
        raise NotExpandable(f"the rule {text} counts in another calendar")
    values: dict[str, object] = {}
    for name, value in parts.items():
        values.update(_part(text, name, value))
    rule = Rule(freq, **values)  # type: ignore[arg-type]
    _check(text, rule)
    return rule


def _part(text: str, name: str, value: str) -> dict[str, object]:
    if name in ("INTERVAL", "COUNT"):
        field = "total" if name == "COUNT" else "interval"
        return {field: _number(text, name, value, 1, 10**9 - 1)}
    if name == "UNTIL":
        return {"until": value}
    if name == "WKST" and value in WEEKDAYS:
        return {"week_start": WEEKDAYS.index(value)}
    if name == "BYDAY":
        return {"days": tuple(_day(text, one) for one in value.split(","))}
    if name in _NUMBERS:
        field, low, high = _NUMBERS[name]
        numbers = {_number(text, name, one, low, high) for one in value.split(",")}
        if low < 0 and 0 in numbers:
            raise _wrong(text, f"{name}=0")
        if name == "BYSECOND":
            numbers = {min(number, 59) for number in numbers}  # no clock here has leap seconds
        return {field: tuple(sorted(numbers))}
    if name.startswith("X-"):
        return {}
    raise _wrong(text, f"{name}={value}")


def _day(text: str, value: str) -> tuple[int, int]:
    ordinal, weekday = value[:-2], value[-2:]
    if weekday not in WEEKDAYS:
        raise _wrong(text, f"BYDAY={value}")
    number = _number(text, "BYDAY", ordinal, -53, 53) if ordinal else 0
    if ordinal and not number:
        raise _wrong(text, f"BYDAY={value}")
    return number, WEEKDAYS.index(weekday)


def _number(text: str, name: str, value: str, low: int, high: int) -> int:
    digits = value.lstrip("+-")
    signed = len(value) - len(digits)
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10 and signed <= (low < 0)):
        raise _wrong(text, f"{name}={value}")
    number = int(value)
    if not low <= number <= high:
        raise _wrong(text, f"{name}={value}")
    return number


def _check(text: str, rule: Rule) -> None:
    if rule.freq not in ("YEARLY", "MONTHLY") and any(ordinal for ordinal, _ in rule.days):
        raise NotExpandable(f"the rule {text} numbers its days in a {rule.freq} rule")
    if rule.weeks and rule.freq != "YEARLY":
        raise NotExpandable(f"the rule {text} names weeks in a {rule.freq} rule")


def _wrong(text: str, part: str) -> InvalidInput:
    return InvalidInput(
        f"{part!r} in the rule {text[:200]!r} is not of RFC 5545: a rule looks like "
        f"FREQ=WEEKLY;BYDAY=MO",
        field="rrule",
    )


def dates(
    rule: Rule, start: datetime, *, since: datetime, until: datetime | None = None
) -> Iterator[datetime]:
    """The dates of the rule from `since` to `until` (both included), in order.

    `start` is where the rule begins; it is itself a date only if the rule names it. UNTIL of the
    rule is left to the caller, who knows the zone.

    Raises: NotExpandable after `STEPS_MAX` periods and dates.
    """
    left = rule.total
    steps = counting(1)
    begin = start if left is not None else max(start, since)
    for days, times in _periods(_filled(rule, start), start, begin, until):
        if next(steps) > STEPS_MAX:
            raise NotExpandable(f"a {rule.freq} rule takes more than {STEPS_MAX:,} steps")
        for at in _chosen(rule, days, times):
            if at < start:
                continue
            if left == 0 or (until is not None and at > until):
                return
            if left is not None:
                left -= 1
            if next(steps) > STEPS_MAX:
                raise NotExpandable(f"a {rule.freq} rule has more than {STEPS_MAX:,} dates")
            if at >= since:
                yield at


def _filled(rule: Rule, start: datetime) -> Rule:
    """The rule with what its start adds: the day and the time that it leaves open."""
    if rule.freq in _SECONDS:
        return rule
    names_day = rule.days or rule.monthdays or rule.yeardays or rule.weeks
    if rule.freq in ("YEARLY", "MONTHLY") and not names_day:
        rule = rule._replace(monthdays=(start.day,))
    if rule.freq == "YEARLY" and not (rule.days or rule.yeardays or rule.weeks or rule.months):
        rule = rule._replace(months=(start.month,))
    if not (rule.days or rule.monthdays or rule.yeardays) and (rule.weeks or rule.freq == "WEEKLY"):
        rule = rule._replace(days=((0, start.weekday()),))
    return rule


Period = tuple[Sequence[date], Sequence[time]]


def _periods(
    rule: Rule, start: datetime, since: datetime, until: datetime | None
) -> Iterator[Period]:
    """Days and times of every period from the one that holds `since` on."""
    last = date(_YEAR_MAX, 12, 31) if until is None else until.date()
    try:
        if rule.freq in _SECONDS:
            yield from _short_periods(rule, start, since, last)
        else:
            times = _times(rule, start)
            for days in _long_periods(rule, start.date(), since.date(), last):
                yield [day for day in days if _fits(rule, day)], times
    except OverflowError:
        return  # the calendar ends


def _times(rule: Rule, start: datetime) -> list[time]:
    hours = rule.hours or (start.hour,)
    minutes = rule.minutes or (start.minute,)
    seconds = rule.seconds or (start.second,)
    if len(hours) * len(minutes) * len(seconds) > TIMES_A_DAY_MAX:
        raise NotExpandable(f"the rule has more than {TIMES_A_DAY_MAX:,} times a day")
    return [time(*parts) for parts in product(hours, minutes, seconds)]


def _long_periods(rule: Rule, start: date, since: date, last: date) -> Iterator[Sequence[date]]:
    """Candidate days of each year, month, week or day that the rule counts."""
    match rule.freq:
        case "YEARLY":
            first = _first_year(rule, start)
            skipped = max(0, (since.year - 1 - first) // rule.interval)
            for year in counting(first + skipped * rule.interval, rule.interval):
                if year > min(last.year + 1, _YEAR_MAX):
                    return
                yield _days_of_year(rule, year)
        case "MONTHLY":
            first = start.year * 12 + start.month - 1
            skipped = max(0, (since.year * 12 + since.month - 1 - first) // rule.interval)
            for month in counting(first + skipped * rule.interval, rule.interval):
                if month > last.year * 12 + last.month - 1:
                    return
                in_months = not rule.months or month % 12 + 1 in rule.months
                yield _days_of_month(month // 12, month % 12 + 1) if in_months else ()
        case _:
            length = 7 if rule.freq == "WEEKLY" else 1
            begin = start
            if rule.freq == "WEEKLY":
                begin -= timedelta(days=(start.weekday() - rule.week_start) % 7)
            step = timedelta(days=length * rule.interval)
            begin += max(0, (since - begin) // step) * step
            while begin <= last:
                yield [begin + timedelta(days=day) for day in range(length)]
                begin += step


def _first_year(rule: Rule, start: date) -> int:
    """The year that intervals are counted from: that of the start's week, if the rule names it."""
    if rule.weeks:
        year = week_year(start, rule.week_start)
        if start in _days_of_year(rule, year) and _fits(rule, start):
            return year
    return start.year


def _short_periods(rule: Rule, start: datetime, since: datetime, last: date) -> Iterator[Period]:
    """Hours, minutes or seconds that the rule counts; what cannot fit is jumped over."""
    unit = _SECONDS[rule.freq]
    begin = start.replace(minute=0, second=0) if unit == 3_600 else start
    begin = begin.replace(second=0) if unit == 60 else begin
    step = timedelta(seconds=unit * rule.interval)
    at = begin + max(0, (since - begin) // step) * step
    minutes = rule.minutes or (start.minute,)
    seconds = rule.seconds or (start.second,)
    while at.date() <= last:
        missed = _misses(rule, at, unit)
        if missed is not None:
            yield (), ()
            at = begin + max((at - begin) // step + 1, -((begin - missed) // step)) * step
            continue
        if unit == 3_600:
            yield [at.date()], [time(at.hour, *rest) for rest in product(minutes, seconds)]
        elif unit == 60:
            yield [at.date()], [time(at.hour, at.minute, second) for second in seconds]
        else:
            yield [at.date()], [at.time()]
        at += step


def _misses(rule: Rule, at: datetime, unit: int) -> datetime | None:
    """Where the next day, hour, minute or second begins, if this one cannot hold a date."""
    if not _fits(rule, at.date()):
        return datetime.combine(at.date() + timedelta(days=1), time.min)
    if rule.hours and at.hour not in rule.hours:
        return at.replace(minute=0, second=0) + timedelta(hours=1)
    if unit < 3_600 and rule.minutes and at.minute not in rule.minutes:
        return at.replace(second=0) + timedelta(minutes=1)
    if unit == 1 and rule.seconds and at.second not in rule.seconds:
        return at + timedelta(seconds=1)
    return None


def _chosen(rule: Rule, days: Sequence[date], times: Sequence[time]) -> Iterator[datetime]:
    """The dates of one period, all of them or those at the positions that BYSETPOS names."""
    whole = len(days) * len(times)
    if not rule.positions:
        yield from (datetime.combine(day, at) for day in days for at in times)
        return
    places = {at - 1 if at > 0 else whole + at for at in rule.positions}
    for place in sorted(place for place in places if 0 <= place < whole):
        yield datetime.combine(days[place // len(times)], times[place % len(times)])


def _fits(rule: Rule, day: date) -> bool:
    """Whether the day passes every part of the rule that speaks of days."""
    if rule.months and day.month not in rule.months:
        return False
    if rule.monthdays:
        left = day.day - monthrange(day.year, day.month)[1] - 1
        if day.day not in rule.monthdays and left not in rule.monthdays:
            return False
    if rule.yeardays:
        number, length = day.timetuple().tm_yday, 365 + isleap(day.year)
        if number not in rule.yeardays and number - length - 1 not in rule.yeardays:
            return False
    return not rule.days or any(_is_day(rule, day, *one) for one in rule.days)


def _is_day(rule: Rule, day: date, ordinal: int, weekday: int) -> bool:
    if day.weekday() != weekday or not ordinal or rule.weeks:
        return day.weekday() == weekday
    if rule.freq == "MONTHLY" or rule.months:
        number, length = day.day, monthrange(day.year, day.month)[1]
    else:
        number, length = day.timetuple().tm_yday, 365 + isleap(day.year)
    counted = (number - 1) // 7 + 1 if ordinal > 0 else -((length - number) // 7 + 1)
    return counted == ordinal


def _days_of_year(rule: Rule, year: int) -> Sequence[date]:
    if rule.weeks:
        first = first_week(year, rule.week_start)
        total = (first_week(year + 1, rule.week_start) - first).days // 7
        numbers = {week if week > 0 else total + 1 + week for week in rule.weeks}
        return [
            first + timedelta(days=7 * (week - 1) + day)
            for week in sorted(numbers)
            if 1 <= week <= total
            for day in range(7)
        ]
    months = rule.months or range(1, 13)
    return [day for month in months for day in _days_of_month(year, month)]


def _days_of_month(year: int, month: int) -> list[date]:
    return [date(year, month, day + 1) for day in range(monthrange(year, month)[1])]


def first_week(year: int, week_start: int) -> date:
    """The first day of the first week that holds four days of the year."""
    fourth = date(year, 1, 4)
    return fourth - timedelta(days=(fourth.weekday() - week_start) % 7)


def week_year(day: date, week_start: int) -> int:
    """The year that the day's week belongs to."""
    later = day.year + 1
    return next(y for y in (later, day.year, day.year - 1) if day >= first_week(y, week_start))
