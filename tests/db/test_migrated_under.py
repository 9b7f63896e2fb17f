"""A program that runs while somebody migrates stores nothing, proves nothing, and says so."""

from __future__ import annotations

import pytest

from conftest import Urls
from engine import Engine, do_as_owner, question, task
from workindex import WorkIndex
from workindex.domain.errors import NotReady
from workindex.domain.tasks import StartTask
from workindex.eventlog.database import Database

# What is renamed, and what its name is.
CHANGES = {
    "the append": ("FUNCTION {} RENAME TO {}", "wi_append"),
    "the reads": ("FUNCTION {} RENAME TO {}", "wi_read"),
    "a table": ("TABLE {} RENAME TO {}", "work_task"),
    "a column": ("TABLE event RENAME COLUMN {} TO {}", "stream_version"),
}


@pytest.mark.pg15
@pytest.mark.parametrize("name", CHANGES)
def test_what_a_program_calls_is_gone(urls: Urls, database: Database, name: str) -> None:
    """NotReady that says to restart, nothing stored; undone, the same program goes on."""
    ann = Engine(database)
    ann.record(task("T-1"))
    ann.record(question("T-1"))
    statement, what = CHANGES[name]
    do_as_owner(urls, f"ALTER {statement.format(what, 'other')}")
    with pytest.raises(NotReady, match="restart it, with the version that fits"):
        ann.record(StartTask(task_id="T-1"), key="K")
    do_as_owner(urls, f"ALTER {statement.format('other', what)}")
    receipt = ann.record(StartTask(task_id="T-1"), key="K")
    assert (receipt.positions, receipt.duplicate) == ((3,), False)
    assert ann.is_whole()


def test_a_question_meanwhile(urls: Urls, database: Database) -> None:
    """A question is refused with the same words, and its answer is never "nothing"."""
    ann = WorkIndex(database).user("ann")
    Engine(database).record(task("T-1"))
    assert ann.ask("what needs me?").verdict == "proven_empty"  # type: ignore[union-attr]
    do_as_owner(urls, "ALTER FUNCTION wi_state RENAME TO other")
    with pytest.raises(NotReady, match="restart it, with the version that fits"):
        ann.ask("what needs me?")
