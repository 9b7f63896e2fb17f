"""What holds tasks up and what ends them: effects on other tasks and on approvals."""

from __future__ import annotations

import pytest

from driver import NOW, Driver, at
from workindex.domain.approval_commands import GrantApproval, RequestApproval
from workindex.domain.approval_facts import (
    ApprovalMooted,
    ExecutionOutcomeUnknown,
    ExecutionStarted,
    ExecutionSucceeded,
    PolicyDecision,
)
from workindex.domain.approvals import APPROVALS
from workindex.domain.errors import CommandRefused
from workindex.domain.facts import Command
from workindex.domain.tasks import (
    TASKS,
    BlockTask,
    CancelTask,
    CompleteTask,
    CreateTask,
    FailTask,
    RemoveTask,
    ReopenTask,
    ScheduleTask,
    StartTask,
    TaskBlocked,
    TaskCreated,
    TaskRemoved,
    TaskUnblocked,
    UnblockTask,
)
from workindex.domain.users import USERS
from workindex.projections import approvals, tasks, users
from workindex.projections.tasks import is_open

ENDINGS: tuple[Command, ...] = (
    CompleteTask(task_id="A"),
    FailTask(task_id="A"),
    CancelTask(task_id="A"),
    RemoveTask(task_id="A"),
)


def named(command: object) -> str:
    return type(command).__name__


@pytest.fixture
def driver() -> Driver:
    """A driver whose log holds the open tasks A, B and T."""
    tables = (*tasks.TABLES, *approvals.TABLES, *users.TABLES)
    made = Driver([TASKS, APPROVALS, USERS], tables)
    return made.given(*(CreateTask(task_id=task_id, title=task_id) for task_id in "ABT"))


def status(driver: Driver, task_id: str = "T") -> tuple[str, list[str]]:
    row = driver.row(f"task/{task_id}")
    return row.status, row.blocked_by


def test_blockers_add_up_and_both_sides_know(driver: Driver) -> None:
    """BlockTask adds; naming a blocker twice is nothing new."""
    assert driver.do(BlockTask(task_id="T", blocked_by=("A", "A"))) == [
        TaskBlocked(task_id="T", blocked_by=("A",))
    ]
    driver.do(BlockTask(task_id="T", blocked_by=("A", "B"), reason="parts"))
    assert driver.do(BlockTask(task_id="T", blocked_by=("B",))) == []
    assert status(driver) == ("blocked", ["A", "B"])
    assert driver.row("task/T").blocked_reason == "parts"
    assert (driver.row("task/A").blocks, driver.row("task/B").blocks) == (["T"], ["T"])
    assert driver.row("task/A").revision == 1, "only the blocked task's stream moved"


def test_a_task_may_be_created_blocked(driver: Driver) -> None:
    """CreateTask with blockers is two facts, and refused whole where a blocker is missing."""
    assert driver.do(CreateTask(task_id="N", title="n", blocked_by=("A",))) == [
        TaskCreated(task_id="N", title="n"),
        TaskBlocked(task_id="N", blocked_by=("A",)),
    ]
    assert driver.refusal(CreateTask(task_id="M", title="m", blocked_by=("X",))) == "unknown_task"
    assert driver.row("task/M") is None


