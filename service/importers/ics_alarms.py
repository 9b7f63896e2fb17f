"""Which reminders do the alarms of an event or to-do make?

An alarm of a series is one reminder that repeats with it: it names where the rule begins and how
far from each instance it rings, and leaves out the instances that have it not. What rings next is
worked out from the time of the import; what is over when it is first seen is kept as answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from icalendar import Component, vDuration

from workindex.domain.errors import InvalidInput, WorkindexError
from workindex.domain.facts import utc
from workindex.projections.recurrence import Series, coming
from workindex.service.importers.ics_files import Part
from workindex.service.importers.ics_records import (
    Record,
    Span,
    digest_of,
    instance_at,
    is_cancelled,
    span,
)
from workindex.service.importers.ics_times import Clocks

ALARMS_MAX = 100
# An event without an end is taken to last so long, as the answers take it.
_ASSUMED = timedelta(hours=1)
_ACKNOWLEDGED_MAX = 10


class Alarm(NamedTuple):
    """A reminder as its alarm says: `fields` of its command, and whether it has been answered."""

    id: str
    fields: dict[str, Any]
    is_over: bool
    digest: str


class Owner(NamedTuple):
    """What the alarms belong to; `series` is its recurrence, `ended` if it needs none any more."""

    field: str  # meeting_id or task_id
    id: str
    title: str
    span: Span
    series: Mapping[str, Any] | None = None
    ended: bool = False


class _Trigger(NamedTuple):
    label: str
    absolute_at: datetime | None
    offset: timedelta
    from_end: bool
    acknowledged_at: datetime | None


def alarms_of(
    record: Record, owner: Owner, clocks: Clocks, now: datetime
) -> tuple[list[Alarm], list[InvalidInput]]:
    """The reminders of the record's alarms, each once, and what is wrong with the others."""
    found: list[Alarm] = []
    faults: list[InvalidInput] = []
    main = record.main or record.exceptions[0]
    shared: set[str] = set()
    for component in _alarms(main):
        try:
            trigger = _trigger(component)
            if trigger is None or trigger.label in shared:
                continue
            shared.add(trigger.label)
            if owner.series is not None and trigger.absolute_at is None:
                found.append(_repeating(trigger, record, owner, clocks, now))
            else:
                found.append(_single(trigger, owner, now))
        except WorkindexError as error:
            faults.append(_named(error))
    if owner.series is not None:
        for part in record.exceptions:
            try:
                found += _own(part, shared, record, owner, clocks, now)
            except WorkindexError as error:
                faults.append(_named(error))
    return found, faults


def _named(error: WorkindexError) -> InvalidInput:
    if isinstance(error, InvalidInput):
        return InvalidInput(f"VALARM: {error}", field=error.field)
    return InvalidInput(f"VALARM: RRULE: its times are not known: {error}", field="RRULE")


def _alarms(part: Part) -> Sequence[Component]:
    return [one for one in part.component.subcomponents if one.name == "VALARM"][:ALARMS_MAX]


def _trigger(component: Component) -> _Trigger | None:
    """What the alarm says, None where it is none for a person."""
    told: Any = component
    if str(told.get("ACTION", "")).upper() == "NONE":
        return None
    for name, message in component.errors:
        if name in ("TRIGGER", "END", "ACTION"):
            raise InvalidInput(f"{name}: {message[:300]}", field=name)
    given = told.get("TRIGGER")
    if given is None or isinstance(given, list):
        raise InvalidInput("TRIGGER: an alarm has one", field="TRIGGER")
    acknowledged = getattr(told.get("ACKNOWLEDGED"), "dt", None)
    acknowledged_at = _instant(acknowledged) if isinstance(acknowledged, datetime) else None
    value = given.dt
    if isinstance(value, datetime):
        at = _instant(value)
        label = f"{at:%Y%m%dT%H%M%SZ}"
        return _Trigger(label, at, timedelta(), False, acknowledged_at)
    if not isinstance(value, timedelta):
        raise InvalidInput(f"TRIGGER: {value} is no time and no length", field="TRIGGER")
    from_end = str(given.params.get("RELATED", "")).upper() == "END"
    label = ("END" if from_end else "") + _length(value)
    return _Trigger(label, None, value, from_end, acknowledged_at)


def _length(value: timedelta) -> str:
    told: Any = vDuration(value)
    return str(told.to_ical().decode())


