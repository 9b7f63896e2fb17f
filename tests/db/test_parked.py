"""What stands still goes on whole or not at all, and what was left out is never forgotten."""

from __future__ import annotations

from typing import Any

import pytest

from conftest import Urls
from driver import NOW, actor
from engine import Engine, do_as_owner, question, task
from tampering import park
from workindex.domain.conversations import PostMessage
from workindex.domain.errors import CommandRefused, CorruptLog, InvalidInput, NeedsNewerCode
from workindex.domain.facts import Event
from workindex.domain.memory import RecordClaim
from workindex.domain.tasks import CompleteTask, GiveTaskInput, StartTask
from workindex.eventlog.audit import actions
from workindex.eventlog.database import Database
from workindex.eventlog.mapper import MODELS, FactMapper
from workindex.projections.parked import Unparker, WentOn, list_parked
from workindex.projections.sets import INLINE, TABLE_OF_KIND

WHO = actor("operator")


class Bug:
    """A fold that raises on every event whose data say one of its words."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, kind: str, *words: str) -> None:
        self.words = set(words)
        table = TABLE_OF_KIND[kind]
        right = table.fold

        def wrong(row: Any, event: Event) -> Any:
            if any(word in event.fact.model_dump_json() for word in self.words):
                raise KeyError("a bug")
            return right(row, event)

        monkeypatch.setattr(table, "fold", wrong)


@pytest.fixture
def ann(database: Database) -> Engine:
    """A user with one task that waits for nothing."""
    engine = Engine(database)
    engine.record(task("T-1"), now=NOW)
    return engine


@pytest.fixture
def unparker(database: Database) -> Unparker:
    """The operator's hand."""
    return Unparker(database, WHO)


def epoch(urls: Urls) -> int:
    return int(do_as_owner(urls, "SELECT epoch FROM user_log")[0][0])


def went_on(done: list[WentOn]) -> list[tuple[str, int, bool]]:
    """Member, events folded, and whether it goes on."""
    return [(one.member, one.events, one.mark is None) for one in done]


