"""How do process logs get into the log? File by file, their cases side by side in time.

What a file has new is recorded in the order in which it happened, so that a position of the log
is a moment of the process. Keys say which events are there already: an import that was cut off
goes on where it was, and a longer export of the same log adds its rest.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from pydantic import ValidationError

from workindex.domain.errors import InvalidInput, WorkindexError
from workindex.domain.names import is_name
from workindex.domain.tasks import ENDED
from workindex.projections.planning import Entry
from workindex.service.client import UserScope
from workindex.service.importers.files import files_of
from workindex.service.importers.report import Account, FileCount, Report
from workindex.service.importers.session import Group, Item, Order, Session, Told
from workindex.service.importers.xes import (
    Happening,
    Standing,
    event_keys,
    plan_case,
    task_id_of,
)
from workindex.service.importers.xes_files import Case, XesFile
from workindex.service.importers.xes_mapping import XesMapping, phase_of

COVERS = frozenset({"pending", "tasks"})
ENDINGS = (".xes", ".xes.gz")
_NAME_LENGTH_MAX = 200
# What a command's field is called in the file.
_FIELDS = {"phase": "concept:name", "assignee": "org:resource", "title": "concept:name"}


def import_xes(
    scope: UserScope,
    order: Order,
    mapping: XesMapping,
    prefix: str = "",
    told: Told = lambda _: None,
) -> Report:
    """Brings the cases of the files into the user's tasks; `prefix` stands before each id.

    Raises: InvalidInput where the paths name no files; NotReady where the user's rows cannot be
    trusted; Unavailable.
    """
    run = _Run(scope, order, mapping, prefix)
    for path in files_of(order.paths, ENDINGS):
        run.take(XesFile(path), told)
    return run.end()


class _Run:
    """One run of an import."""

    def __init__(self, scope: UserScope, order: Order, mapping: XesMapping, prefix: str) -> None:
        self._scope = scope
        self._order = order
        self._mapping = mapping
        self._prefix = prefix
        self._session = Session(scope, order, COVERS)
        self._account = Account(self._session)
        self._seen: set[str] = set()
        self._standing: dict[str, Standing] = {}
        self._is_fresh = False

    def take(self, file: XesFile, told: Told) -> None:
        """Reads one file and records what is new in it."""
        before = self._session.rejected_count
        cases: list[Case] = []
        try:
            for case in file:
                if case.fault is None:
                    cases.append(case)
                else:
                    self._session.reject(case.place, case.fault)
        except InvalidInput as error:
            self._session.reject(str(file.path), error)
        for case in cases:
            for event in case.events:
                self._seen |= {event.activity, phase_of(event)}
        self._look()
        known = self._known(cases)
        happenings = self._plan(cases, _family(file), known)
        stored = self._session.record_groups([self._group(one) for one in happenings], told)
        self._is_fresh = not happenings
        self._account.files.append(
            FileCount(
                file=str(file.path),
                found={"cases": file.cases, "events": file.events},
                new=stored.total(),
                already=sum(key in known for case in cases for key in self._keys(case)),
                rejected=self._session.rejected_count - before,
            )
        )

    def end(self) -> Report:
        """The source has been seen."""
        self._session.end()
        unused = self._mapping.unused(self._seen)
        if unused:
            self._account.notes.append(
                f"the mapping names activities that no event has: {', '.join(unused)}"
            )
        return self._account.report()

    def _look(self) -> None:
        """What the Work Index holds of this source's tasks, if it may have changed."""
        if self._is_fresh:
            return
        self._standing = {
            row["task_id"]: Standing(True, row["status"] in ENDED, frozenset(row["requests"]))
            for row in self._session.begin().sections["tasks"]
            if row["source"] == self._order.source
        }

    def _known(self, cases: Sequence[Case]) -> set[str]:
        keys = [key for case in cases for key in self._keys(case)]
        return self._scope.known_keys(self._order.source, keys)

    def _keys(self, case: Case) -> list[str]:
        return event_keys(case, self._task_id(case))

    def _plan(self, cases: Sequence[Case], family: str, known: Collection[str]) -> list[Happening]:
        happenings: list[Happening] = []
        for case in cases:
            task_id = self._task_id(case)
            standing = self._standing.get(task_id, Standing())
            try:
                found = plan_case(
                    case, task_id, self._order.source, family, self._mapping, known, standing
                )
                if found:
                    self._session.check_owner(f"task/{task_id}", case.place)
            except ValidationError as error:
                self._session.reject(case.place, _misfit(error))
            except WorkindexError as error:
                self._session.reject(case.place, error)
            else:
                happenings += found
        return sorted(happenings, key=lambda one: one.order_at)

    def _task_id(self, case: Case) -> str:
        return task_id_of(case, self._prefix)

    def _group(self, one: Happening) -> Group:
        at = None if one.at is None else min(one.at, self._order.started_at)
        return Group(
            one.task_id,
            [
                Item(one.place, Entry(wish.command, key=wish.key, occurred_at=at))
                for wish in one.wishes
            ],
        )


def _misfit(error: ValidationError) -> InvalidInput:
    problem: Any = error.errors(include_url=False)[0]
    field = str(problem["loc"][0])
    named = _FIELDS.get(field, ".".join(map(str, problem["loc"])))
    value = repr(problem["input"])[:80]
    return InvalidInput(f"{named}: {problem['msg']} (got {value})", field=named)


def _family(file: XesFile) -> str:
    """The log's name, the file's where it has none that can be used."""
    name = (file.log_name or "").strip()
    usable = is_name(name, _NAME_LENGTH_MAX)
    return name if usable else file.path.name.removesuffix(".gz").removesuffix(".xes")
