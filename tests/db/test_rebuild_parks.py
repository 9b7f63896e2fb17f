"""What cannot be built is named, with its user, its position and its reason, and stops the run."""

from __future__ import annotations

from typing import Any

import pytest

from commands import Command
from conftest import Urls
from engine import Engine, do_as_owner, question, task
from generations import OPERATOR, copy_user, noted, states, stored
from next_program import NEXT_MAPPER, with_fold
from workindex.domain.errors import CommandRefused
from workindex.domain.facts import Event
from workindex.domain.memory import RecordClaim
from workindex.domain.tasks import StartTask
from workindex.eventlog.database import Database
from workindex.projections import advancing, rebuild_batches
from workindex.projections.generations import switch
from workindex.projections.rebuild import Outcome, Rebuilder
from workindex.projections.sets import INLINE, ProjectionSet
from workindex.projections.tasks import WORK_TASK, TaskRow, fold_task
from workindex.projections.verify import Verifier

POISON = "poison"


def set_with(fold: Any) -> ProjectionSet:
    """The next fold version, whose tasks are kept by another fold."""
    changed = with_fold(WORK_TASK, fold)
    tables = tuple(changed if table is WORK_TASK else table for table in INLINE.tables)
    return ProjectionSet("inline", INLINE.fold_version + 1, tables)


def raises(row: TaskRow | None, event: Event) -> TaskRow | None:
    """A fold with a bug."""
    if POISON in event.fact.model_dump_json():
        raise KeyError("a bug")
    return fold_task(row, event)


def folds_nul(row: TaskRow | None, event: Event) -> TaskRow | None:
    """A fold whose rows the database refuses."""
    folded = fold_task(row, event)
    return folded and folded._replace(title=folded.title.replace(POISON, "\0"))


def rebuild(database: Database, projection_set: ProjectionSet = INLINE, **given: Any) -> Outcome:
    return Rebuilder(database, projection_set=projection_set, **given).rebuild(OPERATOR)


@pytest.fixture
def ann(urls: Urls, database: Database) -> Engine:
    """A user with a claim and, at position 3, what a bug cannot fold; others around her."""
    plain = Engine(database, "plain")
    plain.record(task("T-1"))
    engine = Engine(database)
    engine.record(RecordClaim(claim_id="C-1", subject="ann", attribute="a", value=1))
    engine.record_all([task("T-1"), task("T-2", POISON)])
    copy_user(urls, "plain", ["aaa", "zzz"])
    return engine


@pytest.mark.parametrize("is_long", [False, True])
@pytest.mark.parametrize("fold", [raises, folds_nul])
def test_a_park_stops_the_run(
    urls: Urls,
    database: Database,
    ann: Engine,
    monkeypatch: pytest.MonkeyPatch,
    fold: Any,
    is_long: bool,
) -> None:
    """The member parks from the first event that its rows do not hold; the others are built."""
    if is_long:
        monkeypatch.setattr(rebuild_batches, "LONG_LOG_EVENTS", 1)
    changed = set_with(fold)
    outcome = rebuild(database, changed)
    assert not outcome.is_whole
    (park,) = outcome.parked
    assert (park.user_id, park.member, park.position) == ("ann", "work_index", 1)
    assert park.failed_position == (3 if fold is raises else 1)
    assert ("a bug" if fold is raises else "\\u0000") in park.reason
    progress = {one["user_id"]: one for one in stored(urls, 2)["progress"]}
    assert set(progress["ann"]["parked"]) == {"work_index"}
    assert (progress["ann"]["position"], progress["ann"]["open_count"]) == (3, 0)
    assert [row["user_id"] for row in stored(urls, 2)["claim"]] == ["ann"]
    assert not [row for row in stored(urls, 2)["work_task"] if row["user_id"] == "ann"]
    assert noted(urls)[-1] == ("projections rebuild", "parked")
    # The next run builds who is left, and names her again.
    again = rebuild(database, changed)
    assert again.parked == outcome.parked
    assert {one["user_id"] for one in stored(urls, 2)["progress"]} == {"aaa", "ann", "plain", "zzz"}
    with pytest.raises(CommandRefused, match=r"1 user \(ann\) parked") as refused:
        switch(database, OPERATOR, projection_set=changed)
    assert refused.value.code == "not_ready"
    assert states(urls) == {1: "live", 2: "building"}


