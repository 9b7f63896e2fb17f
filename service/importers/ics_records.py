"""What does a calendar say of one event or to-do? Its definition, as the Work Index would hold it.

All parts with one UID make one record: the thing itself and the exceptions from its series. A
record is read whole or refused with the property that is wrong; what it says depends on the file
alone, not on what is held or on the time of day.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import orjson
from pydantic import ValidationError

from workindex.domain.errors import InvalidInput
from workindex.domain.facts import utc
from workindex.domain.names import is_name
from workindex.domain.recurrence import Override
from workindex.projections.rules import NotExpandable, parse_rule
from workindex.service.importers.ics_files import Part
from workindex.service.importers.ics_times import Clock, Clocks, Moment, listed

NO_TITLE = {"VEVENT": "Untitled event", "VTODO": "Untitled to-do"}
_ID_LENGTH_MAX = 150
# A fault in one of these changes what is kept; others are left alone.
_READ = frozenset(
    {"UID", "DTSTART", "DTEND", "DUE", "DURATION", "RRULE", "RDATE", "EXDATE", "EXRULE"}
    | {"RECURRENCE-ID", "SUMMARY", "DESCRIPTION", "LOCATION", "STATUS", "ATTENDEE", "ORGANIZER"}
    | {"PRIORITY", "CATEGORIES", "COMPLETED", "END"}
)
# What a command's field is called in the file.
PROPERTIES = {
    "title": "SUMMARY",
    "start_at": "DTSTART",
    "end_at": "DTEND",
    "location": "LOCATION",
    "participants": "ATTENDEE",
    "agenda": "DESCRIPTION",
    "description": "DESCRIPTION",
    "recurrence": "RRULE",
    "priority": "PRIORITY",
    "labels": "CATEGORIES",
    "due_at": "DUE",
    "remind_at": "TRIGGER",
}
_TIMED = re.compile(r"^(BYHOUR|BYMINUTE|BYSECOND)=", re.IGNORECASE)


class Version(NamedTuple):
    """How new a record is: SEQUENCE, then LAST-MODIFIED or else DTSTAMP."""

    sequence: int
    modified_at: datetime | None

    def is_older_than(self, other: Version) -> bool:
        """Whether it is surely older; an unknown time is not."""
        if self.sequence != other.sequence or None in (self.modified_at, other.modified_at):
            return self.sequence < other.sequence
        assert self.modified_at is not None
        assert other.modified_at is not None
        return self.modified_at < other.modified_at

    @property
    def text(self) -> str:
        """The version in words that `version_of` reads back."""
        return f"{self.sequence}/{'-' if self.modified_at is None else utc(self.modified_at)}"


def version_of(text: str) -> Version:
    """The version of its text."""
    sequence, _, modified = text.partition("/")
    return Version(int(sequence), None if modified == "-" else datetime.fromisoformat(modified))


class Span(NamedTuple):
    """Start, end (None where the file gives none) and the zone they are told in."""

    start: Moment
    end: Moment | None


class Record(NamedTuple):
    """Everything that the files say of one UID; `main` is None where only exceptions are given."""

    kind: str
    uid: str
    main: Part | None
    exceptions: Sequence[Part]
    version: Version

    @property
    def parts(self) -> list[Part]:
        """All of its parts."""
        return [*([self.main] if self.main else []), *self.exceptions]

    @property
    def place(self) -> str:
        """Where it stands."""
        return self.parts[0].place


def records(parts: Iterable[Part]) -> tuple[list[Record], int]:
    """The parts by UID, the newest of each, and how many others were left aside.

    Of two that are equally new the later one holds.
    """
    groups: dict[tuple[str, str], dict[str, Part]] = {}
    aside = 0
    for part in parts:
        held = groups.setdefault((str(part.component.name), id_of(part)), {})
        given: Any = part.component.get("RECURRENCE-ID")
        place = "" if given is None or isinstance(given, list) else _raw(given)
        if place in held:
            aside += 1
            if _version(part).is_older_than(_version(held[place])):
                continue
        held[place] = part
    return [_record(kind, uid, held) for (kind, uid), held in groups.items()], aside


def _record(kind: str, uid: str, held: Mapping[str, Part]) -> Record:
    main = held.get("")
    exceptions = [part for place, part in held.items() if place]
    versions = [_version(part) for part in held.values()]
    first = _version(main) if main is not None else versions[0]
    times = [one.modified_at for one in versions if one.modified_at is not None]
    return Record(kind, uid, main, exceptions, Version(first.sequence, max(times, default=None)))


def _raw(value: Any) -> str:
    return f"{value.params.get('TZID', '')}:{value.to_ical().decode()}"


def _version(part: Part) -> Version:
    component: Any = part.component
    sequence = component.get("SEQUENCE")
    stamp = component.get("LAST-MODIFIED") or component.get("DTSTAMP")
    at = getattr(stamp, "dt", None)
    if not isinstance(at, datetime):
        at = None
    elif at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    number = int(sequence) if isinstance(sequence, int) else 0
    return Version(number, at if at is None or 1900 <= at.year < 9_999 else None)


def id_of(part: Part) -> str:
    """The UID as an id; what has none, or none that can be used, is named by what it says."""
    uid = part.uid
    if uid is None:
        component: Any = part.component
        said = [str(component.get(name)) for name in ("SUMMARY", "DTSTART", "DUE", "DESCRIPTION")]
        return f"ics-{_digest(said)}"
    return uid if is_name(uid, _ID_LENGTH_MAX) else f"ics-{_digest(uid)}"


def _digest(value: Any) -> str:
    return sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()[:24]


def digest_of(told: Mapping[str, Any]) -> str:
    """The mark of a definition: equal where nothing that is kept differs."""
    return _digest(dict(told))


def check(part: Part) -> None:
    """Raises: InvalidInput naming the first property of the part that cannot be read."""
    for name, message in part.faults:
        if name in _READ:
            raise InvalidInput(f"{name}: {message[:300]}", field=name)


def text(part: Part, name: str) -> str | None:
    """A text of the part, the first of several, None where there is none."""
    value: Any = part.component.get(name)
    if isinstance(value, list):
        value = value[0] if value else None
    found = None if value is None else str(value).strip()
    return found or None


def single(part: Part, name: str) -> Any:
    """The one value of a property that may stand once.

    Raises: InvalidInput where it stands more often.
    """
    value: Any = part.component.get(name)
    if isinstance(value, list):
        raise InvalidInput(f"{name}: it stands {len(value)} times, keep one", field=name)
    return value


def moment(part: Part, name: str, clocks: Clocks) -> Moment | None:
    """A date or time of the part as an instant."""
    value = single(part, name)
    return None if value is None else clocks.of(part).moment(value.dt, value.params, name)


def span(part: Part, clocks: Clocks, end_name: str = "DTEND") -> Span | None:
    """When the part takes place, None where it does not say.

    Raises: InvalidInput, also for an end before the start.
    """
    start, end = moment(part, "DTSTART", clocks), moment(part, end_name, clocks)
    if start is None:
        return None
    if end is None:
        end = _after(part, start, clocks)
    elif end.is_day != start.is_day:
        raise InvalidInput(f"{end_name}: one of it and DTSTART is a date only", field=end_name)
    if end is not None and end.at < start.at:
        raise InvalidInput(f"{end_name}: {end.at} is before the start", field=end_name)
    return Span(start, end)


def _after(part: Part, start: Moment, clocks: Clocks) -> Moment | None:
    """The end that a DURATION gives, or that a day has by itself."""
    duration = single(part, "DURATION")
    length = None if duration is None else duration.td
    if length is None:
        if not start.is_day:
            return None
        length = timedelta(days=1)
    if length < timedelta():
        raise InvalidInput(f"DURATION: {length} is negative", field="DURATION")
    try:
        if start.is_day:
            value: Any = single(part, "DTSTART")
            day: date = value.dt
            return clocks.of(part).moment(day + timedelta(days=max(1, length.days)), {}, "DTSTART")
        return start._replace(at=start.at + length)
    except OverflowError as error:
        raise InvalidInput("DURATION: it ends after all time", field="DURATION") from error


def words(part: Part) -> dict[str, Any]:
    """What the part says besides its times."""
    return {
        "title": text(part, "SUMMARY"),
        "location": text(part, "LOCATION"),
        "participants": people(part),
        "agenda": text(part, "DESCRIPTION"),
    }


def people(part: Part) -> list[str]:
    """Organizer and attendees by name, else by address, each once."""
    found: dict[str, None] = {}
    for name in ("ORGANIZER", "ATTENDEE"):
        given: Any = part.component.get(name)
        for one in given if isinstance(given, list) else [given]:
            if one is None:
                continue
            called = str(getattr(one, "params", {}).get("CN", "")).strip()
            address = re.sub("^mailto:", "", str(one), flags=re.IGNORECASE).strip()
            if called or address:
                found[called or address] = None
    return list(found)


def is_cancelled(part: Part) -> bool:
    """Whether the part calls off what it names."""
    return part.method == "CANCEL" or (text(part, "STATUS") or "").upper() == "CANCELLED"


def recurrence(record: Record, clocks: Clocks) -> dict[str, Any] | None:
    """The series of the record's main part, None where it takes place once.

    Raises: InvalidInput naming the property that is wrong.
    """
    main = record.main
    if main is None:
        return None
    clock = clocks.of(main)
    held = span(main, clocks)
    start = None if held is None else held.start
    rule, unread = _rule(main, start)
    rdates = [_added(value, params, clock) for value, params in listed(main.component, "RDATE")]
    if rule is None and not rdates and not unread:
        return None
    exdates = [
        _iso(clock.moment(value, params, "EXDATE"), value)
        for value, params in listed(main.component, "EXDATE")
    ]
    if start is not None and start.zone is None:
        unread.append(f"TZID={start.tzid}"[:2_000])
    told = {
        "rrule": rule,
        "exdates": exdates,
        "rdates": rdates,
        "overrides": [override(part, record, clocks) for part in record.exceptions],
        "unread": unread,
    }
    return {name: value for name, value in told.items() if value}


def _rule(part: Part, start: Moment | None) -> tuple[str | None, list[str]]:
    component: Any = part.component
    given = component.get("RRULE")
    rules = given if isinstance(given, list) else [given] if given is not None else []
    texts = [one.to_ical().decode() for one in rules]
    if start is not None and start.is_day:
        texts = [";".join(p for p in one.split(";") if not _TIMED.match(p)) for one in texts]
    for one in texts:
        try:
            parse_rule(one)
        except NotExpandable:
            continue  # kept as it is, and the reader says that its dates are not known
        except InvalidInput as error:
            raise InvalidInput(f"RRULE: {error}", field="RRULE") from error
    excluded = component.get("EXRULE")
    excluded = excluded if isinstance(excluded, list) else [excluded] if excluded else []
    unread = [f"RRULE={one}"[:2_000] for one in texts[1:]]
    unread += [f"EXRULE={one if isinstance(one, str) else _ical(one)}"[:2_000] for one in excluded]
    return (texts[0] if texts else None), unread


def _ical(value: Any) -> str:
    told = value.to_ical()
    return told.decode() if isinstance(told, bytes) else str(told)


def _added(value: Any, params: Mapping[str, Any], clock: Clock) -> str:
    if not isinstance(value, tuple):
        return _iso(clock.moment(value, params, "RDATE"), value)
    first, last = value
    start = clock.moment(first, params, "RDATE")
    end_at = (
        start.at + last if isinstance(last, timedelta) else clock.moment(last, params, "RDATE").at
    )
    return f"{utc(start.at)}/{utc(end_at)}"


def _iso(at: Moment, value: Any) -> str:
    return value.isoformat() if at.is_day else utc(at.at)


def override(part: Part, record: Record, clocks: Clocks) -> dict[str, Any]:
    """What an exception says of its instance, as far as that differs from the series.

    Raises: InvalidInput naming the property that is wrong.
    """
    at = instance_at(part, record, clocks)
    value = single(part, "RECURRENCE-ID")
    held = span(part, clocks)
    usual = {} if record.main is None else words(record.main)
    told: dict[str, Any] = {"at": utc(at), "version": _version(part).text}
    if str(value.params.get("RANGE", "")).upper() == "THISANDFUTURE":
        told["following"] = True
    if is_cancelled(part):
        return _canonical({**told, "cancelled": True})
    if held is not None:
        told["start_at"] = utc(held.start.at)
        told["end_at"] = None if held.end is None else utc(held.end.at)
    own = {name: said for name, said in words(part).items() if said and said != usual.get(name)}
    return _canonical({**told, **own})


def _canonical(told: Mapping[str, Any]) -> dict[str, Any]:
    """The override as rows hold it, so that the same one is equal."""
    try:
        return Override.model_validate_json(orjson.dumps(told)).model_dump(mode="json")
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        name = PROPERTIES.get(str(problem["loc"][0]), "RECURRENCE-ID")
        raise InvalidInput(f"{name}: {problem['msg']}", field=name) from error


def instance_at(part: Part, record: Record, clocks: Clocks) -> datetime:
    """Where the series puts the instance that the part speaks of."""
    at = moment(part, "RECURRENCE-ID", clocks)
    assert at is not None, "only exceptions are asked"
    main = None if record.main is None else moment(record.main, "DTSTART", clocks)
    if at.is_day and main is not None and not main.is_day:
        # A day names the instance of that day, which starts when the series does.
        zone = ZoneInfo(main.zone or "UTC")
        day: date = single(part, "RECURRENCE-ID").dt
        local = datetime.combine(day, main.at.astimezone(zone).time(), zone)
        return local.astimezone(UTC)
    return at.at
