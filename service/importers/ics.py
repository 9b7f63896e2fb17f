"""How does a calendar become meetings, reminders and tasks? The pure plan of one record.

`plan_record` compares what a record says with what the source said of it last, and gives the
commands that lead there. A record that says the same again has none, and an older version has
none either, so what somebody changed here since then stays until the calendar changes it. Each
command carries a mark of what was said (ics_plan.py). The driver is ics_driver.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from workindex.domain.errors import InvalidInput
from workindex.domain.facts import utc
from workindex.domain.tasks import ENDED
from workindex.projections.recurrence import Series, coming
from workindex.projections.rules import NotExpandable
from workindex.service.importers.ics_alarms import Alarm, Owner
from workindex.service.importers.ics_plan import LIVE, Held, Mark, Plan, Planner, Row, Wish
from workindex.service.importers.ics_records import (
    NO_TITLE,
    Record,
    Span,
    check,
    digest_of,
    instance_at,
    is_cancelled,
    moment,
    override,
    recurrence,
    single,
    span,
    text,
    version_of,
    words,
)
from workindex.service.importers.ics_times import Clocks

_GONE = "it is not in the calendar any more"


def plan_record(
    record: Record, held: Held, clocks: Clocks, source: str, now: datetime
) -> Iterator[Plan]:
    """The plans of a record: one, or one for each exception from a series that is not here.

    Raises: InvalidInput naming the property that is wrong.
    """
    for part in record.parts:
        check(part)
    if record.kind == "VTODO":
        for one in _apart(record):
            yield _Planner(one, held, clocks, source, now).task()
    elif record.main is not None:
        yield _Planner(record, held, clocks, source, now).meeting(record.uid)
    elif (held.meetings.get(record.uid) or {}).get("recurrence"):
        yield _Planner(record, held, clocks, source, now).exceptions()
    else:
        for one in _apart(record):
            at = instance_at(one.parts[0], one, clocks)
            yield _Planner(one, held, clocks, source, now).meeting(
                f"{record.uid}/{at:%Y%m%dT%H%M%SZ}"
            )


def _apart(record: Record) -> Iterator[Record]:
    """The main part and each exception as a record of its own."""
    if record.main is not None:
        yield record._replace(exceptions=())
    for part in record.exceptions:
        yield record._replace(main=None, exceptions=(part,))


def vanished(held: Held, told: set[str], now: datetime) -> list[Wish]:
    """What ends the meetings, reminders and tasks that a whole calendar does not mention.

    What is over already stays as it is.
    """
    wishes = []
    for meeting_id, row in held.meetings.items():
        is_there = f"meeting/{meeting_id}" in told or row["status"] != "scheduled"
        if not is_there and not _is_over(row, now):
            wishes.append({"type": "cancel_meeting", "meeting_id": meeting_id})
    for reminder_id, row in held.reminders.items():
        if f"reminder/{reminder_id}" not in told and row["status"] in LIVE:
            wishes.append({"type": "cancel_reminder", "reminder_id": reminder_id})
    for task_id, row in held.tasks.items():
        if f"task/{task_id}" not in told and row["status"] not in ENDED:
            wishes.append({"type": "cancel_task", "task_id": task_id})
    return [Wish({**command, "reason": _GONE}, None, "") for command in wishes]


def _is_over(row: Row, now: datetime) -> bool:
    start_at = datetime.fromisoformat(row["start_at"])
    end_at = None if row["end_at"] is None else datetime.fromisoformat(row["end_at"])
    if row["recurrence"] is None:
        return (end_at or start_at) <= now
    try:
        return coming(Series(row["recurrence"], start_at, end_at, row["time_zone"]), now) is None
    except NotExpandable:
        return False  # nobody knows


class _Planner(Planner):
    """The plan of one record."""

    def meeting(self, meeting_id: str) -> Plan:
        """An event, with its series and alarms."""
        ref = f"meeting/{meeting_id}"
        row, last = self.held.meetings.get(meeting_id), self.held.marks.get(ref)
        cancelled = is_cancelled(self.part)
        held = span(self.part, self.clocks)
        if row is not None and last is not None and self.record.version.is_older_than(last.version):
            return self.plan(ref, [], "older", meeting_id)
        if cancelled and (held is None or self.part.method == "CANCEL"):
            return self._cancelled(ref, meeting_id, row)
        if held is None:
            raise InvalidInput("DTSTART: an event without one takes no place", field="DTSTART")
        fields = self._meeting_fields(held)
        digest = digest_of({**fields, "cancelled": cancelled})
        self.mark = Mark(self.record.version, digest).text
        if row is None or last is None or last.digest != digest:
            self._say_meeting(meeting_id, row, fields, cancelled)
        owner = Owner("meeting_id", meeting_id, fields["title"], held, fields["recurrence"])
        alarms, faults = ([], []) if cancelled else self.alarms(owner)
        self.say_alarms(meeting_id, alarms)
        self._settle_apart(meeting_id)
        return self.plan(ref, alarms, "new" if self.wishes else "already", meeting_id, faults)

    def exceptions(self) -> Plan:
        """Exceptions alone, from a series that is held."""
        meeting_id = self.record.uid
        ref = f"meeting/{meeting_id}"
        row, last = self.held.meetings[meeting_id], self.held.marks.get(ref)
        told = {one["at"]: one for one in row["recurrence"].get("overrides", ())}
        # One key for one instant, however its text is written.
        known = {datetime.fromisoformat(at): one for at, one in told.items()}
        changed = False
        for part in self.record.exceptions:
            one = override(part, self.record, self.clocks)
            at = datetime.fromisoformat(one["at"])
            before = known.get(at, {})
            mine = version_of(one["version"])
            if "version" in before and mine.is_older_than(version_of(before["version"])):
                continue
            if {**before, "at": at} != {**one, "at": at}:
                known[at], changed = one, True
        if not changed:
            return self.plan(ref, [], "already", meeting_id)
        overrides = [known[at] for at in sorted(known)]
        recurrence = {**row["recurrence"], "overrides": overrides}
        version = self.record.version
        if last is not None and version.is_older_than(last.version):
            version = last.version
        self.mark = Mark(version, digest_of({"recurrence": recurrence})).text
        self.wish("change_meeting", meeting_id=meeting_id, recurrence=recurrence)
        return self.plan(ref, [], "new", meeting_id)

    def task(self) -> Plan:
        """A to-do, or one instance of a repeating one."""
        task_id = self.record.uid
        if self.record.main is None:
            at = instance_at(self.part, self.record, self.clocks)
            task_id = f"{task_id}/{at:%Y%m%dT%H%M%SZ}"
        ref = f"task/{task_id}"
        row, last = self.held.tasks.get(task_id), self.held.marks.get(ref)
        if row is not None and last is not None and self.record.version.is_older_than(last.version):
            return self.plan(ref, [], "older", task_id)
        status = _task_status(self.record)
        held, fields, more = self._task_fields()
        digest = digest_of({**fields, **more, "status": status})
        self.mark = Mark(self.record.version, digest).text
        if row is None and status == "cancelled" and self.part.method == "CANCEL":
            return self.plan(ref, [], "unknown", task_id)
        if row is None or last is None or last.digest != digest:
            self._say_task(task_id, row, fields, more, status)
        alarms: list[Alarm] = []
        faults: list[InvalidInput] = []
        if held is not None:
            ended = status in ENDED
            alarms, faults = self.alarms(
                Owner("task_id", task_id, fields["title"], held, ended=ended)
            )
        self.say_alarms(task_id, alarms)
        return self.plan(ref, alarms, "new" if self.wishes else "already", task_id, faults)

    def _meeting_fields(self, held: Span) -> dict[str, Any]:
        said = words(self.part)
        return {
            **said,
            "title": said["title"] or NO_TITLE["VEVENT"],
            "start_at": utc(held.start.at),
            "end_at": None if held.end is None else utc(held.end.at),
            "time_zone": held.start.zone,
            "recurrence": recurrence(self.record, self.clocks),
        }

    def _cancelled(self, ref: str, meeting_id: str, row: Row | None) -> Plan:
        if row is None:
            return self.plan(ref, [], "unknown", meeting_id)
        self.mark = Mark(self.record.version, digest_of({"cancelled": True})).text
        if row["status"] in ("scheduled", "started"):
            self.wish("cancel_meeting", meeting_id=meeting_id)
        self.say_alarms(meeting_id, [])
        return self.plan(ref, [], "new" if self.wishes else "already", meeting_id)

    def _say_meeting(
        self, meeting_id: str, row: Row | None, fields: Mapping[str, Any], cancelled: bool
    ) -> None:
        status = None if row is None else row["status"]
        if row is None or (status == "cancelled" and not cancelled):
            self.wish("schedule_meeting", meeting_id=meeting_id, source=self.source, **fields)
        elif status != "cancelled":
            self.wish("change_meeting", meeting_id=meeting_id, **fields)
        if cancelled and status not in ("cancelled", "ended"):
            self.wish("cancel_meeting", meeting_id=meeting_id)

    def _settle_apart(self, meeting_id: str) -> None:
        """Exceptions that came before their series are part of it now."""
        for other in self.held.apart.get(meeting_id, ()):
            if self.held.meetings[other]["status"] == "scheduled":
                self.wish("cancel_meeting", meeting_id=other, reason="it is part of its series")

    def _task_fields(self) -> tuple[Span | None, dict[str, Any], dict[str, Any]]:
        due = moment(self.part, "DUE", self.clocks)
        held = span(self.part, self.clocks, "DUE")
        if held is None and due is not None:
            held = Span(due, due)
        ends = None if held is None else held.end
        priority = single(self.part, "PRIORITY")
        fields = {
            "title": text(self.part, "SUMMARY") or NO_TITLE["VTODO"],
            "description": text(self.part, "DESCRIPTION"),
            "priority": int(priority) if isinstance(priority, int) and priority > 0 else None,
            "labels": _labels(self.part.component),
            "due_at": None,
        }
        if ends is not None:
            at = ends.at
            if due is not None and due.is_day:
                # Due on a day is due by its end, on the clock of the day.
                zone = ZoneInfo(due.zone or "UTC")
                at = datetime.combine(at.astimezone(zone).date(), time(23, 59, 59), zone)
            fields["due_at"] = utc(at)
        repeats = recurrence(self.record, self.clocks)
        return held, fields, {} if repeats is None else {"recurrence": {"value": repeats}}

    def _say_task(
        self,
        task_id: str,
        row: Row | None,
        fields: Mapping[str, Any],
        more: Mapping[str, Any],
        status: str,
    ) -> None:
        before = None if row is None else row["status"]
        if row is None:
            given = {name: value for name, value in fields.items() if value not in (None, [])}
            self.wish("create_task", task_id=task_id, source=self.source, fields=more, **given)
        else:
            self.wish("change_task", task_id=task_id, **fields)
        if before in ENDED and status not in ENDED:
            self.wish("reopen_task", task_id=task_id)
        if row is not None and before not in ENDED and more:
            self.wish("set_task_field", task_id=task_id, name="recurrence", **more["recurrence"])
        if status == "active" and before not in ("active", "blocked"):
            self.wish("start_task", task_id=task_id)
        if status == "done" and before not in ENDED:
            completed = moment(self.part, "COMPLETED", self.clocks)
            self.wish(
                "complete_task", at=None if completed is None else completed.at, task_id=task_id
            )
        if status == "cancelled" and before not in ENDED:
            self.wish("cancel_task", task_id=task_id)


def _task_status(record: Record) -> str:
    part = record.parts[0]
    status = (text(part, "STATUS") or "").upper()
    if is_cancelled(part):
        return "cancelled"
    if status == "COMPLETED" or (not status and part.component.get("COMPLETED") is not None):
        return "done"
    return "active" if status == "IN-PROCESS" else "open"


def _labels(component: Any) -> list[str]:
    given = component.get("CATEGORIES")
    lists = given if isinstance(given, list) else [given] if given is not None else []
    labels = (str(label).strip() for one in lists for label in getattr(one, "cats", ()))
    return list(dict.fromkeys(label for label in labels if label))
