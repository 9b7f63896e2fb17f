"""The next program: one whose folds, fold version and facts differ from those of this one.

In its rows every task's title ends in an exclamation mark, and it knows a second version of
task_started. Run as a script with the version of the program and the logins, it is a process of
its own that answers one line of JSON with another.
"""

from __future__ import annotations

import copy
import json
import sys
from typing import Any

from workindex import WorkIndex
from workindex.domain.errors import WorkindexError
from workindex.domain.facts import Actor, Event
from workindex.domain.tasks import TaskStarted
from workindex.eventlog.database import Database
from workindex.eventlog.mapper import MODELS, FactMapper
from workindex.projections.rebuild import Rebuilder
from workindex.projections.sets import INLINE, ProjectionSet
from workindex.projections.table import AnyTable
from workindex.projections.tasks import WORK_TASK, TaskRow, fold_task

MARK = "!"
ME = Actor(kind="user", id="ann")
OPERATOR = Actor(kind="operator", id="the-operator")


class TaskStartedNext(TaskStarted):
    """A version of task_started that this program does not know."""

    schema_version: int = 2


def fold_task_next(row: TaskRow | None, event: Event) -> TaskRow | None:
    """The task's row with a mark at the end of its title."""
    plain = row and row._replace(title=row.title.removesuffix(MARK))
    folded = fold_task(plain, event)
    return folded and folded._replace(title=folded.title + MARK)


def with_fold(table: AnyTable, fold: Any) -> AnyTable:
    """The same table, kept by another fold."""
    changed = copy.copy(table)
    changed.fold = fold
    return changed


NEXT_TABLES = tuple(
    with_fold(table, fold_task_next) if table is WORK_TASK else table for table in INLINE.tables
)
NEXT = ProjectionSet(INLINE.name, INLINE.fold_version + 1, NEXT_TABLES)
NEXT_MAPPER = FactMapper({**MODELS, ("task_started", 2): TaskStartedNext})
# By the version of the program: its folds and its facts.
PROGRAMS = {1: (INLINE, FactMapper()), 2: (NEXT, NEXT_MAPPER)}


def told(work_index: WorkIndex, line: dict[str, Any]) -> dict[str, Any]:
    """What the program answers: to a command of a user, a question, or a rebuild."""
    if "rebuild" in line:
        rebuilder = Rebuilder(
            work_index.database,
            projection_set=work_index.projection_set,
            mapper=work_index.mapper,
        )
        return rebuilder.rebuild(OPERATOR).to_json()
    user = work_index.user(line["user"])
    if "command" in line:
        receipt = user.record(line["command"], actor=ME, key=line.get("key"))
        return {"positions": list(receipt.positions)}
    answer = user.ask("what needs me?")
    assert answer is not None
    return {
        "verdict": answer.verdict,
        "reasons": list(answer.reasons),
        "titles": sorted(str(item.title) for item in answer.items),
        "projection": answer.certificate["projections"][0],
    }


def main() -> None:
    """Answer each line until there are no more."""
    version, app_url, maint_url = sys.argv[1:]
    projection_set, mapper = PROGRAMS[int(version)]
    database = Database(app_url, maint_url=maint_url)
    work_index = WorkIndex(database, projection_set=projection_set, mapper=mapper)
    for line in sys.stdin:
        try:
            answer = told(work_index, json.loads(line))
        except WorkindexError as error:
            answer = {"error": error.code, "message": str(error)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    database.close()


if __name__ == "__main__":
    main()
