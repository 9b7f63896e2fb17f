"""Which events and to-dos does a calendar file hold, and what in it cannot be read?

The library's parser with three differences: a fault is kept with its component and the rest goes
on, a file that ends too early says so, and VTIMEZONE is data of its own calendar (the library
would work out its dates at once and keep the zone for every later file). Bounded by the sizes
below. Source: RFC 5545; the parser of icalendar 7.3.2, which is pinned.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from icalendar import Component
from icalendar.parser import Parameters
from icalendar.parser.content_line import Contentline, Contentlines
from icalendar.parser.ical.component import ComponentIcalParser

from workindex.domain.canonical import escape_for_display
from workindex.domain.errors import InvalidInput
from workindex.service.importers.files import chunks

FILE_BYTES_MAX = 64 * 1024 * 1024
COMPONENTS_MAX = 100_000
DEPTH_MAX = 16
LINE_CHARS_MAX = 2 * 1024 * 1024
PARTS = {"VEVENT": "event", "VTODO": "to-do"}
# What other people's programs say about an event is no event of the user's calendar.
_ANSWERS = frozenset({"REPLY", "REFRESH", "COUNTER", "DECLINECOUNTER"})
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


class Part(NamedTuple):
    """One event or to-do with what its calendar says beside it.

    `path` is its file, `place` names file, component and UID; `faults` are its lines that cannot
    be read, by the name of the property (empty where a line has none); `zones` its calendar's
    time zones.
    """

    path: Path
    place: str
    component: Component
    faults: Sequence[tuple[str, str]]
    method: str
    zones: Mapping[str, Component]
    calendar_zone: str | None

    @property
    def uid(self) -> str | None:
        """The UID as given, None where there is none."""
        given = self.component.get("UID")
        text = str(given).strip() if isinstance(given, str) else ""
        return text or None


class CalendarFile(NamedTuple):
    """What one file holds; `faults` are those outside of events and to-dos."""

    path: Path
    parts: Sequence[Part]
    faults: Sequence[tuple[str, InvalidInput]]
    skipped: Mapping[str, int]


def read_calendar(path: Path) -> CalendarFile:
    """The file's events and to-dos; a file that is no calendar has a fault and no parts."""
    try:
        roots, faults, lines = _parsed(path)
    except InvalidInput as error:
        return CalendarFile(path, (), [(str(path), error)], {})
    skipped: Counter[str] = Counter()
    if lines:
        skipped["lines outside of every component"] = lines
    parts: list[Part] = []
    for root in roots:
        parts += _parts(path, root, len(parts), skipped)
    for root in roots:
        for name, message in root.errors if root.name not in PARTS else ():
            if name == "END":
                faults.append((f"{path}: {root.name}", _fault(path, root.name, name, message)))
            else:
                skipped[f"properties of {root.name} that cannot be read"] += 1
    return CalendarFile(path, parts, faults, skipped)


def _parts(path: Path, root: Component, before: int, skipped: Counter[str]) -> Iterator[Part]:
    method = str(root.get("METHOD", "")).upper() if root.name == "VCALENDAR" else ""
    held = root.subcomponents if root.name == "VCALENDAR" else [root]
    zones = {str(one["TZID"]): one for one in held if one.name == "VTIMEZONE" and "TZID" in one}
    calendar_zone = root.get("X-WR-TIMEZONE")
    for number, one in enumerate(held, start=before + 1):
        if one.name not in PARTS:
            if one.name != "VTIMEZONE":
                name = str(one.name)
                skipped[name[:50] if _NAME.fullmatch(name) else "components without a name"] += 1
        elif method in _ANSWERS:
            skipped[f"{one.name} of METHOD:{method}"] += 1
        else:
            faults = [(name or "", message) for name, message in one.errors]
            named = one.get("UID") or f"number {number}"
            place = f"{path}: {one.name} {str(named)[:200]}"
            zone = None if calendar_zone is None else str(calendar_zone)
            yield Part(path, place, one, faults, method, zones, zone)


