"""How do calendars get into the log? File by file, record by record, each stored whole.

All files of one command are read first: of one event in several of them the newest counts. What
the source said last of each event is read from the log, so the same files change nothing, an
import that was cut off goes on with what is missing, and an older export undoes nothing. A file
is a view of a part of the calendar: what it does not mention stays, unless the files are said to
be the whole calendar.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from workindex.domain.errors import InvalidInput, WorkindexError
from workindex.projections.planning import Entry
from workindex.service.client import UserScope
from workindex.service.importers.files import files_of
from workindex.service.importers.ics import plan_record, vanished
from workindex.service.importers.ics_files import CalendarFile, read_calendar
from workindex.service.importers.ics_plan import Held, Mark, Plan, Wish, held_of, mark_of
from workindex.service.importers.ics_records import PROPERTIES, Record, records
from workindex.service.importers.ics_times import Clocks, zone_named
from workindex.service.importers.report import Account, FileCount, Report
from workindex.service.importers.session import (
    Accepting,
    Group,
    Item,
    Order,
    Session,
    Suspicion,
    Told,
    key_of,
)
from workindex.service.parsing import parse_command

ENDINGS = (".ics", ".ical", ".ics.gz")
_KINDS = {"VEVENT": "meeting", "VTODO": "task"}


class View(NamedTuple):
    """How the files are to be read: where the user is, and whether they are the whole calendar."""

    home: str | None = None
    is_whole: bool = False


PLAIN = View()


def import_ics(
    scope: UserScope,
    order: Order,
    view: View = PLAIN,
    told: Told = lambda _: None,
    accepting: Accepting = lambda _: None,
) -> Report:
    """Brings the user's meetings, reminders and tasks of this source to what the files say.

    `accepting` hears of removals before they are made in the name of the order's `accepted_by`.

    Raises: InvalidInput where the paths name no files or `home` no zone; NotReady where the
    user's rows cannot be trusted; Unavailable.
    """
    if view.home is not None and zone_named(view.home) is None:
        raise InvalidInput(
            f"{view.home!r} is not a time zone: give a name such as Europe/Berlin", field="tz"
        )
    files = [read_calendar(path) for path in files_of(order.paths, ENDINGS)]
    run = _Run(scope, order, view, files, accepting)
    for file in files:
        run.take(file, told)
    return run.end()


class _Run:
    """One run of an import."""

    def __init__(
        self,
        scope: UserScope,
        order: Order,
        view: View,
        files: Sequence[CalendarFile],
        accepting: Accepting,
    ) -> None:
        self._scope = scope
        self._order = order
        self._view = view
        self._session = Session(scope, order, _covers(files), accepting)
        self._account = Account(self._session)
        self._clocks = Clocks(view.home or _known_zone(scope.time_zone))
        self._marks: dict[str, Mark] = {}
        self._read_through = 0
        self._told: set[str] = set()
        known, aside = records(part for file in files for part in file.parts)
        self._account.skipped.update({"other versions of the same": aside} if aside else {})
        self._records: dict[Path, list[Record]] = {}
        for record in known:
            self._records.setdefault(record.parts[0].path, []).append(record)
        self._held = self._look()

    def take(self, file: CalendarFile, told: Told) -> None:
        """Records what one file has new."""
        before = self._session.rejected_count
        for place, fault in file.faults:
            self._session.reject(place, fault)
        self._account.skipped.update(file.skipped)
        found: Counter[str] = Counter(meetings=0, reminders=0, tasks=0)
        groups: list[Group] = []
        already = 0
        for record in self._records.get(file.path, ()):
            # Whatever is wrong with it, it is there: a whole calendar has not lost it.
            self._told.add(f"{_KINDS[record.kind]}/{record.uid}")
            for plan in self._plans(record):
                group = self._group(record, plan)
                if group is None and plan.wishes:
                    continue
                self._count(plan, record, found)
                if group is not None:
                    groups.append(group)
                elif plan.outcome == "already":
                    already += 1
        self._session.record_groups(groups, told)
        self._account.files.append(
            FileCount(
                file=str(file.path),
                found=dict(found),
                new=len(groups),
                already=already,
                rejected=self._session.rejected_count - before,
            )
        )

    def end(self) -> Report:
        """What is gone is called off if the files were the whole; then the source has been seen."""
        if self._view.is_whole:
            self._remove()
        if self._session.stopped is None:
            self._session.end()
        for zone, count in sorted(self._clocks.at_home.items()):
            self._account.notes.append(
                f"{count:,} dates and times without a zone were read in {zone}"
            )
        return self._account.report()

    def _plans(self, record: Record) -> list[Plan]:
        try:
            self._session.check_owner(f"{_KINDS[record.kind]}/{record.uid}", record.place)
            return list(
                plan_record(
                    record, self._held, self._clocks, self._order.source, self._order.started_at
                )
            )
        except WorkindexError as error:
            self._session.reject(record.place, error)
            return []

    def _group(self, record: Record, plan: Plan) -> Group | None:
        """The commands of a plan, None where there are none or one of them is refused."""
        for fault in plan.faults:
            self._session.reject(record.place, fault)
        if not plan.wishes:
            return None
        try:
            items = [self._item(record.place, wish) for wish in plan.wishes]
        except InvalidInput as error:
            self._session.reject(record.place, _in_words_of_file(error))
            return None
        return Group(plan.ref, items)

    def _count(self, plan: Plan, record: Record, found: Counter[str]) -> None:
        self._told.update((plan.ref, *(f"reminder/{one}" for one in plan.reminders)))
        if plan.outcome == "unknown":
            self._account.skipped["calling-off of something that is not here"] += 1
            return
        if plan.outcome == "older":
            self._account.skipped["versions older than what is held"] += 1
        found[f"{_KINDS[record.kind]}s"] += 1
        found["reminders"] += len(plan.reminders)

    def _item(self, place: str, wish: Wish) -> Item:
        command = parse_command(wish.command)
        key = key_of(self._session.position, wish.mark, command.type, command.stream)
        at = wish.at
        if at is not None:
            at = None if at.year < 1_900 else min(at, self._order.started_at)
        entry = Entry(command, key, occurred_at=at, causation_id=wish.mark or None)
        return Item(place, entry)

    def _remove(self) -> None:
        """Ends what the whole calendar does not mention; much of it only if somebody accepts."""
        if self._session.rejected_count:
            self._account.notes.append(
                "nothing was called off as missing: some of the files could not be read whole"
            )
            return
        self._held = self._look()
        wishes = vanished(self._held, self._kept(), self._order.started_at)
        if not wishes:
            return
        held = len(self._held.meetings) + len(self._held.reminders) + len(self._held.tasks)
        label = "the whole calendar"
        actor = self._session.remover(Suspicion(label, len(wishes), held, held - len(wishes)))
        if actor is None:
            seen = Entry(self._session.observed("suspect"))
            self._session.record([Item(f"source {self._order.source}", seen)])
            return
        groups = [
            Group(item.entry.command.stream, [item])
            for item in (self._item(label, wish) for wish in wishes)
        ]
        self._session.record_groups(groups, actor=actor)

    def _kept(self) -> set[str]:
        """What was told, with everything that belongs to it: instances, and later reminders."""
        kept = set(self._told)
        for series, apart in self._held.apart.items():
            if f"meeting/{series}" in kept:
                kept.update(f"meeting/{one}" for one in apart)
        for reminder_id in self._held.reminders:
            if f"reminder/{reminder_id.partition('#')[0]}" in kept:
                kept.add(f"reminder/{reminder_id}")
        return kept

    def _look(self) -> Held:
        """What the Work Index holds of this source, and what the log says was told last."""
        index = self._session.begin()
        importer = self._session.importer
        if any(row["source"] == self._order.source for row in index.sections["sources"]):
            for event in self._scope.log(self._read_through + 1, index.position):
                mark = mark_of(event.causation_id)
                if mark is not None and event.actor == importer:
                    self._marks[event.fact.stream] = mark
        self._read_through = index.position
        return held_of(index.sections, self._marks, self._order.source)


def _covers(files: Sequence[CalendarFile]) -> set[str]:
    parts = [part for file in files for part in file.parts]
    covers = {"meetings"}
    if any(part.component.name == "VTODO" for part in parts):
        covers.add("tasks")
    if any(one.name == "VALARM" for part in parts for one in part.component.subcomponents):
        covers.add("reminders")
    return covers


def _known_zone(name: str | None) -> str | None:
    """The zone of the user's settings, if this machine knows it."""
    return None if name is None else zone_named(name)


def _in_words_of_file(error: InvalidInput) -> InvalidInput:
    """The fault with the name of the property that the command's field comes from."""
    field = (error.field or "").split(".")[0]
    name = PROPERTIES.get(field)
    return error if name is None else InvalidInput(f"{name}: {error}", field=name)
