"""A process of its own that records and reads as it is told over a pipe.

It is this program or the next one, with other folds. Its folds of tasks and claims fail on what is
marked as poison, so that a user parks the same way in every process. The failpoint of an
instruction holds for that instruction only.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Sequence
from datetime import datetime
from multiprocessing.connection import Connection as Pipe
from typing import Any, NamedTuple

import psycopg

from db.stateful.oracle_rules import POISON
from next_program import OPERATOR, PROGRAMS
from workindex.domain import ALL_COMMANDS
from workindex.domain.errors import (
    BatchRefused,
    CommandRefused,
    DuplicateKeyConflict,
    InvalidInput,
    Unavailable,
)
from workindex.domain.facts import Actor, Event
from workindex.eventlog.database import Database
from workindex.eventlog.failpoints import VARIABLE
from workindex.projections.awaiting import catch_up_user
from workindex.projections.follower import Follower
from workindex.projections.generations import list_generations, rollback, switch
from workindex.projections.index import Index
from workindex.projections.loading import Stale
from workindex.projections.memory import TABLES as MEMORY_TABLES
from workindex.projections.planning import Entry, Order, order_of
from workindex.projections.rebuild import Rebuilder
from workindex.projections.recording import Clock, Receipt, Writer
from workindex.projections.retire import retire
from workindex.projections.sets import ProjectionSet
from workindex.projections.table import AnyTable
from workindex.projections.tasks import TABLES as TASK_TABLES
from workindex.service.client import WorkIndex

# The kinds whose folds fail on poison.
POISONED = {table.kind for table in (*TASK_TABLES, *MEMORY_TABLES)}
COMMANDS = {command.model_fields["type"].default: command for command in ALL_COMMANDS}
SOURCE = "stateful"
QUESTION = "what needs me?"
NOTHING = "Nothing needs you right now."


class Instruction(NamedTuple):
    """Record these commands for a user; `locked` leaves the fast path out."""

    user_id: str
    commands: list[dict[str, Any]]
    actor: str
    key: str
    now: datetime
    failpoint: str | None = None
    locked: bool = False


class Look(NamedTuple):
    """Read a user's index at an instant."""

    user_id: str
    now: datetime
    at_position: int | None = None


class Operate(NamedTuple):
    """What an operator does with the generations of the worker's fold version.

    `users` are those whom a `catch_up` brings to the head.
    """

    action: str
    failpoint: str | None = None
    users: tuple[str, ...] = ()


class Result(NamedTuple):
    """What came of an instruction: done | refused | conflict | unknown | killed | broken.

    `positions` has one tuple a command; `duplicate` says that the key was seen before.
    """

    kind: str
    positions: tuple[tuple[int, ...], ...] = ()
    duplicate: bool = False
    text: str = ""


class _LockedWriter(Writer):
    """Always takes the locked path."""

    def _fast(self, user_id: str, orders: Sequence[Order], clock: Clock) -> list[Receipt]:
        raise Stale


def run(pipe: Pipe, app_url: str, maint_url: str | None = None, version: int = 1) -> None:
    """The life of a worker: one answer for each instruction, until None comes."""
    projection_set, _ = PROGRAMS[version]
    for table in projection_set.tables:
        if table.kind in POISONED:
            _poison(table)
    database = Database(app_url, maint_url=maint_url, pool_max=2)
    writers = (
        Writer(database, projection_set=projection_set),
        _LockedWriter(database, projection_set=projection_set),
    )
    work_index = WorkIndex(database, projection_set=projection_set)
    while (told := pipe.recv()) is not None:
        answer: Any
        try:
            if isinstance(told, Look):
                answer = view(work_index, told)
            elif isinstance(told, Operate):
                answer = _operate(work_index, told)
            else:
                answer = _record(writers[told.locked], told)
        except Exception:  # noqa: BLE001 - whatever it is, the test shows it with its program
            answer = Result("broken", text=traceback.format_exc())
        pipe.send(answer)
    database.close()


def _poison(table: AnyTable) -> None:
    fold = table.fold

    def fold_or_fail(row: Any, event: Event) -> Any:
        marks = (getattr(event.fact, "title", None), getattr(event.fact, "value", None))
        if POISON in marks:
            raise ValueError("poison")
        return fold(row, event)

    table.fold = fold_or_fail


