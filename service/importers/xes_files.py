"""Which cases does a process log hold? A streaming reader of XES that trusts nothing.

Read are, of a case (`<trace>`), its name (concept:name) and its plain attributes, and of each of
its events the activity (concept:name), its transition (lifecycle:transition), who did it
(org:resource) and when (time:timestamp; without a zone it is UTC). Other attributes of events,
nested attributes, lists and the log's statistics are left alone. A document type declaration is
refused, so that no entity can grow or be fetched. Source: IEEE 1849-2016.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from xml.parsers import expat

from workindex.domain.errors import InvalidInput
from workindex.service.importers.files import chunks

DEPTH_MAX = 100
TOKEN_BYTES_MAX = 8 * 1024 * 1024
CASE_EVENTS_MAX = 100_000
FILE_EVENTS_MAX = 2_000_000
_NAME, _TRANSITION, _RESOURCE, _TIME = (
    "concept:name",
    "lifecycle:transition",
    "org:resource",
    "time:timestamp",
)
_PLAIN = frozenset({"string", "date", "int", "float", "boolean", "id"})


class CaseEvent(NamedTuple):
    """One event of a case; `at` is None where the log does not say when."""

    activity: str
    transition: str | None
    resource: str | None
    at: datetime | None


class Case(NamedTuple):
    """One case; `place` names file, case and position for people, `fault` says what is wrong."""

    place: str
    name: str
    attributes: Mapping[str, Any]
    events: tuple[CaseEvent, ...]
    events_count: int
    fault: InvalidInput | None = None


class XesFile:
    """One file, read once by iterating over it; `log_name` is known with the first case."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.log_name: str | None = None
        self.cases = 0
        self.events = 0
        self._done: deque[Case] = deque()
        self._names: dict[str, int] = {}
        self._path: list[str] = []
        self._trace: dict[str, tuple[str, str]] = {}
        self._event: dict[str, tuple[str, str]] = {}
        self._events: list[dict[str, tuple[str, str]]] = []
        self._last_byte = 0
        self._parser = self._new_parser()

    def __iter__(self) -> Iterator[Case]:
        """The cases in the order of the file.

        Raises: InvalidInput where the file cannot be read any further; what came before is good.
        """
        fed = 0
        for chunk in chunks(self.path):
            fed += len(chunk)
            self._parse(chunk, is_last=False)
            if fed - self._last_byte > TOKEN_BYTES_MAX:
                raise self._broken(f"one piece of it is longer than {TOKEN_BYTES_MAX:,} bytes")
            while self._done:
                yield self._done.popleft()
        self._parse(b"", is_last=True)
        while self._done:
            yield self._done.popleft()

    def _new_parser(self) -> Any:
        parser = expat.ParserCreate()
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        return parser

    def _parse(self, chunk: bytes, *, is_last: bool) -> None:
        try:
            self._parser.Parse(chunk, is_last)
        except expat.ExpatError as error:
            raise self._broken(expat.ErrorString(error.code)) from None
        except (LookupError, ValueError) as error:  # an encoding that the parser does not have
            raise self._broken(str(error)) from None

    def _broken(self, why: str) -> InvalidInput:
        line = self._parser.CurrentLineNumber
        return InvalidInput(
            f"{self.path}:{line}, after case {self.cases}: not a log that can be read: {why}"
        )

    def _doctype(self, *_: object) -> None:
        raise self._broken("it declares a document type or entities, which XES has no use for")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._last_byte = self._parser.CurrentByteIndex
        name = tag.rpartition(":")[2]
        depth = len(self._path)
        if depth == 0 and name != "log":
            raise self._broken(f"its first element is {tag[:80]!r}, expected 'log'")
        if depth >= DEPTH_MAX:
            raise self._broken(f"it is nested deeper than {DEPTH_MAX} levels")
        self._path.append(name)
        if name in _PLAIN and depth in (1, 2, 3):
            self._attribute(name, attributes, self._path[1:-1])

    def _attribute(self, kind: str, given: dict[str, str], inside: list[str]) -> None:
        key, value = given.get("key"), given.get("value")
        if key is None or value is None:
            return
        if inside == ["trace", "event"]:
            self._event[key] = (kind, value)
        elif inside == ["trace"]:
            self._trace[key] = (kind, value)
        elif not inside and key == _NAME:
            self.log_name = value

    def _end(self, tag: str) -> None:
        self._last_byte = self._parser.CurrentByteIndex
        self._path.pop()
        name, depth = tag.rpartition(":")[2], len(self._path)
        if name == "event" and depth == 2 and self._path[1] == "trace":
            self.events += 1
            if self.events > FILE_EVENTS_MAX or len(self._events) >= CASE_EVENTS_MAX:
                raise self._broken(
                    f"a file holds at most {FILE_EVENTS_MAX:,} events and a case "
                    f"{CASE_EVENTS_MAX:,}: split it"
                )
            self._events.append(self._event)
            self._event = {}
        elif name == "trace" and depth == 1:
            self.cases += 1
            self._done.append(self._case())
            self._trace, self._events = {}, []

    def _case(self) -> Case:
        name = self._trace.get(_NAME, ("", ""))[1].strip()
        place = f"{self.path}: case {self.cases}" + (f" ({name[:80]})" if name else "")
        try:
            if not name:
                raise InvalidInput(f"{_NAME}: the case has no name", field=_NAME)
            first = self._names.setdefault(name, self.cases)
            if first != self.cases:
                raise InvalidInput(
                    f"{_NAME}: the case stands twice, first as case {first}", field=_NAME
                )
            events = tuple(
                _event(event, number) for number, event in enumerate(self._events, start=1)
            )
            return Case(place, name, _values(self._trace), events, len(events))
        except InvalidInput as fault:
            return Case(place, name, {}, (), len(self._events), fault)


def _event(given: Mapping[str, tuple[str, str]], number: int) -> CaseEvent:
    def text(key: str) -> str | None:
        return given[key][1].strip() or None if key in given else None

    activity = text(_NAME)
    if activity is None:
        raise InvalidInput(f"event {number}: {_NAME}: the event has no activity", field=_NAME)
    time = text(_TIME)
    try:
        at = None if time is None else moment(time)
    except ValueError:
        raise InvalidInput(
            f"event {number}: {_TIME}: {time!r} is no time such as 2026-03-02T09:00:00+01:00",
            field=_TIME,
        ) from None
    return CaseEvent(activity, text(_TRANSITION), text(_RESOURCE), at)


def moment(text: str) -> datetime:
    """An instant; without a zone it is UTC. Raises: ValueError."""
    at = datetime.fromisoformat(text)
    aware = at.replace(tzinfo=UTC) if at.tzinfo is None else at
    try:
        return aware.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"{text} lies outside the calendar") from error


def _values(given: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    return {key: _value(key, *typed) for key, typed in given.items() if key != _NAME}


def _value(key: str, kind: str, text: str) -> Any:
    try:
        match kind:
            case "int":
                return int(text)
            case "float":
                number = float(text)
                return number if math.isfinite(number) else text
            case "boolean":
                return {"true": True, "1": True, "false": False, "0": False}[text.strip().lower()]
            case _:
                return text
    except (ValueError, KeyError):
        raise InvalidInput(f"{key}: {text[:80]!r} is no {kind}", field=key) from None
