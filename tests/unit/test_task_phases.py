"""Phases of a task: entered once, entered again, and who has the task in them."""

from __future__ import annotations

import pytest

from driver import Driver
from workindex.domain.task_facts import TaskPhaseEntered
from workindex.domain.tasks import TASKS, ChangeTask, CreateTask, EnterTaskPhase
from workindex.eventlog.mapper import FactMapper
from workindex.projections.tasks import TABLES


@pytest.fixture
def driver() -> Driver:
    """A task without an assignee."""
    return Driver([TASKS], TABLES).given(CreateTask(task_id="T", title="A case"))


def enter(phase: str, assignee: str | None = None, *, again: bool = False) -> EnterTaskPhase:
    """A command for the task."""
    return EnterTaskPhase(task_id="T", phase=phase, assignee=assignee, again=again)


def test_a_phase_is_entered_once_unless_it_is_said_again(driver: Driver) -> None:
    """The same phase changes nothing; `again` says that it happened anew."""
    assert len(driver.do(enter("review"))) == 1
    assert driver.do(enter("review")) == []
    assert len(driver.do(enter("review", again=True))) == 1
    assert driver.row("task/T").revision == 3


def test_whoever_enters_has_the_task(driver: Driver) -> None:
    """An assignee moves with the phase; a phase without one leaves it where it is."""
    driver.given(enter("review", "pete"), enter("decision"))
    assert (driver.row("task/T").phase, driver.row("task/T").assignee) == ("decision", "pete")
    assert driver.do(enter("decision", "pete")) == []
    assert len(driver.do(enter("decision", "sue"))) == 1
    assert driver.row("task/T").assignee == "sue"
    driver.given(ChangeTask(task_id="T", assignee=None))
    assert driver.row("task/T").assignee is None


def test_a_phase_of_version_1_is_read() -> None:
    """Facts of before there were assignees say nothing about one."""
    fact = FactMapper().decode("task_phase_entered", 1, b'{"task_id": "T", "phase": "review"}')
    assert fact == TaskPhaseEntered(task_id="T", phase="review")
