"""Which generation is live changes in one step, only where it may, and back again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from commands import Command
from conftest import Urls
from engine import Engine, do_as_owner, question, task
from generations import OPERATOR, copy_user, noted, states
from next_program import MARK, NEXT
from workindex.domain.errors import CommandRefused, InvalidInput
from workindex.eventlog.audit import actions
from workindex.eventlog.database import Database
from workindex.projections.functions import UNAPPLIED_EVENTS_MAX
from workindex.projections.generations import rollback, switch
from workindex.projections.rebuild import Rebuilder
from workindex.projections.sets import INLINE


@pytest.fixture
def ann(database: Database) -> Engine:
    """A user with one task that needs her."""
    engine = Engine(database)
    engine.record_all([task("T-1", "tea"), question("T-1")])
    return engine


def build(database: Database, generations: int = 1) -> None:
    """Build so many generations of the running program's folds, the last one not live yet."""
    for number in range(generations):
        Rebuilder(database).rebuild(OPERATOR)
        if number + 1 < generations:
            switch(database, OPERATOR)


def refusal(database: Database, change: object = switch) -> CommandRefused:
    """What the change is refused with."""
    assert callable(change)
    with pytest.raises(CommandRefused) as refused:
        change(database, OPERATOR)
    return refused.value


def test_there_and_back(urls: Urls, database: Database, ann: Engine) -> None:
    """The live one becomes a kept one and the other way round; each step is noted with who."""
    build(database)
    assert switch(database, OPERATOR).to_json() == {
        "projection_set": "inline",
        "live": 2,
        "before": 1,
        "faults": [],
    }
    assert states(urls) == {1: "kept", 2: "live"}
    assert ann.proof().certificate["projections"][0]["generation"] == 2
    assert rollback(database, OPERATOR).live == 1
    assert states(urls) == {1: "live", 2: "kept"}
    assert rollback(database, OPERATOR).live == 2
    assert noted(urls)[2:] == [
        ("projections switch", "done"),
        ("projections rollback", "done"),
        ("projections rollback", "done"),
    ]
    with database.maintenance() as conn:
        last = next(actions(conn, limit=1))
    assert (last.who, last.reason) == ("operator the-operator", None)
    assert last.arguments == {"set": "inline", "generation": 2, "before": 1}


def test_the_newest_one_before_the_live_one(urls: Urls, database: Database, ann: Engine) -> None:
    """A rollback without a number goes back in time; a number names any kept generation."""
    build(database, 3)
    switch(database, OPERATOR)
    assert rollback(database, OPERATOR).live == 3
    assert rollback(database, OPERATOR).live == 2
    assert rollback(database, OPERATOR, generation=4).live == 4
    assert states(urls) == {1: "kept", 2: "kept", 3: "kept", 4: "live"}


def test_nothing_to_switch_to(urls: Urls, database: Database, ann: Engine) -> None:
    """Without another generation there is no switch and no rollback; a wrong number says so."""
    assert refusal(database).code == "no_generation"
    assert "workindex projections rebuild inline" in str(refusal(database))
    assert refusal(database, rollback).code == "no_generation"
    build(database)
    with pytest.raises(InvalidInput, match="no generation 7"):
        switch(database, OPERATOR, generation=7)
    with pytest.raises(CommandRefused, match="generation 1 of inline is live, not building"):
        switch(database, OPERATOR, generation=1)
    assert states(urls) == {1: "live", 2: "building"}


def test_a_user_without_a_row(urls: Urls, database: Database, ann: Engine) -> None:
    """A user who came after the rebuild, by a program of the old version, holds the switch back."""
    Rebuilder(database, projection_set=NEXT).rebuild(OPERATOR)
    for number in range(7):
        Engine(database, f"new-{number}").record(task("T-1"))
    with pytest.raises(CommandRefused) as refused:
        switch(database, OPERATOR, projection_set=NEXT)
    assert "7 users (new-0, new-1, new-2, new-3, new-4, …) not built" in str(refused.value)
    Rebuilder(database, projection_set=NEXT).rebuild(OPERATOR)
    assert switch(database, OPERATOR, projection_set=NEXT).live == 2


@pytest.mark.parametrize("unapplied", [UNAPPLIED_EVENTS_MAX, UNAPPLIED_EVENTS_MAX + 1])
def test_how_far_it_may_lag(urls: Urls, database: Database, ann: Engine, unapplied: int) -> None:
    """A hundred unapplied events are folded by the next append; one more refuses the switch."""
    Rebuilder(database, projection_set=NEXT).rebuild(OPERATOR)
    ann.record_all([task(f"L-{number}") for number in range(unapplied)])
    if unapplied > UNAPPLIED_EVENTS_MAX:
        with pytest.raises(CommandRefused, match=r"1 user \(ann\) more than 100 events behind"):
            switch(database, OPERATOR, projection_set=NEXT)
        Rebuilder(database, projection_set=NEXT).rebuild(OPERATOR)
    assert switch(database, OPERATOR, projection_set=NEXT).live == 2


