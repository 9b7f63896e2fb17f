"""The life of an approval: which command is accepted in which state, by whom and until when."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driver import NOW, Driver, at
from workindex.domain.approval_commands import (
    DecidePolicy,
    DenyApproval,
    ExpireApproval,
    FailExecution,
    GiveConsent,
    GrantApproval,
    LapseGrant,
    MarkExecutionOutcomeUnknown,
    MootApproval,
    RequestApproval,
    StartExecution,
    SucceedExecution,
    WithdrawApproval,
    WithdrawConsent,
)
from workindex.domain.approval_facts import ExecutionSucceeded, PolicyDecision, Precondition
from workindex.domain.approval_guards import STANDS
from workindex.domain.approvals import APPROVALS
from workindex.domain.canonical import action_hash
from workindex.domain.errors import CommandRefused, NotPermitted
from workindex.domain.facts import EVERY_ACTOR, ActorKind, Command
from workindex.domain.tasks import TASKS
from workindex.domain.users import USERS
from workindex.eventlog.mapper import FactMapper
from workindex.projections import approvals, tasks, users

TABLES = (*approvals.TABLES, *tasks.TABLES, *users.TABLES)
SCHEMA = "a" * 64
ALLOW = PolicyDecision(decision="allow", policy_id="p-1")
INVOICE = Precondition(kind="invoice", id="7", version=3)


def new_driver() -> Driver:
    return Driver((APPROVALS, TASKS, USERS), TABLES)


@pytest.fixture
def driver() -> Driver:
    return new_driver()


def request(**fields: Any) -> RequestApproval:
    defaults: dict[str, Any] = {
        "approval_id": "A-1",
        "title": "Pay invoice 7",
        "tool": "pay",
        "tool_schema_sha256": SCHEMA,
        "arguments": {"amount": 100.0},
        "expires_at": at("12:00"),
        "preconditions": (INVOICE,),
    }
    return RequestApproval(**{**defaults, **fields})


def grant(driver: Driver, approval_id: str = "A-1", **fields: Any) -> GrantApproval:
    shown = driver.row(f"approval/{approval_id}").action_hash
    return GrantApproval(approval_id=approval_id, action_hash=shown, **fields)


def start(driver: Driver, approval_id: str = "A-1", **fields: Any) -> StartExecution:
    defaults: dict[str, Any] = {
        "execution_id": "E-1",
        "action_hash": driver.row(f"approval/{approval_id}").action_hash,
        "deadline_at": at("10:00"),
        "policy": ALLOW,
        "preconditions": (INVOICE,),
        "tool_schema_sha256": SCHEMA,
    }
    return StartExecution(approval_id=approval_id, **{**defaults, **fields})


class Step(NamedTuple):
    """A command on A-1 as the tables below name it."""

    name: str
    make: Callable[[Driver], Command]
    by: ActorKind = "user"


STEPS = (
    Step("policy", lambda _: DecidePolicy(approval_id="A-1", decision="ask", policy_id="p")),
    Step("grant", grant),
    Step("deny", lambda _: DenyApproval(approval_id="A-1", reason="too much")),
    Step("expire", lambda _: ExpireApproval(approval_id="A-1"), "scheduler"),
    Step("lapse", lambda _: LapseGrant(approval_id="A-1"), "scheduler"),
    Step("withdraw", lambda _: WithdrawApproval(approval_id="A-1")),
    Step("moot", lambda _: MootApproval(approval_id="A-1", reason_code="superseded"), "agent"),
    Step("start", start, "agent"),
    Step(
        "succeed",
        lambda _: SucceedExecution(approval_id="A-1", execution_id="E-1", result={"receipt": 5}),
        "provider",
    ),
    Step(
        "fail",
        lambda _: FailExecution(approval_id="A-1", execution_id="E-1", error="no funds"),
        "provider",
    ),
    Step(
        "unknown",
        lambda _: MarkExecutionOutcomeUnknown(approval_id="A-1", execution_id="E-1"),
        "scheduler",
    ),
)
STEP = {step.name: step for step in STEPS}
LATE = at("12:00")
# How each status is reached.
WAYS: dict[str, tuple[str, ...]] = {
    "requested": (),
    "granted": ("grant",),
    "executing": ("grant", "start"),
    "executed": ("grant", "start", "succeed"),
    "failed": ("grant", "start", "fail"),
    "outcome_unknown": ("grant", "start", "unknown"),
    "granted_not_executed": ("grant", "lapse late"),
    "denied": ("deny",),
    "expired": ("expire late",),
    "withdrawn": ("withdraw",),
    "moot": ("moot",),
}
# ok = facts; - = nothing to do; else the code of the refusal. All before any deadline.
NONE = "unknown_execution"
TABLE = {
    #        policy grant deny expire lapse withdraw moot start succeed fail unknown
    "requested": f"ok ok ok not_due not_granted ok ok not_granted {NONE} {NONE} {NONE}",
    "granted": f"ok - already_granted already_granted not_due ok ok ok {NONE} {NONE} {NONE}",
    "executing": "already_executing " * 8 + "ok ok ok",
    "executed": "grant_used " * 8 + "- already_settled already_settled",
    "failed": "grant_used " * 8 + "already_settled - already_settled",
    "outcome_unknown": "grant_used " * 8 + "ok ok -",
    "granted_not_executed": "grant_lapsed " * 4 + "- " + "grant_lapsed " * 3 + f"{NONE} " * 3,
    "denied": "approval_denied " * 2 + "- " + "approval_denied " * 5 + f"{NONE} " * 3,
    "expired": "approval_expired " * 3 + "- " + "approval_expired " * 4 + f"{NONE} " * 3,
    "withdrawn": "approval_withdrawn " * 5 + "- " + "approval_withdrawn " * 2 + f"{NONE} " * 3,
    "moot": "approval_moot " * 6 + "- " + "approval_moot " + f"{NONE} " * 3,
}


def in_status(status: str) -> Driver:
    driver = new_driver().given(request())
    for way in WAYS[status]:
        name, *late = way.split()
        step = STEP[name]
        driver.do(step.make(driver), by=step.by, now=LATE if late else None)
    assert driver.row("approval/A-1").status == status
    return driver


def outcome(driver: Driver, step: Step, now: datetime | None = None) -> str:
    try:
        return "ok" if driver.do(step.make(driver), by=step.by, now=now) else "-"
    except CommandRefused as refusal:
        return refusal.code


@pytest.mark.parametrize("status", TABLE)
def test_each_state_times_each_command(status: str) -> None:
    """The whole table: a state accepts, ignores or refuses a command with its own code."""
    cells = TABLE[status].split()
    assert len(cells) == len(STEPS)
    found = {step.name: outcome(in_status(status), step) for step in STEPS}
    assert found == dict(zip(STEP, cells, strict=True))


def test_the_table_is_whole() -> None:
    """Every status that a refusal has words for stands in the table, and so does every command."""
    assert set(TABLE) == set(WAYS) == set(STANDS)
    named = {type(step.make(in_status("requested"))) for step in STEPS}
    assert named | {RequestApproval, GiveConsent, WithdrawConsent} == set(APPROVALS.commands)


@pytest.mark.parametrize("kind", sorted(EVERY_ACTOR))
def test_each_actor_times_each_command(kind: ActorKind) -> None:
    """Only user and approver grant, deny, withdraw and consent; the rest is open to everybody."""
    people_only = {"grant", "deny", "withdraw", "give_consent", "withdraw_consent"}
    states = {"start": "granted", "succeed": "executing", "fail": "executing"}
    states |= {"unknown": "executing"}
    refused = set()
    for step in STEPS:
        if step.name in ("expire", "lapse"):
            continue  # refused before their time by whoever gives them
        driver = in_status(states.get(step.name, "requested"))
        if outcome(driver, Step(step.name, step.make, kind)) == "not_permitted":
            refused.add(step.name)
    consents = new_driver()
    for name, command in (
        ("give_consent", GiveConsent(consent="news", scope="weekly news")),
        ("withdraw_consent", WithdrawConsent(consent="news")),
    ):
        try:
            consents.do(command, by=kind)
        except NotPermitted:
            refused.add(name)
            consents.given(GiveConsent(consent="news", scope="weekly news"))
    assert refused == (set() if kind in ("user", "approver") else people_only)


def test_unknown_ids_are_refused_alike() -> None:
    """No command on an approval that was never requested leaves a trace."""
    for step in STEPS:
        driver = new_driver()
        command = step.make(in_status("requested"))
        assert driver.refusal(command, by=step.by) == "unknown_approval"
        assert driver.log == []


def test_a_request_is_normalised_and_exact(driver: Driver) -> None:
    """What is shown is what was hashed and what the executor gets; a repeat changes nothing."""
    driver.do(request(), by="agent")
    row = driver.row("approval/A-1")
    assert row.arguments == {"amount": 100}
    assert '"arguments":{"amount":100}' in row.action
    assert row.action_hash == action_hash(row.action)
    assert (row.requester, row.requested_at, row.expires_at) == ("the-agent", NOW, at("12:00"))
    assert driver.do(request(), by="agent") == []
    assert driver.refusal(request(arguments={"amount": 101}), by="agent") == "approval_exists"


def test_large_numbers_survive_the_log() -> None:
    """A float that PostgreSQL writes as digits is read as the float it was, never as an integer."""
    for number, digits in ((1e20, "1" + "0" * 20), (1.23e47, "123" + "0" * 45), (-1e30, "")):
        stored = b'{"approval_id":"A","execution_id":"E","result":{"n":%s}}'
        text = (digits or "-1" + "0" * 30).encode()
        fact = FactMapper().decode("execution_succeeded", 1, stored % text)
        assert isinstance(fact, ExecutionSucceeded)
        assert fact.result
        assert (type(fact.result["n"]), fact.result["n"]) == (float, number)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"expires_at": NOW}, "expires_at_past"),
        ({"task_id": "T-404"}, "unknown_task"),
        ({"arguments": {"id": 2**53}}, "action_not_canonical"),
    ],
)
def test_requests_that_cannot_be(driver: Driver, fields: dict[str, Any], code: str) -> None:
    """A request that is over, belongs nowhere or is inexact is refused and not stored."""
    with pytest.raises(Exception) as refused:  # noqa: PT011 - two families of typed errors
        driver.do(request(**fields))
    assert getattr(refused.value, "code", None) == code
    assert driver.log == []


def test_the_life_of_one_approval(driver: Driver) -> None:
    """Requested, granted, executed: the row says who, when, what and with which key."""
    driver.given(request())
    driver.do(grant(driver, redeem_by=at("11:00")), by="approver", now=at("09:10"))
    driver.do(start(driver), by="agent", now=at("09:20"))
    row = driver.row("approval/A-1")
    assert (row.granted_by, row.granted_at) == ("the-approver", at("09:10"))
    assert (row.redeem_by, row.deadline_at) == (at("11:00"), at("10:00"))
    assert row.idempotency_key == row.action_hash
    assert row.policy == {"decision": "allow", "policy_id": "p-1", "reason": None}
    driver.do(STEP["succeed"].make(driver), by="provider", now=at("09:21"))
    row = driver.row("approval/A-1")
    assert (row.status, row.result, row.reason_code) == ("executed", {"receipt": 5}, None)
    assert (row.started_at, row.ended_at) == (at("09:20"), at("09:21"))


def test_a_grant_has_a_time_of_its_own(driver: Driver) -> None:
    """`redeem_by` bounds the grant, before or after the time of the question, never in the past."""
    driver.given(request())
    assert driver.refusal(grant(driver, redeem_by=NOW)) == "redeem_by_past"
    driver.do(grant(driver, redeem_by=at("13:00")))
    assert driver.do(start(driver, deadline_at=at("14:00")), by="agent", now=at("12:59"))


def test_open_and_due(driver: Driver) -> None:
    """A row that may need the user is open; the clock looks at the deadline of its state."""
    table = approvals.WORK_APPROVAL
    assert table.is_open
    assert table.due_at
    opened, due = set(), {}
    for status in WAYS:
        row = in_status(status).row("approval/A-1")
        opened |= {status} if table.is_open(row) else set()
        due[status] = table.due_at(row)
    assert opened == {"requested", "executing", "outcome_unknown"}
    assert {status: when for status, when in due.items() if when is not None} == {
        "requested": at("12:00"),
        "granted": at("12:00"),
        "executing": at("10:00"),
    }


@pytest.mark.parametrize("name", ["policy", "grant", "deny", "withdraw", "moot", "start"])
@pytest.mark.parametrize(
    ("status", "after", "code"),
    [
        ("requested", "expired", "approval_expired"),
        ("granted", "granted_not_executed", "grant_lapsed"),
    ],
)
def test_whoever_comes_late_is_told(name: str, status: str, after: str, code: str) -> None:
    """From the very instant on, the refusal itself records that the time is over."""
    for late in (timedelta(0), timedelta(seconds=1)):
        driver = in_status(status)
        assert outcome(driver, STEP[name], LATE + late) == code
        row = driver.row("approval/A-1")
        assert (row.status, row.reason_code) == (after, "system_timeout")
        assert outcome(driver, STEP[name], LATE + late) == code
    in_time = outcome(in_status(status), STEP[name], LATE - timedelta(microseconds=1))
    assert in_time not in (code, after)


def test_a_result_after_the_deadline_counts(driver: Driver) -> None:
    """A result is appended whenever it comes, also after the outcome was unknown."""
    for name, status in (("succeed", "executed"), ("fail", "failed")):
        late = in_status("outcome_unknown")
        assert late.row("approval/A-1").reason_code == "no_result"
        assert outcome(late, STEP[name], at("23:00")) == "ok"
        assert late.row("approval/A-1").status == status
    assert driver.log == []


def test_another_result_or_execution_is_refused() -> None:
    """A result stays as it is, and belongs to the execution that was started."""
    driver = in_status("executed")
    other = SucceedExecution(approval_id="A-1", execution_id="E-1", result={"receipt": 6})
    assert driver.refusal(other) == "already_settled"
    stranger = SucceedExecution(approval_id="A-1", execution_id="E-2")
    assert in_status("executing").refusal(stranger) == "unknown_execution"


def test_a_policy_that_denies_ends_the_question(driver: Driver) -> None:
    """A request that the policy denies waits for nobody; a grant is not ended by it."""
    deny = DecidePolicy(approval_id="A-1", decision="deny", policy_id="p-9", reason="revoked")
    driver.given(request(), deny)
    row = driver.row("approval/A-1")
    assert (row.status, row.reason_code, row.reason) == ("moot", "policy_denied", "revoked")
    assert row.policy["policy_id"] == "p-9"
    granted = in_status("granted").given(deny)
    assert granted.row("approval/A-1").status == "granted"
    assert granted.do(deny) == []


def test_consents_are_given_and_withdrawn(driver: Driver) -> None:
    """A consent is in force until it is withdrawn; the same terms again change nothing."""
    given_once = GiveConsent(consent="news", scope="weekly", expires_at=at("12:00"))
    driver.given(given_once)
    assert driver.do(given_once) == []
    assert driver.do(GiveConsent(consent="news", scope="daily"))
    assert driver.row("user/me").consents["news"]["scope"] == "daily"
    driver.given(WithdrawConsent(consent="news", reason="enough"))
    assert driver.row("user/me").consents == {}
    assert driver.refusal(WithdrawConsent(consent="news")) == "unknown_consent"
    past = GiveConsent(consent="news", scope="weekly", expires_at=NOW)
    assert driver.refusal(past) == "expires_at_past"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 120)), max_size=8))
def test_state_and_row_agree(walk: list[tuple[Step, int]]) -> None:
    """After any walk the state, the row and a replay of the log are one (the driver compares)."""
    driver = new_driver().given(request())
    now = NOW
    for step, minutes in walk:
        now += timedelta(minutes=minutes)
        outcome(driver, step, now)
    replayed = new_driver()
    for event in driver.log:
        replayed.apply([event.fact], by=event.actor, now=event.occurred_at)
    assert (replayed.rows, replayed.states) == (driver.rows, driver.states)
    row = driver.row("approval/A-1")
    executions = [event for event in driver.log if event.fact.type == "execution_started"]
    assert len(executions) <= 1
    assert not executions or row.granted_by == "the-user"
