"""How do an office's tables get into the log? All of one kind together, then what they lack.

Rows are compared with the Work Index, so an import that was cut off goes on where it was and one
that is run again changes nothing. Removing most of a kind waits for somebody to accept it, and a
kind with a bad row removes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from zoneinfo import ZoneInfo

from workindex.domain.errors import InvalidInput, WorkindexError
from workindex.domain.facts import Command
from workindex.projections.planning import Entry
from workindex.service.client import UserScope
from workindex.service.importers.files import files_of
from workindex.service.importers.report import Account, FileCount, Report
from workindex.service.importers.session import (
    Accepting,
    Group,
    Item,
    Order,
    Session,
    Suspicion,
    Told,
)
from workindex.service.importers.workbench import (
    Row,
    plan_mail,
    plan_meeting,
    plan_removals,
    plan_task,
)
from workindex.service.importers.workbench_files import (
    Mail,
    Meeting,
    Record,
    Sheet,
    read_sheet,
)

ENDINGS = (".csv", ".csv.gz")
_COVERS: Mapping[str, frozenset[str]] = {
    "meetings": frozenset({"meetings"}),
    "tasks": frozenset({"pending", "tasks"}),
}
_REF = {"meetings": "meeting", "tasks": "task"}


def import_workbench(
    scope: UserScope,
    order: Order,
    zone: ZoneInfo,
    told: Told = lambda _: None,
    accepting: Accepting = lambda _: None,
) -> Report:
    """Brings the user's meetings, messages and tasks of this source to what the tables say.

    `accepting` hears of a removal before it is applied in the name of `accepted_by`.

    Raises: InvalidInput where the paths name no files; NotReady where the user's rows cannot be
    trusted; Unavailable.
    """
    sheets: list[Sheet] = []
    unread: list[tuple[str, WorkindexError]] = []
    for path in files_of(order.paths, ENDINGS):
        try:
            sheets.append(read_sheet(path, zone))
        except InvalidInput as error:
            unread.append((str(path), error))
    return _Run(scope, order, sheets, unread, accepting).report(told)


class _Run:
    """One run of an import."""

    def __init__(
        self,
        scope: UserScope,
        order: Order,
        sheets: list[Sheet],
        unread: list[tuple[str, WorkindexError]],
        accepting: Accepting,
    ) -> None:
        kinds = {sheet.kind for sheet in sheets}
        covers = {kind for name, some in _COVERS.items() if name in kinds for kind in some}
        self._scope = scope
        self._order = order
        self._sheets = sheets
        self._session = Session(scope, order, covers, accepting)
        self._account = Account(self._session)
        self._rows = self._held()
        self._named: dict[str, dict[str, str]] = {kind: {} for kind in ("messages", *_REF)}
        self._faulty: set[str] = set()
        for place, error in unread:
            self._session.reject(place, error)
            self._account.files.append(FileCount(place, {}, 0, 0, rejected=1))
            self._faulty |= set(_REF)

    def report(self, told: Told) -> Report:
        """Applies everything and tells what came of it."""
        for sheet in self._sheets:
            if sheet.is_skipped:
                self._account.skipped[sheet.kind] += sheet.rows
            else:
                self._take(sheet, told)
        for kind in _REF:
            if any(sheet.kind == kind for sheet in self._sheets):
                self._remove(kind)
        self._session.end(is_suspect=self._session.stopped is not None)
        return self._account.report()

    def _held(self) -> dict[str, dict[str, Row]]:
        sections = self._session.begin().sections
        source = self._order.source
        return {
            kind: {row[f"{ref}_id"]: row for row in sections[kind] if row["source"] == source}
            for kind, ref in _REF.items()
        }

    def _take(self, sheet: Sheet, told: Told) -> None:
        before = self._session.rejected_count
        groups: list[Group] = []
        for record in sheet.records:
            try:
                items = self._planned(sheet.kind, record)
            except WorkindexError as error:
                self._session.reject(record.place, error)
                self._faulty.add(sheet.kind)
            else:
                if items:
                    groups.append(Group(record.place, items))
        groups = self._unknown(groups)
        stored = self._session.record_groups(groups, told).total()
        rejected = self._session.rejected_count - before
        already = sheet.rows - stored - rejected
        self._account.files.append(
            FileCount(str(sheet.path), {sheet.kind: sheet.rows}, stored, already, rejected)
        )

    def _planned(self, kind: str, record: Record) -> list[Item]:
        """What a row asks for.

        Raises: InvalidInput, CommandRefused where the row is left out.
        """
        value = record.value
        if isinstance(value, InvalidInput):
            raise value
        first = self._named[kind].setdefault(value.id, record.place)
        if first != record.place:
            raise InvalidInput(f"the id stands twice, first in {first}: keep one", field="id")
        if isinstance(value, Mail):
            key, posted = plan_mail(value)
            at = min(value.at, self._order.started_at)
            return [Item(record.place, Entry(posted, key=key, occurred_at=at))]
        self._session.check_owner(f"{_REF[kind]}/{value.id}", record.place)
        row, source = self._rows[kind].get(value.id), self._order.source
        planned = (
            plan_meeting(value, row, source)
            if isinstance(value, Meeting)
            else plan_task(value, row, source)
        )
        return [Item(record.place, Entry(command)) for command in planned]

    def _unknown(self, groups: list[Group]) -> list[Group]:
        """Without the mails that were recorded before."""
        keys = [item.entry.key for group in groups for item in group.items if item.entry.key]
        known = self._scope.known_keys(self._order.source, keys)
        return [group for group in groups if group.items[0].entry.key not in known]

    def _remove(self, kind: str) -> None:
        rows = self._rows[kind]
        commands = plan_removals(kind, rows, set(self._named[kind]))
        if not commands:
            return
        if kind in self._faulty:
            self._account.notes.append(
                f"{len(commands)} {kind} are named by nothing that could be read and were kept: "
                "mend what was left out, then import again"
            )
            return
        files = ", ".join(str(sheet.path) for sheet in self._sheets if sheet.kind == kind)
        held = _alive(kind, rows)
        found = Suspicion(files, len(commands), held, len(self._named[kind]))
        actor = self._session.remover(found, f"{len(commands)} {kind}")
        if actor is None:
            return
        groups = [Group(_ref(one), [Item(f"{files}: {_ref(one)}", Entry(one))]) for one in commands]
        self._session.record_groups(groups, actor=actor)


def _alive(kind: str, rows: Mapping[str, Row]) -> int:
    """How many of the rows could be removed."""
    return len(rows) if kind == "tasks" else sum(r["status"] == "scheduled" for r in rows.values())


def _ref(command: Command) -> str:
    return command.stream.replace("/", " ", 1)