def _parsed(path: Path) -> tuple[list[Component], list[tuple[str, InvalidInput]], int]:
    data = b"".join(chunks(path, FILE_BYTES_MAX))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{path} is not UTF-8 (byte {error.start + 1:,}): convert it, iCalendar files are"
        ) from None
    parser = _Parser(path, text)
    roots = parser.parse()
    if not roots:
        raise InvalidInput(f"{path} holds no calendar: it has no whole BEGIN:VCALENDAR … END")
    return roots, parser.faults, parser.lines_outside


class _Parser(ComponentIcalParser):
    """The library's parser, keeping faults where it would stop, and times as they are written."""

    datetime_names = ()  # zones are looked up by ics_times.py, among those of the calendar

    def __init__(self, path: Path, text: str) -> None:
        super().__init__(text, Component._get_component_factory(), Component.types_factory)
        self._path = path
        self._text = text
        self._count = 0
        self.faults: list[tuple[str, InvalidInput]] = []
        self.lines_outside = 0

    def parse(self) -> list[Component]:
        self._stack = []
        self._components = []
        lines: list[Contentline] = Contentlines.from_ical(self._text)  # type: ignore[no-untyped-call]
        for line in lines:
            self._take(line)
        while self._stack:
            name = self._stack[-1].name
            self._note(self._stack[-1], "END", f"the file ends within {name}")
            self.handle_end_component(str(name))
        return self._components

    def _take(self, line: Contentline) -> None:
        if not line:
            return
        if len(line) > LINE_CHARS_MAX:
            raise InvalidInput(f"{self._path}: a line has more than {LINE_CHARS_MAX:,} characters")
        try:
            name, params, value = line.parts()
        except ValueError as error:
            found = _NAME.match(line)
            self._note(self.component, found[0].upper() if found else "", str(error))
            return
        match name.upper():
            case "BEGIN":
                self._count += 1
                if self._count > COMPONENTS_MAX or len(self._stack) >= DEPTH_MAX:
                    raise InvalidInput(
                        f"{self._path} is too large: at most {COMPONENTS_MAX:,} components, "
                        f"{DEPTH_MAX} within each other"
                    )
                self.handle_begin_component(value)
            case "END":
                self._end(value.upper())
            case _ if self.component is None:
                self._note(None, name, f"{name} stands outside of every component")
            case upper:
                self._property(upper, params, value, line)

    def _end(self, name: str) -> None:
        if not self._stack:
            self._note(None, "END", f"END:{name[:50]} has no BEGIN")
            return
        if self._stack[-1].name != name:
            message = f"END:{name[:50]} stands within {self._stack[-1].name}"
            self._note(self._stack[-1], "END", message)
        self.handle_end_component(name)

    def handle_end_component(self, vals: str) -> None:  # noqa: ARG002 - the library's signature
        """Closes the innermost component, without making its zone known to the whole process."""
        component = self._stack.pop()
        if self._stack:
            self._stack[-1].add_component(component)
        else:
            self._components.append(component)

    def _property(self, name: str, params: Parameters, value: str, line: Contentline) -> None:
        try:
            self.handle_property(name, params, value, line)
        except (ValueError, TypeError, OverflowError, KeyError, IndexError) as error:
            self._note(self.component, name, str(error) or type(error).__name__)

    def handle_property_parse_error(self, exception: Exception, name: str, *_: Any) -> None:
        """Keeps the fault with its component and leaves the property out."""
        self._note(self.component, name, str(exception))

    def _note(self, component: Component | None, name: str, message: str) -> None:
        if component is not None:
            component.errors.append((name, message))
        elif name == "END":
            self.faults.append((str(self._path), _fault(self._path, "", name, message)))
        else:
            self.lines_outside += 1


def _fault(path: Path, component: str | None, name: str, message: str) -> InvalidInput:
    place = ": ".join(part for part in (str(path), component, name) if part)
    return InvalidInput(escape_for_display(f"{place}: {message[:300]}"), field=name or None)
