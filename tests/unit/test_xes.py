"""A case of a process log becomes a task: the plan of each import, without a database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from driver import Driver
from workindex.domain.tasks import TASKS, CancelTask, GiveTaskInput, RemoveTask
from workindex.projections.tasks import TABLES, TaskRow
from workindex.service.importers.xes import Happening, Standing, event_keys, plan_case
from workindex.service.importers.xes_files import Case, CaseEvent
from workindex.service.importers.xes_mapping import Approval, XesMapping

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
ASKS = XesMapping(
    done=("close",),
    approvals=(Approval(asked=("ask",), granted=("yes",), denied=("no",), prompt="Pay?"),),
)


def case(*activities: str, name: str = "C", resource: str | None = "Pete") -> Case:
    """A case with one event an hour; `activity@3` is one at hour 3, `activity@` at no time."""
    events = []
    for number, text in enumerate(activities):
        activity, at, hour = text.partition("@")
        when = START + timedelta(hours=int(hour or number))
        events.append(CaseEvent(activity, None, resource, None if at and not hour else when))
    return Case("log.xes: case 1", name, {"cost": 5}, tuple(events), len(events))


class Importer:
    """Imports one case again and again into a user's tasks in memory."""

    def __init__(self, mapping: XesMapping | None = None) -> None:
        self.driver = Driver([TASKS], TABLES)
        self.mapping = mapping or XesMapping()
        self.keys: set[str] = set()

    @property
    def row(self) -> TaskRow | None:
        found: TaskRow | None = self.driver.row("task/C")
        return found

    def take(self, one: Case) -> list[str]:
        """Plans and does it; the types of the commands that it took."""
        row = self.row
        standing = (
            Standing()
            if row is None
            else Standing(True, row.status in ("done", "cancelled"), frozenset(row.requests))
        )
        commands = []
        for happening in self.plan(one, standing):
            for wish in happening.wishes:
                assert wish.key not in self.keys, "no key stands for two commands"
                self.keys.add(wish.key)
                self.driver.do(wish.command, by="import")
                commands.append(wish.command.type)
        assert self.plan(one, standing) == []
        return commands

    def plan(self, one: Case, standing: Standing) -> list[Happening]:
        return plan_case(one, one.name, "xes", "claims", self.mapping, self.keys, standing)


def test_a_case_is_a_task_with_a_phase_for_each_event() -> None:
    """Created and started with the first event, done with the last, repetitions kept."""
    importer = Importer()
    assert importer.take(case("receive", "check", "check")) == [
        "create_task",
        "start_task",
        *["enter_task_phase"] * 3,
        "complete_task",
    ]
    row = importer.row
    assert row is not None
    assert (row.title, row.status, row.phase, row.assignee) == ("C", "done", "check", "Pete")
    assert (row.source, row.family, row.fields["cost"]["value"]) == ("xes", "claims", 5)
    phases = [event for event in importer.driver.log if event.fact.type == "task_phase_entered"]
    assert len(phases) == 3


def test_a_longer_export_adds_its_rest() -> None:
    """The task goes on; a shorter or an equal one changes nothing."""
    importer = Importer()
    importer.take(case("a", "b"))
    assert importer.take(case("a", "b")) == []
    assert importer.take(case("a")) == []
    assert importer.take(case("a", "b", "c")) == [
        "reopen_task",
        "start_task",
        "enter_task_phase",
        "complete_task",
    ]
    assert importer.row is not None
    assert (importer.row.status, importer.row.phase) == ("done", "c")


def test_an_event_that_comes_late_leaves_the_case_where_it_stood() -> None:
    """It happened in between, so the last phase is entered again."""
    importer = Importer(XesMapping(done=("z",)))
    importer.take(case("a@0", "c@2"))
    assert importer.take(case("a@0", "b@1", "c@2")) == [
        "start_task",
        "enter_task_phase",
        "enter_task_phase",
    ]
    assert importer.row is not None
    assert (importer.row.status, importer.row.phase) == ("active", "c")


