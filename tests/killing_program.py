"""A program some of whose folds end it: any event that says "poison" is its last.

Run as a script with what it shall do, the member whose fold is deadly, and the logins. It is the
product's own code; only the sets that it is given are not.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any

from next_program import OPERATOR, with_fold
from workindex.domain.facts import Event
from workindex.eventlog.database import Database
from workindex.projections.follower import Follower
from workindex.projections.parked import Unparker
from workindex.projections.recording import Writer
from workindex.projections.sets import ALL_SETS, ProjectionSet
from workindex.service.client import WorkIndex
from workindex.service.worker import Worker

KINDS = {"work_index": "task", "conversation": "message", "evidence": "document"}


def deadly(projection_set: ProjectionSet, member: str) -> ProjectionSet:
    """The set with a fold that ends the process in the table of the member's kind."""

    def kill(fold: Any) -> Any:
        def folded(row: Any, event: Event) -> Any:
            if "poison" in str(event.fact):
                os.kill(os.getpid(), signal.SIGKILL)
            return fold(row, event)

        return folded

    tables = tuple(
        with_fold(table, kill(table.fold)) if table.kind == KINDS[member] else table
        for table in projection_set.tables
    )
    return projection_set._replace(tables=tables)


def main() -> None:
    """Do one thing and tell what came of it as a line of JSON."""
    what, member, app_url, maint_url = sys.argv[1:]
    sets = tuple(deadly(one, member) for one in ALL_SETS)
    database = Database(app_url, maint_url=maint_url)
    told: Any = None
    match what.split(" "):
        case ["worker"]:
            told = Worker(database, Follower(database, sets=sets)).drain().to_json()
        case ["retry"]:
            told = [one._asdict() for one in Unparker(database, OPERATOR, sets=sets).retry("ann")]
        case ["skip"]:
            unparker = Unparker(database, OPERATOR, sets=sets)
            told = [one._asdict() for one in unparker.skip("ann", member, reason="it kills")]
        case ["record", *park]:
            work_index = WorkIndex(database, projection_set=sets[0])
            assert isinstance(work_index.writer, Writer)
            work_index.writer.let_stand(park)
            scope = work_index.user("ann")
            for line in sys.stdin:
                key = json.loads(line).get("message_id")
                told = scope.record(json.loads(line), actor=OPERATOR, key=key).positions
    database.close()
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
