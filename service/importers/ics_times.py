"""When does a calendar mean? Its dates, times, zones and lengths as instants of the world.

A TZID that is a zone's name, or hides one, is that zone. Any other is what its VTIMEZONE says,
and bears the name of the first known zone that agrees with it for three years; without such a zone
the instant is exact all the same, but a series in it is not expanded. A time without a zone and a
date are the user's: `home` says where, and how often that was needed is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from icalendar import Component
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from workindex.domain.errors import InvalidInput
from workindex.projections.rules import NotExpandable, dates, parse_rule
from workindex.service.importers.ics_files import Part

OBSERVANCES_MAX = 1_000
_YEAR = timedelta(days=366)
_REGIONS = ("Europe", "America", "Asia", "Australia", "Pacific", "Africa", "Atlantic", "Indian")


class Moment(NamedTuple):
    """A date or time of the file as an instant; `is_day` if it was a date.

    `zone` is the known zone whose clock it was told on, None where there is none: then `tzid`
    is what the file calls it.
    """

    at: datetime
    zone: str | None
    is_day: bool = False
    tzid: str | None = None


class Clock:
    """The zones of one calendar, and the zone of everything that has none."""

    def __init__(self, zones: Mapping[str, Component], home: str) -> None:
        self._zones = zones
        self._known: dict[str, str | _Custom] = {}
        self.home = home
        self.at_home: set[tuple[str, date]] = set()

    def moment(self, value: date, params: Mapping[str, Any], name: str) -> Moment:
        """The instant of a property's date or time.

        Raises: InvalidInput for something that is no date or time, an unknown zone, or an
        instant outside of the calendar.
        """
        if not isinstance(value, date):
            raise InvalidInput(f"{name}: {value!r} is no date or date with a time", field=name)
        try:
            return self._moment(value, params, name)
        except (OverflowError, NotExpandable) as error:
            raise InvalidInput(f"{name}: {value} cannot be placed: {error}", field=name) from error

    def _moment(self, value: date, params: Mapping[str, Any], name: str) -> Moment:
        if not isinstance(value, datetime):
            self.at_home.add((name, value))
            local = datetime.combine(value, time.min, ZoneInfo(self.home))
            return Moment(local.astimezone(UTC), self.home, is_day=True)
        if value.tzinfo is not None:
            return Moment(value.astimezone(UTC), "UTC")
        tzid = params.get("TZID")
        if not tzid:
            self.at_home.add((name, value))
            local = value.replace(tzinfo=ZoneInfo(self.home))
            return Moment(local.astimezone(UTC), self.home)
        zone = self._zone(str(tzid), name)
        if isinstance(zone, str):
            return Moment(value.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC), zone)
        at = (value - zone.offset(value)).replace(tzinfo=UTC)
        return Moment(at, zone.alike(value.year), tzid=str(tzid))

    def _zone(self, tzid: str, name: str) -> str | _Custom:
        if tzid not in self._known:
            held = self._zones.get(tzid)
            hint = None if held is None else held.get("X-LIC-LOCATION")
            known = zone_named(tzid) or (zone_named(str(hint)) if hint else None)
            if known is None and held is None:
                raise InvalidInput(
                    f"{name}: no zone is called {tzid!r}, and the file does not define it",
                    field=name,
                )
            self._known[tzid] = known or _Custom(held)
        return self._known[tzid]


class Clocks:
    """One clock for each calendar; what has no zone is in `home`, or where its calendar is."""

    def __init__(self, home: str | None) -> None:
        self._home = home
        self._clocks: dict[int, tuple[Any, Clock]] = {}

    def of(self, part: Part) -> Clock:
        """The clock of the part's calendar."""
        if id(part.zones) not in self._clocks:
            said = None if part.calendar_zone is None else zone_named(part.calendar_zone)
            # The zones are kept along, so that no other object gets their identity.
            self._clocks[id(part.zones)] = (
                part.zones,
                Clock(part.zones, self._home or said or "UTC"),
            )
        return self._clocks[id(part.zones)][1]

    @property
    def at_home(self) -> Mapping[str, int]:
        """How many different dates and times without a zone were read in which zone."""
        counts: Counter[str] = Counter()
        for _, clock in self._clocks.values():
            counts[clock.home] += len(clock.at_home)
        return {zone: count for zone, count in counts.items() if count}


