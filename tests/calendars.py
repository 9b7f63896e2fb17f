"""Calendar files of our own, for tests."""

from __future__ import annotations

from pathlib import Path


def component(kind: str, *lines: str) -> str:
    """One component of its content lines; a nested one may stand among them."""
    body = "".join(line if line.endswith("\r\n") else f"{line}\r\n" for line in lines)
    return f"BEGIN:{kind}\r\n{body}END:{kind}\r\n"


def event(uid: str, *lines: str, start: str = ":20260303T090000Z", title: str = "") -> str:
    """An event of half an hour unless its lines say otherwise."""
    named = {line.partition(":")[0].partition(";")[0] for line in lines}
    usual = [] if named & {"DTEND", "DURATION"} or "DATE" in start else ["DURATION:PT30M"]
    head = [f"UID:{uid}", f"SUMMARY:{title or uid}", f"DTSTART{start}"]
    return component("VEVENT", *head, *usual, *lines)


def alarm(trigger: str, *lines: str) -> str:
    """An alarm to be shown."""
    return component("VALARM", "ACTION:DISPLAY", f"TRIGGER{trigger}", *lines)


def todo(uid: str, *lines: str) -> str:
    """A to-do."""
    return component("VTODO", f"UID:{uid}", f"SUMMARY:{uid}", *lines)


def calendar(*parts: str, head: str = "") -> str:
    """A calendar's text."""
    return component("VCALENDAR", "VERSION:2.0", "PRODID:test", *([head] if head else []), *parts)


def write(path: Path, *parts: str, head: str = "") -> Path:
    """A file with one calendar."""
    path.write_bytes(calendar(*parts, head=head).encode())
    return path
