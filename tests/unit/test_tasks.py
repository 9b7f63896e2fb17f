"""Tasks: what each command brings about in each state, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from driver import NOW, Driver, actor, at
from workindex.domain.decisions import decide
from workindex.domain.errors import NotPermitted
from workindex.domain.facts import EVERY_ACTOR, ActorKind, Command, World
from workindex.domain.task_facts import PlanStep, TaskField
from workindex.domain.tasks import (
    TASKS,
    AttachTaskOutput,
    BlockTask,
    CancelTask,
    ChangeTask,
    CompleteTask,
    CreateTask,
    EnterTaskPhase,
    FailTask,
    GiveTaskInput,
    RecordAttempt,
    RecordTaskDecision,
    RemoveTask,
    ReopenTask,
    RequestTaskInput,
    ScheduleTask,
    SetTaskField,
    SetTaskPlan,
    StartTask,
    TaskCompleted,
    TaskCreated,
    TaskStarted,
    UnblockTask,
    WithdrawTaskInput,
)
from workindex.projections.tasks import FILED_KEPT, TABLES, is_open

ONE_OF_EACH: tuple[Command, ...] = (
    CreateTask(task_id="T", title="t"),
    ChangeTask(task_id="T", title="new"),
    StartTask(task_id="T"),
    EnterTaskPhase(task_id="T", phase="review"),
    SetTaskPlan(task_id="T", steps=(PlanStep(title="one"),)),
    RecordTaskDecision(task_id="T", decision="go"),
    SetTaskField(task_id="T", name="size", value="L"),
    AttachTaskOutput(task_id="T", title="report"),
    RequestTaskInput(task_id="T", request_id="Q2", prompt="which?"),
    GiveTaskInput(task_id="T", request_id="Q", answer="this"),
    WithdrawTaskInput(task_id="T", request_id="Q"),
    BlockTask(task_id="T", reason="the post"),
    UnblockTask(task_id="T"),
    ScheduleTask(task_id="T", scheduled_at=at("12:00")),
    CompleteTask(task_id="T"),
    FailTask(task_id="T"),
    CancelTask(task_id="T"),
    ReopenTask(task_id="T"),
    RemoveTask(task_id="T"),
    RecordAttempt(task_id="T", summary="tried", outcome="failed"),
)
ENDINGS = (CompleteTask(task_id="T"), FailTask(task_id="T"), CancelTask(task_id="T"))


def named(command: object) -> str:
    return type(command).__name__


@pytest.fixture
def driver() -> Driver:
    return Driver([TASKS], TABLES)


@pytest.fixture
def task(driver: Driver) -> Driver:
    """A driver whose log holds the open task T."""
    return driver.given(CreateTask(task_id="T", title="t"))


def test_every_command_has_its_example() -> None:
    """The tables below cover the whole concept."""
    assert {type(command) for command in ONE_OF_EACH} == set(TASKS.commands)


def test_a_fresh_task_is_open_with_what_was_given(driver: Driver) -> None:
    """CreateTask alone makes revision 1; nothing waits and nothing is filed."""
    driver.do(
        CreateTask(
            task_id="T",
            title="Renew the passport",
            priority=1,
            labels=("home",),
            due_at=at("2026-06-01 12:00"),
            source="beads",
            fields={"country": TaskField(allowed_values=("NZ", "DE"), required=True)},
        )
    )
    row = driver.row("task/T")
    assert (row.title, row.status, row.revision, row.priority) == (
        "Renew the passport",
        "open",
        1,
        1,
    )
    assert (row.labels, row.due_at, row.source) == (["home"], at("2026-06-01 12:00"), "beads")
    assert row.fields["country"] == {
        "value": None,
        "state": "mentioned",
        "source_message_id": None,
        "allowed_values": ["NZ", "DE"],
        "required": True,
    }
    assert (row.created_at, row.status_since_at, row.ended_at) == (NOW, NOW, None)
    assert not is_open(row)


@pytest.mark.parametrize("command", ONE_OF_EACH[1:], ids=named)
def test_a_task_that_is_not_there_takes_no_command(driver: Driver, command: Command) -> None:
    """Every command but CreateTask is refused by name."""
    assert driver.refusal(command) == "unknown_task"


# What each command may do to an ended task: its number of facts, or the refusal.
ON_ENDED: dict[str, int | str] = {
    "CreateTask": "task_exists",
    "ChangeTask": 1,
    "StartTask": "task_ended",
    "EnterTaskPhase": "task_ended",
    "SetTaskPlan": "task_ended",
    "RecordTaskDecision": "task_ended",
    "SetTaskField": "task_ended",
    "AttachTaskOutput": 1,
    "RequestTaskInput": "task_ended",
    "GiveTaskInput": "task_ended",
    "WithdrawTaskInput": "task_ended",
    "BlockTask": "task_ended",
    "UnblockTask": 0,
    "ScheduleTask": "task_ended",
    "ReopenTask": 1,
    "RemoveTask": 1,
    "RecordAttempt": 1,
}


@pytest.mark.parametrize("ending", ENDINGS, ids=named)
@pytest.mark.parametrize("command", ONE_OF_EACH, ids=named)
def test_what_an_ended_task_still_takes(driver: Driver, ending: Command, command: Command) -> None:
    """Describing, filing, reopening and removing; the same end again is nothing new."""
    driver.given(CreateTask(task_id="T", title="t"), ending)
    expected = ON_ENDED.get(named(command), 0 if type(command) is type(ending) else "task_ended")
    if isinstance(expected, str):
        assert driver.refusal(command) == expected
    else:
        assert len(driver.do(command)) == expected


@pytest.mark.parametrize("kind", sorted(EVERY_ACTOR))
@pytest.mark.parametrize("command", ONE_OF_EACH, ids=named)
def test_every_actor_may_work_on_tasks(task: Driver, kind: ActorKind, command: Command) -> None:
    """Who may do what on tasks: everybody everything, but for the two rules tested below."""
    task.given(RequestTaskInput(task_id="T", request_id="Q", kind="input", prompt="?"))
    if isinstance(command, CreateTask):
        command = CreateTask(task_id="T2", title="t")
    task.do(command, by=kind)


@pytest.mark.parametrize("kind", sorted(EVERY_ACTOR))
def test_only_the_user_confirms_a_field(task: Driver, kind: ActorKind) -> None:
    """A model that says confirmed confirms nothing, at creation neither."""
    by_set = SetTaskField(task_id="T", name="size", value="L", state="confirmed")
    by_create = CreateTask(
        task_id="T2", title="t", fields={"size": TaskField(value="L", state="confirmed")}
    )
    for command in (by_set, by_create):
        if kind == "user":
            assert len(task.do(command, by=kind)) == 1
        else:
            with pytest.raises(NotPermitted):
                task.do(command, by=kind)


@pytest.mark.parametrize("kind", sorted(EVERY_ACTOR))
@pytest.mark.parametrize("asked", ["approval", "decision", "input"])
def test_only_a_person_answers_a_request_for_approval(
    task: Driver, kind: ActorKind, asked: Any
) -> None:
    """Decisions and inputs may be handed on by the agent that heard them."""
    task.given(RequestTaskInput(task_id="T", request_id="Q", kind=asked, prompt="?"))
    answer = GiveTaskInput(task_id="T", request_id="Q", answer=True)
    if asked == "approval" and kind not in ("user", "approver"):
        assert task.refusal(answer, by=kind) == "not_permitted"
    else:
        assert len(task.do(answer, by=kind)) == 1


def test_starting_twice_is_nothing_new(task: Driver) -> None:
    """A no-op decides nothing."""
    assert task.do(StartTask(task_id="T")) == [TaskStarted(task_id="T")]
    assert task.do(StartTask(task_id="T")) == []
    assert task.row("task/T").started_at == NOW


def test_put_back_while_waiting_for_something_outside(task: Driver) -> None:
    """Reopening ends no wait."""
    task.given(StartTask(task_id="T"), BlockTask(task_id="T", reason="parts"))
    assert task.given(ReopenTask(task_id="T")).row("task/T").status == "blocked"


def test_scheduling_puts_off_and_starting_takes_up(task: Driver) -> None:
    """open -> scheduled -> active -> scheduled; the same time again is nothing new."""
    soon = ScheduleTask(task_id="T", scheduled_at=at("12:00"))
    assert len(task.do(soon)) == 1
    assert task.do(soon) == []
    assert (task.row("task/T").status, task.row("task/T").scheduled_at) == (
        "scheduled",
        at("12:00"),
    )
    task.do(StartTask(task_id="T"))
    assert task.row("task/T").status == "active"
    task.do(soon)
    assert task.row("task/T").status == "scheduled"


def test_changing_says_only_what_differs(task: Driver) -> None:
    """Left out stays, null empties, the same value is no change, a title cannot be emptied."""
    task.given(ChangeTask(task_id="T", assignee="bo", labels=("a", "b"), due_at=at("12:00")))
    changed = ChangeTask(task_id="T", title="t", assignee=None, labels=None, due_at=at("12:00"))
    (fact,) = task.do(changed)
    assert fact.model_dump(exclude_unset=True) == {
        "task_id": "T",
        "labels": (),
        "cleared": ("assignee",),
    }
    row = task.row("task/T")
    assert (row.title, row.assignee, row.labels, row.due_at) == ("t", None, [], at("12:00"))
    assert task.do(changed) == []
    assert task.refusal(ChangeTask(task_id="T", title=None)) == "field_required"


def test_a_parent_exists_and_is_no_descendant(task: Driver) -> None:
    """T > U > V: T cannot go below V, nor below itself, nor below what is not there."""
    task.given(CreateTask(task_id="U", title="u", parent_id="T"))
    task.given(CreateTask(task_id="V", title="v", parent_id="U"))
    for parent in ("T", "V"):
        assert task.refusal(ChangeTask(task_id="T", parent_id=parent)) == "parent_cycle"
    assert task.refusal(ChangeTask(task_id="T", parent_id="X")) == "unknown_task"
    assert task.refusal(CreateTask(task_id="W", title="w", parent_id="X")) == "unknown_task"
    assert len(task.do(ChangeTask(task_id="V", parent_id="T"))) == 1


def test_finished_steps_do_not_close_a_task(task: Driver) -> None:
    """Steps without an id are named by their place; the plan never moves the status."""
    task.do(SetTaskPlan(task_id="T", steps=({"title": "a", "status": "done"}, {"title": "b"})))
    assert task.row("task/T").plan == [
        {"step_id": "1", "title": "a", "status": "done"},
        {"step_id": "2", "title": "b", "status": "pending"},
    ]
    done = SetTaskPlan(task_id="T", steps=({"step_id": "1", "title": "a", "status": "done"},))
    assert len(task.do(done)) == 1
    assert task.do(done) == []
    assert task.row("task/T").status == "open"
    twice = SetTaskPlan(task_id="T", steps=({"step_id": "2", "title": "a"}, {"title": "b"}))
    assert task.refusal(twice) == "step_twice"


def test_a_mentioned_value_never_replaces_a_confirmed_one(task: Driver) -> None:
    """Declared choices stay; repeating the confirmed value is nothing new; the user may change."""
    task.do(SetTaskField(task_id="T", name="n", allowed_values=(1, 2), required=True))
    assert task.refusal(SetTaskField(task_id="T", name="n", value=3)) == "value_not_allowed"
    assert task.refusal(SetTaskField(task_id="T", name="n", value=True)) == "value_not_allowed"
    task.do(SetTaskField(task_id="T", name="n", value=1, source_message_id="m1"))
    task.do(SetTaskField(task_id="T", name="n", value=2, state="confirmed"))
    assert task.row("task/T").fields["n"] == {
        "value": 2,
        "state": "confirmed",
        "source_message_id": None,
        "allowed_values": [1, 2],
        "required": True,
    }
    assert task.refusal(SetTaskField(task_id="T", name="n", value=1)) == "field_confirmed"
    assert task.do(SetTaskField(task_id="T", name="n", value=2)) == []
    nothing = SetTaskField(task_id="T", name="n", state="confirmed")
    assert task.refusal(nothing) == "field_required"
    assert len(task.do(SetTaskField(task_id="T", name="n", value=1, state="confirmed"))) == 1


def test_settling_one_of_two_requests_leaves_the_other(task: Driver) -> None:
    """The row is open until the last request is settled."""
    task.given(
        RequestTaskInput(task_id="T", request_id="Q1", kind="decision", prompt="which?"),
        RequestTaskInput(task_id="T", request_id="Q2", prompt="how many?", expires_at=at("10:00")),
        GiveTaskInput(task_id="T", request_id="Q1", answer="this"),
    )
    assert task.row("task/T").requests == {
        "Q2": {
            "kind": "input",
            "prompt": "how many?",
            "asked_at": "2026-03-02T09:00:00+00:00",
            "expires_at": "2026-03-02T10:00:00+00:00",
        }
    }
    assert is_open(task.row("task/T"))
    task.do(WithdrawTaskInput(task_id="T", request_id="Q2"))
    assert not is_open(task.row("task/T"))


def test_an_answer_needs_an_open_and_unexpired_request(task: Driver) -> None:
    """At its very expiry a request has expired; it can still be withdrawn."""
    ask = RequestTaskInput(task_id="T", request_id="Q", prompt="?", expires_at=at("10:00"))
    answer = GiveTaskInput(task_id="T", request_id="Q", answer=1)
    assert task.refusal(answer) == "unknown_request"
    task.do(ask)
    assert task.do(ask) == []
    other = RequestTaskInput(task_id="T", request_id="Q", prompt="what?")
    assert task.refusal(other) == "request_exists"
    assert task.refusal(answer, now=at("10:00")) == "request_expired"
    assert len(task.do(WithdrawTaskInput(task_id="T", request_id="Q"), now=at("10:00"))) == 1
    assert task.refusal(answer) == "unknown_request"


@pytest.mark.parametrize("ending", ENDINGS, ids=named)
def test_open_requests_vanish_with_the_end(task: Driver, ending: Command) -> None:
    """Nothing waits on an ended task, and nothing comes back when it is reopened."""
    task.given(RequestTaskInput(task_id="T", request_id="Q", prompt="?"), ending)
    row = task.row("task/T")
    assert (row.requests, row.ended_at) == ({}, NOW)
    task.do(ReopenTask(task_id="T"), now=at("11:00"))
    row = task.row("task/T")
    assert (row.status, row.status_since_at, row.requests, row.ended_at) == (
        "open",
        at("11:00"),
        {},
        None,
    )
    assert task.do(ReopenTask(task_id="T")) == []


def test_a_removed_task_may_come_again_in_its_stream(task: Driver) -> None:
    """The row is fresh, its revision goes on counting."""
    assert task.refusal(CreateTask(task_id="T", title="again")) == "task_exists"
    task.given(StartTask(task_id="T"), RemoveTask(task_id="T"))
    assert task.row("task/T") is None
    task.do(CreateTask(task_id="T", title="again"))
    row = task.row("task/T")
    assert (row.title, row.status, row.revision, row.started_at) == ("again", "open", 4, None)


def test_the_row_keeps_the_newest_of_what_is_filed(task: Driver) -> None:
    """A row stays bounded; the log holds all."""
    for number in range(FILED_KEPT + 2):
        task.do(RecordAttempt(task_id="T", summary=str(number), outcome="failed"))
    kept = task.row("task/T").attempts
    assert (len(kept), kept[0]["summary"], kept[-1]["at"]) == (
        FILED_KEPT,
        "2",
        "2026-03-02T09:00:00+00:00",
    )


def test_the_outcome_is_told(task: Driver) -> None:
    """What a task came to stands in its row until it is reopened."""
    outcome = CompleteTask(task_id="T", outcome="sent")
    assert task.do(outcome) == [TaskCompleted(task_id="T", outcome="sent")]
    assert task.row("task/T").outcome == "sent"
    task.given(ReopenTask(task_id="T"), FailTask(task_id="T", reason="lost"))
    assert (task.row("task/T").status, task.row("task/T").outcome) == ("failed", "lost")


def test_creating_is_blind_only_where_nothing_else_is_read() -> None:
    """Without parent and blockers an empty world is enough."""
    assert CreateTask(title="t").is_blind
    assert not CreateTask(title="t", parent_id="P").is_blind
    assert not CreateTask(title="t", blocked_by=("B",)).is_blind
    world = World("ann", actor("agent"), {"task/T": None})
    facts = decide(world, CreateTask(task_id="T", title="t"), NOW)
    assert facts == [TaskCreated(task_id="T", title="t")]


@pytest.mark.parametrize(
    "fields",
    [
        {"title": ""},
        {"title": "t", "task_id": ""},
        {"title": "t", "task_id": " T"},
        {"title": "t", "task_id": "x" * 201},
        {"title": "t", "priority": 10_000},
        {"title": "t", "due_at": "2026-01-01T10:00:00"},
        {"title": "t", "colour": "red"},
        {"title": "t", "fields": {"n": {"state": "confirmed"}}},
        {"title": "t", "fields": {"n": {"allowed_values": []}}},
    ],
)
def test_malformed_commands_are_no_commands(fields: dict[str, Any]) -> None:
    """Shape, size and zones are checked before any state is looked at."""
    with pytest.raises(ValidationError):
        CreateTask.model_validate(fields)