@pytest.mark.parametrize("ending", ENDINGS, ids=named)
def test_the_end_of_a_blocker_unblocks(driver: Driver, ending: Command) -> None:
    """In the same batch; the other blocker still blocks; the last one gives the status back."""
    driver.given(StartTask(task_id="T"), BlockTask(task_id="T", blocked_by=("A", "B")))
    freed = [fact for fact in driver.do(ending) if isinstance(fact, TaskUnblocked)]
    assert [(fact.task_id, fact.blocked_by) for fact in freed] == [("T", ("A",))]
    assert status(driver) == ("blocked", ["B"])
    driver.do(CompleteTask(task_id="B"), now=at("11:00"))
    row = driver.row("task/T")
    assert (row.status, row.blocked_by, row.blocked_reason) == ("active", [], None)
    assert (row.status_since_at, row.started_at) == (at("11:00"), NOW)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((), "open"),
        ((StartTask(task_id="T"),), "active"),
        ((ScheduleTask(task_id="T", scheduled_at=at("12:00")),), "scheduled"),
    ],
)
def test_an_unblocked_task_is_what_it_was(
    driver: Driver, before: tuple[Command, ...], after: str
) -> None:
    """open, active or scheduled, whatever blocked it."""
    driver.given(*before, BlockTask(task_id="T", blocked_by=("A",)))
    assert status(driver) == ("blocked", ["A"])
    driver.do(UnblockTask(task_id="T"))
    assert status(driver) == (after, [])


def test_a_blocked_task_can_be_scheduled_but_not_started(driver: Driver) -> None:
    """The refusal names the blockers; the schedule counts once it is unblocked."""
    driver.given(BlockTask(task_id="T", blocked_by=("A",)))
    with pytest.raises(CommandRefused, match="task T waits for A") as refused:
        driver.do(StartTask(task_id="T"))
    assert refused.value.code == "task_blocked"
    driver.do(ScheduleTask(task_id="T", scheduled_at=at("12:00")))
    assert status(driver) == ("blocked", ["A"])
    driver.do(UnblockTask(task_id="T", blocked_by=("A", "X")))
    assert status(driver) == ("scheduled", [])


def test_a_wait_for_something_outside_outlives_the_blockers(driver: Driver) -> None:
    """It ends when it is named (an empty list) or with everything (null)."""
    assert driver.refusal(BlockTask(task_id="T")) == "reason_missing"
    outside = BlockTask(task_id="T", reason="the post")
    assert len(driver.do(outside)) == 1
    assert driver.do(outside) == []
    driver.given(BlockTask(task_id="T", blocked_by=("A",)), CompleteTask(task_id="A"))
    row = driver.row("task/T")
    assert (row.status, row.blocked_reason, row.blocked_outside) == ("blocked", "the post", True)
    assert driver.do(UnblockTask(task_id="T", blocked_by=("B",))) == []
    assert driver.do(UnblockTask(task_id="T", blocked_by=())) == [
        TaskUnblocked(task_id="T", outside=True)
    ]
    assert status(driver) == ("open", [])
    assert driver.do(UnblockTask(task_id="T")) == []


def test_what_cannot_block(driver: Driver) -> None:
    """The task itself, a task behind it, one that is not there, one that has ended."""
    driver.given(
        BlockTask(task_id="A", blocked_by=("B",)), BlockTask(task_id="B", blocked_by=("T",))
    )
    for blocker in ("T", "A", "B"):
        assert driver.refusal(BlockTask(task_id="T", blocked_by=(blocker,))) == "block_cycle"
    assert driver.refusal(BlockTask(task_id="T", blocked_by=("X",))) == "unknown_task"
    driver.do(CreateTask(task_id="D", title="d"))
    driver.do(CompleteTask(task_id="D"))
    assert driver.refusal(BlockTask(task_id="T", blocked_by=("D",))) == "blocker_ended"


def test_ended_comes_before_blocked(driver: Driver) -> None:
    """A blocked task may end and keeps its blockers; reopened, it is still held up by them."""
    driver.given(
        BlockTask(task_id="T", blocked_by=("A", "B"), reason="parts"),
        CompleteTask(task_id="T"),
        CompleteTask(task_id="A"),
    )
    assert status(driver) == ("done", ["B"])
    driver.do(ReopenTask(task_id="T"))
    assert status(driver) == ("blocked", ["B"])
    driver.do(ReopenTask(task_id="A"))
    assert status(driver) == ("blocked", ["B"]), "reopening blocks nobody again"


