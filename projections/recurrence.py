"""When does a repeating thing take place? Its instances in a span of time, with every exception.

Instances are worked out when somebody asks, from the series as its row holds it: zone data
changes, so no fold expands a rule. Pure and bounded: what cannot be told whole is NotExpandable,
and the reader says so instead of leaving dates out.

A rule runs on the wall clock of its zone. A time that the clock skips is read with the offset
before the gap, one that it shows twice is the first. The start is always the first instance, also
of COUNT. Source: RFC 5545, 3.3.5, 3.3.10 and 3.8.4.4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from workindex.domain.errors import InvalidInput
from workindex.projections.rules import NotExpandable, Rule, dates, parse_rule

INSTANCES_MAX = 1_000
_DAY = timedelta(days=1)
# How far ahead the next instance is looked for, in steps: the rarest rules repeat in 40 years.
_AHEAD = tuple(timedelta(days=days) for days in (0.05, 1, 8, 64, 512, 4_096, 16_384))
_EARLIEST = datetime(1, 1, 3, tzinfo=UTC)
_LATEST = datetime(9998, 12, 29, tzinfo=UTC)


class Series(NamedTuple):
    """A repeating row: its recurrence (domain/recurrence.py as JSON), first span and zone."""

    recurrence: Mapping[str, Any]
    start_at: datetime
    end_at: datetime | None = None
    time_zone: str | None = None


class Instance(NamedTuple):
    """One time that a series takes place.

    `at` is where the rule puts it, its name for good; an override may have moved it, called it
    off or given it words of its own.
    """

    at: datetime
    start_at: datetime
    end_at: datetime | None
    override: Mapping[str, Any] | None = None

    @property
    def is_cancelled(self) -> bool:
        """Whether this one instance was called off."""
        return self.override is not None and bool(self.override.get("cancelled"))


class _Plan(NamedTuple):
    """A series with its texts read."""

    rule: Rule | None
    zone: ZoneInfo
    start: datetime  # local and naive
    until: datetime | None  # the same, the last date that the rule may have
    length: timedelta | None
    whole_days: int  # how many days long, for a series of whole days; else 0
    added: Mapping[datetime, timedelta | None]  # RDATE, with a length of its own
    left_out: frozenset[datetime]
    days_left_out: frozenset[Any]
    overrides: Mapping[datetime, Mapping[str, Any]]
    following: Sequence[tuple[datetime, Mapping[str, Any]]]


def instances(series: Series, since: datetime, until: datetime) -> list[Instance]:
    """Every instance, cancelled ones too, that shares an instant with the span, by its start.

    Raises: NotExpandable where the series cannot be told whole, or has more than `INSTANCES_MAX`.
    """
    plan = _plan(series)
    reach = plan.length or timedelta()
    moves = [_moved(at, override) for at, override in plan.following]
    lengths = [one.end_at - one.start_at for one in moves if one.end_at is not None]
    shifts = [one.start_at - one.at for one in moves]
    reach = max([reach, *lengths])
    first = _clipped(since, -(reach + max([timedelta(), *shifts])))
    last = _clipped(until, -min([timedelta(), *shifts]))
    if plan.following and plan.following[-1][1].get("cancelled"):
        last = min(last, plan.following[-1][0])  # the series was cut off there
    found = [_instance(plan, at) for at in _ats(plan, first, last) if at not in plan.overrides]
    found += [_moved(at, override, plan) for at, override in plan.overrides.items()]
    met = [
        one
        for one in found
        if one.start_at < until
        and (one.start_at >= since or (one.end_at is not None and one.end_at > since))
    ]
    return sorted(met, key=lambda one: (one.start_at, one.at))


def coming(
    series: Series,
    now: datetime,
    *,
    assumed: timedelta = timedelta(),
    offset: timedelta | None = None,
) -> Instance | None:
    """The first instance that is not cancelled and not over at `now`, None where none is left.

    One without an end lasts `assumed`. With `offset` an instance is over at its start plus that.

    Raises: NotExpandable.
    """
    for ahead in _AHEAD:
        since = _clipped(now, -assumed - max(timedelta(), offset or timedelta()))
        until = _clipped(now, ahead - min(timedelta(), offset or timedelta()))
        left = [
            one
            for one in instances(series, since, until)
            if not one.is_cancelled and _ends(one, assumed, offset) > now
        ]
        if left:
            return left[0]
    return None


def _ends(one: Instance, assumed: timedelta, offset: timedelta | None) -> datetime:
    if offset is not None:
        return one.start_at + offset
    return one.end_at or one.start_at + assumed


def _ats(plan: _Plan, first: datetime, last: datetime) -> list[datetime]:
    """The instants of the series itself, moved to nowhere, between the two."""
    found = set()
    for at in _candidates(plan, first, last):
        is_out = at in plan.left_out or at.astimezone(plan.zone).date() in plan.days_left_out
        if first <= at < last and not is_out:
            found.add(at)
            if len(found) > INSTANCES_MAX:
                raise NotExpandable(f"more than {INSTANCES_MAX:,} instances in the span")
    return sorted(found)


def _candidates(plan: _Plan, first: datetime, last: datetime) -> Iterator[datetime]:
    begin = _instant(plan.start, plan.zone)
    yield begin
    yield from plan.added
    if plan.rule is None or last <= begin:
        return
    since = first.astimezone(plan.zone).replace(tzinfo=None) - _DAY
    until = last.astimezone(plan.zone).replace(tzinfo=None) + _DAY
    if plan.until is not None:
        until = min(until, plan.until)
    rule = plan.rule
    if rule.total is not None and not _begins(rule, plan.start):
        rule = rule._replace(total=rule.total - 1)
    for local in dates(rule, plan.start, since=since, until=until):
        yield _instant(local, plan.zone)


def _begins(rule: Rule, start: datetime) -> bool:
    """Whether the rule names its own start."""
    return next(dates(rule, start, since=start, until=start), None) == start


def _instance(plan: _Plan, at: datetime) -> Instance:
    """The instance that the series puts at `at`, moved by what was said of it and all after."""
    for begin, override in reversed(plan.following):
        if begin <= at:
            moved = _moved(begin, override, plan)
            shift = _local(moved.start_at, plan) - _local(begin, plan)
            start_at = _instant(_local(at, plan) + shift, plan.zone)
            end_at = None if moved.end_at is None else start_at + (moved.end_at - moved.start_at)
            return Instance(at, start_at, end_at, override)
    return Instance(at, at, _end(plan, at))


def _end(plan: _Plan, at: datetime) -> datetime | None:
    own = plan.added.get(at)
    if own is not None:
        return at + own
    if plan.whole_days:
        return _instant(_local(at, plan) + plan.whole_days * _DAY, plan.zone)
    return None if plan.length is None else at + plan.length


def _moved(at: datetime, override: Mapping[str, Any], plan: _Plan | None = None) -> Instance:
    """The instance of an override: what it leaves out is as in the series."""
    start_at = _at(override.get("start_at")) or at
    end_at = _at(override.get("end_at"))
    if end_at is None and plan is not None:
        usual = _end(plan, at)
        end_at = None if usual is None else start_at + (usual - at)
    return Instance(at, start_at, end_at, override)


def _plan(series: Series) -> _Plan:
    recurrence = series.recurrence
    if recurrence.get("unread"):
        raise NotExpandable("a part of the series is of a kind that is not expanded")
    zone = _zone(series.time_zone or "UTC")
    anchor = _at(recurrence.get("start_at")) or series.start_at
    start = anchor.astimezone(zone).replace(tzinfo=None)
    length = None if series.end_at is None else series.end_at - series.start_at
    try:
        rule = parse_rule(recurrence["rrule"]) if recurrence.get("rrule") else None
        until = None if rule is None or rule.until is None else _until(rule.until, zone)
        left_out, days_left_out = _left_out(recurrence.get("exdates") or (), zone)
        added = dict(_added(text, zone, start.time()) for text in recurrence.get("rdates") or ())
    except (ValueError, OverflowError, InvalidInput) as error:
        raise NotExpandable(f"the recurrence cannot be read: {error}") from error
    overrides, following = {}, []
    for override in recurrence.get("overrides") or ():
        at = datetime.fromisoformat(override["at"])
        if override.get("following"):
            following.append((at, override))
        else:
            overrides[at] = override
    following.sort(key=lambda pair: pair[0])
    return _Plan(
        rule=rule,
        zone=zone,
        start=start,
        until=until,
        length=length,
        whole_days=_whole_days(series, zone),
        added=added,
        left_out=left_out,
        days_left_out=days_left_out,
        overrides=overrides,
        following=following,
    )


def _whole_days(series: Series, zone: ZoneInfo) -> int:
    if series.end_at is None:
        return 0
    start, end = series.start_at.astimezone(zone), series.end_at.astimezone(zone)
    is_whole = start.time() == time.min == end.time()
    return (end.date() - start.date()).days if is_whole else 0


def _until(text: str, zone: ZoneInfo) -> datetime:
    """The last local time that the rule may have; a date means its whole day."""
    if "T" not in text:
        return datetime.fromisoformat(text).replace(hour=23, minute=59, second=59)
    at = datetime.fromisoformat(text)
    return at if at.tzinfo is None else at.astimezone(zone).replace(tzinfo=None)


def _left_out(texts: Sequence[str], zone: ZoneInfo) -> tuple[frozenset[datetime], frozenset[Any]]:
    instants, days = set(), set()
    for text in texts:
        at = datetime.fromisoformat(text)
        if "T" in text.upper() or " " in text.strip():
            instants.add(_instant(at, zone))
        else:
            days.add(at.date())
    return frozenset(instants), frozenset(days)


def _added(text: str, zone: ZoneInfo, usual: time) -> tuple[datetime, timedelta | None]:
    first, _, last = text.partition("/")
    at = datetime.fromisoformat(first)
    if "T" not in first.upper() and " " not in first.strip():
        at = datetime.combine(at.date(), usual)
    start_at = _instant(at, zone)
    return start_at, _instant(datetime.fromisoformat(last), zone) - start_at if last else None


def _instant(at: datetime, zone: ZoneInfo) -> datetime:
    return (at.replace(tzinfo=zone) if at.tzinfo is None else at).astimezone(UTC)


def _local(at: datetime, plan: _Plan) -> datetime:
    return at.astimezone(plan.zone).replace(tzinfo=None)


def _at(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _clipped(at: datetime, by: timedelta) -> datetime:
    """The instant moved, within the calendar."""
    if by < timedelta():
        return _EARLIEST if at - _EARLIEST < -by else at + by
    return _LATEST if _LATEST - at < by else at + by


@lru_cache(maxsize=600)
def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise NotExpandable(f"this machine knows no time zone {name!r}") from error