def _instant(at: datetime) -> datetime:
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def _single(trigger: _Trigger, owner: Owner, now: datetime, label: str = "") -> Alarm:
    start, end = owner.span
    try:
        base = end if trigger.from_end and end is not None else start
        remind_at = trigger.absolute_at or base.at + trigger.offset
    except OverflowError as error:
        raise InvalidInput("TRIGGER: it rings outside of all time", field="TRIGGER") from error
    ends_at = start.at + _ASSUMED if end is None else end.at
    is_past = owner.field == "meeting_id" and max(ends_at, remind_at) <= now
    answered = trigger.acknowledged_at is not None and trigger.acknowledged_at >= remind_at
    fields = {
        "title": owner.title,
        "remind_at": utc(remind_at),
        "time_zone": start.zone,
        "recurrence": None,
        owner.field: owner.id,
    }
    return Alarm(
        id=f"{owner.id}/{label}alarm/{trigger.label}",
        fields=fields,
        is_over=is_past or answered or owner.ended,
        digest=digest_of({**fields, "answered": answered}),
    )


def _repeating(
    trigger: _Trigger, record: Record, owner: Owner, clocks: Clocks, now: datetime
) -> Alarm:
    assert owner.series is not None
    start, end = owner.span
    length = timedelta() if end is None else end.at - start.at
    offset = trigger.offset + (length if trigger.from_end else timedelta())
    told = {
        "rrule": owner.series.get("rrule"),
        "exdates": owner.series.get("exdates", []),
        "rdates": [one.partition("/")[0] for one in owner.series.get("rdates", [])],
        "overrides": list(_overrides(trigger, record, owner, clocks, length)),
        "unread": owner.series.get("unread", []),
        "start_at": utc(start.at),
        "offset_seconds": int(offset.total_seconds()),
    }
    recurrence = {name: value for name, value in told.items() if value}
    series = Series(recurrence, start.at, None, start.zone)
    remind_at = _next(series, trigger, offset, length if end is not None else _ASSUMED, now)
    fields = {
        "title": owner.title,
        "remind_at": utc(remind_at or start.at + offset),
        "time_zone": start.zone,
        "recurrence": recurrence,
        owner.field: owner.id,
    }
    told_once = {name: value for name, value in fields.items() if name != "remind_at"}
    return Alarm(
        id=f"{owner.id}/alarm/{trigger.label}",
        fields=fields,
        is_over=remind_at is None or owner.ended,
        digest=digest_of(told_once),
    )


def _next(
    series: Series, trigger: _Trigger, offset: timedelta, lasts: timedelta, now: datetime
) -> datetime | None:
    """When it rings for the first instance that is not over and was not answered."""
    for _ in range(_ACKNOWLEDGED_MAX):
        one = coming(series, now, assumed=max(lasts, timedelta(microseconds=1)))
        if one is None:
            return None
        at = one.start_at + offset
        if trigger.acknowledged_at is None or at > trigger.acknowledged_at:
            return at
        now = one.start_at + max(lasts, timedelta(microseconds=1))
    return None


def _overrides(
    trigger: _Trigger, record: Record, owner: Owner, clocks: Clocks, length: timedelta
) -> Iterator[dict[str, Any]]:
    """The exceptions of the series, as far as they move this alarm or leave it out."""
    assert owner.series is not None
    ringing = {instance_at(part, record, clocks): _labels(part) for part in record.exceptions}
    for told in owner.series.get("overrides", ()):
        kept = {name: told[name] for name in ("at", "following", "cancelled") if name in told}
        at = datetime.fromisoformat(told["at"])
        if trigger.label not in ringing.get(at, {trigger.label}):
            kept["cancelled"] = True
        if trigger.from_end and told.get("end_at"):
            kept["start_at"] = utc(datetime.fromisoformat(told["end_at"]) - length)
        elif told.get("start_at"):
            kept["start_at"] = told["start_at"]
        yield kept


def _labels(part: Part) -> set[str]:
    labels = set()
    for component in _alarms(part):
        try:
            trigger = _trigger(component)
        except InvalidInput:
            continue  # told with the alarms of the exception itself
        if trigger is not None:
            labels.add(trigger.label)
    return labels


def _own(
    part: Part, shared: set[str], record: Record, owner: Owner, clocks: Clocks, now: datetime
) -> Iterator[Alarm]:
    """Alarms that only one instance of the series has."""
    held = span(part, clocks)
    if held is None or is_cancelled(part):
        return
    at = instance_at(part, record, clocks)
    mine = owner._replace(span=held)
    seen: set[str] = set()
    for component in _alarms(part):
        trigger = _trigger(component)
        if trigger is not None and trigger.label not in shared | seen:
            seen.add(trigger.label)
            yield _single(trigger, mine, now, label=f"{at:%Y%m%dT%H%M%SZ}/")