def test_a_removed_task_leaves_its_blockers_alone(driver: Driver) -> None:
    """No row remembers a task that is gone."""
    driver.given(BlockTask(task_id="T", blocked_by=("A",)))
    assert driver.do(RemoveTask(task_id="T")) == [
        TaskUnblocked(task_id="T", blocked_by=("A",)),
        TaskRemoved(task_id="T"),
    ]
    assert driver.row("task/A").blocks == []
    assert driver.row("task/T") is None


def ask(driver: Driver, approval_id: str) -> str:
    """Requests an approval for A and returns the hash of its action."""
    driver.do(
        RequestApproval(
            approval_id=approval_id,
            title=f"Pay {approval_id}",
            task_id="A",
            tool="pay",
            arguments={"invoice": approval_id},
            expires_at=at("12:00"),
        )
    )
    action_hash: str = driver.row(f"approval/{approval_id}").action_hash
    return action_hash


@pytest.fixture
def approving(driver: Driver) -> Driver:
    """A driver whose task A has a requested, a granted and an executing approval."""
    ask(driver, "requested")
    for approval_id in ("granted", "executing"):
        action_hash = ask(driver, approval_id)
        driver.do(GrantApproval(approval_id=approval_id, action_hash=action_hash))
    started = ExecutionStarted(
        approval_id="executing",
        task_id="A",
        execution_id="E",
        action_hash=action_hash,
        deadline_at=at("10:00"),
        idempotency_key="k",
        policy=PolicyDecision(decision="allow", policy_id="p"),
    )
    driver.apply([started])
    return driver


def test_a_task_maps_its_open_approvals(approving: Driver) -> None:
    """The map follows each approval from its request to its ending."""
    expires = "2026-03-02T12:00:00+00:00"
    row = approving.row("task/A")
    assert row.approvals == {
        name: {"title": f"Pay {name}", "status": name, "expires_at": expires}
        for name in ("requested", "granted", "executing")
    }
    assert is_open(row)
    assert row.revision == 1
    unknown = ExecutionOutcomeUnknown(approval_id="executing", task_id="A", execution_id="E")
    approving.apply([unknown])
    assert approving.row("task/A").approvals["executing"]["status"] == "outcome_unknown"
    over = ExecutionSucceeded(approval_id="executing", task_id="A", execution_id="E")
    approving.apply([over])
    assert set(approving.row("task/A").approvals) == {"requested", "granted"}


@pytest.mark.parametrize(
    ("ending", "mooted", "reason_code"),
    [
        (CancelTask(task_id="A"), ["granted", "requested"], "task_cancelled"),
        (RemoveTask(task_id="A"), ["granted", "requested"], "task_removed"),
        (CompleteTask(task_id="A"), [], None),
        (FailTask(task_id="A"), [], None),
    ],
    ids=named,
)
def test_which_endings_moot_approvals(
    approving: Driver, ending: Command, mooted: list[str], reason_code: str | None
) -> None:
    """Cancelling and removing moot what is not executing; completing and failing moot nothing."""
    facts = [fact for fact in approving.do(ending) if isinstance(fact, ApprovalMooted)]
    assert [fact.approval_id for fact in facts] == mooted
    assert {fact.reason_code for fact in facts} == ({reason_code} if reason_code else set())
    assert approving.row("approval/executing").status == "executing"
    for approval_id in mooted:
        assert approving.row(f"approval/{approval_id}").status == "moot"


def test_an_approval_outlives_a_removed_task(approving: Driver) -> None:
    """Its facts find no row, and a new task of the same id does not inherit it."""
    approving.given(RemoveTask(task_id="A"))
    unknown = ExecutionOutcomeUnknown(approval_id="executing", task_id="A", execution_id="E")
    approving.apply([unknown])
    assert approving.row("task/A") is None
    approving.do(CreateTask(task_id="A", title="again"))
    over = ExecutionSucceeded(approval_id="executing", task_id="A", execution_id="E")
    approving.apply([over])
    assert approving.row("task/A").approvals == {}
