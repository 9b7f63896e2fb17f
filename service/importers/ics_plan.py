"""What is a plan of a calendar's record made of? What is held, what is wished, and the alarms.

Each command carries a mark (version and digest of the definition), which the log keeps as its
cause: that is how the next import knows what was said last.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from workindex.domain.errors import InvalidInput
from workindex.service.importers.ics_alarms import Alarm, Owner, alarms_of
from workindex.service.importers.ics_records import Record, Version, version_of
from workindex.service.importers.ics_times import Clocks

Row = Mapping[str, Any]
_MARK = re.compile(r"ics (\d+/\S+) (\w+)")
_INSTANCE = re.compile(r"\d{8}T\d{6}Z")
LIVE = ("set", "snoozed", "due")


class Mark(NamedTuple):
    """What the source said last of one entity: how new, and the digest of what it said."""

    version: Version
    digest: str

    @property
    def text(self) -> str:
        """The mark as the log keeps it."""
        return f"ics {self.version.text} {self.digest}"


def mark_of(words: str | None) -> Mark | None:
    """The mark of its text, None for the cause of something else."""
    found = _MARK.fullmatch(words or "")
    return None if found is None else Mark(version_of(found[1]), found[2])


class Held(NamedTuple):
    """What the Work Index holds of this source: rows by id, and the last mark of each stream.

    `owned` has the reminders of each meeting and task, `apart` the meetings that are instances
    of a series which was not there when they came, by the id of the series.
    """

    meetings: Mapping[str, Row]
    reminders: Mapping[str, Row]
    tasks: Mapping[str, Row]
    marks: Mapping[str, Mark]
    owned: Mapping[str, Sequence[str]]
    apart: Mapping[str, Sequence[str]]


def held_of(sections: Mapping[str, Sequence[Row]], marks: Mapping[str, Mark], source: str) -> Held:
    """What the sections of the index hold of the source."""
    rows = {
        kind: {row[f"{kind}_id"]: row for row in sections[f"{kind}s"] if row["source"] == source}
        for kind in ("meeting", "reminder", "task")
    }
    owned: dict[str, list[str]] = {}
    for reminder_id, row in rows["reminder"].items():
        owned.setdefault(row["meeting_id"] or row["task_id"] or "", []).append(reminder_id)
    apart: dict[str, list[str]] = {}
    for meeting_id in rows["meeting"]:
        series, _, instance = meeting_id.rpartition("/")
        if _INSTANCE.fullmatch(instance):
            apart.setdefault(series, []).append(meeting_id)
    return Held(rows["meeting"], rows["reminder"], rows["task"], marks, owned, apart)


class Wish(NamedTuple):
    """One command, with the instant at which the calendar says it came about, and its mark."""

    command: dict[str, Any]
    at: datetime | None
    mark: str


class Plan(NamedTuple):
    """What one record asks for.

    `ref` is the meeting or task, `reminders` the ids of its reminders; `outcome` is new, already
    (nothing to do), older (a version before the one that is held) or unknown (the calling-off of
    something that is not held).
    """

    ref: str
    wishes: Sequence[Wish]
    reminders: Sequence[str]
    faults: Sequence[InvalidInput]
    outcome: str


class Planner:
    """Gathers what one record asks for."""

    def __init__(
        self, record: Record, held: Held, clocks: Clocks, source: str, now: datetime
    ) -> None:
        self.record = record
        self.held = held
        self.clocks = clocks
        self.source = source
        self.now = now
        self.part = record.parts[0]
        self.wishes: list[Wish] = []
        self.mark = ""

    def alarms(self, owner: Owner) -> tuple[list[Alarm], list[InvalidInput]]:
        """The alarms of the record, and what is wrong with others."""
        return alarms_of(self.record, owner, self.clocks, self.now)

    def say_alarms(self, owner_id: str, alarms: Sequence[Alarm]) -> None:
        """Sets and changes reminders to what the alarms say; those of no alarm are cancelled."""
        owned = self.held.owned.get(owner_id, ())
        for alarm in alarms:
            self._say_alarm(alarm, [one for one in owned if _base(one) == alarm.id])
        told = {alarm.id for alarm in alarms}
        for reminder_id in owned:
            is_live = self.held.reminders[reminder_id]["status"] in LIVE
            if is_live and _base(reminder_id) not in told:
                self.wish("cancel_reminder", reminder_id=reminder_id)

    def _say_alarm(self, alarm: Alarm, held: Sequence[str]) -> None:
        """Sets or changes the alarm's reminder; one that has ended is followed by another."""
        mine = Mark(self.record.version, alarm.digest)
        marks = [self.held.marks.get(f"reminder/{one}") for one in held]
        if any(mark is not None and mark.digest == alarm.digest for mark in marks):
            return
        last = max(held, key=lambda one: (len(one), one), default=None)
        is_live = last is not None and self.held.reminders[last]["status"] in LIVE
        reminder_id = alarm.id if last is None else last
        if last is not None and is_live:
            self.wish("change_reminder", mark=mine, reminder_id=last, **alarm.fields)
        elif last is None or not alarm.is_over:
            reminder_id = alarm.id if last is None else f"{alarm.id}#{len(held) + 1}"
            given = {name: value for name, value in alarm.fields.items() if value is not None}
            self.wish(
                "set_reminder", mark=mine, reminder_id=reminder_id, source=self.source, **given
            )
            is_live = True
        if alarm.is_over and is_live:
            self.wish("dismiss_reminder", mark=mine, reminder_id=reminder_id, is_last=True)

    def wish(
        self, type_: str, *, mark: Mark | None = None, at: datetime | None = None, **given: Any
    ) -> None:
        """Adds a command."""
        cause = self.mark if mark is None else mark.text
        when = at or self.record.version.modified_at
        self.wishes.append(Wish({"type": type_, **given}, when, cause))

    def plan(
        self,
        ref: str,
        alarms: Sequence[Alarm],
        outcome: str,
        owner_id: str,
        faults: Sequence[InvalidInput] = (),
    ) -> Plan:
        """The plan; what is left as it is keeps its reminders."""
        ids = [alarm.id for alarm in alarms]
        if outcome == "older":
            ids = list(self.held.owned.get(owner_id, ()))
        return Plan(ref, self.wishes, ids, faults, outcome)


def _base(reminder_id: str) -> str:
    """The id of the alarm that a reminder is of, whether the first of it or a later one."""
    return re.sub(r"#\d+$", "", reminder_id)
