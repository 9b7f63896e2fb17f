"""A repair makes the rows what verify expects, from the log alone, and says so."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from conftest import Urls
from driver import NOW, actor
from engine import Engine, do_as_owner, owner, question, task
from workindex.domain.conversations import PostMessage
from workindex.domain.errors import CorruptLog, InvalidInput, NeedsNewerCode
from workindex.domain.facts import Event
from workindex.domain.tasks import GiveTaskInput, StartTask
from workindex.eventlog.audit import actions
from workindex.eventlog.database import Database
from workindex.eventlog.mapper import MODELS, FactMapper
from workindex.projections.repair import Repaired, repair
from workindex.projections.sets import TABLE_OF_KIND

WHO = actor("operator")


@pytest.fixture
def ann(database: Database) -> Engine:
    """Four events: a task with an open question, a started task, a message."""
    engine = Engine(database)
    engine.record(task("T-1"), now=NOW)
    engine.record(question("T-1"), now=NOW)
    engine.record(task("T-2"), now=NOW)
    engine.record(PostMessage(message_id="M-1", thread_id="TH", role="user", text="x"), now=NOW)
    return engine


def test_everything_at_once(urls: Urls, ann: Engine) -> None:
    """Wrong rows, lost rows, rows too many and wrong counts are right again, in one transaction
    that raises the epoch and is noted."""
    do_as_owner(urls, "UPDATE work_task SET title = 'x', open = NOT open")
    do_as_owner(urls, "DELETE FROM message")
    do_as_owner(urls, "UPDATE projection_progress SET open_count = 9, position = 2")
    epoch = do_as_owner(urls, "SELECT epoch FROM user_log")[0][0]
    done = repair(ann.database, "ann", WHO)
    assert done == Repaired("ann", 4, {"inline/1": 3}, 0)
    assert ann.progress() == {"position": 4, "parked": {}, "open_count": 1}
    assert do_as_owner(urls, "SELECT epoch FROM user_log") == [(epoch + 1,)]
    assert ann.proof(now=NOW).verdict == "items"
    assert ann.is_whole()
    with ann.database.maintenance() as conn:
        (noted,) = actions(conn, limit=10)
    assert (noted.who, noted.command) == ("operator the-operator", "projections repair")
    assert noted.arguments == {
        "user_id": "ann", "events": 4, "rows": {"inline/1": 3}, "strays": 0
    }  # fmt: skip
    ann.record(GiveTaskInput(task_id="T-1", request_id="R-1", answer="x"), now=NOW)
    assert ann.proof(now=NOW).verdict == "proven_empty"


def test_lost_progress(urls: Urls, ann: Engine) -> None:
    """A user whose progress is gone gets it back in the live generation."""
    do_as_owner(urls, "DELETE FROM projection_progress")
    do_as_owner(urls, "DELETE FROM work_task")
    repair(ann.database, "ann", WHO)
    assert ann.is_whole()
    assert ann.progress()["position"] == 4


def test_a_member_that_stands_still(
    urls: Urls, ann: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stays where it stands, with the rows of that place; a fold that fails now parks."""
    table = TABLE_OF_KIND["task"]
    right = table.fold

    def wrong(row: Any, event: Event) -> Any:
        if "poison" in event.fact.model_dump_json():
            raise KeyError("a bug")
        return right(row, event)

    with monkeypatch.context() as patched:
        patched.setattr(table, "fold", wrong)
        ann.record(task("T-3", "poison"), now=NOW)
    mark = ann.progress()["parked"]["work_index"]
    do_as_owner(urls, "UPDATE work_task SET title = 'x'")
    repair(ann.database, "ann", WHO)
    assert ann.progress()["parked"] == {"work_index": mark}
    assert ann.verify().differences == []
    do_as_owner(urls, "UPDATE projection_progress SET parked = '{}'")
    monkeypatch.setattr(table, "fold", wrong)
    repair(ann.database, "ann", WHO)
    found = ann.progress()["parked"]["work_index"]
    assert (found["position"], found["failed_position"]) == (5, 5)
    assert "KeyError: 'a bug'" in found["reason"]
    assert ann.verify().differences == []
    assert {row[0] for row in do_as_owner(urls, "SELECT task_id FROM work_task")} == {"T-1", "T-2"}


def test_what_the_log_does_not_hold(urls: Urls, ann: Engine) -> None:
    """From a log with a hole, or with facts of a newer program, no rows are made."""
    with pytest.raises(InvalidInput, match="there is no user zoe"):
        repair(ann.database, "zoe", WHO)
    ann.record(StartTask(task_id="T-1"), now=NOW)
    models = {key: model for key, model in MODELS.items() if key[0] != "task_started"}
    with pytest.raises(NeedsNewerCode, match="task_started"):
        repair(ann.database, "ann", WHO, mapper=FactMapper(models))
    do_as_owner(urls, "UPDATE user_log SET head = 4")
    with pytest.raises(CorruptLog, match="has events after its head 4"):
        repair(ann.database, "ann", WHO)
    do_as_owner(urls, "UPDATE user_log SET head = 5")
    do_as_owner(urls, "DELETE FROM event WHERE position = 2")
    with pytest.raises(CorruptLog, match="event 2 of user ann is missing"):
        repair(ann.database, "ann", WHO)
    assert do_as_owner(urls, "SELECT count(*) FROM work_task") == [(2,)]


def test_undecodable_event(urls: Urls, ann: Engine) -> None:
    """Everything up to it is made anew; every member stands still there, and the log says why."""
    do_as_owner(urls, "UPDATE event SET data = '{}' WHERE position = 3")
    repair(ann.database, "ann", WHO)
    parked = ann.progress()["parked"]
    assert {
        m: (one["position"], one["failed_position"]) for m, one in parked.items()
    } == dict.fromkeys(("work_index", "conversation", "memory"), (3, 3))
    report = ann.verify()
    assert report.differences == []
    assert [fault["position"] for fault in report.log_faults] == [3]


def test_appends_wait(urls: Urls, ann: Engine) -> None:
    """A writer comes before or after a repair, never into it."""
    do_as_owner(urls, "UPDATE work_task SET title = 'x'")
    holder = owner(urls)
    holder.execute("BEGIN")
    holder.execute("SELECT 1 FROM user_log WHERE user_id = 'ann' FOR UPDATE")
    threads = [
        threading.Thread(target=repair, args=(ann.database, "ann", WHO)),
        threading.Thread(target=lambda: ann.record(StartTask(task_id="T-2"), now=NOW)),
    ]
    for thread in threads:
        thread.start()
    holder.execute("COMMIT")
    holder.close()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)
    assert len(ann.events()) == 5
    assert ann.is_whole()


@pytest.mark.parametrize(("count", "users"), [(2, 2), (99, 4)])
def test_sample(ann: Engine, count: int, users: int) -> None:
    """So many users, the same ones for the same seed, and the seed is told."""
    for name in ("bob", "eve", "joe"):
        Engine(ann.database, name).record(task("T-1"), now=NOW)
    first = ann.verifier.sample(count)
    assert (first.users, first.is_clean) == (users, True)
    assert ann.verifier.sample(count, first.seed) == first
    assert ann.verify().seed is None