def test_retry_after_the_fix(
    urls: Urls, ann: Engine, unparker: Unparker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The member is folded from where it stands to the set's position, counted, and proves again;
    rows that it lost and rows that it closed meanwhile are right."""
    ann.record(question("T-1"), now=NOW)
    bug = Bug(monkeypatch, "task", "poison")
    ann.record(task("T-2", "poison"), now=NOW)
    ann.record(GiveTaskInput(task_id="T-1", request_id="R-1", answer="x"), now=NOW)
    ann.record(question("T-2"), now=NOW)
    assert ann.progress()["open_count"] == 1
    before = epoch(urls)
    bug.words.clear()
    (done,) = unparker.retry("ann")
    assert done == WentOn("inline", 1, "work_index", None, 3, 2, None)
    assert ann.progress() == {"position": 5, "parked": {}, "open_count": 1}
    assert epoch(urls) == before + 1
    proof = ann.proof(now=NOW)
    assert (proof.verdict, proof.reasons) == ("items", ())
    assert [row.task_id for row in ann.read(now=NOW).rows["task"]] == ["T-2"]
    assert ann.is_whole()
    ann.record(CompleteTask(task_id="T-2"), now=NOW)
    assert ann.proof(now=NOW).verdict == "proven_empty"
    assert ann.is_whole()


def test_retry_that_fails_again(
    urls: Urls, ann: Engine, unparker: Unparker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing changes but what is known of the failure: reason, event, attempts."""
    bug = Bug(monkeypatch, "task", "first", "second")
    ann.record(task("T-2", "first"), now=NOW)
    ann.record(task("T-3", "second"), now=NOW)
    ann.record(StartTask(task_id="T-1"), now=NOW)
    stood = ann.progress()["parked"]["work_index"]
    rows = do_as_owner(urls, "SELECT * FROM work_task")
    before = epoch(urls)
    bug.words.remove("first")
    (done,) = unparker.retry("ann", "work_index")
    assert (done.events, done.rows) == (0, 0)
    mark = ann.progress()["parked"]["work_index"]
    assert done.mark == mark
    assert (mark["position"], mark["failed_position"], mark["attempts"]) == (2, 3, 2)
    assert mark["at"] == stood["at"]
    assert "task_created of task/T-3" in mark["reason"]
    assert do_as_owner(urls, "SELECT * FROM work_task") == rows
    assert epoch(urls) == before
    assert unparker.retry("ann")[0].mark == {**mark, "attempts": 3} | {
        "tried_at": ann.progress()["parked"]["work_index"]["tried_at"]
    }


def test_retry_of_one_member(
    ann: Engine, unparker: Unparker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the one that was named goes on; without a name all that stand still do."""
    bugs = [Bug(monkeypatch, kind, "poison") for kind in ("message", "claim", "task")]
    ann.record_all(
        [
            PostMessage(message_id="M-1", thread_id="TH", role="user", text="poison"),
            RecordClaim(claim_id="C-1", subject="ann", attribute="a", value="poison"),
            task("T-2", "poison"),
        ]
    )
    assert set(ann.progress()["parked"]) == {"conversation", "memory", "work_index"}
    for bug in bugs:
        bug.words.clear()
    assert went_on(unparker.retry("ann", "memory")) == [("memory", 3, True)]
    assert set(ann.progress()["parked"]) == {"conversation", "work_index"}
    done = unparker.retry("ann")
    assert went_on(done) == [("conversation", 3, True), ("work_index", 3, True)]
    assert ann.is_whole()


def test_nothing_to_go_on_with(database: Database, ann: Engine, unparker: Unparker) -> None:
    """Who, what and whether: each is refused with its own words."""
    with pytest.raises(InvalidInput, match="there is no user zoe"):
        unparker.retry("zoe")
    with pytest.raises(InvalidInput, match="the members are work_index, conversation, memory"):
        unparker.retry("ann", "worker")
    with pytest.raises(CommandRefused, match="nothing of user ann is parked in memory") as caught:
        unparker.skip("ann", "memory", reason="x")
    assert caught.value.code == "not_parked"
    with pytest.raises(InvalidInput, match="give a reason"):
        unparker.skip("ann", "memory", reason=" ")


def test_another_program_has_to_do_it(
    urls: Urls, database: Database, ann: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of another fold version are folded by the program of that version alone."""
    Bug(monkeypatch, "task", "poison")
    ann.record(task("T-2", "poison"), now=NOW)
    newer = Unparker(database, WHO, sets=(INLINE._replace(fold_version=2),))
    with pytest.raises(CommandRefused, match="has fold version 1, this program has 2") as caught:
        newer.retry("ann")
    assert caught.value.code == "fold_version"


@pytest.mark.parametrize("accept", [False, True])
def test_skip(
    urls: Urls,
    ann: Engine,
    unparker: Unparker,
    monkeypatch: pytest.MonkeyPatch,
    accept: bool,
) -> None:
    """The event's effect on that member is left out, the rest goes on; proofs are off until they
    are accepted; verify says what is left out and counts it as no difference."""
    Bug(monkeypatch, "task", "poison")
    ann.record(task("T-2", "poison"), now=NOW)
    ann.record(question("T-1"), now=NOW)
    (done,) = unparker.skip("ann", "work_index", reason="a test", accept_proof=accept)
    assert (done.skipped, done.events, done.rows, done.mark) == (2, 1, 1, None)
    progress = ann.progress()
    assert (progress["position"], progress["parked"], progress["open_count"]) == (3, {}, 1)
    proof = ann.proof(now=NOW)
    assert (proof.verdict, proof.reasons) == (
        ("items", ()) if accept else ("unproven", ("skipped",))
    )
    assert [row.task_id for row in ann.read({"task": "all"}).rows["task"]] == ["T-1"]
    # The member follows the log again.
    ann.record(task("T-3"), now=NOW)
    assert ann.progress()["position"] == 4
    report = ann.verify()
    assert (report.differences, report.log_faults, report.parked) == ([], [], [])
    assert report.is_clean is accept
    (told,) = report.skipped
    assert (told["member"], told["position"], told["accepted"]) == ("work_index", 2, accept)
    (listed,) = list_parked(ann.database)["skipped"]
    assert (listed["position"], listed["event_type"], listed["reason"], listed["accepted"]) == (
        *(2, "task_created", "a test", accept),
    )


def test_decisions_know_what_was_left_out(
    ann: Engine, unparker: Unparker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A decision on what a skipped event was about rests on the log, on other things on rows."""
    bug = Bug(monkeypatch, "task", "poison")
    ann.record(task("T-2", "poison"), now=NOW)
    unparker.skip("ann", "work_index", reason="x", accept_proof=True)
    bug.words.clear()
    with pytest.raises(CommandRefused) as caught:
        ann.record(task("T-2", "again"), now=NOW)
    assert caught.value.code == "task_exists"
    ann.record(StartTask(task_id="T-1"), now=NOW)
    assert ann.progress()["parked"] == {}


def test_skipped_one_after_the_other(
    ann: Engine, unparker: Unparker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a later event fails too, what was skipped stays skipped and that one is named."""
    Bug(monkeypatch, "task", "first", "second")
    ann.record(task("T-2", "first"), now=NOW)
    ann.record(task("T-3", "second"), now=NOW)
    ann.record(task("T-4"), now=NOW)
    (done,) = unparker.skip("ann", "work_index", reason="one")
    assert done.skipped == 2
    assert done.mark is not None
    mark = ann.progress()["parked"]["work_index"]
    assert (mark["position"], mark["failed_position"], mark["attempts"]) == (2, 3, 1)
    assert ann.proof(now=NOW).reasons == ("parked", "skipped")
    (done,) = unparker.skip("ann", "work_index", reason="two")
    assert (done.skipped, done.events, done.mark) == (3, 1, None)
    assert [row.task_id for row in ann.read({"task": "all"}).rows["task"]] == ["T-1", "T-4"]
    assert [one["position"] for one in ann.verify().skipped] == [2, 3]
    assert ann.verify().differences == []


def test_retry_takes_skips_back(
    ann: Engine, unparker: Unparker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the fold can take it, a named member is made whole again with what it left out."""
    bug = Bug(monkeypatch, "task", "poison")
    ann.record(task("T-2", "poison"), now=NOW)
    unparker.skip("ann", "work_index", reason="x")
    (done,) = unparker.retry("ann", "work_index")
    assert done.mark is not None
    assert done.mark["failed_position"] == 2
    assert ann.proof(now=NOW).reasons == ("skipped",)
    bug.words.clear()
    assert went_on(unparker.retry("ann", "work_index")) == [("work_index", 2, True)]
    assert ann.proof(now=NOW).verdict == "proven_empty"
    assert ann.verify().skipped == []
    assert ann.is_whole()


def test_retry_where_what_was_left_out_is_why(
    ann: Engine, unparker: Unparker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A skip that makes a later event fail is no dead end: retry of the member takes both in."""
    bug = Bug(monkeypatch, "task", "poison")
    ann.record(task("T-2", "poison"), now=NOW)
    ann.record(question("T-2"), now=NOW)
    (done,) = unparker.skip("ann", "work_index", reason="made by mistake")
    assert done.mark is not None
    assert done.mark["failed_position"] == 3
    bug.words.clear()
    assert went_on(unparker.retry("ann")) == [("work_index", 0, False)]
    assert went_on(unparker.retry("ann", "work_index")) == [("work_index", 3, True)]
    assert ann.progress()["parked"] == {}
    assert [row.task_id for row in ann.read(now=NOW).rows["task"]] == ["T-2"]
    assert ann.is_whole()


@pytest.mark.parametrize("member", ["work_index", "conversation", "memory"])
def test_event_that_cannot_be_decoded(
    urls: Urls, ann: Engine, unparker: Unparker, member: str
) -> None:
    """It parks every member; skipped for one, that one goes on; the log's own fault stays told."""
    do_as_owner(urls, "UPDATE projection_generation SET fold_version = 99")
    ann.record(StartTask(task_id="T-1"), now=NOW)
    do_as_owner(urls, "UPDATE projection_generation SET fold_version = 1")
    do_as_owner(urls, "UPDATE event SET data = '{\"x\": 1}' WHERE position = 2")
    ann.record(task("T-2"), now=NOW)
    (done,) = unparker.retry("ann", member)
    assert done.mark is not None
    assert done.mark["reason"].startswith("event 2 of type task_started version 1 does not fit")
    (done,) = unparker.skip("ann", member, reason="the disk ate it", accept_proof=True)
    assert (done.skipped, done.mark) == (2, None)
    assert member not in ann.progress()["parked"]
    want = {"work_index": "task", "conversation": "message", "memory": "claim"}[member]
    if member == "work_index":
        assert ann.read({"task": "all"}).reasons == ()
        ann.record(StartTask(task_id="T-2"), now=NOW)
    else:
        assert "parked" in ann.read({want: "all"}).reasons  # the sources are in the work index
    report = ann.verify()
    assert [fault["position"] for fault in report.log_faults] == [2]
    assert report.differences == []


def test_rows_that_the_table_refuses(urls: Urls, ann: Engine, unparker: Unparker) -> None:
    """The one event whose row is refused is found among those that were folded at once."""
    do_as_owner(urls, "ALTER TABLE work_task ADD CONSTRAINT no CHECK (title <> 'poison')")
    ann.record_all([task("T-2"), task("T-3"), task("T-4", "poison"), task("T-5")])
    mark = ann.progress()["parked"]["work_index"]
    assert (mark["position"], mark["failed_position"]) == (2, 2)
    (done,) = unparker.retry("ann")
    assert done.mark is not None
    assert (done.mark["position"], done.mark["failed_position"]) == (2, 4)
    assert "violates check constraint" in done.mark["reason"]
    (done,) = unparker.skip("ann", "work_index", reason="x")
    assert (done.skipped, done.events, done.rows, done.mark) == (4, 3, 3, None)
    do_as_owner(urls, "ALTER TABLE work_task DROP CONSTRAINT no")
    assert went_on(unparker.retry("ann", "work_index")) == [("work_index", 5, True)]
    assert ann.is_whole()


def test_newer_code_and_holes(urls: Urls, database: Database, ann: Engine) -> None:
    """What this program does not know, or is not there, is no reason to go on without it."""
    for member in ("work_index", "memory"):
        park(urls, member, 2)
    ann.record(StartTask(task_id="T-1"), now=NOW)
    ann.record(task("T-2"), now=NOW)
    models = {key: model for key, model in MODELS.items() if key[0] != "task_started"}
    with pytest.raises(NeedsNewerCode, match="task_started"):
        Unparker(database, WHO, mapper=FactMapper(models)).retry("ann", "work_index")
    do_as_owner(urls, "DELETE FROM event WHERE position = 2")
    unparker = Unparker(database, WHO)
    with pytest.raises(CorruptLog, match="event 2 of user ann is missing: see workindex"):
        unparker.retry("ann", "memory")
    with pytest.raises(CorruptLog, match="event 2 of user ann is missing"):
        unparker.skip("ann", "memory", reason="x")
    assert set(ann.progress()["parked"]) == {"work_index", "memory"}


@pytest.mark.parametrize("mark", ["5", "{}", '{"position": true}', '{"position": 77}', "[]"])
def test_marks_that_say_nothing(urls: Urls, ann: Engine, unparker: Unparker, mark: str) -> None:
    """A mark that names no position parks, is listed, and is refused with what makes it right."""
    do_as_owner(
        urls,
        "UPDATE projection_progress SET parked = jsonb_build_object('memory', %s::jsonb)",
        mark,
    )
    (listed,) = list_parked(ann.database)["parked"]
    assert (listed["member"], listed["event_type"]) == ("memory", None)
    for act in (unparker.retry, lambda u, m: unparker.skip(u, m, reason="x")):
        with pytest.raises(CommandRefused, match="verify --repair") as caught:
            act("ann", "memory")
        assert caught.value.code == "mark_damaged"


def test_every_action_is_noted(
    database: Database, ann: Engine, unparker: Unparker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who did what to whom, why, at which event, and what came of it."""
    bug = Bug(monkeypatch, "task", "first", "second")
    ann.record(task("T-2", "first"), now=NOW)
    ann.record(task("T-3", "second"), now=NOW)
    unparker.retry("ann")
    unparker.skip("ann", "work_index", reason="because", accept_proof=True)
    bug.words.clear()
    unparker.retry("ann")
    with database.maintenance() as conn:
        noted = list(actions(conn, limit=10))[::-1]
    assert [(one.who, one.command, one.reason) for one in noted] == [
        ("operator the-operator", "projections retry", None),
        ("operator the-operator", "projections skip", "because"),
        ("operator the-operator", "projections retry", None),
    ]
    assert noted[1].arguments == {
        "user_id": "ann",
        "projection_set": "inline",
        "generation": 1,
        "member": "work_index",
        "position": 2,
        "accept_proof": True,
    }
    assert noted[0].outcome.startswith("stands still at 2: work_task cannot fold task_created")
    assert noted[1].outcome.startswith("stands still at 3: work_task cannot fold task_created")
    assert noted[2].outcome == "went on"


def test_two_generations(
    urls: Urls, ann: Engine, unparker: Unparker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each goes on from where it stands itself."""
    do_as_owner(urls, "INSERT INTO projection_generation VALUES ('inline', 2, 1, 'kept')")
    bug = Bug(monkeypatch, "task", "poison")
    bob = Engine(ann.database, "bob")
    bob.record(task("T-1"), now=NOW)
    bob.record(task("T-2", "poison"), now=NOW)
    bob.record(task("T-3"), now=NOW)
    bug.words.clear()
    done = unparker.retry("bob")
    assert [(one.generation, one.events, one.mark) for one in done] == [(1, 2, None), (2, 2, None)]
    assert bob.is_whole()