@lru_cache(maxsize=1_000)
def zone_named(tzid: str) -> str | None:
    """The known zone that a TZID names: as it is, as Windows calls it, or behind a prefix."""
    plain = tzid.strip().strip('"')
    parts = plain.strip("/").split("/")
    behind = ("/".join(parts[-count:]) for count in (3, 2, 1) if plain.startswith("/"))
    for name in (plain, WINDOWS_TO_OLSON.get(plain), *behind):
        if name and _is_known(name):
            return name
    return None


def _is_known(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown, not a key, a folder of keys
        return False
    return len(name) <= 100


class _Observance(NamedTuple):
    """One half of a zone: from each of its onsets on, `after` holds in place of `before`."""

    start: datetime
    before: timedelta
    after: timedelta
    rule: str | None
    added: tuple[datetime, ...]

    def last_onset(self, at: datetime) -> datetime | None:
        """The latest onset at or before a local time."""
        found = [one for one in (self.start, *self.added) if one <= at]
        if self.rule is not None and found:
            rule = parse_rule(self.rule)
            until = at
            if rule.until is not None:
                last = datetime.fromisoformat(rule.until)
                if last.tzinfo is not None:
                    last = last.replace(tzinfo=None) + self.before
                until = min(at, last)
            since = max(self.start, until - 2 * _YEAR)
            found += dates(rule, self.start, since=since, until=until)
        return max(found, default=None)


class _Custom:
    """A zone as its VTIMEZONE defines it."""

    def __init__(self, component: Component | None) -> None:
        assert component is not None
        self._observances = list(_observances(component))
        self._alike: dict[int, str | None] = {}

    def offset(self, at: datetime) -> timedelta:
        """What is added to UTC at a local time."""
        onsets = [(one.last_onset(at), one) for one in self._observances]
        held = [(onset, one.after) for onset, one in onsets if onset is not None]
        if held:
            return max(held)[1]
        return min(self._observances, key=lambda one: one.start).before

    def alike(self, year: int) -> str | None:
        """The first known zone with the same offsets in this year and the two after it."""
        if year not in self._alike:
            probes = [
                datetime(min(year + later, 9_990), month, day, 12)  # noqa: DTZ001 - a wall clock
                for later in range(3)
                for month in range(1, 13)
                for day in (1, 15)
            ]
            told = {at: self.offset(at) for at in probes}
            self._alike[year] = next(
                (name for name in _candidates() if _agrees(ZoneInfo(name), told)), None
            )
        return self._alike[year]


def _agrees(zone: ZoneInfo, told: Mapping[datetime, timedelta]) -> bool:
    return all(at.replace(tzinfo=zone).utcoffset() == offset for at, offset in told.items())


@lru_cache(maxsize=1)
def _candidates() -> tuple[str, ...]:
    names = sorted(available_timezones())
    grouped = [name for region in _REGIONS for name in names if name.startswith(f"{region}/")]
    return ("UTC", *grouped, *(name for name in names if name.startswith("Etc/GMT")))


def _observances(component: Component) -> Iterator[_Observance]:
    parts = [one for one in component.subcomponents if one.name in ("STANDARD", "DAYLIGHT")]
    tzid = str(component.get("TZID"))
    if not parts or len(parts) > OBSERVANCES_MAX or component.errors:
        raise InvalidInput(f"TZID: the VTIMEZONE {tzid!r} says nothing that can be used")
    for one in parts:
        told: Any = one  # its values have the types of their properties, which the library unites
        rule = told.get("RRULE")
        try:
            yield _Observance(
                start=_wall(told["DTSTART"].dt),
                before=told["TZOFFSETFROM"].td,
                after=told["TZOFFSETTO"].td,
                rule=None if rule is None else rule.to_ical().decode(),
                added=tuple(_wall(value) for value, _ in listed(one, "RDATE")),
            )
        except (AttributeError, KeyError, TypeError, InvalidInput) as error:
            raise InvalidInput(
                f"TZID: {one.name} of VTIMEZONE {tzid!r} cannot be used", field="TZID"
            ) from error


def _wall(value: Any) -> datetime:
    if isinstance(value, tuple):
        value = value[0]
    if not isinstance(value, datetime):
        value = datetime.combine(value, time.min)
    assert isinstance(value, datetime)
    return value.replace(tzinfo=None)


def listed(component: Component, name: str) -> list[tuple[Any, Mapping[str, Any]]]:
    """Every value, with its parameters, of a property that holds lists and may be repeated."""
    given: Any = component.get(name)
    if given is None:
        return []
    lists = given if isinstance(given, list) else [given]
    return [(value.dt, each.params) for each in lists for value in each.dts]