def test_a_generation_that_others_built(urls: Urls, database: Database, ann: Engine) -> None:
    """Who cannot fold a generation cannot vouch for it; going back to it is another thing."""
    Rebuilder(database, projection_set=NEXT).rebuild(OPERATOR)
    assert refusal(database).code == "fold_version"
    switch(database, OPERATOR, projection_set=NEXT)
    assert states(urls) == {1: "kept", 2: "live"}
    assert rollback(database, OPERATOR, projection_set=NEXT).live == 1


def test_a_rollback_is_checked_too(urls: Urls, database: Database, ann: Engine) -> None:
    """An old generation that the new program has outrun is not gone back to."""
    Rebuilder(database, projection_set=NEXT).rebuild(OPERATOR)
    switch(database, OPERATOR, projection_set=NEXT)
    newer = Engine(database, projection_set=NEXT)
    newer.record_all([task(f"L-{number}") for number in range(UNAPPLIED_EVENTS_MAX + 1)])
    assert refusal(database, rollback).code == "not_ready"
    assert states(urls) == {1: "kept", 2: "live"}


def test_force_is_audited(urls: Urls, database: Database, ann: Engine) -> None:
    """With a reason a generation that is not ready goes live; why and what was overruled stay."""
    build(database)
    copy_user(urls, "ann", ["bob"])
    command = Command(urls.env)
    command("projections", "switch", code=3)
    command("projections", "switch", "--force", code=2)
    command("projections", "switch", "--force", "--reason", " ", code=2)
    command("projections", "switch", "--reason", "why", code=2)
    assert states(urls) == {1: "live", 2: "building"}
    done = command("projections", "switch", "--force", "--reason", "bob moves out", "--json")
    assert done.document["faults"] == [
        "1 user (bob) not built: workindex projections rebuild inline"
    ]
    (last,) = command("audit-log", "--limit", "1", "--json").document["actions"]
    assert (last["command"], last["outcome"]) == ("projections switch", "done")
    assert last["reason"] == "bob moves out"
    assert last["arguments"]["overruled"] == done.document["faults"]
    assert last["arguments"]["force"] is True
    shown = command("audit-log", "--command", "projections switch")
    assert "bob moves out" in shown.out
    assert "rebuild" not in shown.out.split("\n", 3)[3].replace("projections rebuild inline", "")


def test_readers_see_one_or_the_other(urls: Urls, database: Database, ann: Engine) -> None:
    """While it is switched back and forth, no answer is missing, unproven, or a mixture."""
    Rebuilder(database, projection_set=NEXT).rebuild(OPERATOR)
    switch(database, OPERATOR, projection_set=NEXT)
    stop = Event()

    def read(projection_set: object) -> int:
        assert projection_set in (INLINE, NEXT)
        is_next = projection_set is NEXT
        engine = Engine(database, projection_set=NEXT if is_next else INLINE)
        title = "tea" + MARK if is_next else "tea"
        count = 0
        while not stop.is_set():
            reading = engine.read({"task": "all"})
            (named,) = {one["generation"] for one in reading.projections}
            assert (reading.reasons, reading.live, named) == ((), False, 2 if is_next else 1)
            assert [row.title for row in reading.rows["task"]] == [title]
            count += 1
        return count

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read, one) for one in (INLINE, NEXT, INLINE, NEXT)]
        try:
            for _ in range(30):
                rollback(database, OPERATOR, projection_set=NEXT)
                live = "SELECT count(*) FROM projection_generation WHERE state = 'live' "
                assert do_as_owner(urls, live + "AND projection_set = 'inline'") == [(1,)]
        finally:
            stop.set()
        assert all(reader.result() for reader in readers)


def test_readers_of_one_version(urls: Urls, database: Database, ann: Engine) -> None:
    """Two generations of one fold version: an answer comes whole from the one that is live."""
    build(database)
    do_as_owner(urls, "UPDATE work_task SET title = 'two' WHERE generation = 2")
    switch(database, OPERATOR)
    stop = Event()

    def read() -> set[tuple[int, str]]:
        seen = set()
        while not stop.is_set():
            reading = ann.read({"task": "all"})
            assert reading.reasons == ()
            (row,) = reading.rows["task"]
            seen.add((reading.projections[0]["generation"], row.title))
        return seen

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        try:
            for _ in range(30):
                rollback(database, OPERATOR)
        finally:
            stop.set()
        for reader in readers:
            assert reader.result() <= {(1, "tea"), (2, "two")}