def test_equal_events_are_told_apart_by_their_number() -> None:
    """Twice the same at one instant are two events; a third one is new."""
    one, two = case("a@0", "a@0"), case("a@0", "a@0", "a@0")
    assert len(set(event_keys(one, "C"))) == 2
    assert event_keys(two, "C")[:2] == event_keys(one, "C")
    assert event_keys(case(name="x\ny" * 100), "x")[0].isprintable()
    importer = Importer()
    importer.take(one)
    assert "enter_task_phase" in importer.take(two)


def test_a_case_without_events() -> None:
    """An open task, once."""
    importer = Importer()
    assert importer.take(case()) == ["create_task"]
    assert importer.row is not None
    assert importer.row.status == "open"
    assert importer.take(case("a"))[:2] == ["start_task", "enter_task_phase"]


def test_order_and_time() -> None:
    """An unknown time is that of the neighbour, and a case's own order is never turned round."""
    plan = Importer().plan(case("a@", "b@5", "c@3", "d@"), Standing())
    hour = [None if one.at is None else (one.at - START) // timedelta(hours=1) for one in plan]
    order = [(one.order_at - START) // timedelta(hours=1) for one in plan]
    assert (hour, order) == ([5, 5, 3, 3], [5, 5, 5, 5])
    assert [one.at for one in Importer().plan(case("a@", "b@"), Standing())] == [None, None]


def test_an_approval_waits_until_the_log_answers() -> None:
    """Asked once; the answer is a decision, and the import approves nothing itself."""
    importer = Importer(ASKS)
    importer.take(case("file", "ask", "ask"))
    row = importer.row
    assert row is not None
    ((_, request),) = row.requests.items()
    assert (request["kind"], request["prompt"], row.status) == ("approval", "Pay?", "active")
    commands = importer.take(case("file", "ask", "ask", "no", "close"))
    assert commands == [
        "start_task",
        "enter_task_phase",
        "record_task_decision",
        "withdraw_task_input",
        "enter_task_phase",
        "complete_task",
    ]
    row = importer.row
    assert row is not None
    assert (row.status, row.requests) == ("done", {})
    (decision,) = row.decisions
    assert (decision["decision"], decision["reason"]) == ("denied", "no by Pete, as the log says")
    assert "give_task_input" not in commands


def test_an_answer_that_nothing_asked_for() -> None:
    """It is kept as a decision."""
    importer = Importer(ASKS)
    assert importer.take(case("yes")) == [
        "create_task",
        "start_task",
        "enter_task_phase",
        "record_task_decision",
    ]


def test_a_wait_that_was_lost_here_is_taken_up_again() -> None:
    """A task that somebody cancelled or removed goes on with the log, its open request too."""
    for ends in (CancelTask(task_id="C"), RemoveTask(task_id="C")):
        importer = Importer(ASKS)
        importer.take(case("ask", "b"))
        importer.driver.do(ends)
        commands = importer.take(case("ask", "b", "c"))
        assert commands[1:] == ["start_task", "request_task_input", "enter_task_phase"]
        assert importer.row is not None
        assert len(importer.row.requests) == 1
        importer.take(case("ask", "b", "c", "yes"))
        assert importer.row.requests == {}


def test_a_request_that_was_answered_here_stays_answered() -> None:
    """The log's later answer is a decision; there is nothing left to take back."""
    importer = Importer(ASKS)
    importer.take(case("ask"))
    assert importer.row is not None
    (request_id,) = importer.row.requests
    importer.driver.do(GiveTaskInput(task_id="C", request_id=request_id, answer=True), by="user")
    assert "withdraw_task_input" not in importer.take(case("ask", "yes"))


def test_a_question_that_comes_late_and_is_answered_is_not_asked() -> None:
    """Its answer stands in the log already."""
    importer = Importer(ASKS)
    importer.take(case("a@0", "yes@2"))
    assert "request_task_input" not in importer.take(case("a@0", "ask@1", "yes@2"))