def _operate(work_index: WorkIndex, told: Operate) -> Result:
    if told.failpoint is not None:
        os.environ[VARIABLE] = told.failpoint
    try:
        _act(work_index.database, work_index.projection_set, told)
    except (CommandRefused, InvalidInput) as refusal:
        return Result("refused", text=str(refusal))
    except (Unavailable, psycopg.OperationalError) as error:
        return Result("unknown", text=str(error))
    finally:
        os.environ.pop(VARIABLE, None)
    return Result("done")


def _act(database: Database, projection_set: ProjectionSet, told: Operate) -> None:
    given: dict[str, Any] = {"projection_set": projection_set}
    if told.action == "rebuild":
        while Rebuilder(database, **given).rebuild(OPERATOR).done.parked:
            pass  # it stops at each user who parks
    elif told.action == "retire":
        kept = [
            one["generation"]
            for one in list_generations(database)
            if (one["projection_set"], one["state"]) == (projection_set.name, "kept")
        ]
        retire(database, OPERATOR, generation=min(kept, default=None), **given)
    elif told.action == "catch_up":
        follower = Follower(database, sets=(projection_set,))
        for user_id in told.users:
            catch_up_user(follower, database, user_id, timeout_s=30)
    else:  # parked users would refuse it
        change = {"switch": switch, "rollback": rollback}[told.action]
        change(database, OPERATOR, force="users are parked", **given)


def _record(writer: Writer, told: Instruction) -> Result:
    actor = Actor(kind=told.actor, id=f"the-{told.actor}")
    orders = []
    for place, document in enumerate(told.commands):
        command = COMMANDS[document["type"]].model_validate(document)
        orders.append(order_of(Entry(command, f"{told.key}:{place}"), SOURCE, actor))
    if told.failpoint is not None:
        os.environ[VARIABLE] = told.failpoint
    try:
        receipts = writer.write(told.user_id, orders, told.now)
    except DuplicateKeyConflict as conflict:
        return Result("conflict", text=conflict.code)
    except (CommandRefused, BatchRefused) as refusal:
        return Result("refused", text=refusal.code)
    except (Unavailable, psycopg.OperationalError) as error:
        return Result("unknown", text=str(error))
    finally:
        os.environ.pop(VARIABLE, None)
    assert len({receipt.duplicate for receipt in receipts}) == 1, receipts
    positions = tuple(receipt.positions for receipt in receipts)
    return Result("done", positions, receipts[0].duplicate)


def view(work_index: WorkIndex, look: Look) -> dict[str, Any]:
    """The index in the form that `oracle.view` gives, what is answered, and all rows.

    The index reads every row and the answer only open ones, so that both readers are compared.
    """
    scope = work_index.user(look.user_id)
    index = scope.index(look.now, look.at_position)
    answer = scope.ask(QUESTION, look.now, at_position=look.at_position)
    assert answer is not None
    return {
        "position": index.position,
        "verdict": index.proof.verdict,
        "reasons": set(index.proof.reasons),
        "valid_until": index.proof.certificate["valid_until"],
        "answer": (answer.verdict, set(answer.reasons)),
        "says_nothing": answer.text == NOTHING,
        "fold_versions": {p["fold_version"] for p in index.proof.certificate["projections"]},
        "sections": index.sections,
        "view": _compared(index) | {"needs": sorted((i.kind, i.id) for i in answer.items)},
    }


def _compared(index: Index) -> dict[str, Any]:
    sections = index.sections
    return {
        "tasks": {
            row["task_id"]: {
                "status": row["status"],
                "pending": row["pending"],
                "blocked_by": sorted(row["blocked_by"]),
                "requests": sorted(row["requests"]),
            }
            for row in sections["tasks"]
        },
        "approvals": {row["approval_id"]: row["status"] for row in sections["approvals"]},
        "reminders": {row["reminder_id"]: row["status"] for row in sections["reminders"]},
        "proposals": {row["proposal_id"]: row["status"] for row in sections["proposals"]},
        "sources": {row["source"]: row["state"] for row in sections["sources"]},
    }
