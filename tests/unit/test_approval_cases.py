"""Approvals under drift, replay, wrong routing and second thoughts, case by case."""

from __future__ import annotations

from typing import Any

import pytest

from driver import NOW, Driver, at
from workindex.domain.approval_commands import (
    DenyApproval,
    FailExecution,
    GrantApproval,
    MootApproval,
    RequestApproval,
    StartExecution,
    SucceedExecution,
    WithdrawApproval,
)
from workindex.domain.approval_facts import PolicyDecision, Precondition
from workindex.domain.approvals import APPROVALS
from workindex.domain.canonical import action_hash
from workindex.domain.errors import CommandRefused
from workindex.domain.task_commands import CancelTask, CompleteTask, CreateTask, RemoveTask
from workindex.domain.tasks import TASKS
from workindex.domain.users import USERS
from workindex.projections import approvals, tasks, users

ALLOW = PolicyDecision(decision="allow", policy_id="p-1")
PRICE = Precondition(kind="price", id="sku-1", version="10 EUR")


@pytest.fixture
def driver() -> Driver:
    every = (*approvals.TABLES, *tasks.TABLES, *users.TABLES)
    return Driver((APPROVALS, TASKS, USERS), every)


def request(approval_id: str | None = "A-1", **fields: Any) -> RequestApproval:
    defaults: dict[str, Any] = {
        "title": "Pay",
        "tool": "pay",
        "arguments": {"amount": 100},
        "expires_at": at("12:00"),
    }
    return RequestApproval(approval_id=approval_id, **{**defaults, **fields})


def grant(driver: Driver, approval_id: str = "A-1") -> GrantApproval:
    shown = driver.row(f"approval/{approval_id}").action_hash
    return GrantApproval(approval_id=approval_id, action_hash=shown)


def start(driver: Driver, approval_id: str = "A-1", **fields: Any) -> StartExecution:
    defaults: dict[str, Any] = {
        "action_hash": driver.row(f"approval/{approval_id}").action_hash,
        "deadline_at": at("10:00"),
        "policy": ALLOW,
    }
    return StartExecution(approval_id=approval_id, **{**defaults, **fields})


def statuses(driver: Driver) -> dict[str, str]:
    rows = driver.rows.items()
    return {ref.split("/")[1]: row.status for ref, row in rows if ref.startswith("approval/")}


def test_made_up_ids_run_nothing(driver: Driver) -> None:
    """Grant, denial and execution of an id that was never issued are refused alike."""
    made_up = "0" * 64
    for command in (
        GrantApproval(approval_id="A-9", action_hash=made_up),
        DenyApproval(approval_id="A-9"),
        StartExecution(
            approval_id="A-9", action_hash=made_up, deadline_at=at("10:00"), policy=ALLOW
        ),
    ):
        assert driver.refusal(command) == "unknown_approval"
    assert driver.log == []


def test_another_hash_decides_nothing(driver: Driver) -> None:
    """A decision about something else than the stored action is refused and changes nothing."""
    driver.given(request())
    for command in (
        GrantApproval(approval_id="A-1", action_hash="0" * 64),
        DenyApproval(approval_id="A-1", action_hash="0" * 64),
    ):
        assert driver.refusal(command) == "hash_mismatch"
    driver.do(grant(driver))
    assert driver.refusal(start(driver, action_hash="0" * 64)) == "hash_mismatch"
    assert statuses(driver) == {"A-1": "granted"}


def test_what_was_shown_is_what_runs(driver: Driver) -> None:
    """The executor takes the stored bytes: their hash is the granted one, drift has another."""
    driver.given(request(arguments={"amount": 50}))
    driver.do(grant(driver))
    driver.do(start(driver), by="agent")
    row = driver.row("approval/A-1")
    assert action_hash(row.action) == row.action_hash
    assert action_hash(row.action.replace("50", "51")) != row.action_hash


def test_parallel_requests_stay_apart(driver: Driver) -> None:
    """Requests of one step get ids of their own, and each answer finds its own action."""
    for amount in (1, 2, 3):
        driver.do(request(None, arguments={"amount": amount}), by="agent")
    ids = sorted(statuses(driver))
    assert len(ids) == 3
    first, second, third = ids
    driver.do(DenyApproval(approval_id=second))
    driver.do(grant(driver, first))
    assert driver.refusal(grant(driver, second)) == "approval_denied"
    assert driver.do(start(driver, first), by="agent")
    assert driver.refusal(start(driver, second), by="agent") == "approval_denied"
    assert driver.refusal(start(driver, third), by="agent") == "not_granted"
    assert statuses(driver) == {first: "executing", second: "denied", third: "requested"}


def test_grants_of_equal_actions_do_not_mix(driver: Driver) -> None:
    """The hash of one approval does not grant another with the same arguments."""
    driver.given(request("A-1"), request("A-2"))
    shown = driver.row("approval/A-1").action_hash
    assert driver.refusal(GrantApproval(approval_id="A-2", action_hash=shown)) == "hash_mismatch"


