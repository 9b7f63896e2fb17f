"""Damage behind the projector's back: a reader never takes what is left of it for a proof."""

from __future__ import annotations

from datetime import timedelta

import pytest

from conftest import Urls
from driver import NOW
from engine import Engine, do_as_owner, proof_of, question, task
from workindex.domain.errors import InvalidInput
from workindex.domain.tasks import GiveTaskInput
from workindex.eventlog.database import Database


@pytest.fixture
def ann(database: Database) -> Engine:
    """Three events: a task, its question, and the answer; nothing needs the user."""
    engine = Engine(database)
    engine.record(task("T-1"), now=NOW)
    engine.record(question("T-1"), now=NOW)
    engine.record(GiveTaskInput(task_id="T-1", request_id="R-1", answer="x"), now=NOW)
    return engine


def verdict(engine: Engine) -> tuple[str, tuple[str, ...]]:
    """The verdict on "what needs me?" and its reasons."""
    proof = engine.proof(now=NOW)
    return proof.verdict, proof.reasons


@pytest.mark.parametrize("position", [4, 5, 100_000])
def test_rows_of_a_future_that_the_log_does_not_hold(
    urls: Urls, ann: Engine, position: int
) -> None:
    """Rows ahead of the log belong to no log that is there: they lag, they prove nothing."""
    assert verdict(ann) == ("proven_empty", ())
    do_as_owner(urls, f"UPDATE projection_progress SET position = {position}")
    assert verdict(ann) == ("unproven", ("lag",))


@pytest.mark.parametrize("lost", [2, 3], ids=["in the middle", "at the end"])
def test_events_that_got_lost(urls: Urls, ann: Engine, lost: int) -> None:
    """A fold that misses an event is not the state, whatever its rows say."""
    do_as_owner(urls, f"DELETE FROM event WHERE position = {lost}")
    do_as_owner(urls, "UPDATE projection_progress SET position = 1")
    assert verdict(ann) == ("unproven", ("rows_missing",))
    reading = ann.read(now=NOW, at_position=3)
    assert proof_of(reading).reasons == ("rows_missing",)
    assert proof_of(ann.read(now=NOW, at_position=1)).verdict == "proven_empty"


def test_head_beyond_the_log(urls: Urls, ann: Engine) -> None:
    """A head that counts more events than there are says that some got lost."""
    do_as_owner(urls, "UPDATE user_log SET head = 4")
    assert verdict(ann) == ("unproven", ("rows_missing",))


@pytest.mark.parametrize(
    "change", ["requests = '[]'", "labels = '{}'", "labels = '[1]'", "fields = '5'"]
)
@pytest.mark.parametrize("behind", [False, True], ids=["at head", "behind"])
def test_rows_that_cannot_be_read(urls: Urls, ann: Engine, change: str, behind: bool) -> None:
    """A row of another shape is a missing row for the reader, and verify names it."""
    ann.record(question("T-1", "R-2"), now=NOW)
    ann.record(task("T-2"), now=NOW)
    ann.record(question("T-2"), now=NOW)
    do_as_owner(urls, f"UPDATE work_task SET {change} WHERE task_id = 'T-1'")
    if behind:
        do_as_owner(urls, "UPDATE projection_progress SET position = 5, open_count = 1")
        do_as_owner(urls, "UPDATE work_task SET requests = '{}', open = false WHERE task_id='T-2'")
    reading = ann.read(now=NOW)
    assert proof_of(reading).verdict == "unproven"
    assert reading.reasons == ("rows_missing",)
    assert [row.task_id for row in reading.rows["task"]] == ["T-2"]
    if not behind:
        (found,) = ann.verify().differences
        assert (found.table, found.row, found.field, found.position) == (
            "work_task",
            "T-1",
            "row",
            4,
        )
        assert found.stored.startswith("cannot be read: ")


@pytest.mark.parametrize("position", [True, 1.0, 1.5, "1"])
def test_positions_that_are_none(ann: Engine, position: object) -> None:
    """A position is a whole number: true is not the first, and there is none and a half."""
    with pytest.raises(InvalidInput) as caught:
        ann.read(at_position=position)  # type: ignore[arg-type]
    assert caught.value.field == "at_position"


@pytest.mark.parametrize(
    "now", ["2026-03-02", NOW.replace(tzinfo=None), NOW.replace(year=1899), NOW.replace(year=9999)]
)
def test_instants_that_are_none(ann: Engine, now: object) -> None:
    """What is no instant that a zone can show is refused before anything is read."""
    with pytest.raises(InvalidInput) as caught:
        ann.read(now=now)  # type: ignore[arg-type]
    assert caught.value.field == "now"
    assert ann.proof(now=NOW.replace(year=1900)).verdict == "proven_empty"
    assert ann.proof(now=NOW.replace(year=9998) - timedelta(days=1)).verdict == "proven_empty"
