"""Processes that open and answer needs while others ask, and what they know of each other.

Each writer owns some users. A user has one slot for each kind of need, and a slot's phase counts
on: closed, opening, open, closing, closed again. The writer moves it before it sends a command
and after it is acknowledged. A reader looks at the phases before and after it asks: a slot that
was open in both, in the same phase, was certainly open throughout.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from multiprocessing.sharedctypes import RawArray
from typing import Any, Protocol

from workindex.domain.facts import Actor
from workindex.eventlog.database import Database
from workindex.service.client import UserScope, WorkIndex

USERS = 8
KINDS = ("task", "approval", "reminder", "proposal")
CLOSED, OPENING, OPEN, CLOSING = range(4)
EMPTY_TEXT = "Nothing needs you right now."
COUNTS = ("reads", "empty", "unproven", "open_checked", "closed_checked", "violations")
USER = Actor(kind="user", id="the-user")
LATER = datetime(2030, 1, 1, tzinfo=UTC)


class Shared(Protocol):
    """An array of counters that every process sees."""

    def __getitem__(self, place: int, /) -> int: ...
    def __setitem__(self, place: int, value: int, /) -> None: ...


class Board:
    """What the processes share: the phases of all slots, their counts, and the sign to stop."""

    def __init__(self, readers: int, writers: int) -> None:
        self.phases: Shared = RawArray(ctypes.c_int64, USERS * len(KINDS))
        self.counts: Shared = RawArray(ctypes.c_int64, readers * len(COUNTS))
        self.recorded: Shared = RawArray(ctypes.c_int64, writers)
        self.stop: Shared = RawArray(ctypes.c_int64, 1)
        self.readers = readers
        self.writers = writers

    def total(self, name: str) -> int:
        """One count over all readers."""
        place = COUNTS.index(name)
        return sum(self.counts[r * len(COUNTS) + place] for r in range(self.readers))


def user_name(number: int) -> str:
    """The id of one of the users."""
    return f"user-{number}"


def write(board: Board, number: int, app_url: str) -> None:
    """Open and answer needs of this writer's users until the sign to stop."""
    with WorkIndex(Database(app_url, pool_max=1)) as work_index:
        scopes = {
            user: work_index.user(user_name(user)) for user in range(number, USERS, board.writers)
        }
        for scope in scopes.values():
            task = {"type": "create_task", "task_id": "task", "title": "The task"}
            scope.record(task, actor=USER)
        turn = 0
        while not board.stop[0]:
            for user, scope in scopes.items():
                # In rounds of eight: open some, then answer them, so that users are empty often.
                slot = turn % len(KINDS)
                opens = turn % (2 * len(KINDS)) < len(KINDS)
                if (user + slot + turn // 8) % 3 or not opens:
                    _move(board, user, slot, scope, opens)
                    board.recorded[number] += 1
            turn += 1


def _move(board: Board, user: int, slot: int, scope: UserScope, opens: bool) -> None:
    place = user * len(KINDS) + slot
    phase = board.phases[place]
    if phase % 4 != (CLOSED if opens else OPEN):
        return
    board.phases[place] = phase + 1
    command = _opening if opens else _closing
    scope.record(command(KINDS[slot], phase // 4), actor=USER)
    board.phases[place] = phase + 2


def item_id(kind: str, turn: int) -> str:
    """The id under which an open need is listed."""
    return "task" if kind == "task" else f"{kind}-{turn}"


def _opening(kind: str, turn: int) -> Mapping[str, Any]:
    name = item_id(kind, turn)
    match kind:
        case "task":
            return {
                "type": "request_task_input",
                "task_id": name,
                "request_id": f"r-{turn}",
                "prompt": "Which one?",
            }
        case "approval":
            return {
                "type": "request_approval",
                "approval_id": name,
                "title": "Pay",
                "tool": "pay",
                "arguments": {"turn": turn},
                "expires_at": LATER.isoformat(),
            }
        case "reminder":
            past = datetime.now(UTC) - timedelta(hours=1)
            return {
                "type": "set_reminder",
                "reminder_id": name,
                "title": "Call",
                "remind_at": past.isoformat(),
            }
        case _:
            return {"type": "make_proposal", "proposal_id": name, "title": "Tidy up?"}


def _closing(kind: str, turn: int) -> Mapping[str, Any]:
    name = item_id(kind, turn)
    match kind:
        case "task":
            return {
                "type": "give_task_input",
                "task_id": name,
                "request_id": f"r-{turn}",
                "answer": "this",
            }
        case "approval":
            return {"type": "withdraw_approval", "approval_id": name}
        case "reminder":
            return {"type": "dismiss_reminder", "reminder_id": name}
        case _:
            return {"type": "answer_proposal", "proposal_id": name, "answer": "accepted"}


def read(board: Board, number: int, app_url: str, violations: Any) -> None:
    """Ask for every user in turn until the sign to stop; what is wrong goes to `violations`."""
    counts = dict.fromkeys(COUNTS, 0)
    with WorkIndex(Database(app_url, pool_max=1)) as work_index:
        scopes = [work_index.user(user_name(user)) for user in range(USERS)]
        while not board.stop[0]:
            for user, scope in enumerate(scopes):
                for fault in _read_one(board, user, scope, counts):
                    counts["violations"] += 1
                    violations.put(f"{user_name(user)}: {fault}")
                for place, name in enumerate(COUNTS):
                    board.counts[number * len(COUNTS) + place] = counts[name]


def _read_one(board: Board, user: int, scope: UserScope, counts: dict[str, int]) -> list[str]:
    first = user * len(KINDS)
    places = range(first, first + len(KINDS))
    before = [board.phases[place] for place in places]
    answer = scope.ask("what needs me?")
    after = [board.phases[place] for place in places]
    assert answer is not None
    if answer.verdict == "unproven":
        # A user whom no command reached yet is unknown, and said to be.
        counts["unproven"] += 1
        return ["says nothing, unproven"] if answer.text == EMPTY_TEXT else []
    counts["reads"] += 1
    counts["empty"] += answer.verdict == "proven_empty"
    listed = {(item.kind, item.id) for item in answer.items}
    faults = []
    if (answer.verdict == "proven_empty") != (not listed):
        faults.append(f"{answer.verdict} with {listed}")
    for kind, was, still in zip(KINDS, before, after, strict=True):
        if was != still:
            continue
        item = (kind, item_id(kind, was // 4))
        if was % 4 == OPEN:
            counts["open_checked"] += 1
            if item not in listed:
                faults.append(f"{item} was open, the answer is {answer.verdict}: {listed}")
        elif was % 4 == CLOSED:
            counts["closed_checked"] += 1
            if any(name == kind for name, _ in listed):
                faults.append(f"{kind} was closed, the answer lists {listed}")
    return faults