@pytest.mark.parametrize(
    "observed",
    [
        (),
        (Precondition(kind="price", id="sku-1", version="12 EUR"),),
        (Precondition(kind="price", id="sku-2", version="10 EUR"),),
        (Precondition(kind="price", id="sku-1", version="12 EUR"), PRICE),
        (PRICE, Precondition(kind="price", id="sku-1", version="12 EUR")),
    ],
)
def test_outside_terms_that_changed(driver: Driver, observed: tuple[Precondition, ...]) -> None:
    """What changed, was not looked at or was seen at two versions stops it; the grant is unused."""
    driver.given(request(preconditions=(PRICE,)))
    driver.do(grant(driver))
    asked = start(driver, preconditions=observed)
    assert driver.refusal(asked, by="agent") == "precondition_changed"
    assert statuses(driver) == {"A-1": "granted"}
    extra = Precondition(kind="stock", id="sku-1", version=4)
    assert driver.do(start(driver, preconditions=(extra, PRICE)), by="agent")


def test_versions_are_compared_exactly(driver: Driver) -> None:
    """Version 3 and version "3" are two versions."""
    driver.given(request(preconditions=(Precondition(kind="k", id="i", version=3),)))
    driver.do(grant(driver))
    text = Precondition(kind="k", id="i", version="3")
    assert driver.refusal(start(driver, preconditions=(text,))) == "precondition_changed"


def test_a_tool_that_changed(driver: Driver) -> None:
    """A tool whose schema is not the one that was shown, or was not looked at, does not run."""
    driver.given(request(tool_schema_sha256="a" * 64))
    driver.do(grant(driver))
    for found in ("b" * 64, None):
        assert driver.refusal(start(driver, tool_schema_sha256=found)) == "tool_changed"
        assert statuses(driver) == {"A-1": "granted"}
    assert driver.do(start(driver, tool_schema_sha256="a" * 64))


def test_a_tool_that_was_shown_without_a_schema(driver: Driver) -> None:
    """Nothing about the tool was shown, so nothing about it can have changed."""
    driver.given(request())
    driver.do(grant(driver))
    assert driver.do(start(driver, tool_schema_sha256="a" * 64))


def test_a_late_grant_is_told(driver: Driver) -> None:
    """One second late: the person hears "expired", the log holds the expiry and no grant."""
    driver.given(request())
    with pytest.raises(CommandRefused, match="expired") as refused:
        driver.do(grant(driver), now=at("12:01"))
    assert refused.value.code == "approval_expired"
    assert [event.fact.type for event in driver.log] == ["approval_requested", "approval_expired"]


def test_time_and_people_are_told_apart(driver: Driver) -> None:
    """A time-out is never read as a person's denial."""
    driver.given(request("A-1"), request("A-2"), DenyApproval(approval_id="A-1"))
    assert driver.refusal(grant(driver, "A-2"), now=at("12:00")) == "approval_expired"
    reasons = {name: driver.row(f"approval/{name}").reason_code for name in ("A-1", "A-2")}
    assert reasons == {"A-1": "human_denied", "A-2": "system_timeout"}


@pytest.mark.parametrize(
    ("end", "reason_code"),
    [
        (CancelTask(task_id="T-1"), "task_cancelled"),
        (RemoveTask(task_id="T-1"), "task_removed"),
    ],
)
def test_an_ended_task_is_not_revived(driver: Driver, end: Any, reason_code: str) -> None:
    """What waits or is granted for a task goes with it; what is being executed stays."""
    driver.given(CreateTask(task_id="T-1", title="Buy"))
    driver.given(*(request(f"A-{n}", arguments={"n": n}, task_id="T-1") for n in (1, 2, 3)))
    driver.do(grant(driver, "A-2"))
    driver.do(grant(driver, "A-3"))
    driver.do(start(driver, "A-3", execution_id="E-3"), by="agent")
    driver.given(end)
    assert statuses(driver) == {"A-1": "moot", "A-2": "moot", "A-3": "executing"}
    assert driver.row("approval/A-2").reason_code == reason_code
    assert driver.refusal(grant(driver, "A-1")) == "approval_moot"
    assert driver.refusal(start(driver, "A-2"), by="agent") == "approval_moot"
    assert driver.do(SucceedExecution(approval_id="A-3", execution_id="E-3"), by="provider")


def test_an_ended_task_asks_nothing(driver: Driver) -> None:
    """No approval is asked for a task that has ended, and no grant of it is used."""
    driver.given(CreateTask(task_id="T-1", title="Buy"), request(task_id="T-1"))
    driver.do(grant(driver))
    driver.given(CompleteTask(task_id="T-1"))
    assert driver.refusal(start(driver), by="agent") == "task_ended"
    assert driver.refusal(request("A-2", task_id="T-1"), by="agent") == "task_ended"