def test_a_park_far_in_a_long_log(
    urls: Urls, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows of the chunks before stay, as those of a live park do."""
    monkeypatch.setattr(rebuild_batches, "LONG_LOG_EVENTS", 1)
    monkeypatch.setattr(advancing, "CHUNK_EVENTS", 4)
    monkeypatch.setattr(advancing, "TAIL_EVENTS_MAX", 1)
    ann = Engine(database)
    ann.record_all([task(f"T-{number}") for number in range(6)])
    ann.record_all([task("T-p", POISON), question("T-1")])
    outcome = rebuild(database, set_with(raises))
    (park,) = outcome.parked
    assert (park.position, park.failed_position) == (5, 7)
    assert [row["task_id"] for row in stored(urls, 2)["work_task"]] == [
        f"T-{number}" for number in range(4)
    ]
    assert stored(urls, 2)["progress"][0]["position"] == 8
    report = Verifier(database, projection_set=set_with(raises)).verify()
    assert [one["user_id"] for one in report.parked] == ["ann"]


@pytest.mark.parametrize("is_long", [False, True])
def test_an_undecodable_event(
    urls: Urls,
    database: Database,
    ann: Engine,
    monkeypatch: pytest.MonkeyPatch,
    is_long: bool,
) -> None:
    """It parks every member of its user; the command names it and leaves with 1."""
    if is_long:
        monkeypatch.setattr(rebuild_batches, "LONG_LOG_EVENTS", 1)
    do_as_owner(urls, "UPDATE event SET data = '{\"x\": 1}' WHERE user_id = 'ann' AND position = 2")
    command = Command(urls.env)
    told = command("projections", "rebuild", code=1)
    assert "ann" in told.out
    found = command("projections", "rebuild", "--json", code=1).document
    assert {(p["user_id"], p["member"], p["failed_position"]) for p in found["parked"]} == {
        ("ann", member, 2) for member in INLINE.members
    }
    assert all("event 2 of type task_created" in one["reason"] for one in found["parked"])
    assert not [row for row in stored(urls, 2)["claim"] if row["user_id"] == "ann"]
    refused = command("projections", "switch", "--json", code=3).document
    assert refused["error"]["code"] == "not_ready"


def test_a_position_that_is_missing(urls: Urls, database: Database, ann: Engine) -> None:
    """A hole in a log is never folded over."""
    do_as_owner(urls, "DELETE FROM event WHERE user_id = 'ann' AND position = 2")
    outcome = rebuild(database)
    assert {one.member for one in outcome.parked} == set(INLINE.members)
    assert {one.reason for one in outcome.parked} == {"position 2 is missing from the log"}


@pytest.mark.parametrize("is_long", [False, True])
def test_a_fact_that_needs_newer_code(
    urls: Urls,
    database: Database,
    ann: Engine,
    monkeypatch: pytest.MonkeyPatch,
    is_long: bool,
) -> None:
    """Nothing of its user is stored and nobody parks; newer code builds it as if nothing was."""
    if is_long:
        monkeypatch.setattr(rebuild_batches, "LONG_LOG_EVENTS", 1)
    ann.record(StartTask(task_id="T-1"))
    do_as_owner(urls, "UPDATE event SET schema_version = 2 WHERE type = 'task_started'")
    outcome = rebuild(database)
    (unknown,) = outcome.unknown
    assert (unknown.user_id, unknown.position) == ("ann", 4)
    assert "task_started version 2, which this program does not know" in unknown.reason
    assert not outcome.is_whole
    assert outcome.parked == ()
    assert [one["user_id"] for one in stored(urls, 2)["progress"]] == ["aaa", "plain", "zzz"]
    assert not [row for rows in stored(urls, 2).values() for row in rows if row["user_id"] == "ann"]
    with pytest.raises(CommandRefused, match=r"1 user \(ann\) not built"):
        switch(database, OPERATOR)
    newer = rebuild(database, mapper=NEXT_MAPPER)
    assert newer.is_whole
    assert newer.done.users == 1
    assert switch(database, OPERATOR).live == 2
    assert stored(urls, 2)["work_task"][1]["status"] == "active"
