"""What hangs on one task is bounded, so that one append can always end the task."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from driver import Driver, at
from workindex.domain.approval_commands import RequestApproval, WithdrawApproval
from workindex.domain.approvals import APPROVALS
from workindex.domain.facts import Command
from workindex.domain.task_state import HELD_MAX
from workindex.domain.tasks import (
    TASKS,
    BlockTask,
    CancelTask,
    CreateTask,
    GiveTaskInput,
    RemoveTask,
    RequestTaskInput,
    UnblockTask,
)
from workindex.domain.users import USERS
from workindex.projections import approvals, tasks, users
from workindex.projections.planning import BATCH_EVENTS_MAX


class Kind(NamedTuple):
    """How the nth thing is hung on task A, and how one is taken off again."""

    hang: Callable[[int], Command]
    take: Callable[[int], Command]


def request(n: int) -> RequestTaskInput:
    return RequestTaskInput(task_id="A", request_id=f"R-{n}", kind="input", prompt="?")


def approval(n: int) -> RequestApproval:
    return RequestApproval(
        approval_id=f"P-{n}",
        title="Pay",
        task_id="A",
        tool="pay",
        arguments={"n": n},
        expires_at=at("12:00"),
    )


KINDS = {
    "tasks that wait for it": Kind(
        lambda n: BlockTask(task_id=f"T-{n}", blocked_by=("A",)),
        lambda n: UnblockTask(task_id=f"T-{n}"),
    ),
    "blockers": Kind(
        lambda n: BlockTask(task_id="A", blocked_by=(f"T-{n}",)),
        lambda n: UnblockTask(task_id="A", blocked_by=(f"T-{n}",)),
    ),
    "open requests": Kind(
        request, lambda n: GiveTaskInput(task_id="A", request_id=f"R-{n}", answer="x")
    ),
    "open approvals": Kind(approval, lambda n: WithdrawApproval(approval_id=f"P-{n}")),
}


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Driver:
    """Task A and others, where three of a kind are the most."""
    monkeypatch.setattr("workindex.domain.task_state.HELD_MAX", 3)
    every = (*approvals.TABLES, *tasks.TABLES, *users.TABLES)
    made = Driver((APPROVALS, TASKS, USERS), every)
    return made.given(
        *(CreateTask(task_id=id_, title="x") for id_ in ("A", "T-1", "T-2", "T-3", "T-4"))
    )


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_fourth_is_one_too_many(driver: Driver, kind: Kind) -> None:
    """Three hang on the task, the fourth is refused until one of them is gone."""
    for n in (1, 2, 3):
        assert driver.do(kind.hang(n))
    assert driver.refusal(kind.hang(4)) == "too_many"
    assert driver.do(kind.take(2))
    assert driver.do(kind.hang(4))


def test_a_new_task_counts_too(driver: Driver) -> None:
    """A task that is created blocked waits for its blocker like any other."""
    for n in (1, 2, 3):
        driver.do(CreateTask(task_id=f"N-{n}", title="x", blocked_by=("A",)))
    late = CreateTask(task_id="N-4", title="x", blocked_by=("A",))
    assert driver.refusal(late) == "too_many"


def test_a_full_task_ends_in_one_append(driver: Driver) -> None:
    """Cancelling frees every waiting task and moots every approval: 1 + 3 + 3 facts."""
    for n in (1, 2, 3):
        driver.do(KINDS["tasks that wait for it"].hang(n))
        driver.do(approval(n))
        driver.do(request(n))
    assert len(driver.do(CancelTask(task_id="A"))) == 7
    assert len(driver.do(RemoveTask(task_id="A"))) == 1
    assert 2 * HELD_MAX + 2 <= BATCH_EVENTS_MAX