def test_a_grant_is_no_permission(driver: Driver) -> None:
    """The policy is asked again at execution; its denial is recorded and the grant stays unused."""
    driver.given(request())
    driver.do(grant(driver))
    deny = PolicyDecision(decision="deny", policy_id="role-revoked")
    for _ in range(2):
        assert driver.refusal(start(driver, policy=deny), by="agent") == "policy_denied"
    row = driver.row("approval/A-1")
    assert (row.status, row.policy["policy_id"]) == ("granted", "role-revoked")
    assert sum(event.fact.type == "policy_decided" for event in driver.log) == 1


def test_only_what_waits_is_open(driver: Driver) -> None:
    """Of two approvals one of which is granted, exactly one is open; three asked are three rows."""
    driver.given(*(request(f"A-{n}", arguments={"n": n}) for n in (1, 2, 3)))
    assert list(statuses(driver)) == ["A-1", "A-2", "A-3"]
    driver.given(DenyApproval(approval_id="A-3"))
    driver.do(grant(driver))
    is_open = approvals.WORK_APPROVAL.is_open
    assert is_open
    opened = [row.approval_id for row in driver.rows.values() if hasattr(row, "action")]
    assert [name for name in opened if is_open(driver.row(f"approval/{name}"))] == ["A-2"]


def test_nothing_runs_twice(driver: Driver) -> None:
    """A retry after a crash meets the first execution and its stored receipt."""
    driver.given(request())
    driver.do(grant(driver))
    driver.do(start(driver, execution_id="E-1"), by="agent")
    assert driver.refusal(start(driver, execution_id="E-1"), by="agent") == "already_executing"
    done = SucceedExecution(approval_id="A-1", execution_id="E-1", result={"receipt": 5})
    driver.do(done, by="provider")
    assert driver.do(done, by="provider") == []
    assert driver.refusal(start(driver, execution_id="E-2"), by="agent") == "grant_used"
    assert driver.row("approval/A-1").result == {"receipt": 5}
    late = FailExecution(approval_id="A-1", execution_id="E-1")
    assert driver.refusal(late, by="provider") == "already_settled"


def test_a_retry_with_other_words_is_another_action(driver: Driver) -> None:
    """The same step asked with another body is refused under its id and needs its own grant."""
    driver.given(request(arguments={"body": "Dear Bo"}))
    driver.do(grant(driver))
    again = request(arguments={"body": "Hello Bo"})
    assert driver.refusal(again, by="agent") == "approval_exists"
    driver.given(request("A-2", arguments={"body": "Hello Bo"}))
    assert driver.refusal(start(driver, "A-2"), by="agent") == "not_granted"
    assert driver.row("approval/A-2").same_action != driver.row("approval/A-1").same_action


def test_a_denied_action_is_not_asked_again(driver: Driver) -> None:
    """Within the task only the user re-opens it; other tasks and other actions are free."""
    driver.given(CreateTask(task_id="T-1", title="a"), CreateTask(task_id="T-2", title="b"))
    driver.given(request(task_id="T-1"), DenyApproval(approval_id="A-1"))
    again = request("A-2", task_id="T-1", title="Please", arguments={"amount": 100.0})
    assert driver.refusal(again, by="agent") == "denied_before"
    reopen = again.model_copy(update={"reopen": True})
    for kind in ("agent", "approver", "operator"):
        assert driver.refusal(reopen, by=kind) == "not_permitted"
    driver.do(request("A-3", task_id="T-2"), by="agent")
    driver.do(request("A-4"), by="agent")
    driver.do(request("A-5", task_id="T-1", arguments={"amount": 99}), by="agent")

    driver.do(reopen, by="user")
    denial = driver.row(f"denial/{driver.row('approval/A-1').same_action}:T-1")
    assert (denial.status, denial.approval_id, denial.since_at) == ("reopened", "A-2", NOW)
    driver.do(request("A-6", task_id="T-1"), by="agent")
    driver.given(DenyApproval(approval_id="A-6"))
    assert driver.refusal(request("A-7", task_id="T-1"), by="agent") == "denied_before"


def test_a_time_out_is_no_denial(driver: Driver) -> None:
    """What expired, was withdrawn or lost its point may be asked again."""
    driver.given(request("A-1"), request("A-2"), request("A-3"))
    driver.given(
        WithdrawApproval(approval_id="A-2"), MootApproval(approval_id="A-3", reason_code="stale")
    )
    assert driver.refusal(grant(driver), now=at("12:00")) == "approval_expired"
    assert driver.do(request("A-4"), by="agent")


def test_reopening_what_was_never_denied_is_a_request(driver: Driver) -> None:
    """`reopen` on an action that nobody denied changes nothing about it."""
    (fact,) = driver.do(request(reopen=True))
    assert fact.model_dump()["reopened"] is False
